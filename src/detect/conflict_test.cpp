// SPDX-License-Identifier: Apache-2.0
#include "detect/test_evidence.hpp"

namespace nlldiff::detect_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// grad_input's `contested` cells, and pass 2's log.
Detection conflicts(Bench& bench, std::vector<Store> log) {
  TensorTrace& seen = bench.e.case_run.backward.trace.tensors.at(0);
  for (const Store& store : log)
    if (std::find(seen.contested.begin(), seen.contested.end(), store.cell) == seen.contested.end())
      seen.contested.push_back(store.cell);
  seen.contested_total = static_cast<std::int64_t>(seen.contested.size());
  bench.logs[0] = std::move(log);
  return detect_conflict(bench.e);
}

Detection conflicts(std::vector<Store> log) {
  Bench bench(founding_case());
  return conflicts(bench, std::move(log));
}

constexpr std::uint64_t kOne = 0x3f800000;

TEST(Conflict, NothingContestedIsNotLoggedAtAll) {
  Bench bench(founding_case());
  EXPECT_THAT(summary(detect_conflict(bench.e)), IsEmpty());
  EXPECT_EQ(bench.logged, 0);
}

TEST(Conflict, DifferentValuesOfOneWarpAreAFinding) {
  const auto detection = conflicts({store_at(4, 0, 0, 0), store_at(4, 0, 1, kOne)});
  ASSERT_THAT(summary(detection), ElementsAre("conflict grad_input 1"));
  const FindingCell& cell = detection.findings[0].cells.at(0);
  EXPECT_EQ(cell.row, 1);
  EXPECT_EQ(cell.class_index, 0);
  EXPECT_EQ(cell.note,
            "kernel kernel_under_test: block 0 thread 0 stored 0 and block 0 thread 1 stored 1 to row 1, class 0, with "
            "nothing that orders them");
}

TEST(Conflict, TwoWarpsAreAFindingAlthoughTheyStoreTheSameValue) {
  EXPECT_THAT(summary(conflicts({store_at(4, 0, 31), store_at(4, 0, 32)})), ElementsAre("conflict grad_input 1"));
  EXPECT_THAT(summary(conflicts({store_at(4, 0, 0), store_at(4, 1, 0)})), ElementsAre("conflict grad_input 1"));
}

TEST(Conflict, OneWarpThatStoresOneValueIsANote) {
  const auto detection = conflicts({store_at(4, 0, 0), store_at(4, 0, 31)});
  EXPECT_THAT(summary(detection), IsEmpty());
  EXPECT_THAT(detection.note, HasSubstr("one warp stored one value"));
}

TEST(Conflict, ABarrierOrdersTheStoresOfABlock) {
  EXPECT_THAT(summary(conflicts({store_at(4, 0, 0, 0, 0), store_at(4, 0, 40, kOne, 1)})), IsEmpty());
}

TEST(Conflict, ABarrierOrdersNothingBetweenBlocks) {
  EXPECT_THAT(summary(conflicts({store_at(4, 0, 0, 0, 0), store_at(4, 1, 0, kOne, 1)})),
              ElementsAre("conflict grad_input 1"));
}

TEST(Conflict, ASecondLaunchIsOrdered) {
  Store later = store_at(4, 1, 9, kOne);
  later.launch = 1;
  EXPECT_THAT(summary(conflicts({store_at(4, 0, 0), later})), IsEmpty());
}

TEST(Conflict, OneThreadDoesNotContestItself) {
  EXPECT_THAT(summary(conflicts({store_at(4, 0, 0), store_at(4, 0, 0, kOne)})), IsEmpty());
}

TEST(Conflict, AtomicsAreFine) {
  EXPECT_THAT(summary(conflicts({store_at(4, 0, 0, kOne, 0, true), store_at(4, 5, 0, 2 * kOne, 0, true)})), IsEmpty());
}

TEST(Conflict, AnAtomicAndAPlainStoreAreAFinding) {
  EXPECT_THAT(summary(conflicts({store_at(4, 0, 0, kOne, 0, true), store_at(4, 5, 0, 0)})),
              ElementsAre("conflict grad_input 1"));
}

TEST(Conflict, AnAtomicDoesNotHideThePlainStoreBeforeIt) {
  // Thread 0 of block 1 orders itself with its own atomic, but not with block 0's plain store.
  EXPECT_THAT(summary(conflicts({store_at(4, 0, 0, 0), store_at(4, 0, 0, kOne, 0, true), store_at(4, 0, 1, 0, 1, true),
                                 store_at(4, 1, 0, kOne, 0, true)})),
              ElementsAre("conflict grad_input 1"));
  EXPECT_THAT(
      summary(conflicts({store_at(4, 0, 0, 0, 0, true), store_at(4, 1, 0, 0, 0, true), store_at(4, 1, 0, kOne)})),
      ElementsAre("conflict grad_input 1"));
}

TEST(Conflict, HundredsOfHarmlessCellsDoNotHideAHarmfulOne) {
  Bench bench(make_case({100}, 3, -100, std::vector<std::int64_t>(100, 1)));
  std::vector<Store> log;
  for (std::int64_t cell = 0; cell < 299; ++cell) {
    log.push_back(store_at(cell, 0, 0));
    log.push_back(store_at(cell, 0, 1));
  }
  log.push_back(store_at(299, 0, 0));
  log.push_back(store_at(299, 0, 1, kOne));
  const auto detection = conflicts(bench, log);
  ASSERT_THAT(summary(detection), ElementsAre("conflict grad_input 1"));
  EXPECT_EQ(detection.findings[0].cells.at(0).cell, 299);
}

TEST(Conflict, CountsEveryContestedCellAndListsTheFirst) {
  Bench bench(make_case({100}, 3, -100, std::vector<std::int64_t>(100, 1)));
  std::vector<Store> log;
  for (std::int64_t cell = 0; cell < 300; ++cell) {
    log.push_back(store_at(cell, 0, 0));
    log.push_back(store_at(cell, 1, 0));
  }
  const auto detection = conflicts(bench, log);
  ASSERT_THAT(summary(detection), ElementsAre("conflict grad_input 300"));
  EXPECT_EQ(detection.findings[0].cells.size(), kMaxFindingCells);
}

TEST(Conflict, WithoutAWholeTraceItCannotJudge) {
  Bench bench(founding_case());
  bench.e.case_run.forward.trace.complete = false;
  bench.e.case_run.forward.trace.why_incomplete = "nobody looked";
  EXPECT_EQ(detect_conflict(bench.e).could_not_judge, "nobody looked");
}

}  // namespace
}  // namespace nlldiff::detect_test
