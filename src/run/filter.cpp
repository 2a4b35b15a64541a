// SPDX-License-Identifier: Apache-2.0
#include "run/filter.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <array>

namespace nlldiff {
namespace {

std::array<std::string, 3> spellings(const CaseFilePath& file, std::string_view name) {
  return {std::string(name), case_id(file, name), file.path + ":" + std::string(name)};
}

}  // namespace

std::string case_id(const CaseFilePath& file, std::string_view name) { return file.stem + ":" + std::string(name); }

bool CaseFilter::is_exactly(const CaseFilePath& file, std::string_view name) const {
  const auto all = spellings(file, name);
  return std::find(all.begin(), all.end(), pattern_) != all.end();
}

bool CaseFilter::is_entry_of(const CaseFilePath& file, std::string_view name) const {
  for (std::size_t at = name.find('/'); at != std::string_view::npos; at = name.find('/', at + 1))
    if (is_exactly(file, name.substr(0, at))) return true;
  return false;
}

bool CaseFilter::matches(const CaseFilePath& file, std::string_view name) const {
  const auto all = spellings(file, name);
  return std::any_of(all.begin(), all.end(),
                     [&](const std::string& s) { return ::fnmatch(pattern_.c_str(), s.c_str(), 0) == 0; });
}

}  // namespace nlldiff
