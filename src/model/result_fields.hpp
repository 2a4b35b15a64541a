// SPDX-License-Identifier: Apache-2.0
// The members of the structs of result.hpp, each named once. Internal to src/model.
#pragma once

#include "model/json_fields.hpp"
#include "model/result.hpp"

namespace nlldiff::json_fields {

template <>
inline constexpr auto kJsonFields<FindingCell> = std::make_tuple(
    always("cell", &FindingCell::cell), field("row", &FindingCell::row), field("class", &FindingCell::class_index),
    field("candidate", &FindingCell::candidate), field("reference", &FindingCell::reference),
    field("oracle", &FindingCell::oracle), field("ulps", &FindingCell::ulps), field("note", &FindingCell::note));

template <>
inline constexpr auto kJsonFields<Finding> = std::make_tuple(
    always("kind", &Finding::kind), always("detector", &Finding::detector), field("pass", &Finding::pass),
    field("tensor", &Finding::tensor), field("kernel", &Finding::kernel), field("where", &Finding::where),
    field("message", &Finding::message), field("cure", &Finding::cure), field("address_form", &Finding::address_form),
    field("count", &Finding::count), field("cells", &Finding::cells));

template <>
inline constexpr auto kJsonFields<DetectorStatus> = std::make_tuple(always("detector", &DetectorStatus::detector),
                                                                    field("judged", &DetectorStatus::judged),
                                                                    field("why_not", &DetectorStatus::why_not),
                                                                    field("note", &DetectorStatus::note));

template <>
inline constexpr auto kJsonFields<TensorComparison> =
    std::make_tuple(always("pass", &TensorComparison::pass), always("tensor", &TensorComparison::tensor),
                    always("compared", &TensorComparison::compared), field("mismatches", &TensorComparison::mismatches),
                    field("limit", &TensorComparison::limit), field("max_ulps", &TensorComparison::max_ulps),
                    field("worst", &TensorComparison::worst), field("ulp_histogram", &TensorComparison::ulp_histogram),
                    field("reference_mismatches", &TensorComparison::reference_mismatches));

template <>
inline constexpr auto kJsonFields<CaseResult> = std::make_tuple(
    always("case", &CaseResult::c), field("file", &CaseResult::file), field("candidate", &CaseResult::candidate),
    field("device", &CaseResult::device), always("verdict", &CaseResult::verdict), field("reason", &CaseResult::reason),
    field("findings", &CaseResult::findings), field("detectors", &CaseResult::detectors),
    field("comparisons", &CaseResult::comparisons), field("rows", &CaseResult::rows),
    field("ignored_rows", &CaseResult::ignored_rows), field("visibility", &CaseResult::visibility),
    field("execution", &CaseResult::execution), field("times_ms", &CaseResult::times_ms),
    field("repro", &CaseResult::repro), field("captured_stdout", &CaseResult::captured_stdout),
    field("captured_stderr", &CaseResult::captured_stderr), field("notes", &CaseResult::notes));

template <>
inline constexpr auto kJsonFields<RunHeader> = std::make_tuple(always("schema_version", &RunHeader::schema_version),
                                                               field("nlldiff_version", &RunHeader::nlldiff_version),
                                                               field("git_commit", &RunHeader::git_commit),
                                                               field("started_at", &RunHeader::started_at),
                                                               field("command_line", &RunHeader::command_line),
                                                               field("environment", &RunHeader::environment),
                                                               always("cases_planned", &RunHeader::cases_planned));

template <>
inline constexpr auto kJsonFields<RunSummary> = std::make_tuple(
    always("verdicts", &RunSummary::verdicts), always("cases_run", &RunSummary::cases_run),
    always("findings", &RunSummary::findings), field("skipped_combinations", &RunSummary::skipped_combinations),
    field("too_large", &RunSummary::too_large), field("ignored_rows", &RunSummary::ignored_rows),
    field("visible_rows", &RunSummary::visible_rows), field("wall_s", &RunSummary::wall_s),
    always("exit_code", &RunSummary::exit_code), field("remarks", &RunSummary::remarks));

}  // namespace nlldiff::json_fields
