// SPDX-License-Identifier: Apache-2.0
// The upstream gradient of reduction none is taken for the scalar of mean and sum. A test with all ones cannot see it.
#include "textbook.cuh"

namespace {

struct GradOutputScalar : nll::Textbook {
  template <class T>
  __device__ static double upstream(const nll::Problem& p, const nll::Row&) {
    return nll::load_real<T>(p.values, 0);
  }
};

}  // namespace

NLL_REGISTER(GradOutputScalar, "mutant:grad_output_scalar", "every row is given grad_output[0]")
