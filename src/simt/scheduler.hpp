// SPDX-License-Identifier: Apache-2.0
// Runs the blocks of a grid one after another on one host thread. The threads of a block run one after another on
// one fiber; a thread that must wait stays behind on its fiber, and another fiber goes on with the next thread.
// So a kernel in which nobody waits costs no switch.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simt/fiber.hpp"
#include "simt/permutation.hpp"
#include "simt/recorder.hpp"
#include "simt/shared_memory.hpp"
#include "simt/simt.hpp"

namespace nlldiff::simt {

inline constexpr unsigned kWarpThreads = 32;
inline constexpr unsigned kMaxBlockThreads = 1024;

/// A launch whose configuration has been found legal.
struct GridLaunch {
  const char* kernel;
  Index3 grid, block;
  std::size_t shared_bytes;
  void (*thread)(void* arguments);
  void* arguments;
};

enum class FaultKind { trap, assertion, exception, deadlock, misuse };
/// Why a launch ended early: one sentence with kernel, block and thread.
struct Fault {
  FaultKind kind;
  std::string sentence;
};

/// The lanes of one warp.
struct Warp {
  std::array<Fiber*, kWarpThreads> waiting_fiber{};
  unsigned existing = 0;  ///< lanes that the block has
  unsigned exited = 0;
  unsigned waiting = 0;      ///< lanes in a collective
  unsigned asking = 0;       ///< lanes in __activemask
  unsigned collectives = 0;  ///< completed so far
};

class Scheduler {
 public:
  Scheduler() : pool_(this) { main_.owner = this; }
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// Runs the whole grid. `recorder`: null where nothing is recorded.
  [[nodiscard]] std::optional<Fault> run(const GridLaunch& launch, const Options& options, Recorder* recorder);
  [[nodiscard]] bool running() const { return launch_ != nullptr; }

  // ---- what the running CUDA thread asks for ----
  /// Votes of those who arrived, this thread's included.
  struct Votes {
    unsigned arrived, in_favour;
  };
  Votes barrier(bool predicate);
  std::uint64_t warp(const WarpCall& call);
  unsigned active_mask(const void* call_site);
  void yield();
  [[nodiscard]] void* shared(const void* key, std::size_t bytes, std::size_t align);
  [[nodiscard]] void* dynamic_shared() { return shared_.dynamic(); }
  /// Ends the launch. `what`: a clause such as "__trap() was called".
  [[noreturn]] void fail(FaultKind kind, std::string what);

  /// The life of a fiber: starts threads, and makes way for those that can go on.
  [[noreturn]] void work();

 private:
  void prepare(const GridLaunch& launch, const Options& options);
  [[nodiscard]] bool begin_block();
  [[nodiscard]] std::uint64_t block_at(std::uint64_t i) const;
  [[nodiscard]] unsigned thread_at(unsigned i) const;
  void prepare_thread_order();
  void run_thread(unsigned thread);
  void finish_thread();
  void enter(unsigned thread, const Index3& index);
  void suspend(Wait wait);
  void make_way(Fiber* next);
  void release_barrier();
  void complete_collective(Warp& warp, unsigned mask);
  void wake(Warp& warp, unsigned lanes);
  void lane_left(Warp& warp);
  bool wake_active_masks();
  [[noreturn]] void report_deadlock();
  [[nodiscard]] std::string waiting_threads() const;
  [[nodiscard]] std::string position() const;

  [[nodiscard]] Warp& current_warp() { return warps_[current_->thread / kWarpThreads]; }

  // the launch
  const GridLaunch* launch_ = nullptr;
  Recorder* recorder_ = nullptr;
  Order order_ = Order::forward;
  std::uint64_t seed_ = 0;
  std::uint64_t blocks_ = 0, next_block_ = 0;
  unsigned threads_ = 0, warp_count_ = 0;
  Permutation block_order_{1, 0};
  std::vector<std::uint16_t> thread_order_;  ///< for Order::seeded: made for thread_order_seed_
  std::uint64_t thread_order_seed_ = 0;
  std::optional<Fault> fault_;

  // the block
  unsigned next_thread_ = 0, live_ = 0;
  unsigned first_thread_ = 0;  ///< where the seeded order of this block starts
  unsigned barriers_ = 0;
  std::uint64_t run_ = 0;  ///< serial number of this run of a block
  std::array<Warp, kMaxBlockThreads / kWarpThreads> warps_;
  unsigned at_barrier_ = 0, in_favour_ = 0;
  Votes last_votes_{};
  FiberQueue barrier_queue_, ready_, sleeping_;
  SharedMemory shared_;

  // the fibers
  FiberPool pool_;
  Fiber main_;  ///< the host thread's own stack
  Fiber* current_ = nullptr;
};

/// The scheduler whose CUDA thread is running on this host thread; null in host code.
extern thread_local constinit Scheduler* t_scheduler __attribute__((tls_model("initial-exec")));

}  // namespace nlldiff::simt
