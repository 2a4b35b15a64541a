// SPDX-License-Identifier: Apache-2.0
// A deterministic block reduction: the order of additions depends on the thread numbers alone.
#pragma once

namespace nll {

inline constexpr int kThreads = 256;

/// Doubles for every dtype. The product of two float32 (or narrower) values is exact in a double, so only the additions
/// round, at 2^-53: the total is then rounded once, to the dtype. A float32 accumulator would lose about log2(rows)
/// bits, and a case of a million rows could not be held to one ULP.
struct Sums {
  double loss;
  double weight;
};

__device__ inline Sums operator+(const Sums& a, const Sums& b) { return {a.loss + b.loss, a.weight + b.weight}; }

/// The sum of `mine` over a block of kThreads threads, valid in thread 0. All threads must call it, once a kernel.
__device__ inline Sums block_sum(Sums mine) {
  __shared__ Sums slots[kThreads];
  slots[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) slots[threadIdx.x] = slots[threadIdx.x] + slots[threadIdx.x + half];
    __syncthreads();
  }
  return slots[0];
}

}  // namespace nll
