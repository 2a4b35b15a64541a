// SPDX-License-Identifier: Apache-2.0
// The same permutation of [0, n) for the same seed on every machine, in no memory: a Feistel network over the next
// power of four, walked until it lands inside.
#pragma once

#include <bit>
#include <cstdint>

namespace nlldiff::simt {

/// The finaliser of a 64-bit hash: every input bit reaches every output bit.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
  x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
  return x ^ (x >> 32);
}

class Permutation {
 public:
  Permutation(std::uint64_t n, std::uint64_t seed)
      : n_(n), seed_(seed), half_bits_((static_cast<unsigned>(std::bit_width(n < 2 ? 1 : n - 1)) + 1) / 2) {}

  /// `i` in [0, n). A walk takes less than four steps on average.
  [[nodiscard]] std::uint64_t operator()(std::uint64_t i) const {
    do i = shuffle(i);
    while (i >= n_);
    return i;
  }

 private:
  [[nodiscard]] std::uint64_t shuffle(std::uint64_t i) const {
    const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
    std::uint64_t left = i >> half_bits_, right = i & mask;
    for (std::uint64_t round = 1; round <= 4; ++round) {
      const std::uint64_t next = left ^ (mix(right + mix(seed_ + round)) & mask);
      left = right;
      right = next;
    }
    return left << half_bits_ | right;
  }

  std::uint64_t n_, seed_;
  unsigned half_bits_;
};

}  // namespace nlldiff::simt
