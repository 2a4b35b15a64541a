// SPDX-License-Identifier: Apache-2.0
#include "run/memory.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "run/job_queue.hpp"

namespace nlldiff {
namespace {

namespace fs = std::filesystem;
constexpr double kMiB = 1024.0 * 1024.0;

/// A made-up file system root.
class Root : public ::testing::Test {
 protected:
  Root() {
    char name[] = "/tmp/nlldiff_memory_XXXXXX";
    folder = std::string(::mkdtemp(name)) + "/";
  }
  ~Root() override { fs::remove_all(folder); }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(folder + name).parent_path());
    std::ofstream(folder + name) << text;
  }
  std::string folder;
};

TEST_F(Root, WithoutAGroupMemAvailableCounts) {
  write("proc/meminfo", "MemTotal: 9999 kB\nMemAvailable: 2048 kB\n");
  EXPECT_EQ(available_bytes(folder), 2 * kMiB);
}

TEST_F(Root, UnlimitedGroupChangesNothing) {
  write("proc/meminfo", "MemAvailable: 2048 kB\n");
  write("sys/fs/cgroup/memory.max", "max\n");
  write("sys/fs/cgroup/memory.current", "5\n");
  EXPECT_EQ(available_bytes(folder), 2 * kMiB);
}

TEST_F(Root, OwnGroupsLimitCountsAndPageCacheIsFree) {
  write("proc/meminfo", "MemAvailable: 2048 kB\n");
  write("proc/self/cgroup", "0::/a/b\n");
  write("sys/fs/cgroup/a/b/memory.max", "1048576\n");
  write("sys/fs/cgroup/a/b/memory.current", "1000000\n");
  write("sys/fs/cgroup/a/b/memory.stat", "anon 1\ninactive_file 500000\n");
  EXPECT_EQ(available_bytes(folder), 1048576 - 500000);
}

TEST_F(Root, VersionOneGroupCountsToo) {
  write("proc/meminfo", "MemAvailable: 2048 kB\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "1000\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "400\n");
  EXPECT_EQ(available_bytes(folder), 600);
}

TEST_F(Root, NothingReadableMeansNoLimit) { EXPECT_TRUE(std::isinf(available_bytes(folder))); }

PlannedCase planned(std::int64_t rows, std::int64_t C) {
  Case c;
  c.shape = {rows};
  c.C = C;
  return {0, c};
}

TEST(EstimatedBytes, GrowsWithTheGradientAndSurvivesTheLargestLegalCase) {
  EXPECT_GT(estimated_bytes(planned(1000, 1000).c), estimated_bytes(planned(1000, 10).c) + 5 * 4 * 990'000.0);
  EXPECT_GT(estimated_bytes(planned(std::int64_t{1} << 31, std::int64_t{1} << 31).c), 1e19);
}

TEST(WorkersThatFit, ManyWantedWorkersNeverCrowdACaseOut) {
  constexpr double kAvailable = 4096 * kMiB;
  const double tiny = estimated_bytes(planned(6, 4).c);
  const int workers = workers_that_fit(kAvailable, 64, tiny);
  EXPECT_GT(workers, 1);
  EXPECT_LT(workers, 64);
  EXPECT_GE(case_budget(kAvailable, workers), workers * 64 * kMiB);
  const double large = case_budget(kAvailable, 1);
  EXPECT_EQ(workers_that_fit(kAvailable, 64, large), 1);
  EXPECT_EQ(workers_that_fit(kAvailable, 2, tiny), 2);
  EXPECT_EQ(workers_that_fit(INFINITY, 64, large), 64);
  EXPECT_EQ(workers_that_fit(0, 64, tiny), 1);
}

TEST(JobQueue, SkipsAndCountsWhatExceedsTheBudgetAlone) {
  const std::vector<PlannedCase> cases{planned(6, 4), planned(1'000'000, 100'000), planned(7, 4)};
  JobQueue queue(cases, 500 * kMiB);
  EXPECT_EQ(queue.take(), &cases[0]);
  EXPECT_EQ(queue.take(), &cases[2]);
  EXPECT_EQ(queue.take(), nullptr);
  EXPECT_TRUE(queue.exhausted());
  EXPECT_EQ(queue.too_large(), 1);
  EXPECT_EQ(queue.least_too_large(), estimated_bytes(cases[1].c));
}

TEST(JobQueue, HoldsBackWhatDoesNotFitBesideRunningCases) {
  const std::vector<PlannedCase> cases{planned(6, 4), planned(6, 4)};
  JobQueue queue(cases, 1.5 * estimated_bytes(cases[0].c));
  ASSERT_EQ(queue.take(), &cases[0]);
  EXPECT_EQ(queue.take(), nullptr);
  EXPECT_FALSE(queue.exhausted());
  queue.finished(cases[0]);
  EXPECT_EQ(queue.take(), &cases[1]);
}

TEST(JobQueue, StopLeavesTheRestNotRun) {
  const std::vector<PlannedCase> cases{planned(6, 4), planned(6, 4), planned(6, 4)};
  JobQueue queue(cases, 1e12);
  ASSERT_NE(queue.take(), nullptr);
  queue.stop();
  EXPECT_EQ(queue.take(), nullptr);
  EXPECT_TRUE(queue.exhausted());
  EXPECT_EQ(queue.not_run(), 2);
}

}  // namespace
}  // namespace nlldiff
