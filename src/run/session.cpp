// SPDX-License-Identifier: Apache-2.0
#include "run/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <thread>

#include "core/error.hpp"
#include "model/text.hpp"
#include "run/build_info.hpp"
#include "run/candidates.hpp"
#include "run/environment.hpp"
#include "run/memory.hpp"
#include "run/pool.hpp"
#include "run/repro.hpp"

namespace nlldiff {
namespace {

bool is_cuda(const Device& device) { return device.name != "cpu"; }

int workers_of(const RunOptions& options, const Device& device) {
  if (options.jobs > 0) return options.jobs;
  return is_cuda(device) ? 1 : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

std::string worker_of(const Target& target, const Install& install) {
  const std::string& worker = is_cuda(target.device) ? install.cuda_worker : install.cpu_worker;
  if (!is_executable(worker)) fail_internal("no worker at {}: install nlldiff again, or build its workers", worker);
  return worker;
}

PoolOptions pool_options(const RunOptions& options, const Target& target, const Install& install, int workers) {
  PoolOptions pool;
  pool.command = {worker_of(target, install),
                  "--candidate",
                  target.candidate,
                  "--device",
                  target.device.name,
                  "--channel-fd",
                  std::to_string(kChannelFd),
                  "--crash-fd",
                  std::to_string(kCrashFd),
                  "--lib-dir",
                  install.lib_dir};
  pool.workers = workers;
  pool.case_limit = options.timeout;
  pool.trace = options.trace;
  return pool;
}

/// How many workers a target gets, and how much memory their cases have together.
struct Room {
  int workers;
  double budget_bytes;
};

/// Every case that fits beside one worker is run: where it would not fit beside all, there are fewer.
Room room_for(const Plan& plan, const RunOptions& options, const Target& target) {
  const double available = available_bytes();
  const auto budget = [&](int workers) {
    const double host = case_budget(available, workers);
    return is_cuda(target.device) ? std::min(host, 0.9 * target.device.memory_bytes) : host;
  };
  double largest = 0;
  for (const PlannedCase& planned : plan.cases)
    if (const double bytes = estimated_bytes(planned.c); bytes <= budget(1)) largest = std::max(largest, bytes);
  const int workers = workers_that_fit(available, workers_of(options, target.device), largest);
  return {workers, budget(workers)};
}

/// One target's pool and queue, and how results get their last fields.
class TargetRun {
 public:
  TargetRun(const Plan& plan, const RunOptions& options, const Target& target, const Install& install,
            SignalQueue& signals)
      : plan_(plan),
        repro_{target.candidate,      target.device.name, options.plan.overrides,
               options.plan.rng_seed, options.trace,      options.timeout},
        room_(room_for(plan, options, target)),
        pool_(pool_options(options, target, install, room_.workers), signals),
        queue_(plan.cases, room_.budget_bytes) {}

  std::optional<WorkerHello> start() { return pool_.start(); }
  PoolEnd run(const PoolEvents& events) { return pool_.run(queue_, events); }
  JobQueue& queue() { return queue_; }
  [[nodiscard]] const JobQueue& queue() const { return queue_; }
  [[nodiscard]] int workers() const { return room_.workers; }
  /// True where this result is the one after which the target is given up.
  [[nodiscard]] bool is_one_crash_too_many(Verdict verdict) {
    crashes_in_a_row_ = verdict == Verdict::crash || verdict == Verdict::timeout ? crashes_in_a_row_ + 1 : 0;
    return crashes_in_a_row_ == kMaxCrashesInARow;
  }
  /// Starts no more cases.
  void give_up() {
    given_up_ = true;
    queue_.stop();
  }
  [[nodiscard]] bool given_up() const { return given_up_; }
  /// For the user, where cases were left.
  [[nodiscard]] std::string words_of_giving_up() const {
    return fmt::format("{} on {} crashed or timed out {} times in a row; cases not run: {} (--keep-going runs them)",
                       repro_.candidate, repro_.device, kMaxCrashesInARow, queue_.not_run());
  }
  void complete(const PlannedCase& planned, CaseResult& result) const {
    const CaseFilePath& file = plan_.files[planned.file];
    result.file = escape_invalid_utf8(file.path);
    result.candidate = escape_invalid_utf8(repro_.candidate);
    result.device = repro_.device;
    result.repro = escape_invalid_utf8(repro_line(file, planned.c, result.verdict, repro_));
  }

 private:
  const Plan& plan_;
  ReproContext repro_;
  Room room_;
  Pool pool_;
  JobQueue queue_;
  int crashes_in_a_row_ = 0;
  bool given_up_ = false;
};

/// The whole run: starts all targets, then works them off one after the other.
class Session {
 public:
  Session(const Plan& plan, const RunOptions& options, const std::vector<Target>& targets, const Install& install,
          RunObserver& observer)
      : plan_(plan), options_(options), targets_(targets), observer_(observer) {
    for (const Target& target : targets)
      runs_.push_back(std::make_unique<TargetRun>(plan, options, target, install, signals_));
  }

  RunEnd run() {
    if (start_all()) {
      for (const auto& target : runs_) run_target(*target);
    } else {
      end_.interrupted = true;
      end_.not_run = static_cast<std::int64_t>(plan_.cases.size() * targets_.size());
    }
    return end_;
  }

 private:
  /// False: a signal came first.
  bool start_all() {
    RunHeader header;
    header.environment = host_environment();
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const auto hello = runs_[i]->start();
      if (!hello) return false;
      merge_environment(header.environment, hello->environment, targets_[i].candidate, targets_[i].device.name);
    }
    header.nlldiff_version = build_version();
    header.git_commit = build_git_commit();
    header.started_at = timestamp();
    header.cases_planned = static_cast<std::int64_t>(plan_.cases.size() * targets_.size());
    observer_.on_start(header);
    started_ = Clock::now();
    return true;
  }

  void run_target(TargetRun& run) {
    if (stopped_) run.queue().stop();
    PoolEvents events;
    events.on_result = [&](const PlannedCase& planned, CaseResult result) {
      run.complete(planned, result);
      observer_.on_result(result);
      if (options_.fail_fast && exit_code_of(result.verdict, options_.require_trace) != 0)
        stop(run, end_.stopped_early);
      if (!options_.keep_going && !stopped_ && run.is_one_crash_too_many(result.verdict)) run.give_up();
    };
    events.on_tick = [&] {
      if (options_.max_time_s && std::chrono::duration<double>(Clock::now() - started_).count() >= *options_.max_time_s)
        stop(run, end_.out_of_time);
      observer_.on_tick();
    };
    const PoolEnd end = run.run(events);
    if (end.interrupted) stop(run, end_.interrupted);
    end_.remarks.insert(end_.remarks.end(), end.remarks.begin(), end.remarks.end());
    note_left_out(run);
  }

  void note_left_out(const TargetRun& run) {
    const JobQueue& queue = run.queue();
    if (queue.too_large() > 0 && (end_.too_large == 0 || queue.least_too_large() < end_.needed_bytes)) {
      end_.needed_bytes = queue.least_too_large();
      end_.budget_bytes = queue.budget();
    }
    end_.too_large += queue.too_large();
    if (run.workers() < options_.jobs) end_.workers = run.workers();
    if (!run.given_up())
      end_.not_run += queue.not_run();
    else if (queue.not_run() > 0)
      end_.remarks.push_back(run.words_of_giving_up());
  }

  /// Nothing more is started, here and on the targets to come; `why` says so where cases are left.
  void stop(TargetRun& run, bool& why) {
    if (!stopped_) why = &run != runs_.back().get() || run.queue().waiting() > 0 || &why == &end_.interrupted;
    stopped_ = true;
    run.queue().stop();
  }

  const Plan& plan_;
  const RunOptions& options_;
  const std::vector<Target>& targets_;
  RunObserver& observer_;
  SignalQueue signals_;  // before the pools: they must not outlive it
  std::vector<std::unique_ptr<TargetRun>> runs_;
  Clock::time_point started_{};
  bool stopped_ = false;
  RunEnd end_;
};

void refuse_duplicates(const std::vector<std::string>& candidates) {
  std::set<std::string> seen;
  for (const std::string& candidate : candidates)
    if (!seen.insert(candidate).second) fail_usage("--candidate {} is given twice", candidate);
}

}  // namespace

std::vector<Target> resolve_targets(const RunOptions& options, const Install& install) {
  refuse_duplicates(options.candidates);
  const std::vector<Device> devices = resolve_device(options.device, install);
  std::vector<Target> targets;
  for (const std::string& candidate : options.candidates) {
    for (const Device& device : devices) {
      check_candidate(candidate, device, install);
      targets.push_back({candidate, device});
    }
  }
  return targets;
}

RunEnd run_session(const Plan& plan, const RunOptions& options, const std::vector<Target>& targets,
                   const Install& install, RunObserver& observer) {
  return Session(plan, options, targets, install, observer).run();
}

}  // namespace nlldiff
