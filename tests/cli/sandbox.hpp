// SPDX-License-Identifier: Apache-2.0
// A folder of its own for each test, and nlldiff run in it with the fake worker.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/process.hpp"

namespace nlldiff::test {

class Sandbox : public ::testing::Test {
 protected:
  Sandbox();
  ~Sandbox() override;

  /// Writes a file below the folder, parents made as needed; returns its path.
  std::string write(const std::string& name, const std::string& text);
  /// A case file with one small case a name.
  std::string write_cases(const std::string& name, const std::vector<std::string>& cases);
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] static std::string read(const std::string& path);
  /// The lines of a results file, each parsed.
  [[nodiscard]] static std::vector<nlohmann::json> read_results(const std::string& path);

  /// nlldiff with these arguments.
  [[nodiscard]] Outcome tool(std::vector<std::string> arguments);
  /// nlldiff run ... --candidate aten --device cpu, which needs nothing but the fake worker.
  [[nodiscard]] Outcome run(std::vector<std::string> arguments);

  std::map<std::string, std::string> environment;
  int interrupt_after_ms = 0;
  std::string out_path;

 private:
  std::filesystem::path folder_;
};

/// Exit 2, nothing on stdout, one line on stderr that holds `text`.
void expect_usage_error(const Outcome& outcome, const std::string& text);

}  // namespace nlldiff::test
