// SPDX-License-Identifier: Apache-2.0
// How far a value may be from the oracle's, and why. There is no absolute tolerance anywhere: a limit is a number of
// ULPs or the interval that the roundings of a summation allow.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "detect/evidence.hpp"

namespace nlldiff {

struct Interval {
  double low = 0, high = 0;  ///< rounded to the tensor's dtype; both ends allowed
};

struct Limit {
  std::uint64_t ulps = 0;  ///< used where there is no interval
  std::optional<Interval> interval;
  std::string text;                   ///< the limit in words and numbers, as results show it
  std::optional<double> alternative;  ///< another value that is right as well
  std::string cannot_judge;           ///< not empty: no limit can be given, and why
};

/// grad_input: one product, or a product and a quotient.
///   none, sum: the product of two values of the dtype, rounded once: 0 ULP.
///   mean:      a product and a quotient, each rounded at most once in the dtype: at most 1/2 + 2 * 1/2 ULP, which
///              is 2 steps between rounded results (a rounding below a power of two counts double above it).
[[nodiscard]] Limit gradient_limit(const Case& c);
/// output under none: one product, rounded once: 0 ULP.
[[nodiscard]] Limit row_loss_limit(const Case& c);
/// output under sum and mean, and total_weight. Sums of n terms in precision u (float32's for float32 and the half
/// types, float64's for float64) in any order: |error| <= min(n, 8 sqrt(n)) u sum|x_i|.
/// Sources: N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 4.2 (n u sum|x_i|);
/// N. J. Higham and T. Mary, A new approach to probabilistic rounding error analysis, SIAM J. Sci. Comput. 41(5), 2019
/// (lambda sqrt(n) u sum|x_i|, here lambda = 8). Where every partial sum is representable whatever the order, the
/// sum is exact and the bound is 0.
[[nodiscard]] Limit loss_limit(const Evidence& e);
[[nodiscard]] Limit total_weight_limit(const Evidence& e);

}  // namespace nlldiff
