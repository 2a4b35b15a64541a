// SPDX-License-Identifier: Apache-2.0
#include "model/result.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/error.hpp"

namespace nlldiff {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

Finding full_finding() {
  Finding finding{.kind = FindingKind::foreign_store,
                  .detector = "alias",
                  .pass = "backward",
                  .tensor = "grad_input",
                  .kernel = "nll_loss_backward_kernel",
                  .where = "kernel.cu:12",
                  .message = "row 0 stored to row 1",
                  .cure = "mask the store",
                  .address_form = "n*C*D + ignore_index*D + d",
                  .count = std::numeric_limits<std::int64_t>::max(),
                  .cells = {}};
  finding.cells.push_back({.cell = 4,
                           .row = 1,
                           .class_index = 0,
                           .candidate = kNan,
                           .reference = -kInf,
                           .oracle = 0.1,
                           .ulps = std::numeric_limits<std::uint64_t>::max(),
                           .note = "0*4 + 4 = 4"});
  finding.cells.push_back({.cell = 5,
                           .row = {},
                           .class_index = {},
                           .candidate = kInf,
                           .reference = {},
                           .oracle = {},
                           .ulps = {},
                           .note = ""});
  return finding;
}

CaseResult full_result() {
  CaseResult result;
  result.c.name = "founding";
  result.c.shape = {6};
  result.c.C = 4;
  result.c.ignore_index = std::numeric_limits<std::int64_t>::min();
  result.c.rng_seed = std::numeric_limits<std::uint64_t>::max();
  result.file = "cases/founding.json";
  result.candidate = "mutant:sentinel_alias";
  result.device = "cuda:0";
  result.verdict = Verdict::fail;
  result.reason = "1 finding";
  result.findings = {full_finding()};
  result.detectors = {{.detector = "value", .judged = true, .why_not = "", .note = "fine"},
                      {.detector = "alias", .judged = false, .why_not = "no trace", .note = ""}};
  result.comparisons = {{.pass = "backward",
                         .tensor = "grad_input",
                         .compared = 24,
                         .mismatches = 1,
                         .limit = "0 ULP",
                         .max_ulps = 0,
                         .worst = full_finding().cells[0],
                         .ulp_histogram = {23, 0, 1},
                         .reference_mismatches = 2}};
  result.rows = 6;
  result.ignored_rows = 2;
  result.visibility = {{"target_cell", 2}};
  result.execution = "cuda";
  result.times_ms = {{"oracle", 0.25}, {"reference", 1.0 / 3}};
  result.repro = "nlldiff run cases/founding.json --filter founding";
  result.captured_stdout = "out";
  result.captured_stderr = "err";
  result.notes = {"int32 targets"};
  return result;
}

/// Through text, as a results file does it.
template <class T>
T through_text(const T& value) {
  return json::parse(json(value).dump()).template get<T>();
}

TEST(ResultJson, RoundTripsEveryMemberOfACaseResult) {
  const CaseResult before = full_result();
  const CaseResult after = through_text(before);
  EXPECT_EQ(json(after), json(before));
  EXPECT_EQ(after.c, before.c);
  EXPECT_EQ(after.verdict, Verdict::fail);
  EXPECT_EQ(after.findings[0].kind, FindingKind::foreign_store);
  EXPECT_EQ(after.findings[0].count, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(after.findings[0].address_form, "n*C*D + ignore_index*D + d");
  EXPECT_FALSE(after.detectors[1].judged);
  EXPECT_EQ(after.detectors[1].why_not, "no trace");
  EXPECT_EQ(after.comparisons[0].ulp_histogram[2], 1);
  EXPECT_EQ(after.comparisons[0].max_ulps, 0u);
  EXPECT_EQ(after.times_ms.at("reference"), 1.0 / 3);
  EXPECT_EQ(after.visibility.at("target_cell"), 2);
  EXPECT_EQ(after.notes, before.notes);
}

TEST(ResultJson, KeepsNanInfinitiesAndTheLargestNumbers) {
  const FindingCell cell = through_text(full_finding()).cells[0];
  EXPECT_TRUE(std::isnan(cell.candidate.value()));
  EXPECT_EQ(cell.reference, -kInf);
  EXPECT_EQ(cell.oracle, 0.1);
  EXPECT_EQ(cell.ulps, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(through_text(full_finding()).cells[1].candidate, kInf);
  EXPECT_EQ(json(full_finding())["cells"][0]["candidate"], "nan");
  EXPECT_EQ(json(full_finding())["cells"][0]["reference"], "-inf");
}

TEST(ResultJson, LeavesOutWhatHasItsDefaultButNeverTheVerdict) {
  const json empty = CaseResult{};
  EXPECT_TRUE(empty.contains("verdict"));
  EXPECT_TRUE(empty.contains("case"));
  EXPECT_EQ(empty.size(), 2u);
  EXPECT_EQ(json(Finding{}), json::parse(R"({"kind": "wrong", "detector": ""})"));
  EXPECT_EQ(json(full_result())["comparisons"][0]["ulp_histogram"], json({23, 0, 1}));
}

TEST(ResultJson, RoundTripsHeaderAndSummary) {
  const RunHeader header{.schema_version = 1,
                         .nlldiff_version = "0.1.0",
                         .git_commit = "abc",
                         .started_at = "2026-01-02T03:04:05Z",
                         .command_line = {"nlldiff", "run", "a b"},
                         .environment = {{"torch", "2.11.0"}},
                         .cases_planned = 7};
  EXPECT_EQ(json(through_text(header)), json(header));
  EXPECT_EQ(through_text(header).command_line, header.command_line);
  EXPECT_EQ(json(header).size(), 7u);
  const RunSummary summary{.verdicts = {{"pass", 3}, {"fail", 1}},
                           .cases_run = 4,
                           .findings = 9,
                           .skipped_combinations = 2,
                           .too_large = 1,
                           .ignored_rows = 100,
                           .visible_rows = 50,
                           .wall_s = 1.5,
                           .exit_code = 1,
                           .remarks = {"blind"}};
  EXPECT_EQ(json(through_text(summary)), json(summary));
  EXPECT_EQ(json(summary).size(), 10u);
}

TEST(ResultJson, TakesMissingMembersAsDefaultsAndIgnoresUnknownOnes) {
  const auto finding = json::parse(R"({"kind": "conflict", "colour": "red"})").get<Finding>();
  EXPECT_EQ(finding.kind, FindingKind::conflict);
  EXPECT_EQ(finding.count, 0);
  EXPECT_FALSE(json(finding).contains("colour"));
}

TEST(ResultJson, CarriesAnyBytesAndNeverThrowsOnWriting) {
  CaseResult result = full_result();
  result.captured_stderr = "bad \xFF\xC3 bytes";
  result.times_ms["\xFE"] = kNan;
  RunHeader header;
  header.command_line = {"\x80"};
  header.environment = {{"\xC0", "\xC0"}};
  ASSERT_NO_THROW((void)json(result).dump());
  ASSERT_NO_THROW((void)json(header).dump());
  EXPECT_EQ(through_text(result).captured_stderr, "bad \\xFF\\xC3 bytes");
}

template <class T>
std::string error_of(const char* text) {
  try {
    (void)json::parse(text).get<T>();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ResultJson, RefusesWhatIsNotAResultInOneSentence) {
  EXPECT_THAT(error_of<Finding>(R"([1])"), HasSubstr("[1] where an object belongs"));
  EXPECT_THAT(error_of<Finding>(R"({"kind": "nonsense"})"),
              HasSubstr("\"nonsense\" where one of wrong, lost_gradient"));
  EXPECT_THAT(error_of<Finding>(R"({"kind": 3})"), HasSubstr("3 where one of"));
  EXPECT_THAT(error_of<Finding>(R"({"count": 1e300})"), HasSubstr("where a whole number belongs"));
  EXPECT_THAT(error_of<Finding>(R"({"count": 18446744073709551615})"), HasSubstr("where a whole number belongs"));
  EXPECT_THAT(error_of<Finding>(R"({"cells": [{"ulps": -1}]})"), HasSubstr("-1 where a whole number belongs"));
  EXPECT_THAT(error_of<Finding>(R"({"cells": [{"oracle": "x"}]})"), HasSubstr("\"x\" where a number belongs"));
  EXPECT_THAT(error_of<Finding>(R"({"message": null})"), HasSubstr("null where a string belongs"));
  EXPECT_THAT(error_of<CaseResult>(R"({"findings": {}})"), HasSubstr("{} where a list belongs"));
  EXPECT_THAT(error_of<CaseResult>(R"({"visibility": []})"), HasSubstr("[] where an object belongs"));
  EXPECT_THAT(error_of<CaseResult>(R"({"case": 1})"), HasSubstr("1 where a case belongs"));
  EXPECT_THAT(error_of<CaseResult>(R"({"detectors": [{"judged": 1}]})"), HasSubstr("1 where true or false belongs"));
  EXPECT_THAT(error_of<CaseResult>(R"({"comparisons": [{"ulp_histogram": [1,2,3,4,5,6,7,8,9,10,11,12,13]}]})"),
              HasSubstr("at most 12 numbers"));
}

TEST(ExitCode, IsOneForEveryVerdictThatMustFailAGate) {
  for (const Verdict verdict :
       {Verdict::vacuous, Verdict::inconclusive, Verdict::fail, Verdict::timeout, Verdict::crash}) {
    EXPECT_EQ(exit_code_of(verdict, false), 1) << name_of(verdict);
  }
  EXPECT_EQ(exit_code_of(Verdict::pass, true), 0);
  EXPECT_EQ(exit_code_of(Verdict::unsupported, true), 0);
  EXPECT_EQ(exit_code_of(Verdict::limited, false), 0);
  EXPECT_EQ(exit_code_of(Verdict::limited, true), 1);
}

}  // namespace
}  // namespace nlldiff
