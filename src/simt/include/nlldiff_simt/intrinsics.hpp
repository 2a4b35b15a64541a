// SPDX-License-Identifier: Apache-2.0
// Device functions without state: bits, conversions, rounding, cached loads. Semantics: CUDA Math API.
// Only those rounding modes that the host computes exactly are there; the rest does not compile.
#pragma once

#include <math.h>
#include <stdlib.h>

#include "abi.h"
#include "bits.hpp"

// ---- memory ----
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}

#define NLLDIFF_SIMT_LOAD(name)                               \
  template <class T>                                          \
  inline __attribute__((always_inline)) T name(const T* at) { \
    return *at;                                               \
  }
NLLDIFF_SIMT_LOAD(__ldg)
NLLDIFF_SIMT_LOAD(__ldca)
NLLDIFF_SIMT_LOAD(__ldcg)
NLLDIFF_SIMT_LOAD(__ldcs)
NLLDIFF_SIMT_LOAD(__ldlu)
NLLDIFF_SIMT_LOAD(__ldcv)
#undef NLLDIFF_SIMT_LOAD

namespace nlldiff_simt {
template <class T>
struct Same {
  using type = T;
};
}  // namespace nlldiff_simt
#define NLLDIFF_SIMT_STORE(name)                                                                       \
  template <class T>                                                                                   \
  inline __attribute__((always_inline)) void name(T* at, typename nlldiff_simt::Same<T>::type value) { \
    *at = value;                                                                                       \
  }
NLLDIFF_SIMT_STORE(__stwb)
NLLDIFF_SIMT_STORE(__stcg)
NLLDIFF_SIMT_STORE(__stcs)
NLLDIFF_SIMT_STORE(__stwt)
#undef NLLDIFF_SIMT_STORE

// ---- time and faults ----
inline long long clock64() { return static_cast<long long>(nlldiff_simt_clock_ns()); }
inline void __nanosleep(unsigned) { nlldiff_simt_yield(); }
inline void __trap() { nlldiff_simt_trap("__trap() was called"); }
inline void __brkpt() { nlldiff_simt_trap("__brkpt() was called"); }

// ---- bits ----
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x)); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __brev(unsigned x) {
  x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
  x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
  x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
  return __builtin_bswap32(x);
}
inline unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 |
         __brev(static_cast<unsigned>(x >> 32));
}
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  const uint64_t bytes = static_cast<uint64_t>(b) << 32 | a;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i)
    result |= static_cast<unsigned>(bytes >> (8 * ((selector >> (4 * i)) & 7u)) & 0xffu) << (8 * i);
  return result;
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>(((static_cast<uint64_t>(high) << 32 | low) << (shift & 31u)) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<uint64_t>(high) << 32 | low) >> (shift & 31u));
}
inline int __mulhi(int a, int b) { return static_cast<int>((static_cast<int64_t>(a) * b) >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) { return static_cast<unsigned>((static_cast<uint64_t>(a) * b) >> 32); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>((static_cast<unsigned __int128>(a) * b) >> 64);
}
inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>((static_cast<__int128>(a) * b) >> 64);
}
inline int __mul24(int a, int b) {
  const auto low24 = [](int x) {
    return static_cast<int64_t>(static_cast<int32_t>(static_cast<uint32_t>(x) << 8) >> 8);
  };
  return static_cast<int>(static_cast<uint32_t>(low24(a) * low24(b)));
}
inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }

// ---- the same bits as another type ----
inline float __int_as_float(int x) { return nlldiff_simt::bit_cast<float>(x); }
inline int __float_as_int(float x) { return nlldiff_simt::bit_cast<int>(x); }
inline float __uint_as_float(unsigned x) { return nlldiff_simt::bit_cast<float>(x); }
inline unsigned __float_as_uint(float x) { return nlldiff_simt::bit_cast<unsigned>(x); }
inline double __longlong_as_double(long long x) { return nlldiff_simt::bit_cast<double>(x); }
inline long long __double_as_longlong(double x) { return nlldiff_simt::bit_cast<long long>(x); }
inline int __double2hiint(double x) { return static_cast<int>(nlldiff_simt::bits_of(x) >> 32); }
inline int __double2loint(double x) { return static_cast<int>(nlldiff_simt::bits_of(x)); }

// ---- arithmetic with one rounding, to nearest even ----
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fmaf_rn(float a, float b, float c) { return ::fmaf(a, b, c); }
inline float __frcp_rn(float a) { return 1.0f / a; }
inline float __fsqrt_rn(float a) { return ::sqrtf(a); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __fma_rn(double a, double b, double c) { return ::fma(a, b, c); }
inline double __drcp_rn(double a) { return 1.0 / a; }
inline double __dsqrt_rn(double a) { return ::sqrt(a); }

// ---- the fast forms, as exact as the host has them ----
inline float __fdividef(float a, float b) { return a / b; }
inline float fdividef(float a, float b) { return a / b; }
inline float __expf(float x) { return ::expf(x); }
inline float __logf(float x) { return ::logf(x); }
inline float __log2f(float x) { return ::log2f(x); }
inline float __powf(float x, float y) { return ::powf(x, y); }
inline float __sinf(float x) { return ::sinf(x); }
inline float __cosf(float x) { return ::cosf(x); }
inline float rsqrtf(float x) { return static_cast<float>(1.0 / ::sqrt(static_cast<double>(x))); }
inline double rsqrt(double x) { return 1.0 / ::sqrt(x); }
inline float __frsqrt_rn(float x) { return rsqrtf(x); }
/// NaN becomes 0, as on the device.
inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

// ---- conversions ----
namespace nlldiff_simt {
/// Float to integer as the device does it: out of range saturates, NaN gives `nan`.
template <class To, class From>
To to_integer(From rounded, To nan) {
  constexpr To kLowest = static_cast<To>(-1) < To{0} ? static_cast<To>(To{1} << (8 * sizeof(To) - 1)) : To{0};
  constexpr To kHighest = static_cast<To>(~kLowest);
  const From limit = ::ldexp(From{1}, static_cast<int>(8 * sizeof(To)) - (kLowest < To{0} ? 1 : 0));
  if (rounded != rounded) return nan;
  if (rounded >= limit) return kHighest;
  if (rounded < (kLowest < To{0} ? -limit : From{0})) return kLowest;
  return static_cast<To>(rounded);
}
}  // namespace nlldiff_simt
#define NLLDIFF_SIMT_TO_INTEGER(name, From, To, nan)                                                               \
  inline To name##_rn(From x) { return nlldiff_simt::to_integer<To, From>(::rint(static_cast<double>(x)), nan); }  \
  inline To name##_rz(From x) { return nlldiff_simt::to_integer<To, From>(::trunc(static_cast<double>(x)), nan); } \
  inline To name##_rd(From x) { return nlldiff_simt::to_integer<To, From>(::floor(static_cast<double>(x)), nan); } \
  inline To name##_ru(From x) { return nlldiff_simt::to_integer<To, From>(::ceil(static_cast<double>(x)), nan); }
NLLDIFF_SIMT_TO_INTEGER(__float2int, double, int, 0)
NLLDIFF_SIMT_TO_INTEGER(__float2uint, double, unsigned, 0u)
NLLDIFF_SIMT_TO_INTEGER(__float2ll, double, long long, (long long)(1ull << 63))
NLLDIFF_SIMT_TO_INTEGER(__float2ull, double, unsigned long long, 1ull << 63)
NLLDIFF_SIMT_TO_INTEGER(__double2int, double, int, (int)(1u << 31))
NLLDIFF_SIMT_TO_INTEGER(__double2uint, double, unsigned, 1u << 31)
NLLDIFF_SIMT_TO_INTEGER(__double2ll, double, long long, (long long)(1ull << 63))
NLLDIFF_SIMT_TO_INTEGER(__double2ull, double, unsigned long long, 1ull << 63)
#undef NLLDIFF_SIMT_TO_INTEGER
inline float __int2float_rn(int x) { return static_cast<float>(x); }
inline float __uint2float_rn(unsigned x) { return static_cast<float>(x); }
inline float __ll2float_rn(long long x) { return static_cast<float>(x); }
inline float __ull2float_rn(unsigned long long x) { return static_cast<float>(x); }
inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned x) { return x; }
inline double __ll2double_rn(long long x) { return static_cast<double>(x); }
inline double __ull2double_rn(unsigned long long x) { return static_cast<double>(x); }
inline float __double2float_rn(double x) { return static_cast<float>(x); }

// ---- min and max: the one of two numbers that is not NaN ----
#define NLLDIFF_SIMT_MIN_MAX(T)                       \
  constexpr T min(T a, T b) { return b < a ? b : a; } \
  constexpr T max(T a, T b) { return a < b ? b : a; }
NLLDIFF_SIMT_MIN_MAX(int)
NLLDIFF_SIMT_MIN_MAX(unsigned)
NLLDIFF_SIMT_MIN_MAX(long)
NLLDIFF_SIMT_MIN_MAX(unsigned long)
NLLDIFF_SIMT_MIN_MAX(long long)
NLLDIFF_SIMT_MIN_MAX(unsigned long long)
#undef NLLDIFF_SIMT_MIN_MAX
#define NLLDIFF_SIMT_MIXED(A, B, T)                                               \
  constexpr T min(A a, B b) { return min(static_cast<T>(a), static_cast<T>(b)); } \
  constexpr T max(A a, B b) { return max(static_cast<T>(a), static_cast<T>(b)); } \
  constexpr T min(B a, A b) { return min(static_cast<T>(a), static_cast<T>(b)); } \
  constexpr T max(B a, A b) { return max(static_cast<T>(a), static_cast<T>(b)); }
NLLDIFF_SIMT_MIXED(int, unsigned, unsigned)
NLLDIFF_SIMT_MIXED(long, unsigned long, unsigned long)
NLLDIFF_SIMT_MIXED(long long, unsigned long long, unsigned long long)
#undef NLLDIFF_SIMT_MIXED
inline float min(float a, float b) { return ::fminf(a, b); }
inline float max(float a, float b) { return ::fmaxf(a, b); }
inline double min(double a, double b) { return ::fmin(a, b); }
inline double max(double a, double b) { return ::fmax(a, b); }
inline double min(float a, double b) { return ::fmin(static_cast<double>(a), b); }
inline double min(double a, float b) { return ::fmin(a, static_cast<double>(b)); }
inline double max(float a, double b) { return ::fmax(static_cast<double>(a), b); }
inline double max(double a, float b) { return ::fmax(a, static_cast<double>(b)); }
inline unsigned umin(unsigned a, unsigned b) { return min(a, b); }
inline unsigned umax(unsigned a, unsigned b) { return max(a, b); }
inline long long llmin(long long a, long long b) { return min(a, b); }
inline long long llmax(long long a, long long b) { return max(a, b); }
