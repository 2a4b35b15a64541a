// SPDX-License-Identifier: Apache-2.0
#include "candidate/library_hash.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <fstream>
#include <iterator>

namespace nlldiff {

std::string fnv1a_of_file(const std::string& path) {
  constexpr std::uint64_t kOffsetBasis = 0xcbf29ce484222325, kPrime = 0x100000001b3;
  std::ifstream file(path, std::ios::binary);
  if (!file) return "";
  std::uint64_t hash = kOffsetBasis;
  for (std::istreambuf_iterator<char> at(file), end; at != end; ++at)
    hash = (hash ^ static_cast<unsigned char>(*at)) * kPrime;
  return fmt::format("{:016x}", hash);
}

}  // namespace nlldiff
