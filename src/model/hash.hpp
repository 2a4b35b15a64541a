// SPDX-License-Identifier: Apache-2.0
// Counter-based random numbers: integer arithmetic only, so a case has the same bits on every machine.
// Internal to src/model; hash_index of inputs.hpp is the public form.
#pragma once

#include <cstdint>

namespace nlldiff {

/// What a stream of random numbers is for. Values are part of a case's bits: never renumber.
enum class Stream : std::uint64_t {
  target_class = 1,    ///< which valid class a row has
  target_ignored = 2,  ///< whether a row is ignored
  target_forced = 3,   ///< which row is ignored, or valid, where chance gave none
  target_length = 4,   ///< lengths of padded sequences
  input = 5,
  weight = 6,
  grad_output = 7,
};

/// splitmix64's finaliser (Steele, Lea, Flood, OOPSLA 2014; constants: Stafford's variant 13).
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/// The hash of (seed, stream, index); the part that does not depend on the index is done once.
class IndexHash {
 public:
  constexpr IndexHash(std::uint64_t rng_seed, std::uint64_t stream) : base_(mix64(rng_seed + mix64(stream))) {}
  constexpr IndexHash(std::uint64_t rng_seed, Stream stream)
      : IndexHash(rng_seed, static_cast<std::uint64_t>(stream)) {}
  [[nodiscard]] constexpr std::uint64_t operator()(std::uint64_t index) const {
    return mix64(base_ + (index + 1) * 0x9E3779B97F4A7C15u);
  }
  /// Uniform in [0, count), count > 0 (the bias, below count / 2^64, does not matter here).
  [[nodiscard]] constexpr std::int64_t pick(std::uint64_t index, std::int64_t count) const {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::int64_t>(Wide{(*this)(index)} * static_cast<std::uint64_t>(count) >> 64);
  }
  /// True with this probability, compared with the hash as a 53-bit fraction: exactly never for 0, always for 1.
  [[nodiscard]] constexpr bool happens(std::uint64_t index, double probability) const {
    return static_cast<double>((*this)(index) >> 11) * 0x1p-53 < probability;
  }

 private:
  std::uint64_t base_;
};

}  // namespace nlldiff
