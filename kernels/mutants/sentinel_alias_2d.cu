// SPDX-License-Identifier: Apache-2.0
// The founding fault, as FlagGems' nll_loss2d_backward has it: at n*C*D + ignore_index*D + d an ignored pixel reaches
// the same pixel of another sample.
#include "textbook.cuh"

namespace {

struct SentinelAlias2d : nll::Textbook {
  static constexpr int kMinRank = 3;
  __device__ static bool is_stored(bool) { return true; }
};

}  // namespace

NLL_REGISTER(SentinelAlias2d, "mutant:sentinel_alias_2d",
             "ignored pixels store their 0 too, at n*C*D + ignore_index*D + d, which is another sample's cell")
