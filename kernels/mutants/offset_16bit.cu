// SPDX-License-Identifier: Apache-2.0
// The offset of a sample is kept in 16 bits: from cell 65,536 on, gradients land in the first samples.
#include "textbook.cuh"

namespace {

struct Offset16Bit : nll::Textbook {
  __device__ static std::int64_t cell(const nll::Problem& p, const nll::Row& r) {
    const auto sample_offset = static_cast<std::uint16_t>(r.sample * p.classes * p.inner);
    return sample_offset + r.target * p.inner + r.inner;
  }
};

}  // namespace

NLL_REGISTER(Offset16Bit, "mutant:offset_16bit", "the offset n*C*D of a sample is truncated to 16 bits")
