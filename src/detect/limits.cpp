// SPDX-License-Identifier: Apache-2.0
#include "detect/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace nlldiff {
namespace {

/// What the error bound of a sum depends on.
struct SumFacts {
  std::int64_t terms = 0;
  double abs_sum = 0;
  bool infinite_term = false;
  int lowest_bit = std::numeric_limits<int>::max();  ///< every term is a multiple of 2^lowest_bit
};

/// The exponent of the lowest set bit of a finite nonzero double.
int lowest_bit_of(double value) {
  int exponent = 0;
  const double mantissa = std::frexp(std::fabs(value), &exponent);
  const auto digits = static_cast<std::uint64_t>(std::ldexp(mantissa, 53));
  return exponent - 53 + std::countr_zero(digits);
}

void add_term(SumFacts& facts, double term) {
  ++facts.terms;
  facts.abs_sum += std::fabs(term);
  facts.infinite_term |= !std::isfinite(term);
  if (std::isfinite(term) && term != 0) facts.lowest_bit = std::min(facts.lowest_bit, lowest_bit_of(term));
}

int accumulator_bits(Dtype dtype) { return dtype == Dtype::float64 ? 53 : 24; }

/// Every partial sum, in any order, is a multiple of 2^lowest_bit and at most abs_sum: exact when those fit the bits.
bool sums_exactly(const SumFacts& facts, int bits) {
  if (facts.terms <= 1 || facts.abs_sum == 0) return true;
  return facts.abs_sum <= std::ldexp(1.0, facts.lowest_bit + bits);
}

double sum_error(const SumFacts& facts, Dtype dtype) {
  const int bits = accumulator_bits(dtype);
  if (sums_exactly(facts, bits)) return 0;
  const auto n = static_cast<double>(facts.terms);
  return std::min(n, 8 * std::sqrt(n)) * std::ldexp(1.0, -bits) * facts.abs_sum;
}

/// A partial sum may leave the accumulator's range in one order and not in another, although every term is finite.
bool may_overflow(const SumFacts& facts, Dtype dtype) {
  const double most = dtype == Dtype::float64 ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max();
  return facts.terms > 1 && !facts.infinite_term && facts.abs_sum > most;
}

Limit overflow_limit() {
  Limit limit;
  limit.cannot_judge = "a partial sum may overflow, so the result depends on the order of the terms";
  return limit;
}

struct Sums {
  SumFacts loss, weight;
};

Sums sums_of(const Evidence& e) {
  Sums sums;
  const std::int64_t C = e.geometry.C, D = e.geometry.D;
  for (std::size_t i = 0; i < e.targets.size(); ++i) {
    const std::int64_t target = e.targets[i], row = static_cast<std::int64_t>(i);
    if (!takes_part(e, row)) continue;
    const double weight = e.inputs.weight ? e.inputs.weight->value(target) : 1.0;
    const double input = e.inputs.input.value(row / D * C * D + target * D + row % D);
    add_term(sums.loss, weight * input);
    add_term(sums.weight, weight);
  }
  return sums;
}

Limit ulp_limit(std::uint64_t ulps, std::string_view why) {
  Limit limit;
  limit.ulps = ulps;
  limit.text = why.empty() ? fmt::format("{} ULP", ulps) : fmt::format("{} ULP ({})", ulps, why);
  return limit;
}

std::optional<Limit> tolerance_of(const Case& c) {
  if (!c.tolerance) return std::nullopt;
  return ulp_limit(static_cast<std::uint64_t>(*c.tolerance), "the case's tolerance");
}

/// Two units in the last place of a half type: a partial sum and the total may each be rounded to it, as ATen's spatial
/// kernels on CUDA do. A kernel that adds up in the half type all along is further away as soon as sums are long.
double half_type_slack(Dtype dtype, double low, double high) {
  if (bytes_of(dtype) != 2) return 0;
  return 2 * std::ldexp(std::max(std::fabs(low), std::fabs(high)), 1 - significand_bits(dtype));
}

/// [low, high] rounded to the dtype: rounding is monotonic, so a value computed inside stays inside.
Limit interval_limit(Dtype dtype, double low, double high, const std::string& why) {
  Limit limit;
  const double slack = half_type_slack(dtype, low, high);
  limit.interval = Interval{round_to(dtype, low - slack), round_to(dtype, high + slack)};
  limit.text = fmt::format("in [{:.17g}, {:.17g}] ({}{})", limit.interval->low, limit.interval->high, why,
                           slack == 0 ? "" : "; 2 ULP for rounding sums to the half type");
  return limit;
}

std::string sum_reason(const SumFacts& facts, double error) {
  if (error == 0) return fmt::format("{} terms that add up exactly in any order", facts.terms);
  return fmt::format("{} terms, |error| <= {:.3g}", facts.terms, error);
}

/// The mean of a total_weight that may be 0 or not, as the roundings fall.
Limit no_quotient_limit(double weight, double weight_error) {
  Limit limit;
  limit.cannot_judge =
      fmt::format("total_weight {} +- {:.3g} may be 0, so the mean may be anything", weight, weight_error);
  return limit;
}

Limit quotient_limit(const Evidence& e, const Sums& sums, double loss_error, double weight_error) {
  const double weight = e.oracle_forward.total_weight;
  const double loss = e.oracle_forward.output.at(0) * weight;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double l : {loss - loss_error, loss + loss_error})
    for (const double w : {weight - weight_error, weight + weight_error}) {
      low = std::min(low, l / w);
      high = std::max(high, l / w);
    }
  // Two roundings in the accumulator: of the quotient, and of the oracle's loss = mean * weight above.
  const double slack = std::ldexp(std::max(std::fabs(low), std::fabs(high)), 1 - accumulator_bits(e.c.dtype));
  return interval_limit(e.c.dtype, low - slack, high + slack,
                        fmt::format("a quotient of two sums; numerator: {}; denominator: {}",
                                    sum_reason(sums.loss, loss_error), sum_reason(sums.weight, weight_error)));
}

/// Nothing reads total_weight under none, and ATen itself returns 0 for a batch, weight[t] for one row without a batch
/// dimension, and leaves it unwritten in its spatial CUDA kernel.
Limit unread_total_weight_limit() {
  Limit limit;
  limit.cannot_judge = "nothing reads total_weight under none, and ATen gives it no fixed value";
  return limit;
}

/// The mean over no row is 0 / 0. For one row without a batch dimension ATen's CUDA kernel returns 0 in place of NaN.
Limit nonfinite_limit(const Evidence& e) {
  Limit limit = ulp_limit(0, "not finite: the same kind and sign");
  if (!e.c.shape.empty() || e.c.reduction != Reduction::mean || e.targets[0] != e.c.ignore_index) return limit;
  limit.alternative = 0;
  limit.text = "NaN, or 0 as ATen on CUDA has it for one ignored row without a batch dimension";
  return limit;
}

}  // namespace

Limit gradient_limit(const Case& c) {
  if (const auto limit = tolerance_of(c)) return *limit;
  if (c.reduction != Reduction::mean) return ulp_limit(0, "one product, rounded once");
  return ulp_limit(2, "a product and a quotient");
}

Limit row_loss_limit(const Case& c) {
  if (const auto limit = tolerance_of(c)) return *limit;
  return ulp_limit(0, "one product, rounded once");
}

Limit loss_limit(const Evidence& e) {
  if (const auto limit = tolerance_of(e.c)) return *limit;
  const Sums sums = sums_of(e);
  const double weight = e.oracle_forward.total_weight, weight_error = sum_error(sums.weight, e.c.dtype);
  const bool mean = e.c.reduction == Reduction::mean;
  if (mean && weight_error != 0 && std::isfinite(weight) && std::fabs(weight) <= weight_error)
    return no_quotient_limit(weight, weight_error);
  if (may_overflow(sums.loss, e.c.dtype) || (mean && may_overflow(sums.weight, e.c.dtype))) return overflow_limit();
  const double loss = e.oracle_forward.output.at(0);
  if (!std::isfinite(loss)) return nonfinite_limit(e);
  const double loss_error = sum_error(sums.loss, e.c.dtype);
  if (mean) return quotient_limit(e, sums, loss_error, weight_error);
  return interval_limit(e.c.dtype, loss - loss_error, loss + loss_error, sum_reason(sums.loss, loss_error));
}

Limit total_weight_limit(const Evidence& e) {
  if (e.c.reduction == Reduction::none) return unread_total_weight_limit();
  if (const auto limit = tolerance_of(e.c)) return *limit;
  const double weight = e.oracle_forward.total_weight;
  if (!std::isfinite(weight)) return ulp_limit(0, "");
  const SumFacts facts = sums_of(e).weight;
  if (may_overflow(facts, e.c.dtype)) return overflow_limit();
  const double error = sum_error(facts, e.c.dtype);
  return interval_limit(e.c.dtype, weight - error, weight + error, sum_reason(facts, error));
}

}  // namespace nlldiff
