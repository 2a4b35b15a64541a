// SPDX-License-Identifier: Apache-2.0
// The two 16-bit floating types in software. Every operation is computed in a wider type from which one rounding to
// nearest even gives the correctly rounded 16-bit result (24 >= 2 * 11 + 2 bits, and more for bfloat16).
// Semantics and names: CUDA Math API, "Half Precision Intrinsics" and "Bfloat16 Precision Intrinsics".
#pragma once

#include <math.h>

#include <type_traits>

#include "../vector_types.h"
#include "atomics.hpp"
#include "bits.hpp"
#include "warp.hpp"

namespace nlldiff_simt {

/// binary16: 1 sign, 5 exponent, 10 fraction bits.
struct HalfFormat {
  static uint16_t from_float(float value) {
    const uint32_t bits = bit_cast<uint32_t>(value), magnitude = bits & 0x7fffffffu;
    const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
    if (magnitude > 0x7f800000u) return 0x7fff;                                  // NaN
    if (magnitude >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);  // 65520 and more
    if (magnitude < 0x38800000u) {
      // Subnormal: the float adder rounds at 2^-24, which is the last place of 0.5.
      const float rounded = bit_cast<float>(magnitude) + 0.5f;
      return static_cast<uint16_t>(sign | (bit_cast<uint32_t>(rounded) - 0x3f000000u));
    }
    const uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
    return static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
  }
  static float to_float(uint16_t bits) {
    const uint32_t sign = (bits & 0x8000u) << 16, exponent = (bits >> 10) & 0x1fu, fraction = bits & 0x3ffu;
    if (exponent == 0) {
      const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
      return sign == 0 ? magnitude : -magnitude;
    }
    const uint32_t wide = exponent == 0x1f ? 0xffu : exponent + 112u;
    return bit_cast<float>(sign | wide << 23 | fraction << 13);
  }
  static constexpr uint16_t kExponent = 0x7c00;
};

/// bfloat16: the upper half of a binary32.
struct Bfloat16Format {
  static uint16_t from_float(float value) {
    const uint32_t bits = bit_cast<uint32_t>(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fff;  // NaN
    return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
  }
  static float to_float(uint16_t bits) { return bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
  static constexpr uint16_t kExponent = 0x7f80;
};

/// A double as a float whose last bit says whether anything was cut off: rounding that float to 16 bits rounds once.
inline float round_to_odd(double value) {
  const float nearest = static_cast<float>(value);
  if (!(static_cast<double>(nearest) != value) || value != value) return nearest;
  uint32_t bits = bit_cast<uint32_t>(nearest);
  if (fabs(static_cast<double>(nearest)) > fabs(value)) --bits;  // towards zero; from infinity to the largest float
  return bit_cast<float>(bits | 1u);
}

/// a * b + c for 16-bit values, rounded to odd: the product is exact in a double, the sum's error is recovered.
inline float fma_to_odd(float a, float b, float c) {
  const double product = static_cast<double>(a) * b, addend = c, sum = product + addend;
  const double virtual_addend = sum - product;
  const double error = (product - (sum - virtual_addend)) + (addend - virtual_addend);
  uint64_t bits = bit_cast<uint64_t>(sum);
  if (error != 0 && error == error && sum - sum == 0) {
    if ((error > 0) != (sum > 0)) --bits;
    bits |= 1u;
  }
  return round_to_odd(bit_cast<double>(bits));
}

template <class Format>
struct alignas(2) Float16 {
  uint16_t __x;

  Float16() = default;
  Float16(float value) : __x(Format::from_float(value)) {}
  Float16(double value) : __x(Format::from_float(round_to_odd(value))) {}
  template <class Integer, std::enable_if_t<std::is_integral_v<Integer>, int> = 0>
  Float16(Integer value) : Float16(static_cast<double>(value)) {}
  operator float() const { return Format::to_float(__x); }

  static Float16 of_bits(uint16_t bits) {
    Float16 result;
    result.__x = bits;
    return result;
  }
  [[nodiscard]] bool is_nan() const { return (__x & 0x7fffu) > Format::kExponent; }
  [[nodiscard]] bool is_inf() const { return (__x & 0x7fffu) == Format::kExponent; }

  friend Float16 operator+(Float16 a, Float16 b) { return static_cast<float>(a) + static_cast<float>(b); }
  friend Float16 operator-(Float16 a, Float16 b) { return static_cast<float>(a) - static_cast<float>(b); }
  friend Float16 operator*(Float16 a, Float16 b) { return static_cast<float>(a) * static_cast<float>(b); }
  friend Float16 operator/(Float16 a, Float16 b) { return static_cast<float>(a) / static_cast<float>(b); }
  friend Float16 operator+(Float16 a) { return a; }
  friend Float16 operator-(Float16 a) { return of_bits(static_cast<uint16_t>(a.__x ^ 0x8000u)); }
  friend bool operator==(Float16 a, Float16 b) { return static_cast<float>(a) == static_cast<float>(b); }
  friend bool operator!=(Float16 a, Float16 b) { return static_cast<float>(a) != static_cast<float>(b); }
  friend bool operator<(Float16 a, Float16 b) { return static_cast<float>(a) < static_cast<float>(b); }
  friend bool operator<=(Float16 a, Float16 b) { return static_cast<float>(a) <= static_cast<float>(b); }
  friend bool operator>(Float16 a, Float16 b) { return static_cast<float>(a) > static_cast<float>(b); }
  friend bool operator>=(Float16 a, Float16 b) { return static_cast<float>(a) >= static_cast<float>(b); }
  Float16& operator+=(Float16 b) { return *this = *this + b; }
  Float16& operator-=(Float16 b) { return *this = *this - b; }
  Float16& operator*=(Float16 b) { return *this = *this * b; }
  Float16& operator/=(Float16 b) { return *this = *this / b; }
};

template <class Element>
struct alignas(4) Pair16 {
  Element x, y;
  friend Pair16 operator+(Pair16 a, Pair16 b) { return {a.x + b.x, a.y + b.y}; }
  friend Pair16 operator-(Pair16 a, Pair16 b) { return {a.x - b.x, a.y - b.y}; }
  friend Pair16 operator*(Pair16 a, Pair16 b) { return {a.x * b.x, a.y * b.y}; }
  friend Pair16 operator/(Pair16 a, Pair16 b) { return {a.x / b.x, a.y / b.y}; }
};

}  // namespace nlldiff_simt

/// The functions that both types have under the same names.
#define NLLDIFF_SIMT_FLOAT16(T, T2)                                                              \
  inline T __hadd(T a, T b) { return a + b; }                                                    \
  inline T __hsub(T a, T b) { return a - b; }                                                    \
  inline T __hmul(T a, T b) { return a * b; }                                                    \
  inline T __hdiv(T a, T b) { return a / b; }                                                    \
  inline T __hadd_rn(T a, T b) { return a + b; }                                                 \
  inline T __hsub_rn(T a, T b) { return a - b; }                                                 \
  inline T __hmul_rn(T a, T b) { return a * b; }                                                 \
  inline T __hfma(T a, T b, T c) { return nlldiff_simt::fma_to_odd(a, b, c); }                   \
  inline T __hneg(T a) { return -a; }                                                            \
  inline T __habs(T a) { return T::of_bits(static_cast<uint16_t>(a.__x & 0x7fffu)); }            \
  inline bool __heq(T a, T b) { return a == b; }                                                 \
  inline bool __hne(T a, T b) { return a < b || a > b; }                                         \
  inline bool __hlt(T a, T b) { return a < b; }                                                  \
  inline bool __hle(T a, T b) { return a <= b; }                                                 \
  inline bool __hgt(T a, T b) { return a > b; }                                                  \
  inline bool __hge(T a, T b) { return a >= b; }                                                 \
  inline bool __hisnan(T a) { return a.is_nan(); }                                               \
  inline int __hisinf(T a) { return a.is_inf() ? ((a.__x & 0x8000u) != 0 ? -1 : 1) : 0; }        \
  inline bool isnan(T a) { return a.is_nan(); }                                                  \
  inline bool isinf(T a) { return a.is_inf(); }                                                  \
  inline T __hmin(T a, T b) { return ::fminf(a, b); }                                            \
  inline T __hmax(T a, T b) { return ::fmaxf(a, b); }                                            \
  inline T hsqrt(T a) { return ::sqrtf(a); }                                                     \
  inline T hrcp(T a) { return 1.0f / static_cast<float>(a); }                                    \
  inline T hexp(T a) { return ::exp(static_cast<double>(static_cast<float>(a))); }               \
  inline T hlog(T a) { return ::log(static_cast<double>(static_cast<float>(a))); }               \
  inline T2 __hadd2(T2 a, T2 b) { return a + b; }                                                \
  inline T2 __hsub2(T2 a, T2 b) { return a - b; }                                                \
  inline T2 __hmul2(T2 a, T2 b) { return a * b; }                                                \
  inline T2 __h2div(T2 a, T2 b) { return a / b; }                                                \
  inline T2 __hfma2(T2 a, T2 b, T2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; } \
  inline T2 __hneg2(T2 a) { return {-a.x, -a.y}; }                                               \
  inline T atomicAdd(T* at, T value) {                                                           \
    return nlldiff_simt::atomic_update(at, [value](T old) { return old + value; });              \
  }                                                                                              \
  inline T2 atomicAdd(T2* at, T2 value) { return {atomicAdd(&at->x, value.x), atomicAdd(&at->y, value.y)}; }
