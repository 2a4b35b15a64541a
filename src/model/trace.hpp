// SPDX-License-Identifier: Apache-2.0
// What a tracer saw of one call of a candidate, whichever tracer it was (simt, CUDA, interpreter).
// Pass 1 counts stores per cell; pass 2, for a few cells only, logs who stored what.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/error.hpp"
#include "core/names.hpp"

namespace nlldiff {

enum class LaunchKind { kernel, memset, memcpy };
template <>
inline constexpr auto kNames<LaunchKind> = std::to_array<Named<LaunchKind>>({
    {LaunchKind::kernel, "kernel", "a kernel launch"},
    {LaunchKind::memset, "memset", "a memset call: its bytes count as stores"},
    {LaunchKind::memcpy, "memcpy", "a memory copy: its destination bytes count as stores"},
});

/// One kernel launch, memset or copy, in program order.
struct Launch {
  LaunchKind kind = LaunchKind::kernel;
  std::string kernel;  ///< the kernel's name as its source spells it
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  /// Some thread did an atomic on memory that is not watched (a counter, a lock): its blocks may have ordered each
  /// other.
  bool orders_blocks = false;
};
/// The same work was launched; what it did then does not count.
inline bool operator==(const Launch& a, const Launch& b) {
  return a.kind == b.kind && a.kernel == b.kernel && a.grid == b.grid && a.block == b.block;
}

/// Stores per cell: one byte a cell; what does not fit is kept exactly in `overflow`.
struct CellCounts {
  std::vector<std::uint8_t> low;                             ///< saturates at 255
  std::unordered_map<std::int64_t, std::uint32_t> overflow;  ///< cell -> stores beyond 255
  void add(std::int64_t cell) {
    auto& count = low[static_cast<std::size_t>(cell)];
    if (count != 255)
      ++count;
    else
      ++overflow[cell];
  }
  [[nodiscard]] std::uint32_t at(std::int64_t cell) const {
    const std::uint32_t count = low[static_cast<std::size_t>(cell)];
    if (count != 255) return count;
    const auto more = overflow.find(cell);
    return more == overflow.end() ? count : count + more->second;
  }
  bool operator==(const CellCounts&) const = default;
};

/// One store, as pass 2 logs it.
struct Store {
  std::uint32_t launch = 0;  ///< index into CallTrace::launches
  std::uint64_t block = 0;   ///< linear block index x + gridDim.x * (y + gridDim.y * z)
  std::uint32_t thread = 0;  ///< linear thread index in its block
  std::uint32_t epoch = 0;   ///< barriers that its block had passed
  std::int64_t cell = 0;     ///< first watched cell that the store touched
  std::uint32_t bytes = 0;   ///< size of the access
  bool atomic = false;
  std::uint64_t value_bits = 0;  ///< the cell's bits after this store, in the watched tensor's element size
  std::string where;             ///< file:line of the store where the tracer knows it, else empty
};

/// The trace of one watched tensor during one call.
struct TensorTrace {
  std::string tensor;                   ///< "grad_input", "output", "total_weight"
  CellCounts stores;                    ///< one entry a cell
  std::vector<std::int64_t> contested;  ///< cells that two threads may have stored to without order between them
  std::int64_t contested_total = 0;     ///< how many there were; `contested` keeps the first kMaxContested
  std::vector<Store> log;               ///< pass 2 only, in execution order
};
inline constexpr std::size_t kMaxContested = 4096;

/// The trace of one call. `complete` is false where anything was not seen; then no detector may say "pass".
struct CallTrace {
  bool complete = false;
  std::string why_incomplete;
  std::vector<Launch> launches;
  std::vector<TensorTrace> tensors;
  /// nullptr where that tensor was not watched.
  [[nodiscard]] const TensorTrace* find(std::string_view tensor) const {
    for (const auto& t : tensors)
      if (t.tensor == tensor) return &t;
    return nullptr;
  }
  /// Throws Error(internal) where that tensor was not watched.
  [[nodiscard]] const TensorTrace& of(std::string_view tensor) const {
    if (const TensorTrace* found = find(tensor)) return *found;
    fail_internal("the trace has no tensor \"{}\"", tensor);
  }
};

}  // namespace nlldiff
