// SPDX-License-Identifier: Apache-2.0
// Launches: every spelling, configuration, globals, errors, the host API.
#include <gmock/gmock.h>

#include <thread>

#include "simt/include/driver_types.h"
#include "simt/test_support.hpp"

namespace nlldiff::simt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Form {
  const char* function;
  std::vector<int> expected;
  std::vector<std::string> kernels;  ///< names in the trace
};
class LaunchForms : public testing::TestWithParam<Form> {};

TEST_P(LaunchForms, RunsAsWrittenUnderItsSpelledName) {
  const Form& form = GetParam();
  Bench<int> bench(256, 0);
  bench.run<void>(form.function, bench.out());
  EXPECT_TRUE(bench.trace.complete) << bench.trace.why_incomplete;
  EXPECT_EQ(bench.cells(form.expected.size()), form.expected);
  std::vector<std::string> names;
  for (const Launch& launch : bench.trace.launches) names.push_back(launch.kernel);
  EXPECT_EQ(names, form.kernels);
}
INSTANTIATE_TEST_SUITE_P(
    Spellings, LaunchForms,
    testing::Values(Form{"launch_plain", {0, 1, 2, 3}, {"iota"}}, Form{"launch_template", {7}, {"add_to<int, 5>"}},
                    Form{"launch_deduced", {0, 3, 6, 9}, {"apply"}},
                    Form{"launch_shift_in_parentheses", {0, 1, 2, 3}, {"iota"}},
                    Form{"launch_nested_templates", {7}, {"add_to<int, std::integral_constant<int, (9 > 8)>::value>"}},
                    Form{"launch_macro", {0, 1, 2, 3}, {"iota"}},
                    Form{"launch_qualified", {7, 8}, {"::outer::inner::store_twice"}},
                    Form{"launch_in_template", {42}, {"outer::Holder<T>::store", "add_to<T, 1>"}},
                    Form{"launch_argument_pack", {3, 4}, {"outer::inner::store_twice"}},
                    Form{"launch_pointer", {0, 1, 2, 3}, {"kernel", "(*kernel)"}},
                    Form{"launch_table", {0, 1, 2, 3}, {"kernels[which]"}},
                    Form{"launch_in_statements", {0, 1, 2, 3}, {"iota", "iota", "(iota)", "iota", "iota"}},
                    Form{"launch_over_lines", {7}, {"add_to<int, 3>"}},
                    Form{"launch_evaluates_once", {0, 1, 121}, {"iota", "(host code)"}},
                    Form{"launch_by_function", {0, 1, 2, 3}, {"(cudaLaunchKernel)"}},
                    Form{"launch_name_with_string", {0, 1, 2, 3}, {"iota"}}),
    [](const auto& test) { return std::string(test.param.function); });

TEST(Launch, GridAndBlockOfThreeDimensionsReachEveryThreadOnce) {
  Bench<int> bench(12 * 16, -1);
  bench.run<void>("launch_three_dimensions", bench.out());
  EXPECT_THAT(bench.counts(), testing::Each(1u));
  for (int block = 0; block < 12; ++block)
    for (int thread = 0; thread < 16; ++thread) EXPECT_EQ(bench.out()[block * 16 + thread], block * 1000 + thread);
  EXPECT_EQ(bench.trace.launches.front().grid, (std::array<std::uint32_t, 3>{2, 3, 2}));
  EXPECT_EQ(bench.trace.launches.front().block, (std::array<std::uint32_t, 3>{4, 2, 2}));
}

TEST(Launch, ABracedGridIsADim3) {
  Bench<int> bench(32, -1);
  bench.run<void>("launch_braced_grid", bench.out());
  EXPECT_THAT(bench.counts(), testing::Each(1u));
}

TEST(Launch, DeviceAndConstantGlobalsKeepTheirValues) {
  Bench<int> bench(4, 0);
  EXPECT_EQ(bench.run<cudaError_t>("run_globals", bench.out()), cudaSuccess);
  EXPECT_THAT(bench.cells(4), ElementsAre(3, 30, 5, 4));
}

struct Configuration {
  unsigned grid[3], block[3];
  std::size_t shared_bytes;
  cudaError_t expected;
};
class LaunchLimits : public testing::TestWithParam<Configuration> {};

TEST_P(LaunchLimits, AreTheDrivers) {
  const auto& [grid, block, shared_bytes, expected] = GetParam();
  Bench<int> bench(1, 0);
  const auto error = bench.run<cudaError_t>("run_grid", bench.out(), grid[0], grid[1], grid[2], block[0], block[1],
                                            block[2], shared_bytes);
  EXPECT_EQ(error, expected);
  EXPECT_EQ(bench.trace.complete, expected == cudaSuccess);
  EXPECT_EQ(bench.trace.launches.size(), expected == cudaSuccess ? 1u : 0u);
  if (expected == cudaSuccess) return;
  EXPECT_THAT(bench.fault, HasSubstr("kernel iota cannot be launched with grid ("));
}
INSTANTIATE_TEST_SUITE_P(BothSides, LaunchLimits,
                         testing::Values(Configuration{{1, 1, 1}, {1024, 1, 1}, 0, cudaSuccess},
                                         Configuration{{1, 1, 1}, {1025, 1, 1}, 0, cudaErrorInvalidConfiguration},
                                         Configuration{{1, 1, 1}, {32, 32, 1}, 0, cudaSuccess},
                                         Configuration{{1, 1, 1}, {32, 33, 1}, 0, cudaErrorInvalidConfiguration},
                                         Configuration{{1, 1, 1}, {1, 1, 64}, 0, cudaSuccess},
                                         Configuration{{1, 1, 1}, {1, 1, 65}, 0, cudaErrorInvalidConfiguration},
                                         Configuration{{1, 1, 1}, {65536, 65536, 1}, 0, cudaErrorInvalidConfiguration},
                                         Configuration{{1, 65535, 1}, {1, 1, 1}, 0, cudaSuccess},
                                         Configuration{{1, 65536, 1}, {1, 1, 1}, 0, cudaErrorInvalidConfiguration},
                                         Configuration{{1, 1, 65536}, {1, 1, 1}, 0, cudaErrorInvalidConfiguration},
                                         Configuration{
                                             {0x80000000u, 1, 1}, {1, 1, 1}, 0, cudaErrorInvalidConfiguration},
                                         Configuration{{70000, 1, 1}, {1, 1, 1}, 0, cudaSuccess},
                                         Configuration{{0, 1, 1}, {1, 1, 1}, 0, cudaErrorInvalidConfiguration},
                                         Configuration{{1, 1, 1}, {1, 0, 1}, 0, cudaErrorInvalidConfiguration},
                                         Configuration{{1, 1, 1}, {1, 1, 1}, 232448, cudaSuccess},
                                         Configuration{{1, 1, 1}, {1, 1, 1}, 232449, cudaErrorInvalidValue}));

TEST(Launch, WithoutASessionIsNotSupportedAndRunsNothing) {
  int out[4] = {9, 9, 9, 9};
  EXPECT_EQ(test_kernels().find<cudaError_t(int*, int, int)>("run_iota")(out, 4, 4), cudaErrorNotSupported);
  EXPECT_THAT(out, ElementsAre(9, 9, 9, 9));
}

TEST(Launch, FromAnotherHostThreadIsAFaultOfTheSession) {
  Bench<int> bench(4, 9);
  Session session(bench.options);
  cudaError_t error = cudaSuccess;
  std::thread([&] { error = test_kernels().find<cudaError_t(int*, int, int)>("run_iota")(bench.out(), 4, 4); }).join();
  const CallTrace trace = session.take_trace();
  EXPECT_EQ(error, cudaErrorNotSupported);
  EXPECT_FALSE(trace.complete);
  EXPECT_THAT(trace.why_incomplete, HasSubstr("kernel iota was launched from a host thread other than the caller's"));
  EXPECT_THAT(bench.cells(4), testing::Each(9));
}

TEST(Launch, AStoreOfAnotherHostThreadIsFoundOut) {
  Bench<int> bench(4, 9);
  Session session(bench.options);
  std::thread([&] { test_kernels().find<void(int*)>("plain_host_store")(bench.out()); }).join();
  const CallTrace trace = session.take_trace();
  EXPECT_FALSE(trace.complete);
  EXPECT_THAT(trace.why_incomplete, HasSubstr("a host thread other than the caller's stored to the tensors"));
}

TEST(Launch, SessionsOfTwoHostThreadsDoNotMeet) {
  const auto work = [] {
    Bench<int> bench(512, -1);
    for (int i = 0; i < 50; ++i) bench.run<cudaError_t>("run_iota", bench.out(), 512, 64);
    EXPECT_TRUE(bench.trace.complete) << bench.trace.why_incomplete;
    EXPECT_THAT(bench.counts(), testing::Each(1u));
  };
  std::thread other(work);
  work();
  other.join();
}

TEST(Launch, ASecondSessionOnOneThreadIsRefused) {
  Bench<int> bench(4);
  const Session session(bench.options);
  EXPECT_THROW(Session another(bench.options), std::runtime_error);
}

TEST(Launch, AfterTheTraceWasTakenKernelsRunUntraced) {
  Bench<int> bench(4, 9);
  Session session(bench.options);
  EXPECT_TRUE(session.take_trace().complete);
  EXPECT_EQ(test_kernels().find<cudaError_t(int*, int, int)>("run_iota")(bench.out(), 4, 4), cudaSuccess);
  EXPECT_THAT(bench.cells(4), ElementsAre(0, 1, 2, 3));
  EXPECT_FALSE(session.take_trace().complete);
}

TEST(HostApi, AnswersAsCudaDoes) {
  Bench<int> bench(1);
  EXPECT_TRUE(bench.run<bool>("api_answers"));
}

TEST(HostApi, AllocationsComeFromTheArenaUntilItIsFull) {
  Bench<int> bench(1);
  EXPECT_EQ(bench.run<cudaError_t>("run_allocate", std::size_t{65000}), cudaSuccess);
  EXPECT_EQ(bench.run<cudaError_t>("run_allocate", std::size_t{1000}), cudaErrorMemoryAllocation);
  EXPECT_EQ(bench.run<cudaError_t>("run_allocate", std::size_t{0}), cudaSuccess);
}

TEST(HostApi, AnAllocationWithoutASessionIsNotSupported) {
  EXPECT_EQ(test_kernels().find<cudaError_t(std::size_t)>("run_allocate")(16), cudaErrorNotSupported);
}

TEST(HostApi, MemsetsAndCopiesToTheArenaAreLaunchesAndStores) {
  Bench<int> bench(4, 9);
  EXPECT_EQ(bench.run<cudaError_t>("run_api_copies", bench.out()), cudaSuccess);
  std::vector<std::string> launches;
  for (const Launch& launch : bench.trace.launches)
    launches.push_back(std::string(name_of(launch.kind)) + " " + launch.kernel);
  EXPECT_THAT(launches, ElementsAre("memset cudaMemsetAsync", "memcpy cudaMemcpy", "memcpy cudaMemcpyAsync"));
  EXPECT_THAT(bench.counts(), ElementsAre(1, 2, 2, 1));
  EXPECT_THAT(bench.cells(4), ElementsAre(0, 1, 2, 0));
}

TEST(HostApi, StoresOfHostCodeCountUnderALaunchOfTheirOwn) {
  Bench<int> bench(4, 9);
  bench.run<void>("run_host_stores", bench.out());
  std::vector<std::string> names;
  for (const Launch& launch : bench.trace.launches) names.push_back(launch.kernel);
  EXPECT_THAT(names, ElementsAre("(host code)", "iota", "(host code)"));
  EXPECT_THAT(bench.counts(), ElementsAre(2, 3, 1, 1));
  EXPECT_THAT(bench.seen().contested, IsEmpty());
}

}  // namespace
}  // namespace nlldiff::simt
