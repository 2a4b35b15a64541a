// SPDX-License-Identifier: Apache-2.0
// Legal: the textbook as it is, in every dtype. What every mutant is compared with.
#include "../mutants/textbook.cuh"

namespace {

struct Plain : nll::Textbook {
  using Floats = nll::Types<double, float, nll::Half, nll::BFloat16>;
};

}  // namespace

NLL_REGISTER(Plain, "legal:textbook", "zeros the gradient in one launch, then one thread a row stores its cell")
