// SPDX-License-Identifier: Apache-2.0
// A store's author in one word: which run of a block, which thread, after how many barriers and warp collectives.
// Two stores to one cell are ordered when the later author had to wait for the earlier one.
#pragma once

#include <cstdint>

namespace nlldiff::simt {

/// | run of a block: 29 | thread: 10 | barriers: 14 | warp collectives: 8 | flags: 3 |
/// The two counters wrap around: only after 16,384 barriers, or 256 collectives, is an ordered pair taken for
/// an unordered one.
using Stamp = std::uint64_t;

enum : Stamp {
  kAtomic = 1,     ///< the store was an atomic
  kPlainSeen = 2,  ///< an earlier, ordered store of the same launch was not
  kContested = 4,  ///< this cell has been reported
  kFlags = 7,
};
inline constexpr std::uint64_t kMaxRuns = (std::uint64_t{1} << 29) - 1;

[[nodiscard]] constexpr Stamp make_stamp(std::uint64_t run, unsigned thread, unsigned barriers, unsigned collectives) {
  return run << 35 | Stamp{thread} << 25 | (Stamp{barriers} & 0x3fff) << 11 | (Stamp{collectives} & 0xff) << 3;
}
[[nodiscard]] constexpr std::uint64_t run_of(Stamp stamp) { return stamp >> 35; }
[[nodiscard]] constexpr unsigned thread_of(Stamp stamp) { return static_cast<unsigned>(stamp >> 25) & 0x3ff; }
[[nodiscard]] constexpr unsigned barriers_of(Stamp stamp) { return static_cast<unsigned>(stamp >> 11) & 0x3fff; }
[[nodiscard]] constexpr unsigned collectives_of(Stamp stamp) { return static_cast<unsigned>(stamp >> 3) & 0xff; }

/// Whether two stores of one launch, `earlier` having run first here, might as well have run the other way round.
[[nodiscard]] constexpr bool unordered(Stamp earlier, Stamp later) {
  const bool both_atomic = (earlier & later & kAtomic) != 0;
  if (run_of(earlier) != run_of(later)) return !both_atomic || (earlier & kPlainSeen) != 0;
  if (both_atomic || thread_of(earlier) == thread_of(later)) return false;
  if (barriers_of(earlier) != barriers_of(later)) return false;
  const bool same_warp = thread_of(earlier) / 32 == thread_of(later) / 32;
  return !same_warp || collectives_of(earlier) == collectives_of(later);
}

}  // namespace nlldiff::simt
