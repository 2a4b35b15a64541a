// SPDX-License-Identifier: Apache-2.0
// Element types, and exact conversions between them and double.
#pragma once

#include "core/names.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace nlldiff {

/// Codes equal those of nlldiff_dtype in include/nlldiff/kernel.h.
enum class Dtype { float64 = 0, float32 = 1, float16 = 2, bfloat16 = 3, int64 = 4, int32 = 5, uint8 = 6 };

template <>
inline constexpr auto kNames<Dtype> = std::to_array<Named<Dtype>>({
    {Dtype::float64, "float64", "IEEE binary64"},
    {Dtype::float32, "float32", "IEEE binary32"},
    {Dtype::float16, "float16", "IEEE binary16"},
    {Dtype::bfloat16, "bfloat16", "the upper half of a binary32"},
    {Dtype::int64, "int64", "signed 64-bit integer"},
    {Dtype::int32, "int32", "signed 32-bit integer"},
    {Dtype::uint8, "uint8", "unsigned 8-bit integer"},
});

[[nodiscard]] constexpr int bytes_of(Dtype dtype) {
  constexpr std::array<int, 7> kBytes{8, 4, 2, 2, 8, 4, 1};
  return kBytes[static_cast<std::size_t>(dtype)];
}
[[nodiscard]] constexpr bool is_floating(Dtype dtype) { return static_cast<int>(dtype) <= 3; }

/// Bits of the significand, the implicit one included: 53, 24, 11, 8. Unit roundoff is 2^-bits.
[[nodiscard]] constexpr int significand_bits(Dtype dtype) {
  constexpr std::array<int, 4> kBits{53, 24, 11, 8};
  return kBits[static_cast<std::size_t>(dtype)];
}

/// The value of the element at `at`, exactly; every floating type and every int32/uint8 fits a double.
[[nodiscard]] double load_float(Dtype dtype, const void* at);
/// Rounds once, to nearest, ties to even, overflow to infinity; NaN stays NaN. Floating dtypes only.
void store_float(Dtype dtype, void* at, double value);
/// `value` rounded to `dtype` and back: what the dtype can hold of it.
[[nodiscard]] double round_to(Dtype dtype, double value);

/// Integer dtypes only; exact for int64.
[[nodiscard]] std::int64_t load_int(Dtype dtype, const void* at);
void store_int(Dtype dtype, void* at, std::int64_t value);

/// How many representable values of `dtype` lie between a and b (0: the same value; +0 and -0 are the
/// same). Both are values of `dtype`. Inf is one step beyond the largest finite value. NaN: not allowed.
[[nodiscard]] std::uint64_t ulp_distance(Dtype dtype, double a, double b);

}  // namespace nlldiff
