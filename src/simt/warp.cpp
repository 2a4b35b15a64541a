// SPDX-License-Identifier: Apache-2.0
// Warp collectives: the lanes of a mask meet, then each gets its own result. A lane that has exited, or that the
// block does not have, counts as there; what is read from it is all ones.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "simt/include/nlldiff_simt/abi.h"
#include "simt/scheduler.hpp"

namespace nlldiff::simt {

namespace {

template <class Visit>
void for_each_lane(unsigned lanes, Visit visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(static_cast<unsigned>(std::countr_zero(lanes)));
}

unsigned lanes_with(const Warp& warp, unsigned lanes, std::uint64_t value) {
  unsigned same = 0;
  for_each_lane(lanes,
                [&](unsigned lane) { same |= (warp.waiting_fiber[lane]->call.value == value ? 1u : 0u) << lane; });
  return same;
}

std::uint64_t combine(unsigned op, std::uint32_t a, std::uint32_t b) {
  const auto signed_less = static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b);
  switch (op) {
    case NLLDIFF_SIMT_ADD:
      return a + b;
    case NLLDIFF_SIMT_MIN_S:
      return signed_less ? a : b;
    case NLLDIFF_SIMT_MAX_S:
      return signed_less ? b : a;
    case NLLDIFF_SIMT_MIN_U:
      return std::min(a, b);
    case NLLDIFF_SIMT_MAX_U:
      return std::max(a, b);
    case NLLDIFF_SIMT_BIT_AND:
      return a & b;
    case NLLDIFF_SIMT_BIT_OR:
      return a | b;
    default:
      return a ^ b;
  }
}

std::uint64_t reduce(const Warp& warp, unsigned lanes, unsigned op) {
  std::uint64_t result = 0;
  bool first = true;
  for_each_lane(lanes, [&](unsigned lane) {
    const auto value = static_cast<std::uint32_t>(warp.waiting_fiber[lane]->call.value);
    result = first ? value : combine(op, static_cast<std::uint32_t>(result), value);
    first = false;
  });
  return result;
}

/// What is the same for all lanes is found once, what differs per lane here.
std::uint64_t own_result(const Warp& warp, unsigned lanes, const WarpCall& call, std::uint64_t common) {
  switch (call.op) {
    case NLLDIFF_SIMT_SHUFFLE:
      return (lanes >> call.lane & 1) != 0 ? warp.waiting_fiber[call.lane]->call.value : ~std::uint64_t{0};
    case NLLDIFF_SIMT_MATCH:
      return lanes_with(warp, lanes, call.value);
    default:
      return common;
  }
}

std::uint64_t common_result(const Warp& warp, unsigned lanes, unsigned op) {
  if (op == NLLDIFF_SIMT_BALLOT) return lanes_with(warp, lanes, 1);
  return op >= NLLDIFF_SIMT_ADD ? reduce(warp, lanes, op) : 0;
}

/// All of `lanes` wait, and in the same collective.
bool have_met(const Warp& warp, unsigned lanes, unsigned mask) {
  if (lanes == 0 || (lanes & ~warp.waiting) != 0) return false;
  const unsigned op = warp.waiting_fiber[static_cast<unsigned>(std::countr_zero(lanes))]->call.op;
  bool same = true;
  for_each_lane(lanes, [&](unsigned lane) {
    const WarpCall& call = warp.waiting_fiber[lane]->call;
    same = same && call.mask == mask && call.op == op;
  });
  return same;
}

}  // namespace

std::uint64_t Scheduler::warp(const WarpCall& call) {
  const unsigned lane = current_->thread % kWarpThreads;
  if ((call.mask >> lane & 1) == 0)
    fail(FaultKind::misuse,
         fmt::format("lane {} called a warp collective whose mask 0x{:08x} leaves it out", lane, call.mask));
  Warp& warp = current_warp();
  current_->call = call;
  current_->call.lane %= kWarpThreads;
  warp.waiting_fiber[lane] = current_;
  warp.waiting |= 1u << lane;
  complete_collective(warp, call.mask);
  Fiber* self = current_;
  suspend(Wait::warp);
  return self->call.result;
}

void Scheduler::complete_collective(Warp& warp, unsigned mask) {
  const unsigned lanes = mask & warp.existing & ~warp.exited;
  if (!have_met(warp, lanes, mask)) return;
  const unsigned op = warp.waiting_fiber[static_cast<unsigned>(std::countr_zero(lanes))]->call.op;
  const std::uint64_t common = common_result(warp, lanes, op);
  for_each_lane(lanes, [&](unsigned lane) {
    WarpCall& call = warp.waiting_fiber[lane]->call;
    call.result = own_result(warp, lanes, call, common);
  });
  wake(warp, lanes);
  warp.waiting &= ~lanes;
  ++warp.collectives;
}

/// In the order of the launch, so that races between lanes show as differences between orders.
void Scheduler::wake(Warp& warp, unsigned lanes) {
  while (lanes != 0) {
    const auto lane =
        static_cast<unsigned>(order_ == Order::reverse ? 31 - std::countl_zero(lanes) : std::countr_zero(lanes));
    ready_.push(warp.waiting_fiber[lane]);
    lanes &= ~(1u << lane);
  }
}

/// A lane exited: those that waited for it alone may go.
void Scheduler::lane_left(Warp& warp) {
  for (unsigned lanes = warp.waiting; lanes != 0;) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    const unsigned mask = warp.waiting_fiber[lane]->call.mask;
    complete_collective(warp, mask);
    lanes &= ~mask & warp.waiting;
  }
}

unsigned Scheduler::active_mask(const void* call_site) {
  const unsigned lane = current_->thread % kWarpThreads;
  Fiber* self = current_;
  self->call = {.value = reinterpret_cast<std::uintptr_t>(call_site)};
  Warp& warp = current_warp();
  warp.waiting_fiber[lane] = self;
  warp.asking |= 1u << lane;
  suspend(Wait::active_mask);
  return static_cast<unsigned>(self->call.result);
}

/// Nothing else can run: in each warp, the lanes that asked at one place go on together, as converged lanes do.
bool Scheduler::wake_active_masks() {
  bool woke = false;
  for (unsigned w = 0; w < warp_count_; ++w) {
    Warp& warp = warps_[w];
    if (warp.asking == 0) continue;
    const std::uint64_t site = warp.waiting_fiber[static_cast<unsigned>(std::countr_zero(warp.asking))]->call.value;
    const unsigned together = lanes_with(warp, warp.asking, site);
    for_each_lane(together, [&](unsigned lane) { warp.waiting_fiber[lane]->call.result = together; });
    wake(warp, together);
    warp.asking &= ~together;
    woke = true;
  }
  return woke;
}

}  // namespace nlldiff::simt
