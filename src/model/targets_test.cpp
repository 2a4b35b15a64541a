// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <set>

#include "core/error.hpp"
#include "model/inputs.hpp"

namespace nlldiff {
namespace {

using testing::ElementsAre;
using Targets = std::vector<std::int64_t>;

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

Case make_case(std::vector<std::int64_t> shape, std::int64_t C, std::int64_t ignore_index, TargetLayout layout) {
  Case c;
  c.name = "test";
  c.shape = std::move(shape);
  c.C = C;
  c.ignore_index = ignore_index;
  c.target.layout = layout;
  return c;
}

std::int64_t ignored_in(const Case& c, const Targets& targets) {
  return std::count(targets.begin(), targets.end(), c.ignore_index);
}

/// Every combination of these sizes, class counts and sentinels, for one layout.
std::vector<Case> many_cases(TargetLayout layout) {
  const std::vector<std::vector<std::int64_t>> shapes = {
      {}, {0}, {1}, {2}, {3}, {64}, {3, 0}, {0, 4}, {2, 5}, {4, 1}, {5, 3, 4}, {1, 1, 1}, {7, 2, 3, 2}};
  std::vector<Case> cases;
  for (const auto& shape : shapes) {
    for (const std::int64_t C : {0, 1, 2, 3, 4, 10, 150, 1000}) {
      for (const std::int64_t ignore :
           {kMin, std::int64_t{-1000}, std::int64_t{-100}, std::int64_t{-4}, std::int64_t{-1}, std::int64_t{0},
            std::int64_t{1}, std::int64_t{3}, C, C + 1, std::int64_t{255}, std::int64_t{3000}, kMax}) {
        for (const double ignored : {0.0, 1e-9, 0.3, 0.999999999, 1.0}) {
          Case c = make_case(shape, C, ignore, layout);
          c.target.ignored = ignored;
          c.rng_seed = static_cast<std::uint64_t>(cases.size());
          cases.push_back(std::move(c));
        }
      }
    }
  }
  return cases;
}

std::string describe(const Case& c) {
  return fmt::format("shape {} dims, rows {}, C {}, ignore_index {}, ignored {}, dtype {}", c.shape.size(),
                     geometry_of(c).rows(), c.C, c.ignore_index, c.target.ignored, name_of(c.target.dtype));
}

class Layouts : public testing::TestWithParam<TargetLayout> {};
INSTANTIATE_TEST_SUITE_P(Generated, Layouts,
                         testing::Values(TargetLayout::uniform, TargetLayout::alternate, TargetLayout::padded,
                                         TargetLayout::border, TargetLayout::all, TargetLayout::none,
                                         TargetLayout::cycle, TargetLayout::collide),
                         [](const auto& param_info) { return std::string(name_of(param_info.param)); });

TEST_P(Layouts, GiveEachRowAValidClassOrIgnoreIndex) {
  for (Case c : many_cases(GetParam())) {
    for (const Dtype dtype : {Dtype::int64, Dtype::int32, Dtype::uint8}) {
      c.target.dtype = dtype;
      const Targets targets = make_targets(c);
      ASSERT_EQ(static_cast<std::int64_t>(targets.size()), geometry_of(c).rows()) << describe(c);
      for (const std::int64_t target : targets) {
        const bool is_class = target >= 0 && target < c.C;
        const bool nothing_is_legal = c.C == 0 && target == 0;  // and ignore_index does not fit the dtype
        ASSERT_TRUE(is_class || target == c.ignore_index || nothing_is_legal) << describe(c) << " target " << target;
        if (dtype == Dtype::uint8) {
          ASSERT_TRUE(target >= 0 && target <= 255) << describe(c);
        }
        if (dtype == Dtype::int32) {
          ASSERT_TRUE(target >= -2147483648LL && target <= 2147483647LL) << describe(c);
        }
      }
    }
  }
}

TEST_P(Layouts, GiveTheSameBitsEachTimeAndOthersForAnotherSeed) {
  Case c = make_case({40, 7}, 100, -100, GetParam());
  const Targets first = make_targets(c);
  EXPECT_EQ(make_targets(c), first);
  c.rng_seed = 1;
  const bool has_chance = GetParam() != TargetLayout::all && GetParam() != TargetLayout::cycle;
  EXPECT_EQ(make_targets(c) != first, has_chance);
}

class Chance : public testing::TestWithParam<TargetLayout> {};
INSTANTIATE_TEST_SUITE_P(Drawn, Chance, testing::Values(TargetLayout::uniform, TargetLayout::collide),
                         [](const auto& param_info) { return std::string(name_of(param_info.param)); });

TEST_P(Chance, NeverLeavesNoRowIgnoredNorEveryRow) {
  for (const Case& c : many_cases(GetParam())) {
    const auto rows = geometry_of(c).rows();
    const bool has_class = c.C > 1 || (c.C == 1 && c.ignore_index != 0);
    if (rows == 0 || !has_class) continue;
    const std::int64_t ignored = ignored_in(c, make_targets(c));
    if (c.target.ignored == 0) {
      ASSERT_EQ(ignored, 0) << describe(c);
    }
    if (c.target.ignored > 0) {
      ASSERT_GE(ignored, 1) << describe(c);
    }
    if (c.target.ignored < 1 && rows > 1) {
      ASSERT_LT(ignored, rows) << describe(c);
    }
    if (c.target.ignored == 1 && GetParam() == TargetLayout::uniform) {
      ASSERT_EQ(ignored, rows) << describe(c);
    }
  }
}

TEST_P(Chance, IgnoresAboutTheShareThatTheCaseAsksFor) {
  Case c = make_case({100000}, 10, -1000000000, GetParam());
  c.target.ignored = 0.25;
  EXPECT_NEAR(static_cast<double>(ignored_in(c, make_targets(c))), 25000, 700);  // 5 standard deviations
}

// The claim of the layout, checked by the definition of the cell and not by the generator's own shift.
TEST(Collide, MakesEveryVictimValidAndItsTargetTheHitClass) {
  std::int64_t hits = 0;
  for (const Case& c : many_cases(TargetLayout::collide)) {
    const Geometry g = geometry_of(c);
    const Targets targets = make_targets(c);
    for (std::int64_t row = 0; row < g.rows(); ++row) {
      if (targets[static_cast<std::size_t>(row)] != c.ignore_index) continue;
      const auto cell = sentinel_cell(g, row, c.ignore_index);
      if (!cell || *cell < 0 || *cell >= g.cells() || g.row_of(*cell) == row) continue;
      ASSERT_EQ(targets[static_cast<std::size_t>(g.row_of(*cell))], g.class_of(*cell)) << describe(c);
      ++hits;
    }
  }
  EXPECT_GT(hits, 5000);
}

TEST(Collide, IsNeverBlindWhereAVictimExists) {
  for (const Case& c : many_cases(TargetLayout::collide)) {
    const Geometry g = geometry_of(c);
    bool victim_exists = false;
    for (std::int64_t row = 0; row < g.rows(); ++row) {
      const auto cell = sentinel_cell(g, row, c.ignore_index);
      victim_exists |= cell && *cell >= 0 && *cell < g.cells() && g.row_of(*cell) != row;
    }
    const VisibilityCounts counts = count_visibility(c, make_targets(c));
    const auto seen = counts.by_kind[static_cast<std::size_t>(Visibility::target_cell)];
    EXPECT_EQ(counts.by_kind[static_cast<std::size_t>(Visibility::other_cell)], 0) << describe(c);
    if (c.target.ignored > 0) {
      ASSERT_EQ(seen > 0, victim_exists) << describe(c);
    }
  }
}

TEST(Collide, IgnoresNearlyTheAskedShareOfRowsAlthoughVictimsStay) {
  for (const std::int64_t ignore : {150, 255, -100, 3000}) {
    Case c = make_case({64, 8}, 150, ignore, TargetLayout::collide);
    c.target.ignored = 0.3;
    const std::int64_t ignored = ignored_in(c, make_targets(c));
    EXPECT_GT(ignored, 512 * 0.15) << ignore;
    EXPECT_LT(ignored, 512 * 0.4) << ignore;
  }
}

TEST(Collide, LeavesVictimsAloneWhoseHitClassTheDtypeCannotName) {
  Case c = make_case({64}, 1000, 300, TargetLayout::collide);
  c.target.dtype = Dtype::uint8;
  EXPECT_EQ(ignored_in(c, make_targets(c)), 0);  // 300 itself does not fit
}

TEST(Layout, AlternateIgnoresEverySecondRow) {
  const Case c = make_case({3, 3}, 5, 2, TargetLayout::alternate);
  const Targets targets = make_targets(c);
  for (std::size_t r = 0; r < targets.size(); ++r) EXPECT_EQ(targets[r] == 2, r % 2 == 0) << r;
}

TEST(Layout, PaddedIgnoresTailsOnlyAndOneAtLeast) {
  for (const auto& shape : {std::vector<std::int64_t>{17}, {6, 9}, {4, 3, 5}, {9, 2}}) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      Case c = make_case(shape, 7, -100, TargetLayout::padded);
      c.rng_seed = seed;
      const Geometry g = geometry_of(c);
      const std::int64_t length = g.D > 1 ? g.D : g.N;
      const Targets targets = make_targets(c);
      EXPECT_GE(ignored_in(c, targets), 1);
      for (std::size_t r = 0; r < targets.size(); ++r) {
        const bool first = static_cast<std::int64_t>(r) % length == 0;
        EXPECT_FALSE(first && targets[r] == -100) << "the first of a sequence is kept";
        if (!first) {
          EXPECT_FALSE(targets[r] != -100 && targets[r - 1] == -100) << "valid after a tail began";
        }
      }
    }
  }
}

TEST(Layout, BorderIgnoresTheFrameOfEachSample) {
  const Case c = make_case({2, 4, 5}, 3, 255, TargetLayout::border);
  const Targets targets = make_targets(c);
  std::size_t r = 0;
  for (int n = 0; n < 2; ++n)
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 5; ++x) EXPECT_EQ(targets[r++] == 255, y == 0 || y == 3 || x == 0 || x == 4);
  const Targets line = make_targets(make_case({5}, 3, 255, TargetLayout::border));
  EXPECT_EQ(line.front(), 255);
  EXPECT_EQ(line.back(), 255);
  EXPECT_EQ(std::count(line.begin(), line.end(), 255), 2);
}

TEST(Layout, CycleSkipsIgnoreIndex) {
  EXPECT_THAT(make_targets(make_case({7}, 3, 1, TargetLayout::cycle)), ElementsAre(0, 2, 2, 0, 2, 2, 0));
  EXPECT_THAT(make_targets(make_case({5}, 3, -100, TargetLayout::cycle)), ElementsAre(0, 1, 2, 0, 1));
}

TEST(Layout, NoneAndAllMeanWhatTheySay) {
  const Case none = make_case({50}, 2, 1, TargetLayout::none);
  EXPECT_EQ(ignored_in(none, make_targets(none)), 0);
  const Case all = make_case({50}, 2, kMin, TargetLayout::all);
  EXPECT_EQ(ignored_in(all, make_targets(all)), 50);
  EXPECT_EQ(
      ignored_in(make_case({3}, 1, 0, TargetLayout::none), make_targets(make_case({3}, 1, 0, TargetLayout::none))),
      3);  // unavoidable
}

TEST(Layout, ExplicitConstantAndOutOfRangeHoldTheNumbersOfTheCase) {
  Case c = make_case({6}, 4, 4, TargetLayout::explicit_);
  c.target.values = {4, 0, 1, 4, 0, 3};
  EXPECT_EQ(make_targets(c), c.target.values);
  c.target.layout = TargetLayout::constant;
  c.target.value = 2;
  EXPECT_THAT(make_targets(c), testing::Each(2));
  c.target.layout = TargetLayout::out_of_range;
  c.target.value = 77;
  c.target.row = 5;
  const Targets targets = make_targets(c);
  EXPECT_EQ(targets[5], 77);
  EXPECT_EQ(std::count(targets.begin(), targets.end(), 77), 1);
}

TEST(Layout, EveryValidClassIsDrawn) {
  const Targets targets = make_targets(make_case({2000}, 10, 3, TargetLayout::none));
  EXPECT_THAT((std::set<std::int64_t>(targets.begin(), targets.end())), ElementsAre(0, 1, 2, 4, 5, 6, 7, 8, 9));
}

std::string error_of(const Case& c) {
  try {
    (void)make_targets(c);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Layout, RefusesNumbersThatCannotBe) {
  Case c = make_case({3}, 4, -100, TargetLayout::explicit_);
  c.target.values = {1, 2};
  EXPECT_THAT(error_of(c), testing::HasSubstr("target.values has 2 numbers for 3 rows"));
  c.target.values = {1, 2, 300};
  c.target.dtype = Dtype::uint8;
  EXPECT_THAT(error_of(c), testing::HasSubstr("300 does not fit target.dtype uint8"));
  c.target.layout = TargetLayout::constant;
  c.target.value = -1;
  EXPECT_THAT(error_of(c), testing::HasSubstr("target.value -1 does not fit"));
  c.target.layout = TargetLayout::out_of_range;
  c.target.row = 3;
  EXPECT_THAT(error_of(c), testing::HasSubstr("target.row 3 is not a row"));
}

TEST(TargetMemory, RowsThatShareAnElementHaveOneTarget) {
  Case c = make_case({4, 3}, 10, -100, TargetLayout::uniform);
  c.target.memory = Memory::strides;
  c.target.strides = {0, 2};
  c.target.offset = 5;
  const Targets targets = make_targets(c);
  for (std::size_t r = 3; r < targets.size(); ++r) EXPECT_EQ(targets[r], targets[r - 3]);
  c.target.memory = Memory::expanded;
  EXPECT_THAT(make_targets(c), testing::Each(make_targets(c).front()));
  c.target.layout = TargetLayout::out_of_range;
  c.target.row = 2;
  c.target.value = 11;
  EXPECT_THAT(make_targets(c), testing::Each(11));
  c.target.layout = TargetLayout::explicit_;
  c.target.values = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2};
  EXPECT_THAT(error_of(c), testing::HasSubstr("differ in target.values"));
}

TEST(TargetMemory, EveryMemoryLayoutOfEveryDtypeHoldsTheTargets) {
  for (const auto& memory : kNames<Memory>) {
    for (const Dtype dtype : {Dtype::int64, Dtype::int32, Dtype::uint8}) {
      Case c = make_case({3, 4, 2}, 200, 255, TargetLayout::uniform);
      c.target.memory = memory.value;
      c.target.strides = {9, 2, 1};
      c.target.dtype = dtype;
      const Targets targets = make_targets(c);
      const HostTensor tensor = lay_out_target(c, targets);
      EXPECT_EQ(tensor.dtype, dtype);
      EXPECT_EQ(tensor.sizes, c.shape);
      for (std::int64_t r = 0; r < 24; ++r) {
        EXPECT_EQ(tensor.integer(r), targets[static_cast<std::size_t>(r)]) << memory.name;
      }
    }
  }
}

TEST(TargetMemory, TargetsThatSharedElementsCannotHoldAreLaidOutContiguously) {
  Case c = make_case({3}, 5, -100, TargetLayout::constant);
  c.target.memory = Memory::expanded;
  const Targets twin = {0, 1, 0};
  const HostTensor tensor = lay_out_target(c, twin);
  EXPECT_THAT(tensor.strides, ElementsAre(1));
  for (std::int64_t r = 0; r < 3; ++r) EXPECT_EQ(tensor.integer(r), twin[static_cast<std::size_t>(r)]);
}

TEST(TargetMemory, GapsHoldAClassThatNoCaseHas) {
  Case c = make_case({2, 3}, 5, -100, TargetLayout::none);
  c.target.memory = Memory::sliced;
  const HostTensor tensor = lay_out_target(c, make_targets(c));
  const auto elements = static_cast<std::int64_t>(tensor.storage.size()) / 8;
  std::int64_t fillers = 0;
  for (std::int64_t i = 0; i < elements; ++i)
    fillers += load_int(Dtype::int64, &tensor.storage[static_cast<std::size_t>(i) * 8]) == kMax;
  EXPECT_EQ(fillers, elements - 6);
  EXPECT_GT(tensor.offset, 0);
}

}  // namespace
}  // namespace nlldiff
