// SPDX-License-Identifier: Apache-2.0
// Legal but odd: a single block zeros the whole gradient, waits at a barrier, then scatters. Each target cell is stored
// twice, by two threads of one launch, with only the barrier between them.
#include "../mutants/textbook.cuh"

namespace {

template <class P, class T>
__global__ void one_block_kernel(nll::Problem p, T* grad_input, std::int64_t cells) {
  for (std::int64_t cell = threadIdx.x; cell < cells; cell += nll::kThreads) grad_input[cell] = nll::round_to<T>(0.0);
  __syncthreads();
  for (std::int64_t index = threadIdx.x; index < p.rows; index += nll::kThreads) {
    const nll::Row r = nll::row_at(p, index);
    if (!P::is_ignored(p, r.target)) grad_input[P::cell(p, r)] = nll::row_gradient<P, T>(p, r);
  }
}

struct OneBlock : nll::Textbook {
  template <class P, class T>
  static int launch_backward(nlldiff_call* call, const nll::Problem& p) {
    one_block_kernel<P, T><<<1, nll::kThreads, 0, nll::stream_of(call)>>>(p, static_cast<T*>(call->grad_input.data),
                                                                          nll::numel(nll::shape_of(call->grad_input)));
    NLL_CUDA(call, cudaGetLastError());
    return NLLDIFF_OK;
  }
};

}  // namespace

NLL_REGISTER(OneBlock, "legal:one_block", "a single block zeros the gradient, waits at a barrier, then scatters")
