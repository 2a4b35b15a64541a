// SPDX-License-Identifier: Apache-2.0
// The project's own NLL loss, forward and backward: every shape, dtype, reduction and layout of kernel.h.
//
// Forward, for the rows r that are not ignored, t = target[r], w = weight[t] or 1:
//   none: output[r] = -w * input[r, t]    sum: their sum    mean: that sum / the sum of w
// Backward: grad_input[r, t] = -w * g, g = grad_output[r] (none) or grad_output (sum, mean), mean divided by
//   total_weight; 0 in every other cell.
// All arithmetic is in double and rounded once, to the dtype. So a gradient of none and sum is the exact product,
// rounded; one of mean is within one ULP, and w * g cannot overflow on the way to an ordinary quotient.
//
// Backward is one pass: a thread owns the 16 bytes of grad_input that it stores, zeros and gradients alike, so no cell
// is stored twice and no address is built from a target. Sums go through a two-stage tree whose shape follows from the
// number of rows alone: the same bits on every device, in every run.
#include "common/launch.cuh"

namespace nll {
namespace {

// ---- kernels: forward ----

template <class T>
__device__ double loss_of(const Problem& p, std::int64_t target, std::int64_t offset) {
  return -multiply(weight_of<T>(p, target), load_real<T>(p.values, offset + target * p.class_stride));
}

template <class T>
__global__ void forward_rows_kernel(Problem p, T* output, T* total_weight, BadRow* bad_row) {
  if (thread_index() == 0) *total_weight = round_to<T>(0.0);
  for (std::int64_t row = thread_index(); row < p.rows; row += thread_count()) {
    const RowOffsets offsets = offsets_of(p.index, row);
    const std::int64_t target = load_target(p, offsets.target);
    const bool bad = is_bad(p, target);
    if (bad) atomicMin(bad_row, static_cast<BadRow>(row));
    const bool counts = !bad && target != p.ignore_index;
    output[row] = round_to<T>(counts ? loss_of<T>(p, target, offsets.value) : 0.0);
  }
}

template <class T>
__global__ void partial_sums_kernel(Problem p, Sums* partials, BadRow* bad_row) {
  Sums sums{0.0, 0.0};
  for (std::int64_t row = thread_index(); row < p.rows; row += thread_count()) {
    const RowOffsets offsets = offsets_of(p.index, row);
    const std::int64_t target = load_target(p, offsets.target);
    if (target == p.ignore_index) continue;
    if (is_bad(p, target)) {
      atomicMin(bad_row, static_cast<BadRow>(row));
      continue;
    }
    sums = sums + Sums{loss_of<T>(p, target, offsets.value), weight_of<T>(p, target)};
  }
  sums = block_sum(sums);
  if (threadIdx.x == 0) partials[blockIdx.x] = sums;
}

template <class T>
__global__ void total_kernel(int reduction, const Sums* partials, unsigned count, T* output, T* total_weight) {
  Sums sums{0.0, 0.0};
  for (unsigned i = threadIdx.x; i < count; i += kThreads) sums = sums + partials[i];
  sums = block_sum(sums);
  if (threadIdx.x != 0) return;
  *output = round_to<T>(reduction == NLLDIFF_MEAN ? sums.loss / sums.weight : sums.loss);
  *total_weight = round_to<T>(sums.weight);
}

// ---- kernels: backward ----

/// Walks the cells of grad_input in memory order, and knows the target of the row that owns the cell.
struct CellWalk {
  std::int64_t sample, cls, inner;  ///< n, c, d
  RowOffsets offsets;
  std::int64_t target;
};

__device__ inline void enter_row(const Problem& p, CellWalk* walk, BadRow* bad_row) {
  const std::int64_t row = walk->sample * p.inner + walk->inner;
  walk->offsets = offsets_of(p.index, row);
  walk->target = load_target(p, walk->offsets.target);
  if (is_bad(p, walk->target)) atomicMin(bad_row, static_cast<BadRow>(row));
}

__device__ inline CellWalk start_walk(const Problem& p, std::int64_t cell, BadRow* bad_row) {
  CellWalk walk{};
  const std::int64_t line = divide(cell, p.inner);  // n * C + c
  walk.inner = cell - line * p.inner;
  walk.sample = divide(line, p.classes);
  walk.cls = line - walk.sample * p.classes;
  enter_row(p, &walk, bad_row);
  return walk;
}

__device__ inline void next_cell(const Problem& p, CellWalk* walk, BadRow* bad_row) {
  if (++walk->inner == p.inner) {
    walk->inner = 0;
    if (++walk->cls == p.classes) {
      walk->cls = 0;
      ++walk->sample;
    } else if (p.inner == 1) {
      return;  // the same row's next class
    }
  }
  enter_row(p, walk, bad_row);
}

template <class T>
__device__ T gradient_at(const Problem& p, const CellWalk& walk) {
  if (walk.cls != walk.target || walk.target == p.ignore_index) return round_to<T>(0.0);
  const double gradient = -multiply(weight_of<T>(p, walk.target), load_real<T>(p.values, walk.offsets.value));
  return round_to<T>(p.reduction == NLLDIFF_MEAN ? gradient / load_real<T>(p.total_weight, 0) : gradient);
}

/// The cells that one thread stores at once.
template <class T>
struct alignas(16) Pack {
  static constexpr int kCells = 16 / static_cast<int>(sizeof(T));
  T cells[kCells];
};

/// `aligned`: grad_input lies on a 16-byte boundary, so that full packs may be stored whole.
template <class T>
__global__ void backward_kernel(Problem p, T* grad_input, std::int64_t cells, bool aligned, BadRow* bad_row) {
  constexpr int kCells = Pack<T>::kCells;
  for (std::int64_t first = thread_index() * kCells; first < cells; first += thread_count() * kCells) {
    const int count = cells - first < kCells ? static_cast<int>(cells - first) : kCells;
    Pack<T> pack;
    CellWalk walk = start_walk(p, first, bad_row);
    for (int i = 0; i < count; ++i) {
      if (i > 0) next_cell(p, &walk, bad_row);
      pack.cells[i] = gradient_at<T>(p, walk);
    }
    if (aligned && count == kCells) {
      *reinterpret_cast<Pack<T>*>(grad_input + first) = pack;
    } else {
      for (int i = 0; i < count; ++i) grad_input[first + i] = pack.cells[i];
    }
  }
}

// ---- launchers ----

/// Blocks of the first summing stage: a function of the rows alone, so that every device adds in the same order.
constexpr std::int64_t kMaxPartials = 1024;

template <class T>
int launch_forward(nlldiff_call* call, const Problem& p, BadRow* d_bad_row) {
  auto* output = static_cast<T*>(call->output.data);
  auto* total_weight = static_cast<T*>(call->total_weight.data);
  if (p.reduction == NLLDIFF_NONE) {
    forward_rows_kernel<T><<<blocks_for(p.rows), kThreads, 0, stream_of(call)>>>(p, output, total_weight, d_bad_row);
    NLL_CUDA(call, cudaGetLastError());
    return NLLDIFF_OK;
  }
  const unsigned blocks = blocks_for(p.rows, kMaxPartials);
  Sums* partials = nullptr;
  NLL_TRY(allocate(call, blocks, &partials));
  partial_sums_kernel<T><<<blocks, kThreads, 0, stream_of(call)>>>(p, partials, d_bad_row);
  NLL_CUDA(call, cudaGetLastError());
  total_kernel<T><<<1, kThreads, 0, stream_of(call)>>>(p.reduction, partials, blocks, output, total_weight);
  NLL_CUDA(call, cudaGetLastError());
  return NLLDIFF_OK;
}

template <class T>
int launch_backward(nlldiff_call* call, const Problem& p, BadRow* d_bad_row) {
  if (p.rows == 0) return NLLDIFF_OK;
  if (p.classes == 0) return launch_check_targets(call, p, d_bad_row);  // no cell, but targets to judge
  auto* grad_input = static_cast<T*>(call->grad_input.data);
  const std::int64_t cells = numel(shape_of(call->grad_input));
  const std::int64_t packs = cells / Pack<T>::kCells + 1;
  const bool aligned = reinterpret_cast<std::uintptr_t>(grad_input) % alignof(Pack<T>) == 0;
  backward_kernel<T><<<blocks_for(packs), kThreads, 0, stream_of(call)>>>(p, grad_input, cells, aligned, d_bad_row);
  NLL_CUDA(call, cudaGetLastError());
  return NLLDIFF_OK;
}

using Launcher = int (*)(nlldiff_call*, const Problem&, BadRow*);

int run(nlldiff_call* call, const Problem& p, Launcher launch) {
  BadRow* d_bad_row = nullptr;
  NLL_TRY(make_bad_row(call, &d_bad_row));
  NLL_TRY(launch(call, p, d_bad_row));
  return report_bad_row(call, p, d_bad_row);
}

/// By dtype code; a checked call has one of these four.
constexpr Launcher kForward[] = {launch_forward<double>, launch_forward<float>, launch_forward<Half>,
                                 launch_forward<BFloat16>};
constexpr Launcher kBackward[] = {launch_backward<double>, launch_backward<float>, launch_backward<Half>,
                                  launch_backward<BFloat16>};

int forward(nlldiff_call* call) {
  NLL_TRY(check_forward(call));
  return run(call, forward_problem(call), kForward[call->input.dtype]);
}

int backward(nlldiff_call* call) {
  NLL_TRY(check_backward(call));
  return run(call, backward_problem(call), kBackward[call->input.dtype]);
}

// ---- registration ----

constexpr nlldiff_kernel kKernel = {
    NLLDIFF_ABI_VERSION,
    sizeof(nlldiff_kernel),
    "nlldiff",
    "the project's own kernels: every shape, dtype, reduction and layout of the contract",
    NLLDIFF_THIS_DEVICE,
    NLLDIFF_DETERMINISTIC,
    forward,
    backward,
};

}  // namespace
}  // namespace nll

const nlldiff_kernel* nlldiff_get_kernel(void) { return &nll::kKernel; }
