// SPDX-License-Identifier: Apache-2.0
// The value detector and the judge of a tensor.
#include <cmath>
#include <limits>
#include <numeric>

#include "detect/tensor_judge.hpp"
#include "detect/test_evidence.hpp"

namespace nlldiff::detect_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

constexpr std::array kAllFloats{Dtype::float64, Dtype::float32, Dtype::float16, Dtype::bfloat16};

/// The value of `dtype` next to `value`: upwards or downwards.
double neighbour(Dtype dtype, double value, int direction) {
  double step = std::fabs(value);
  while (round_to(dtype, value + direction * step / 2) != value) step /= 2;
  return round_to(dtype, value + direction * step);
}

/// Puts `value` into a cell of grad_input in both runs of the case and says what is found.
std::vector<std::string> with_gradient(Bench& bench, std::int64_t cell, double value) {
  for (const CandidateRun* run : {&bench.e.case_run, &bench.e.case_again})
    Bench::put(run->backward.grad_input, cell, value);
  return summary(detect_value(bench.e));
}
std::vector<std::string> with_gradient(const Case& c, std::int64_t cell, double value) {
  Bench bench(c);
  return with_gradient(bench, cell, value);
}

TEST(Value, ARightCandidateHasNoFindingInAnyDtypeAndReduction) {
  for (const Dtype dtype : kAllFloats)
    for (const Reduction reduction : {Reduction::none, Reduction::mean, Reduction::sum}) {
      Case c = founding_case(reduction);
      c.dtype = dtype;
      EXPECT_THAT(summary(detect_value(Bench(c).e)), IsEmpty());
    }
}

TEST(Value, EveryCellIsCountedAndTheHistogramAddsUp) {
  for (const Case& c : {founding_case(), founding_case(Reduction::mean),
                        make_case({3, 7}, 50, -100, std::vector<std::int64_t>(21, -100))}) {
    Bench bench(c);
    Bench::put(bench.e.case_run.backward.grad_input, 3, 0.5);
    const auto detection = detect_value(bench.e);
    ASSERT_EQ(detection.comparisons.size(), 3u);
    for (const TensorComparison& seen : detection.comparisons) {
      const std::int64_t cells = seen.tensor == "grad_input" ? bench.e.geometry.cells()
                                 : seen.tensor == "output"   ? bench.e.case_run.forward.output.cells
                                                             : 1;
      EXPECT_EQ(seen.compared, cells) << seen.tensor;
      std::int64_t finite = std::accumulate(seen.ulp_histogram.begin(), seen.ulp_histogram.end(), std::int64_t{0});
      EXPECT_EQ(finite, cells) << seen.tensor;
      EXPECT_FALSE(seen.limit.empty());
    }
  }
}

TEST(Value, ZeroUlpsFailsOnBothSidesInEveryDtype) {
  for (const Dtype dtype : kAllFloats) {
    Case c = founding_case();
    c.dtype = dtype;
    const double right = Bench(c).e.case_run.backward.grad_input.value(4);
    ASSERT_NE(right, 0);
    EXPECT_THAT(with_gradient(c, 4, right), IsEmpty());
    for (const int direction : {-1, 1})
      EXPECT_THAT(with_gradient(c, 4, neighbour(dtype, right, direction)), ElementsAre("wrong grad_input 1"));
  }
}

TEST(Value, AMeanGradientMayBeTwoStepsOffAndNotThree) {
  const Case c = founding_case(Reduction::mean);
  double up = Bench(c).e.case_run.backward.grad_input.value(4), down = up;
  for (int steps = 1; steps <= 3; ++steps) {
    up = neighbour(Dtype::float32, up, 1);
    down = neighbour(Dtype::float32, down, -1);
    for (const double value : {up, down}) EXPECT_EQ(with_gradient(c, 4, value).empty(), steps <= 2) << steps;
  }
}

TEST(Value, ALostGradientIsCalledSo) {
  const auto found = with_gradient(founding_case(), 4, 0);
  EXPECT_THAT(found, ElementsAre("lost_gradient grad_input 1"));
  EXPECT_THAT(with_gradient(founding_case(), 4, -0.0), ElementsAre("lost_gradient grad_input 1"));
}

TEST(Value, AnythingButZeroOffTheSupportIsAFinding) {
  for (const double value : {1e-45, -1.0, kInf}) {
    const auto found = with_gradient(founding_case(), 1, value);
    EXPECT_THAT(found, ElementsAre(value == kInf ? "nonfinite grad_input 1" : "off_support grad_input 1")) << value;
  }
  EXPECT_THAT(with_gradient(founding_case(), 1, -0.0), IsEmpty()) << "-0 is 0";
}

TEST(Value, AnIgnoredRowHasNoSupport) {
  // Row 0 is ignored; ignore_index 2 is a class, and its cell must hold 0 all the same.
  EXPECT_THAT(with_gradient(make_case({2}, 4, 2, {2, 1}), 2, -1), ElementsAre("off_support grad_input 1"));
}

TEST(Value, ANaNIsAFindingInAnyCell) {
  EXPECT_THAT(with_gradient(founding_case(), 4, kNaN), ElementsAre("nonfinite grad_input 1"));
  EXPECT_THAT(with_gradient(founding_case(), 1, kNaN), ElementsAre("nonfinite grad_input 1"));
}

/// The gradient of row 0 is `gradient`, by way of the upstream gradient.
Case case_with_gradient(double gradient) {
  Case c = make_case({2}, 2, -100, {0, 1});
  c.grad_output.fill = GradFill::explicit_;
  c.grad_output.values = {-gradient, 1};
  return c;
}

TEST(Value, NaNIsRightWhereTheOracleHasOne) {
  EXPECT_THAT(with_gradient(case_with_gradient(kNaN), 0, kNaN), IsEmpty());
  EXPECT_THAT(with_gradient(case_with_gradient(kNaN), 0, 3), ElementsAre("nonfinite grad_input 1"));
  EXPECT_THAT(with_gradient(case_with_gradient(kNaN), 0, 0), ElementsAre("nonfinite grad_input 1"));
}

TEST(Value, AnInfinityMustHaveItsSign) {
  EXPECT_THAT(with_gradient(case_with_gradient(kInf), 0, kInf), IsEmpty());
  EXPECT_THAT(with_gradient(case_with_gradient(kInf), 0, -kInf), ElementsAre("wrong grad_input 1"));
  EXPECT_THAT(with_gradient(case_with_gradient(kInf), 0, std::numeric_limits<float>::max()),
              ElementsAre("nonfinite grad_input 1"));
}

// ---- unwritten ----

TEST(Value, ACellWithBothPoisonsWasNeverWritten) {
  Bench bench(founding_case());
  for (const CandidateRun* run : {&bench.e.case_run, &bench.e.case_again})
    for (const std::int64_t cell : {0, 1, 2, 3}) Bench::poison(run->backward.grad_input, cell, run->poison);
  const auto detection = detect_value(bench.e);
  ASSERT_THAT(summary(detection), ElementsAre("unwritten grad_input 4"));
  EXPECT_THAT(detection.findings[0].message, HasSubstr("were never written"));
}

TEST(Value, OnePoisonAloneMayHaveBeenWritten) {
  Bench bench(founding_case());
  Bench::poison(bench.e.case_run.backward.grad_input, 4, bench.e.case_run.poison);
  EXPECT_THAT(summary(detect_value(bench.e)), ElementsAre("nonfinite grad_input 1"));
}

TEST(Value, TheSamePatternInBothRunsWasWritten) {
  Bench bench(founding_case());
  for (const CandidateRun* run : {&bench.e.case_run, &bench.e.case_again})
    Bench::poison(run->backward.grad_input, 4, 0xff);
  EXPECT_THAT(summary(detect_value(bench.e)), ElementsAre("nonfinite grad_input 1"));
}

TEST(Value, UnwrittenLossesAreSeenToo) {
  Bench bench(founding_case(Reduction::mean));
  for (const CandidateRun* run : {&bench.e.case_run, &bench.e.case_again}) {
    Bench::poison(run->forward.output, 0, run->poison);
    Bench::poison(run->forward.total_weight, 0, run->poison);
  }
  EXPECT_THAT(summary(detect_value(bench.e)), ElementsAre("unwritten output 1", "unwritten total_weight 1"));
}

// ---- runs and sides ----

TEST(Value, AnErrorOfTheReverseOrderAloneIsSeenAndSaid) {
  Bench bench(founding_case());
  Bench::put(bench.e.case_again.backward.grad_input, 4, 0);
  const auto detection = detect_value(bench.e);
  ASSERT_THAT(summary(detection), ElementsAre("lost_gradient grad_input 1"));
  EXPECT_THAT(detection.findings[0].message, HasSubstr("only when blocks and threads run in reverse order"));
}

TEST(Value, TheSameErrorInBothOrdersIsOneFinding) { EXPECT_EQ(with_gradient(founding_case(), 4, 7).size(), 1u); }

TEST(Value, AWrongReferenceIsANoteAndNoFinding) {
  Bench bench(founding_case());
  bench.e.reference_backward = bench.copy(bench.e.case_run.backward);
  Bench::put(bench.e.reference_backward->grad_input, 4, 9);
  Bench::put(bench.e.reference_backward->grad_input, 3, 9);
  const auto detection = detect_value(bench.e);
  EXPECT_THAT(summary(detection), IsEmpty());
  EXPECT_THAT(detection.note, HasSubstr("the reference (ATen) itself is outside the limit in 2 cells of grad_input"));
}

TEST(Value, AReferenceThatIsWrongAlikeExcusesNothing) {
  Bench bench(founding_case());
  for (const CandidateRun* run : {&bench.e.case_run, &bench.e.case_again}) Bench::put(run->backward.grad_input, 4, 9);
  bench.e.reference_backward = bench.copy(bench.e.case_run.backward);
  EXPECT_THAT(summary(detect_value(bench.e)), ElementsAre("wrong grad_input 1"));
}

TEST(Value, TheCandidatesOwnTotalWeightIsJudgedByItsOwnOracle) {
  Bench bench(founding_case(Reduction::mean));
  bench.e.own_total_weight = bench.copy(bench.e.case_run.backward);
  bench.e.own_total_weight_value = bench.e.total_weight_given;
  EXPECT_THAT(summary(detect_value(bench.e)), IsEmpty());
  bench.e.own_total_weight_value = 2 * bench.e.total_weight_given;
  const auto detection = detect_value(bench.e);
  ASSERT_THAT(summary(detection), ElementsAre("wrong grad_input 4"));
  EXPECT_THAT(detection.findings[0].message, HasSubstr("fed with its own total_weight"));
}

TEST(Value, APassThatDidNotReturnIsNotCompared) {
  Bench bench(founding_case());
  bench.e.case_run.backward.outcome = {CallStatus::unsupported, "no"};
  bench.e.case_again.backward.outcome = {CallStatus::unsupported, "no"};
  const auto detection = detect_value(bench.e);
  EXPECT_EQ(detection.comparisons.size(), 2u);
  EXPECT_THAT(summary(detection), IsEmpty());
}

// ---- the judge alone ----

TEST(TensorJudge, KeepsTheWorstFiniteCell) {
  std::vector<float> values{1.0F, std::nextafterf(1.0F, 2.0F), std::numeric_limits<float>::infinity()};
  TensorJudge::Subject subject{.pass = Pass::backward,
                               .tensor = "grad_input",
                               .candidate = {Dtype::float32, reinterpret_cast<const std::byte*>(values.data()), 3},
                               .reference = {},
                               .other_run = {}};
  Limit limit;
  limit.text = "0 ULP";
  TensorJudge judge(std::move(subject), limit);
  for (std::int64_t cell = 0; cell < 3; ++cell) judge.judge({cell, cell, 0}, 1, FindingKind::wrong);
  EXPECT_EQ(judge.comparison().max_ulps, 1u);
  ASSERT_TRUE(judge.comparison().worst);
  EXPECT_EQ(judge.comparison().worst->cell, 1);
  EXPECT_EQ(judge.comparison().mismatches, 2);
}

TEST(TensorJudge, ListsSixteenCellsAndCountsAll) {
  const std::vector<float> values(100, 3.0F);
  TensorJudge::Subject subject{.pass = Pass::backward,
                               .tensor = "grad_input",
                               .candidate = {Dtype::float32, reinterpret_cast<const std::byte*>(values.data()), 100},
                               .reference = {},
                               .other_run = {}};
  TensorJudge judge(std::move(subject), Limit{});
  for (std::int64_t cell = 0; cell < 100; ++cell) judge.judge({cell, cell, 0}, 1, FindingKind::wrong);
  const auto findings = judge.findings({100, 1, 1}, "");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].count, 100);
  EXPECT_EQ(findings[0].cells.size(), kMaxFindingCells);
}

TEST(UlpBucket, DoublesFromBucketToBucketAndTheLastIsOpen) {
  const std::vector<std::pair<std::uint64_t, std::size_t>> expected{{0, 0},
                                                                    {1, 1},
                                                                    {2, 2},
                                                                    {3, 3},
                                                                    {4, 3},
                                                                    {5, 4},
                                                                    {8, 4},
                                                                    {9, 5},
                                                                    {16, 5},
                                                                    {512, 10},
                                                                    {513, 11},
                                                                    {1 << 20, 11},
                                                                    {std::numeric_limits<std::uint64_t>::max(), 11}};
  for (const auto& [ulps, bucket] : expected) EXPECT_EQ(ulp_bucket(ulps), bucket) << ulps;
}

}  // namespace
}  // namespace nlldiff::detect_test
