// SPDX-License-Identifier: Apache-2.0
// Every form of store that a compiler may make something of its own of. self_test() proves that each is seen.
#include "probe.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <iterator>

namespace {

struct Small {
  int a, b, c;
};
struct Large {
  unsigned char bytes[40];
};
struct __attribute__((packed)) Unaligned {
  unsigned char before;
  unsigned long long value;
};

template <class T>
__global__ void store_one(T* cells, T value) {
  *cells = value;
}
template <class T>
__global__ void store_volatile(volatile T* cells, T value) {
  *cells = value;
}
template <class T>
__global__ void copy_one(T* cells, const T* source) {
  *cells = *source;
}
__global__ void zero_loop(float* cells, int n) {
  for (int i = 0; i < n; ++i) cells[i] = 0.0f;
}
__global__ void zero_short_loop(unsigned char* cells) {
  for (int i = 0; i < 24; ++i) cells[i] = 0;
}
__global__ void copy_loop(float* __restrict__ cells, const float* __restrict__ source, int n) {
  for (int i = 0; i < n; ++i) cells[i] = source[i];
}
__global__ void copy_short_loop(unsigned char* __restrict__ cells, const unsigned char* __restrict__ source) {
  for (int i = 0; i < 24; ++i) cells[i] = source[i];
}
__global__ void standard_copy(double* cells, const double* source, int n) { std::copy(source, source + n, cells); }
__global__ void standard_fill(int* cells, int n) { std::fill(cells, cells + n, 3); }
template <int kBytes>
__global__ void set_constant(unsigned char* cells) {
  memset(cells, 1, kBytes);
}
__global__ void set_variable(unsigned char* cells, int n) { memset(cells, 1, static_cast<size_t>(n)); }
template <int kBytes>
__global__ void copy_constant(unsigned char* cells, const unsigned char* source) {
  memcpy(cells, source, kBytes);
}
__global__ void copy_variable(unsigned char* cells, const unsigned char* source, int n) {
  memcpy(cells, source, static_cast<size_t>(n));
}
template <int kBytes>
__global__ void move_constant(unsigned char* cells, const unsigned char* source) {
  memmove(cells, source, kBytes);
}
template <int kBytes>
__global__ void builtin_copy(unsigned char* cells, const unsigned char* source) {
  __builtin_memcpy(cells, source, kBytes);
}
template <class T>
__global__ void value_initialise(T* cells) {
  *cells = T{};
}
__global__ void neighbours(unsigned char* cells) {
  cells[0] = 1;
  cells[1] = 2;
  cells[2] = 3;
  cells[3] = 4;
}
__global__ void unaligned_store(Unaligned* cells) { cells->value = 5; }
__global__ void atomic_add(int* cells) { atomicAdd(cells, 1); }
__global__ void atomic_half(__half* cells) { atomicAdd(cells, __float2half(1.0f)); }
__global__ void builtin_atomic(unsigned long long* cells) { __atomic_fetch_add(cells, 1, __ATOMIC_RELAXED); }
__global__ void standard_atomic(std::atomic<int>* cells) { cells->store(4); }
__global__ void compare_and_swap(unsigned* cells) { atomicCAS(cells, *cells, 5u); }
__global__ void streaming_store(float4* cells) { __stcs(cells, make_float4(1, 2, 3, 4)); }
__global__ void by_pointer_to_member(Small* cells, int Small::*member) { cells->*member = 1; }

#define PROBE(name, begin, end, ...)                                                            \
  {                                                                                             \
    name, [](unsigned char* cells, [[maybe_unused]] const unsigned char* source) { __VA_ARGS__; }, begin, end \
  }
template <class T>
T* as(unsigned char* cells) {
  return reinterpret_cast<T*>(cells);
}
template <class T>
const T* as(const unsigned char* source) {
  return reinterpret_cast<const T*>(source);
}

const nlldiff_simt_probe kProbes[] = {
    PROBE("a store of 1 byte", 5, 6, store_one<<<1, 1>>>(cells + 5, static_cast<unsigned char>(1))),
    PROBE("a store of 2 bytes", 4, 6, store_one<<<1, 1>>>(as<short>(cells + 4), static_cast<short>(1))),
    PROBE("a store of 4 bytes", 4, 8, store_one<<<1, 1>>>(as<float>(cells + 4), 1.0f)),
    PROBE("a store of 8 bytes", 8, 16, store_one<<<1, 1>>>(as<double>(cells + 8), 1.0)),
    PROBE("a float2 store", 8, 16, store_one<<<1, 1>>>(as<float2>(cells + 8), make_float2(1, 2))),
    PROBE("a float4 store", 16, 32, store_one<<<1, 1>>>(as<float4>(cells + 16), make_float4(1, 2, 3, 4))),
    PROBE("a double2 store", 16, 32, store_one<<<1, 1>>>(as<double2>(cells + 16), make_double2(1, 2))),
    PROBE("a half store", 2, 4, store_one<<<1, 1>>>(as<__half>(cells + 2), __float2half(1.0f))),
    PROBE("a bfloat16 store", 2, 4, store_one<<<1, 1>>>(as<__nv_bfloat16>(cells + 2), __float2bfloat16(1.0f))),
    PROBE("a half2 store", 4, 8, store_one<<<1, 1>>>(as<__half2>(cells + 4), __float2half2_rn(1.0f))),
    PROBE("a volatile store of 4 bytes", 4, 8, store_volatile<<<1, 1>>>(as<int>(cells + 4), 1)),
    PROBE("a volatile store of 8 bytes", 8, 16, store_volatile<<<1, 1>>>(as<long long>(cells + 8), 1ll)),
    PROBE("an unaligned store of 8 bytes", 1, 9,
          unaligned_store<<<1, 1>>>(as<Unaligned>(cells))),
    PROBE("a struct copy of 12 bytes", 4, 16, copy_one<<<1, 1>>>(as<Small>(cells + 4), as<Small>(source))),
    PROBE("a struct copy of 40 bytes", 3, 43, copy_one<<<1, 1>>>(as<Large>(cells + 3), as<Large>(source))),
    PROBE("a value-initialised struct of 12 bytes", 4, 16, value_initialise<<<1, 1>>>(as<Small>(cells + 4))),
    PROBE("a value-initialised struct of 40 bytes", 3, 43, value_initialise<<<1, 1>>>(as<Large>(cells + 3))),
    PROBE("a loop of zero stores", 4, 124, zero_loop<<<1, 1>>>(as<float>(cells + 4), 30)),
    PROBE("a short loop of zero stores", 4, 28, zero_short_loop<<<1, 1>>>(cells + 4)),
    PROBE("a loop of copies", 4, 124, copy_loop<<<1, 1>>>(as<float>(cells + 4), as<float>(source), 30)),
    PROBE("a short loop of copies", 4, 28, copy_short_loop<<<1, 1>>>(cells + 4, source)),
    PROBE("std::copy", 8, 64, standard_copy<<<1, 1>>>(as<double>(cells + 8), as<double>(source), 7)),
    PROBE("std::fill", 8, 36, standard_fill<<<1, 1>>>(as<int>(cells + 8), 7)),
    PROBE("memset of 4 bytes", 1, 5, set_constant<4><<<1, 1>>>(cells + 1)),
    PROBE("memset of 16 bytes", 1, 17, set_constant<16><<<1, 1>>>(cells + 1)),
    PROBE("memset of 100 bytes", 1, 101, set_constant<100><<<1, 1>>>(cells + 1)),
    PROBE("memset of any size", 1, 78, set_variable<<<1, 1>>>(cells + 1, 77)),
    PROBE("memcpy of 8 bytes", 1, 9, copy_constant<8><<<1, 1>>>(cells + 1, source)),
    PROBE("memcpy of 24 bytes", 1, 25, copy_constant<24><<<1, 1>>>(cells + 1, source)),
    PROBE("memcpy of any size", 1, 78, copy_variable<<<1, 1>>>(cells + 1, source, 77)),
    PROBE("memmove of 24 bytes", 1, 25, move_constant<24><<<1, 1>>>(cells + 1, source)),
    PROBE("__builtin_memcpy of 24 bytes", 1, 25, builtin_copy<24><<<1, 1>>>(cells + 1, source)),
    PROBE("four neighbouring bytes", 4, 8, neighbours<<<1, 1>>>(cells + 4)),
    PROBE("a pointer to a member", 4, 8, by_pointer_to_member<<<1, 1>>>(as<Small>(cells), &Small::b)),
    PROBE("atomicAdd", 4, 8, atomic_add<<<1, 1>>>(as<int>(cells + 4))),
    PROBE("atomicAdd of half", 4, 6, atomic_half<<<1, 1>>>(as<__half>(cells + 4))),
    PROBE("atomicCAS", 4, 8, compare_and_swap<<<1, 1>>>(as<unsigned>(cells + 4))),
    PROBE("an __atomic builtin", 8, 16, builtin_atomic<<<1, 1>>>(as<unsigned long long>(cells + 8))),
    PROBE("std::atomic", 4, 8, standard_atomic<<<1, 1>>>(as<std::atomic<int>>(cells + 4))),
    PROBE("__stcs", 16, 32, streaming_store<<<1, 1>>>(as<float4>(cells + 16))),
    PROBE("cudaMemsetAsync", 3, 33, cudaMemsetAsync(cells + 3, 1, 30, nullptr)),
    PROBE("cudaMemcpyAsync", 3, 33, cudaMemcpyAsync(cells + 3, source, 30, cudaMemcpyDeviceToDevice, nullptr)),
    PROBE("a store of host code", 8, 12, *as<int>(cells + 8) = 1),
    PROBE("memset of host code", 8, 32, memset(cells + 8, 1, 24)),
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const nlldiff_simt_probe* nlldiff_simt_probes(size_t* count) {
  *count = std::size(kProbes);
  return kProbes;
}
