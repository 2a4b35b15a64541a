/* SPDX-License-Identifier: Apache-2.0 */
/* The host API. The linker knows these functions under names of our own (nlldiff_simt_cuda...), so that they
 * never stand in for libcudart's in a process that has both. All work is done when a call returns. */
#pragma once

#include "driver_types.h"
#include "host_defines.h"
#include "vector_types.h"

#define CUDART_VERSION 13000
#define NLLDIFF_SIMT_API(name, parameters) cudaError_t name parameters __asm__("nlldiff_simt_" #name)

extern "C" {
NLLDIFF_SIMT_API(cudaMalloc, (void** at, size_t bytes));
NLLDIFF_SIMT_API(cudaMallocAsync, (void** at, size_t bytes, cudaStream_t stream));
NLLDIFF_SIMT_API(cudaMallocManaged, (void** at, size_t bytes, unsigned flags));
NLLDIFF_SIMT_API(cudaFree, (void* at));
NLLDIFF_SIMT_API(cudaFreeAsync, (void* at, cudaStream_t stream));
NLLDIFF_SIMT_API(cudaMallocHost, (void** at, size_t bytes));
NLLDIFF_SIMT_API(cudaFreeHost, (void* at));
NLLDIFF_SIMT_API(cudaMemset, (void* at, int value, size_t bytes));
NLLDIFF_SIMT_API(cudaMemsetAsync, (void* at, int value, size_t bytes, cudaStream_t stream));
NLLDIFF_SIMT_API(cudaMemcpy, (void* to, const void* from, size_t bytes, cudaMemcpyKind kind));
NLLDIFF_SIMT_API(cudaMemcpyAsync, (void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream));
NLLDIFF_SIMT_API(cudaMemGetInfo, (size_t * free_bytes, size_t* total_bytes));

NLLDIFF_SIMT_API(cudaStreamCreate, (cudaStream_t * stream));
NLLDIFF_SIMT_API(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags));
NLLDIFF_SIMT_API(cudaStreamCreateWithPriority, (cudaStream_t * stream, unsigned flags, int priority));
NLLDIFF_SIMT_API(cudaStreamDestroy, (cudaStream_t stream));
NLLDIFF_SIMT_API(cudaStreamSynchronize, (cudaStream_t stream));
NLLDIFF_SIMT_API(cudaStreamQuery, (cudaStream_t stream));
NLLDIFF_SIMT_API(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags));

NLLDIFF_SIMT_API(cudaEventCreate, (cudaEvent_t * event));
NLLDIFF_SIMT_API(cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned flags));
NLLDIFF_SIMT_API(cudaEventDestroy, (cudaEvent_t event));
NLLDIFF_SIMT_API(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream));
NLLDIFF_SIMT_API(cudaEventSynchronize, (cudaEvent_t event));
NLLDIFF_SIMT_API(cudaEventQuery, (cudaEvent_t event));
NLLDIFF_SIMT_API(cudaEventElapsedTime, (float* ms, cudaEvent_t start, cudaEvent_t end));

NLLDIFF_SIMT_API(cudaDeviceSynchronize, (void));
NLLDIFF_SIMT_API(cudaGetLastError, (void));
NLLDIFF_SIMT_API(cudaPeekAtLastError, (void));
NLLDIFF_SIMT_API(cudaGetDevice, (int* device));
NLLDIFF_SIMT_API(cudaSetDevice, (int device));
NLLDIFF_SIMT_API(cudaGetDeviceCount, (int* count));
NLLDIFF_SIMT_API(cudaDeviceGetAttribute, (int* value, cudaDeviceAttr attribute, int device));
NLLDIFF_SIMT_API(cudaGetDeviceProperties, (cudaDeviceProp * properties, int device));
const char* cudaGetErrorString(cudaError_t error) __asm__("nlldiff_simt_cudaGetErrorString");
const char* cudaGetErrorName(cudaError_t error) __asm__("nlldiff_simt_cudaGetErrorName");

/* What stands behind the templates of cuda_runtime.h. */
NLLDIFF_SIMT_API(nlldiff_simt_set_attribute, (cudaFuncAttribute attribute, int value));
NLLDIFF_SIMT_API(nlldiff_simt_occupancy, (int* blocks, int block_threads, size_t shared_bytes));
}
#undef NLLDIFF_SIMT_API
