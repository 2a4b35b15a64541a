// SPDX-License-Identifier: Apache-2.0
#include "simt/scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <typeinfo>
#include <utility>

namespace nlldiff::simt {

thread_local constinit Scheduler* t_scheduler = nullptr;

namespace {

Index3 unflatten(std::uint64_t linear, const Index3& size) {
  if (size.y == 1 && size.z == 1) return {static_cast<unsigned>(linear), 0, 0};
  const std::uint64_t row = linear / size.x;
  return {static_cast<unsigned>(linear % size.x), static_cast<unsigned>(row % size.y),
          static_cast<unsigned>(row / size.y)};
}

std::string spelled(const Index3& index) { return fmt::format("({},{},{})", index.x, index.y, index.z); }

}  // namespace

std::optional<Fault> Scheduler::run(const GridLaunch& launch, const Options& options, Recorder* recorder) {
  recorder_ = recorder;
  prepare(launch, options);
  if (begin_block()) {
    t_scheduler = this;
    current_ = pool_.take();
    switch_fiber(main_, *current_);
    t_scheduler = nullptr;
  }
  launch_ = nullptr;
  if (fault_) {
    pool_.reset();
    for (Warp& warp : warps_) warp = {};
  }
  return std::exchange(fault_, std::nullopt);
}

void Scheduler::prepare(const GridLaunch& launch, const Options& options) {
  launch_ = &launch;
  order_ = options.order;
  seed_ = options.seed;
  blocks_ = std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
  next_block_ = 0;
  threads_ = launch.block.x * launch.block.y * launch.block.z;
  warp_count_ = (threads_ + kWarpThreads - 1) / kWarpThreads;
  block_order_ = Permutation(blocks_, mix(seed_));
  if (order_ == Order::seeded) prepare_thread_order();
  for (unsigned w = 0; w < warp_count_; ++w) {
    const unsigned lanes = std::min(threads_ - w * kWarpThreads, kWarpThreads);
    warps_[w].existing = lanes == kWarpThreads ? ~0u : (1u << lanes) - 1;
  }
  pool_.set_stack_bytes(options.fiber_stack_bytes);
  shared_.begin_launch(launch.shared_bytes);
  nlldiff_simt_gridDim = launch.grid;
  nlldiff_simt_blockDim = launch.block;
}

void Scheduler::prepare_thread_order() {
  if (thread_order_.size() == threads_ && thread_order_seed_ == seed_) return;
  const Permutation permutation(threads_, mix(seed_ + 1));
  thread_order_.resize(threads_);
  for (unsigned i = 0; i < threads_; ++i) thread_order_[i] = static_cast<std::uint16_t>(permutation(i));
  thread_order_seed_ = seed_;
}

std::uint64_t Scheduler::block_at(std::uint64_t i) const {
  if (order_ == Order::forward) return i;
  return order_ == Order::reverse ? blocks_ - 1 - i : block_order_(i);
}

unsigned Scheduler::thread_at(unsigned i) const {
  if (order_ == Order::forward) return i;
  if (order_ == Order::reverse) return threads_ - 1 - i;
  const unsigned turned = i + first_thread_;
  return thread_order_[turned < threads_ ? turned : turned - threads_];
}

bool Scheduler::begin_block() {
  if (next_block_ == blocks_) return false;
  const std::uint64_t block = block_at(next_block_++);
  nlldiff_simt_blockIdx = unflatten(block, launch_->grid);
  t_position.block = block;
  run_ = recorder_ != nullptr ? recorder_->begin_run() : 0;
  next_thread_ = 0;
  live_ = threads_;
  barriers_ = 0;
  if (order_ == Order::seeded) first_thread_ = static_cast<unsigned>(mix(block ^ seed_) % threads_);
  for (unsigned w = 0; w < warp_count_; ++w) {
    warps_[w].exited = 0;
    warps_[w].collectives = 0;
  }
  at_barrier_ = in_favour_ = 0;
  barrier_queue_.clear();
  ready_.clear();
  sleeping_.clear();
  shared_.poison();
  return true;
}

void Scheduler::work() {
  for (;;) {
    if (!ready_.empty()) {
      make_way(ready_.pop());
    } else if (next_thread_ < threads_) {
      run_thread(thread_at(next_thread_++));
    } else if (live_ == 0) {
      if (!begin_block()) make_way(&main_);
    } else if (!sleeping_.empty()) {
      make_way(sleeping_.pop());
    } else if (!wake_active_masks()) {
      report_deadlock();
    }
  }
}

/// Goes back to the pool, and on with `next`; returns when it is taken again.
void Scheduler::make_way(Fiber* next) {
  Fiber* self = current_;
  pool_.give_back(self);
  current_ = next;
  switch_fiber(*self, *next);
}

void Scheduler::run_thread(unsigned thread) {
  current_->thread = thread;
  enter(thread, unflatten(thread, launch_->block));
  const char* escaped = nullptr;
  try {
    launch_->thread(launch_->arguments);
  } catch (const std::exception& error) {
    escaped = typeid(error).name();
  } catch (...) {
    escaped = "not a std::exception";
  }
  if (escaped != nullptr) fail(FaultKind::exception, fmt::format("an exception ({}) left the thread", escaped));
  finish_thread();
}

void Scheduler::finish_thread() {
  --live_;
  Warp& warp = current_warp();
  warp.exited |= 1u << current_->thread % kWarpThreads;
  if (at_barrier_ != 0 && at_barrier_ == live_) release_barrier();
  if (warp.waiting != 0) lane_left(warp);
}

/// The built-in variables and the hooks are this thread's from here on.
void Scheduler::enter(unsigned thread, const Index3& index) {
  nlldiff_simt_threadIdx = index;
  t_position.thread = thread;
  t_hook.stamp = make_stamp(run_, thread, barriers_, warps_[thread / kWarpThreads].collectives);
}

/// The thread is on a list that somebody looks at; it returns when that somebody made it ready.
void Scheduler::suspend(Wait wait) {
  Fiber* self = current_;
  self->wait = wait;
  self->index = nlldiff_simt_threadIdx;
  Fiber* next = ready_.empty() ? pool_.take() : ready_.pop();
  if (next != self) {
    current_ = next;
    switch_fiber(*self, *next);
  }
  self->wait = Wait::nothing;
  enter(self->thread, self->index);
}

Scheduler::Votes Scheduler::barrier(bool predicate) {
  ++at_barrier_;
  in_favour_ += predicate ? 1 : 0;
  barrier_queue_.push(current_);
  if (at_barrier_ == live_) release_barrier();
  suspend(Wait::barrier);
  return last_votes_;
}

void Scheduler::release_barrier() {
  last_votes_ = {at_barrier_, in_favour_};
  at_barrier_ = in_favour_ = 0;
  ++barriers_;
  ready_.append(barrier_queue_);
}

void Scheduler::yield() {
  sleeping_.push(current_);
  suspend(Wait::nothing);
}

void* Scheduler::shared(const void* key, std::size_t bytes, std::size_t align) {
  void* at = shared_.variable(key, bytes, align);
  if (at == nullptr)
    fail(FaultKind::misuse,
         fmt::format("{} bytes of static and {} of dynamic shared memory are too much; CUDA allows "
                     "{} static and {} in all",
                     shared_.static_bytes(), launch_->shared_bytes, kMaxStaticSharedBytes, kMaxSharedBytes));
  return at;
}

std::string Scheduler::position() const {
  return fmt::format("kernel {}, block {}", launch_->kernel, spelled(nlldiff_simt_blockIdx));
}

/// Nobody comes back to this stack: what it owns must be gone before it is left.
void Scheduler::fail(FaultKind kind, std::string what) {
  {
    const std::string clause = std::move(what);
    fault_ = Fault{kind, fmt::format("{} in {}, thread {}", clause, position(), spelled(nlldiff_simt_threadIdx))};
  }
  switch_fiber(*current_, main_);
  std::terminate();
}

void Scheduler::report_deadlock() {
  fault_ = Fault{FaultKind::deadlock, fmt::format("deadlock in {}: {}; {} of {} threads have exited", position(),
                                                  waiting_threads(), threads_ - live_, threads_)};
  switch_fiber(*current_, main_);
  std::terminate();
}

std::string Scheduler::waiting_threads() const {
  std::string text;
  const auto add = [&text](const std::string& clause) { text += (text.empty() ? "" : ", ") + clause; };
  if (at_barrier_ != 0)
    add(fmt::format("{} threads wait at __syncthreads (the first is thread {})", at_barrier_,
                    barrier_queue_.first()->thread));
  for (unsigned w = 0; w < warp_count_; ++w) {
    for (unsigned lane = 0; lane < kWarpThreads; ++lane) {
      if ((warps_[w].waiting >> lane & 1) == 0) continue;
      const WarpCall& call = warps_[w].waiting_fiber[lane]->call;
      const unsigned missing = call.mask & warps_[w].existing & ~warps_[w].exited & ~warps_[w].waiting;
      add(
          fmt::format("warp {} lane {} waits in a warp collective with mask 0x{:08x}, live lanes 0x{:08x} of which are "
                      "elsewhere",
                      w, lane, call.mask, missing));
      break;  // one lane a warp says enough
    }
  }
  return text;
}

}  // namespace nlldiff::simt
