// SPDX-License-Identifier: Apache-2.0
#include "run/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/error.hpp"
#include "run/filter.hpp"

namespace nlldiff {
namespace {

[[noreturn]] void fail_on(const std::vector<Diagnostic>& errors) {
  std::string text;
  for (std::size_t i = 0; i < std::min(errors.size(), kMaxPrintedErrors); ++i)
    text += (i == 0 ? "" : "\n") + format(errors[i]);
  if (errors.size() > kMaxPrintedErrors)
    text += fmt::format("\nand {} more; nlldiff validate prints all errors", errors.size() - kMaxPrintedErrors);
  throw Error(ErrorKind::usage, text);
}

void read_files(Plan& plan, const std::vector<Override>& overrides) {
  std::vector<Diagnostic> errors;
  for (std::size_t i = 0; i < plan.files.size(); ++i) {
    CaseFile file = load_case_file(plan.files[i].path, overrides);
    std::move(file.errors.begin(), file.errors.end(), std::back_inserter(errors));
    for (Case& c : file.cases) plan.cases.push_back({i, std::move(c)});
    plan.skipped_combinations += file.skipped_combinations;
  }
  if (!errors.empty()) fail_on(errors);
}

/// One flag a case: does this filter take it? Empty where it takes none.
std::vector<bool> taken_by(const CaseFilter& filter, const Plan& plan) {
  for (const auto takes : {&CaseFilter::is_exactly, &CaseFilter::is_entry_of, &CaseFilter::matches}) {
    std::vector<bool> taken;
    for (const PlannedCase& planned : plan.cases)
      taken.push_back((filter.*takes)(plan.files[planned.file], planned.c.name));
    if (std::find(taken.begin(), taken.end(), true) != taken.end()) return taken;
  }
  return {};
}

void apply_filters(Plan& plan, const std::vector<std::string>& patterns) {
  std::vector<bool> taken(plan.cases.size(), false);
  for (const std::string& pattern : patterns) {
    const std::vector<bool> more = taken_by(CaseFilter(pattern), plan);
    if (more.empty()) fail_usage("--filter {} matches no case; nlldiff list prints their names", pattern);
    for (std::size_t i = 0; i < taken.size(); ++i) taken[i] = taken[i] || more[i];
  }
  std::vector<PlannedCase> kept;
  for (std::size_t i = 0; i < taken.size(); ++i)
    if (taken[i]) kept.push_back(std::move(plan.cases[i]));
  plan.cases = std::move(kept);
}

}  // namespace

Override parse_override(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    fail_usage("--set {}: give it as field=value, for example --set dtype=float16", text);
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<Override> all_overrides(const PlanOptions& options) {
  std::vector<Override> overrides = options.overrides;
  if (options.rng_seed) overrides.push_back({"rng_seed", std::to_string(*options.rng_seed)});
  return overrides;
}

Plan make_plan(const PlanOptions& options) {
  Plan plan;
  plan.files = find_case_files(options.paths, options.tier);
  read_files(plan, all_overrides(options));
  if (plan.cases.empty()) fail_usage("no case is left: every combination is impossible");
  if (!options.filters.empty()) apply_filters(plan, options.filters);
  return plan;
}

}  // namespace nlldiff
