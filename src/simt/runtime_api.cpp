// SPDX-License-Identifier: Apache-2.0
// The host API of CUDA. Device memory is the session's arena; every call is done when it returns.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>

#include "simt/here.hpp"
#include "simt/include/cuda_runtime_api.h"
#include "simt/session.hpp"

struct CUstream_st {};
struct CUevent_st {
  std::chrono::steady_clock::time_point at;
  bool recorded = false;
};

namespace {

using nlldiff::simt::host_thread;
using nlldiff::simt::HostThread;
using nlldiff::simt::SessionCore;

struct ErrorName {
  cudaError_t error;
  const char* name;
  const char* text;
};
constexpr ErrorName kErrorNames[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInitializationError, "cudaErrorInitializationError", "initialization error"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {cudaErrorInvalidPitchValue, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    {cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {cudaErrorInvalidDevicePointer, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    {cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    {cudaErrorAssert, "cudaErrorAssert", "device-side assert triggered"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorNotPermitted, "cudaErrorNotPermitted", "operation not permitted"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

/// As CUDA does it: an error is returned and kept for cudaGetLastError.
cudaError_t remember(cudaError_t error) {
  if (error != cudaSuccess) host_thread().last_error = error;
  return error;
}

cudaError_t sticky_error() {
  const SessionCore* session = host_thread().session;
  return session == nullptr ? cudaSuccess : session->sticky_error;
}

bool in_arena(const SessionCore& session, const void* at, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(at), base = session.options.arena_base;
  return begin < base + session.options.arena_bytes && begin + bytes > base;
}

/// A memset or copy that writes to the arena is a launch of its own, and its bytes are stores.
void record(nlldiff::LaunchKind kind, const char* name, void* to, std::size_t bytes, const void* pc) {
  const SessionCore* session = host_thread().session;
  if (session == nullptr) return nlldiff::simt::report_foreign_store(reinterpret_cast<std::uintptr_t>(to), bytes);
  if (session->recorder == nullptr || !in_arena(*session, to, bytes)) return;
  nlldiff::simt::Recorder& recorder = *session->recorder;
  recorder.begin_launch({.kind = kind, .kernel = name});
  nlldiff::simt::t_hook.stamp = nlldiff::simt::make_stamp(recorder.begin_run(), 0, 0, 0);
  nlldiff::simt::t_position = {0, 0, name};
  recorder.store_range({reinterpret_cast<std::uintptr_t>(to), bytes, false, pc});
}

void end_record() {
  const SessionCore* session = host_thread().session;
  if (session != nullptr && session->recorder != nullptr) session->recorder->end_launch();
}

cudaError_t set_memory(const char* name, void* at, int value, std::size_t bytes, const void* pc) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  if (bytes == 0) return cudaSuccess;
  if (at == nullptr) return remember(cudaErrorInvalidValue);
  record(nlldiff::LaunchKind::memset, name, at, bytes, pc);
  std::memset(at, value, bytes);
  end_record();
  return cudaSuccess;
}

cudaError_t copy_memory(const char* name, void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                        const void* pc) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return remember(cudaErrorInvalidMemcpyDirection);
  if (bytes == 0) return cudaSuccess;
  if (to == nullptr || from == nullptr) return remember(cudaErrorInvalidValue);
  record(nlldiff::LaunchKind::memcpy, name, to, bytes, pc);
  std::memmove(to, from, bytes);
  end_record();
  return cudaSuccess;
}

cudaError_t allocate(void** at, std::size_t bytes) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  if (at == nullptr) return remember(cudaErrorInvalidValue);
  *at = nullptr;
  if (bytes == 0) return cudaSuccess;
  const SessionCore* session = host_thread().session;
  if (session == nullptr) return remember(cudaErrorNotSupported);
  if (session->options.allocate != nullptr) *at = session->options.allocate(session->options.allocate_context, bytes);
  return *at == nullptr ? remember(cudaErrorMemoryAllocation) : cudaSuccess;
}

// An H200, as its documentation has it (compute capability 9.0).
constexpr int kMultiprocessors = 132, kThreadsPerMultiprocessor = 2048, kBlocksPerMultiprocessor = 32;
constexpr int kRegisters = 65536, kL2Bytes = 62914560, kClockKhz = 1980000;
constexpr int kSharedPerMultiprocessor = 228 * 1024, kReservedShared = 1024, kConstantBytes = 65536;
constexpr std::size_t kMemoryBytes = std::size_t{141} << 30;
constexpr int kSharedOptIn = static_cast<int>(nlldiff::simt::kMaxSharedBytes);
constexpr int kSharedPerBlock = static_cast<int>(nlldiff::simt::kMaxStaticSharedBytes);

struct Attribute {
  cudaDeviceAttr name;
  int value;
};
constexpr Attribute kAttributes[] = {
    {cudaDevAttrMaxThreadsPerBlock, 1024},
    {cudaDevAttrMaxBlockDimX, 1024},
    {cudaDevAttrMaxBlockDimY, 1024},
    {cudaDevAttrMaxBlockDimZ, 64},
    {cudaDevAttrMaxGridDimX, 0x7fffffff},
    {cudaDevAttrMaxGridDimY, 65535},
    {cudaDevAttrMaxGridDimZ, 65535},
    {cudaDevAttrMaxSharedMemoryPerBlock, kSharedPerBlock},
    {cudaDevAttrTotalConstantMemory, kConstantBytes},
    {cudaDevAttrWarpSize, 32},
    {cudaDevAttrMaxRegistersPerBlock, kRegisters},
    {cudaDevAttrClockRate, kClockKhz},
    {cudaDevAttrMultiProcessorCount, kMultiprocessors},
    {cudaDevAttrL2CacheSize, kL2Bytes},
    {cudaDevAttrMaxThreadsPerMultiProcessor, kThreadsPerMultiprocessor},
    {cudaDevAttrComputeCapabilityMajor, 9},
    {cudaDevAttrComputeCapabilityMinor, 0},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor, kSharedPerMultiprocessor},
    {cudaDevAttrMaxRegistersPerMultiprocessor, kRegisters},
    {cudaDevAttrCooperativeLaunch, 0},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, kSharedOptIn},
    {cudaDevAttrMaxBlocksPerMultiprocessor, kBlocksPerMultiprocessor},
    {cudaDevAttrReservedSharedMemoryPerBlock, kReservedShared},
    {cudaDevAttrMemoryPoolsSupported, 1},
};

const ErrorName* find_error(cudaError_t error) {
  const auto* at = std::find_if(std::begin(kErrorNames), std::end(kErrorNames),
                                [error](const ErrorName& entry) { return entry.error == error; });
  return at == std::end(kErrorNames) ? nullptr : at;
}

template <class T>
cudaError_t create(T** handle) {
  if (handle == nullptr) return remember(cudaErrorInvalidValue);
  *handle = new T;
  return cudaSuccess;
}

}  // namespace

#define NLLDIFF_PC __builtin_return_address(0)
#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaMalloc(void** at, size_t bytes) { return allocate(at, bytes); }
cudaError_t cudaMallocAsync(void** at, size_t bytes, cudaStream_t) { return allocate(at, bytes); }
cudaError_t cudaMallocManaged(void** at, size_t bytes, unsigned) { return allocate(at, bytes); }
/// The arena is given back as a whole, and no address is used twice in a run.
cudaError_t cudaFree(void*) { return sticky_error(); }
cudaError_t cudaFreeAsync(void*, cudaStream_t) { return sticky_error(); }
cudaError_t cudaMallocHost(void** at, size_t bytes) {
  if (at == nullptr) return remember(cudaErrorInvalidValue);
  *at = std::malloc(bytes);
  return *at == nullptr ? remember(cudaErrorMemoryAllocation) : cudaSuccess;
}
cudaError_t cudaFreeHost(void* at) {
  std::free(at);
  return cudaSuccess;
}
cudaError_t cudaMemset(void* at, int value, size_t bytes) {
  return set_memory("cudaMemset", at, value, bytes, NLLDIFF_PC);
}
cudaError_t cudaMemsetAsync(void* at, int value, size_t bytes, cudaStream_t) {
  return set_memory("cudaMemsetAsync", at, value, bytes, NLLDIFF_PC);
}
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return copy_memory("cudaMemcpy", to, from, bytes, kind, NLLDIFF_PC);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t) {
  return copy_memory("cudaMemcpyAsync", to, from, bytes, kind, NLLDIFF_PC);
}
cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  if (free_bytes == nullptr || total_bytes == nullptr) return remember(cudaErrorInvalidValue);
  *free_bytes = *total_bytes = kMemoryBytes;
  return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) { return create(stream); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) { return create(stream); }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) { return create(stream); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) { return sticky_error(); }
cudaError_t cudaStreamQuery(cudaStream_t) { return sticky_error(); }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return sticky_error(); }

cudaError_t cudaEventCreate(cudaEvent_t* event) { return create(event); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) { return create(event); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  if (event == nullptr) return remember(cudaErrorInvalidResourceHandle);
  event->at = std::chrono::steady_clock::now();
  event->recorded = true;
  return sticky_error();
}
cudaError_t cudaEventSynchronize(cudaEvent_t) { return sticky_error(); }
cudaError_t cudaEventQuery(cudaEvent_t) { return sticky_error(); }
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  if (ms == nullptr || start == nullptr || end == nullptr || !start->recorded || !end->recorded)
    return remember(cudaErrorInvalidResourceHandle);
  *ms = std::chrono::duration<float, std::milli>(end->at - start->at).count();
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() { return sticky_error(); }
cudaError_t cudaGetLastError() {
  HostThread& thread = host_thread();
  const cudaError_t error = thread.last_error;
  thread.last_error = sticky_error();
  return error;
}
cudaError_t cudaPeekAtLastError() { return host_thread().last_error; }
cudaError_t cudaGetDevice(int* device) {
  if (device == nullptr) return remember(cudaErrorInvalidValue);
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) { return device == 0 ? cudaSuccess : remember(cudaErrorInvalidDevice); }
cudaError_t cudaGetDeviceCount(int* count) {
  if (count == nullptr) return remember(cudaErrorInvalidValue);
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (value == nullptr) return remember(cudaErrorInvalidValue);
  if (device != 0) return remember(cudaErrorInvalidDevice);
  for (const Attribute& known : kAttributes) {
    if (known.name != attribute) continue;
    *value = known.value;
    return cudaSuccess;
  }
  return remember(cudaErrorInvalidValue);
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (properties == nullptr) return remember(cudaErrorInvalidValue);
  if (device != 0) return remember(cudaErrorInvalidDevice);
  *properties = {.name = "nlldiff simt (as an H200)",
                 .totalGlobalMem = kMemoryBytes,
                 .sharedMemPerBlock = nlldiff::simt::kMaxStaticSharedBytes,
                 .regsPerBlock = kRegisters,
                 .warpSize = 32,
                 .maxThreadsPerBlock = 1024,
                 .maxThreadsDim = {1024, 1024, 64},
                 .maxGridSize = {0x7fffffff, 65535, 65535},
                 .totalConstMem = kConstantBytes,
                 .major = 9,
                 .minor = 0,
                 .multiProcessorCount = kMultiprocessors,
                 .l2CacheSize = kL2Bytes,
                 .maxThreadsPerMultiProcessor = kThreadsPerMultiprocessor,
                 .sharedMemPerMultiprocessor = kSharedPerMultiprocessor,
                 .regsPerMultiprocessor = kRegisters,
                 .sharedMemPerBlockOptin = nlldiff::simt::kMaxSharedBytes,
                 .maxBlocksPerMultiProcessor = kBlocksPerMultiprocessor};
  return cudaSuccess;
}
const char* cudaGetErrorString(cudaError_t error) {
  const ErrorName* known = find_error(error);
  return known == nullptr ? "unrecognized error code" : known->text;
}
const char* cudaGetErrorName(cudaError_t error) {
  const ErrorName* known = find_error(error);
  return known == nullptr ? "unrecognized error code" : known->name;
}

cudaError_t nlldiff_simt_set_attribute(cudaFuncAttribute attribute, int value) {
  const bool too_much = attribute == cudaFuncAttributeMaxDynamicSharedMemorySize && value > kSharedOptIn;
  return too_much || value < -1 ? remember(cudaErrorInvalidValue) : cudaSuccess;
}
cudaError_t nlldiff_simt_occupancy(int* blocks, int block_threads, size_t shared_bytes) {
  if (blocks == nullptr || block_threads <= 0 || block_threads > 1024) return remember(cudaErrorInvalidValue);
  const int warps = (block_threads + 31) / 32;
  const std::size_t by_shared = static_cast<std::size_t>(kSharedPerMultiprocessor) / (shared_bytes + kReservedShared);
  *blocks = std::min({kThreadsPerMultiprocessor / (32 * warps), kBlocksPerMultiprocessor, static_cast<int>(by_shared)});
  return cudaSuccess;
}

}  // extern "C"
#pragma GCC visibility pop
