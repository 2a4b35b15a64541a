// SPDX-License-Identifier: Apache-2.0
// `nlldiff candidates`, in an installed tree made for the test: a moved tree works.
#include <filesystem>

#include "cli/sandbox.hpp"

namespace nlldiff::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class Candidates : public Sandbox {
 protected:
  Candidates() {
    fs::create_directories(path("tree/bin"));
    fs::create_directories(path("tree/lib/nlldiff/candidates/cpu"));
    fs::copy_file(NLLDIFF_TOOL, path("tree/bin/nlldiff"));
  }
  void add(const std::string& library, const std::string& file) {
    fs::copy_file(library, path("tree/lib/nlldiff/candidates/cpu/" + file));
  }
  Outcome moved_tool(const std::vector<std::string>& arguments) {
    std::vector<std::string> argv{path("tree/bin/nlldiff")};
    for (const std::string& argument : arguments) argv.push_back(argument);
    return run_program({argv, environment, "", 0});
  }
};

TEST_F(Candidates, BuiltInsAreListedWithTheirOwnDescription) {
  add(NLLDIFF_GOOD_KERNEL, "nlldiff.so");
  add(NLLDIFF_GOOD_KERNEL, "mutant_tail.so");
  add(NLLDIFF_GOOD_KERNEL, "legal_odd.so");
  add(NLLDIFF_GOOD_KERNEL, "unrelated.so");
  const Outcome outcome = moved_tool({"candidates"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* text : {"aten", "mutant:tail", "legal:odd", "described by itself", "path/kernel.cu", "cpu"})
    EXPECT_THAT(outcome.out, HasSubstr(text));
  EXPECT_THAT(outcome.out, Not(HasSubstr("unrelated")));
}

TEST_F(Candidates, LibraryThatDiesWhileItIsLoadedCostsOnlyItsDescription) {
  add(NLLDIFF_CRASHING_KERNEL, "mutant_bad.so");
  add(NLLDIFF_GOOD_KERNEL, "mutant_tail.so");
  const Outcome outcome = moved_tool({"candidates"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("died while it was loaded"));
  EXPECT_THAT(outcome.out, HasSubstr("described by itself"));
}

TEST_F(Candidates, WithoutACudaWorkerTheReasonIsSaid) {
  environment.erase("NLLDIFF_WORKER");
  EXPECT_THAT(moved_tool({"candidates"}).out, HasSubstr("cuda: none: this nlldiff was built without CUDA"));
}

TEST_F(Candidates, BuiltInIsRunByItsName) {
  add(NLLDIFF_GOOD_KERNEL, "mutant_tail.so");
  const std::string cases = write_cases("c.json", {"pass"});
  EXPECT_EQ(moved_tool({"run", cases, "--device", "cpu", "--candidate", "mutant:tail"}).exit_code, 0);
  expect_usage_error(moved_tool({"run", cases, "--device", "cpu", "--candidate", "mutant:tial"}),
                     "did you mean \"mutant:tail\"?");
}

TEST_F(Candidates, MissingWorkerIsATestersError) {
  environment.erase("NLLDIFF_WORKER");
  const Outcome outcome =
      moved_tool({"run", write_cases("c.json", {"pass"}), "--device", "cpu", "--candidate", "aten"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("no worker at"));
}

}  // namespace
}  // namespace nlldiff::test
