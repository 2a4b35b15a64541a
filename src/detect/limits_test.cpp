// SPDX-License-Identifier: Apache-2.0
#include "detect/limits.hpp"

#include <cmath>
#include <limits>

#include "detect/test_evidence.hpp"

namespace nlldiff::detect_test {
namespace {

using testing::HasSubstr;

constexpr double kHuge = 3e38;

/// `rows` rows of one class; the input's cells have these values, in turn.
Case sum_case(std::int64_t rows, std::vector<double> values, Reduction reduction, Dtype dtype = Dtype::float32) {
  Case c = make_case({rows}, 1, -100, std::vector<std::int64_t>(static_cast<std::size_t>(rows), 0), reduction);
  c.dtype = dtype;
  c.input.fill = InputFill::explicit_;
  for (std::int64_t i = 0; i < rows; ++i) c.input.values.push_back(values[static_cast<std::size_t>(i) % values.size()]);
  return c;
}

/// One row a class, so that each row has its own weight.
Case weighted_case(std::vector<double> weights, Reduction reduction) {
  const auto n = static_cast<std::int64_t>(weights.size());
  Case c = make_case({n}, n, -100, {}, reduction);
  for (std::int64_t i = 0; i < n; ++i) c.target.values.push_back(i);
  c.input.fill = InputFill::constant;
  c.input.value = -1;
  c.weight.fill = WeightFill::explicit_;
  c.weight.values = std::move(weights);
  return c;
}

/// What the value detector says when the loss is `value`.
std::vector<std::string> verdict_on(const Case& c, double loss) {
  Bench bench(c);
  for (const CandidateRun* run : {&bench.e.case_run, &bench.e.case_again}) Bench::put(run->forward.output, 0, loss);
  return summary(detect_value(bench.e));
}

double next(double value, int steps) {
  auto x = static_cast<float>(value);
  for (int i = 0; i < std::abs(steps); ++i)
    x = std::nextafterf(x,
                        steps > 0 ? std::numeric_limits<float>::infinity() : -std::numeric_limits<float>::infinity());
  return static_cast<double>(x);
}

// ---- gradients and losses a row ----

TEST(GradientLimit, IsZeroUlpsForOneProductAndTwoForAQuotient) {
  for (const Reduction reduction : {Reduction::none, Reduction::sum})
    EXPECT_EQ(gradient_limit(founding_case(reduction)).ulps, 0u);
  EXPECT_EQ(gradient_limit(founding_case(Reduction::mean)).ulps, 2u);
  EXPECT_EQ(row_loss_limit(founding_case()).ulps, 0u);
}

TEST(GradientLimit, TheCasesOwnToleranceGoesBefore) {
  Case c = founding_case(Reduction::mean);
  c.tolerance = 7;
  Bench bench(c);
  for (const Limit& limit : {gradient_limit(c), row_loss_limit(c), loss_limit(bench.e), total_weight_limit(bench.e)}) {
    EXPECT_EQ(limit.ulps, 7u);
    EXPECT_FALSE(limit.interval);
    EXPECT_THAT(limit.text, HasSubstr("the case's tolerance"));
  }
}

// ---- sums ----

TEST(LossLimit, AnExactSumAllowsOnePointOnly) {
  const Case c = sum_case(1000, {-0.5, -0.25, -3}, Reduction::sum);
  Bench bench(c);
  const Limit limit = loss_limit(bench.e);
  ASSERT_TRUE(limit.interval);
  EXPECT_EQ(limit.interval->low, limit.interval->high);
  EXPECT_THAT(limit.text, HasSubstr("1000 terms that add up exactly in any order"));
  const double right = limit.interval->low;
  EXPECT_TRUE(verdict_on(c, right).empty());
  for (const int step : {-1, 1}) EXPECT_EQ(verdict_on(c, next(right, step)).size(), 1u) << step;
}

TEST(LossLimit, OneTermIsRoundedOnce) {
  const Case c = sum_case(1, {-0.1}, Reduction::sum);
  EXPECT_TRUE(verdict_on(c, static_cast<double>(0.1F)).empty());
  EXPECT_EQ(verdict_on(c, next(0.1, 1)).size(), 1u);
}

/// The bound of n float32 terms of -0.1, from its formula: min(n, 8 sqrt(n)) 2^-24 sum|x|.
class SumBound : public testing::TestWithParam<std::int64_t> {};

TEST_P(SumBound, PassesJustInsideAndFailsJustOutside) {
  const std::int64_t n = GetParam();
  const Case c = sum_case(n, {-0.1}, Reduction::sum);
  const auto terms = static_cast<double>(n), sum = terms * static_cast<double>(0.1F);
  const double bound = std::min(terms, 8 * std::sqrt(terms)) * std::ldexp(1.0, -24) * sum;
  for (const double side : {-1.0, 1.0}) {
    const double edge = static_cast<double>(static_cast<float>(sum + side * bound));
    EXPECT_TRUE(verdict_on(c, edge).empty()) << "on the edge";
    EXPECT_TRUE(verdict_on(c, next(edge, side > 0 ? -1 : 1)).empty()) << "inside";
    EXPECT_EQ(verdict_on(c, next(edge, side > 0 ? 1 : -1)).size(), 1u) << "outside";
  }
}
INSTANTIATE_TEST_SUITE_P(Terms, SumBound, testing::Values(2, 10, 64, 65, 1000, 20000));

TEST(LossLimit, Float64SumsAreJudgedInFloat64) {
  const Case c = sum_case(100, {-0.1}, Reduction::sum, Dtype::float64);
  EXPECT_TRUE(verdict_on(c, 100 * 0.1).empty());
  EXPECT_EQ(verdict_on(c, 100 * static_cast<double>(0.1F)).size(), 1u);
}

TEST(LossLimit, HalfTypesMustAccumulateInFloat32) {
  // 4,096 times 0.5 is exact in float32 but stops growing in bfloat16 at 128. A partial sum may be rounded once.
  const Case c = sum_case(4096, {-0.5}, Reduction::sum, Dtype::bfloat16);
  for (const double allowed : {2048.0, 2080.0, 2016.0}) EXPECT_TRUE(verdict_on(c, allowed).empty()) << allowed;
  for (const double wrong : {128.0, 1980.0, 2112.0}) EXPECT_EQ(verdict_on(c, wrong).size(), 1u) << wrong;
}

TEST(LossLimit, AnInfiniteLossMustHaveItsSign) {
  Case c = sum_case(3, {-std::numeric_limits<double>::infinity()}, Reduction::sum);
  EXPECT_TRUE(verdict_on(c, std::numeric_limits<double>::infinity()).empty());
  EXPECT_EQ(verdict_on(c, -std::numeric_limits<double>::infinity()).size(), 1u);
  EXPECT_EQ(verdict_on(c, kHuge), (std::vector<std::string>{"nonfinite output 1"}));
}

// ---- means ----

TEST(MeanLimit, AnExactQuotientLeavesRoomForItsRoundingOnly) {
  const Case c = sum_case(4, {-1}, Reduction::mean);
  EXPECT_TRUE(verdict_on(c, 1).empty());
  EXPECT_EQ(verdict_on(c, next(1, 3)).size(), 1u);
  EXPECT_EQ(verdict_on(c, next(1, -4)).size(), 1u);
}

TEST(MeanLimit, AllIgnoredIsNaNAndNothingElse) {
  const Case c = make_case({2}, 3, -100, {-100, -100}, Reduction::mean);
  EXPECT_TRUE(verdict_on(c, std::numeric_limits<double>::quiet_NaN()).empty());
  EXPECT_EQ(verdict_on(c, 0), (std::vector<std::string>{"nonfinite output 1"}));
}

TEST(MeanLimit, OneIgnoredRowWithoutABatchMayAnswerZeroAsATenDoesOnCuda) {
  const Case c = make_case({}, 3, -100, {-100}, Reduction::mean);
  for (const double allowed : {0.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_TRUE(verdict_on(c, allowed).empty()) << allowed;
  EXPECT_EQ(verdict_on(c, 1).size(), 1u);
}

TEST(MeanLimit, ATotalWeightThatMayBeZeroCannotBeJudged) {
  const Case c = weighted_case({0.1, 0.2, -0.3}, Reduction::mean);
  Bench bench(c);
  EXPECT_THAT(loss_limit(bench.e).cannot_judge, HasSubstr("may be 0"));
  for (const double anything :
       {0.0, 1e30, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    EXPECT_TRUE(verdict_on(c, anything).empty()) << anything;
}

TEST(MeanLimit, WhatCannotBeJudgedMustStillBeWritten) {
  Bench bench(weighted_case({0.1, 0.2, -0.3}, Reduction::mean));
  for (const CandidateRun* run : {&bench.e.case_run, &bench.e.case_again})
    Bench::poison(run->forward.output, 0, run->poison);
  EXPECT_EQ(summary(detect_value(bench.e)), (std::vector<std::string>{"unwritten output 1"}));
}

TEST(MeanLimit, SumsThatMayOverflowCannotBeJudged) {
  for (const Reduction reduction : {Reduction::sum, Reduction::mean}) {
    Bench bench(sum_case(3, {-kHuge}, reduction));
    EXPECT_THAT(loss_limit(bench.e).cannot_judge, HasSubstr("overflow"));
  }
  Bench wide(sum_case(3, {-kHuge}, Reduction::sum, Dtype::float64));
  EXPECT_EQ(loss_limit(wide.e).cannot_judge, "");
}

// ---- total_weight ----

TEST(TotalWeightLimit, IsExactWithoutWeights) {
  Bench bench(sum_case(1000, {-1}, Reduction::mean));
  const Limit limit = total_weight_limit(bench.e);
  ASSERT_TRUE(limit.interval);
  EXPECT_EQ(limit.interval->low, 1000);
  EXPECT_EQ(limit.interval->high, 1000);
}

TEST(TotalWeightLimit, NobodyReadsItUnderReductionNone) {
  Bench bench(founding_case());
  EXPECT_THAT(total_weight_limit(bench.e).cannot_judge, HasSubstr("nothing reads total_weight under none"));
  for (const CandidateRun* run : {&bench.e.case_run, &bench.e.case_again})
    Bench::poison(run->forward.total_weight, 0, run->poison);
  EXPECT_TRUE(summary(detect_value(bench.e)).empty());
}

TEST(TotalWeightLimit, CountsTheRowsThatTakePartAndNoOther) {
  Bench bench(founding_case(Reduction::sum));
  for (const CandidateRun* run : {&bench.e.case_run, &bench.e.case_again}) Bench::put(run->forward.total_weight, 0, 6);
  EXPECT_EQ(summary(detect_value(bench.e)), (std::vector<std::string>{"wrong total_weight 1"}));
}

}  // namespace
}  // namespace nlldiff::detect_test
