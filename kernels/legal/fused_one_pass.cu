// SPDX-License-Identifier: Apache-2.0
// Legal but odd: one thread a row does everything in one pass, and its work depends on its own target: a row that
// counts stores zeros and then, again, its target cell; an ignored row stores its zeros twice, from the last class
// down.
#include "../mutants/textbook.cuh"

namespace {

template <class T>
__device__ void zero_row(const nll::Problem& p, const nll::Row& r, T* grad_input, bool downwards) {
  T* first = grad_input + r.sample * p.classes * p.inner + r.inner;
  for (std::int64_t i = 0; i < p.classes; ++i)
    first[(downwards ? p.classes - 1 - i : i) * p.inner] = nll::round_to<T>(0.0);
}

template <class P, class T>
__global__ void one_pass_kernel(nll::Problem p, T* grad_input) {
  for (std::int64_t index = nll::thread_index(); index < p.rows; index += nll::thread_count()) {
    const nll::Row r = nll::row_at(p, index);
    const bool ignored = P::is_ignored(p, r.target);
    zero_row(p, r, grad_input, ignored);
    if (ignored) {
      zero_row(p, r, grad_input, ignored);
    } else {
      grad_input[P::cell(p, r)] = nll::row_gradient<P, T>(p, r);
    }
  }
}

struct FusedOnePass : nll::Textbook {
  template <class P, class T>
  static int launch_backward(nlldiff_call* call, const nll::Problem& p) {
    one_pass_kernel<P, T><<<nll::blocks_for(p.rows), nll::kThreads, 0, nll::stream_of(call)>>>(
        p, static_cast<T*>(call->grad_input.data));
    NLL_CUDA(call, cudaGetLastError());
    return NLLDIFF_OK;
  }
};

}  // namespace

NLL_REGISTER(FusedOnePass, "legal:fused_one_pass",
             "one thread a row fills and scatters in one pass, with work that depends on the row's own target")
