// SPDX-License-Identifier: Apache-2.0
// A mean over all rows: right only where no row is ignored and every weight is 1.
#include "textbook.cuh"

namespace {

struct MeanByRows : nll::Textbook {
  __device__ static double denominator(const nll::Problem& p, double) { return static_cast<double>(p.rows); }
};

}  // namespace

NLL_REGISTER(MeanByRows, "mutant:mean_by_rows",
             "mean divides by the number of rows, ignored ones counted, not by the total weight")
