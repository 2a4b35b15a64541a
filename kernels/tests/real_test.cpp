// SPDX-License-Identifier: Apache-2.0
// The kernels' own conversions of half types against src/model's, which are written apart from them.
#define __host__
#define __device__
#include "common/real.cuh"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>

#include "model/dtype.hpp"
#include "model/inputs.hpp"

namespace {

using nlldiff::Dtype;

template <class T>
void expect_same_value_for_all_bits(Dtype dtype) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const auto word = static_cast<std::uint16_t>(bits);
    const double wanted = nlldiff::load_float(dtype, &word);
    const double got = nll::to_double(T{word});
    ASSERT_TRUE(std::isnan(wanted) ? std::isnan(got) : got == wanted) << bits;
    ASSERT_EQ(std::signbit(got), std::signbit(wanted)) << bits;
    if (std::isnan(wanted)) continue;
    ASSERT_EQ(nll::round_to<T>(got).bits, bits);
  }
}

TEST(Real, ReadsEveryHalfValue) {
  expect_same_value_for_all_bits<nll::Half>(Dtype::float16);
  expect_same_value_for_all_bits<nll::BFloat16>(Dtype::bfloat16);
}

template <class T>
void expect_same_rounding(Dtype dtype, double value) {
  std::uint16_t wanted = 0;
  nlldiff::store_float(dtype, &wanted, value);
  const std::uint16_t got = nll::round_to<T>(value).bits;
  if (std::isnan(value)) {
    EXPECT_TRUE(std::isnan(nll::to_double(T{got})));
  } else {
    ASSERT_EQ(got, wanted) << value;
  }
}

/// The midpoint above each half value, and its neighbours among the doubles: ties, and what barely is none.
template <class T>
void expect_ties_to_even(Dtype dtype) {
  for (std::uint32_t bits = 0; bits < 65535; ++bits) {
    const double low = nll::to_double(T{static_cast<std::uint16_t>(bits)});
    const double high = nll::to_double(T{static_cast<std::uint16_t>(bits + 1)});
    if (!std::isfinite(low) || !std::isfinite(high)) continue;
    const double middle = low / 2 + high / 2;
    for (const double value : {middle, std::nextafter(middle, low), std::nextafter(middle, high)})
      expect_same_rounding<T>(dtype, value);
  }
}

TEST(Real, RoundsTiesToEvenAndTheirNeighboursAwayFromThem) {
  expect_ties_to_even<nll::Half>(Dtype::float16);
  expect_ties_to_even<nll::BFloat16>(Dtype::bfloat16);
}

TEST(Real, RoundsAnyDouble) {
  for (std::uint64_t i = 0; i < 200000; ++i) {
    const std::uint64_t bits = nlldiff::hash_index(7, 7, i);
    double value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    int exponent = 0;
    const double fraction = std::frexp(value, &exponent);
    // All exponents once; then those near the range of float16, where a random exponent seldom falls.
    for (const double candidate : {value, std::ldexp(fraction, static_cast<int>(i % 48) - 28)}) {
      expect_same_rounding<nll::Half>(Dtype::float16, candidate);
      expect_same_rounding<nll::BFloat16>(Dtype::bfloat16, candidate);
    }
  }
}

}  // namespace
