// SPDX-License-Identifier: Apache-2.0
#include "cli/select_options.hpp"

#include "core/error.hpp"

namespace nlldiff {

void add_path_options(CLI::App& app, SelectOptions& options) {
  app.add_option("PATH", options.paths, "case files, or folders that are searched for *.json")->required();
  app.add_option("--tier", options.tier,
                 joined_names<Tier>() +
                     ": which folders below a PATH count. smoke: only smoke/; ci: all but full/ and bench/ (unless "
                     "named themselves); full: all; schema/ never counts. Default: " +
                     options.tier);
}

void add_select_options(CLI::App& app, SelectOptions& options) {
  add_path_options(app, options);
  add_repeatable(
      app, "--filter", options.filters,
      "take only cases whose NAME, STEM:NAME or PATH:NAME is this or matches it as a shell pattern (* also "
      "matches /); STEM is the file name without .json. A spelling that fits letter by letter goes before "
      "patterns; the name of an entry with a matrix takes all its cases. Repeatable: one that fits is enough");
  add_repeatable(app, "--set", options.sets,
                 "FIELD=VALUE: put a value in place of every case's own, for example dtype=float16. Repeatable");
}

Tier parse_tier(const std::string& text) {
  if (const auto tier = value_of<Tier>(text)) return *tier;
  const auto known = all_names<Tier>();
  fail_usage("unknown --tier \"{}\"{}", text, did_you_mean(text, known));
}

PlanOptions plan_options(const SelectOptions& options) {
  PlanOptions plan;
  plan.paths = options.paths;
  plan.tier = parse_tier(options.tier);
  plan.filters = options.filters;
  for (const std::string& set : options.sets) plan.overrides.push_back(parse_override(set));
  return plan;
}

}  // namespace nlldiff
