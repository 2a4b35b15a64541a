// SPDX-License-Identifier: Apache-2.0
// From what the detectors said to one verdict.
#include "worker/verdict.hpp"

#include "detect/test_evidence.hpp"

namespace nlldiff::detect_test {
namespace {

using testing::HasSubstr;

/// A bench whose two runs answered `status` in both passes.
struct Answered : Bench {
  explicit Answered(CallStatus status = CallStatus::ok) : Bench(founding_case()) {
    for (CandidateRun* run : {&e.case_run, &e.case_again})
      for (PassRun* pass : {&run->forward, &run->backward})
        pass->outcome = {status, status == CallStatus::ok ? "" : "its own words"};
  }
  [[nodiscard]] CaseResult judge(const std::vector<Detection>& detections, bool tracer_sees = true) const {
    CaseResult result;
    std::vector<Look> looks;
    for (const Detection& detection : detections) looks.push_back({"some detector", detection});
    give_verdict(e, looks, tracer_sees, result);
    return result;
  }
};

Detection with_finding() {
  Detection detection;
  detection.findings.emplace_back().message = "what it found";
  return detection;
}
Detection blind() {
  Detection detection;
  detection.could_not_judge = "no light";
  return detection;
}
Detection contradicted() {
  Detection detection;
  detection.inconclusive = "one says so, one says no";
  return detection;
}

TEST(Verdict, NothingFoundIsAPassWithoutAReason) {
  const CaseResult result = Answered().judge({Detection{}, Detection{}});
  EXPECT_EQ(result.verdict, Verdict::pass);
  EXPECT_EQ(result.reason, "");
  EXPECT_EQ(result.detectors.size(), 2u);
}

TEST(Verdict, AFindingGoesBeforeEverything) {
  const CaseResult result = Answered().judge({blind(), contradicted(), with_finding()});
  EXPECT_EQ(result.verdict, Verdict::fail);
  EXPECT_EQ(result.reason, "what it found");
  EXPECT_EQ(result.findings.size(), 1u);
}

TEST(Verdict, AFindingGoesBeforeUnsupported) {
  EXPECT_EQ(Answered(CallStatus::unsupported).judge({with_finding()}).verdict, Verdict::fail);
}

TEST(Verdict, RunsThatContradictEachOtherAreInconclusive) {
  const CaseResult result = Answered().judge({blind(), contradicted()});
  EXPECT_EQ(result.verdict, Verdict::inconclusive);
  EXPECT_EQ(result.reason, "some detector could not judge: one says so, one says no");
}

TEST(Verdict, ADetectorThatCouldNotLookIsLimitedAndSaid) {
  const CaseResult result = Answered().judge({Detection{}, blind()});
  EXPECT_EQ(result.verdict, Verdict::limited);
  EXPECT_EQ(result.reason, "some detector could not judge: no light");
  EXPECT_TRUE(result.detectors.at(0).judged);
  EXPECT_FALSE(result.detectors.at(1).judged);
  EXPECT_EQ(result.detectors.at(1).why_not, "no light");
}

TEST(Verdict, UnsupportedNeedsBothPasses) {
  EXPECT_EQ(Answered(CallStatus::unsupported).judge({Detection{}}).verdict, Verdict::unsupported);
  Answered one_pass;
  one_pass.e.case_run.backward.outcome = {CallStatus::unsupported, "no backward"};
  const CaseResult result = one_pass.judge({Detection{}});
  EXPECT_EQ(result.verdict, Verdict::limited);
  EXPECT_EQ(result.reason, "backward: no backward");
}

TEST(Verdict, ATraceThatBrokeOffIsInconclusiveWhereItWasPromised) {
  for (const RunId id : {RunId::case_run, RunId::case_again, RunId::twin_a, RunId::twin_b}) {
    Answered bench;
    bench.add_twins();
    CandidateRun& run = id == RunId::case_run     ? bench.e.case_run
                        : id == RunId::case_again ? bench.e.case_again
                        : id == RunId::twin_a     ? *bench.e.twin_a
                                                  : *bench.e.twin_b;
    run.backward.trace.complete = false;
    run.backward.trace.why_incomplete = "an exit in the middle";
    const CaseResult result = bench.judge({Detection{}});
    EXPECT_EQ(result.verdict, Verdict::inconclusive) << run.name;
    EXPECT_THAT(result.reason, HasSubstr("an exit in the middle"));
    EXPECT_EQ(bench.judge({blind()}, /*tracer_sees=*/false).verdict, Verdict::limited);
  }
}

}  // namespace
}  // namespace nlldiff::detect_test
