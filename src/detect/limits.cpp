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

struct Sums {
  SumFacts loss, weight;
};

Sums sums_of(const Evidence& e) {
  Sums sums;
  const std::int64_t C = e.geometry.C, D = e.geometry.D;
  for (std::size_t i = 0; i < e.targets.size(); ++i) {
    const std::int64_t target = e.targets[i], row = static_cast<std::int64_t>(i);
    if (target == e.c.ignore_index || target < 0 || target >= C) continue;
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

/// [low, high] rounded to the dtype: rounding is monotonic, so a value computed inside stays inside.
Limit interval_limit(Dtype dtype, double low, double high, const std::string& why) {
  Limit limit;
  limit.interval = Interval{round_to(dtype, low), round_to(dtype, high)};
  limit.text = fmt::format("in [{:.17g}, {:.17g}] ({})", limit.interval->low, limit.interval->high, why);
  return limit;
}

std::string sum_reason(const SumFacts& facts, double error) {
  if (error == 0) return fmt::format("{} terms that add up exactly in any order", facts.terms);
  return fmt::format("{} terms, |error| <= {:.3g}", facts.terms, error);
}

Limit quotient_limit(const Evidence& e, const Sums& sums, double loss_error, double weight_error) {
  const double weight = e.oracle_forward.total_weight;
  const double loss = e.oracle_forward.output.at(0) * weight;
  if (std::fabs(weight) <= weight_error) {
    Limit limit;
    limit.cannot_judge =
        fmt::format("total_weight {} +- {:.3g} may be 0, so the mean may be anything", weight, weight_error);
    return limit;
  }
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

/// For one row without a batch dimension ATen's none returns weight[t] where it returns 0 for a batch; nothing reads
/// it.
Limit scalar_row_limit(const Evidence& e) {
  const std::int64_t target = e.targets[0];
  if (target == e.c.ignore_index) return ulp_limit(0, "");
  const double weight = e.inputs.weight ? e.inputs.weight->value(target) : 1.0;
  return interval_limit(e.c.dtype, std::min(0.0, weight), std::max(0.0, weight), "0, or weight[target] as ATen has it");
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
  const double loss = e.oracle_forward.output.at(0);
  if (!std::isfinite(loss)) return ulp_limit(0, "not finite: the same kind and sign");
  const Sums sums = sums_of(e);
  const double loss_error = sum_error(sums.loss, e.c.dtype);
  if (e.c.reduction == Reduction::mean) return quotient_limit(e, sums, loss_error, sum_error(sums.weight, e.c.dtype));
  return interval_limit(e.c.dtype, loss - loss_error, loss + loss_error, sum_reason(sums.loss, loss_error));
}

Limit total_weight_limit(const Evidence& e) {
  if (const auto limit = tolerance_of(e.c)) return *limit;
  const double weight = e.oracle_forward.total_weight;
  if (e.c.reduction == Reduction::none && e.c.shape.empty()) return scalar_row_limit(e);
  if (e.c.reduction == Reduction::none || !std::isfinite(weight)) return ulp_limit(0, "");
  const SumFacts facts = sums_of(e).weight;
  const double error = sum_error(facts, e.c.dtype);
  return interval_limit(e.c.dtype, weight - error, weight + error, sum_reason(facts, error));
}

}  // namespace nlldiff
