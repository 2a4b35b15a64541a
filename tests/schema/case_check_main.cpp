// SPDX-License-Identifier: Apache-2.0
// The parser's side of the conformance test. Without arguments: reads JSON lines {"name", "text"} and answers each
// with {"name", "accept", "errors"}. `--schema` and `--fields` print what is generated from the field table.
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "model/case_file.hpp"

namespace {

nlohmann::json judge(const nlohmann::json& document) {
  const auto file = nlldiff::parse_case_file(document.at("text").get<std::string>(), "document");
  nlohmann::json errors = nlohmann::json::array();
  for (const auto& error : file.errors) errors.push_back(nlldiff::format(error));
  return {{"name", document.at("name")}, {"accept", file.errors.empty()}, {"errors", errors}};
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "--schema") {
    std::cout << nlldiff::case_schema();
  } else if (mode == "--fields") {
    std::cout << nlldiff::field_documentation();
  } else if (mode.empty()) {
    for (std::string line; std::getline(std::cin, line);)
      std::cout << judge(nlohmann::json::parse(line)).dump(-1, ' ', true) << '\n';
  } else {
    std::cerr << "usage: nlldiff_case_check [--schema | --fields]\n";
    return 2;
  }
  return std::cout.flush() ? 0 : 3;
}
