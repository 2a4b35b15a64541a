// SPDX-License-Identifier: Apache-2.0
// The founding fault, as FlagGems' nll_loss_backward has it: the gradient of an ignored row is made 0, but the store is
// masked by the row bound alone and its address still comes from the target, which is ignore_index.
#include "textbook.cuh"

namespace {

struct SentinelAlias : nll::Textbook {
  static constexpr int kMaxRank = 2;
  __device__ static bool is_stored(bool) { return true; }
};

}  // namespace

NLL_REGISTER(SentinelAlias, "mutant:sentinel_alias",
             "ignored rows store their 0 too, at n*C + ignore_index, which is another row's cell")
