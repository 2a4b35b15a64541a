// SPDX-License-Identifier: Apache-2.0
// Runs jobs in worker processes: one job at a time in each, a time limit a job, and a new worker for a dead one.
// One thread, one poll() loop.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/protocol.hpp"
#include "run/job_queue.hpp"
#include "run/signals.hpp"
#include "run/worker_process.hpp"

namespace nlldiff {

struct PoolOptions {
  std::vector<std::string> command;  ///< argv of a worker
  int workers = 1;
  std::chrono::milliseconds case_limit{20'000};
  std::chrono::milliseconds start_limit{120'000};  ///< until the hello: LibTorch loads, a .cu compiles
  std::string trace = "auto";
};

/// Deaths before the hello, one after the other, after which the pool gives up.
inline constexpr int kMaxFailedStarts = 3;

struct PoolEvents {
  /// A case is over. The result lacks file, candidate, device and repro.
  std::function<void(const PlannedCase&, CaseResult)> on_result;
  std::function<void()> on_tick;  ///< at least every 200 ms, and after each result
};

/// How a pool's run ended.
struct PoolEnd {
  bool interrupted = false;          ///< by a signal; cases that ran then have no result
  std::vector<std::string> remarks;  ///< a worker that died although it had no case to do
};

class Pool {
 public:
  Pool(PoolOptions options, SignalQueue& signals);
  ~Pool();

  /// Starts the first worker. Nothing where a signal came first. Throws the hello's own error with its own kind,
  /// and Error(internal) with the captured output after kMaxFailedStarts.
  [[nodiscard]] std::optional<WorkerHello> start();
  /// Works until the queue is exhausted and every job over, then ends the workers.
  PoolEnd run(JobQueue& queue, const PoolEvents& events);

 private:
  void spawn();
  void staff(const JobQueue& queue);
  void assign(JobQueue& queue);
  void wait();
  void serve(WorkerProcess& worker);
  void take_frames(WorkerProcess& worker);
  void take_hello(WorkerProcess& worker, const std::string& frame);
  void take_reply(WorkerProcess& worker, const std::string& frame);
  void check_end(WorkerProcess& worker);
  void failed_start(WorkerProcess& worker, const std::string& how);
  void lost(WorkerProcess& worker, const std::string& how);
  void give_up(WorkerProcess& worker, Verdict verdict, const std::string& reason);
  void finish(WorkerProcess& worker, CaseResult result);
  [[nodiscard]] bool is_gone(const WorkerProcess& worker) const;
  void remove_gone();
  void shut_down();

  PoolOptions options_;
  SignalQueue& signals_;
  std::vector<std::unique_ptr<WorkerProcess>> workers_;
  std::vector<WorkerProcess*> gone_;
  std::optional<WorkerHello> hello_;
  JobQueue* queue_ = nullptr;
  const PoolEvents* events_ = nullptr;
  PoolEnd end_;
  int failed_starts_ = 0;
  std::uint64_t next_id_ = 1;
};

}  // namespace nlldiff
