// SPDX-License-Identifier: Apache-2.0
// One plain NLL loss in named steps: zero the gradient, then one thread a row stores that row's gradient. A mutant
// overrides the step that its defect is in; a kernel of legal/ overrides the launches.
//
// A step that another step is built from is called through P, the kernel's own struct, so that an override counts
// everywhere.
#pragma once

#include "../common/launch.cuh"

namespace nll {

/// The element types that a kernel compiles; the others are NLLDIFF_UNSUPPORTED.
template <class... T>
struct Types {};

/// What a step may know of a row.
struct Row {
  std::int64_t index;   ///< n * D + d
  std::int64_t sample;  ///< n
  std::int64_t inner;   ///< d
  RowOffsets offsets;
  std::int64_t target;
};

__device__ inline Row row_at(const Problem& p, std::int64_t index) {
  const std::int64_t sample = divide(index, p.inner);
  const RowOffsets offsets = offsets_of(p.index, index);
  return {index, sample, index - sample * p.inner, offsets, load_target(p, offsets.target)};
}

/// The row that owns a cell of grad_input, and the cell's class.
__device__ inline Row owner_of(const Problem& p, std::int64_t cell, std::int64_t* cls) {
  const std::int64_t line = divide(cell, p.inner);  // n * C + c
  const std::int64_t sample = divide(line, p.classes);
  *cls = line - sample * p.classes;
  return row_at(p, sample * p.inner + (cell - line * p.inner));
}

/// What row `r` adds to the loss; the row is not ignored.
template <class P, class T>
__device__ double row_loss(const Problem& p, const Row& r) {
  return -multiply(P::template weight<T>(p, r.target),
                   load_real<T>(p.values, r.offsets.value + r.target * p.class_stride));
}

/// What belongs in the target cell of row `r`; the row is not ignored.
template <class P, class T>
__device__ T row_gradient(const Problem& p, const Row& r) {
  const double gradient = -multiply(P::template weight<T>(p, r.target), P::template upstream<T>(p, r));
  if (p.reduction != NLLDIFF_MEAN) return round_to<T>(gradient);
  return round_to<T>(gradient / P::denominator(p, load_real<T>(p.total_weight, 0)));
}

// ---- kernels ----

template <class P, class T>
__global__ void zero_fill_kernel(Problem p, T* grad_input, std::int64_t cells) {
  for (std::int64_t cell = thread_index(); cell < cells; cell += thread_count())
    if (P::is_filled(p, cell)) grad_input[cell] = round_to<T>(0.0);
}

template <class P, class T>
__global__ void scatter_kernel(Problem p, T* grad_input) {
  for (std::int64_t index = thread_index(); index < p.rows; index += thread_count()) {
    const Row r = row_at(p, index);
    const bool ignored = P::is_ignored(p, r.target);
    if (P::is_stored(ignored)) grad_input[P::cell(p, r)] = ignored ? round_to<T>(0.0) : row_gradient<P, T>(p, r);
  }
}

template <class P, class T>
__global__ void forward_rows_kernel(Problem p, T* output, T* total_weight) {
  if (thread_index() == 0) *total_weight = round_to<T>(0.0);
  for (std::int64_t index = thread_index(); index < p.rows; index += thread_count()) {
    const Row r = row_at(p, index);
    output[index] = round_to<T>(P::is_ignored(p, r.target) ? 0.0 : row_loss<P, T>(p, r));
  }
}

/// One block walks all rows.
template <class P, class T>
__global__ void forward_total_kernel(Problem p, T* output, T* total_weight) {
  Sums sums{0.0, 0.0};
  for (std::int64_t index = thread_index(); index < p.rows; index += thread_count()) {
    const Row r = row_at(p, index);
    if (!P::is_ignored(p, r.target)) sums = sums + Sums{row_loss<P, T>(p, r), P::template weight<T>(p, r.target)};
  }
  sums = block_sum(sums);
  if (threadIdx.x != 0) return;
  *output = round_to<T>(p.reduction == NLLDIFF_MEAN ? sums.loss / P::denominator(p, sums.weight) : sums.loss);
  *total_weight = round_to<T>(sums.weight);
}

// ---- steps ----

struct Textbook {
  using Floats = Types<float>;
  static constexpr unsigned kFlags = NLLDIFF_DETERMINISTIC;
  static constexpr int kMinRank = 1;  ///< of the input
  static constexpr int kMaxRank = NLLDIFF_MAX_RANK;

  __device__ static bool is_ignored(const Problem& p, std::int64_t target) { return target == p.ignore_index; }
  /// The store mask of the scatter.
  __device__ static bool is_stored(bool ignored) { return !ignored; }
  /// The address of the scatter.
  __device__ static std::int64_t cell(const Problem& p, const Row& r) {
    return (r.sample * p.classes + r.target) * p.inner + r.inner;
  }
  /// The store mask of the zero fill.
  __device__ static bool is_filled(const Problem&, std::int64_t) { return true; }
  template <class T>
  __device__ static double weight(const Problem& p, std::int64_t target) {
    return weight_of<T>(p, target);
  }
  template <class T>
  __device__ static double upstream(const Problem& p, const Row& r) {
    return load_real<T>(p.values, r.offsets.value);
  }
  /// What a mean is divided by.
  __device__ static double denominator(const Problem&, double total_weight) { return total_weight; }

  template <class P, class T>
  static int launch_zero_fill(nlldiff_call* call, const Problem& p) {
    const std::int64_t cells = numel(shape_of(call->grad_input));
    zero_fill_kernel<P, T>
        <<<blocks_for(cells), kThreads, 0, stream_of(call)>>>(p, static_cast<T*>(call->grad_input.data), cells);
    NLL_CUDA(call, cudaGetLastError());
    return NLLDIFF_OK;
  }

  template <class P, class T>
  static int launch_scatter(nlldiff_call* call, const Problem& p) {
    scatter_kernel<P, T>
        <<<blocks_for(p.rows), kThreads, 0, stream_of(call)>>>(p, static_cast<T*>(call->grad_input.data));
    NLL_CUDA(call, cudaGetLastError());
    return NLLDIFF_OK;
  }

  template <class P, class T>
  static int launch_backward(nlldiff_call* call, const Problem& p) {
    NLL_TRY((launch_zero_fill<P, T>(call, p)));
    return launch_scatter<P, T>(call, p);
  }

  template <class P, class T>
  static int launch_forward(nlldiff_call* call, const Problem& p) {
    auto* output = static_cast<T*>(call->output.data);
    auto* total_weight = static_cast<T*>(call->total_weight.data);
    if (p.reduction == NLLDIFF_NONE) {
      forward_rows_kernel<P, T><<<blocks_for(p.rows), kThreads, 0, stream_of(call)>>>(p, output, total_weight);
    } else {
      forward_total_kernel<P, T><<<1, kThreads, 0, stream_of(call)>>>(p, output, total_weight);
    }
    NLL_CUDA(call, cudaGetLastError());
    return NLLDIFF_OK;
  }
};

// ---- entry points ----

/// Refuses a bad target before any kernel builds an address from it.
inline int check_targets(nlldiff_call* call, const Problem& p) {
  if (p.rows == 0) return NLLDIFF_OK;
  BadRow* d_bad_row = nullptr;
  NLL_TRY(make_bad_row(call, &d_bad_row));
  NLL_TRY(launch_check_targets(call, p, d_bad_row));
  return report_bad_row(call, p, d_bad_row);
}

template <class P>
int check_support(nlldiff_call* call) {
  if (call->input.rank >= P::kMinRank && call->input.rank <= P::kMaxRank) return NLLDIFF_OK;
  return refuse(call, NLLDIFF_UNSUPPORTED, "input has rank %d; this kernel takes %d to %d", call->input.rank,
                P::kMinRank, P::kMaxRank);
}

template <class P>
int forward_as(nlldiff_call* call, const Problem&, Types<>) {
  return refuse(call, NLLDIFF_UNSUPPORTED, "this kernel has no code for dtype code %d", call->input.dtype);
}
template <class P, class T, class... Rest>
int forward_as(nlldiff_call* call, const Problem& p, Types<T, Rest...>) {
  if (call->input.dtype != kDtypeOf<T>) return forward_as<P>(call, p, Types<Rest...>{});
  NLL_TRY(check_targets(call, p));
  return P::template launch_forward<P, T>(call, p);
}

template <class P>
int backward_as(nlldiff_call* call, const Problem&, Types<>) {
  return refuse(call, NLLDIFF_UNSUPPORTED, "this kernel has no code for dtype code %d", call->input.dtype);
}
template <class P, class T, class... Rest>
int backward_as(nlldiff_call* call, const Problem& p, Types<T, Rest...>) {
  if (call->input.dtype != kDtypeOf<T>) return backward_as<P>(call, p, Types<Rest...>{});
  NLL_TRY(check_targets(call, p));
  if (p.rows == 0 || p.classes == 0) return NLLDIFF_OK;
  return P::template launch_backward<P, T>(call, p);
}

template <class P>
int textbook_forward(nlldiff_call* call) {
  NLL_TRY(check_forward(call));
  NLL_TRY(check_support<P>(call));
  return forward_as<P>(call, forward_problem(call), typename P::Floats{});
}

template <class P>
int textbook_backward(nlldiff_call* call) {
  NLL_TRY(check_backward(call));
  NLL_TRY(check_support<P>(call));
  return backward_as<P>(call, backward_problem(call), typename P::Floats{});
}

template <class P>
constexpr nlldiff_kernel textbook_kernel(const char* name, const char* description) {
  return {NLLDIFF_ABI_VERSION, sizeof(nlldiff_kernel), name, description, NLLDIFF_THIS_DEVICE, P::kFlags,
          textbook_forward<P>, textbook_backward<P>};
}

/// Registers kernel struct P (of this file's anonymous namespace) as the library's kernel.
#define NLL_REGISTER(P, name, description)                                                \
  const nlldiff_kernel* nlldiff_get_kernel(void) {                                        \
    static constexpr nlldiff_kernel kKernel = nll::textbook_kernel<P>(name, description); \
    return &kKernel;                                                                      \
  }

}  // namespace nll
