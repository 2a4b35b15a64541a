// SPDX-License-Identifier: Apache-2.0
// Every thread adds its row to the one loss with a plain +=: on a device most additions are lost, another set in each
// run.
#include "textbook.cuh"

namespace {

template <class T>
__global__ void clear_kernel(T* output, T* total_weight) {
  *output = nll::round_to<T>(0.0);
  *total_weight = nll::round_to<T>(0.0);
}

template <class P, class T>
__global__ void race_kernel(nll::Problem p, T* output, T* total_weight) {
  for (std::int64_t index = nll::thread_index(); index < p.rows; index += nll::thread_count()) {
    const nll::Row r = nll::row_at(p, index);
    if (P::is_ignored(p, r.target)) continue;
    *output += nll::round_to<T>(nll::row_loss<P, T>(p, r));
    *total_weight += nll::round_to<T>(P::template weight<T>(p, r.target));
  }
}

template <class T>
__global__ void divide_kernel(T* output, const T* total_weight) {
  *output = *output / *total_weight;
}

struct RaceSum : nll::Textbook {
  static constexpr unsigned kFlags = 0;

  template <class P, class T>
  static int launch_forward(nlldiff_call* call, const nll::Problem& p) {
    if (p.reduction == NLLDIFF_NONE) return Textbook::launch_forward<P, T>(call, p);
    auto* output = static_cast<T*>(call->output.data);
    auto* total_weight = static_cast<T*>(call->total_weight.data);
    clear_kernel<T><<<1, 1, 0, nll::stream_of(call)>>>(output, total_weight);
    race_kernel<P, T><<<nll::blocks_for(p.rows), nll::kThreads, 0, nll::stream_of(call)>>>(p, output, total_weight);
    if (p.reduction == NLLDIFF_MEAN) divide_kernel<T><<<1, 1, 0, nll::stream_of(call)>>>(output, total_weight);
    NLL_CUDA(call, cudaGetLastError());
    return NLLDIFF_OK;
  }
};

}  // namespace

NLL_REGISTER(RaceSum, "mutant:race_sum", "many threads add to the loss total without atomics or any order between them")
