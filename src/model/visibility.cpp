// SPDX-License-Identifier: Apache-2.0
// Where the stores of a kernel would land that builds an ignored row's address from its target.
#include <limits>

#include "model/inputs.hpp"

namespace nlldiff {

std::optional<std::int64_t> sentinel_cell(const Geometry& g, std::int64_t row, std::int64_t ignore_index) {
  __extension__ using Wide = __int128;
  if (g.D == 0) return std::nullopt;  // no rows, no addresses
  const Wide sample = Wide{row / g.D} * g.C * g.D;
  const Wide cell = sample + Wide{ignore_index} * g.D + row % g.D;
  if (cell < std::numeric_limits<std::int64_t>::min() || cell > std::numeric_limits<std::int64_t>::max()) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(cell);
}

Visibility visibility_of(const Case& c, std::span<const std::int64_t> targets, std::int64_t row) {
  const Geometry g = geometry_of(c);
  const auto cell = sentinel_cell(g, row, c.ignore_index);
  if (!cell || *cell < 0 || *cell >= g.cells()) return Visibility::outside;
  const std::int64_t victim = g.row_of(*cell);
  if (victim == row) return Visibility::own_row;
  return targets[static_cast<std::size_t>(victim)] == g.class_of(*cell) ? Visibility::target_cell
                                                                        : Visibility::other_cell;
}

VisibilityCounts count_visibility(const Case& c, std::span<const std::int64_t> targets) {
  VisibilityCounts counts;
  for (std::size_t row = 0; row < targets.size(); ++row) {
    if (targets[row] != c.ignore_index) continue;
    ++counts.ignored;
    ++counts.by_kind[static_cast<std::size_t>(visibility_of(c, targets, static_cast<std::int64_t>(row)))];
  }
  return counts;
}

}  // namespace nlldiff
