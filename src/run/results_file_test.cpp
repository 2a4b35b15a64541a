// SPDX-License-Identifier: Apache-2.0
#include "run/results_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/error.hpp"

namespace nlldiff {
namespace {

class ResultsFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string folder = testing::TempDir() + "nlldiff-results-XXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string path() const { return folder_ / "r.jsonl"; }
  void put(const std::string& text) const { std::ofstream(path()) << text; }
  [[nodiscard]] std::string content() const {
    std::ostringstream text;
    text << std::ifstream(path()).rdbuf();
    return text.str();
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(ResultsFileTest, LeavesAFileAloneThatIsNoResultsFile) {
  for (const std::string text : {R"({"cases": []})", "int main() {}", "{\"schema"}) {
    put(text);
    EXPECT_THROW(ResultsFile{path()}, Error) << text;
    EXPECT_EQ(content(), text);
  }
}

TEST_F(ResultsFileTest, ReplacesAnEarlierRunsResultsOnlyWhenTheRunBegins) {
  put("{\"schema_version\":1}\n{}\n");
  ResultsFile file(path());
  EXPECT_THAT(content(), testing::HasSubstr("}\n{}"));
  file.begin(RunHeader{});
  EXPECT_THAT(content(), testing::Not(testing::HasSubstr("}\n{}")));
}

TEST_F(ResultsFileTest, TakesAnEmptyFile) {
  put("");
  EXPECT_NO_THROW(ResultsFile{path()});
}

}  // namespace
}  // namespace nlldiff
