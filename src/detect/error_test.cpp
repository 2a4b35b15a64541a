// SPDX-License-Identifier: Apache-2.0
// The detectors `error` and `input`.
#include "detect/test_evidence.hpp"

namespace nlldiff::detect_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Case bad_target_case() {
  Case c = make_case({3}, 4, -100, {0, 7, 1}, Reduction::sum);
  c.expect = Expect::reject;
  return c;
}

void answer(Bench& bench, CallStatus status, const std::string& sentence = "no") {
  for (CandidateRun* run : {&bench.e.case_run, &bench.e.case_again})
    run->forward.outcome = run->backward.outcome = {status, sentence};
}

TEST(Error, AResultForALegalInputIsFine) { EXPECT_THAT(summary(detect_error(Bench(founding_case()).e)), IsEmpty()); }

TEST(Error, RefusingALegalInputIsAFindingForEachPass) {
  Bench bench(founding_case());
  answer(bench, CallStatus::rejected, "I do not like it");
  const auto detection = detect_error(bench.e);
  EXPECT_THAT(summary(detection), ElementsAre("raised  1", "raised  1"));
  EXPECT_THAT(detection.findings.at(0).message, HasSubstr("forward refused a legal input: I do not like it"));
}

TEST(Error, SayingUnsupportedIsNoFinding) {
  Bench bench(founding_case());
  answer(bench, CallStatus::unsupported);
  EXPECT_THAT(summary(detect_error(bench.e)), IsEmpty());
}

TEST(Error, RefusingABadTargetIsFine) {
  Bench bench(bad_target_case());
  answer(bench, CallStatus::rejected);
  EXPECT_THAT(summary(detect_error(bench.e)), IsEmpty());
}

TEST(Error, AResultForABadTargetIsAFindingThatNamesRowAndValue) {
  Bench bench(bad_target_case());
  answer(bench, CallStatus::ok);
  const auto detection = detect_error(bench.e);
  EXPECT_THAT(summary(detection), ElementsAre("not_raised  1", "not_raised  1"));
  EXPECT_THAT(detection.findings.at(0).message, HasSubstr("target[1] = 7 is neither in [0, 4) nor ignore_index -100"));
}

TEST(Error, FailingIsAFindingWhateverWasExpected) {
  for (const Case& c : {founding_case(), bad_target_case()}) {
    Bench bench(c);
    answer(bench, CallStatus::failed, "launch error");
    EXPECT_THAT(summary(detect_error(bench.e)), ElementsAre("raised  1", "raised  1"));
  }
}

TEST(Error, ARefusalInTheSecondRunAloneIsAFinding) {
  Bench bench(founding_case());
  bench.e.case_again.backward.outcome = {CallStatus::rejected, "only sometimes"};
  EXPECT_THAT(summary(detect_error(bench.e)), ElementsAre("raised  1"));
}

TEST(Error, AResultInTheSecondRunAloneIsAFinding) {
  Bench bench(bad_target_case());
  answer(bench, CallStatus::rejected);
  bench.e.case_again.forward.outcome = {CallStatus::ok, ""};
  EXPECT_THAT(summary(detect_error(bench.e)), ElementsAre("not_raised  1"));
}

TEST(Error, APassThatTheCaseDoesNotAskForIsNotJudged) {
  Case c = founding_case();
  c.passes = Passes::forward;
  Bench bench(c);
  bench.e.case_run.backward.outcome = {CallStatus::rejected, "not asked"};
  EXPECT_THAT(summary(detect_error(bench.e)), IsEmpty());
}

// ---- input ----

struct Images {
  std::vector<float> before = std::vector<float>(24, 1.0F), after = before;
  void give(PassRun& run) const {
    run.inputs.push_back({"input", reinterpret_cast<const std::byte*>(before.data()),
                          reinterpret_cast<const std::byte*>(after.data()), before.size() * sizeof(float),
                          Dtype::float32});
  }
};

TEST(Input, UnchangedInputsAreFine) {
  Bench bench(founding_case());
  const Images images;
  images.give(bench.e.case_run.backward);
  EXPECT_THAT(summary(detect_input(bench.e)), IsEmpty());
}

TEST(Input, TheFirstChangedElementIsNamedAndAllAreCounted) {
  Bench bench(founding_case());
  Images images;
  images.after[7] = images.after[20] = 2;
  images.give(bench.e.case_run.backward);
  const auto detection = detect_input(bench.e);
  ASSERT_THAT(summary(detection), ElementsAre("input_changed input 2"));
  EXPECT_EQ(detection.findings[0].cells.at(0).cell, 7);
  EXPECT_THAT(detection.findings[0].message, HasSubstr("changed 2 of 24 elements of its input `input`"));
}

TEST(Input, BitsCountNotValues) {
  Bench bench(founding_case());
  Images images;
  images.before.assign(24, 0.0F);
  images.after = images.before;
  images.after[3] = -0.0F;
  images.give(bench.e.case_run.forward);
  EXPECT_THAT(summary(detect_input(bench.e)), ElementsAre("input_changed input 1"));
}

TEST(Input, AChangeInTheSecondRunAloneIsSeen) {
  Bench bench(founding_case());
  Images images;
  images.after[0] = 5;
  images.give(bench.e.case_again.forward);
  EXPECT_THAT(summary(detect_input(bench.e)), ElementsAre("input_changed input 1"));
}

TEST(Input, WhatNobodyCouldReadAfterwardsIsNotJudged) {
  Bench bench(founding_case());
  const Images images;
  images.give(bench.e.case_run.forward);
  bench.e.case_run.forward.inputs[0].after = nullptr;
  EXPECT_THAT(summary(detect_input(bench.e)), IsEmpty());
}

}  // namespace
}  // namespace nlldiff::detect_test
