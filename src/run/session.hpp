// SPDX-License-Identifier: Apache-2.0
// One run: every case of a plan with every candidate on every device.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "model/result.hpp"
#include "run/devices.hpp"
#include "run/plan.hpp"
#include "run/repro.hpp"

namespace nlldiff {

struct RunOptions {
  PlanOptions plan;
  std::vector<std::string> candidates{"nlldiff"};
  std::string device = "auto";
  int jobs = 0;  ///< worker processes; 0: one a core, one for a GPU
  std::chrono::milliseconds timeout = kDefaultTimeout;
  std::optional<double> max_time_s;  ///< after which nothing more is started
  bool fail_fast = false;
  bool keep_going = false;     ///< go on after kMaxCrashesInARow
  bool require_trace = false;  ///< limited counts as failed
  std::string trace = "auto";
};

/// Crashes and timeouts of one target, one after the other, after which no more of its cases are started.
inline constexpr int kMaxCrashesInARow = 25;

/// One candidate on one device.
struct Target {
  std::string candidate;
  Device device;
};

/// What happened besides the results.
struct RunEnd {
  std::int64_t too_large = 0;        ///< cases not run for want of memory
  double needed_bytes = 0;           ///< by the smallest of those
  double budget_bytes = 0;           ///< what there was for it
  int workers = 0;                   ///< where memory holds fewer than `jobs` at once: so many; else 0
  std::int64_t not_run = 0;          ///< cases not started: max_time, fail_fast, a signal
  bool out_of_time = false;          ///< max_time_s was reached before the end
  bool stopped_early = false;        ///< fail_fast
  bool interrupted = false;          ///< SIGINT, SIGTERM or SIGHUP
  std::vector<std::string> remarks;  ///< workers that died without a case to blame, targets given up
};

/// Hears of a run as it goes.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  /// Every worker is ready and no case has run yet.
  virtual void on_start(const RunHeader& header) = 0;
  virtual void on_result(const CaseResult& result) = 0;
  /// Several times a second.
  virtual void on_tick() = 0;
};

/// The targets of the options, all checked: candidates outermost. Throws Error(usage).
[[nodiscard]] std::vector<Target> resolve_targets(const RunOptions& options, const Install& install);

/// Runs. Throws Error where a worker says that it cannot work, or does not start.
RunEnd run_session(const Plan& plan, const RunOptions& options, const std::vector<Target>& targets,
                   const Install& install, RunObserver& observer);

}  // namespace nlldiff
