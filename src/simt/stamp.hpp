// SPDX-License-Identifier: Apache-2.0
// A store's author in one word: which run of a block, which thread, after how many barriers and warp collectives.
// Two stores to one cell are ordered when the later author had to wait for the earlier one.
#pragma once

#include <cstdint>

namespace nlldiff::simt {

/// | run of a block: 29 | thread: 10 | barriers: 14 | warp collectives: 7 | flags: 4 |
/// The two counters wrap around: only after 16,384 barriers, or 128 collectives, is an ordered pair taken for
/// an unordered one.
using Stamp = std::uint64_t;

enum : Stamp {
  kAtomic = 1,     ///< the store was an atomic
  kContested = 2,  ///< this cell has been reported
  // An atomic hides the plain store before it; these remember that there was one.
  kPlainInRun = 4,  ///< by this run of the block
  kPlainNow = 8,    ///< by the same thread, with no barrier or collective since
  kFlags = 15,
};
inline constexpr std::uint64_t kMaxRuns = (std::uint64_t{1} << 29) - 1;

[[nodiscard]] constexpr Stamp make_stamp(std::uint64_t run, unsigned thread, unsigned barriers, unsigned collectives) {
  return run << 35 | Stamp{thread} << 25 | (Stamp{barriers} & 0x3fff) << 11 | (Stamp{collectives} & 0x7f) << 4;
}
[[nodiscard]] constexpr std::uint64_t run_of(Stamp stamp) { return stamp >> 35; }
[[nodiscard]] constexpr unsigned thread_of(Stamp stamp) { return static_cast<unsigned>(stamp >> 25) & 0x3ff; }
[[nodiscard]] constexpr unsigned barriers_of(Stamp stamp) { return static_cast<unsigned>(stamp >> 11) & 0x3fff; }
[[nodiscard]] constexpr unsigned collectives_of(Stamp stamp) { return static_cast<unsigned>(stamp >> 4) & 0x7f; }

/// Whether two stores of one launch, `earlier` having run first here, might as well have run the other way round.
[[nodiscard]] constexpr bool unordered(Stamp earlier, Stamp later) {
  const bool same_run = run_of(earlier) == run_of(later);
  const bool plain_before = (earlier & (same_run ? Stamp{kPlainNow} : Stamp{kPlainInRun})) != 0;
  if ((earlier & later & kAtomic) != 0 && !plain_before) return false;
  if (!same_run) return true;
  if (thread_of(earlier) == thread_of(later) || barriers_of(earlier) != barriers_of(later)) return false;
  const bool same_warp = thread_of(earlier) / 32 == thread_of(later) / 32;
  return !same_warp || collectives_of(earlier) == collectives_of(later);
}

/// What a cell remembers after `later`, both stores being of one launch.
[[nodiscard]] constexpr Stamp remember(Stamp earlier, Stamp later) {
  const bool was_plain = (earlier & kAtomic) == 0, same_author = (earlier & ~Stamp{kFlags}) == (later & ~Stamp{kFlags});
  const Stamp in_run = was_plain ? Stamp{kPlainInRun} : earlier & kPlainInRun;
  const Stamp now = !same_author ? Stamp{0} : was_plain ? Stamp{kPlainNow} : earlier & kPlainNow;
  return later | in_run | now | (earlier & kContested);
}

}  // namespace nlldiff::simt
