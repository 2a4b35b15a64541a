/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA's vector types: plain structs with CUDA's alignments. */
#pragma once

#define NLLDIFF_SIMT_VECTORS(T, U, align2, align4)             \
  struct T##1 {                                                \
    U x;                                                       \
  };                                                           \
  struct alignas(align2) T##2 {                                \
    U x, y;                                                    \
  };                                                           \
  struct T##3 {                                                \
    U x, y, z;                                                 \
  };                                                           \
  struct alignas(align4) T##4 {                                \
    U x, y, z, w;                                              \
  };                                                           \
  inline T##1 make_##T##1(U x) { return {x}; }                 \
  inline T##2 make_##T##2(U x, U y) { return {x, y}; }         \
  inline T##3 make_##T##3(U x, U y, U z) { return {x, y, z}; } \
  inline T##4 make_##T##4(U x, U y, U z, U w) { return {x, y, z, w}; }

NLLDIFF_SIMT_VECTORS(char, signed char, 2, 4)
NLLDIFF_SIMT_VECTORS(uchar, unsigned char, 2, 4)
NLLDIFF_SIMT_VECTORS(short, short, 4, 8)
NLLDIFF_SIMT_VECTORS(ushort, unsigned short, 4, 8)
NLLDIFF_SIMT_VECTORS(int, int, 8, 16)
NLLDIFF_SIMT_VECTORS(uint, unsigned int, 8, 16)
NLLDIFF_SIMT_VECTORS(long, long int, 16, 16)
NLLDIFF_SIMT_VECTORS(ulong, unsigned long int, 16, 16)
NLLDIFF_SIMT_VECTORS(longlong, long long int, 16, 16)
NLLDIFF_SIMT_VECTORS(ulonglong, unsigned long long int, 16, 16)
NLLDIFF_SIMT_VECTORS(float, float, 8, 16)
NLLDIFF_SIMT_VECTORS(double, double, 16, 16)
#undef NLLDIFF_SIMT_VECTORS

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return uint3{x, y, z}; }
};
