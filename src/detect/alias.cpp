// SPDX-License-Identifier: Apache-2.0
// alias, by the footprint rule: which cells of row m are stored, and how often, may depend on row m's own target, never
// on another row's. In each twin half of the ignored rows have valid targets; a cell of an unchanged row that the case
// stores more often than its twin has a foreign store, whoever made it, whatever its value, whoever won.
#include "detect/alias.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "detect/detectors.hpp"
#include "detect/words.hpp"

namespace nlldiff {
namespace {

/// One tensor of one pass, as the rule looks at it.
struct Subject {
  Pass pass;
  std::string tensor;
  std::int64_t cells_per_row;
};

struct Suspect {
  ForeignCell foreign;
  RunId twin;
};

std::vector<Subject> subjects(const Evidence& e) {
  std::vector<Subject> all;
  if (wants(e.c, Pass::forward) && e.c.reduction == Reduction::none) all.push_back({Pass::forward, "output", 1});
  if (wants(e.c, Pass::backward)) all.push_back({Pass::backward, "grad_input", e.geometry.C});
  return all;
}

bool returned(const CandidateRun& run, Pass pass) { return run.of(pass).outcome.status == CallStatus::ok; }

/// What belongs in a cell of grad_input, as its dtype holds it.
double right_gradient(const Evidence& e, std::int64_t cell) {
  if (!in_support(e, cell)) return 0;
  const auto row = static_cast<std::size_t>(e.geometry.row_of(cell));
  return round_to(e.case_run.backward.grad_input.dtype, e.oracle_backward.gradient[row]);
}

std::string value_lost(const Evidence& e, std::int64_t cell) {
  if (!in_support(e, cell)) return "whose right value is 0: only a trace can see it";
  const double right = right_gradient(e, cell);
  // The second run may have failed, and then left nothing to look at.
  const auto differs = [&](const CandidateRun& run) {
    return run.backward.grad_input.data != nullptr && run.backward.grad_input.value(cell) != right;
  };
  return fmt::format(
      "whose gradient {} {}", value_words(right),
      differs(e.case_run) || differs(e.case_again) ? "is lost" : "survives here only by the order of the stores");
}

std::string owner_words(const Evidence& e, const Subject& s, std::int64_t cell) {
  if (s.tensor == "output") return fmt::format("the loss of {}", row_words(e.geometry, cell));
  return fmt::format("{}, {}", cell_words(e.geometry, cell), value_lost(e, cell));
}

std::string culprit_words(const Evidence& e, const Subject& s, const CallTrace& trace, const Store& store) {
  const double value = value_of_bits(
      e.case_run.of(s.pass).output.data ? e.case_run.of(s.pass).output.dtype : e.case_run.of(s.pass).grad_input.dtype,
      store.value_bits);
  return fmt::format("{} stored {}", store_words(trace, store), value_words(value));
}

/// "row 0 is ignored (target 4 = ignore_index); kernel k, block 0 thread 0 stored 0 at 0*4 + 4 = cell 4 = row 1, ..."
std::string explain(const Evidence& e, const Subject& s, const Suspect& suspect, const CallTrace& case_log,
                    const CallTrace& twin_log, Finding& finding) {
  const std::int64_t cell = suspect.foreign.cell;
  const auto surplus = surplus_stores(case_log.tensors.at(0).log, twin_log.tensors.at(0).log, cell);
  std::string who = "a store that the twin lacks";
  if (!surplus.empty()) {
    who = culprit_words(e, s, case_log, surplus.front());
    if (finding.where.empty()) finding.where = surplus.front().where;
    if (finding.kernel.empty()) finding.kernel = case_log.launches.at(surplus.front().launch).kernel;
  }
  const auto aggressor = s.tensor == "grad_input" ? aggressor_of(e.c, e.targets, cell) : std::nullopt;
  if (!aggressor)
    return fmt::format("{} at cell {} = {}: stored {} times, {} times when other rows' ignored targets are valid", who,
                       cell, owner_words(e, s, cell), suspect.foreign.case_stores, suspect.foreign.twin_stores);
  finding.address_form = "n*C*D + ignore_index*D + d";
  return fmt::format("{} is ignored (target {} = ignore_index); {} at {} = {}", row_words(e.geometry, *aggressor),
                     e.c.ignore_index, who, address_words(e.geometry, *aggressor, e.c.ignore_index, cell),
                     owner_words(e, s, cell));
}

FindingCell cell_of(const Evidence& e, const Subject& s, std::int64_t cell) {
  FindingCell out;
  out.cell = cell;
  if (s.tensor == "output") {
    out.row = cell;
    return out;
  }
  out.row = e.geometry.row_of(cell);
  out.class_index = e.geometry.class_of(cell);
  out.candidate = e.case_run.backward.grad_input.value(cell);
  if (e.reference_backward) out.reference = e.reference_backward->grad_input.value(cell);
  out.oracle = right_gradient(e, cell);
  return out;
}

/// Pass 2: the named cells once more, with every store logged, in the case and in the twin that cleared them.
void explain_all(const Evidence& e, const Subject& s, const std::vector<Suspect>& suspects, Finding& finding) {
  for (const RunId twin : {RunId::twin_a, RunId::twin_b}) {
    std::vector<std::int64_t> cells;
    for (const auto& suspect : suspects)
      if (suspect.twin == twin) cells.push_back(suspect.foreign.cell);
    if (cells.empty()) continue;
    const CallTrace case_log = e.log_stores(RunId::case_run, s.pass, s.tensor, cells);
    const CallTrace twin_log = e.log_stores(twin, s.pass, s.tensor, cells);
    for (const auto& suspect : suspects) {
      if (suspect.twin != twin) continue;
      finding.cells.push_back(cell_of(e, s, suspect.foreign.cell));
      finding.cells.back().note = explain(e, s, suspect, case_log, twin_log, finding);
    }
  }
  std::sort(finding.cells.begin(), finding.cells.end(),
            [](const FindingCell& a, const FindingCell& b) { return a.cell < b.cell; });
}

Finding finding_of(const Evidence& e, const Subject& s, std::vector<Suspect> suspects, std::int64_t total) {
  Finding finding;
  finding.kind = FindingKind::foreign_store;
  finding.detector = "alias";
  finding.pass = name_of(s.pass);
  finding.tensor = s.tensor;
  finding.count = total;
  if (suspects.size() > kMaxFindingCells) suspects.resize(kMaxFindingCells);
  explain_all(e, s, suspects, finding);
  finding.message = fmt::format("{} cell{} of {} that belong{} to another row {} stored to{}", total,
                                total == 1 ? "" : "s", s.tensor, total == 1 ? "s" : "", total == 1 ? "was" : "were",
                                finding.address_form.empty() ? "" : ", at addresses built from ignore_index");
  finding.cure = "mask the store, not only the value";
  return finding;
}

/// The union of what both twins show, by cell: a cell counts once.
void look_at(const Evidence& e, const Subject& s, Detection& detection) {
  std::vector<Suspect> suspects;
  std::int64_t total = 0;
  const auto add = [&](const CandidateRun& twin, RunId id) {
    const Footprint footprint = compare_footprints(e.geometry, s.cells_per_row, e.targets, twin.targets,
                                                   e.case_run.of(s.pass).trace, twin.of(s.pass).trace, s.tensor);
    if (!footprint.cannot_judge.empty()) detection.could_not_judge = footprint.cannot_judge;
    for (const auto& foreign : footprint.foreign) {
      const bool known = std::any_of(suspects.begin(), suspects.end(),
                                     [&](const Suspect& k) { return k.twin != id && k.foreign.cell == foreign.cell; });
      if (known)
        --total;
      else
        suspects.push_back({foreign, id});
    }
    total += footprint.foreign_total;
  };
  add(*e.twin_a, RunId::twin_a);
  const std::size_t from_a = suspects.size();
  add(*e.twin_b, RunId::twin_b);
  if (suspects.empty()) return;
  std::inplace_merge(suspects.begin(), suspects.begin() + static_cast<std::ptrdiff_t>(from_a), suspects.end(),
                     [](const Suspect& a, const Suspect& b) { return a.foreign.cell < b.foreign.cell; });
  detection.findings.push_back(finding_of(e, s, std::move(suspects), total));
}

std::string why_unjudged(const Evidence& e, const Subject& s) {
  const CallTrace& trace = e.case_run.of(s.pass).trace;
  if (!trace.complete) return trace.why_incomplete;
  if (!e.twin_a || !e.twin_b) return e.why_no_twin;
  for (const auto* twin : {&*e.twin_a, &*e.twin_b}) {
    if (!returned(*twin, s.pass))
      return fmt::format("{} of {} did not return: {}", name_of(s.pass), twin->name, twin->of(s.pass).outcome.error);
    if (!twin->of(s.pass).trace.complete) return twin->of(s.pass).trace.why_incomplete;
  }
  return "";
}

}  // namespace

Detection detect_alias(const Evidence& e) {
  Detection detection;
  if (e.c.expect == Expect::reject) return detection;
  const bool nothing_ignored = std::find(e.targets.begin(), e.targets.end(), e.c.ignore_index) == e.targets.end();
  if (nothing_ignored) {
    detection.note = "no row is ignored: no twin differs from the case";
    return detection;
  }
  for (const Subject& s : subjects(e)) {
    if (!returned(e.case_run, s.pass)) continue;
    if (const std::string why = why_unjudged(e, s); !why.empty()) {
      detection.could_not_judge = why;
      continue;
    }
    const auto& again = e.case_again.of(s.pass);
    if (again.outcome.status == CallStatus::ok && again.trace.complete &&
        again.trace.of(s.tensor).stores != e.case_run.of(s.pass).trace.of(s.tensor).stores) {
      detection.inconclusive = fmt::format("two runs of the same case store to {} differently often", s.tensor);
      continue;
    }
    look_at(e, s, detection);
  }
  return detection;
}

}  // namespace nlldiff
