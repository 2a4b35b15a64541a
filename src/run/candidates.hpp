// SPDX-License-Identifier: Apache-2.0
// What can be tested: the built-in kernel libraries and the spellings of --candidate.
#pragma once

#include <string>
#include <vector>

#include "run/devices.hpp"
#include "run/install.hpp"

namespace nlldiff {

struct BuiltIn {
  std::string spec;         ///< nlldiff, mutant:NAME, legal:NAME
  std::string device;       ///< "cpu" or "cuda"
  std::string library;      ///< path of its .so
  std::string description;  ///< its own sentence
  std::string problem;      ///< why it could not be loaded; empty: it could
};

/// The libraries in <lib_dir>/candidates/<device>/, by file name, sorted; descriptions not yet read.
[[nodiscard]] std::vector<BuiltIn> find_built_ins(const Install& install, const std::string& device);
/// Fills description or problem. Loads the library in a child process: what its start-up code does stays there.
void describe_built_in(BuiltIn& built_in);

/// Throws Error(usage) where `spec` is nothing that can be run on `device`; looks at names and files only.
void check_candidate(const std::string& spec, const Device& device, const Install& install);

}  // namespace nlldiff
