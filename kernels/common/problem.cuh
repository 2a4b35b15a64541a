// SPDX-License-Identifier: Apache-2.0
// One call in the numbers that kernels work with: rows, classes, strides. Passed to kernels by value.
#pragma once

#include <cstdint>

#include "nlldiff/kernel.h"
#include "real.cuh"

namespace nll {

/// a / b for 0 <= a, 0 < b. A 64-bit division costs a GPU some 70 instructions, and most operands are small.
__host__ __device__ inline std::int64_t divide(std::int64_t a, std::int64_t b) {
  if (((a | b) >> 32) == 0) return static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b);
  return a / b;
}

/// Walks the target's dimensions, row-major, with the strides of two tensors of that shape: the target and `values`.
/// Neighbouring dimensions that both tensors step through evenly are merged. A scalar has one dimension of size 1.
struct RowIndex {
  int rank;
  std::int64_t sizes[NLLDIFF_MAX_RANK];
  std::int64_t target_strides[NLLDIFF_MAX_RANK];
  std::int64_t value_strides[NLLDIFF_MAX_RANK];
};

struct RowOffsets {
  std::int64_t target;  ///< elements from target.data
  std::int64_t value;   ///< elements from values.data
};

/// Shapes: target (N, d1, ..., dK), input (N, C, d1, ..., dK); D = d1 * ... * dK; (C) counts as N = 1, D = 1.
/// Row r = n * D + d owns the cells (n * C + c) * D + d of grad_input and the cell r of output.
struct Problem {
  std::int64_t rows;     ///< N * D
  std::int64_t classes;  ///< C
  std::int64_t inner;    ///< D
  std::int64_t ignore_index;
  int reduction;
  int target_dtype;
  const void* target;
  const void* values;         ///< forward: input; backward: grad_output, its strides 0 where it is one scalar
  std::int64_t class_stride;  ///< forward: from class to class in `values`
  const void* weight;         ///< null: all ones
  const void* total_weight;   ///< backward with reduction mean reads it
  RowIndex index;
};

__host__ __device__ inline RowOffsets offsets_of(const RowIndex& index, std::int64_t row) {
  RowOffsets offsets{0, 0};
  for (int i = index.rank - 1; i > 0; --i) {
    const std::int64_t outer = divide(row, index.sizes[i]);
    const std::int64_t at = row - outer * index.sizes[i];
    offsets.target += at * index.target_strides[i];
    offsets.value += at * index.value_strides[i];
    row = outer;
  }
  offsets.target += row * index.target_strides[0];
  offsets.value += row * index.value_strides[0];
  return offsets;
}

__device__ inline std::int64_t load_target(const Problem& p, std::int64_t offset) {
  switch (p.target_dtype) {
    case NLLDIFF_INT32:
      return static_cast<const std::int32_t*>(p.target)[offset];
    case NLLDIFF_UINT8:
      return static_cast<const std::uint8_t*>(p.target)[offset];
    default:
      return static_cast<const std::int64_t*>(p.target)[offset];
  }
}

template <class T>
__device__ inline double load_real(const void* data, std::int64_t offset) {
  return to_double(static_cast<const T*>(data)[offset]);
}

/// a * b, never contracted with a following addition: the bits must not depend on the compiler's flags.
__device__ inline double multiply(double a, double b) { return __dmul_rn(a, b); }

template <class T>
__device__ inline double weight_of(const Problem& p, std::int64_t target) {
  return p.weight == nullptr ? 1.0 : load_real<T>(p.weight, target);
}

/// The index of this thread in its grid, and the number of threads in it: 64 bits, since rows may exceed 2^31.
__device__ inline std::int64_t thread_index() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline std::int64_t thread_count() { return static_cast<std::int64_t>(gridDim.x) * blockDim.x; }

}  // namespace nll
