// SPDX-License-Identifier: Apache-2.0
// Which case is started next, and what was not started and why.
#pragma once

#include <cstdint>
#include <span>

#include "model/case.hpp"
#include "run/plan.hpp"

namespace nlldiff {

/// Cases in plan order, as many at a time as the memory budget holds.
class JobQueue {
 public:
  /// `budget_bytes`: memory for all running cases together. `cases` outlives the queue.
  JobQueue(std::span<const PlannedCase> cases, double budget_bytes);

  /// The next case to start, or nullptr: none is left, or none fits beside those that run.
  [[nodiscard]] const PlannedCase* take();
  /// `planned` is over: its memory is free again.
  void finished(const PlannedCase& planned);
  /// Nothing more is started.
  void stop();

  [[nodiscard]] bool exhausted() const { return stopped_ || next_ == cases_.size(); }
  [[nodiscard]] std::size_t waiting() const { return stopped_ ? 0 : cases_.size() - next_; }
  [[nodiscard]] std::int64_t too_large() const { return too_large_; }        ///< of those reached
  [[nodiscard]] double least_too_large() const { return least_too_large_; }  ///< bytes that the smallest of them needs
  [[nodiscard]] double budget() const { return budget_; }
  [[nodiscard]] std::int64_t not_run() const { return stopped_ ? static_cast<std::int64_t>(cases_.size() - next_) : 0; }

 private:
  void skip_too_large();
  std::span<const PlannedCase> cases_;
  double budget_, in_use_ = 0, least_too_large_ = 0;
  std::size_t next_ = 0;
  std::int64_t too_large_ = 0;
  bool stopped_ = false;
};

}  // namespace nlldiff
