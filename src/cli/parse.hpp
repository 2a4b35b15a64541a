// SPDX-License-Identifier: Apache-2.0
// CLI11 as the verbs use it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/verbs.hpp"
#include "core/names.hpp"

namespace nlldiff {

/// False: --help was asked for and has been printed. Throws Error(usage), one line, for a bad command line.
[[nodiscard]] bool parse_arguments(CLI::App& app, Arguments arguments);

/// An option that may be given many times, with one value each: it never swallows the paths behind it.
CLI::Option* add_repeatable(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                            const std::string& help);

/// "smoke|ci|full", from a table, for help texts.
template <class E>
std::string joined_names() {
  std::string text;
  for (const std::string& name : all_names<E>()) text += (text.empty() ? "" : "|") + name;
  return text;
}

}  // namespace nlldiff
