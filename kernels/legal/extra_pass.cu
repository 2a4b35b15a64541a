// SPDX-License-Identifier: Apache-2.0
// Legal but odd: where some row is ignored, and only then, the whole gradient is zeroed by one launch more. So the list
// of launches, and the count of stores of every cell, depend on whether there is an ignored row at all.
#include "../mutants/textbook.cuh"

namespace {

__global__ void find_ignored_kernel(nll::Problem p, int* found) {
  for (std::int64_t index = nll::thread_index(); index < p.rows; index += nll::thread_count())
    if (nll::row_at(p, index).target == p.ignore_index) atomicExch(found, 1);
}

int any_ignored(nlldiff_call* call, const nll::Problem& p, int* found) {
  int* d_found = nullptr;
  NLL_TRY(nll::allocate(call, 1, &d_found));
  NLL_CUDA(call, cudaMemsetAsync(d_found, 0, sizeof(int), nll::stream_of(call)));
  find_ignored_kernel<<<nll::blocks_for(p.rows), nll::kThreads, 0, nll::stream_of(call)>>>(p, d_found);
  NLL_CUDA(call, cudaGetLastError());
  NLL_CUDA(call, cudaMemcpyAsync(found, d_found, sizeof(int), cudaMemcpyDeviceToHost, nll::stream_of(call)));
  NLL_CUDA(call, cudaStreamSynchronize(nll::stream_of(call)));
  return NLLDIFF_OK;
}

struct ExtraPass : nll::Textbook {
  template <class P, class T>
  static int launch_backward(nlldiff_call* call, const nll::Problem& p) {
    int found = 0;
    NLL_TRY(any_ignored(call, p, &found));
    if (found != 0) NLL_TRY((launch_zero_fill<P, T>(call, p)));
    return Textbook::launch_backward<P, T>(call, p);
  }
};

}  // namespace

NLL_REGISTER(ExtraPass, "legal:extra_pass", "zeros the whole gradient once more, where some row is ignored")
