// SPDX-License-Identifier: Apache-2.0
// From paths, filters and overrides to the list of cases to run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/case.hpp"
#include "model/case_file.hpp"
#include "run/discover.hpp"

namespace nlldiff {

struct PlanOptions {
  std::vector<std::string> paths;
  Tier tier = Tier::ci;
  std::vector<std::string> filters;  ///< empty: all cases; else a case is taken that one of them takes
  std::vector<Override> overrides;   ///< --set
  std::optional<std::uint64_t> rng_seed;
};

struct PlannedCase {
  std::size_t file = 0;  ///< index into Plan::files
  Case c;
};

struct Plan {
  std::vector<CaseFilePath> files;
  std::vector<PlannedCase> cases;  ///< in file order; never empty
  std::int64_t skipped_combinations = 0;
};

/// Splits `field=value`; throws Error(usage) where there is no field or no `=`.
[[nodiscard]] Override parse_override(const std::string& text);
/// --set and --rng-seed as overrides, in this order.
[[nodiscard]] std::vector<Override> all_overrides(const PlanOptions& options);

/// Reads every file and takes the cases. Throws Error(usage): one line for each error of the files (the first
/// kMaxPrintedErrors), or one for filters that leave no case.
[[nodiscard]] Plan make_plan(const PlanOptions& options);
inline constexpr std::size_t kMaxPrintedErrors = 20;

}  // namespace nlldiff
