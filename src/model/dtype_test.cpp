// SPDX-License-Identifier: Apache-2.0
#include "model/dtype.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace nlldiff {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double load16(Dtype dtype, std::uint32_t pattern) {
  const auto bits = static_cast<std::uint16_t>(pattern);
  return load_float(dtype, &bits);
}

std::uint32_t store16(Dtype dtype, double value) {
  std::uint16_t bits = 0;
  store_float(dtype, &bits, value);
  return bits;
}

class SixteenBits : public testing::TestWithParam<Dtype> {
 protected:
  [[nodiscard]] std::uint32_t infinity() const { return GetParam() == Dtype::float16 ? 0x7c00 : 0x7f80; }
};
INSTANTIATE_TEST_SUITE_P(Dtype, SixteenBits, testing::Values(Dtype::float16, Dtype::bfloat16),
                         [](const auto& param_info) { return std::string(name_of(param_info.param)); });

TEST_P(SixteenBits, EveryPatternSurvivesLoadAndStore) {
  for (std::uint32_t pattern = 0; pattern <= 0xffff; ++pattern) {
    const double value = load16(GetParam(), pattern);
    if ((pattern & 0x7fff) > infinity()) {
      EXPECT_TRUE(std::isnan(value)) << pattern;
      EXPECT_TRUE(std::isnan(round_to(GetParam(), value))) << pattern;
    } else {
      ASSERT_EQ(store16(GetParam(), value), pattern);
    }
  }
}

TEST_P(SixteenBits, EveryMidpointGoesToTheEvenNeighbourAndItsSidesToTheNearest) {
  for (std::uint32_t low = 0; low + 1 < infinity(); ++low) {
    const double middle = (load16(GetParam(), low) + load16(GetParam(), low + 1)) / 2;  // exact in a double
    const std::uint32_t even = low % 2 == 0 ? low : low + 1;
    ASSERT_EQ(store16(GetParam(), middle), even);
    ASSERT_EQ(store16(GetParam(), std::nextafter(middle, 0)), low);
    ASSERT_EQ(store16(GetParam(), std::nextafter(middle, kInf)), low + 1);
    ASSERT_EQ(store16(GetParam(), -middle), even | 0x8000);
  }
}

TEST_P(SixteenBits, OverflowBeginsAtTheMidpointBeyondTheLargest) {
  const std::uint32_t largest = infinity() - 1;
  const double step = load16(GetParam(), largest) - load16(GetParam(), largest - 1);
  const double edge = load16(GetParam(), largest) + step / 2;
  EXPECT_EQ(store16(GetParam(), std::nextafter(edge, 0)), largest);
  EXPECT_EQ(store16(GetParam(), edge), infinity());
  EXPECT_EQ(store16(GetParam(), 1e300), infinity());
  EXPECT_EQ(store16(GetParam(), -kInf), infinity() | 0x8000);
}

TEST_P(SixteenBits, TinyDoublesBecomeSignedZeros) {
  EXPECT_EQ(store16(GetParam(), 5e-324), 0u);
  EXPECT_EQ(store16(GetParam(), -1e-300), 0x8000u);
  EXPECT_EQ(store16(GetParam(), -0.0), 0x8000u);
  EXPECT_EQ(store16(GetParam(), load16(GetParam(), 1) / 2), 0u);
}

TEST_P(SixteenBits, NeighboursAreOneUlpApartAcrossBinadesAndZero) {
  for (std::uint32_t low = 0; low < infinity(); ++low) {
    ASSERT_EQ(ulp_distance(GetParam(), load16(GetParam(), low), load16(GetParam(), low + 1)), 1u);
  }
  EXPECT_EQ(ulp_distance(GetParam(), load16(GetParam(), 1), load16(GetParam(), 0x8001)), 2u);
  EXPECT_EQ(ulp_distance(GetParam(), 0.0, -0.0), 0u);
}

TEST(Dtype, BfloatIsTheUpperHalfOfAFloat) {
  for (std::uint32_t pattern = 0; pattern <= 0xffff; ++pattern) {
    const auto expected = static_cast<double>(std::bit_cast<float>(pattern << 16));
    if (std::isnan(expected)) continue;
    ASSERT_EQ(load16(Dtype::bfloat16, pattern), expected);
  }
}

TEST(Dtype, HalfHasItsDocumentedLandmarks) {
  EXPECT_EQ(load16(Dtype::float16, 0x0001), 0x1p-24);
  EXPECT_EQ(load16(Dtype::float16, 0x03ff), 0x1p-14 - 0x1p-24);
  EXPECT_EQ(load16(Dtype::float16, 0x0400), 0x1p-14);
  EXPECT_EQ(load16(Dtype::float16, 0x3555), 0.333251953125);
  EXPECT_EQ(load16(Dtype::float16, 0x7bff), 65504);
  EXPECT_EQ(load16(Dtype::float16, 0xfc00), -kInf);
}

TEST(Dtype, RoundsOnceWhereAFloatOnTheWayWouldRoundTwice) {
  EXPECT_EQ(round_to(Dtype::float16, 1 + 0x1p-11 + 0x1p-30), 1 + 0x1p-10);
  EXPECT_EQ(round_to(Dtype::bfloat16, 1 + 0x1p-8 + 0x1p-40), 1 + 0x1p-7);
}

TEST(Dtype, FloatRoundsToNearestEvenAndKeepsSubnormals) {
  EXPECT_EQ(round_to(Dtype::float32, 1 + 0x1p-24), 1);
  EXPECT_EQ(round_to(Dtype::float32, 1 + 0x1.8p-23), 1 + 0x1p-22);
  EXPECT_EQ(round_to(Dtype::float32, 0x1p-149), 0x1p-149);
  EXPECT_EQ(round_to(Dtype::float32, 0x1p-150), 0);
  EXPECT_EQ(round_to(Dtype::float32, 1e39), kInf);
  EXPECT_TRUE(std::isnan(round_to(Dtype::float32, kNan)));
  EXPECT_EQ(round_to(Dtype::float64, 0.1), 0.1);
}

TEST(Dtype, UlpDistanceCountsToInfinityAndAcrossTheWholeRange) {
  EXPECT_EQ(ulp_distance(Dtype::float32, std::numeric_limits<float>::max(), kInf), 1u);
  EXPECT_EQ(ulp_distance(Dtype::float32, 1.0, 1.0 + 0x1p-23), 1u);
  EXPECT_EQ(ulp_distance(Dtype::float32, 1.0, 1.0 - 0x1p-24), 1u);
  EXPECT_EQ(ulp_distance(Dtype::float64, 1.0, 2.0), std::uint64_t{1} << 52);
  EXPECT_EQ(ulp_distance(Dtype::float64, -kInf, kInf), 2 * std::bit_cast<std::uint64_t>(kInf));
  EXPECT_EQ(ulp_distance(Dtype::float64, 3.0, -5.0), ulp_distance(Dtype::float64, -5.0, 3.0));
}

TEST(Dtype, IntegersAreExactAtTheirEnds) {
  const auto round_trip = [](Dtype dtype, std::int64_t value) {
    std::int64_t element = 0;
    store_int(dtype, &element, value);
    return load_int(dtype, &element);
  };
  for (const std::int64_t value : {std::numeric_limits<std::int64_t>::min(), std::int64_t{-100},
                                   (std::int64_t{1} << 53) + 1, std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_EQ(round_trip(Dtype::int64, value), value);
  }
  for (const std::int64_t value : {-2147483648LL, -100LL, 2147483647LL})
    EXPECT_EQ(round_trip(Dtype::int32, value), value);
  for (const std::int64_t value : {0, 255}) EXPECT_EQ(round_trip(Dtype::uint8, value), value);
}

}  // namespace
}  // namespace nlldiff
