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

Finding lost_gradient() {
  Finding finding;
  finding.kind = FindingKind::lost_gradient;
  finding.pass = "backward";
  finding.tensor = "grad_input";
  finding.message = "1 gradient lost";
  finding.cure = "mask the store";
  finding.count = 3;
  finding.cells.push_back({4, 1, 0, 0.0, -1.0, -1.0, 7, ""});
  return finding;
}

CaseResult failure(const Finding& finding) {
  CaseResult result = result_with(Verdict::fail);
  result.c.shape = {6};
  result.c.C = 4;
  result.repro = "nlldiff run a.json --filter a:x --device cpu";
  result.findings.push_back(finding);
  return result;
}

TEST(FailurePrinter, SpellsAFindingOut) {
  CaseResult result = failure(lost_gradient());
  result.captured_stderr = "bad \x1b[31m bytes\n";
  EXPECT_EQ(FailurePrinter(kPlain, false).text(result),
            "fail  a.json: x  [nlldiff, cpu]\n"
            "    case: {\"shape\":[6],\"C\":4}\n"
            "    lost_gradient [backward, grad_input]: 1 gradient lost\n"
            "      cell 4 = row 1, class 0, candidate 0, right -1, 7 ULP\n"
            "      and 2 more cells\n"
            "      cure: mask the store\n"
            "    the worker's stderr:\n"
            "      | bad \\x1B[31m bytes\n"
            "    again: nlldiff run a.json --filter a:x --device cpu\n");
}

TEST(FailurePrinter, NamesBothWhereATenDiffersFromTheOracle) {
  Finding finding = lost_gradient();
  finding.cells[0].reference = -2.0;
  EXPECT_THAT(FailurePrinter(kPlain, false).text(failure(finding)), HasSubstr("right -1, ATen -2"));
}

TEST(FailurePrinter, PrintsFourCellsAndSixteenWhereVerbose) {
  Finding finding = lost_gradient();
  finding.cells.assign(kMaxFindingCells, finding.cells[0]);
  finding.count = 17;
  EXPECT_THAT(FailurePrinter(kPlain, false).text(failure(finding)),
              HasSubstr("      and 13 more cells (-v or --results shows more)\n"));
  EXPECT_THAT(FailurePrinter(kPlain, true).text(failure(finding)), HasSubstr("      and 1 more cell\n"));
}

TEST(FailurePrinter, TagOfAPassAloneHasNoEmptySlot) {
  Finding finding = lost_gradient();
  finding.tensor = "";
  EXPECT_THAT(FailurePrinter(kPlain, false).text(failure(finding)), HasSubstr("lost_gradient [backward]: "));
}

TEST(FailurePrinter, FourthFindingOfOneKernelLineIsItsMessageOnly) {
  FailurePrinter printer(kPlain, false);
  const CaseResult result = failure(lost_gradient());
  for (int i = 0; i < kMaxSameFindings; ++i) EXPECT_THAT(printer.text(result), HasSubstr("again: "));
  EXPECT_EQ(printer.text(result),
            "fail  a.json: x  [nlldiff, cpu]\n"
            "    lost_gradient [backward, grad_input]: 1 gradient lost\n");
  CaseResult other = result;
  other.candidate = "aten";
  EXPECT_THAT(printer.text(other), HasSubstr("again: "));
  other = result;
  other.findings[0].where = "a.cu:7";
  EXPECT_THAT(printer.text(other), HasSubstr("again: "));
}

TEST(FailurePrinter, LongCaseIsCut) {
  CaseResult result = failure(lost_gradient());
  result.c.target.layout = TargetLayout::explicit_;
  result.c.target.values.assign(1000, 3);
  const std::string text = FailurePrinter(kPlain, false).text(result);
  EXPECT_THAT(text, HasSubstr("    case: {\"shape\":[6]"));
  EXPECT_LT(text.size(), 700u);
}

TEST(KindsText, MostFrequentFirst) {
  EXPECT_EQ(kinds_text({{FindingKind::wrong, 2}, {FindingKind::conflict, 9}}),
            "findings by kind: conflict 9, wrong 2\n");
  EXPECT_EQ(kinds_text({}), "");
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
  facts.needed_bytes = 3.0 * (1u << 30);
  facts.budget_bytes = 512.0 * (1u << 20);
  facts.jobs = 64;
  facts.workers = 1;
  const std::string text = summary_text(tally.summarise(facts), kPlain);
  EXPECT_THAT(text, HasSubstr("3 impossible matrix combinations left out"));
  EXPECT_THAT(text, HasSubstr("2 cases too large for this machine's memory: not run; the smallest needs 3.0 GiB, 512 "
                              "MiB are available"));
  EXPECT_THAT(text, HasSubstr("--jobs 64: the memory holds 1 worker at once"));
  EXPECT_THAT(text, HasSubstr("alias: no trace of a native library (1 case)"));
  EXPECT_THAT(text, HasSubstr("1 case had to be refused; 0 were"));
  EXPECT_THAT(text, HasSubstr("blind"));
  EXPECT_THAT(text, HasSubstr("FAILED: 2 cases"));
}

TEST(Summary, CasesThatWereNotJudgedNeitherCountRowsNorMakeASuiteBlind) {
  Tally tally;
  CaseResult result = result_with(Verdict::crash);
  result.ignored_rows = 3;
  result.visibility = {{"other_cell", 1}};
  for (const Verdict verdict : {Verdict::crash, Verdict::timeout, Verdict::unsupported, Verdict::vacuous}) {
    result.verdict = verdict;
    tally.add(result);
  }
  EXPECT_EQ(tally.total().ignored_rows, 0);
  EXPECT_EQ(tally.total().visible_rows, 0);
  EXPECT_THAT(summary_text(tally.summarise({}), kPlain), Not(HasSubstr("blind")));
  tally.add(result_with(Verdict::inconclusive));
  EXPECT_THAT(summary_text(tally.summarise({}), kPlain), HasSubstr("blind: in no judged case"));
}

TEST(Summary, UnsupportedCasesHaveTheirReasonsAndAreNoRefusals) {
  Tally tally;
  CaseResult result = result_with(Verdict::unsupported);
  result.c.expect = Expect::reject;
  result.reason = "no float16";
  tally.add(result);
  result.reason = "no weight";
  for (int i = 0; i < 2; ++i) tally.add(result);
  result.verdict = Verdict::pass;
  tally.add(result);
  const std::string text = summary_text(tally.summarise({}), kPlain);
  EXPECT_THAT(text, HasSubstr("3 cases unsupported: not judged\n  no weight (2 cases)\n  no float16 (1 case)\n"));
  EXPECT_THAT(text, HasSubstr("1 case had to be refused; 1 was (3 unsupported)"));
}

TEST(Summary, SaysWhatAnInexactReferenceMeansAndWhere) {
  Tally tally;
  for (const char* name : {"p", "q", "r", "s"}) {
    CaseResult result = result_with(Verdict::pass);
    result.c.name = name;
    result.comparisons.emplace_back();
    result.comparisons.back().reference_mismatches = 1;
    tally.add(result);
  }
  EXPECT_THAT(summary_text(tally.summarise({}), kPlain),
              HasSubstr("outside the limits in 4 cases (a.json:p, a.json:q, a.json:r and 1 more): ATen is less exact"));
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
