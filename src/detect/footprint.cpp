// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <tuple>

#include "detect/alias.hpp"
#include "model/inputs.hpp"

namespace nlldiff {
namespace {

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

/// A valid class for `row` that is not the sentinel; the caller has made sure that there is one.
std::int64_t valid_class(const Case& c, std::int64_t row) {
  const auto pick =
      static_cast<std::int64_t>(hash_index(c.rng_seed, 0x7477696e /* "twin" */, static_cast<std::uint64_t>(row)) %
                                static_cast<std::uint64_t>(c.C));
  return pick == c.ignore_index ? (pick + 1) % c.C : pick;
}

bool has_valid_class(const Case& c) { return c.C > 1 || (c.C == 1 && c.ignore_index != 0); }

/// The cells of a row in the compared tensor: grad_input's (n, 0..C-1, d), or the one loss.
std::int64_t cell_of(const Geometry& g, std::int64_t cells_per_row, std::int64_t row, std::int64_t index) {
  return cells_per_row == 1 ? row : g.cell(row, index);
}

auto key_of(const Store& s) { return std::make_tuple(s.launch, s.block, s.thread); }

std::vector<Store> at_cell(const std::vector<Store>& log, std::int64_t cell) {
  std::vector<Store> stores;
  std::copy_if(log.begin(), log.end(), std::back_inserter(stores), [cell](const Store& s) { return s.cell == cell; });
  return stores;
}

}  // namespace

int half_of(const Geometry& g, std::int64_t ignore_index, std::int64_t row) {
  const std::int64_t q = floor_div(ignore_index, g.C);
  const bool inside = q != 0 && q > -g.N && q < g.N;
  if (!inside) return static_cast<int>(row % 2);
  return static_cast<int>(row / g.D / std::abs(q) % 2);
}

std::optional<std::vector<std::int64_t>> twin_targets(const Case& c, std::span<const std::int64_t> targets, int half) {
  if (!has_valid_class(c)) return std::nullopt;
  const Geometry g = geometry_of(c);
  std::vector<std::int64_t> twin(targets.begin(), targets.end());
  for (std::size_t i = 0; i < twin.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i);
    if (twin[i] == c.ignore_index && half_of(g, c.ignore_index, row) == half) twin[i] = valid_class(c, row);
  }
  return twin;
}

Footprint compare_footprints(const Geometry& g, std::int64_t cells_per_row, std::span<const std::int64_t> case_targets,
                             std::span<const std::int64_t> twin, const CallTrace& case_trace,
                             const CallTrace& twin_trace, const std::string& tensor) {
  Footprint footprint;
  const bool same_launches = case_trace.launches == twin_trace.launches;
  if (!same_launches && cells_per_row == 1) {
    footprint.cannot_judge =
        "case and twin launch different kernels and a row has one cell: an extra pass and an "
        "aliased store look the same";
    return footprint;
  }
  const CellCounts& in_case = case_trace.of(tensor).stores;
  const CellCounts& in_twin = twin_trace.of(tensor).stores;
  for (std::int64_t row = 0; row < g.rows(); ++row) {
    const auto i = static_cast<std::size_t>(row);
    if (case_targets[i] != twin[i]) continue;
    std::int64_t allowance = 0;
    if (!same_launches) {
      allowance = std::numeric_limits<std::int64_t>::max();
      for (std::int64_t k = 0; k < cells_per_row; ++k) {
        const std::int64_t cell = cell_of(g, cells_per_row, row, k);
        allowance = std::min<std::int64_t>(allowance, std::int64_t{in_case.at(cell)} - in_twin.at(cell));
      }
      allowance = std::max<std::int64_t>(allowance, 0);
    }
    for (std::int64_t k = 0; k < cells_per_row; ++k) {
      const std::int64_t cell = cell_of(g, cells_per_row, row, k);
      if (std::int64_t{in_case.at(cell)} - in_twin.at(cell) <= allowance) continue;
      ++footprint.foreign_total;
      if (footprint.foreign.size() < kMaxContested)
        footprint.foreign.push_back({cell, in_case.at(cell), in_twin.at(cell)});
    }
  }
  return footprint;
}

std::optional<std::int64_t> aggressor_of(const Case& c, std::span<const std::int64_t> targets, std::int64_t cell) {
  // cell = n*C*D + ignore_index*D + d. d is cell mod D, and n follows from n*C + ignore_index = cell div D.
  const Geometry g = geometry_of(c);
  std::int64_t lane = 0;
  if (__builtin_sub_overflow(cell / g.D, c.ignore_index, &lane)) return std::nullopt;
  if (lane < 0 || lane % g.C != 0 || lane / g.C >= g.N) return std::nullopt;
  const std::int64_t row = lane / g.C * g.D + cell % g.D;
  if (targets[static_cast<std::size_t>(row)] != c.ignore_index) return std::nullopt;
  return row;
}

std::vector<Store> surplus_stores(const std::vector<Store>& case_log, const std::vector<Store>& twin_log,
                                  std::int64_t cell) {
  const std::vector<Store> in_case = at_cell(case_log, cell);
  std::vector<Store> in_twin = at_cell(twin_log, cell);
  std::vector<Store> surplus;
  for (const Store& store : in_case) {
    const auto match =
        std::find_if(in_twin.begin(), in_twin.end(), [&](const Store& t) { return key_of(t) == key_of(store); });
    if (match == in_twin.end())
      surplus.push_back(store);
    else
      in_twin.erase(match);
  }
  return surplus;
}

}  // namespace nlldiff
