// SPDX-License-Identifier: Apache-2.0
// The definition of torch.nn.functional.nll_loss, row by row, in float64. Ignored rows and unselected classes are never
// read, so a NaN there reaches nothing.
#include "model/oracle.hpp"

#include <cmath>

#include "core/error.hpp"

namespace nlldiff {
namespace {

/// A float64 sum with the rounding errors of its additions kept apart (Neumaier, ZAMM 54, 1974): better than any
/// candidate's, whatever the order. Infinities and NaN behave as in a plain sum.
class Sum {
 public:
  void add(double term) {
    const double next = sum_ + term;
    lost_ += std::abs(sum_) >= std::abs(term) ? (sum_ - next) + term : (term - next) + sum_;
    sum_ = next;
  }
  /// a * b with the rounding of the product kept as well.
  void add_product(double a, double b) {
    const double product = a * b;
    add(product);
    lost_ += std::fma(a, b, -product);
  }
  [[nodiscard]] double value() const { return std::isfinite(sum_) ? sum_ + lost_ : sum_; }

 private:
  double sum_ = 0;
  double lost_ = 0;
};

void require_valid(const Case& c, const Inputs& in, std::span<const std::int64_t> targets) {
  if (const auto row = first_bad_row(c, targets)) {
    fail_internal("case \"{}\": the oracle has no answer for target {} in row {}", c.name,
                  targets[static_cast<std::size_t>(*row)], *row);
  }
  if (in.weight && in.weight->numel() != c.C) {
    fail_internal("case \"{}\": the oracle has no answer for {} weights and {} classes", c.name, in.weight->numel(),
                  c.C);
  }
}

double weight_of(const Inputs& in, std::int64_t target) { return in.weight ? in.weight->value(target) : 1.0; }

}  // namespace

OracleForward oracle_forward(const Case& c, const Inputs& in, std::span<const std::int64_t> targets) {
  require_valid(c, in, targets);
  const Geometry g = geometry_of(c);
  OracleForward forward;
  if (c.reduction == Reduction::none) forward.output.assign(targets.size(), 0.0);
  Sum loss, weights, abs_loss, abs_weight;
  for (std::size_t r = 0; r < targets.size(); ++r) {
    if (targets[r] == c.ignore_index) continue;
    const double weight = weight_of(in, targets[r]);
    const double x = in.input.value(g.cell(static_cast<std::int64_t>(r), targets[r]));
    ++forward.terms;
    if (c.reduction == Reduction::none) forward.output[r] = -(weight * x);
    loss.add_product(-weight, x);
    abs_loss.add(std::abs(weight * x));
    weights.add(weight);
    abs_weight.add(std::abs(weight));
  }
  forward.abs_loss_sum = abs_loss.value();
  forward.abs_weight_sum = abs_weight.value();
  if (c.reduction == Reduction::none) return forward;
  forward.total_weight = weights.value();
  forward.output = {c.reduction == Reduction::mean ? loss.value() / weights.value() : loss.value()};
  return forward;
}

OracleBackward oracle_backward(const Case& c, const Inputs& in, std::span<const std::int64_t> targets,
                               double total_weight) {
  require_valid(c, in, targets);
  OracleBackward backward{.gradient = std::vector<double>(targets.size(), 0.0)};
  for (std::size_t r = 0; r < targets.size(); ++r) {
    if (targets[r] == c.ignore_index) continue;
    const std::int64_t upstream = c.reduction == Reduction::none ? static_cast<std::int64_t>(r) : 0;
    const double gradient = -(weight_of(in, targets[r]) * in.grad_output.value(upstream));
    backward.gradient[r] = c.reduction == Reduction::mean ? gradient / total_weight : gradient;
  }
  return backward;
}

std::optional<std::int64_t> first_bad_row(const Case& c, std::span<const std::int64_t> targets) {
  for (std::size_t r = 0; r < targets.size(); ++r) {
    const bool is_class = targets[r] >= 0 && targets[r] < c.C;
    if (!is_class && targets[r] != c.ignore_index) return static_cast<std::int64_t>(r);
  }
  return std::nullopt;
}

}  // namespace nlldiff
