/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA's __nv_bfloat16 on the host; see nlldiff_simt/float16.hpp. */
#pragma once

#include "cuda_runtime.h"
#include "nlldiff_simt/float16.hpp"

using __nv_bfloat16 = nlldiff_simt::Float16<nlldiff_simt::Bfloat16Format>;
using __nv_bfloat162 = nlldiff_simt::Pair16<__nv_bfloat16>;
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;
struct __nv_bfloat16_raw {
  unsigned short x;
};

NLLDIFF_SIMT_FLOAT16(__nv_bfloat16, __nv_bfloat162)

inline __nv_bfloat16 __float2bfloat16(float x) { return x; }
inline __nv_bfloat16 __float2bfloat16_rn(float x) { return x; }
inline float __bfloat162float(__nv_bfloat16 x) { return x; }
inline __nv_bfloat16 __double2bfloat16(double x) { return x; }
inline __nv_bfloat16 __int2bfloat16_rn(int x) { return x; }
inline __nv_bfloat16 __uint2bfloat16_rn(unsigned x) { return x; }
inline __nv_bfloat16 __ll2bfloat16_rn(long long x) { return x; }
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.__x; }
inline short __bfloat16_as_short(__nv_bfloat16 x) { return static_cast<short>(x.__x); }
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) { return __nv_bfloat16::of_bits(bits); }
inline __nv_bfloat16 __short_as_bfloat16(short bits) {
  return __nv_bfloat16::of_bits(static_cast<unsigned short>(bits));
}

inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) { return {x, x}; }
inline __nv_bfloat162 __float2bfloat162_rn(float x) { return {x, x}; }
inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return {x, y}; }
inline __nv_bfloat162 __float22bfloat162_rn(float2 a) { return {a.x, a.y}; }
inline float2 __bfloat1622float2(__nv_bfloat162 a) { return {a.x, a.y}; }
inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
inline float __low2float(__nv_bfloat162 a) { return a.x; }
inline float __high2float(__nv_bfloat162 a) { return a.y; }
#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80u)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFu)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000u)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80u)
