// SPDX-License-Identifier: Apache-2.0
#include "simt/fiber.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <boost/context/detail/fcontext.hpp>

#include "core/error.hpp"
#include "simt/scheduler.hpp"
#include "simt/stack_sanitizer.hpp"

namespace nlldiff::simt {

namespace {

namespace context = boost::context::detail;

constexpr std::size_t kFibersPerSlab = 64;

/// Stack tops at one distance from each other would share the same few sets of the L1 cache: shift them apart.
constexpr std::size_t kColourBytes = 128, kColours = 16;

/// Runs on the stack that was switched to; `fake_stack` is what that stack's own departure gave, null on its first.
void arrive(context::transfer_t transfer, void* fake_stack) {
  auto& left = *static_cast<Fiber*>(transfer.data);
  left.context = transfer.fctx;
  const void* bottom = left.stack_bottom;
  std::size_t bytes = left.stack_bytes;
  stack_entered(fake_stack, &bottom, &bytes);
  left.stack_bottom = bottom;
  left.stack_bytes = bytes;
}

void fiber_main(context::transfer_t transfer) {
  arrive(transfer, nullptr);
  static_cast<Fiber*>(transfer.data)->owner->work();
}

std::size_t round_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

void switch_fiber(Fiber& from, Fiber& to) {
  void* fake_stack = stack_left(to.stack_bottom, to.stack_bytes);
  arrive(context::jump_fcontext(to.context, &from), fake_stack);
}

void FiberPool::Unmap::operator()(void* at) const { ::munmap(at, bytes); }

void FiberPool::set_stack_bytes(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t wanted = round_up(bytes, page) + page;  // one page more for the colours
  if (wanted == stack_bytes_) return;
  stack_bytes_ = wanted;
  idle_ = nullptr;
  fibers_.clear();
  slabs_.clear();
}

Fiber* FiberPool::take() {
  if (idle_ == nullptr) grow();
  Fiber* fiber = idle_;
  idle_ = fiber->next;
  if (fiber->context == nullptr)
    fiber->context = context::make_fcontext(fiber->stack_top(), fiber->stack_bytes, fiber_main);
  return fiber;
}

void FiberPool::grow() {
  const auto guard = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t step = guard + stack_bytes_, total = step * kFibersPerSlab;
  void* slab = ::mmap(nullptr, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (slab == MAP_FAILED) fail_internal("no address space for {} fiber stacks of {} bytes", kFibersPerSlab, step);
  slabs_.emplace_back(slab, Unmap{total});
  for (std::size_t i = kFibersPerSlab; i-- > 0;) {
    char* stack = static_cast<char*>(slab) + i * step + guard;
    if (::mprotect(stack, stack_bytes_, PROT_READ | PROT_WRITE) != 0)
      fail_internal("no memory for a fiber stack of {} bytes", stack_bytes_);
    const std::size_t shift = i % kColours * kColourBytes;
    fibers_.push_back(std::make_unique<Fiber>());
    Fiber& fiber = *fibers_.back();
    fiber.owner = owner_;
    fiber.stack_bottom = stack;
    fiber.stack_bytes = stack_bytes_ - shift;
    give_back(&fiber);
  }
}

void FiberPool::reset() {
  idle_ = nullptr;
  for (const auto& fiber : fibers_) {
    if (fiber->context != nullptr) stack_dropped(fiber->stack_bottom, fiber->stack_bytes);
    fiber->context = nullptr;
    fiber->wait = Wait::nothing;
    give_back(fiber.get());
  }
}

}  // namespace nlldiff::simt
