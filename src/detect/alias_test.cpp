// SPDX-License-Identifier: Apache-2.0
#include "detect/test_evidence.hpp"

namespace nlldiff::detect_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// The founding fault as a tracer sees it: rows 0 and 3 store at cells 4 and 16 too.
void add_the_founding_fault(Bench& bench) {
  bench.add_twins();
  const auto run_of = [&](RunId id) -> CandidateRun& {
    return id == RunId::case_run     ? bench.e.case_run
           : id == RunId::case_again ? bench.e.case_again
           : id == RunId::twin_a     ? *bench.e.twin_a
                                     : *bench.e.twin_b;
  };
  for (const RunId id : {RunId::case_run, RunId::case_again, RunId::twin_a, RunId::twin_b}) {
    auto& log = bench.logs[static_cast<std::size_t>(id)];
    for (const std::int64_t row : {0, 3}) {
      const std::int64_t cell = row * 4 + 4;
      log.push_back(store_at(cell, 0, static_cast<std::uint32_t>(row + 1), 0xbf800000));
      if (run_of(id).targets[static_cast<std::size_t>(row)] != 4) continue;
      ++Bench::stores(run_of(id), cell);
      log.push_back(store_at(cell, 0, static_cast<std::uint32_t>(row)));
    }
  }
}

TEST(Alias, ARightCandidateHasNoFinding) {
  Bench bench(founding_case());
  bench.add_twins();
  const auto detection = detect_alias(bench.e);
  EXPECT_THAT(summary(detection), IsEmpty());
  EXPECT_FALSE(detection.could_not_judge);
}

TEST(Alias, SeesAForeignStoreAlthoughEveryValueIsRight) {
  Bench bench(founding_case());
  add_the_founding_fault(bench);
  const auto detection = detect_alias(bench.e);
  ASSERT_THAT(summary(detection), ElementsAre("foreign_store grad_input 2"));
  EXPECT_EQ(detection.findings[0].address_form, "n*C*D + ignore_index*D + d");
  EXPECT_EQ(detection.findings[0].kernel, "kernel_under_test");
  EXPECT_THAT(summary(detect_value(bench.e)), IsEmpty());
}

TEST(Alias, SpellsTheAddressTheOwnerAndTheCulprit) {
  Bench bench(founding_case());
  add_the_founding_fault(bench);
  const auto detection = detect_alias(bench.e);
  ASSERT_EQ(detection.findings.size(), 1u);
  ASSERT_EQ(detection.findings[0].cells.size(), 2u);
  const FindingCell& cell = detection.findings[0].cells[0];
  EXPECT_EQ(cell.cell, 4);
  EXPECT_EQ(cell.row, 1);
  EXPECT_EQ(cell.class_index, 0);
  EXPECT_THAT(cell.note, HasSubstr("row 0 is ignored (target 4 = ignore_index)"));
  EXPECT_THAT(cell.note,
              HasSubstr("kernel kernel_under_test, block 0 thread 0 stored 0 at 0*4 + 4 = cell 4 = row 1, class 0"));
  EXPECT_THAT(cell.note, HasSubstr("survives here only by the order of the stores"));
}

TEST(Alias, SaysThatAGradientIsLostWhereOneRunLostIt) {
  Bench bench(founding_case());
  add_the_founding_fault(bench);
  Bench::put(bench.e.case_again.backward.grad_input, 4, 0);
  EXPECT_THAT(detect_alias(bench.e).findings.at(0).cells.at(0).note, HasSubstr("is lost"));
}

TEST(Alias, ExplainsAStoreWhereTheSecondRunFailedAndLeftNothing) {
  Bench bench(founding_case());
  add_the_founding_fault(bench);
  bench.e.case_again.backward.outcome.status = CallStatus::failed;
  bench.e.case_again.backward.grad_input = {};
  EXPECT_THAT(detect_alias(bench.e).findings.at(0).cells.at(0).note, HasSubstr("survives here only"));
}

TEST(Alias, NamesAStoreWithoutAnAddressForm) {
  Bench bench(founding_case());
  bench.add_twins();
  ++Bench::stores(bench.e.case_run, 21);
  ++Bench::stores(bench.e.case_again, 21);
  bench.logs[0] = {store_at(21, 3, 7)};
  const auto detection = detect_alias(bench.e);
  ASSERT_THAT(summary(detection), ElementsAre("foreign_store grad_input 1"));
  EXPECT_EQ(detection.findings[0].address_form, "");
  EXPECT_THAT(detection.findings[0].cells.at(0).note,
              HasSubstr("block 3 thread 7 stored 0 at cell 21 = row 5, class 1"));
}

TEST(Alias, ACellThatBothTwinsClearCountsOnce) {
  Bench bench(founding_case());
  bench.add_twins();
  for (const std::int64_t cell : {20, 21}) {
    ++Bench::stores(bench.e.case_run, cell);
    ++Bench::stores(bench.e.case_again, cell);
  }
  EXPECT_THAT(summary(detect_alias(bench.e)), ElementsAre("foreign_store grad_input 2"));
}

TEST(Alias, RunsThatCountDifferentlyAreInconclusive) {
  Bench bench(founding_case());
  add_the_founding_fault(bench);
  ++Bench::stores(bench.e.case_again, 9);
  const auto detection = detect_alias(bench.e);
  EXPECT_THAT(summary(detection), IsEmpty());
  EXPECT_THAT(detection.inconclusive.value_or(""), HasSubstr("differently often"));
}

TEST(Alias, WithoutAWholeTraceItCannotJudge) {
  Bench bench(founding_case());
  add_the_founding_fault(bench);
  bench.e.case_run.backward.trace.complete = false;
  bench.e.case_run.backward.trace.why_incomplete = "nobody looked";
  EXPECT_EQ(detect_alias(bench.e).could_not_judge, "nobody looked");
  bench.e.case_run.backward.trace.complete = true;
  bench.e.twin_b->backward.trace.complete = false;
  bench.e.twin_b->backward.trace.why_incomplete = "the twin's trace broke off";
  EXPECT_EQ(detect_alias(bench.e).could_not_judge, "the twin's trace broke off");
}

TEST(Alias, WithoutATwinItCannotJudge) {
  Bench bench(make_case({2}, 1, 0, {0, 0}));
  bench.e.why_no_twin = "no class is valid";
  EXPECT_EQ(detect_alias(bench.e).could_not_judge, "no class is valid");
}

TEST(Alias, ATwinThatFailsCannotClearTheCase) {
  Bench bench(founding_case());
  bench.add_twins();
  bench.e.twin_a->backward.outcome = {CallStatus::failed, "launch error"};
  EXPECT_THAT(detect_alias(bench.e).could_not_judge.value_or(""), HasSubstr("launch error"));
}

TEST(Alias, WatchesTheLossOfEachRowToo) {
  Bench bench(founding_case());
  bench.add_twins();
  for (CandidateRun* run : {&bench.e.case_run, &bench.e.case_again})
    ++run->forward.trace.tensors.at(0).stores.low.at(1);
  const auto detection = detect_alias(bench.e);
  ASSERT_THAT(summary(detection), ElementsAre("foreign_store output 1"));
  EXPECT_EQ(detection.findings[0].cells.at(0).row, 1);
}

TEST(Alias, NothingIgnoredIsANote) {
  Bench bench(make_case({3}, 4, 4, {0, 1, 2}));
  const auto detection = detect_alias(bench.e);
  EXPECT_FALSE(detection.could_not_judge);
  EXPECT_THAT(detection.note, HasSubstr("no row is ignored"));
}

}  // namespace
}  // namespace nlldiff::detect_test
