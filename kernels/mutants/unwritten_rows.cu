// SPDX-License-Identifier: Apache-2.0
// Ignored rows are skipped whole, zeros included. Memory that happens to be zero hides it.
#include "textbook.cuh"

namespace {

struct UnwrittenRows : nll::Textbook {
  __device__ static bool is_filled(const nll::Problem& p, std::int64_t cell) {
    std::int64_t cls = 0;
    return !is_ignored(p, nll::owner_of(p, cell, &cls).target);
  }
};

}  // namespace

NLL_REGISTER(UnwrittenRows, "mutant:unwritten_rows", "the gradient cells of ignored rows are never written")
