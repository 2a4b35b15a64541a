// SPDX-License-Identifier: Apache-2.0
// What is right: a naive, sparse float64 NLL loss. One value a row; speed is not its job.
#pragma once

#include "model/case.hpp"
#include "model/inputs.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace nlldiff {

/// Forward. `output` has one value a row for none, one in all else. Values are exact up to float64's own
/// rounding and not yet rounded to the case's dtype.
struct OracleForward {
  std::vector<double> output;
  double total_weight = 0;
  double abs_loss_sum = 0;    ///< sum of |loss| over the rows that take part: what a summation bound scales with
  double abs_weight_sum = 0;  ///< sum of |weight[t]|, likewise
  std::int64_t terms = 0;     ///< rows that take part
};

/// Backward. gradient[r] belongs in cell (r, target[r]); every other cell, and every cell of an ignored row, is 0.
struct OracleBackward {
  std::vector<double> gradient;  ///< one a row; 0 on ignored rows; not yet rounded to the case's dtype
};

[[nodiscard]] OracleForward oracle_forward(const Case& c, const Inputs& in, std::span<const std::int64_t> targets);
/// `total_weight` is the value that the kernel under test was given (mean divides by it).
[[nodiscard]] OracleBackward oracle_backward(const Case& c, const Inputs& in, std::span<const std::int64_t> targets,
                                             double total_weight);

/// The first row whose target is neither in [0, C) nor ignore_index, or nothing.
[[nodiscard]] std::optional<std::int64_t> first_bad_row(const Case& c, std::span<const std::int64_t> targets);

}  // namespace nlldiff
