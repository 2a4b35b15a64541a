// SPDX-License-Identifier: Apache-2.0
// The bits of a value as a 64-bit integer, and back. The copies are those of plain locals: they are never traced.
#pragma once

#include <stdint.h>

namespace nlldiff_simt {

template <unsigned kBytes>
struct Unsigned;
template <>
struct Unsigned<1> {
  using type = uint8_t;
};
template <>
struct Unsigned<2> {
  using type = uint16_t;
};
template <>
struct Unsigned<4> {
  using type = uint32_t;
};
template <>
struct Unsigned<8> {
  using type = uint64_t;
};

template <class To, class From>
inline To bit_cast(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}
template <class T>
inline uint64_t bits_of(const T& value) {
  return bit_cast<typename Unsigned<sizeof(T)>::type>(value);
}
template <class T>
inline T from_bits(uint64_t bits) {
  return bit_cast<T>(static_cast<typename Unsigned<sizeof(T)>::type>(bits));
}

}  // namespace nlldiff_simt
