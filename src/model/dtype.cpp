// SPDX-License-Identifier: Apache-2.0
#include "model/dtype.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace nlldiff {
namespace {

constexpr std::uint64_t kDoubleFraction = (std::uint64_t{1} << 52) - 1;

/// A 16-bit IEEE-like format: one sign bit, then exponent, then fraction.
struct Format16 {
  int fraction_bits;
  int min_exponent;  ///< of the smallest normal number
  int max_exponent;  ///< of the largest finite number
  [[nodiscard]] constexpr std::uint32_t infinity() const {
    return static_cast<std::uint32_t>(max_exponent - min_exponent + 2) << fraction_bits;
  }
};
constexpr Format16 kHalf{10, -14, 15};
constexpr Format16 kBfloat{7, -126, 127};

template <class T>
T load_as(const void* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <class T>
void store_as(void* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

/// 2^exponent for the exponents of normal doubles.
double power_of_two(int exponent) { return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52); }

double decode(Format16 format, std::uint16_t bits) {
  const double sign = (bits & 0x8000u) != 0 ? -1.0 : 1.0;
  const std::uint32_t magnitude = bits & 0x7fffu;
  if (magnitude > format.infinity()) return std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
  if (magnitude == format.infinity()) return sign * std::numeric_limits<double>::infinity();
  const auto implicit = std::uint32_t{1} << format.fraction_bits;
  const std::uint32_t exponent = magnitude >> format.fraction_bits;
  const std::uint32_t significand = (magnitude & (implicit - 1)) + (exponent == 0 ? 0 : implicit);
  const int scale = format.min_exponent + std::max(static_cast<int>(exponent) - 1, 0) - format.fraction_bits;
  return sign * significand * power_of_two(scale);
}

/// value / 2^shift to the nearest integer, ties to even.
std::uint64_t shift_right_to_even(std::uint64_t value, int shift) {
  if (shift > 63) return 0;
  const std::uint64_t kept = value >> shift;
  const std::uint64_t rest = value & ((std::uint64_t{1} << shift) - 1);
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  return kept + ((rest > half || (rest == half && (kept & 1) != 0)) ? 1 : 0);
}

/// Rounds the double's own bits: by way of a float would round twice.
std::uint16_t encode(Format16 format, double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint32_t>(bits >> 63) << 15;
  if (std::isnan(value)) {
    return static_cast<std::uint16_t>(sign | format.infinity() | (1u << (format.fraction_bits - 1)));
  }
  const int field = static_cast<int>(bits >> 52 & 0x7ff);
  const int exponent = std::max(field - 1023, format.min_exponent);
  if (field - 1023 > format.max_exponent) return static_cast<std::uint16_t>(sign | format.infinity());
  if (field == 0) return static_cast<std::uint16_t>(sign);  // 0, or a double below every subnormal of 16 bits
  const std::uint64_t significand = (bits & kDoubleFraction) | (kDoubleFraction + 1);
  const int shift = 52 - format.fraction_bits + (exponent - (field - 1023));
  // The implicit bit, where there is one, carries into the exponent; so does a round up to the next binade or infinity.
  const auto magnitude = (static_cast<std::uint64_t>(exponent - format.min_exponent) << format.fraction_bits) +
                         shift_right_to_even(significand, shift);
  return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(magnitude));
}

/// Bits as an integer that counts up with the value, -0 and +0 alike: sign-magnitude to two's complement.
template <class Bits>
std::int64_t ordered(Bits bits) {
  constexpr Bits kSign = static_cast<Bits>(Bits{1} << (sizeof(Bits) * 8 - 1));
  const auto magnitude = static_cast<std::int64_t>(bits & static_cast<Bits>(~kSign));
  return (bits & kSign) != 0 ? -magnitude : magnitude;
}

std::int64_t ordered_of(Dtype dtype, double value) {
  switch (dtype) {
    case Dtype::float64:
      return ordered(std::bit_cast<std::uint64_t>(value));
    case Dtype::float32:
      return ordered(std::bit_cast<std::uint32_t>(static_cast<float>(value)));
    default:
      return ordered(encode(dtype == Dtype::float16 ? kHalf : kBfloat, value));
  }
}

}  // namespace

double load_float(Dtype dtype, const void* at) {
  switch (dtype) {
    case Dtype::float64:
      return load_as<double>(at);
    case Dtype::float32:
      return static_cast<double>(load_as<float>(at));
    case Dtype::float16:
      return decode(kHalf, load_as<std::uint16_t>(at));
    case Dtype::bfloat16:
      return decode(kBfloat, load_as<std::uint16_t>(at));
    default:
      return static_cast<double>(load_int(dtype, at));
  }
}

void store_float(Dtype dtype, void* at, double value) {
  switch (dtype) {
    case Dtype::float64:
      return store_as(at, value);
    case Dtype::float32:
      return store_as(at, static_cast<float>(value));
    case Dtype::float16:
      return store_as(at, encode(kHalf, value));
    default:
      return store_as(at, encode(kBfloat, value));
  }
}

double round_to(Dtype dtype, double value) {
  std::uint64_t element = 0;
  store_float(dtype, &element, value);
  return load_float(dtype, &element);
}

std::int64_t load_int(Dtype dtype, const void* at) {
  switch (dtype) {
    case Dtype::int32:
      return load_as<std::int32_t>(at);
    case Dtype::uint8:
      return load_as<std::uint8_t>(at);
    default:
      return load_as<std::int64_t>(at);
  }
}

void store_int(Dtype dtype, void* at, std::int64_t value) {
  switch (dtype) {
    case Dtype::int32:
      return store_as(at, static_cast<std::int32_t>(value));
    case Dtype::uint8:
      return store_as(at, static_cast<std::uint8_t>(value));
    default:
      return store_as(at, value);
  }
}

std::uint64_t ulp_distance(Dtype dtype, double a, double b) {
  const std::int64_t low = std::min(ordered_of(dtype, a), ordered_of(dtype, b));
  const std::int64_t high = std::max(ordered_of(dtype, a), ordered_of(dtype, b));
  return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
}

}  // namespace nlldiff
