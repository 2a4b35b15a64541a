// SPDX-License-Identifier: Apache-2.0
// --filter: which cases of the files are taken.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "run/discover.hpp"

namespace nlldiff {

/// `<stem>:<name>`: how a case is called on a command line.
[[nodiscard]] std::string case_id(const CaseFilePath& file, std::string_view name);

/// One --filter. It is compared with three spellings of a case: `name`, `stem:name` and `path:name`. Where one of
/// them is the pattern itself, letter by letter, only the cases for which that holds are taken: names hold
/// brackets, so a printed id must not be read as a pattern. Else, where it is the name of an entry with a matrix, that
/// entry's cases (NAME/...) are taken. Else it is a shell pattern (* ? [...]; * also matches /).
class CaseFilter {
 public:
  explicit CaseFilter(std::string pattern) : pattern_(std::move(pattern)) {}
  [[nodiscard]] bool is_exactly(const CaseFilePath& file, std::string_view name) const;
  /// `name` is a case `NAME/...` and the pattern a spelling of NAME.
  [[nodiscard]] bool is_entry_of(const CaseFilePath& file, std::string_view name) const;
  [[nodiscard]] bool matches(const CaseFilePath& file, std::string_view name) const;
  [[nodiscard]] const std::string& pattern() const { return pattern_; }

 private:
  std::string pattern_;
};

}  // namespace nlldiff
