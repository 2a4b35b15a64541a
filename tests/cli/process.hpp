// SPDX-License-Identifier: Apache-2.0
// Runs a program to its end, as a test sees it.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace nlldiff::test {

struct Outcome {
  int exit_code = -1;  ///< 128 + signal where a signal ended it
  std::string out, err;
};

struct Program {
  std::vector<std::string> argv;
  std::map<std::string, std::string> environment;  ///< added to the test's own
  std::string out_path;                            ///< where stdout goes instead of Outcome::out
  int interrupt_after_ms = 0;                      ///< SIGINT after that time; 0: never
};

/// Waits for the end however long it takes: CTest has the time limit.
[[nodiscard]] Outcome run_program(const Program& program);

}  // namespace nlldiff::test
