// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <csignal>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "cli/output.hpp"
#include "cli/verbs.hpp"
#include "core/error.hpp"

namespace {

/// Several errors of one case file come as several lines; each is a message of its own.
void print_errors(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    nlldiff::print_err("nlldiff: " + std::string(text.substr(0, end)) + "\n");
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file-size limit is an error of the write, which says what is to be done
  try {
    const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
    const int exit_code = nlldiff::dispatch(arguments);
    nlldiff::flush_out();
    return exit_code;
  } catch (const nlldiff::Error& error) {
    print_errors(error.what());
    return error.exit_code();
  } catch (const std::exception& error) {
    print_errors(std::string("internal error: ") + error.what());
    return static_cast<int>(nlldiff::ErrorKind::internal);
  }
}
