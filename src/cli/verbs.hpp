// SPDX-License-Identifier: Apache-2.0
// The verbs of the command line: this table is the only list of them.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace nlldiff {

/// What follows the verb.
using Arguments = std::span<const std::string>;

// Each returns the exit code, or throws Error.
int run_verb(Arguments arguments);
int list_verb(Arguments arguments);
int validate_verb(Arguments arguments);
int schema_verb(Arguments arguments);
int candidates_verb(Arguments arguments);

struct Verb {
  std::string_view name;
  std::string_view help;
  int (*function)(Arguments arguments);
};

inline constexpr auto kVerbs = std::to_array<Verb>({
    {"run", "run cases with candidates and judge what they compute", run_verb},
    {"list", "print the cases, one a line", list_verb},
    {"validate", "read and check case files, run nothing", validate_verb},
    {"schema", "print the JSON Schema of a case file", schema_verb},
    {"candidates", "print what can be tested here: built-ins, devices, loaders", candidates_verb},
});

/// The whole command line, the program's own name left out. Returns the exit code, or throws Error.
int dispatch(Arguments arguments);

}  // namespace nlldiff
