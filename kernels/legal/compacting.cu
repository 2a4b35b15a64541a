// SPDX-License-Identifier: Apache-2.0
// Legal but odd: the rows that are not ignored are first packed into a list, in the order in which threads arrive, and
// other threads scatter from that list. Which thread stores for which row depends on every target.
#include "../mutants/textbook.cuh"

namespace {

using Count = unsigned long long;

__global__ void compact_kernel(nll::Problem p, Count* count, std::int64_t* list) {
  for (std::int64_t index = nll::thread_index(); index < p.rows; index += nll::thread_count())
    if (nll::row_at(p, index).target != p.ignore_index) list[atomicAdd(count, Count{1})] = index;
}

template <class P, class T>
__global__ void scatter_list_kernel(nll::Problem p, const Count* count, const std::int64_t* list, T* grad_input) {
  const auto rows = static_cast<std::int64_t>(*count);
  for (std::int64_t i = nll::thread_index(); i < rows; i += nll::thread_count()) {
    const nll::Row r = nll::row_at(p, list[i]);
    grad_input[P::cell(p, r)] = nll::row_gradient<P, T>(p, r);
  }
}

struct Compacting : nll::Textbook {
  template <class P, class T>
  static int launch_backward(nlldiff_call* call, const nll::Problem& p) {
    Count* count = nullptr;
    std::int64_t* list = nullptr;
    NLL_TRY(nll::allocate(call, 1, &count));
    NLL_TRY(nll::allocate(call, p.rows, &list));
    NLL_CUDA(call, cudaMemsetAsync(count, 0, sizeof(Count), nll::stream_of(call)));
    NLL_TRY((launch_zero_fill<P, T>(call, p)));
    const unsigned blocks = nll::blocks_for(p.rows);
    compact_kernel<<<blocks, nll::kThreads, 0, nll::stream_of(call)>>>(p, count, list);
    scatter_list_kernel<P, T>
        <<<blocks, nll::kThreads, 0, nll::stream_of(call)>>>(p, count, list, static_cast<T*>(call->grad_input.data));
    NLL_CUDA(call, cudaGetLastError());
    return NLLDIFF_OK;
  }
};

}  // namespace

NLL_REGISTER(Compacting, "legal:compacting",
             "packs the rows that count into a list, then other threads scatter from it")
