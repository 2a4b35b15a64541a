// SPDX-License-Identifier: Apache-2.0
// Runs a program to its end and takes what it prints.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace nlldiff::simt {

struct ProgramResult {
  int exit_code = 0;   ///< 128 + signal where a signal ended it
  std::string output;  ///< stdout, and stderr where `with_stderr`
};
/// `command[0]` is looked up in PATH. Nothing where it could not be started.
[[nodiscard]] std::optional<ProgramResult> run_program(const std::vector<std::string>& command, bool with_stderr);

}  // namespace nlldiff::simt
