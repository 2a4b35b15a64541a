// SPDX-License-Identifier: Apache-2.0
// Short ways to write the cases of these tests.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/case.hpp"

namespace nlldiff::kernels {

inline constexpr std::array kReductions{Reduction::none, Reduction::mean, Reduction::sum};
inline constexpr std::array kFloats{Dtype::float64, Dtype::float32, Dtype::float16, Dtype::bfloat16};

inline Case make_case(std::vector<std::int64_t> shape, std::int64_t classes, Reduction reduction) {
  Case c;
  c.name = "test";
  c.shape = std::move(shape);
  c.C = classes;
  c.reduction = reduction;
  c.weight.fill = WeightFill::random;
  c.grad_output.fill = GradFill::per_row;
  return c;
}

inline Case with_targets(Case c, std::vector<std::int64_t> targets) {
  c.target.layout = TargetLayout::explicit_;
  c.target.values = std::move(targets);
  return c;
}

}  // namespace nlldiff::kernels
