// SPDX-License-Identifier: Apache-2.0
// The options that choose cases, the same for every verb that reads case files.
#pragma once

#include <string>
#include <vector>

#include "cli/parse.hpp"
#include "run/plan.hpp"

namespace nlldiff {

/// What CLI11 fills; plan_options() turns it into checked values.
struct SelectOptions {
  std::vector<std::string> paths, filters, sets;
  std::string tier = "ci";
};

void add_path_options(CLI::App& app, SelectOptions& options);    ///< PATH... and --tier
void add_select_options(CLI::App& app, SelectOptions& options);  ///< those, --filter and --set

/// Throws Error(usage).
[[nodiscard]] Tier parse_tier(const std::string& text);
[[nodiscard]] PlanOptions plan_options(const SelectOptions& options);

}  // namespace nlldiff
