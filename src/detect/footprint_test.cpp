// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "detect/test_evidence.hpp"

namespace nlldiff::detect_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// ---- halves ----

TEST(HalfOf, AggressorAndVictimAreInDifferentHalvesWhateverTheGeometry) {
  std::int64_t pairs = 0;
  for (const std::int64_t C : {1, 2, 3, 4, 7, 21, 100, 150})
    for (const std::int64_t D : {1, 2, 3, 5})
      for (const std::int64_t N : {1, 2, 3, 8, 33})
        for (const std::int64_t sentinel : {-1000, -301, -150, -100, -22, -21, -7,  -4,  -2,  -1,  1,   2,    3,   4,
                                            5,     7,    20,   21,   22,  100, 149, 150, 151, 255, 256, 1000, 3300}) {
          const Geometry g{N, C, D};
          for (std::int64_t row = 0; row < g.rows(); ++row) {
            const auto cell = sentinel_cell(g, row, sentinel);
            if (!cell || *cell < 0 || *cell >= g.cells() || g.row_of(*cell) == row) continue;
            ++pairs;
            ASSERT_NE(half_of(g, sentinel, row), half_of(g, sentinel, g.row_of(*cell)))
                << "N=" << N << " C=" << C << " D=" << D << " ignore_index=" << sentinel << " row " << row;
          }
        }
  EXPECT_GT(pairs, 10'000);
}

TEST(HalfOf, BothHalvesAreUsedWhereTheSentinelIsAClass) {
  EXPECT_EQ(half_of({6, 4, 1}, 2, 0), 0);
  EXPECT_EQ(half_of({6, 4, 1}, 2, 1), 1);
}

TEST(HalfOf, TakesTheExtremesOfInt64) {
  for (const std::int64_t sentinel :
       {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()})
    for (const std::int64_t C : {1, 2, 1000}) EXPECT_EQ(half_of({8, C, 1}, sentinel, 5), 1);
}

// ---- twins ----

TEST(TwinTargets, OnlyTheIgnoredRowsOfTheHalfChangeAndBecomeValidClasses) {
  const Case c = make_case({4, 3}, 5, 5, {5, 0, 5, 1, 5, 5, 2, 5, 3, 5, 4, 5});
  const auto targets = make_targets(c);
  for (const int half : {0, 1}) {
    const auto twin = twin_targets(c, targets, half);
    ASSERT_TRUE(twin);
    for (std::size_t r = 0; r < targets.size(); ++r) {
      const bool changes =
          targets[r] == c.ignore_index && half_of(geometry_of(c), c.ignore_index, static_cast<std::int64_t>(r)) == half;
      EXPECT_EQ((*twin)[r] != targets[r], changes) << "row " << r;
      EXPECT_TRUE(!changes || ((*twin)[r] >= 0 && (*twin)[r] < c.C)) << "row " << r;
    }
  }
}

TEST(TwinTargets, TheSentinelIsNeverTheValidClass) {
  for (std::int64_t sentinel = 0; sentinel < 3; ++sentinel) {
    const Case c = make_case({64}, 3, sentinel, std::vector<std::int64_t>(64, sentinel));
    for (const int half : {0, 1}) {
      const auto twin = twin_targets(c, c.target.values, half);
      ASSERT_TRUE(twin);
      EXPECT_EQ(std::count(twin->begin(), twin->end(), sentinel), 32);
    }
  }
}

TEST(TwinTargets, ThereIsNoTwinWhereNoClassIsValid) {
  EXPECT_FALSE(twin_targets(make_case({2}, 1, 0, {0, 0}), std::vector<std::int64_t>{0, 0}, 0));
  EXPECT_FALSE(twin_targets(make_case({2}, 0, -100, {-100, -100}), std::vector<std::int64_t>{-100, -100}, 0));
  EXPECT_TRUE(twin_targets(make_case({2}, 1, -100, {-100, 0}), std::vector<std::int64_t>{-100, 0}, 0));
}

// ---- footprints ----

/// Three rows of two classes; row 0 is ignored and valid in the twin.
struct Comparison {
  Geometry g{3, 2, 1};
  std::vector<std::int64_t> case_targets{-100, 1, 0}, twin_targets{1, 1, 0};
  CallTrace in_case, in_twin;
  Comparison() {
    for (CallTrace* trace : {&in_case, &in_twin}) {
      trace->complete = true;
      trace->launches.push_back({.kernel = "k"});
      trace->tensors.push_back(uniform_trace("grad_input", 6, 1));
    }
  }
  std::uint8_t& case_stores(std::size_t cell) { return in_case.tensors[0].stores.low[cell]; }
  std::uint8_t& twin_stores(std::size_t cell) { return in_twin.tensors[0].stores.low[cell]; }
  [[nodiscard]] std::vector<std::int64_t> foreign(std::int64_t cells_per_row = 2) const {
    std::vector<std::int64_t> cells;
    for (const auto& f :
         compare_footprints(g, cells_per_row, case_targets, twin_targets, in_case, in_twin, "grad_input").foreign)
      cells.push_back(f.cell);
    return cells;
  }
  [[nodiscard]] std::string cannot_judge(std::int64_t cells_per_row) const {
    return compare_footprints(g, cells_per_row, case_targets, twin_targets, in_case, in_twin, "grad_input")
        .cannot_judge;
  }
};

TEST(Footprints, EqualCountsAreNoFinding) { EXPECT_THAT(Comparison().foreign(), IsEmpty()); }

TEST(Footprints, OneStoreMoreInARowOfUnchangedTargetIsForeign) {
  Comparison c;
  c.case_stores(3) = 2;
  EXPECT_THAT(c.foreign(), ElementsAre(3));
}

TEST(Footprints, OneStoreFewerIsNotForeign) {
  Comparison c;
  c.twin_stores(3) = 2;
  EXPECT_THAT(c.foreign(), IsEmpty());
}

TEST(Footprints, TheRowThatChangedMayBeStoredAsItLikes) {
  Comparison c;
  c.case_stores(0) = 9;
  c.case_stores(1) = 9;
  EXPECT_THAT(c.foreign(), IsEmpty());
}

TEST(Footprints, AnExtraWholePassIsNoAliasWhereLaunchesDiffer) {
  Comparison c;
  c.in_case.launches.push_back({.kernel = "clear_again"});
  std::fill_n(c.in_case.tensors[0].stores.low.begin(), 6, 2);
  EXPECT_THAT(c.foreign(), IsEmpty());
}

TEST(Footprints, AnExtraWholePassOfTheSameLaunchesIsForeign) {
  Comparison c;
  std::fill_n(c.in_case.tensors[0].stores.low.begin(), 6, 2);
  EXPECT_THAT(c.foreign(), ElementsAre(2, 3, 4, 5));
}

TEST(Footprints, OneStoreMoreThanTheExtraPassIsForeign) {
  Comparison c;
  c.in_case.launches.push_back({.kernel = "clear_again"});
  std::fill_n(c.in_case.tensors[0].stores.low.begin(), 6, 2);
  c.case_stores(4) = 3;
  EXPECT_THAT(c.foreign(), ElementsAre(4));
}

TEST(Footprints, OneStoreInARowIsForeignAlthoughLaunchesDiffer) {
  Comparison c;
  c.in_case.launches[0].grid = {7, 1, 1};
  c.case_stores(5) = 2;
  EXPECT_THAT(c.foreign(), ElementsAre(5));
}

TEST(Footprints, ARowOfOneCellCannotBeJudgedWhereLaunchesDiffer) {
  Comparison c;
  c.g = {6, 1, 1};
  c.case_targets.assign(6, 0);
  c.twin_targets.assign(6, 0);
  EXPECT_EQ(c.cannot_judge(1), "");
  c.in_case.launches.push_back({.kernel = "clear_again"});
  EXPECT_THAT(c.cannot_judge(1), testing::HasSubstr("an extra pass and an aliased store look the same"));
}

TEST(Footprints, CountsBeyondAByteAreCompared) {
  Comparison c;
  for (auto* trace : {&c.in_case, &c.in_twin})
    for (int i = 0; i < 400; ++i) trace->tensors[0].stores.add(2);
  EXPECT_THAT(c.foreign(), IsEmpty());
  c.in_case.tensors[0].stores.add(2);
  EXPECT_THAT(c.foreign(), ElementsAre(2));
}

TEST(Footprints, EveryForeignCellCountsAlsoBeyondTheListed) {
  Comparison c;
  const auto rows = static_cast<std::int64_t>(kMaxContested) + 50;
  c.g = {rows, 1, 1};
  c.case_targets.assign(static_cast<std::size_t>(rows), 0);
  c.twin_targets = c.case_targets;
  c.in_case.tensors[0] = uniform_trace("grad_input", rows, 2);
  c.in_twin.tensors[0] = uniform_trace("grad_input", rows, 1);
  const auto footprint = compare_footprints(c.g, 1, c.case_targets, c.twin_targets, c.in_case, c.in_twin, "grad_input");
  EXPECT_EQ(footprint.foreign.size(), kMaxContested);
  EXPECT_EQ(footprint.foreign_total, rows);
}

// ---- the aggressor ----

TEST(AggressorOf, SolvesTheAddressForTheIgnoredRow) {
  const Case c = founding_case();
  EXPECT_EQ(aggressor_of(c, c.target.values, 4), 0);
  EXPECT_EQ(aggressor_of(c, c.target.values, 16), 3);
  EXPECT_EQ(aggressor_of(c, c.target.values, 5), std::nullopt) << "no row's address";
  EXPECT_EQ(aggressor_of(c, c.target.values, 8), std::nullopt) << "row 1's address, but row 1 is not ignored";
}

TEST(AggressorOf, AgreesWithTheAddressForEveryIgnoredRow) {
  std::int64_t solved = 0;
  for (const std::int64_t sentinel : {-100, -21, -1, 0, 3, 4, 21, 150, 255}) {
    Case c = make_case({9, 5}, 21, sentinel, {});
    c.target.values.assign(45, sentinel);
    const Geometry g = geometry_of(c);
    for (std::int64_t row = 0; row < g.rows(); ++row) {
      const auto cell = sentinel_cell(g, row, sentinel);
      if (!cell || *cell < 0 || *cell >= g.cells()) continue;
      EXPECT_EQ(aggressor_of(c, c.target.values, *cell), row) << "ignore_index " << sentinel;
      ++solved;
    }
  }
  EXPECT_GT(solved, 100);
}

TEST(AggressorOf, HasNoAnswerAtTheExtremesOfInt64) {
  for (const std::int64_t sentinel :
       {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
    const Case c = make_case({3}, 2, sentinel, {sentinel, sentinel, sentinel});
    for (std::int64_t cell = 0; cell < 6; ++cell) EXPECT_EQ(aggressor_of(c, c.target.values, cell), std::nullopt);
  }
}

// ---- surplus stores ----

std::vector<std::uint32_t> threads_of(const std::vector<Store>& stores) {
  std::vector<std::uint32_t> threads;
  for (const auto& store : stores) threads.push_back(store.thread);
  return threads;
}

TEST(SurplusStores, NamesTheStoreThatTheTwinLacks) {
  const std::vector<Store> in_case{store_at(4, 0, 1), store_at(4, 0, 0), store_at(5, 0, 9)};
  const std::vector<Store> in_twin{store_at(4, 0, 1), store_at(5, 0, 0)};
  EXPECT_THAT(threads_of(surplus_stores(in_case, in_twin, 4)), ElementsAre(0));
}

TEST(SurplusStores, CountsASecondStoreOfTheSameThread) {
  const std::vector<Store> in_case{store_at(4, 0, 1), store_at(4, 0, 1)};
  EXPECT_THAT(threads_of(surplus_stores(in_case, {store_at(4, 0, 1)}, 4)), ElementsAre(1));
}

TEST(SurplusStores, TellsLaunchesApart) {
  Store second = store_at(4, 0, 1);
  second.launch = 1;
  EXPECT_THAT(threads_of(surplus_stores({store_at(4, 0, 1), second}, {store_at(4, 0, 1)}, 4)), ElementsAre(1));
}

}  // namespace
}  // namespace nlldiff::detect_test
