// SPDX-License-Identifier: Apache-2.0
// From a case to the bits of its tensors: target layouts, fills, memory layouts. Integer hashes and exact
// arithmetic only (no libm, no std:: distributions), so a case has the same bits on every machine.
#pragma once

#include "model/case.hpp"
#include "model/tensor.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace nlldiff {

struct Inputs {
  HostTensor input;
  HostTensor target;                 ///< in target.dtype and target.memory
  std::optional<HostTensor> weight;
  HostTensor grad_output;            ///< shape of the output: target's shape for none, () else
};

/// The target of every row, in row order (r = n*D + d), as int64. Length = rows. Rows that share an element by
/// target.memory have one target. Throws Error(usage) where the case's own numbers cannot be.
[[nodiscard]] std::vector<std::int64_t> make_targets(const Case& c);

/// `targets` (one a row) in the case's target dtype and memory layout; contiguous where rows that share an element
/// differ (a twin of an expanded target does).
[[nodiscard]] HostTensor lay_out_target(const Case& c, std::span<const std::int64_t> targets);

/// All tensors of a case. Throws Error(usage) where numbers and sizes do not fit each other, Error(internal) where
/// memory cannot be had.
[[nodiscard]] Inputs make_inputs(const Case& c, std::span<const std::int64_t> targets);

/// Bytes that make_inputs would allocate, without allocating.
[[nodiscard]] std::int64_t input_bytes(const Case& c);

/// Where a store that builds its address from the target of ignored row `row` would land.
enum class Visibility {
  own_row,       ///< in a cell of the row itself (0 <= ignore_index < C)
  target_cell,   ///< another row's target cell: a lost gradient, seen by value
  other_cell,    ///< another row's cell that holds 0 anyway: only a trace sees it
  outside,       ///< before or after the tensor: a red zone's work
};
template <>
inline constexpr auto kNames<Visibility> = std::to_array<Named<Visibility>>({
    {Visibility::own_row, "own_row", "a sentinel-built address stays in the ignored row"},
    {Visibility::target_cell, "target_cell", "it hits another row's target cell: seen by value"},
    {Visibility::other_cell, "other_cell", "it hits another row's other cell: only a trace sees it"},
    {Visibility::outside, "outside", "it leaves the tensor"},
});

struct VisibilityCounts {
  std::int64_t ignored = 0;  ///< rows whose target is ignore_index
  std::array<std::int64_t, 4> by_kind{};  ///< indexed by Visibility
};
/// The flat cell n*C*D + ignore_index*D + d; nothing where that overflows int64.
[[nodiscard]] std::optional<std::int64_t> sentinel_cell(const Geometry& g, std::int64_t row, std::int64_t ignore_index);
[[nodiscard]] Visibility visibility_of(const Case& c, std::span<const std::int64_t> targets, std::int64_t row);
[[nodiscard]] VisibilityCounts count_visibility(const Case& c, std::span<const std::int64_t> targets);

/// What make_inputs's hash is built on: splitmix64's finaliser over (seed, stream, index).
/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
[[nodiscard]] std::uint64_t hash_index(std::uint64_t rng_seed, std::uint64_t stream, std::uint64_t index);

}  // namespace nlldiff
