// SPDX-License-Identifier: Apache-2.0
// Legal but odd: each block sorts its tile of rows by target, as kernels do to make their stores coalesce, and thread i
// stores for the i-th row of that order. Changing one target moves its neighbours to other threads.
#include "../mutants/textbook.cuh"

namespace {

constexpr int kTileRows = 64;

template <class P, class T>
__global__ void sort_and_scatter_kernel(nll::Problem p, T* grad_input) {
  __shared__ std::int64_t targets[kTileRows];
  __shared__ int order[kTileRows];
  const std::int64_t tiles = nll::divide(p.rows + kTileRows - 1, kTileRows);
  const int mine = static_cast<int>(threadIdx.x);
  for (std::int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const std::int64_t first = tile * kTileRows;
    const int count = p.rows - first < kTileRows ? static_cast<int>(p.rows - first) : kTileRows;
    if (mine < count) targets[mine] = nll::row_at(p, first + mine).target;
    __syncthreads();
    if (mine < count) {
      int rank = 0;
      for (int i = 0; i < count; ++i)
        if (targets[i] < targets[mine] || (targets[i] == targets[mine] && i < mine)) ++rank;
      order[rank] = mine;
    }
    __syncthreads();
    if (mine < count) {
      const nll::Row r = nll::row_at(p, first + order[mine]);
      if (!P::is_ignored(p, r.target)) grad_input[P::cell(p, r)] = nll::row_gradient<P, T>(p, r);
    }
    __syncthreads();
  }
}

struct Sorting : nll::Textbook {
  template <class P, class T>
  static int launch_backward(nlldiff_call* call, const nll::Problem& p) {
    NLL_TRY((launch_zero_fill<P, T>(call, p)));
    const std::int64_t tiles = (p.rows + kTileRows - 1) / kTileRows;
    const auto blocks = static_cast<unsigned>(tiles < nll::kMaxBlocks ? tiles : nll::kMaxBlocks);
    sort_and_scatter_kernel<P, T>
        <<<blocks, kTileRows, 0, nll::stream_of(call)>>>(p, static_cast<T*>(call->grad_input.data));
    NLL_CUDA(call, cudaGetLastError());
    return NLLDIFF_OK;
  }
};

}  // namespace

NLL_REGISTER(Sorting, "legal:sorting", "sorts the rows of a tile by target before they are stored")
