// SPDX-License-Identifier: Apache-2.0
#include "model/case.hpp"

#include <algorithm>
#include <cmath>

namespace nlldiff {

namespace {

// A case is the bits of its tensors: NaN is NaN, and -0 is not 0.
bool same(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b, [](double x, double y) { return same(x, y); });
}

}  // namespace

bool operator==(const SpecialCell& a, const SpecialCell& b) {
  return a.row == b.row && a.class_index == b.class_index && same(a.value, b.value);
}

bool operator==(const InputSpec& a, const InputSpec& b) {
  return a.fill == b.fill && same(a.values, b.values) && same(a.value, b.value) && a.special == b.special &&
         a.memory == b.memory && a.strides == b.strides && a.offset == b.offset;
}

bool operator==(const GradOutputSpec& a, const GradOutputSpec& b) {
  return a.fill == b.fill && same(a.values, b.values) && a.memory == b.memory && a.strides == b.strides &&
         a.offset == b.offset;
}

bool operator==(const WeightSpec& a, const WeightSpec& b) {
  return a.fill == b.fill && same(a.values, b.values) && a.length == b.length;
}

Geometry geometry_of(const Case& c) {
  Geometry g{.N = c.shape.empty() ? 1 : c.shape[0], .C = c.C, .D = 1};
  for (std::size_t i = 1; i < c.shape.size(); ++i) g.D *= c.shape[i];
  return g;
}

std::vector<std::int64_t> input_sizes(const Case& c) {
  std::vector<std::int64_t> sizes = c.shape;
  sizes.insert(sizes.begin() + (sizes.empty() ? 0 : 1), c.C);
  return sizes;
}

}  // namespace nlldiff
