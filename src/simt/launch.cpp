// SPDX-License-Identifier: Apache-2.0
// From `kernel<<<...>>>(...)` to the scheduler: checks what the driver checks, and keeps CUDA's error state.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>

#include "simt/here.hpp"
#include "simt/include/nlldiff_simt/abi.h"
#include "simt/session.hpp"

namespace nlldiff::simt {

namespace {

/// Why the driver would refuse this launch; empty where it would not. Limits of compute capability 9.0.
std::string refusal(const Index3& grid, const Index3& block, std::size_t shared_bytes) {
  constexpr unsigned kMaxGridX = 0x7fffffff, kMaxGridYz = 65535, kMaxBlockZ = 64;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return "the grid is empty";
  if (block.x == 0 || block.y == 0 || block.z == 0) return "the block is empty";
  if (grid.x > kMaxGridX || grid.y > kMaxGridYz || grid.z > kMaxGridYz)
    return fmt::format("the grid is larger than ({},{},{})", kMaxGridX, kMaxGridYz, kMaxGridYz);
  const bool too_long = block.x > kMaxBlockThreads || block.y > kMaxBlockThreads || block.z > kMaxBlockZ;
  if (too_long || block.x * block.y * block.z > kMaxBlockThreads)
    return fmt::format("the block has more than {} threads, or more than {} in z", kMaxBlockThreads, kMaxBlockZ);
  if (shared_bytes > kMaxSharedBytes)
    return fmt::format("{} bytes of dynamic shared memory are more than {}", shared_bytes, kMaxSharedBytes);
  return {};
}

void refuse(HostThread& thread, const GridLaunch& launch, const std::string& why) {
  thread.last_error = launch.shared_bytes > kMaxSharedBytes ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration;
  thread.session->fail(fmt::format("kernel {} cannot be launched with grid ({},{},{}), block ({},{},{}): {}",
                                   launch.kernel, launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x,
                                   launch.block.y, launch.block.z, why));
}

void keep_name(HostThread& thread, const char* kernel) {
  const std::size_t length = std::min(std::strlen(kernel), thread.kernel_name.size() - 1);
  std::memcpy(thread.kernel_name.data(), kernel, length);
  thread.kernel_name[length] = '\0';
  t_position = {0, 0, thread.kernel_name.data()};
}

void run_grid(HostThread& thread, const GridLaunch& launch) {
  SessionCore& session = *thread.session;
  Recorder* recorder = session.recorder.get();
  if (recorder != nullptr)
    recorder->begin_launch({.kind = LaunchKind::kernel,
                            .kernel = launch.kernel,
                            .grid = {launch.grid.x, launch.grid.y, launch.grid.z},
                            .block = {launch.block.x, launch.block.y, launch.block.z}});
  const std::optional<Fault> fault = thread.scheduler.run(launch, session.options, recorder);
  if (recorder != nullptr) recorder->end_launch();
  if (!fault) return;
  session.fail(fault->sentence);
  session.sticky_error = fault->kind == FaultKind::assertion ? cudaErrorAssert : cudaErrorLaunchFailure;
  thread.last_error = session.sticky_error;
}

void launch_grid(const GridLaunch& launch) {
  if (t_scheduler != nullptr)
    t_scheduler->fail(FaultKind::misuse,
                      fmt::format("kernel {} was launched from a kernel, which is not supported,", launch.kernel));
  HostThread& thread = host_thread();
  if (thread.session == nullptr) {
    thread.last_error = cudaErrorNotSupported;
    return report_foreign_launch(launch.kernel);
  }
  if (thread.session->sticky_error != cudaSuccess) return;
  const std::string why = refusal(launch.grid, launch.block, launch.shared_bytes);
  if (!why.empty()) return refuse(thread, launch, why);
  keep_name(thread, launch.kernel);
  run_grid(thread, launch);
}

}  // namespace

}  // namespace nlldiff::simt

using nlldiff::simt::FaultKind;
using nlldiff::simt::t_scheduler;

extern "C" {
#pragma GCC visibility push(default)

void nlldiff_simt_launch(const char* kernel, const unsigned grid[3], const unsigned block[3], std::size_t shared_bytes,
                         void (*thread)(void*), void* arguments) {
  nlldiff::simt::launch_grid(
      {kernel, {grid[0], grid[1], grid[2]}, {block[0], block[1], block[2]}, shared_bytes, thread, arguments});
}

unsigned nlldiff_simt_barrier(int predicate, unsigned vote) {
  if (t_scheduler == nullptr) return 0;
  const auto votes = t_scheduler->barrier(predicate != 0);
  if (vote == NLLDIFF_SIMT_AND) return votes.in_favour == votes.arrived ? 1 : 0;
  return vote == NLLDIFF_SIMT_OR ? (votes.in_favour != 0 ? 1 : 0) : votes.in_favour;
}

std::uint64_t nlldiff_simt_warp(unsigned op, unsigned mask, std::uint64_t value, unsigned lane) {
  if (t_scheduler == nullptr) return 0;
  return t_scheduler->warp({.op = op, .mask = mask, .lane = lane, .value = value});
}

unsigned nlldiff_simt_active_mask() {
  return t_scheduler == nullptr ? 0 : t_scheduler->active_mask(__builtin_return_address(0));
}

void* nlldiff_simt_shared(const void* key, std::size_t bytes, std::size_t align) {
  return t_scheduler == nullptr ? nullptr : t_scheduler->shared(key, bytes, align);
}

void* nlldiff_simt_dynamic_shared() { return nlldiff::simt::host_thread().scheduler.dynamic_shared(); }

void nlldiff_simt_trap(const char* what) {
  if (t_scheduler == nullptr) std::abort();
  t_scheduler->fail(FaultKind::trap, what);
}

void nlldiff_simt_yield() {
  if (t_scheduler != nullptr) t_scheduler->yield();
}

std::uint64_t nlldiff_simt_clock_ns() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

/// The linker's --wrap: an assertion in a kernel is a fault of its launch; in host code it is what it always was.
[[noreturn]] void __wrap___assert_fail(const char* expression, const char* file, unsigned line, const char* function) {
  if (t_scheduler == nullptr) {
    std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, expression);
    std::abort();
  }
  t_scheduler->fail(FaultKind::assertion, fmt::format("assertion `{}` failed at {}:{}", expression, file, line));
}

#pragma GCC visibility pop
}
