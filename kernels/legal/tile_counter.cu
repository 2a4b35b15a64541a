// SPDX-License-Identifier: Apache-2.0
// Legal but odd: a fixed number of blocks take tiles of cells from an atomic counter, so that which block stores which
// cell is settled at run time.
#include "../mutants/textbook.cuh"

namespace {

using Count = unsigned long long;

template <class P, class T>
__device__ void store_cell(const nll::Problem& p, std::int64_t cell, T* grad_input) {
  std::int64_t cls = 0;
  const nll::Row r = nll::owner_of(p, cell, &cls);
  const bool hit = cls == r.target && !P::is_ignored(p, r.target);
  grad_input[cell] = hit ? nll::row_gradient<P, T>(p, r) : nll::round_to<T>(0.0);
}

template <class P, class T>
__global__ void take_tiles_kernel(nll::Problem p, T* grad_input, std::int64_t cells, Count* next_tile) {
  __shared__ Count tile;
  while (true) {
    if (threadIdx.x == 0) tile = atomicAdd(next_tile, Count{1});
    __syncthreads();
    const std::int64_t first = static_cast<std::int64_t>(tile) * nll::kThreads;
    __syncthreads();  // all have read the tile before thread 0 takes another
    if (first >= cells) return;
    const std::int64_t cell = first + threadIdx.x;
    if (cell < cells) store_cell<P, T>(p, cell, grad_input);
  }
}

struct TileCounter : nll::Textbook {
  template <class P, class T>
  static int launch_backward(nlldiff_call* call, const nll::Problem& p) {
    Count* next_tile = nullptr;
    NLL_TRY(nll::allocate(call, 1, &next_tile));
    NLL_CUDA(call, cudaMemsetAsync(next_tile, 0, sizeof(Count), nll::stream_of(call)));
    const std::int64_t cells = nll::numel(nll::shape_of(call->grad_input));
    take_tiles_kernel<P, T><<<nll::blocks_for(cells, 64), nll::kThreads, 0, nll::stream_of(call)>>>(
        p, static_cast<T*>(call->grad_input.data), cells, next_tile);
    NLL_CUDA(call, cudaGetLastError());
    return NLLDIFF_OK;
  }
};

}  // namespace

NLL_REGISTER(TileCounter, "legal:tile_counter", "blocks take tiles of cells from an atomic counter")
