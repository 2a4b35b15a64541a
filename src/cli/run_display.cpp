// SPDX-License-Identifier: Apache-2.0
#include "cli/run_display.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/output.hpp"
#include "model/text.hpp"

namespace nlldiff {
namespace {

using namespace std::chrono_literals;
constexpr auto kBarInterval = 100ms;
constexpr auto kLineInterval = 5s;

std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 20) return 80;
  return size.ws_col - 1u;
}

}  // namespace

RunDisplay::RunDisplay(DisplayOptions options, std::int64_t skipped_combinations)
    : options_(std::move(options)),
      style_(options_.colours),
      failures_(style_, options_.verbose),
      terminal_(::isatty(STDERR_FILENO) == 1),
      skipped_combinations_(skipped_combinations),
      started_(std::chrono::steady_clock::now()),
      last_progress_(started_) {
  if (!options_.results.empty()) results_.emplace(options_.results);
}

RunDisplay::~RunDisplay() { clear_bar(); }

void RunDisplay::on_start(const RunHeader& header) {
  planned_ = header.cases_planned;
  started_ = last_progress_ = std::chrono::steady_clock::now();
  if (!results_) return;
  RunHeader whole = header;
  for (const std::string& word : options_.command_line) whole.command_line.push_back(escape_invalid_utf8(word));
  results_->begin(whole);
}

void RunDisplay::on_result(const CaseResult& result) {
  if (results_) results_->add(result);
  tally_.add(result);
  ++done_;
  if (exit_code_of(result.verdict, options_.require_trace) == 0) {
    if (options_.verbose) show(case_line(result, style_));
    return;
  }
  ++failed_;
  if (shown_failures_ < kMaxShownFailures) {
    ++shown_failures_;
    show(failures_.text(result));
  }
}

void RunDisplay::on_tick() {
  const auto now = std::chrono::steady_clock::now();
  if (!options_.progress || now - last_progress_ < (terminal_ ? kBarInterval : kLineInterval)) return;
  last_progress_ = now;
  draw_progress();
}

void RunDisplay::draw_progress() {
  const Progress progress{done_, planned_, failed_, elapsed_s()};
  if (!terminal_) return print_err(progress_line(progress));
  print_err("\r" + progress_bar(progress, terminal_width()) + "\x1b[K");
  bar_drawn_ = true;
}

void RunDisplay::clear_bar() {
  if (bar_drawn_) print_err("\r\x1b[K");
  bar_drawn_ = false;
}

void RunDisplay::show(const std::string& text) {
  clear_bar();
  print_out(text);
  flush_out();
}

double RunDisplay::elapsed_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

int RunDisplay::finish(const RunEnd& end) {
  RunFacts facts{skipped_combinations_, end.too_large,          end.not_run, end.out_of_time, end.stopped_early,
                 end.interrupted,       options_.require_trace, end.remarks, elapsed_s(),     end.needed_bytes,
                 end.budget_bytes,      options_.jobs,          end.workers};
  const RunSummary summary = tally_.summarise(facts);
  if (results_) results_->end(summary);
  if (failed_ > shown_failures_)
    show(fmt::format("and {} more that failed: {}\n", failed_ - shown_failures_,
                     options_.results.empty() ? "--results FILE keeps them all" : "see " + options_.results));
  if (!options_.quiet) show("\n" + group_table(tally_.groups(), style_));
  show(kinds_text(tally_.findings_by_kind()) + summary_text(summary, style_));
  return summary.exit_code;
}

}  // namespace nlldiff
