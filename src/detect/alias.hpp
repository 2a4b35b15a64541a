// SPDX-License-Identifier: Apache-2.0
// The footprint rule's parts, apart from the evidence they are applied to.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/case.hpp"
#include "model/trace.hpp"

namespace nlldiff {

/// The half (0 or 1) of an ignored row. An aggressor and the row that its sentinel-built address hits are in different
/// halves: with q = floor(ignore_index / C), the victim of a row of sample n is in sample n + q, and the half is
/// (n div |q|) mod 2. With q = 0, and where the victim is outside of the tensor anyway, it is the row's parity.
[[nodiscard]] int half_of(const Geometry& g, std::int64_t ignore_index, std::int64_t row);

/// The targets of a twin: every ignored row of `half` gets a valid class, nothing else changes.
/// Nothing where no class is valid: C = 0, or C = 1 with ignore_index = 0.
[[nodiscard]] std::optional<std::vector<std::int64_t>> twin_targets(const Case& c,
                                                                    std::span<const std::int64_t> targets, int half);

/// A cell that the case stores more often than its twin, although its row's target is the same in both.
struct ForeignCell {
  std::int64_t cell = 0;
  std::uint32_t case_stores = 0, twin_stores = 0;
};
struct Footprint {
  std::vector<ForeignCell> foreign;  ///< the first kMaxContested
  std::int64_t foreign_total = 0;
  std::string cannot_judge;  ///< not empty: why the counts say nothing
};

/// Compares the stores of every row whose target is the same in case and twin. `cells_per_row` is C for grad_input and
/// 1 for a loss a row. Where the launch lists differ, a row's smallest excess is taken off first (an extra whole pass
/// is no alias); with one cell a row that leaves nothing to judge.
[[nodiscard]] Footprint compare_footprints(const Geometry& g, std::int64_t cells_per_row,
                                           std::span<const std::int64_t> case_targets,
                                           std::span<const std::int64_t> twin_targets, const CallTrace& case_trace,
                                           const CallTrace& twin_trace, const std::string& tensor);

/// The one ignored row whose sentinel-built address n*C*D + ignore_index*D + d is `cell`, or nothing.
[[nodiscard]] std::optional<std::int64_t> aggressor_of(const Case& c, std::span<const std::int64_t> targets,
                                                       std::int64_t cell);

/// The stores of `case_log` at `cell` that `twin_log` lacks, as a multiset over (launch, block, thread); where the
/// schedule moved everything, the surplus of the case.
[[nodiscard]] std::vector<Store> surplus_stores(const std::vector<Store>& case_log, const std::vector<Store>& twin_log,
                                                std::int64_t cell);

}  // namespace nlldiff
