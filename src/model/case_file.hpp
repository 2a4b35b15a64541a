// SPDX-License-Identifier: Apache-2.0
// Reads case files: text -> checked, expanded cases. Every error of a file at once, each with
// file:line:column and its JSON pointer. Never throws on bad input: it returns the diagnostics.
#pragma once

#include "model/case.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nlldiff {

struct Diagnostic {
  std::string file;
  std::int64_t line = 0, column = 0;  ///< 1-based; column counts bytes
  std::string pointer;                ///< RFC 6901, "" for the document
  std::string message;                ///< what is wrong and what to do
};
/// `file:line:column: message (at /cases/0/C)`
[[nodiscard]] std::string format(const Diagnostic& d);

/// One override of `--set field=value`: a field path of the table and its value as JSON text (a bare word is a string).
struct Override {
  std::string field, value;
};

struct CaseFile {
  std::vector<Case> cases;                  ///< expanded, in file order; empty where there are errors
  std::vector<Diagnostic> errors;
  std::int64_t skipped_combinations = 0;    ///< matrix combinations that cannot exist
};

inline constexpr std::int64_t kMaxCaseFileBytes = 64 << 20;  ///< larger files are refused unread
inline constexpr int kMaxNesting = 64;                       ///< deeper JSON is refused
inline constexpr std::int64_t kMaxCasesPerFile = 1'000'000;

/// Parses and expands text. `file` is only for messages. Overrides are applied to every expanded case
/// (an override that makes a combination impossible counts as skipped).
[[nodiscard]] CaseFile parse_case_file(std::string_view text, const std::string& file,
                                       const std::vector<Override>& overrides = {});
/// Reads the file from disk, then as above; an unreadable, empty or over-large file is a diagnostic.
[[nodiscard]] CaseFile load_case_file(const std::string& path, const std::vector<Override>& overrides = {});

/// The JSON Schema (draft 2020-12) of a case file, from the same field table. Ends with a newline.
[[nodiscard]] std::string case_schema();
/// The Markdown table of docs/cases.md, from the same field table.
[[nodiscard]] std::string field_documentation();

/// `{"name":...,...}`: the case as one case-file entry, defaults left out, on one line. parse(entry) gives it back.
[[nodiscard]] std::string case_entry(const Case& c);

}  // namespace nlldiff
