// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "model/case.hpp"

namespace nlldiff {

Geometry geometry_of(const Case& c) {
  Geometry g{.N = c.shape.empty() ? 1 : c.shape.front(), .C = c.C, .D = 1};
  for (std::size_t i = 1; i < c.shape.size(); ++i) {
    // A size of 0 elsewhere keeps the cell count small while this product overflows.
    if (__builtin_mul_overflow(g.D, c.shape[i], &g.D)) {
      fail_usage("case \"{}\": the product of the spatial sizes does not fit 64 bits; make shape smaller", c.name);
    }
  }
  return g;
}

std::vector<std::int64_t> input_sizes(const Case& c) {
  std::vector<std::int64_t> sizes = c.shape;
  sizes.insert(sizes.begin() + (sizes.empty() ? 0 : 1), c.C);
  return sizes;
}

}  // namespace nlldiff
