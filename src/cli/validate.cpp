// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/output.hpp"
#include "cli/select_options.hpp"
#include "cli/verbs.hpp"
#include "model/case_file.hpp"
#include "report/counted.hpp"

namespace nlldiff {

int validate_verb(Arguments arguments) {
  CLI::App app("Reads and checks case files and prints every error with its place; runs nothing. Exit 2 on errors.",
               "validate");
  SelectOptions options;
  options.tier = "full";
  add_path_options(app, options);
  if (!parse_arguments(app, arguments)) return 0;
  std::int64_t files = 0, cases = 0, errors = 0;
  for (const CaseFilePath& path : find_case_files(options.paths, parse_tier(options.tier))) {
    const CaseFile file = load_case_file(path.path);
    for (const Diagnostic& error : file.errors) print_err("nlldiff: " + format(error) + "\n");
    ++files;
    cases += std::ssize(file.cases);
    errors += std::ssize(file.errors);
  }
  print_out(fmt::format("{}, {}, {}\n", counted(files, "file"), counted(cases, "case"), counted(errors, "error")));
  return errors == 0 ? 0 : 2;
}

}  // namespace nlldiff
