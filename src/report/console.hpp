// SPDX-License-Identifier: Apache-2.0
// A run as text for a terminal or a log. Returns text, prints nothing.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/result.hpp"
#include "report/style.hpp"
#include "report/tally.hpp"

namespace nlldiff {

/// One line: `verdict  file: name  [candidate, device]`, and the reason where there is one.
[[nodiscard]] std::string case_line(const CaseResult& result, const Style& style);

/// Spells out cases that did not pass, and what they repeat briefly.
class FailurePrinter {
 public:
  /// `verbose`: every cell of a finding, not the first few.
  FailurePrinter(const Style& style, bool verbose) : style_(style), verbose_(verbose) {}
  /// Verdict, the case, each finding with its cells, cure and place, what the worker printed, and the repro line last.
  /// A finding of a kind that this candidate's same kernel line has shown kMaxSameFindings times is its message only;
  /// a case with no other finding is its head line and those. Ends with a newline.
  [[nodiscard]] std::string text(const CaseResult& result);

 private:
  [[nodiscard]] bool is_news(const CaseResult& result, const Finding& finding);
  Style style_;
  bool verbose_;
  std::map<std::string, int> shown_;  ///< candidate, kind, kernel and place -> findings printed in full
};
inline constexpr int kMaxSameFindings = 3;

/// `findings by kind: foreign_store 12, conflict 9`, the most frequent first; "" where there are none.
[[nodiscard]] std::string kinds_text(const std::map<FindingKind, std::int64_t>& kinds);

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
