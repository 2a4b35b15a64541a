// SPDX-License-Identifier: Apache-2.0
// Barriers, votes and shuffles. Semantics: CUDA C++ Programming Guide, "Synchronization Functions" and
// "Warp Vote / Match / Reduce / Shuffle Functions".
#pragma once

#include "../device_launch_parameters.h"
#include "abi.h"
#include "bits.hpp"

inline void __syncthreads() { nlldiff_simt_barrier(0, NLLDIFF_SIMT_COUNT); }
inline int __syncthreads_count(int predicate) {
  return static_cast<int>(nlldiff_simt_barrier(predicate, NLLDIFF_SIMT_COUNT));
}
inline int __syncthreads_and(int predicate) {
  return static_cast<int>(nlldiff_simt_barrier(predicate, NLLDIFF_SIMT_AND));
}
inline int __syncthreads_or(int predicate) {
  return static_cast<int>(nlldiff_simt_barrier(predicate, NLLDIFF_SIMT_OR));
}
inline void __syncwarp(unsigned mask = 0xffffffffu) { nlldiff_simt_warp(NLLDIFF_SIMT_SYNC, mask, 0, 0); }
inline unsigned __activemask() { return nlldiff_simt_active_mask(); }

inline unsigned __ballot_sync(unsigned mask, int predicate) {
  return static_cast<unsigned>(nlldiff_simt_warp(NLLDIFF_SIMT_BALLOT, mask, predicate != 0, 0));
}
inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, !predicate) == 0; }

namespace nlldiff_simt {

inline unsigned lane_id() { return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32u; }

/// Reads `value` of the lane `source`; a source outside of this lane's segment means the lane itself.
template <class T>
T shuffle(unsigned mask, T value, int source, bool inside) {
  const unsigned lane = inside ? static_cast<unsigned>(source) : lane_id();
  return from_bits<T>(nlldiff_simt_warp(NLLDIFF_SIMT_SHUFFLE, mask, bits_of(value), lane));
}

template <class T>
unsigned match_any(unsigned mask, T value) {
  return static_cast<unsigned>(nlldiff_simt_warp(NLLDIFF_SIMT_MATCH, mask, bits_of(value), 0));
}

inline unsigned reduce(unsigned op, unsigned mask, unsigned value) {
  return static_cast<unsigned>(nlldiff_simt_warp(op, mask, value, 0));
}

}  // namespace nlldiff_simt

template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  const int first = static_cast<int>(nlldiff_simt::lane_id()) & ~(width - 1);
  return nlldiff_simt::shuffle(mask, value, first + (source & (width - 1)), true);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const int lane = static_cast<int>(nlldiff_simt::lane_id()), source = lane - static_cast<int>(delta);
  return nlldiff_simt::shuffle(mask, value, source, source >= (lane & ~(width - 1)));
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const int lane = static_cast<int>(nlldiff_simt::lane_id()), source = lane + static_cast<int>(delta);
  return nlldiff_simt::shuffle(mask, value, source, source < (lane & ~(width - 1)) + width);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32) {
  const int lane = static_cast<int>(nlldiff_simt::lane_id()), source = lane ^ lane_mask;
  return nlldiff_simt::shuffle(mask, value, source, source < (lane & ~(width - 1)) + width);
}

template <class T>
unsigned __match_any_sync(unsigned mask, T value) {
  return nlldiff_simt::match_any(mask, value);
}
template <class T>
unsigned __match_all_sync(unsigned mask, T value, int* all) {
  const unsigned same = nlldiff_simt::match_any(mask, value);
  *all = __ballot_sync(mask, 1) == same;
  return *all ? same : 0u;
}

inline unsigned __reduce_add_sync(unsigned mask, unsigned value) {
  return nlldiff_simt::reduce(NLLDIFF_SIMT_ADD, mask, value);
}
inline unsigned __reduce_min_sync(unsigned mask, unsigned value) {
  return nlldiff_simt::reduce(NLLDIFF_SIMT_MIN_U, mask, value);
}
inline unsigned __reduce_max_sync(unsigned mask, unsigned value) {
  return nlldiff_simt::reduce(NLLDIFF_SIMT_MAX_U, mask, value);
}
inline int __reduce_add_sync(unsigned mask, int value) {
  return static_cast<int>(nlldiff_simt::reduce(NLLDIFF_SIMT_ADD, mask, static_cast<unsigned>(value)));
}
inline int __reduce_min_sync(unsigned mask, int value) {
  return static_cast<int>(nlldiff_simt::reduce(NLLDIFF_SIMT_MIN_S, mask, static_cast<unsigned>(value)));
}
inline int __reduce_max_sync(unsigned mask, int value) {
  return static_cast<int>(nlldiff_simt::reduce(NLLDIFF_SIMT_MAX_S, mask, static_cast<unsigned>(value)));
}
inline unsigned __reduce_and_sync(unsigned mask, unsigned value) {
  return nlldiff_simt::reduce(NLLDIFF_SIMT_BIT_AND, mask, value);
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned value) {
  return nlldiff_simt::reduce(NLLDIFF_SIMT_BIT_OR, mask, value);
}
inline unsigned __reduce_xor_sync(unsigned mask, unsigned value) {
  return nlldiff_simt::reduce(NLLDIFF_SIMT_BIT_XOR, mask, value);
}
