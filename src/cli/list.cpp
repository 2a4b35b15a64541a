// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>

#include "cli/output.hpp"
#include "cli/select_options.hpp"
#include "cli/verbs.hpp"
#include "report/counted.hpp"
#include "run/filter.hpp"

namespace nlldiff {
namespace {

void append_case(fmt::memory_buffer& out, const CaseFilePath& file, const Case& c) {
  fmt::format_to(std::back_inserter(out), "{}  shape=[{}] C={} ignore_index={} {} {} {}\n", case_id(file, c.name),
                 fmt::join(c.shape, ","), c.C, c.ignore_index, name_of(c.dtype), name_of(c.reduction),
                 name_of(c.target.layout));
}

}  // namespace

int list_verb(Arguments arguments) {
  CLI::App app(
      "Prints the cases that run would take, one a line: id, shape, C, ignore_index, dtype, reduction, layout.",
      "list");
  SelectOptions options;
  add_select_options(app, options);
  if (!parse_arguments(app, arguments)) return 0;
  const Plan plan = make_plan(plan_options(options));
  fmt::memory_buffer out;
  for (const PlannedCase& planned : plan.cases) append_case(out, plan.files[planned.file], planned.c);
  print_out({out.data(), out.size()});
  flush_out();
  print_err(fmt::format("{} in {}; {} left out\n", counted(std::ssize(plan.cases), "case"),
                        counted(std::ssize(plan.files), "file"),
                        counted(plan.skipped_combinations, "impossible combination")));
  return 0;
}

}  // namespace nlldiff
