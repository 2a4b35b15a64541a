// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <limits>

#include "model/inputs.hpp"

namespace nlldiff {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

Case founding() {
  Case c;
  c.shape = {6};
  c.C = 4;
  c.ignore_index = 4;
  return c;
}
const std::vector<std::int64_t> kFoundingTargets = {4, 0, 1, 4, 0, 3};

TEST(SentinelCell, IsTheNextSamplesFirstClassForIgnoreIndexC) {
  EXPECT_EQ(sentinel_cell({.N = 6, .C = 4, .D = 1}, 0, 4), 4);
  EXPECT_EQ(sentinel_cell({.N = 2, .C = 3, .D = 10}, 7, 3), 37);  // (n 0, d 7) -> (n 1, class 0, d 7)
  EXPECT_EQ(sentinel_cell({.N = 2, .C = 3, .D = 10}, 17, -100), 30 - 1000 + 7);
}

TEST(SentinelCell, IsNothingWhereItOverflows) {
  EXPECT_EQ(sentinel_cell({.N = 2, .C = 4, .D = 1}, 0, kMax), kMax);
  EXPECT_EQ(sentinel_cell({.N = 2, .C = 4, .D = 1}, 1, kMax), std::nullopt);
  EXPECT_EQ(sentinel_cell({.N = 2, .C = 4, .D = 1}, 0, kMin), kMin);
  EXPECT_EQ(sentinel_cell({.N = 2, .C = 4, .D = 2}, 0, kMin), std::nullopt);
  EXPECT_EQ(sentinel_cell({.N = 2, .C = 4, .D = 0}, 0, 1), std::nullopt);
}

TEST(Visibility, OfTheFoundingCaseIsATargetCell) {
  EXPECT_EQ(visibility_of(founding(), kFoundingTargets, 0), Visibility::target_cell);
  EXPECT_EQ(visibility_of(founding(), kFoundingTargets, 3), Visibility::target_cell);
  const VisibilityCounts counts = count_visibility(founding(), kFoundingTargets);
  EXPECT_EQ(counts.ignored, 2);
  EXPECT_THAT(counts.by_kind, testing::ElementsAre(0, 2, 0, 0));
}

TEST(Visibility, TellsTheFourKindsApart) {
  Case c = founding();
  EXPECT_EQ(visibility_of(c, std::vector<std::int64_t>{4, 1, 1, 1, 1, 1}, 0), Visibility::other_cell);
  EXPECT_EQ(visibility_of(c, std::vector<std::int64_t>{0, 1, 1, 1, 1, 4}, 5), Visibility::outside);
  c.ignore_index = kMin;
  EXPECT_EQ(visibility_of(c, std::vector<std::int64_t>{0, kMin, 1, 1, 1, 1}, 1), Visibility::outside);
  c.ignore_index = kMax;
  EXPECT_EQ(visibility_of(c, std::vector<std::int64_t>{0, kMax, 1, 1, 1, 1}, 1), Visibility::outside);
  c.ignore_index = 2;
  EXPECT_EQ(visibility_of(c, std::vector<std::int64_t>{2, 1, 1, 1, 1, 1}, 0), Visibility::own_row);
}

TEST(Visibility, OfTwoIgnoredNeighboursIsAnotherCell) {
  Case c = founding();  // row 1's target is 4, no class: row 0's store hits a cell that holds 0
  EXPECT_EQ(visibility_of(c, std::vector<std::int64_t>{4, 4, 1, 1, 1, 1}, 0), Visibility::other_cell);
}

TEST(Visibility, OfTheDefaultSentinelIsThePreviousSampleWhereThereAreAHundredClasses) {
  Case c;
  c.shape = {3};
  c.C = 150;
  EXPECT_EQ(visibility_of(c, std::vector<std::int64_t>{50, -100, 50}, 1), Visibility::target_cell);
  EXPECT_EQ(visibility_of(c, std::vector<std::int64_t>{-100, 50, 50}, 0), Visibility::outside);
  EXPECT_EQ(count_visibility(c, std::vector<std::int64_t>{}).ignored, 0);
}

}  // namespace
}  // namespace nlldiff
