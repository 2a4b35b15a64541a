// SPDX-License-Identifier: Apache-2.0
// Launching on the caller's stream: grid sizes, checked CUDA calls, and the word that carries a bad target to the host.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "checks.cuh"
#include "problem.cuh"
#include "reduce.cuh"

namespace nll {

/// Returns NLLDIFF_FAILED, with CUDA's own words, from the calling function where `expression` is not cudaSuccess.
#define NLL_CUDA(call, expression)                                                                      \
  do {                                                                                                  \
    if (const cudaError_t nll_error = (expression); nll_error != cudaSuccess)                           \
      return ::nll::refuse(call, NLLDIFF_FAILED, "%s: %s", #expression, cudaGetErrorString(nll_error)); \
  } while (false)

inline cudaStream_t stream_of(const nlldiff_call* call) { return static_cast<cudaStream_t>(call->stream); }

/// Blocks of kThreads for `items` threads. Kernels loop beyond the limit, which no device's resident threads reach.
inline constexpr std::int64_t kMaxBlocks = 65535;
inline unsigned blocks_for(std::int64_t items, std::int64_t most = kMaxBlocks) {
  const std::int64_t blocks = items / kThreads + (items % kThreads != 0 ? 1 : 0);
  return static_cast<unsigned>(blocks < 1 ? 1 : blocks > most ? most : blocks);
}

template <class T>
int allocate(nlldiff_call* call, std::int64_t count, T** memory) {
  const auto bytes = static_cast<std::size_t>(count) * sizeof(T);
  *memory = call->allocate == nullptr ? nullptr : static_cast<T*>(call->allocate(call->allocate_context, bytes));
  if (*memory != nullptr) return NLLDIFF_OK;
  return refuse(call, NLLDIFF_FAILED, "no scratch memory: %zu bytes were asked for", bytes);
}

/// The smallest row with a bad target, or kNoRow, in scratch memory.
using BadRow = unsigned long long;
inline constexpr BadRow kNoRow = ~BadRow{0};

__device__ inline bool is_bad(const Problem& p, std::int64_t target) {
  return target != p.ignore_index && (target < 0 || target >= p.classes);
}

inline int make_bad_row(nlldiff_call* call, BadRow** d_bad_row) {
  NLL_TRY(allocate(call, 1, d_bad_row));
  NLL_CUDA(call, cudaMemsetAsync(*d_bad_row, 0xff, sizeof(BadRow), stream_of(call)));
  return NLLDIFF_OK;
}

/// Copies one integer from the device; waits for the stream.
template <class T>
int fetch(nlldiff_call* call, const void* d_data, std::int64_t offset, std::int64_t* value) {
  T copy{};
  NLL_CUDA(call, cudaMemcpyAsync(&copy, static_cast<const T*>(d_data) + offset, sizeof(T), cudaMemcpyDeviceToHost,
                                 stream_of(call)));
  NLL_CUDA(call, cudaStreamSynchronize(stream_of(call)));
  *value = static_cast<std::int64_t>(copy);
  return NLLDIFF_OK;
}

inline int fetch_target(nlldiff_call* call, const Problem& p, std::int64_t row, std::int64_t* target) {
  const std::int64_t offset = offsets_of(p.index, row).target;
  if (p.target_dtype == NLLDIFF_INT32) return fetch<std::int32_t>(call, p.target, offset, target);
  if (p.target_dtype == NLLDIFF_UINT8) return fetch<std::uint8_t>(call, p.target, offset, target);
  return fetch<std::int64_t>(call, p.target, offset, target);
}

/// Waits for the stream and refuses the call where a kernel met a bad target. So the error is raised at the call
/// itself, at the price of a wait: a device-side assert would raise it later and leave the context unusable.
inline int report_bad_row(nlldiff_call* call, const Problem& p, const BadRow* d_bad_row) {
  std::int64_t row = 0, target = 0;
  NLL_TRY(fetch<BadRow>(call, d_bad_row, 0, &row));
  if (static_cast<BadRow>(row) == kNoRow) return NLLDIFF_OK;
  NLL_TRY(fetch_target(call, p, row, &target));
  return refuse(call, NLLDIFF_REJECTED, "target[%lld] = %lld is neither in [0, %lld) nor ignore_index = %lld",
                static_cast<long long>(row), static_cast<long long>(target), static_cast<long long>(p.classes),
                static_cast<long long>(p.ignore_index));
}

/// Looks at every row's target, and at nothing else: for kernels that do not look themselves.
__global__ void check_targets_kernel(Problem p, BadRow* bad_row) {
  for (std::int64_t row = thread_index(); row < p.rows; row += thread_count())
    if (is_bad(p, load_target(p, offsets_of(p.index, row).target))) atomicMin(bad_row, static_cast<BadRow>(row));
}

inline int launch_check_targets(nlldiff_call* call, const Problem& p, BadRow* d_bad_row) {
  check_targets_kernel<<<blocks_for(p.rows), kThreads, 0, stream_of(call)>>>(p, d_bad_row);
  NLL_CUDA(call, cudaGetLastError());
  return NLLDIFF_OK;
}

}  // namespace nll
