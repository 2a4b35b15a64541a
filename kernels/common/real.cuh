// SPDX-License-Identifier: Apache-2.0
// The floating types of a kernel and their way to double and back. Half types are handled as bits: the same code, and
// so the same bits, on the device and on the host, without cuda_fp16.h.
#pragma once

#include <cstdint>

#include "nlldiff/kernel.h"

namespace nll {

struct Half {
  std::uint16_t bits;
};
struct BFloat16 {
  std::uint16_t bits;
};

template <class T>
inline constexpr int kDtypeOf = -1;
template <>
inline constexpr int kDtypeOf<double> = NLLDIFF_FLOAT64;
template <>
inline constexpr int kDtypeOf<float> = NLLDIFF_FLOAT32;
template <>
inline constexpr int kDtypeOf<Half> = NLLDIFF_FLOAT16;
template <>
inline constexpr int kDtypeOf<BFloat16> = NLLDIFF_BFLOAT16;

template <class To, class From>
__host__ __device__ inline To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

__host__ __device__ inline double to_double(double value) { return value; }
__host__ __device__ inline double to_double(float value) { return value; }
__host__ __device__ inline double to_double(BFloat16 value) {
  return bits_as<float>(static_cast<std::uint32_t>(value.bits) << 16);
}
__host__ __device__ inline double to_double(Half value) {
  const std::uint32_t sign = (value.bits & 0x8000u) << 16;
  const std::uint32_t exponent = (value.bits >> 10) & 0x1fu;
  const std::uint32_t fraction = value.bits & 0x3ffu;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint32_t wide_exponent = exponent == 31 ? 255u : exponent + 112u;
  return bits_as<float>(sign | (wide_exponent << 23) | (fraction << 13));
}

/// The bits of `value` in a 16-bit format, rounded once from double (nearest, ties to even; overflow to infinity).
/// Going through float first would round twice.
template <int kExponentBits, int kFractionBits>
__host__ __device__ inline std::uint16_t round_to_16_bits(double value) {
  constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  constexpr std::uint32_t kInfinity = ((1u << kExponentBits) - 1) << kFractionBits;
  const auto bits = bits_as<std::uint64_t>(value);
  const std::uint64_t magnitude = bits & ~(std::uint64_t{1} << 63);
  const auto sign = static_cast<std::uint32_t>(bits >> 63) << 15;
  if (magnitude > std::uint64_t{0x7ff} << 52)  // NaN: quiet
    return static_cast<std::uint16_t>(sign | kInfinity | (1u << (kFractionBits - 1)));
  const int exponent = static_cast<int>(magnitude >> 52) - 1023;
  if (exponent > kBias) return static_cast<std::uint16_t>(sign | kInfinity);
  const bool subnormal = exponent < 1 - kBias;
  const int dropped = 52 - kFractionBits + (subnormal ? 1 - kBias - exponent : 0);
  if (dropped > 53) return static_cast<std::uint16_t>(sign);  // less than half of the smallest subnormal
  const std::uint64_t significand = (magnitude & ((std::uint64_t{1} << 52) - 1)) | (std::uint64_t{1} << 52);
  const std::uint64_t rest = significand & ((std::uint64_t{1} << dropped) - 1);
  const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
  auto rounded = static_cast<std::uint32_t>(significand >> dropped);
  if (rest > half || (rest == half && (rounded & 1u) != 0)) ++rounded;
  // A normal significand carries its leading bit, which adds the missing one to the exponent; so does a carry.
  if (!subnormal) rounded += static_cast<std::uint32_t>(exponent + kBias - 1) << kFractionBits;
  return static_cast<std::uint16_t>(sign | rounded);
}

/// `value` rounded once to T.
template <class T>
__host__ __device__ inline T round_to(double value);
template <>
__host__ __device__ inline double round_to<double>(double value) {
  return value;
}
template <>
__host__ __device__ inline float round_to<float>(double value) {
  return static_cast<float>(value);
}
template <>
__host__ __device__ inline Half round_to<Half>(double value) {
  return {round_to_16_bits<5, 10>(value)};
}
template <>
__host__ __device__ inline BFloat16 round_to<BFloat16>(double value) {
  return {round_to_16_bits<8, 7>(value)};
}

}  // namespace nll
