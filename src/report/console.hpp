// SPDX-License-Identifier: Apache-2.0
// A run as text for a terminal or a log. Returns text, prints nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/result.hpp"
#include "report/style.hpp"
#include "report/tally.hpp"

namespace nlldiff {

/// One line: `verdict  file: name  [candidate, device]`, and the reason where there is one.
[[nodiscard]] std::string case_line(const CaseResult& result, const Style& style);

/// A case that did not pass, spelled out: verdict, each finding with its cells, cure and place, what the worker
/// printed, and the repro line last. Ends with a newline.
[[nodiscard]] std::string failure_text(const CaseResult& result, const Style& style);

/// One row a group, columns aligned, columns of verdicts that no group has left out. Ends with a newline.
[[nodiscard]] std::string group_table(const std::vector<Group>& groups, const Style& style);

/// The remarks, one a line, then the line that says how it went. Ends with a newline.
[[nodiscard]] std::string summary_text(const RunSummary& summary, const Style& style);

struct Progress {
  std::int64_t done = 0, total = 0, failed = 0;
  double elapsed_s = 0;
};
/// `[=====>    ] 512/5000  830/s  5 s left  2 failed`, at most `width` columns.
[[nodiscard]] std::string progress_bar(const Progress& progress, std::size_t width);
/// The same in words, for a log.
[[nodiscard]] std::string progress_line(const Progress& progress);

}  // namespace nlldiff
