// SPDX-License-Identifier: Apache-2.0
// What simt_bench measures: the shape of an NLL backward, 3 accesses of the arena a thread, without and with a barrier.
#include <cuda_runtime.h>

#define EXPORT extern "C" __attribute__((visibility("default")))

__global__ void scatter(float* grad_input, const float* grad_output, const long long* target, int rows, int classes) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= rows) return;
  grad_input[static_cast<long long>(row) * classes + target[row]] = -grad_output[row];
}

__global__ void scatter_after_barrier(float* grad_input, const float* grad_output, const long long* target, int rows,
                                      int classes) {
  __shared__ float values[256];
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  values[threadIdx.x] = row < rows ? grad_output[row] : 0.0f;
  __syncthreads();
  if (row < rows) grad_input[static_cast<long long>(row) * classes + target[row]] = -values[threadIdx.x ^ 1];
}

EXPORT void run_scatter(float* grad_input, const float* grad_output, const long long* target, int rows, int classes) {
  scatter<<<(rows + 255) / 256, 256>>>(grad_input, grad_output, target, rows, classes);
}
EXPORT void run_scatter_after_barrier(float* grad_input, const float* grad_output, const long long* target, int rows,
                                      int classes) {
  scatter_after_barrier<<<(rows + 255) / 256, 256>>>(grad_input, grad_output, target, rows, classes);
}
