// SPDX-License-Identifier: Apache-2.0
// What the recorder sees: counts, orders, contested cells, the log.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <set>

#include "simt/permutation.hpp"
#include "simt/test_support.hpp"

namespace nlldiff::simt {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::EndsWith;
using testing::IsEmpty;

// ---- orders ----
std::vector<int> order_of(Order order, std::uint64_t seed, int grid, int block) {
  Bench<int> bench(1 + grid * block, 0);
  bench.options.order = order;
  bench.options.seed = seed;
  bench.run<void>("run_log_order", bench.out(), grid, block);
  return std::vector<int>(bench.out() + 1, bench.out() + 1 + grid * block);
}

TEST(Orders, ForwardAndReverseAreWhatTheySay) {
  std::vector<int> forward(60);
  std::iota(forward.begin(), forward.end(), 0);
  EXPECT_EQ(order_of(Order::forward, 0, 5, 12), forward);
  EXPECT_EQ(order_of(Order::reverse, 0, 5, 12), std::vector<int>(forward.rbegin(), forward.rend()));
}

TEST(Orders, ASeedGivesOnePermutationThatMixesBlocksAndThreads) {
  const std::vector<int> once = order_of(Order::seeded, 7, 9, 40);
  EXPECT_EQ(order_of(Order::seeded, 7, 9, 40), once);
  EXPECT_NE(order_of(Order::seeded, 8, 9, 40), once);
  std::vector<int> sorted = once, blocks, threads;
  std::sort(sorted.begin(), sorted.end());
  for (int i = 0; i < 360; ++i) EXPECT_EQ(sorted[static_cast<std::size_t>(i)], i);
  for (std::size_t i = 0; i < 360; i += 40) blocks.push_back(once[i] / 40);
  for (std::size_t i = 0; i < 40; ++i) threads.push_back(once[i] % 40);
  EXPECT_FALSE(std::is_sorted(blocks.begin(), blocks.end()));
  EXPECT_FALSE(std::is_sorted(threads.begin(), threads.end()));
}

TEST(Orders, APermutationHitsEachNumberOnce) {
  for (const std::uint64_t n : {1u, 2u, 3u, 5u, 31u, 1024u, 1025u, 70000u}) {
    const Permutation permutation(n, 99);
    std::set<std::uint64_t> seen;
    for (std::uint64_t i = 0; i < n; ++i) seen.insert(permutation(i));
    EXPECT_EQ(seen.size(), n);
    EXPECT_EQ(*seen.rbegin(), n - 1);
  }
}

TEST(Orders, ARaceEndsDifferently) {
  const auto winner = [](Order order) {
    Bench<int> bench(1);
    bench.options.order = order;
    bench.run<void>("run_race", bench.out(), 3, 5);
    return bench.out()[0];
  };
  EXPECT_EQ(winner(Order::forward), 14);
  EXPECT_EQ(winner(Order::reverse), 0);
}

// ---- counts ----
TEST(Counts, AVectorStoreCountsEachOfItsCells) {
  Bench<float> bench(17);
  bench.run<void>("run_vector_stores", bench.out());
  EXPECT_THAT(bench.counts(), ElementsAre(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 1, 1, 1, 1, 0));
}

TEST(Counts, AreExactPast255) {
  for (const int times : {254, 255, 256, 100000}) {
    Bench<int> bench(3);
    bench.run<void>("run_many_stores", bench.out(), times);
    EXPECT_THAT(bench.counts(), ElementsAre(0, times, 0));
  }
}

TEST(Counts, CellsMayBeSmallerOrLargerThanTheStore) {
  Bench<int> bench(8);
  bench.options.watches.front().cell_bytes = 8;
  bench.options.watches.front().cells = 4;
  bench.run<int>("run_iota", bench.out(), 6, 8);
  EXPECT_THAT(bench.counts(), ElementsAre(2, 2, 2, 0));
  bench.options.watches.front().cell_bytes = 1;
  bench.options.watches.front().cells = 10;
  bench.run<int>("run_iota", bench.out(), 6, 8);
  EXPECT_THAT(bench.counts(), Each(1u));
}

TEST(Counts, AreKeptPerTensor) {
  Bench<int> bench(16);
  Watch& first = bench.options.watches.front();
  first.cells = 4;
  bench.options.watches.push_back(
      {.tensor = "behind", .base = first.base + 24, .cells = 4, .cell_bytes = 4, .log = {}});
  bench.run<int>("run_iota", bench.out(), 9, 16);
  EXPECT_THAT(bench.counts(), Each(1u));
  const TensorTrace* behind = bench.trace.find("behind");
  ASSERT_NE(behind, nullptr);
  EXPECT_EQ(behind->stores.at(2), 1u);
  EXPECT_EQ(behind->stores.at(3), 0u);
}

// ---- contested cells ----
std::vector<std::int64_t> contested(Bench<int>& bench) {
  EXPECT_TRUE(bench.trace.complete) << bench.fault;
  EXPECT_EQ(bench.seen().contested_total, static_cast<std::int64_t>(bench.seen().contested.size()));
  return bench.seen().contested;
}

TEST(Contested, StoresOfTwoBlocksAreFound) {
  Bench<int> bench(2);
  bench.run<void>("run_race", bench.out(), 2, 1);
  EXPECT_THAT(contested(bench), ElementsAre(0));
}

TEST(Contested, StoresOfTwoThreadsOfABlockAreFound) {
  Bench<int> bench(2);
  bench.run<void>("run_race", bench.out(), 1, 2);
  EXPECT_THAT(contested(bench), ElementsAre(0));
}

TEST(Contested, OneThreadAloneIsNot) {
  Bench<int> bench(2);
  bench.run<void>("run_race", bench.out(), 1, 1);
  EXPECT_THAT(contested(bench), IsEmpty());
}

TEST(Contested, DistinctCellsAreNot) {
  Bench<int> bench(64);
  bench.run<int>("run_iota", bench.out(), 64, 8);
  EXPECT_THAT(contested(bench), IsEmpty());
}

TEST(Contested, TwoLaunchesAreOrdered) {
  Bench<int> bench(2);
  bench.run<void>("run_two_launches", bench.out());
  EXPECT_THAT(contested(bench), IsEmpty());
  EXPECT_THAT(bench.counts(), ElementsAre(2, 0));
}

TEST(Contested, AtomicsOfManyBlocksAreNot) {
  Bench<int> bench(2, 0);
  bench.run<void>("run_atomic_race", bench.out());
  EXPECT_THAT(contested(bench), IsEmpty());
  EXPECT_EQ(bench.out()[0], 160);
}

TEST(Contested, AnAtomicAndAPlainStoreAreUnlessABarrierIsBetween) {
  Bench<int> without(2);
  without.run<void>("run_zero_then_atomic", without.out(), false);
  EXPECT_THAT(contested(without), ElementsAre(0, 1));
  Bench<int> with(2);
  with.run<void>("run_zero_then_atomic", with.out(), true);
  EXPECT_THAT(contested(with), IsEmpty());
  EXPECT_THAT(with.cells(2), Each(40));
}

TEST(Contested, ABarrierOrdersNoOtherBlock) {
  Bench<int> bench(2);
  bench.run<void>("run_clear_by_one_block", bench.out());
  EXPECT_THAT(contested(bench), ElementsAre(0));
}

TEST(Contested, BarriersOrderABlockAndSyncwarpAWarp) {
  for (const auto& [how, cells] : {std::pair{0, 1u}, std::pair{1, 0u}, std::pair{2, 0u}}) {
    Bench<int> bench(2);
    bench.run<void>("run_hand_over", bench.out(), how);
    EXPECT_EQ(contested(bench).size(), cells) << how;
  }
}

TEST(Contested, TheListIsBoundedAndTheTotalIsNot) {
  Bench<int> bench(8000);
  for (int i = 0; i < 1; ++i) bench.run<void>("run_many_races", bench.out(), 8000);
  EXPECT_EQ(bench.seen().contested.size(), kMaxContested);
  EXPECT_EQ(bench.seen().contested_total, 8000);
}

// ---- the log ----
float as_float(std::uint64_t bits) {
  float value;
  const auto low = static_cast<std::uint32_t>(bits);
  std::memcpy(&value, &low, sizeof value);
  return value;
}

TEST(Log, HasEachStoreWithItsAuthorAndTheValueThatItLeft) {
  Bench<float> bench(8, -1);
  bench.options.watches.front().log = {3};
  bench.run<void>("run_store_by_some", bench.out());
  const std::vector<Store>& log = bench.seen().log;
  ASSERT_EQ(log.size(), 6u);
  const std::vector<std::uint64_t> blocks{0, 0, 0, 1, 1, 1};
  const std::vector<std::uint32_t> threads{0, 1, 1, 0, 1, 1}, epochs{0, 0, 1, 0, 0, 1};
  const std::vector<float> values{0, 1, 0.5f, 2, 3, 0.5f};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(log[i].launch, 0u);
    EXPECT_EQ(log[i].block, blocks[i]);
    EXPECT_EQ(log[i].thread, threads[i]);
    EXPECT_EQ(log[i].epoch, epochs[i]);
    EXPECT_EQ(log[i].cell, 3);
    EXPECT_EQ(log[i].bytes, 4u);
    EXPECT_FALSE(log[i].atomic);
    EXPECT_EQ(as_float(log[i].value_bits), values[i]);
  }
}

int line_with(const std::string& text) {
  std::ifstream source(NLLDIFF_TEST_SOURCE);
  std::string line;
  for (int number = 1; std::getline(source, line); ++number)
    if (line.find(text) != std::string::npos) return number;
  return 0;
}

TEST(Log, NamesTheLineOfEachStore) {
  Bench<float> bench(8, -1);
  bench.options.watches.front().log = {3};
  bench.run<void>("run_store_by_some", bench.out());
  const int line = line_with("line_of_second_store");
  ASSERT_GT(line, 0);
  EXPECT_THAT(bench.seen().log[2].where, EndsWith("test_kernels.cu:" + std::to_string(line)));
  EXPECT_THAT(bench.seen().log[0].where, EndsWith("test_kernels.cu:" + std::to_string(line - 1)));
}

TEST(Log, NamesTheKernelsLineForAnAtomicNotTheHeaders) {
  Bench<int> bench(2, 0);
  bench.options.watches.front().log = {0};
  bench.run<void>("run_atomic_race", bench.out());
  ASSERT_EQ(bench.seen().log.size(), 160u);
  EXPECT_TRUE(bench.seen().log[0].atomic);
  EXPECT_EQ(bench.seen().log[159].value_bits, 160u);
  EXPECT_THAT(bench.seen().log[7].where,
              EndsWith("test_kernels.cu:" + std::to_string(line_with("__global__ void atomic_race"))));
}

TEST(Log, AVectorStoreIsLoggedForItsLoggedCells) {
  Bench<float> bench(16);
  bench.options.watches.front().log = {1, 3, 10};
  bench.run<void>("run_vector_stores", bench.out());
  std::vector<std::int64_t> cells;
  std::vector<float> values;
  for (const Store& store : bench.seen().log) {
    cells.push_back(store.cell);
    values.push_back(as_float(store.value_bits));
  }
  EXPECT_THAT(cells, ElementsAre(1, 3, 10, 10));
  EXPECT_THAT(values, ElementsAre(2, 4, 5, 3));
}

TEST(Log, NamesMemsetsAndHostCodeByTheirLaunch) {
  Bench<int> bench(4, 9);
  bench.options.watches.front().log = {1};
  bench.run<void>("run_host_stores", bench.out());
  std::vector<std::string> authors;
  std::vector<std::uint64_t> values;
  for (const Store& store : bench.seen().log) {
    authors.push_back(bench.trace.launches[store.launch].kernel);
    values.push_back(store.value_bits);
  }
  EXPECT_THAT(authors, ElementsAre("iota", "(host code)", "(host code)"));
  EXPECT_THAT(values, ElementsAre(1, 5, 6));
}

TEST(Log, OtherCellsAreNotLogged) {
  Bench<float> bench(8);
  bench.options.watches.front().log = {5};
  bench.run<void>("run_store_by_some", bench.out());
  EXPECT_THAT(bench.seen().log, IsEmpty());
}

}  // namespace
}  // namespace nlldiff::simt
