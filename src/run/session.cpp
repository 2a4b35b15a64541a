// SPDX-License-Identifier: Apache-2.0
#include "run/session.hpp"

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

PoolOptions pool_options(const RunOptions& options, const Target& target, const Install& install) {
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
  pool.workers = workers_of(options, target.device);
  pool.case_limit = options.timeout;
  pool.trace = options.trace;
  return pool;
}

double budget_of(const Target& target, int workers) {
  const double host = case_budget(available_bytes(), workers);
  return is_cuda(target.device) ? std::min(host, 0.9 * target.device.memory_bytes) : host;
}

/// One target's pool and queue, and how results get their last fields.
class TargetRun {
 public:
  TargetRun(const Plan& plan, const RunOptions& options, const Target& target, const Install& install,
            SignalQueue& signals)
      : plan_(plan),
        repro_{target.candidate, target.device.name, options.plan.overrides, options.plan.rng_seed, options.trace},
        pool_(pool_options(options, target, install), signals),
        queue_(plan.cases, budget_of(target, workers_of(options, target.device))) {}

  std::optional<WorkerHello> start() { return pool_.start(); }
  PoolEnd run(const PoolEvents& events) { return pool_.run(queue_, events); }
  JobQueue& queue() { return queue_; }
  void complete(const PlannedCase& planned, CaseResult& result) const {
    const CaseFilePath& file = plan_.files[planned.file];
    result.file = escape_invalid_utf8(file.path);
    result.candidate = escape_invalid_utf8(repro_.candidate);
    result.device = repro_.device;
    result.repro = escape_invalid_utf8(repro_line(file, planned.c, repro_));
  }

 private:
  const Plan& plan_;
  ReproContext repro_;
  Pool pool_;
  JobQueue queue_;
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
    };
    events.on_tick = [&] {
      if (options_.max_time_s && std::chrono::duration<double>(Clock::now() - started_).count() >= *options_.max_time_s)
        stop(run, end_.out_of_time);
      observer_.on_tick();
    };
    const PoolEnd end = run.run(events);
    if (end.interrupted) stop(run, end_.interrupted);
    end_.remarks.insert(end_.remarks.end(), end.remarks.begin(), end.remarks.end());
    end_.too_large += run.queue().too_large();
    end_.not_run += run.queue().not_run();
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
