// SPDX-License-Identifier: Apache-2.0
// Those functions of the host API that take a symbol or a kernel of any type.
#pragma once

#include "../cuda_runtime_api.h"
#include "launch.hpp"

template <class T>
cudaError_t cudaMalloc(T** at, size_t bytes) {
  return cudaMalloc(reinterpret_cast<void**>(at), bytes);
}
template <class T>
cudaError_t cudaMallocAsync(T** at, size_t bytes, cudaStream_t stream) {
  return cudaMallocAsync(reinterpret_cast<void**>(at), bytes, stream);
}
template <class T>
cudaError_t cudaMallocManaged(T** at, size_t bytes, unsigned flags = cudaMemAttachGlobal) {
  return cudaMallocManaged(reinterpret_cast<void**>(at), bytes, flags);
}
template <class T>
cudaError_t cudaMallocHost(T** at, size_t bytes, unsigned = 0) {
  return cudaMallocHost(reinterpret_cast<void**>(at), bytes);
}
template <class T>
cudaError_t cudaHostAlloc(T** at, size_t bytes, unsigned) {
  return cudaMallocHost(reinterpret_cast<void**>(at), bytes);
}
inline cudaError_t cudaMemsetAsync(void* at, int value, size_t bytes) {
  return cudaMemsetAsync(at, value, bytes, nullptr);
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return cudaMemcpyAsync(to, from, bytes, kind, nullptr);
}
inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event) {
  return cudaStreamWaitEvent(stream, event, 0);
}
inline cudaError_t cudaEventRecord(cudaEvent_t event) { return cudaEventRecord(event, nullptr); }

namespace nlldiff_simt {
/// The bytes [offset, offset + bytes) of a `__device__` or `__constant__` variable; nullptr where it is smaller.
template <class T>
char* symbol_bytes(const T& symbol, size_t bytes, size_t offset) {
  if (offset > sizeof(T) || bytes > sizeof(T) - offset) return nullptr;
  return const_cast<char*>(reinterpret_cast<const volatile char*>(&symbol)) + offset;
}
}  // namespace nlldiff_simt

template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                    cudaStream_t stream = nullptr) {
  char* to = nlldiff_simt::symbol_bytes(symbol, bytes, offset);
  return to == nullptr ? cudaErrorInvalidValue : cudaMemcpyAsync(to, from, bytes, kind, stream);
}
template <class T>
cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind);
}
template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream = nullptr) {
  const char* from = nlldiff_simt::symbol_bytes(symbol, bytes, offset);
  return from == nullptr ? cudaErrorInvalidValue : cudaMemcpyAsync(to, from, bytes, kind, stream);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind);
}
template <class T>
cudaError_t cudaGetSymbolAddress(void** at, const T& symbol) {
  *at = nlldiff_simt::symbol_bytes(symbol, 0, 0);
  return cudaSuccess;
}

template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel, cudaFuncAttribute attribute, int value) {
  return nlldiff_simt_set_attribute(attribute, value);
}
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel, int block_threads, size_t shared_bytes) {
  return nlldiff_simt_occupancy(blocks, block_threads, shared_bytes);
}

namespace nlldiff_simt {
template <class... P, size_t... kIndex>
void call_with(void (*kernel)(P...), void** arguments, std::index_sequence<kIndex...>) {
  kernel(*static_cast<std::decay_t<P>*>(arguments[kIndex])...);
}
}  // namespace nlldiff_simt

/// The kernel by its own type; one that was cast to `const void*` has lost its parameters and does not compile.
template <class... P>
cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments, size_t shared_bytes = 0,
                             cudaStream_t stream = nullptr) {
  nlldiff_simt::prepare(
      "(cudaLaunchKernel)", [kernel](void** a) { nlldiff_simt::call_with(kernel, a, std::index_sequence_for<P...>{}); },
      grid, block, shared_bytes, stream)(arguments);
  return cudaPeekAtLastError();
}
cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, size_t = 0, cudaStream_t = nullptr) = delete;
