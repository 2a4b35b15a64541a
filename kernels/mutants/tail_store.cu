// SPDX-License-Identifier: Apache-2.0
// A warp goes over the C*D cells of a sample in tiles of 32, and the last tile has no mask: its spare lanes store zeros
// into the first cells of the next sample. In launch order the next sample often repairs it; in another order it
// cannot.
#include "textbook.cuh"

namespace {

constexpr std::int64_t kTile = 32;

template <class P, class T>
__global__ void fill_and_scatter_kernel(nll::Problem p, T* grad_input, std::int64_t samples) {
  const std::int64_t sample_cells = p.classes * p.inner;
  const std::int64_t lanes = (sample_cells + kTile - 1) / kTile * kTile;
  for (std::int64_t i = nll::thread_index(); i < samples * lanes; i += nll::thread_count()) {
    const std::int64_t sample = nll::divide(i, lanes);
    const std::int64_t lane = i - sample * lanes;  // the mask that is missing: lane < sample_cells
    const std::int64_t cls = nll::divide(lane, p.inner);
    const nll::Row r = nll::row_at(p, sample * p.inner + (lane - cls * p.inner));
    const bool hit = cls == r.target && !P::is_ignored(p, r.target);
    grad_input[sample * sample_cells + lane] = hit ? nll::row_gradient<P, T>(p, r) : nll::round_to<T>(0.0);
  }
}

struct TailStore : nll::Textbook {
  template <class P, class T>
  static int launch_backward(nlldiff_call* call, const nll::Problem& p) {
    const std::int64_t samples = p.rows / p.inner;
    const std::int64_t lanes = (p.classes * p.inner + kTile - 1) / kTile * kTile;
    fill_and_scatter_kernel<P, T><<<nll::blocks_for(samples * lanes), nll::kThreads, 0, nll::stream_of(call)>>>(
        p, static_cast<T*>(call->grad_input.data), samples);
    NLL_CUDA(call, cudaGetLastError());
    return NLLDIFF_OK;
  }
};

}  // namespace

NLL_REGISTER(TailStore, "mutant:tail_store",
             "the spare lanes of a sample's last tile are not masked and store zeros into the next sample")
