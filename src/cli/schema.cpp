// SPDX-License-Identifier: Apache-2.0
#include "cli/output.hpp"
#include "cli/parse.hpp"
#include "cli/verbs.hpp"
#include "model/case_file.hpp"

namespace nlldiff {

int schema_verb(Arguments arguments) {
  CLI::App app("Prints the JSON Schema (draft 2020-12) of a case file, made from the parser's own table of fields.",
               "schema");
  if (!parse_arguments(app, arguments)) return 0;
  print_out(case_schema());
  return 0;
}

}  // namespace nlldiff
