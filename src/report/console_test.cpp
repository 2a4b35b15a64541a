// SPDX-License-Identifier: Apache-2.0
#include "report/console.hpp"

#include <gmock/gmock.h>

namespace nlldiff {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
const Style kPlain(false);

CaseResult result_with(Verdict verdict, const std::string& file = "a.json") {
  CaseResult result;
  result.c.name = "x";
  result.file = file;
  result.candidate = "nlldiff";
  result.device = "cpu";
  result.verdict = verdict;
  return result;
}

TEST(FailureText, SpellsAFindingOut) {
  CaseResult result = result_with(Verdict::fail);
  result.repro = "nlldiff run a.json --filter a:x --device cpu";
  Finding finding;
  finding.kind = FindingKind::lost_gradient;
  finding.pass = "backward";
  finding.tensor = "grad_input";
  finding.message = "1 gradient lost";
  finding.cure = "mask the store";
  finding.count = 3;
  finding.cells.push_back({4, 1, 0, 0.0, -1.0, -1.0, 7, ""});
  result.findings.push_back(finding);
  result.captured_stderr = "bad \x1b[31m bytes\n";
  EXPECT_EQ(failure_text(result, kPlain),
            "fail  a.json: x  [nlldiff, cpu]\n"
            "    lost_gradient [backward, grad_input]: 1 gradient lost\n"
            "      cell 4 = row 1, class 0, candidate 0, reference -1, oracle -1, 7 ULP\n"
            "      and 2 more cells\n"
            "      cure: mask the store\n"
            "    the worker's stderr:\n"
            "      | bad \\x1B[31m bytes\n"
            "    again: nlldiff run a.json --filter a:x --device cpu\n");
}

TEST(GroupTable, AlignsItsColumns) {
  Tally tally;
  tally.add(result_with(Verdict::pass));
  tally.add(result_with(Verdict::crash, "longer.json"));
  EXPECT_EQ(group_table(tally.groups(), kPlain),
            "file         candidate  device  cases  pass  fail  crash  ignored rows  visible rows  worst ULP\n"
            "a.json       nlldiff    cpu         1     1     0      0             0             0          -\n"
            "longer.json  nlldiff    cpu         1     0     0      1             0             0          -\n");
}

TEST(ProgressBar, NeverExceedsItsWidth) {
  const Progress progress{500, 1000, 2, 10};
  for (std::size_t width = 0; width < 120; ++width) EXPECT_LE(progress_bar(progress, width).size(), width);
  EXPECT_THAT(progress_bar(progress, 100), HasSubstr("500/1000  50/s  10 s left  2 failed"));
}

TEST(ProgressBar, FewCasesASecondKeepADigit) {
  EXPECT_EQ(progress_line({3, 100, 0, 2}), "nlldiff: 3/100  1.5/s  1 min 05 s left\n");
}

TEST(Summary, WorstVerdictDecidesAndNothingRunFails) {
  const auto exit_of = [](std::vector<Verdict> verdicts, RunFacts facts = {}) {
    Tally tally;
    for (const Verdict verdict : verdicts) tally.add(result_with(verdict));
    return tally.summarise(facts).exit_code;
  };
  EXPECT_EQ(exit_of({Verdict::pass}), 0);
  EXPECT_EQ(exit_of({Verdict::pass, Verdict::limited, Verdict::unsupported}), 0);
  EXPECT_EQ(exit_of({Verdict::pass, Verdict::vacuous}), 1);
  EXPECT_EQ(exit_of({Verdict::unsupported}), 1);
  EXPECT_EQ(exit_of({}), 1);
  RunFacts facts;
  facts.require_trace = true;
  EXPECT_EQ(exit_of({Verdict::limited}, facts), 1);
  facts = {};
  facts.out_of_time = true;
  EXPECT_EQ(exit_of({Verdict::pass}, facts), 1);
  facts = {};
  facts.interrupted = true;
  EXPECT_EQ(exit_of({Verdict::fail}, facts), kExitInterrupted);
  facts = {};
  facts.worker_remarks = {"between two cases, the worker died"};
  EXPECT_EQ(exit_of({Verdict::pass}, facts), 1);
}

TEST(Summary, SaysWhatWasLeftOutAndWhatCouldNotBeSeen) {
  Tally tally;
  CaseResult limited = result_with(Verdict::limited);
  limited.detectors.push_back({"alias", false, "no trace of a native library", ""});
  tally.add(limited);
  CaseResult refused = result_with(Verdict::fail);
  refused.c.expect = Expect::reject;
  tally.add(refused);
  RunFacts facts;
  facts.skipped_combinations = 3;
  facts.too_large = 2;
  const std::string text = summary_text(tally.summarise(facts), kPlain);
  EXPECT_THAT(text, HasSubstr("3 impossible matrix combinations left out"));
  EXPECT_THAT(text, HasSubstr("2 cases too large"));
  EXPECT_THAT(text, HasSubstr("alias: no trace of a native library (1 case)"));
  EXPECT_THAT(text, HasSubstr("1 case had to be refused; 0 were"));
  EXPECT_THAT(text, HasSubstr("blind"));
  EXPECT_THAT(text, HasSubstr("FAILED: 2 cases"));
}

TEST(Summary, VisibleRowMakesASuiteSeeing) {
  Tally tally;
  CaseResult result = result_with(Verdict::pass);
  result.visibility = {{"other_cell", 1}};
  tally.add(result);
  EXPECT_THAT(summary_text(tally.summarise({}), kPlain), Not(HasSubstr("blind")));
}

}  // namespace
}  // namespace nlldiff
