// SPDX-License-Identifier: Apache-2.0
// From the paths of a command line to case files.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/names.hpp"

namespace nlldiff {

/// How much of a corpus folder is taken.
enum class Tier { smoke, ci, full };
template <>
inline constexpr auto kNames<Tier> = std::to_array<Named<Tier>>({
    {Tier::smoke, "smoke", "only files in folders named smoke"},
    {Tier::ci, "ci", "all but the folders full and bench (the default)"},
    {Tier::full, "full", "everything, full and bench too"},
});

struct CaseFilePath {
  std::string path;  ///< as given, or as found below a given folder
  std::string stem;  ///< file name without .json; the first half of a case's id
};

/// A file is taken as it is. A folder is searched for *.json, in sorted order, hidden names and folders named
/// `schema` left out; which of smoke/, ci/, field/, full/ and bench/ count is the tier's choice, unless the given
/// folder is itself full or bench. A file named twice is taken once. Throws Error(usage) for a missing path, for
/// one that is neither a regular file nor a folder, and for a folder without a case file of that tier.
[[nodiscard]] std::vector<CaseFilePath> find_case_files(const std::vector<std::string>& paths, Tier tier);

}  // namespace nlldiff
