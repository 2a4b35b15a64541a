// SPDX-License-Identifier: Apache-2.0
// Counts the stores to the watched tensors, finds the cells with unordered stores, and logs in pass 2.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/trace.hpp"
#include "simt/simt.hpp"
#include "simt/stamp.hpp"

namespace nlldiff::simt {

/// One access, as a hook sees it just before it is made.
struct Access {
  std::uintptr_t at;
  std::size_t bytes;
  bool atomic;
  const void* pc;  ///< the return address in the instrumented code
};

/// Zeroed memory that costs nothing until it is touched, and few page faults then.
class ZeroedMemory {
 public:
  explicit ZeroedMemory(std::size_t bytes);
  ~ZeroedMemory();
  ZeroedMemory(const ZeroedMemory&) = delete;
  ZeroedMemory& operator=(const ZeroedMemory&) = delete;
  [[nodiscard]] void* get() const { return at_; }

 private:
  std::size_t bytes_;
  void* at_;
};

/// One watched tensor.
class WatchedTensor {
 public:
  explicit WatchedTensor(const Watch& watch);

  [[nodiscard]] std::uintptr_t offset_of(std::uintptr_t at) const { return at - base_; }
  [[nodiscard]] bool contains(std::uintptr_t at) const { return offset_of(at) < bytes_; }
  [[nodiscard]] bool overlaps(std::uintptr_t at, std::size_t bytes) const {
    return at < base_ + bytes_ && at + bytes > base_;
  }
  /// The access overlaps this tensor. `first_run`: the first block run of this launch.
  void store(const Access& access, Stamp stamp, std::uint64_t first_run, std::uint32_t launch) {
    const std::uintptr_t offset = offset_of(access.at);
    const std::size_t first = offset >> cell_shift_;
    if (offset < bytes_ && (offset + access.bytes - 1) >> cell_shift_ == first) {
      store_cell(static_cast<std::int64_t>(first), access, stamp, first_run, launch);
    } else {
      store_cells(access, stamp, first_run, launch);
    }
  }
  /// The cells hold what the launch left there: gives pending log entries their values.
  void settle_values();
  /// Also resolves the pcs of the log.
  [[nodiscard]] TensorTrace take();

 private:
  void store_cell(std::int64_t cell, const Access& access, Stamp stamp, std::uint64_t first_run, std::uint32_t launch) {
    count(static_cast<std::size_t>(cell));
    Stamp& last = last_[static_cast<std::size_t>(cell)];
    const Stamp now = stamp | (access.atomic ? Stamp{kAtomic} : Stamp{0});
    if (last != now) last = successor(last, now, first_run, cell);
    if (!logged_.empty()) log(cell, access, launch);
  }
  void count(std::size_t cell) {
    if (low_[cell] != 255)
      ++low_[cell];
    else
      count_overflow(cell);
  }
  void count_overflow(std::size_t cell);
  void store_cells(const Access& access, Stamp stamp, std::uint64_t first_run, std::uint32_t launch);
  Stamp successor(Stamp last, Stamp now, std::uint64_t first_run, std::int64_t cell);
  void contest(std::int64_t cell);
  void log(std::int64_t cell, const Access& access, std::uint32_t launch);
  [[nodiscard]] std::uint64_t value_bits(std::int64_t cell) const;

  std::uintptr_t base_;
  std::size_t bytes_;
  unsigned cell_shift_;
  std::uint8_t* low_;  ///< trace_.stores.low, one load nearer
  ZeroedMemory memory_;
  Stamp* last_;                                            ///< per cell, who stored last; lazily zeroed by the system
  std::vector<bool> logged_;                               ///< per cell; empty in pass 1
  std::unordered_map<std::int64_t, std::size_t> pending_;  ///< cell -> its last log entry, value still unknown
  std::vector<const void*> pcs_;                           ///< per log entry
  TensorTrace trace_;
};

/// All watched tensors of a session, and the list of launches.
class Recorder {
 public:
  explicit Recorder(const std::vector<Watch>& watches);

  /// A store to the arena, just before it is made.
  void store(const Access& access) {
    if (nearest_ == nullptr || !nearest_->contains(access.at) || !section_open_) return store_slowly(access);
    nearest_->store(access, current_stamp(), first_run_, launch_index_);
  }
  /// A memset or copy of any size, just before it is made; it may reach over several tensors.
  void store_range(const Access& access);

  /// An atomic on memory that is not watched: it may order the blocks of the current launch.
  void atomic_elsewhere() {
    if (section_open_) launches_.back().orders_blocks = true;
  }

  void begin_launch(Launch launch);
  void end_launch();
  /// A block starts: the serial number of its run.
  [[nodiscard]] std::uint64_t begin_run();
  [[nodiscard]] bool too_many_runs() const { return runs_ >= kMaxRuns; }

  [[nodiscard]] std::vector<Launch> take_launches() { return std::move(launches_); }
  [[nodiscard]] std::vector<TensorTrace> take_tensors();

 private:
  static Stamp current_stamp();
  void store_slowly(const Access& access);
  void open_host_section();

  std::vector<std::unique_ptr<WatchedTensor>> tensors_;
  WatchedTensor* nearest_ = nullptr;  ///< the one that was hit last
  std::vector<Launch> launches_;
  std::uint64_t runs_ = 0;
  std::uint64_t first_run_ = 0;
  std::uint32_t launch_index_ = 0;
  bool section_open_ = false;  ///< stores have a launch that they belong to
};

}  // namespace nlldiff::simt
