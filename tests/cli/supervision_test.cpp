// SPDX-License-Identifier: Apache-2.0
// A worker that dies, hangs, floods or talks nonsense costs its own case, and the run goes on.
#include <fmt/core.h>
#include <signal.h>

#include <chrono>
#include <thread>

#include "cli/sandbox.hpp"

namespace nlldiff::test {
namespace {

using ::testing::HasSubstr;

class Supervision : public Sandbox {
 protected:
  /// Runs `what` between two passing cases in one worker; the result line of `what`.
  nlohmann::json result_of(const std::string& what, std::vector<std::string> more = {}) {
    const std::string results = path("r.jsonl");
    std::vector<std::string> arguments{write_cases("a.json", {"pass.1", what, "pass.2"}), "--jobs", "1", "--results",
                                       results};
    arguments.insert(arguments.end(), more.begin(), more.end());
    outcome = run(arguments);
    const auto lines = read_results(results);
    EXPECT_EQ(lines.size(), 5u) << outcome.err;
    nlohmann::json found;
    for (const auto& line : lines)
      if (line.contains("case") && line["case"]["name"] == what) found = line;
    return found;
  }
  void expect_crash(const std::string& what, const std::string& reason) {
    const auto result = result_of(what);
    EXPECT_EQ(result["verdict"], "crash") << what;
    EXPECT_THAT(result["reason"].get<std::string>(), HasSubstr(reason));
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.out, HasSubstr("2 pass"));
  }
  Outcome outcome;
};

TEST_F(Supervision, SignalIsACrashWithItsName) { expect_crash("crash", "died of SIGSEGV"); }
TEST_F(Supervision, CrashNoteGivesAddressAndTensor) {
  expect_crash("noted", "died of SIGSEGV (Segmentation fault) at address 0x1000 (grad_input, row 3, class 1)");
}
TEST_F(Supervision, BrokenCrashNoteIsNoHarm) { expect_crash("badnote", "died of SIGBUS"); }
TEST_F(Supervision, AbortIsACrash) { expect_crash("abort", "died of SIGABRT"); }
TEST_F(Supervision, EarlyExitIsACrash) { expect_crash("exit0", "the worker exited with code 0 before it answered"); }
TEST_F(Supervision, EarlyExitWithACodeIsACrash) { expect_crash("exit5", "exited with code 5 before it answered"); }
TEST_F(Supervision, OverlongFrameIsACrash) { expect_crash("garbage", "answer cannot be read"); }
TEST_F(Supervision, FrameThatIsNoJsonIsACrash) { expect_crash("nojson", "answer cannot be read"); }
TEST_F(Supervision, AnswerToAnotherJobIsACrash) { expect_crash("wrongid", "999999"); }
TEST_F(Supervision, ClosedChannelIsACrash) { expect_crash("close", "closed its channel"); }

TEST_F(Supervision, HangIsATimeout) {
  const auto result = result_of("hang", {"--timeout", "1"});
  EXPECT_EQ(result["verdict"], "timeout");
  EXPECT_THAT(result["reason"].get<std::string>(), HasSubstr("no answer within 1 s"));
  EXPECT_THAT(result["repro"].get<std::string>(), ::testing::EndsWith("--timeout 1"));
  EXPECT_THAT(outcome.out, HasSubstr("2 pass"));
}

TEST_F(Supervision, EndlessOutputIsBoundedAndATimeout) {
  const auto result = result_of("endless", {"--timeout", "1"});
  EXPECT_EQ(result["verdict"], "timeout");
  const std::string captured = result["captured_stdout"];
  EXPECT_LT(captured.size(), 70'000u);
  EXPECT_THAT(captured, HasSubstr("bytes left out"));
}

TEST_F(Supervision, OutputIsKeptWithItsCaseAndEscaped) {
  const auto result = result_of("noisy");
  EXPECT_EQ(result["verdict"], "pass");
  EXPECT_EQ(result["captured_stdout"], "to stdout\n");
  EXPECT_EQ(result["captured_stderr"], "not utf-8: \\xFF\\xFE.\n");
}

TEST_F(Supervision, FloodKeepsItsHeadAndTail) {
  const std::string captured = result_of("flood")["captured_stdout"];
  EXPECT_THAT(captured, ::testing::StartsWith("yyy"));
  EXPECT_THAT(captured, ::testing::EndsWith("yyyend\n"));
  EXPECT_LT(captured.size(), 70'000u);
}

TEST_F(Supervision, ChildOfADeadWorkerIsKilled) {
  const auto result = result_of("orphan");
  EXPECT_EQ(result["verdict"], "crash");
  int child = 0;
  ASSERT_EQ(std::sscanf(result["captured_stdout"].get<std::string>().c_str(), "child %d", &child), 1);
  // It is gone, or waits as a zombie for whoever adopted it.
  std::string state;
  for (int turn = 0; turn < 100; ++turn) {
    const std::string stat = read(fmt::format("/proc/{}/stat", child));
    state = stat.empty() ? "gone" : stat.substr(stat.rfind(')') + 2, 1);
    if (state == "gone" || state == "Z" || state == "X") return;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  FAIL() << "child " << child << " is in state " << state;
}

TEST_F(Supervision, DeathAfterTheLastAnswerFailsTheRun) {
  const Outcome end = run({write_cases("a.json", {"dieafter"})});
  EXPECT_EQ(end.exit_code, 1);
  EXPECT_THAT(end.out, HasSubstr("died of SIGSEGV"));
}

TEST_F(Supervision, WorkerThatNeverStartsIsATestersError) {
  environment["FAKE_WORKER_START"] = "die";
  const Outcome end = run({write_cases("a.json", {"pass"})});
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_THAT(end.err, HasSubstr("could not be started 3 times"));
  EXPECT_THAT(end.err, HasSubstr("no library here"));
}

TEST_F(Supervision, WorkerThatCannotWorkIsATestersError) {
  environment["FAKE_WORKER_START"] = "refuse3";
  const Outcome end = run({write_cases("a.json", {"pass"})});
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_THAT(end.err, HasSubstr("the tester is broken"));
}

TEST_F(Supervision, InterruptKeepsWhatWasFinished) {
  const std::string results = path("r.jsonl");
  interrupt_after_ms = 2000;
  const Outcome end =
      run({write_cases("a.json", {"pass", "hang"}), "--jobs", "1", "--timeout", "600", "--results", results});
  EXPECT_EQ(end.exit_code, 130);
  EXPECT_THAT(end.out, HasSubstr("interrupted"));
  const auto lines = read_results(results);
  EXPECT_EQ(lines.back()["exit_code"], 130);
}

TEST_F(Supervision, CandidateThatOnlyCrashesIsGivenUp) {
  std::vector<std::string> names{"crash.first", "pass"};
  for (int i = 0; i < 30; ++i) names.push_back(fmt::format("crash.{}", i));
  const std::string file = write_cases("a.json", names);
  const Outcome end = run({file, "--jobs", "1"});
  EXPECT_EQ(end.exit_code, 1);
  EXPECT_THAT(end.out, HasSubstr("crashed or timed out 25 times in a row; cases not run: 5 (--keep-going runs them)"));
  EXPECT_THAT(end.out, HasSubstr("FAILED: 27 cases"));
  EXPECT_THAT(run({file, "--jobs", "1", "--keep-going"}).out, HasSubstr("FAILED: 32 cases"));
}

TEST_F(Supervision, ThousandsOfCasesOverSeveralWorkersAllHaveOneResult) {
  std::vector<std::string> names;
  for (int i = 0; i < 3000; ++i) names.push_back(fmt::format("{}.{}", i % 1000 == 999 ? "crash" : "pass", i));
  const std::string results = path("r.jsonl");
  EXPECT_EQ(run({write_cases("a.json", names), "--jobs", "3", "--results", results}).exit_code, 1);
  const auto lines = read_results(results);
  EXPECT_EQ(lines.size(), 3002u);
  EXPECT_EQ(lines.back()["verdicts"]["crash"], 3);
  EXPECT_EQ(lines.back()["verdicts"]["pass"], 2997);
}

}  // namespace
}  // namespace nlldiff::test
