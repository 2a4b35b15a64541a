// SPDX-License-Identifier: Apache-2.0
// The class weights are accepted and never read.
#include "textbook.cuh"

namespace {

struct MissingWeight : nll::Textbook {
  template <class T>
  __device__ static double weight(const nll::Problem&, std::int64_t) {
    return 1.0;
  }
};

}  // namespace

NLL_REGISTER(MissingWeight, "mutant:missing_weight", "every class weighs 1, whatever the weights are")
