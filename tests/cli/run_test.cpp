// SPDX-License-Identifier: Apache-2.0
// What run selects, writes and says.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "cli/sandbox.hpp"

namespace nlldiff::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class Run : public Sandbox {
 protected:
  std::vector<std::string> names_run(std::vector<std::string> arguments) {
    const std::string results = path("names.jsonl");
    arguments.insert(arguments.end(), {"--results", results});
    EXPECT_EQ(run(arguments).exit_code, 0);
    std::vector<std::string> names;
    for (const auto& line : read_results(results))
      if (line.contains("verdict")) names.push_back(line["case"]["name"]);
    std::sort(names.begin(), names.end());
    return names;
  }
};

TEST_F(Run, AllPassedExitsWith0) {
  const Outcome outcome = run({write_cases("a.json", {"pass.1", "pass.2"})});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("passed: 2 cases"));
}

TEST_F(Run, FindingExitsWith1AndIsSpelledOut) {
  const std::string file = write_cases("a.json", {"pass", "fail"});
  const Outcome outcome = run({file});
  EXPECT_EQ(outcome.exit_code, 1);
  for (const char* text : {"foreign_store", "row 0 stored to row 1", "block 0 thread 0 stored 0 to cell 4",
                           "kernel fake_kernel at fake.cu:7", "mask the store", "FAILED: 2 cases"})
    EXPECT_THAT(outcome.out, HasSubstr(text));
  EXPECT_THAT(outcome.out, HasSubstr("nlldiff run " + file + " --filter a:fail --candidate aten --device cpu"));
}

TEST_F(Run, EachVerdictHasItsExitCode) {
  const std::string file = write_cases("v.json", {"pass", "limited", "unsupported", "inconclusive", "vacuous"});
  const auto exit_of = [&](std::vector<std::string> more) {
    more.insert(more.begin(), file);
    return run(more).exit_code;
  };
  EXPECT_EQ(exit_of({"--filter", "limited"}), 0);
  EXPECT_EQ(exit_of({"--filter", "limited", "--require", "trace"}), 1);
  EXPECT_EQ(exit_of({"--filter", "unsupported", "--filter", "pass"}), 0);
  EXPECT_EQ(exit_of({"--filter", "unsupported"}), 1);
  EXPECT_EQ(exit_of({"--filter", "inconclusive"}), 1);
  EXPECT_EQ(exit_of({"--filter", "vacuous"}), 1);
}

TEST_F(Run, ResultsFileHasHeaderCasesAndSummary) {
  const std::string results = path("r.jsonl");
  EXPECT_EQ(run({write_cases("a.json", {"pass", "fail"}), "--results", results}).exit_code, 1);
  const auto lines = read_results(results);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0]["cases_planned"], 2);
  EXPECT_EQ(lines[0]["environment"]["torch.version"], "fake");
  EXPECT_EQ(lines[0]["environment"]["candidate.aten.sha256"], "abc");
  EXPECT_THAT(lines[0]["environment"]["worker.arguments"].get<std::string>(),
              HasSubstr("--candidate aten --device cpu --channel-fd 3 --crash-fd 4 --lib-dir "));
  EXPECT_EQ(lines[1]["candidate"], "aten");
  EXPECT_EQ(lines[1]["device"], "cpu");
  EXPECT_EQ(lines[3]["cases_run"], 2);
  EXPECT_EQ(lines[3]["exit_code"], 1);
}

TEST_F(Run, LongerEarlierResultsAreReplacedWhole) {
  const std::string results = write("r.jsonl", "{\"schema_version\":1}\n" + std::string(100'000, 'x'));
  EXPECT_EQ(run({write_cases("a.json", {"pass"}), "--results", results}).exit_code, 0);
  EXPECT_EQ(read_results(results).size(), 3u);
}

TEST_F(Run, FolderTakesAllButFullBenchAndSchema) {
  for (const char* folder : {"smoke", "ci", "field", "full", "bench", "schema"})
    write_cases(fmt::format("cases/{}/{}.json", folder, folder), {fmt::format("pass.{}", folder)});
  write_cases("cases/founding.json", {"pass.founding"});
  const std::string cases = path("cases");
  EXPECT_THAT(names_run({cases}), ElementsAre("pass.ci", "pass.field", "pass.founding", "pass.smoke"));
  EXPECT_THAT(names_run({cases, "--tier", "smoke"}), ElementsAre("pass.smoke"));
  EXPECT_THAT(names_run({cases, "--tier", "full"}),
              ElementsAre("pass.bench", "pass.ci", "pass.field", "pass.founding", "pass.full", "pass.smoke"));
  EXPECT_THAT(names_run({cases + "/full/"}), ElementsAre("pass.full"));
  EXPECT_THAT(names_run({cases + "/smoke", "--tier", "smoke"}), ElementsAre("pass.smoke"));
  EXPECT_THAT(names_run({cases, cases + "/founding.json"}).size(), 4u);
  expect_usage_error(run({cases + "/schema"}), "no case file");
}

TEST_F(Run, FilterTakesNameStemOrPath) {
  const std::string a = write_cases("x/a.json", {"pass.1", "pass.2"}), b = write_cases("y/a.json", {"pass.1"});
  EXPECT_EQ(names_run({a, b, "--filter", "pass.1"}).size(), 2u);
  EXPECT_EQ(names_run({a, b, "--filter", "a:pass.*"}).size(), 3u);
  EXPECT_EQ(names_run({a, b, "--filter", b + ":pass.1"}).size(), 1u);
}

TEST_F(Run, FilterOfAnEntryTakesTheCasesOfItsMatrix) {
  const std::string file = write("a.json", R"({"cases": [
      {"name": "pass", "C": 4, "matrix": {"shape": [[6], [7]]}}, {"name": "passing", "C": 4, "shape": [6]}]})");
  EXPECT_EQ(names_run({file, "--filter", "pass"}).size(), 2u);
  EXPECT_EQ(names_run({file, "--filter", "a:pass"}).size(), 2u);
}

TEST_F(Run, ReproLineSelectsExactlyItsCaseThoughItsNameLooksLikeAPattern) {
  const std::string file = write("it's.json", R"({"cases": [
      {"name": "fail", "C": 4, "matrix": {"shape": [[6], [7], [6, 7]]}}, {"name": "fail.x", "C": 4, "shape": [6]}]})");
  const std::string results = path("r.jsonl");
  EXPECT_EQ(run({file, "--results", results}).exit_code, 1);
  int tried = 0;
  for (const auto& line : read_results(results)) {
    if (!line.contains("repro")) continue;
    ++tried;
    const std::string repro = line["repro"];
    const std::string again = path("again.jsonl");
    ASSERT_THAT(repro, ::testing::StartsWith("nlldiff "));
    const Outcome outcome =
        run_program({{"/bin/sh", "-c", NLLDIFF_TOOL + repro.substr(7) + " --results " + again}, environment, "", 0});
    EXPECT_EQ(outcome.exit_code, 1) << repro << outcome.err;
    const auto lines = read_results(again);
    ASSERT_EQ(lines.size(), 3u) << repro;
    EXPECT_EQ(lines[1]["case"]["name"], line["case"]["name"]);
    EXPECT_EQ(lines[1]["repro"], repro);
  }
  EXPECT_EQ(tried, 4);
}

TEST_F(Run, OverridesReachTheCaseAndTheReproLine) {
  const std::string results = path("r.jsonl");
  EXPECT_EQ(run({write_cases("a.json", {"fail"}), "--set", "dtype=float16", "--rng-seed", "7", "--results", results})
                .exit_code,
            1);
  const auto lines = read_results(results);
  EXPECT_EQ(lines[1]["case"]["dtype"], "float16");
  EXPECT_EQ(lines[1]["case"]["rng_seed"], 7);
  EXPECT_THAT(lines[1]["repro"].get<std::string>(), HasSubstr("--set dtype=float16 --rng-seed 7"));
}

TEST_F(Run, AtMost20FailingCasesAreSpelledOut) {
  std::vector<std::string> names;
  for (int i = 0; i < 25; ++i) names.push_back(fmt::format("fail.{}", i));
  const Outcome outcome = run({write_cases("a.json", names)});
  EXPECT_THAT(outcome.out, HasSubstr("and 5 more that failed: --results FILE keeps them all"));
}

TEST_F(Run, BlindSuiteIsSaid) {
  EXPECT_THAT(run({write_cases("a.json", {"limited"})}).out, HasSubstr("blind"));
  EXPECT_THAT(run({write_cases("a.json", {"pass"})}).out, Not(HasSubstr("blind")));
}

TEST_F(Run, FailFastStartsNoMore) {
  const std::string file = write_cases("a.json", {"fail", "pass.1", "pass.2", "pass.3"});
  const Outcome outcome = run({file, "--fail-fast", "--jobs", "1"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("--fail-fast: 3 cases not run"));
}

TEST_F(Run, MaxTimeLeavesCasesOutAndFails) {
  std::vector<std::string> names;
  for (int i = 0; i < 50; ++i) names.push_back(fmt::format("slow.{}", i));
  const Outcome outcome = run({write_cases("a.json", names), "--jobs", "1", "--max-time", "0.5"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("--max-time is over"));
}

TEST_F(Run, CaseTooLargeForThisMachineIsCountedNotRun) {
  const std::string file = write("big.json", R"({"cases": [
      {"name": "pass", "shape": [6], "C": 4},
      {"name": "huge", "shape": [1000000000], "C": 1000000}]})");
  const Outcome outcome = run({file});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("1 case too large for this machine's memory: not run"));
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("it needs [0-9.]+ GiB, [0-9.]+ [MG]iB are available"));
  EXPECT_EQ(run({file, "--filter", "huge"}).exit_code, 1);
}

TEST_F(Run, ManyJobsCrowdNoCaseOut) {
  const Outcome outcome = run({write_cases("a.json", {"pass.1", "pass.2"}), "--jobs", "1024"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("2 pass"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("too large")));
}

TEST_F(Run, QuietPrintsOnlyTheSummaryAndVerboseEveryCase) {
  const std::string file = write_cases("a.json", {"pass.1", "pass.2"});
  const Outcome quiet = run({file, "-q"});
  EXPECT_EQ(std::count(quiet.out.begin(), quiet.out.end(), '\n'), 1) << quiet.out;
  EXPECT_THAT(run({file, "-v"}).out, HasSubstr("a.json: pass.2"));
}

TEST_F(Run, QuietShowsALimitedCaseOnlyWhereItFails) {
  const std::string file = write_cases("a.json", {"limited"});
  EXPECT_THAT(run({file, "-q"}).out, Not(HasSubstr("a.json: limited")));
  EXPECT_THAT(run({file, "-q", "--require", "trace"}).out, HasSubstr("a.json: limited"));
}

TEST_F(Run, ColoursAreAsAsked) {
  const std::string file = write_cases("a.json", {"pass"});
  EXPECT_THAT(run({file}).out, Not(HasSubstr("\x1b[")));
  EXPECT_THAT(run({file, "--color", "always"}).out, HasSubstr("\x1b["));
}

TEST_F(Run, HelpAndVersionAnswer) {
  EXPECT_THAT(tool({"--help"}).out, HasSubstr("validate"));
  EXPECT_THAT(tool({"run", "--help"}).out, HasSubstr("STEM:NAME"));
  EXPECT_THAT(tool({"run", "--help"}).out, HasSubstr("visible rows  ignored rows whose"));
  EXPECT_THAT(tool({"validate", "--help"}).out, HasSubstr("Default: full"));
  EXPECT_THAT(tool({"list", "--help"}).out, HasSubstr("Default: ci"));
  EXPECT_THAT(tool({"--version"}).out, ::testing::StartsWith("nlldiff 0."));
}

TEST_F(Run, ListPrintsOneLineACase) {
  const Outcome outcome = tool({"list", write_cases("a.json", {"pass.1", "pass.2"})});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out,
            "a:pass.1  shape=[6] C=4 ignore_index=4 float32 mean uniform\n"
            "a:pass.2  shape=[6] C=4 ignore_index=4 float32 mean uniform\n");
  EXPECT_THAT(outcome.err, HasSubstr("2 cases in 1 file; 0 impossible combinations left out"));
}

}  // namespace
}  // namespace nlldiff::test
