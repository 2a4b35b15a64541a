// SPDX-License-Identifier: Apache-2.0
#include "simt/here.hpp"

namespace nlldiff::simt {

thread_local constinit Hook t_hook = kNoSession;
thread_local constinit Session::Position t_position{0, 0, ""};

}  // namespace nlldiff::simt

extern "C" {
__thread nlldiff::simt::Index3 nlldiff_simt_threadIdx;
__thread nlldiff::simt::Index3 nlldiff_simt_blockIdx;
__thread nlldiff::simt::Index3 nlldiff_simt_blockDim;
__thread nlldiff::simt::Index3 nlldiff_simt_gridDim;
}
