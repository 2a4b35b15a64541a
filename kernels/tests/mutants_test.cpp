// SPDX-License-Identifier: Apache-2.0
// Every mutant is wrong where its defect says, and right where the defect cannot show; every legal kernel is right.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>
#include <set>

#include "cases.hpp"
#include "rig.hpp"

namespace nlldiff::kernels {
namespace {

using testing::HasSubstr;

/// Six rows of four classes, rows 0 and 3 ignored; per-row upstream gradients, random weights.
Case six_rows(std::int64_t ignore_index, Reduction reduction = Reduction::none) {
  Case c = with_targets(make_case({6}, 4, reduction), {ignore_index, 0, 1, ignore_index, 0, 3});
  c.ignore_index = ignore_index;
  return c;
}

/// Two samples of three pixels, the pixels of the first ignored.
Case two_samples(std::int64_t ignore_index) {
  Case c = with_targets(make_case({2, 3}, 4, Reduction::none), {ignore_index, ignore_index, 1, 0, 2, 0});
  c.ignore_index = ignore_index;
  return c;
}

std::string backward_errors(const char* file, const Case& c, const RunOptions& run = {}) {
  return errors_of_backward(c, run_backward(load_kernel(file), c, run));
}
std::string forward_errors(const char* file, const Case& c) {
  return errors_of_forward(c, run_forward(load_kernel(file), c));
}

/// Row n + 1 stores after row n where threads run in order, and repairs what row n erased.
constexpr RunOptions kReverse{.order = simt::Order::reverse};

TEST(SentinelAlias, ErasesTheNextRowsGradientWhereThatWasStoredFirst) {
  const std::string errors = backward_errors("mutant_sentinel_alias", six_rows(4), kReverse);
  EXPECT_THAT(errors, HasSubstr("grad_input[row 1, class 0] = 0 for "));
  EXPECT_THAT(errors, HasSubstr("grad_input[row 4, class 0] = 0 for "));
  EXPECT_EQ(backward_errors("mutant_sentinel_alias", six_rows(4)), "");
}

TEST(SentinelAlias, LeavesTheTensorAtMinusOneHundred) {
  EXPECT_EQ(backward_errors("mutant_sentinel_alias", six_rows(-100)), "backward: stored outside its tensors\n");
}

TEST(SentinelAlias, IsRightWhereIgnoreIndexIsAClass) {
  EXPECT_EQ(errors_of(load_kernel("mutant_sentinel_alias"), six_rows(2)), "");
}

TEST(SentinelAlias, StoresTheVictimsCellOnceMoreInTheTrace) {
  const Outcome outcome = run_backward(load_kernel("mutant_sentinel_alias"), six_rows(4));
  ASSERT_TRUE(outcome.trace.complete) << outcome.trace.why_incomplete;
  const CellCounts& stores = outcome.trace_of("grad_input").stores;
  EXPECT_EQ(stores.at(4), 3u);  // fill, row 1's gradient, row 0's alias
  EXPECT_EQ(stores.at(9), 2u);  // row 2, class 1: fill, gradient
  EXPECT_EQ(stores.at(0), 1u);
}

TEST(SentinelAlias2d, ErasesTheSamePixelOfTheNextSample) {
  const std::string errors = backward_errors("mutant_sentinel_alias_2d", two_samples(4), kReverse);
  EXPECT_THAT(errors, HasSubstr("grad_input[row 3, class 0] = 0 for "));
  EXPECT_EQ(errors.find("row 5"), std::string::npos);
}

TEST(SentinelAlias, LeavesTheOtherRanksToItsSibling) {
  EXPECT_EQ(run_backward(load_kernel("mutant_sentinel_alias"), two_samples(4)).status, NLLDIFF_UNSUPPORTED);
  EXPECT_EQ(run_backward(load_kernel("mutant_sentinel_alias_2d"), six_rows(4)).status, NLLDIFF_UNSUPPORTED);
}

TEST(TailStore, ShowsWhereTheNextSampleIsStoredFirst) {
  const Case c = six_rows(-100);
  EXPECT_THAT(backward_errors("mutant_tail_store", c, kReverse), HasSubstr("grad_input[row 1"));
  EXPECT_THAT(backward_errors("mutant_tail_store", c), HasSubstr("stored outside its tensors"));
}

TEST(TailStore, IsRightWhereTilesFitTheSample) {
  EXPECT_EQ(errors_of(load_kernel("mutant_tail_store"), make_case({5}, 32, Reduction::mean)), "");
}

TEST(OffByOneClass, StoresAtTheNextClass) {
  EXPECT_THAT(
      backward_errors("mutant_off_by_one_class", six_rows(-100)),
      testing::ContainsRegex("row 1, class 0. = 0 for ([-.0-9]+)\ngrad_input.row 1, class 1. = [-.0-9]+ for 0"));
  EXPECT_EQ(errors_of(load_kernel("mutant_off_by_one_class"), make_case({5}, 1, Reduction::none)), "");
}

TEST(MeanByRows, CountsIgnoredRows) {
  Case c = six_rows(-100, Reduction::mean);
  c.weight.fill = WeightFill::none;
  EXPECT_THAT(forward_errors("mutant_mean_by_rows", c), HasSubstr("output[0]"));
  EXPECT_THAT(backward_errors("mutant_mean_by_rows", c), HasSubstr("grad_input[row 1, class 0]"));
  c.target.layout = TargetLayout::none;
  EXPECT_EQ(errors_of(load_kernel("mutant_mean_by_rows"), c), "");
}

TEST(MissingWeight, ShowsWhereWeightsAreNotOne) {
  for (const Reduction reduction : kReductions) {
    Case c = six_rows(-100, reduction);
    EXPECT_NE(forward_errors("mutant_missing_weight", c), "");
    EXPECT_NE(backward_errors("mutant_missing_weight", c), "");
    c.weight.fill = WeightFill::ones;
    EXPECT_EQ(errors_of(load_kernel("mutant_missing_weight"), c), "");
  }
}

TEST(GradOutputScalar, ShowsWhereRowsDiffer) {
  Case c = six_rows(-100);
  EXPECT_NE(backward_errors("mutant_grad_output_scalar", c), "");
  c.grad_output.fill = GradFill::ones;
  EXPECT_EQ(errors_of(load_kernel("mutant_grad_output_scalar"), c), "");
}

TEST(UnwrittenRows, LeavesIgnoredRowsAsTheyWere) {
  EXPECT_THAT(backward_errors("mutant_unwritten_rows", six_rows(-100)),
              testing::ContainsRegex("row 0, class 0. = -?nan for 0"));
  Case c = six_rows(-100);
  c.target.layout = TargetLayout::none;
  EXPECT_EQ(errors_of(load_kernel("mutant_unwritten_rows"), c), "");
}

TEST(RaceSum, StoresTheLossFromManyThreads) {
  const Outcome outcome = run_forward(load_kernel("mutant_race_sum"), make_case({600}, 4, Reduction::sum));
  EXPECT_GT(outcome.trace_of("output").stores.at(0), 100u);
  EXPECT_EQ(outcome.trace_of("output").contested_total, 1);
  EXPECT_EQ(errors_of(load_kernel("mutant_race_sum"), six_rows(-100)), "");
}

TEST(Offset16Bit, ShowsBeyond65536Cells) {
  EXPECT_NE(backward_errors("mutant_offset_16bit", make_case({700}, 100, Reduction::none)), "");
  EXPECT_EQ(backward_errors("mutant_offset_16bit", make_case({600}, 100, Reduction::none)), "");
}

constexpr std::array kMutants{"sentinel_alias", "sentinel_alias_2d", "tail_store",         "off_by_one_class",
                              "mean_by_rows",   "missing_weight",    "grad_output_scalar", "unwritten_rows",
                              "race_sum",       "offset_16bit"};

TEST(Mutants, AreNamedAfterTheirFilesAndSayTheirDefect) {
  std::set<std::string> descriptions;
  for (const char* name : kMutants) {
    const nlldiff_kernel& kernel = load_kernel(fmt::format("mutant_{}", name));
    EXPECT_EQ(kernel.name, fmt::format("mutant:{}", name));
    EXPECT_TRUE(descriptions.insert(kernel.description).second) << kernel.description;
  }
}

TEST(Mutants, RefuseTheDtypesThatTheyDoNotCompile) {
  for (const char* name : kMutants) {
    Case c = six_rows(-100);
    if (std::string_view(name) == "sentinel_alias_2d") c = two_samples(-100);
    c.dtype = Dtype::float64;
    const Outcome outcome = run_backward(load_kernel(fmt::format("mutant_{}", name)), c);
    EXPECT_EQ(outcome.status, NLLDIFF_UNSUPPORTED) << name;
    EXPECT_THAT(outcome.error, HasSubstr("no code for dtype code 0"));
  }
}

TEST(Mutants, RefuseABadTargetLikeAnyKernel) {
  Case c = with_targets(make_case({3}, 4, Reduction::sum), {0, 7, 9});
  EXPECT_EQ(run_backward(load_kernel("mutant_missing_weight"), c).error,
            "target[1] = 7 is neither in [0, 4) nor ignore_index = -100");
  EXPECT_EQ(run_forward(load_kernel("mutant_missing_weight"), c).status, NLLDIFF_REJECTED);
}

// ---- legal kernels ----

class Legal : public testing::TestWithParam<const char*> {};

TEST_P(Legal, IsRightInEveryOrderOfBlocksAndThreads) {
  const nlldiff_kernel& kernel = load_kernel(fmt::format("legal_{}", GetParam()));
  EXPECT_EQ(kernel.name, fmt::format("legal:{}", GetParam()));
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{}, {0}, {1}, {201}, {3, 5}, {300, 2}})
    for (const std::int64_t classes : {1, 4, 37})
      for (const Reduction reduction : kReductions) {
        Case c = make_case(shape, classes, reduction);
        c.ignore_index = classes;
        SCOPED_TRACE(fmt::format("shape [{}], C {}, {}", fmt::join(shape, ","), classes, name_of(reduction)));
        EXPECT_EQ(errors_of(kernel, c), "");
        EXPECT_EQ(errors_of(kernel, c, kReverse), "");
        EXPECT_EQ(errors_of(kernel, c, {.order = simt::Order::seeded, .seed = 9}), "");
      }
}

TEST_P(Legal, IsRightWhereEveryRowIsIgnoredOrNone) {
  const nlldiff_kernel& kernel = load_kernel(fmt::format("legal_{}", GetParam()));
  for (const TargetLayout layout : {TargetLayout::all, TargetLayout::none, TargetLayout::collide})
    for (const Reduction reduction : kReductions) {
      Case c = make_case({70, 2}, 5, reduction);
      c.target.layout = layout;
      c.ignore_index = 5;
      EXPECT_EQ(errors_of(kernel, c), "");
    }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Legal,
                         testing::Values("textbook", "compacting", "sorting", "tile_counter", "fused_one_pass",
                                         "one_block", "extra_pass"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace nlldiff::kernels
