// SPDX-License-Identifier: Apache-2.0
// CUDA's atomic functions. Threads never run at the same time on the host, so that a load and a store make an
// atomic; the store is seen as an atomic one. A compare-and-swap that fails stores nothing.
// Semantics: CUDA C++ Programming Guide, "Atomic Functions".
#pragma once

#include "abi.h"
#include "bits.hpp"

namespace nlldiff_simt {

template <class T>
T atomic_load(const T* at) {
  return from_bits<T>(nlldiff_simt_peek(at, sizeof(T)));
}
template <class T>
void atomic_store(T* at, T value) {
  nlldiff_simt_poke(at, sizeof(T), bits_of(value));
}
template <class T, class Update>
inline __attribute__((always_inline)) T atomic_update(T* at, Update update) {
  const T old = atomic_load(at);
  atomic_store(at, static_cast<T>(update(old)));
  return old;
}
template <class T>
inline __attribute__((always_inline)) T atomic_compare_and_swap(T* at, T expected, T desired) {
  const T old = atomic_load(at);
  if (bits_of(old) == bits_of(expected)) atomic_store(at, desired);
  return old;
}

}  // namespace nlldiff_simt

// One line a function and type; each also under its _block and _system names.
#define NLLDIFF_SIMT_ATOMIC_AS(name, T, expression)                                \
  inline __attribute__((always_inline)) T name(T* at, T value) {                   \
    return nlldiff_simt::atomic_update(at, [value](T old) { return expression; }); \
  }
#define NLLDIFF_SIMT_ATOMIC(name, T, expression)      \
  NLLDIFF_SIMT_ATOMIC_AS(name, T, expression)         \
  NLLDIFF_SIMT_ATOMIC_AS(name##_block, T, expression) \
  NLLDIFF_SIMT_ATOMIC_AS(name##_system, T, expression)

using nlldiff_simt_ull = unsigned long long;
using nlldiff_simt_ll = long long;

NLLDIFF_SIMT_ATOMIC(atomicAdd, int, static_cast<int>(static_cast<unsigned>(old) + static_cast<unsigned>(value)))
NLLDIFF_SIMT_ATOMIC(atomicAdd, unsigned, old + value)
NLLDIFF_SIMT_ATOMIC(atomicAdd, nlldiff_simt_ull, old + value)
NLLDIFF_SIMT_ATOMIC(atomicAdd, float, old + value)
NLLDIFF_SIMT_ATOMIC(atomicAdd, double, old + value)
NLLDIFF_SIMT_ATOMIC(atomicSub, int, static_cast<int>(static_cast<unsigned>(old) - static_cast<unsigned>(value)))
NLLDIFF_SIMT_ATOMIC(atomicSub, unsigned, old - value)

#define NLLDIFF_SIMT_ATOMIC_INTEGER(T)                         \
  NLLDIFF_SIMT_ATOMIC(atomicMin, T, value < old ? value : old) \
  NLLDIFF_SIMT_ATOMIC(atomicMax, T, value > old ? value : old) \
  NLLDIFF_SIMT_ATOMIC(atomicAnd, T, old& value)                \
  NLLDIFF_SIMT_ATOMIC(atomicOr, T, old | value)                \
  NLLDIFF_SIMT_ATOMIC(atomicXor, T, old ^ value)
NLLDIFF_SIMT_ATOMIC_INTEGER(int)
NLLDIFF_SIMT_ATOMIC_INTEGER(unsigned)
NLLDIFF_SIMT_ATOMIC_INTEGER(nlldiff_simt_ull)
NLLDIFF_SIMT_ATOMIC_INTEGER(nlldiff_simt_ll)

NLLDIFF_SIMT_ATOMIC(atomicExch, int, (static_cast<void>(old), value))
NLLDIFF_SIMT_ATOMIC(atomicExch, unsigned, (static_cast<void>(old), value))
NLLDIFF_SIMT_ATOMIC(atomicExch, nlldiff_simt_ull, (static_cast<void>(old), value))
NLLDIFF_SIMT_ATOMIC(atomicExch, float, (static_cast<void>(old), value))

NLLDIFF_SIMT_ATOMIC(atomicInc, unsigned, old >= value ? 0u : old + 1u)
NLLDIFF_SIMT_ATOMIC(atomicDec, unsigned, old == 0u || old > value ? value : old - 1u)

#define NLLDIFF_SIMT_CAS_AS(name, T)                                           \
  inline __attribute__((always_inline)) T name(T* at, T expected, T desired) { \
    return nlldiff_simt::atomic_compare_and_swap(at, expected, desired);       \
  }
#define NLLDIFF_SIMT_CAS(T)               \
  NLLDIFF_SIMT_CAS_AS(atomicCAS, T)       \
  NLLDIFF_SIMT_CAS_AS(atomicCAS_block, T) \
  NLLDIFF_SIMT_CAS_AS(atomicCAS_system, T)
NLLDIFF_SIMT_CAS(int)
NLLDIFF_SIMT_CAS(unsigned)
NLLDIFF_SIMT_CAS(nlldiff_simt_ull)
NLLDIFF_SIMT_CAS_AS(atomicCAS, unsigned short)

#undef NLLDIFF_SIMT_ATOMIC_AS
#undef NLLDIFF_SIMT_ATOMIC
#undef NLLDIFF_SIMT_ATOMIC_INTEGER
#undef NLLDIFF_SIMT_CAS_AS
#undef NLLDIFF_SIMT_CAS
