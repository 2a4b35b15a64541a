// SPDX-License-Identifier: Apache-2.0
// What a kernel can do: shared memory, barriers, warps, atomics, 16-bit floats, faults.
#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "model/dtype.hpp"
#include "simt/include/driver_types.h"
#include "simt/test_support.hpp"

namespace nlldiff::simt {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

// ---- shared memory ----
TEST(SharedMemory, DynamicAtFileScopeIsShared) {
  Bench<int> bench(64);
  bench.run<void>("run_shared_at_file_scope", bench.out(), 64);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(bench.out()[i], 2 * (63 - i));
}

TEST(SharedMemory, ArraysAlignmentsSeveralNamesAndTemplatesWork) {
  Bench<int> bench(16);
  bench.run<void>("run_shared_in_template", bench.out());
  ASSERT_TRUE(bench.trace.complete) << bench.fault;
  for (int i = 0; i < 16; ++i) EXPECT_EQ(bench.out()[i], (i / 4 + i % 4 * 4) + (15 - i) * 10 + 10000 + 2000000) << i;
}

TEST(SharedMemory, OfADeviceFunctionIsTheBlocks) {
  Bench<int> bench(32);
  bench.run<void>("run_sum_block", bench.out(), 32);
  EXPECT_THAT(bench.cells(32), Each(31 * 16));
}

TEST(SharedMemory, IsPoisonedForEachBlock) {
  Bench<int> bench(3);
  bench.run<void>("run_read_unwritten_shared", bench.out());
  EXPECT_THAT(bench.cells(3), ElementsAre(1, -1, -1));
  EXPECT_THAT(bench.counts(), Each(3u));
}

TEST(SharedMemory, MoreThanCudaAllowsIsAFault) {
  Bench<int> bench(1);
  EXPECT_EQ(bench.run<cudaError_t>("run_too_much_static_shared", bench.out()), cudaErrorLaunchFailure);
  EXPECT_THAT(bench.fault, HasSubstr("49156 bytes of static and 0 of dynamic shared memory are too much"));
}

// ---- barriers ----
TEST(Barrier, ThreadsThatExitedAreNotWaitedFor) {
  for (const Order order : {Order::forward, Order::reverse, Order::seeded}) {
    Bench<int> bench(40, 0);
    bench.options.order = order;
    bench.run<void>("run_early_exit", bench.out(), 40, 100);
    ASSERT_TRUE(bench.trace.complete) << bench.fault;
    EXPECT_THAT(bench.cells(40), Each(40));
  }
}

TEST(Barrier, VotesAreOverAllThatArrive) {
  Bench<int> bench(70);
  bench.run<void>("run_votes", bench.out(), 70);
  EXPECT_THAT(bench.cells(70), Each(24 * 10000 + 1000 + 10));
}

TEST(Barrier, ADeadlockIsReportedWithItsThreadsAndEndsTheLaunch) {
  Bench<int> bench(1, 9);
  EXPECT_EQ(bench.run<cudaError_t>("run_deadlock", bench.out()), cudaErrorLaunchFailure);
  EXPECT_EQ(
      bench.fault,
      "deadlock in kernel lane_is_missing, block (0,0,0): 1 threads wait at __syncthreads (the first is thread 3), "
      "warp 0 lane 0 waits in a warp collective with mask 0xffffffff, live lanes 0x00000008 of which are elsewhere; "
      "32 of 64 threads have exited");
  EXPECT_FALSE(bench.trace.complete);
  EXPECT_EQ(bench.out()[0], 9) << "nothing runs after a fault";
  EXPECT_EQ(bench.run<cudaError_t>("run_iota", bench.out(), 1, 1), cudaSuccess) << "the next session is clean";
}

TEST(Barrier, ManyFaultsDoNotUseUpTheStacks) {
  for (int i = 0; i < 2000; ++i) {
    Bench<int> bench(1, 9);
    ASSERT_EQ(bench.run<cudaError_t>("run_deadlock", bench.out()), cudaErrorLaunchFailure);
  }
}

TEST(Barrier, NanosleepLetsOtherThreadsRun) {
  Bench<int> bench(3, 0);
  bench.run<void>("run_naps", bench.out());
  EXPECT_THAT(bench.cells(3), ElementsAre(1, 9, 9));
}

// ---- warps ----
template <class T>
std::vector<double> shuffled(const char* function) {
  Bench<T> bench(192);
  bench.template run<void>(function, bench.out());
  const std::vector<T> cells = bench.cells(192);
  return std::vector<double>(cells.begin(), cells.end());
}
std::vector<double> expected_shuffles() {
  std::vector<double> all;
  for (int lane = 0; lane < 32; ++lane) {
    const int up = lane < 2 ? lane : lane - 2, down = lane > 29 ? lane : lane + 2;
    const int segment = lane / 8 * 8, down3 = lane + 3 >= segment + 8 ? lane : lane + 3;
    for (const int source : {7, up, down, lane ^ 5, segment + 1, down3}) all.push_back(source + 1);
  }
  return all;
}

TEST(Warp, ShufflesReadTheRightLane) {
  EXPECT_EQ(shuffled<int>("run_shuffles_int"), expected_shuffles());
  EXPECT_EQ(shuffled<double>("run_shuffles_double"), expected_shuffles());
  EXPECT_EQ(shuffled<long long>("run_shuffles_longlong"), expected_shuffles());
}

TEST(Warp, ShufflesOfHalfKeepTheBits) {
  Bench<std::uint16_t> bench(192);
  bench.run<void>("run_shuffles_half", static_cast<void*>(bench.out()));
  std::vector<double> values;
  for (const std::uint16_t& bits : bench.cells(192)) values.push_back(load_float(Dtype::float16, &bits));
  EXPECT_EQ(values, expected_shuffles());
}

TEST(Warp, AButterflySumWorksInEveryOrder) {
  for (const Order order : {Order::forward, Order::reverse, Order::seeded}) {
    Bench<int> bench(96);
    bench.options.order = order;
    bench.options.seed = 5;
    bench.run<void>("run_warp_sum", bench.out(), 96);
    for (int i = 0; i < 96; ++i) EXPECT_EQ(bench.out()[i], i / 32 * 1024 + 496);
  }
}

TEST(Warp, VotesMatchesAndReductionsAreRight) {
  Bench<unsigned> bench(256);
  bench.run<void>("run_warp_votes", bench.out());
  ASSERT_TRUE(bench.trace.complete) << bench.fault;
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned* at = bench.out() + lane * 8;
    const std::vector<unsigned> got(at, at + 8);
    EXPECT_THAT(got, ElementsAre(0xaaaaaaaau, 1, 0, 0xffu << lane / 8 * 8, 496, static_cast<unsigned>(-26),
                                 lane < 16 ? 0xffffu : 31u, lane % 2 ? 0xaaaaaaaau : 0u))
        << lane;
  }
}

TEST(Warp, LanesThatLeftAreNotWaitedForAndReadAsAllOnes) {
  for (const Order order : {Order::forward, Order::reverse}) {
    Bench<unsigned> bench(96);
    bench.options.order = order;
    bench.run<void>("run_lanes_that_left", bench.out());
    ASSERT_TRUE(bench.trace.complete) << bench.fault;
    for (unsigned lane = 0; lane < 20; ++lane) {
      EXPECT_EQ(bench.out()[lane], 0xfffffu);
      EXPECT_EQ(bench.out()[32 + lane], ~0u);
      EXPECT_EQ(bench.out()[64 + lane], 0xfffffu);
    }
  }
}

TEST(Warp, DivergentAggregatedAtomicsFindTheirSlots) {
  Bench<int> bench(40, 0);
  bench.run<void>("run_aggregated", bench.out(), 96);
  ASSERT_TRUE(bench.trace.complete) << bench.fault;
  EXPECT_EQ(bench.out()[0], 32);
  std::vector<int> slots(bench.out() + 1, bench.out() + 33), expected;
  std::sort(slots.begin(), slots.end());
  for (int i = 1; i < 96; i += 3) expected.push_back(i);
  EXPECT_EQ(slots, expected);
}

TEST(Warp, AMaskWithoutTheCallerIsAFault) {
  Bench<int> bench(32);
  EXPECT_EQ(bench.run<cudaError_t>("run_wrong_mask", bench.out()), cudaErrorLaunchFailure);
  EXPECT_EQ(
      bench.fault,
      "lane 0 called a warp collective whose mask 0xfffffffe leaves it out in kernel apply, block (0,0,0), thread "
      "(0,0,0)");
}

// ---- atomics ----
template <class T>
T read_at(const char* memory, std::size_t offset) {
  T value;
  std::memcpy(&value, memory + offset, sizeof value);
  return value;
}

TEST(Atomics, EveryFunctionUpdatesItsCell) {
  for (const Order order : {Order::forward, Order::reverse, Order::seeded}) {
    Bench<char> bench(512, 0);
    bench.options.order = order;
    int minus_one = -1;
    std::memcpy(bench.out() + 16, &minus_one, sizeof minus_one);  // atomicAnd's cell
    bench.run<void>("run_atomics", bench.out());
    const char* at = bench.out();
    EXPECT_EQ(read_at<int>(at, 0), 45);
    EXPECT_EQ(read_at<int>(at, 4), -45);
    EXPECT_EQ(read_at<int>(at, 8), 4);
    EXPECT_EQ(read_at<int>(at, 12), -5);
    EXPECT_EQ(read_at<int>(at, 16), ~0x3ff);
    EXPECT_EQ(read_at<int>(at, 20), 0x3ff);
    EXPECT_EQ(read_at<int>(at, 24), 0);
    EXPECT_EQ(read_at<unsigned>(at, 64), 0u);  // 10 increments modulo 5
    EXPECT_EQ(read_at<unsigned>(at, 68), 0u);  // 10 decrements modulo 5
    EXPECT_EQ(read_at<unsigned>(at, 72), 10u);
    EXPECT_EQ(read_at<std::uint64_t>(at, 128), 10ull << 33);
    EXPECT_EQ(read_at<std::uint64_t>(at, 136), 9ull << 40);
    EXPECT_EQ(read_at<std::int64_t>(at, 192), -(9ll << 40));
    EXPECT_EQ(read_at<float>(at, 256), 5.0f);
    EXPECT_EQ(read_at<double>(at, 264), 2.5);
    EXPECT_EQ(load_float(Dtype::float16, at + 272), 10.0);
    EXPECT_EQ(load_float(Dtype::bfloat16, at + 274), 20.0);
    EXPECT_EQ(bench.seen().contested_total, 0) << "atomics do not contest each other";
    EXPECT_EQ(bench.seen().stores.at(0), 10u);
  }
}

TEST(Atomics, AFailedCompareAndSwapStoresNothing) {
  Bench<char> bench(512, 0);
  bench.run<void>("run_atomics", bench.out());
  EXPECT_EQ(read_at<int>(bench.out(), 32), 10);
  EXPECT_EQ(bench.seen().stores.at(32), 10u);
  Bench<char> reverse(512, 0);
  reverse.options.order = Order::reverse;
  reverse.run<void>("run_atomics", reverse.out());
  EXPECT_EQ(read_at<int>(reverse.out(), 32), 1) << "only thread 0 found its value";
  EXPECT_EQ(reverse.seen().stores.at(32), 1u);
}

// ---- 16-bit floats ----
struct Small {
  Dtype dtype;
  const char *from_float, *from_double, *to_float;
};
class SmallFloats : public testing::TestWithParam<Small> {};

TEST_P(SmallFloats, EveryValueSurvivesTheWayThroughFloat) {
  const auto to_float = test_kernels().find<float(unsigned short)>(GetParam().to_float);
  const auto from_float = test_kernels().find<unsigned short(float)>(GetParam().from_float);
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const auto small = static_cast<unsigned short>(bits);
    const float value = to_float(small);
    const double expected = load_float(GetParam().dtype, &small);
    ASSERT_TRUE(static_cast<double>(value) == expected || (std::isnan(value) && std::isnan(expected))) << bits;
    ASSERT_EQ(from_float(value), std::isnan(value) ? 0x7fff : small);
  }
}

TEST_P(SmallFloats, RoundOnceToNearestEven) {
  const auto from_float = test_kernels().find<unsigned short(float)>(GetParam().from_float);
  const auto from_double = test_kernels().find<unsigned short(double)>(GetParam().from_double);
  std::uint64_t state = 1;
  for (int i = 0; i < 200000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto exponent = static_cast<int>(state >> 58) - 34;
    const double magnitude = std::ldexp(1.0 + static_cast<double>((state >> 8) & 0xffffffff) * 0x1p-32, exponent);
    // Close to the middle between two neighbours every other time.
    const double value =
        i % 2 == 0 ? magnitude : std::ldexp(std::floor(std::ldexp(magnitude, 12 - exponent)) + 0.5, exponent - 12);
    const double nudged = i % 4 == 1 ? std::nextafter(value, 0.0) : value;
    unsigned short expected = 0;
    store_float(GetParam().dtype, &expected, nudged);
    ASSERT_EQ(from_double(nudged), expected) << nudged;
    const auto single = static_cast<float>(nudged);
    store_float(GetParam().dtype, &expected, static_cast<double>(single));
    ASSERT_EQ(from_float(single), expected) << single;
    ASSERT_EQ(from_float(-single), expected | 0x8000) << -single;
  }
}
INSTANTIATE_TEST_SUITE_P(Both, SmallFloats,
                         testing::Values(Small{Dtype::float16, "half_from_float", "half_from_double", "half_to_float"},
                                         Small{Dtype::bfloat16, "bfloat16_from_float", "bfloat16_from_double",
                                               "bfloat16_to_float"}));

TEST(Half, ArithmeticRoundsOnce) {
  const auto arithmetic = test_kernels().find<float(float, float, char)>("half_arithmetic");
  const auto fma = test_kernels().find<float(float, float, float)>("half_fma");
  EXPECT_EQ(arithmetic(2048, 1, '+'), 2048.0f);
  EXPECT_EQ(arithmetic(2048, 3, '+'), 2052.0f);
  EXPECT_EQ(arithmetic(60000, 60000, '+'), std::numeric_limits<float>::infinity());
  EXPECT_EQ(arithmetic(1, 3, '/'), static_cast<float>(round_to(Dtype::float16, 1.0 / 3)));
  EXPECT_EQ(arithmetic(0.1f, 0.1f, '*'),
            static_cast<float>(round_to(Dtype::float16, 0.0999755859375 * 0.0999755859375)));
  EXPECT_EQ(fma(1.0009765625f, 1.0009765625f, -1.001953125f), 0x1p-20f) << "the product is not rounded";
  EXPECT_EQ(fma(2048, 1, 1 + 0x1p-10f), 2050.0f) << "just above the middle";
}

TEST(Intrinsics, ComputeWhatTheDeviceComputes) { EXPECT_TRUE(test_kernels().find<bool()>("intrinsics_are_right")()); }

// ---- faults ----
TEST(Faults, AnExceptionIsReportedWithItsThread) {
  Bench<int> bench(1);
  EXPECT_EQ(bench.run<cudaError_t>("run_throw", bench.out()), cudaErrorLaunchFailure);
  EXPECT_THAT(bench.fault, AllOf(HasSubstr("an exception (St13runtime_error) left the thread"),
                                 HasSubstr("kernel throws, block (0,0,0), thread (5,0,0)")));
}

TEST(Faults, ATrapEndsTheLaunch) {
  Bench<int> bench(24, 0);
  EXPECT_EQ(bench.run<cudaError_t>("run_trap", bench.out()), cudaErrorLaunchFailure);
  EXPECT_EQ(bench.fault, "__trap() was called in kernel traps, block (1,0,0), thread (2,0,0)");
  EXPECT_EQ(std::accumulate(bench.out(), bench.out() + 24, 0), 10);
}

TEST(Faults, AnAssertionIsCudaErrorAssert) {
  Bench<int> bench(8, 77);
  EXPECT_EQ(bench.run<cudaError_t>("run_assert", bench.out()), cudaSuccess);
  bench.out()[6] = 76;
  EXPECT_EQ(bench.run<cudaError_t>("run_assert", bench.out()), cudaErrorAssert);
  EXPECT_THAT(bench.fault, AllOf(HasSubstr("assertion `out[threadIdx.x] == 77` failed at"),
                                 HasSubstr("test_kernels.cu:"), HasSubstr("thread (6,0,0)")));
}

TEST(Faults, ALaunchFromAKernelIsNotSupported) {
  Bench<int> bench(1);
  EXPECT_EQ(bench.run<cudaError_t>("run_nested_launch", bench.out()), cudaErrorLaunchFailure);
  EXPECT_THAT(bench.fault, HasSubstr("kernel iota was launched from a kernel"));
}

TEST(Faults, ThePositionIsThatOfTheLastThread) {
  Bench<int> bench(64);
  bench.run<cudaError_t>("run_iota", bench.out(), 64, 16);
  const Session::Position position = Session::current_position();
  EXPECT_EQ(position.block, 3u);
  EXPECT_EQ(position.thread, 15u);
  EXPECT_STREQ(position.kernel, "iota");
}

}  // namespace
}  // namespace nlldiff::simt
