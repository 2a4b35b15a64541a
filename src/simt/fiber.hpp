// SPDX-License-Identifier: Apache-2.0
// Fibers: stacks that a CUDA thread can be left waiting on. Pooled, each with a guard page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "simt/here.hpp"

namespace nlldiff::simt {

class Scheduler;

/// What a suspended thread waits for.
enum class Wait { nothing, barrier, warp, active_mask };

/// A warp collective as one lane asked for it.
struct WarpCall {
  unsigned op = 0;
  unsigned mask = 0;
  unsigned lane = 0;  ///< the lane to read, for a shuffle
  std::uint64_t value = 0;
  std::uint64_t result = 0;
};

struct Fiber {
  void* context = nullptr;  ///< where it goes on; null: not started
  Scheduler* owner = nullptr;
  const void* stack_bottom = nullptr;  ///< its lowest address
  std::size_t stack_bytes = 0;
  Fiber* next = nullptr;  ///< in the one list that it is on
  unsigned thread = 0;    ///< the CUDA thread on it: linear index in its block
  Index3 index{};         ///< and its threadIdx, while it is suspended
  Wait wait = Wait::nothing;
  WarpCall call;

  [[nodiscard]] void* stack_top() const {
    return const_cast<char*>(static_cast<const char*>(stack_bottom)) + stack_bytes;
  }
};

/// First in, first out; a fiber is on one list at most.
class FiberQueue {
 public:
  [[nodiscard]] bool empty() const { return first_ == nullptr; }
  void push(Fiber* fiber) {
    fiber->next = nullptr;
    *(first_ == nullptr ? &first_ : &last_->next) = fiber;
    last_ = fiber;
  }
  Fiber* pop() {
    Fiber* fiber = first_;
    first_ = fiber->next;
    return fiber;
  }
  /// All of `other`, behind what is here; `other` is empty afterwards.
  void append(FiberQueue& other) {
    if (other.empty()) return;
    *(first_ == nullptr ? &first_ : &last_->next) = other.first_;
    last_ = other.last_;
    other.first_ = nullptr;
  }
  void clear() { first_ = nullptr; }
  [[nodiscard]] const Fiber* first() const { return first_; }

 private:
  Fiber* first_ = nullptr;
  Fiber* last_ = nullptr;
};

/// The fibers of one host thread. They are kept between launches and sessions: their stacks are warm.
class FiberPool {
 public:
  explicit FiberPool(Scheduler* owner) : owner_(owner) {}

  /// Stacks of at least this size from now on; nothing may be running.
  void set_stack_bytes(std::size_t bytes);
  /// An idle fiber, ready to be switched to.
  [[nodiscard]] Fiber* take();
  /// It must be about to switch away, or never have been switched to.
  void give_back(Fiber* fiber) {
    fiber->next = idle_;
    idle_ = fiber;
  }
  /// After a fault: drops whatever stands on the stacks and makes every fiber idle again. No destructors run.
  void reset();

 private:
  struct Unmap {
    std::size_t bytes;
    void operator()(void* at) const;
  };
  void grow();

  Scheduler* owner_;
  std::size_t stack_bytes_ = 0;
  Fiber* idle_ = nullptr;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<std::unique_ptr<void, Unmap>> slabs_;
};

/// Leaves `from` where it is and goes on with `to`; returns when somebody switches back.
void switch_fiber(Fiber& from, Fiber& to);

}  // namespace nlldiff::simt
