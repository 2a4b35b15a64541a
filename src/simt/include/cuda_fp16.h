/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA's __half on the host; see nlldiff_simt/float16.hpp. */
#pragma once

#include "cuda_runtime.h"
#include "nlldiff_simt/float16.hpp"

using __half = nlldiff_simt::Float16<nlldiff_simt::HalfFormat>;
using __half2 = nlldiff_simt::Pair16<__half>;
using half = __half;
using half2 = __half2;
struct __half_raw {
  unsigned short x;
};

NLLDIFF_SIMT_FLOAT16(__half, __half2)

inline __half __float2half(float x) { return x; }
inline __half __float2half_rn(float x) { return x; }
inline float __half2float(__half x) { return x; }
inline __half __double2half(double x) { return x; }
inline __half __int2half_rn(int x) { return x; }
inline __half __uint2half_rn(unsigned x) { return x; }
inline __half __ll2half_rn(long long x) { return x; }
inline int __half2int_rn(__half x) { return __float2int_rn(static_cast<double>(static_cast<float>(x))); }
inline int __half2int_rz(__half x) { return __float2int_rz(static_cast<double>(static_cast<float>(x))); }
inline unsigned short __half_as_ushort(__half x) { return x.__x; }
inline short __half_as_short(__half x) { return static_cast<short>(x.__x); }
inline __half __ushort_as_half(unsigned short bits) { return __half::of_bits(bits); }
inline __half __short_as_half(short bits) { return __half::of_bits(static_cast<unsigned short>(bits)); }

inline __half2 make_half2(__half x, __half y) { return {x, y}; }
inline __half2 __halves2half2(__half x, __half y) { return {x, y}; }
inline __half2 __half2half2(__half x) { return {x, x}; }
inline __half2 __float2half2_rn(float x) { return {x, x}; }
inline __half2 __floats2half2_rn(float x, float y) { return {x, y}; }
inline __half2 __float22half2_rn(float2 a) { return {a.x, a.y}; }
inline float2 __half22float2(__half2 a) { return {a.x, a.y}; }
inline __half __low2half(__half2 a) { return a.x; }
inline __half __high2half(__half2 a) { return a.y; }
inline float __low2float(__half2 a) { return a.x; }
inline float __high2float(__half2 a) { return a.y; }
#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00u)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFu)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000u)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00u)
