// SPDX-License-Identifier: Apache-2.0
// The one exception type of the project. Its sentence says what happened, where, and what to do.
#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace nlldiff {

/// Who has to act. The value is the exit code of a process that ends on such an error.
enum class ErrorKind {
  usage = 2,     ///< the command line, a case file or a candidate: the user can mend it
  internal = 3,  ///< the tester itself could not work: no worker, no memory, a broken install
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& sentence) : std::runtime_error(sentence), kind_(kind) {}
  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }
  [[nodiscard]] int exit_code() const noexcept { return static_cast<int>(kind_); }

 private:
  ErrorKind kind_;
};

/// Throws a usage error (exit 2) whose sentence is made by fmt.
template <class... Args>
[[noreturn]] void fail_usage(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(ErrorKind::usage, fmt::format(format, std::forward<Args>(args)...));
}

/// Throws an internal error (exit 3) whose sentence is made by fmt.
template <class... Args>
[[noreturn]] void fail_internal(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(ErrorKind::internal, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace nlldiff
