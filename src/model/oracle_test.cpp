// SPDX-License-Identifier: Apache-2.0
#include "model/oracle.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "core/error.hpp"

namespace nlldiff {
namespace {

using testing::ElementsAre;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

/// Two classes or more, explicit everything, float64.
struct Example {
  Case c;
  std::vector<std::int64_t> targets;
  Example(std::vector<std::int64_t> shape, std::int64_t C, std::int64_t ignore_index, std::vector<std::int64_t> t)
      : targets(std::move(t)) {
    c.shape = std::move(shape);
    c.C = C;
    c.ignore_index = ignore_index;
    c.dtype = Dtype::float64;
    c.target.layout = TargetLayout::explicit_;
    c.target.values = targets;
  }
  [[nodiscard]] OracleForward forward() const { return oracle_forward(c, make_inputs(c, targets), targets); }
  [[nodiscard]] std::vector<double> gradient(double total_weight = 1) const {
    return oracle_backward(c, make_inputs(c, targets), targets, total_weight).gradient;
  }
  Example& input(std::vector<double> values) {
    c.input.fill = InputFill::explicit_;
    c.input.values = std::move(values);
    return *this;
  }
  Example& weight(std::vector<double> values) {
    c.weight.fill = WeightFill::explicit_;
    c.weight.values = std::move(values);
    return *this;
  }
  Example& grad(std::vector<double> values) {
    c.grad_output.fill = GradFill::explicit_;
    c.grad_output.values = std::move(values);
    return *this;
  }
  Example& reduce(Reduction reduction) {
    c.reduction = reduction;
    return *this;
  }
};

// Worked by hand: input rows (-1,-2,-3), (-4,-5,-6), (-7,-8,-9); weights 1/2, 2, 4; targets 2, ignored, 1.
Example by_hand() {
  return Example({3}, 3, 5, {2, 5, 1}).input({-1, -2, -3, -4, -5, -6, -7, -8, -9}).weight({0.5, 2, 4});
}

TEST(Oracle, NoneGivesALossARowAndTotalWeightZero) {
  const OracleForward forward = by_hand().reduce(Reduction::none).forward();
  EXPECT_THAT(forward.output, ElementsAre(12, 0, 16));
  EXPECT_EQ(forward.total_weight, 0);
  EXPECT_EQ(forward.terms, 2);
}

TEST(Oracle, SumAndMeanUseTheWeightsThatTookPart) {
  const OracleForward sum = by_hand().reduce(Reduction::sum).forward();
  EXPECT_THAT(sum.output, ElementsAre(28));
  EXPECT_EQ(sum.total_weight, 6);
  EXPECT_EQ(sum.abs_loss_sum, 28);
  EXPECT_EQ(sum.abs_weight_sum, 6);
  EXPECT_THAT(by_hand().reduce(Reduction::mean).forward().output, ElementsAre(28.0 / 6));
}

TEST(Oracle, GradientsAreMinusWeightTimesUpstream) {
  EXPECT_THAT(by_hand().reduce(Reduction::none).grad({3, 5, 7}).gradient(), ElementsAre(-12, 0, -14));
  EXPECT_THAT(by_hand().reduce(Reduction::sum).grad({3}).gradient(), ElementsAre(-12, 0, -6));
  EXPECT_THAT(by_hand().reduce(Reduction::mean).grad({3}).gradient(6), ElementsAre(-2, 0, -1));
}

TEST(Oracle, SpatialRowsReadTheirOwnCell) {
  // [N, C, D] = [2, 2, 3]: row (n, d) with class t reads cell n*6 + t*3 + d.
  Example e({2, 3}, 2, -100, {0, 1, -100, 1, 0, 1});
  e.input({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}).reduce(Reduction::none);
  EXPECT_THAT(e.forward().output, ElementsAre(-0.0, -4, 0, -9, -7, -11));
}

TEST(Oracle, AllRowsIgnoredGiveNanMeanZeroSumAndZeroGradients) {
  Example e({2}, 3, -1, {-1, -1});
  EXPECT_THAT(e.reduce(Reduction::mean).forward().output, ElementsAre(testing::NanSensitiveDoubleEq(kNan)));
  EXPECT_EQ(e.forward().total_weight, 0);
  EXPECT_THAT(e.gradient(0), ElementsAre(0, 0));
  EXPECT_THAT(e.reduce(Reduction::sum).forward().output, ElementsAre(0));
}

TEST(Oracle, OneIgnoredTargetOfShapeScalarIsNoException) {
  const Example e({}, 3, -1, {-1});
  EXPECT_TRUE(std::isnan(e.forward().output.front()));
  EXPECT_THAT(e.gradient(0), ElementsAre(0));
}

TEST(Oracle, AnEmptyBatchGivesNoRowsZeroSumAndNanMean) {
  Example e({0}, 4, -100, {});
  EXPECT_TRUE(e.reduce(Reduction::none).forward().output.empty());
  EXPECT_THAT(e.reduce(Reduction::sum).forward().output, ElementsAre(0));
  EXPECT_TRUE(std::isnan(e.reduce(Reduction::mean).forward().output.front()));
  EXPECT_TRUE(e.gradient(0).empty());
}

TEST(Oracle, NanAndInfinityComeOnlyFromSelectedCellsOfRowsThatTakePart) {
  Example e({3}, 2, 9, {0, 9, 1});
  e.input({-1, kNan, kNan, kInf, kNan, -2});
  EXPECT_THAT(e.reduce(Reduction::none).forward().output, ElementsAre(1, 0, 2));
  EXPECT_THAT(e.reduce(Reduction::sum).forward().output, ElementsAre(3));
  e.input({kInf, 0, 0, 0, 0, -2});
  EXPECT_THAT(e.forward().output, ElementsAre(-kInf));
  e.input({kInf, 0, 0, 0, 0, -kInf});
  EXPECT_TRUE(std::isnan(e.forward().output.front()));
  e.input({-1, 0, 0, 0, 0, kNan});
  EXPECT_TRUE(std::isnan(e.forward().output.front()));
}

TEST(Oracle, TotalWeightZeroDividesByZeroUnlikeAnIgnoredRow) {
  Example zero({2}, 3, -100, {0, 0});
  zero.weight({0, 1, 1}).grad({1});
  EXPECT_TRUE(std::isnan(zero.forward().output.front()));
  EXPECT_THAT(zero.gradient(0), testing::Each(testing::NanSensitiveDoubleEq(kNan)));
  Example cancelled({2}, 3, -100, {0, 1});
  cancelled.weight({1, -1, 1}).grad({1});
  EXPECT_EQ(cancelled.forward().total_weight, 0);
  EXPECT_EQ(cancelled.forward().abs_weight_sum, 2);
  EXPECT_THAT(cancelled.gradient(0), ElementsAre(-kInf, kInf));
}

TEST(Oracle, SumsAreRightWherePlainSummationIsNot) {
  // 2^53 + 1 + 1 + ... loses every 1 in float64.
  std::vector<double> values(1001, -1);
  values[0] = -0x1p53;
  Example e({1001}, 1, -100, std::vector<std::int64_t>(1001, 0));
  e.input(values);
  EXPECT_THAT(e.reduce(Reduction::sum).forward().output, ElementsAre(0x1p53 + 1000));
  // The products' own roundings count as well: 3 * (1 + 2^-52) is not a double.
  Example products({2}, 2, -100, {0, 1});
  products.weight({3, 3}).input({1 + 0x1p-52, 0, 0, -3 * 0x1p53}).reduce(Reduction::sum);
  const auto exact = static_cast<double>(3.0L * 3 * 0x1p53L - 3.0L * (1 + 0x1p-52L));
  EXPECT_THAT(products.forward().output, ElementsAre(exact));
}

TEST(Oracle, NamesTheFirstBadRowAndGivesNoAnswerForIt) {
  const Example e({4}, 3, -100, {0, -100, 3, -1});
  EXPECT_EQ(first_bad_row(e.c, e.targets), 2);
  EXPECT_THROW((void)e.forward(), Error);
  EXPECT_THROW((void)e.gradient(), Error);
  Example too_few({1}, 3, -100, {2});
  too_few.weight({1, 1});
  too_few.c.weight.length = 2;
  EXPECT_THROW((void)too_few.forward(), Error);
  EXPECT_EQ(first_bad_row(e.c, std::vector<std::int64_t>{0, 1, 2, -100}), std::nullopt);
}

TEST(Oracle, ReadsTheValuesThatTheDtypeHolds) {
  Example e({1}, 1, -100, {0});
  e.c.dtype = Dtype::float16;
  e.input({-0.1}).reduce(Reduction::none);
  EXPECT_THAT(e.forward().output, ElementsAre(-round_to(Dtype::float16, -0.1)));
}

}  // namespace
}  // namespace nlldiff
