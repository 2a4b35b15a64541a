// SPDX-License-Identifier: Apache-2.0
// Bad input: a one-line error, exit 2, before any work; results already written stay whole.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "cli/sandbox.hpp"

namespace nlldiff::test {
namespace {

/// What an earlier run left.
constexpr const char* kEarlier = "{\"schema_version\":1}\n";

using ::testing::HasSubstr;

class BadInput : public Sandbox {
 protected:
  const std::string good = write_cases("good.json", {"pass"});
};

TEST_F(BadInput, MalformedFileIsRefusedWithItsPlace) {
  expect_usage_error(run({write("bad.json", "{\"cases\": [\n  {\"name\": }\n]}")}), "bad.json:2:");
}
TEST_F(BadInput, UnreadableFileIsRefused) {
  if (::geteuid() != 0) {
    std::filesystem::permissions(good, std::filesystem::perms::none);
    expect_usage_error(run({good}), "good.json");
  }
  // A file that not even root can read from its start.
  std::filesystem::create_symlink("/proc/self/mem", path("memory.json"));
  expect_usage_error(run({path("memory.json")}), "memory.json");
}
TEST_F(BadInput, HugeFileIsRefusedUnread) {
  const std::string huge = write("huge.json", "");
  std::filesystem::resize_file(huge, std::uintmax_t{1} << 30);
  expect_usage_error(run({huge}), "huge.json");
}
TEST_F(BadInput, DeeplyNestedFileIsRefused) {
  expect_usage_error(run({write("deep.json", std::string(1'000'000, '['))}), "deep.json");
}
TEST_F(BadInput, EmptyFileIsRefused) { expect_usage_error(run({write("empty.json", "")}), "empty.json"); }
TEST_F(BadInput, MissingPathIsRefused) { expect_usage_error(run({path("nowhere")}), "no such file or folder"); }
TEST_F(BadInput, FolderWithoutCasesIsRefused) {
  std::filesystem::create_directory(path("hollow"));
  expect_usage_error(run({path("hollow")}), "no case file");
}
TEST_F(BadInput, NamedPipeIsRefusedWithoutWaiting) {
  ASSERT_EQ(std::system(("mkfifo " + path("pipe.json")).c_str()), 0);
  expect_usage_error(run({path("pipe.json")}), "not a regular file");
}
TEST_F(BadInput, FilterThatMatchesNothingIsRefused) {
  expect_usage_error(run({good, "--filter", "no-such*"}), "--filter no-such* matches no case");
}
TEST_F(BadInput, OneOfTwoFiltersThatMatchesNothingIsRefused) {
  expect_usage_error(run({good, "--filter", "pass", "--filter", "typo"}), "--filter typo matches no case");
}
TEST_F(BadInput, DuplicateNamesAreRefused) {
  expect_usage_error(run({write_cases("twice.json", {"pass", "pass"})}), "twice.json");
}
TEST_F(BadInput, DuplicateKeysAreRefused) {
  expect_usage_error(run({write("keys.json", R"({"cases": [{"name": "a", "shape": [6], "C": 4, "C": 5}]})")}),
                     "keys.json:1:");
}
TEST_F(BadInput, UnknownCandidateIsRefused) {
  expect_usage_error(tool({"run", good, "--candidate", "atne", "--device", "cpu"}), "did you mean \"aten\"?");
}
TEST_F(BadInput, MissingCandidateFileIsRefused) {
  expect_usage_error(tool({"run", good, "--candidate", "./none.so", "--device", "cpu"}), "no such candidate file");
}
TEST_F(BadInput, PythonCandidateIsNotSupportedYet) {
  expect_usage_error(tool({"run", good, "--candidate", "kernel.py", "--device", "cpu"}), "not supported yet");
}
TEST_F(BadInput, CandidateGivenTwiceIsRefused) {
  expect_usage_error(run({good, "--candidate", "aten"}), "given twice");
}
TEST_F(BadInput, UnknownDeviceIsRefused) {
  expect_usage_error(tool({"run", good, "--candidate", "aten", "--device", "cdua"}), "did you mean \"cuda\"?");
}
TEST_F(BadInput, DeviceGpuIsCalledCuda) {
  expect_usage_error(tool({"run", good, "--candidate", "aten", "--device", "gpu"}), "did you mean \"cuda\"?");
}
TEST_F(BadInput, QuietAndVerboseTogetherAreRefused) {
  expect_usage_error(run({good, "-q", "-v"}), "exclude each other");
}
TEST_F(BadInput, DeviceNumberThatIsNoNumberIsRefused) {
  expect_usage_error(tool({"run", good, "--candidate", "aten", "--device", "cuda:1x"}), "unknown device");
}
TEST_F(BadInput, UnknownVerbIsRefused) { expect_usage_error(tool({"rnu", good}), "did you mean \"run\"?"); }
TEST_F(BadInput, MissingVerbIsRefused) { expect_usage_error(tool({}), "--help"); }
TEST_F(BadInput, UnknownOptionIsRefused) {
  expect_usage_error(run({good, "--fliter", "x"}), "did you mean \"--filter\"?");
}
TEST_F(BadInput, MissingPathArgumentIsRefused) { expect_usage_error(run({}), "PATH"); }
TEST_F(BadInput, UnknownTierIsRefused) { expect_usage_error(run({good, "--tier", "smok"}), "did you mean \"smoke\"?"); }
TEST_F(BadInput, SetWithoutEqualsIsRefused) { expect_usage_error(run({good, "--set", "dtype"}), "field=value"); }
TEST_F(BadInput, SetOfAnUnknownFieldIsRefused) { expect_usage_error(run({good, "--set", "dtpye=float16"}), "dtpye"); }
TEST_F(BadInput, NumbersOutOfRangeAreRefused) {
  expect_usage_error(run({good, "--timeout", "0"}), "--timeout");
  expect_usage_error(run({good, "--timeout", "nan"}), "--timeout");
  expect_usage_error(run({good, "--jobs", "0"}), "--jobs");
  expect_usage_error(run({good, "--jobs", "x"}), "--jobs");
  expect_usage_error(run({good, "--max-time", "-1"}), "--max-time");
  expect_usage_error(run({good, "--rng-seed", "-1"}), "--rng-seed");
}
TEST_F(BadInput, UnknownWordsOfOptionsAreRefused) {
  expect_usage_error(run({good, "--trace", "onn"}), "did you mean \"on\"?");
  expect_usage_error(run({good, "--color", "alway"}), "did you mean \"always\"?");
  expect_usage_error(run({good, "--require", "trce"}), "did you mean \"trace\"?");
}
TEST_F(BadInput, ResultsInAMissingFolderAreRefused) {
  expect_usage_error(run({good, "--results", path("none/r.jsonl")}), "cannot write the results file");
}
TEST_F(BadInput, ResultsThatAreAFolderAreRefused) {
  std::filesystem::create_directory(path("folder"));
  expect_usage_error(run({good, "--results", path("folder")}), "cannot write the results file");
}
TEST_F(BadInput, FullDiskIsRefusedBeforeAnyCase) {
  expect_usage_error(run({good, "--results", "/dev/full"}), "No space left");
}
TEST_F(BadInput, FullStandardOutputIsAnError) {
  out_path = "/dev/full";
  const Outcome outcome = tool({"schema"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("cannot write to standard output"));
}
TEST_F(BadInput, EveryErrorOfAllFilesIsPrintedOneALine) {
  const std::string first = write("first.json", R"({"cases": [{"name": "a", "shape": [-1], "C": -4}]})");
  const std::string second = write("second.json", "nonsense");
  const Outcome outcome = run({first, second});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("/cases/0/shape"));
  EXPECT_THAT(outcome.err, HasSubstr("/cases/0/C"));
  EXPECT_THAT(outcome.err, HasSubstr("second.json:1:"));
}
TEST_F(BadInput, AFileThatIsNoResultsFileIsNotOverwritten) {
  expect_usage_error(run({good, "--results", good}), "is no results file of nlldiff");
  EXPECT_EQ(run({good}).exit_code, 0);
}
TEST_F(BadInput, EarlierResultsStayWholeOnBadUsage) {
  const std::string results = write("r.jsonl", kEarlier);
  const std::vector<std::vector<std::string>> bad{
      {path("nowhere")}, {good, "--filter", "none"}, {good, "--candidate", "atne"}, {good, "--fliter"}};
  for (std::vector<std::string> arguments : bad) {
    arguments.insert(arguments.end(), {"--results", results});
    EXPECT_EQ(run(arguments).exit_code, 2);
    EXPECT_EQ(read(results), kEarlier);
  }
}
TEST_F(BadInput, EarlierResultsStayWholeWhereTheWorkerRefuses) {
  environment["FAKE_WORKER_START"] = "refuse2";
  const std::string results = write("r.jsonl", kEarlier);
  expect_usage_error(run({good, "--results", results}), "the candidate is not for me");
  EXPECT_EQ(read(results), kEarlier);
}
TEST_F(BadInput, NoResultsFileIsLeftBehindWhereNothingRan) {
  environment["FAKE_WORKER_START"] = "refuse2";
  EXPECT_EQ(run({good, "--results", path("new.jsonl")}).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(path("new.jsonl")));
}
TEST_F(BadInput, ValidatePrintsAllErrorsAndExitsWith2) {
  const Outcome outcome =
      tool({"validate", good, write("b.json", R"({"cases": [{"name": "a", "shape": [6], "C": "x"}]})")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("b.json:1:"));
  EXPECT_EQ(outcome.out, "2 files, 1 case, 1 error\n");
}

}  // namespace
}  // namespace nlldiff::test
