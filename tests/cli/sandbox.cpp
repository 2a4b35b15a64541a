// SPDX-License-Identifier: Apache-2.0
#include "cli/sandbox.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace nlldiff::test {

namespace fs = std::filesystem;

Sandbox::Sandbox() {
  char name[] = "/tmp/nlldiff_cli_XXXXXX";
  folder_ = ::mkdtemp(name);
  environment["NLLDIFF_WORKER"] = NLLDIFF_FAKE_WORKER;
}

Sandbox::~Sandbox() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::string Sandbox::write(const std::string& name, const std::string& text) {
  fs::create_directories((folder_ / name).parent_path());
  std::ofstream(folder_ / name, std::ios::binary) << text;
  return path(name);
}

std::string Sandbox::write_cases(const std::string& name, const std::vector<std::string>& cases) {
  nlohmann::json document;
  for (const std::string& each : cases)
    document["cases"].push_back({{"name", each}, {"shape", {6}}, {"C", 4}, {"ignore_index", 4}});
  return write(name, document.dump());
}

std::string Sandbox::read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<nlohmann::json> Sandbox::read_results(const std::string& path) {
  std::vector<nlohmann::json> lines;
  std::istringstream text(read(path));
  for (std::string line; std::getline(text, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

Outcome Sandbox::tool(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), NLLDIFF_TOOL);
  return run_program({std::move(arguments), environment, out_path, interrupt_after_ms});
}

Outcome Sandbox::run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "run");
  for (const char* word : {"--candidate", "aten", "--device", "cpu"}) arguments.emplace_back(word);
  return tool(std::move(arguments));
}

void expect_usage_error(const Outcome& outcome, const std::string& text) {
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_THAT(outcome.err, ::testing::StartsWith("nlldiff: "));
  EXPECT_THAT(outcome.err, ::testing::HasSubstr(text));
}

}  // namespace nlldiff::test
