// SPDX-License-Identifier: Apache-2.0
// What a run shows and writes while it goes: the results file, the progress, the failing cases, the summary.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "report/console.hpp"
#include "report/style.hpp"
#include "report/tally.hpp"
#include "run/results_file.hpp"
#include "run/session.hpp"

namespace nlldiff {

struct DisplayOptions {
  bool quiet = false;    ///< failing cases and the summary only: no table
  bool verbose = false;  ///< a line for every case, and all cells of a finding
  int jobs = 0;          ///< --jobs; 0: not given
  bool progress = true;
  bool colours = false;
  bool require_trace = false;
  std::string results;  ///< empty: no results file
  std::vector<std::string> command_line;
};

class RunDisplay : public RunObserver {
 public:
  /// Opens the results file. Throws Error(usage) where it cannot be written.
  RunDisplay(DisplayOptions options, std::int64_t skipped_combinations);
  ~RunDisplay() override;

  void on_start(const RunHeader& header) override;
  void on_result(const CaseResult& result) override;
  void on_tick() override;
  /// Prints the table and the summary, writes the last line; returns the exit code.
  int finish(const RunEnd& end);

 private:
  void show(const std::string& text);
  void draw_progress();
  void clear_bar();
  [[nodiscard]] double elapsed_s() const;

  DisplayOptions options_;
  Style style_;
  FailurePrinter failures_;
  Tally tally_;
  std::optional<ResultsFile> results_;
  bool terminal_, bar_drawn_ = false;
  std::int64_t skipped_combinations_, planned_ = 0, done_ = 0, failed_ = 0, shown_failures_ = 0;
  std::chrono::steady_clock::time_point started_, last_progress_;
};

inline constexpr std::int64_t kMaxShownFailures = 20;

}  // namespace nlldiff
