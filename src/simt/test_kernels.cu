// SPDX-License-Identifier: Apache-2.0
// Kernels for the tests of src/simt: each entry point launches one thing on the arena that it is given.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <stdexcept>
#include <utility>

#define EXPORT extern "C" __attribute__((visibility("default")))

__global__ void iota(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i;
}
EXPORT cudaError_t run_iota(int* out, int n, int block) {
  iota<<<(n + block - 1) / block, block>>>(out, n);
  return cudaGetLastError();
}
EXPORT cudaError_t run_empty_grid(int* out) {
  iota<<<0, 32>>>(out, 1);
  return cudaGetLastError();
}
EXPORT cudaError_t run_grid(int* out, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                            size_t shared_bytes) {
  iota<<<dim3(gx, gy, gz), dim3(bx, by, bz), shared_bytes>>>(out, 1);
  return cudaGetLastError();
}

// ---- launch forms ----
template <class T, int kAdd>
__global__ void add_to(T* out, T value) {
  *out += value + kAdd;
}
namespace outer {
template <class T>
struct Holder {
  static __global__ void store(T* out, T value) { *out = value; }
};
namespace inner {
__global__ void store_twice(int* out, int a, int b) {
  out[0] = a;
  out[1] = b;
}
}  // namespace inner
}  // namespace outer
template <class F>
__global__ void apply(int* out, F f) {
  out[threadIdx.x] = f(threadIdx.x);
}
__global__ void where(int* out) {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] = static_cast<int>(block * 1000 + thread);
}
#define LAUNCH_MACRO(kernel, grid, block, ...) kernel<<<grid, block>>>(__VA_ARGS__)
template <class T>
void launch_dependent(T* out) {
  outer::Holder<T>::store<<<1, 1>>>(out, T{41});
  if constexpr (sizeof(T) == 4) add_to<T, 1><<<1, 1>>>(out, T{0});
  else add_to<T, 2><<<1, 1>>>(out, T{0});
}
template <class... A>
void launch_pack(A... a) {
  outer::inner::store_twice<<<1, 1>>>(a...);
}

EXPORT void launch_plain(int* out) { iota<<<1, 4>>>(out, 4); }
EXPORT void launch_template(int* out) { add_to<int, 5><<<1, 1>>>(out, 2); }
EXPORT void launch_deduced(int* out) {
  apply<<<dim3(1), dim3(4), 0, 0>>>(out, [=] __device__(int i) { return i * 3; });
}
EXPORT void launch_shift_in_parentheses(int* out) { iota<<<(8 >> 2), (16 >> 3), (1 >> 1)>>>(out, 4); }
EXPORT void launch_nested_templates(int* out) {
  add_to<int, std::integral_constant<int, (9 > 8)>::value><<<std::integral_constant<int, 1>::value, 1>>>(out, 6);
}
EXPORT void launch_macro(int* out) { LAUNCH_MACRO(iota, 2, 2, out, 4); }
EXPORT void launch_qualified(int* out) { ::outer::inner::store_twice<<<1, 1>>>(out, 7, 8); }
EXPORT void launch_in_template(int* out) { launch_dependent<int>(out); }
EXPORT void launch_argument_pack(int* out) { launch_pack(out, 3, 4); }
EXPORT void launch_pointer(int* out) {
  void (*kernel)(int*, int) = iota;
  kernel<<<1, 3>>>(out, 3);
  (*kernel)<<<1, 4>>>(out, 4);
}
EXPORT void launch_table(int* out) {
  void (*kernels[2])(int*, int) = {nullptr, iota};
  const int which = 1;
  kernels[which]<<<1, 4>>>(out, 4);
}
EXPORT void launch_in_statements(int* out) {
  for (int i = 0; i < 2; ++i) iota<<<1, 1>>>(out, 1);
  if (out == nullptr) iota<<<1, 1>>>(out, 1);
  else if (out[0] == 0) (iota)<<<1, 2>>>(out, 2);
  do iota<<<1, 3>>>(out, 3);
  while (false);
  switch (3) {
    case 3: iota<<<1, 4>>>(out, 4);
  }
}
EXPORT void launch_over_lines(int* out) {
  add_to<int,
         3>  // a comment with <<< and "quotes
      <<<
          1,
          1  /* >>> */
      >>>
      (out,
       4);
}
EXPORT void launch_evaluates_once(int* out) {
  int grid = 0, block = 1, value = 10;
  iota<<<++grid, ++block>>>(out, value += 1);
  out[2] = grid * 100 + block * 10 + (value - 10);
}
EXPORT void launch_braced_grid(int* out) { where<<<{2, 2}, {2, 2, 2}>>>(out); }
EXPORT void launch_three_dimensions(int* out) { where<<<dim3(2, 3, 2), dim3(4, 2, 2)>>>(out); }
EXPORT void launch_by_function(int* out) {
  int n = 4;
  void* arguments[] = {&out, &n};
  cudaLaunchKernel(iota, dim3(1), dim3(4), arguments);
}
EXPORT void launch_name_with_string(int* out) {
  static const char* const kText = R"raw(iota<<<1, 1>>>(nothing); __shared__ int x;)raw";
  if (kText[0] == 'i' && '<' != '"') iota<<<1, sizeof("<<<") - 0>>>(out, 4);
}

// ---- globals ----
__device__ int device_counter = 3;
__constant__ int constant_table[4];
static __device__ float static_device[2] = {1.5f, 2.5f};
__global__ void read_globals(int* out) {
  out[0] = device_counter;
  out[1] = constant_table[2];
  out[2] = static_cast<int>(static_device[1] * 2);
  device_counter += 1;
}
EXPORT cudaError_t run_globals(int* out) {
  const int table[4] = {10, 20, 30, 40};
  const int three = 3;
  cudaMemcpyToSymbol(device_counter, &three, sizeof three);
  const cudaError_t error = cudaMemcpyToSymbol(constant_table, table, sizeof table);
  read_globals<<<1, 1>>>(out);
  cudaMemcpyFromSymbol(&out[3], device_counter, sizeof(int));
  return error;
}

// ---- shared memory ----
extern __shared__ int file_scope_dynamic[];
__global__ void shared_at_file_scope(int* out) {
  file_scope_dynamic[threadIdx.x] = static_cast<int>(threadIdx.x) * 2;
  __syncthreads();
  out[threadIdx.x] = file_scope_dynamic[blockDim.x - 1 - threadIdx.x];
}
EXPORT void run_shared_at_file_scope(int* out, int n) {
  shared_at_file_scope<<<1, n, n * sizeof(int)>>>(out);
}
template <class T, int kWidth>
__global__ void shared_in_template(T* out) {
  __shared__ T tile[kWidth][kWidth + 1], *unused;
  static __shared__ alignas(16) unsigned char bytes[3];
  __shared__ __align__(32) int aligned, plain;
  extern __shared__ __align__(16) unsigned char raw[];
  T* dynamic = reinterpret_cast<T*>(raw);
  if (threadIdx.x == 0) {
    unused = nullptr;
    bytes[2] = 7;
    aligned = 1;
    plain = 2;
  }
  tile[threadIdx.x % kWidth][threadIdx.x / kWidth] = static_cast<T>(threadIdx.x);
  dynamic[threadIdx.x] = static_cast<T>(threadIdx.x * 10);
  __syncthreads();
  const bool is_aligned = reinterpret_cast<uintptr_t>(&aligned) % 32 == 0 &&
                          reinterpret_cast<uintptr_t>(bytes) % 16 == 0 && reinterpret_cast<uintptr_t>(raw) % 16 == 0;
  out[threadIdx.x] = tile[threadIdx.x / kWidth][threadIdx.x % kWidth] + dynamic[blockDim.x - 1 - threadIdx.x] +
                     static_cast<T>((bytes[2] + aligned + plain) * (is_aligned ? 1000 : 0)) +
                     static_cast<T>(sizeof(tile) / sizeof(T)) * 100000 + (unused == nullptr ? T{0} : T{1});
}
EXPORT void run_shared_in_template(int* out) { shared_in_template<int, 4><<<2, 16, 16 * sizeof(int)>>>(out); }

__device__ int shared_in_device_function(int value) {
  __shared__ struct {
    int sum;
    int values[32];
  } block;
  block.values[threadIdx.x] = value;
  __syncthreads();
  if (threadIdx.x == 0) {
    block.sum = 0;
    for (unsigned i = 0; i < blockDim.x; ++i) block.sum += block.values[i];
  }
  __syncthreads();
  return block.sum;
}
__global__ void sum_block(int* out) { out[threadIdx.x] = shared_in_device_function(static_cast<int>(threadIdx.x)); }
EXPORT void run_sum_block(int* out, int n) { sum_block<<<1, n>>>(out); }

__global__ void read_unwritten_shared(int* out) {
  __shared__ float never[2];
  __shared__ volatile int as_integer;
  extern __shared__ int dynamic[];
  out[0] = never[1] != never[1];
  out[1] = as_integer;
  out[2] = dynamic[3];
  dynamic[3] = 5;
  as_integer = 6;
}
EXPORT void run_read_unwritten_shared(int* out) { read_unwritten_shared<<<3, 1, 16>>>(out); }

__global__ void too_much_static_shared(int* out) {
  __shared__ int big[12289];
  big[0] = 1;
  out[0] = big[0];
}
EXPORT cudaError_t run_too_much_static_shared(int* out) {
  too_much_static_shared<<<1, 1>>>(out);
  return cudaGetLastError();
}

// ---- barriers ----
__global__ void early_exit(int* out, int n) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (static_cast<int>(threadIdx.x) >= n) return;
  atomicAdd(&count, 1);
  __syncthreads();
  out[threadIdx.x] = count;
}
EXPORT void run_early_exit(int* out, int n, int block) { early_exit<<<2, block>>>(out, n); }

__global__ void votes(int* out) {
  const int i = static_cast<int>(threadIdx.x);
  const int count = __syncthreads_count(i % 3 == 0), all = __syncthreads_and(i < 1000), not_all = __syncthreads_and(i != 5);
  const int any = __syncthreads_or(i == 5), none = __syncthreads_or(i < 0);
  out[i] = count * 10000 + all * 1000 + not_all * 100 + any * 10 + none;
}
EXPORT void run_votes(int* out, int block) { votes<<<1, block>>>(out); }

__global__ void lane_is_missing(int*) {
  if (threadIdx.x == 3) __syncthreads();
  else __syncwarp();
}
EXPORT cudaError_t run_deadlock(int* out) {
  lane_is_missing<<<dim3(2, 2), 64>>>(out);
  const cudaError_t error = cudaGetLastError();
  iota<<<1, 1>>>(out, 1);
  return error;
}
EXPORT cudaError_t run_wrong_mask(int* out) {
  apply<<<1, 32>>>(out, [](int i) { return __shfl_sync(0xfffffffeu, i, 1); });
  return cudaGetLastError();
}

// ---- faults ----
__global__ void throws(int*) {
  if (threadIdx.x == 5) throw std::runtime_error("from a kernel");
}
EXPORT cudaError_t run_throw(int* out) {
  throws<<<3, 8>>>(out);
  return cudaGetLastError();
}
__global__ void traps(int* out) {
  __syncthreads();
  if (blockIdx.x == 1 && threadIdx.x == 2) __trap();
  out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
EXPORT cudaError_t run_trap(int* out) {
  traps<<<3, 8>>>(out);
  return cudaGetLastError();
}
__global__ void asserts(int* out) { assert(out[threadIdx.x] == 77); }
EXPORT cudaError_t run_assert(int* out) {
  asserts<<<1, 8>>>(out);
  return cudaGetLastError();
}
__global__ void launches(int* out) { iota<<<1, 1>>>(out, 1); }
EXPORT cudaError_t run_nested_launch(int* out) {
  launches<<<1, 1>>>(out);
  return cudaGetLastError();
}

// ---- warps ----
template <class T>
__global__ void shuffles(T* out) {
  const int lane = static_cast<int>(threadIdx.x);
  const T value = static_cast<T>(lane + 1);
  T* at = out + lane * 6;
  at[0] = __shfl_sync(0xffffffffu, value, 7);
  at[1] = __shfl_up_sync(0xffffffffu, value, 2);
  at[2] = __shfl_down_sync(0xffffffffu, value, 2);
  at[3] = __shfl_xor_sync(0xffffffffu, value, 5);
  at[4] = __shfl_sync(0xffffffffu, value, 9, 8);
  at[5] = __shfl_down_sync(0xffffffffu, value, 3, 8);
}
EXPORT void run_shuffles_int(int* out) { shuffles<<<1, 32>>>(out); }
EXPORT void run_shuffles_double(double* out) { shuffles<<<1, 32>>>(out); }
EXPORT void run_shuffles_half(__half* out) { shuffles<<<1, 32>>>(out); }
EXPORT void run_shuffles_longlong(long long* out) { shuffles<<<1, 32>>>(out); }

__global__ void warp_sum(int* out, int n) {
  const int i = static_cast<int>(threadIdx.x);
  int value = i < n ? i : 0;
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffffu, value, step);
  out[i] = value;
}
EXPORT void run_warp_sum(int* out, int block) { warp_sum<<<1, block>>>(out, block); }

__global__ void warp_votes(unsigned* out) {
  const unsigned lane = threadIdx.x;
  unsigned* at = out + lane * 8;
  at[0] = __ballot_sync(0xffffffffu, lane % 2);
  at[1] = static_cast<unsigned>(__any_sync(0xffffffffu, lane == 31));
  at[2] = static_cast<unsigned>(__all_sync(0xffffffffu, lane < 31));
  at[3] = __match_any_sync(0xffffffffu, lane / 8);
  at[4] = __reduce_add_sync(0xffffffffu, lane);
  at[5] = static_cast<unsigned>(__reduce_min_sync(0xffffffffu, 5 - static_cast<int>(lane)));
  at[6] = lane < 16 ? __reduce_or_sync(0x0000ffffu, 1u << lane) : __reduce_max_sync(0xffff0000u, lane);
  at[7] = lane % 2 ? __activemask() : 0;
}
EXPORT void run_warp_votes(unsigned* out) { warp_votes<<<1, 32>>>(out); }

__global__ void lanes_that_left(unsigned* out) {
  const unsigned lane = threadIdx.x;
  if (lane >= 20) return;
  out[lane] = __ballot_sync(0xffffffffu, 1);
  out[32 + lane] = __shfl_sync(0xffffffffu, lane, 25);
  out[64 + lane] = __activemask();
}
EXPORT void run_lanes_that_left(unsigned* out) { lanes_that_left<<<1, 32>>>(out); }

/// Aggregated increments, as compilers and people write them.
__global__ void aggregated(int* counter, int* slots) {
  if (threadIdx.x % 3 == 1) {
    const unsigned mask = __activemask();
    const int leader = __ffs(static_cast<int>(mask)) - 1, lane = static_cast<int>(threadIdx.x % 32);
    int base = 0;
    if (lane == leader) base = atomicAdd(counter, __popc(mask));
    base = __shfl_sync(mask, base, leader);
    slots[base + __popc(mask & ((1u << lane) - 1))] = static_cast<int>(threadIdx.x);
  }
}
EXPORT void run_aggregated(int* out, int block) { aggregated<<<1, block>>>(out, out + 1); }

// ---- atomics ----
__global__ void atomics(int* i32, unsigned* u32, unsigned long long* u64, long long* s64, float* f32, double* f64,
                        __half* f16, __nv_bfloat16* bf16) {
  const int t = static_cast<int>(threadIdx.x);
  atomicAdd(i32 + 0, t);
  atomicSub(i32 + 1, t);
  atomicMax(i32 + 2, t - 5);
  atomicMin(i32 + 3, t - 5);
  atomicAnd(i32 + 4, ~(1 << t));
  atomicOr(i32 + 5, 1 << t);
  atomicXor(i32 + 6, 3);
  atomicExch(i32 + 7, t);
  atomicCAS(i32 + 8, t, t + 1);
  atomicInc(u32 + 0, 4u);
  atomicDec(u32 + 1, 4u);
  atomicAdd(u32 + 2, 1u);
  atomicAdd(u64 + 0, 1ull << 33);
  atomicMax(u64 + 1, static_cast<unsigned long long>(t) << 40);
  atomicMin(s64 + 0, -(static_cast<long long>(t) << 40));
  atomicAdd(f32, 0.5f);
  atomicAdd(f64, 0.25);
  atomicAdd(f16, __float2half(1.0f));
  atomicAdd(bf16, __float2bfloat16(2.0f));
}
EXPORT void run_atomics(char* out) {
  atomics<<<1, 10>>>(reinterpret_cast<int*>(out), reinterpret_cast<unsigned*>(out + 64),
                     reinterpret_cast<unsigned long long*>(out + 128), reinterpret_cast<long long*>(out + 192),
                     reinterpret_cast<float*>(out + 256), reinterpret_cast<double*>(out + 264),
                     reinterpret_cast<__half*>(out + 272), reinterpret_cast<__nv_bfloat16*>(out + 274));
}

// ---- order and conflicts ----
__global__ void log_order(int* counter, int* order) {
  order[atomicAdd(counter, 1)] = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}
EXPORT void run_log_order(int* out, int grid, int block) { log_order<<<grid, block>>>(out, out + 1); }

__global__ void race(int* out) { out[0] = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }
EXPORT void run_race(int* out, int grid, int block) { race<<<grid, block>>>(out); }
__global__ void atomic_race(int* out) { atomicAdd(out, 1); }
EXPORT void run_atomic_race(int* out) { atomic_race<<<4, 40>>>(out); }
__global__ void zero_then_atomic(int* out, bool sync) {
  if (threadIdx.x == 0) out[blockIdx.x] = 0;
  if (sync) __syncthreads();
  atomicAdd(out + blockIdx.x, 1);
}
EXPORT void run_zero_then_atomic(int* out, bool sync) { zero_then_atomic<<<2, 40>>>(out, sync); }
/// One block clears what all blocks add to: nothing orders it before the other blocks.
__global__ void clear_by_one_block(int* out) {
  if (blockIdx.x == 0 && threadIdx.x == 0) out[0] = 0;
  __syncthreads();
  atomicAdd(out, 1);
}
EXPORT void run_clear_by_one_block(int* out) { clear_by_one_block<<<3, 4>>>(out); }
__global__ void hand_over(int* out, int how) {
  if (threadIdx.x == 0) out[0] = 1;
  if (how == 1) __syncthreads();
  if (how == 2) __syncwarp();
  if (threadIdx.x == 1) out[0] = 2;
}
EXPORT void run_hand_over(int* out, int how) { hand_over<<<1, 32>>>(out, how); }
__global__ void many_races(int* out) { out[blockIdx.x / 2] = static_cast<int>(blockIdx.x); }
EXPORT void run_many_races(int* out, int cells) { many_races<<<2 * cells, 1>>>(out); }
EXPORT void run_two_launches(int* out) {
  race<<<1, 1>>>(out);
  race<<<1, 1>>>(out);
}

// ---- stores ----
__global__ void vector_stores(float* out) {
  const int i = static_cast<int>(threadIdx.x);
  reinterpret_cast<float4*>(out)[i] = make_float4(1, 2, 3, 4);
  if (i == 0) reinterpret_cast<float2*>(out)[5] = make_float2(5, 6);
}
EXPORT void run_vector_stores(float* out) { vector_stores<<<1, 4>>>(out); }
__global__ void many_stores(volatile int* out, int times) {
  for (int i = 0; i < times; ++i) out[1] = i;
}
EXPORT void run_many_stores(int* out, int times) { many_stores<<<1, 1>>>(out, times); }
__global__ void store_by_some(float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[3] = static_cast<float>(i); __syncthreads();
  if (threadIdx.x == 1) out[3] = 0.5f;  // line_of_second_store
}
EXPORT void run_store_by_some(float* out) { store_by_some<<<2, 2>>>(out); }
EXPORT void run_host_stores(int* out) {
  out[0] = 1;
  iota<<<1, 2>>>(out, 2);
  volatile int* twice = out + 1;
  *twice = 5;
  *twice = 6;
  memset(out + 2, 0, 8);
}
EXPORT cudaError_t run_api_copies(int* out) {
  int* scratch = nullptr;
  const cudaError_t error = cudaMalloc(&scratch, 4 * sizeof(int));
  if (error != cudaSuccess) return error;
  int host[4] = {1, 2, 3, 4};
  cudaMemsetAsync(out, 0, 16, nullptr);
  cudaMemcpy(scratch, host, 16, cudaMemcpyHostToDevice);
  cudaMemcpyAsync(out + 1, scratch, 8, cudaMemcpyDeviceToDevice);
  cudaMemcpy(host, out, 16, cudaMemcpyDeviceToHost);
  cudaFree(scratch);
  return host[1] == 1 && host[3] == 0 ? cudaSuccess : cudaErrorUnknown;
}

// ---- host API ----
EXPORT cudaError_t run_allocate(size_t bytes) {
  void* at = nullptr;
  return cudaMalloc(&at, bytes);
}
EXPORT bool api_answers() {
  cudaStream_t stream = nullptr;
  cudaEvent_t begin = nullptr, end = nullptr;
  float ms = -1;
  int device = -1, processors = 0, blocks = 0;
  cudaDeviceProp properties;
  bool good = cudaStreamCreate(&stream) == cudaSuccess && stream != nullptr;
  good = good && cudaEventCreate(&begin) == cudaSuccess && cudaEventCreate(&end) == cudaSuccess;
  good = good && cudaEventElapsedTime(&ms, begin, end) == cudaErrorInvalidResourceHandle;
  good = good && cudaEventRecord(begin, stream) == cudaSuccess && cudaEventRecord(end, stream) == cudaSuccess;
  good = good && cudaEventElapsedTime(&ms, begin, end) == cudaSuccess && ms >= 0;
  good = good && cudaGetDevice(&device) == cudaSuccess && device == 0;
  good = good && cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0) == cudaSuccess;
  good = good && cudaGetDeviceProperties(&properties, 0) == cudaSuccess && properties.multiProcessorCount == processors;
  good = good && cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, iota, 256, 0) == cudaSuccess && blocks == 8;
  good = good && cudaFuncSetAttribute(iota, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448) == cudaSuccess;
  good = good && cudaFuncSetAttribute(iota, cudaFuncAttributeMaxDynamicSharedMemorySize, 232449) == cudaErrorInvalidValue;
  good = good && cudaSetDevice(1) == cudaErrorInvalidDevice && cudaGetLastError() == cudaErrorInvalidDevice;
  good = good && cudaGetLastError() == cudaSuccess;
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  cudaStreamDestroy(stream);
  return good && cudaDeviceSynchronize() == cudaSuccess;
}

// ---- 16-bit floats ----
EXPORT unsigned short half_from_float(float x) { return __half_as_ushort(__float2half_rn(x)); }
EXPORT unsigned short half_from_double(double x) { return __half_as_ushort(__double2half(x)); }
EXPORT float half_to_float(unsigned short bits) { return __half2float(__ushort_as_half(bits)); }
EXPORT unsigned short bfloat16_from_float(float x) { return __bfloat16_as_ushort(__float2bfloat16_rn(x)); }
EXPORT unsigned short bfloat16_from_double(double x) { return __bfloat16_as_ushort(__double2bfloat16(x)); }
EXPORT float bfloat16_to_float(unsigned short bits) { return __bfloat162float(__ushort_as_bfloat16(bits)); }
EXPORT float half_fma(float a, float b, float c) {
  return __half2float(__hfma(__float2half(a), __float2half(b), __float2half(c)));
}
EXPORT float half_arithmetic(float a, float b, char op) {
  const __half x = __float2half(a), y = __float2half(b);
  switch (op) {
    case '+': return x + y;
    case '-': return x - y;
    case '*': return x * y;
    default: return x / y;
  }
}

// ---- intrinsics ----
EXPORT bool intrinsics_are_right() {
  bool good = __popc(0xf0f0u) == 8 && __clz(1) == 31 && __clz(0) == 32 && __ffs(8) == 4 && __ffs(0) == 0;
  good = good && __brev(1u) == 0x80000000u && __brevll(2ull) == 0x4000000000000000ull && __popcll(~0ull) == 64;
  good = good && __byte_perm(0x33221100u, 0x77665544u, 0x7610u) == 0x77661100u;
  good = good && __funnelshift_l(0x80000000u, 1u, 1) == 3u && __funnelshift_r(2u, 1u, 1) == 0x80000001u;
  good = good && __mulhi(1 << 30, 8) == 2 && __umulhi(1u << 31, 4u) == 2u && __umul64hi(1ull << 63, 4) == 2;
  good = good && __mul24(-3, 5) == -15 && __float2int_rn(2.5f) == 2 && __float2int_rz(-2.9f) == -2;
  good = good && __float2int_rd(-2.1f) == -3 && __float2int_ru(2.1f) == 3 && __float2int_rn(1e20f) == 0x7fffffff;
  good = good && __float2int_rn(NAN) == 0 && __float2uint_rz(-5.0f) == 0 && __double2ll_rn(-1e30) == (-0x7fffffffffffffffll - 1);
  good = good && __float_as_uint(1.0f) == 0x3f800000u && __int_as_float(0x40000000) == 2.0f;
  good = good && min(3, 5) == 3 && max(-1, 2) == 2 && min(1u, 2u) == 1u && max(1.0f, NAN) == 1.0f && max(1ll, 2ll) == 2;
  good = good && __saturatef(NAN) == 0.0f && __saturatef(1.5f) == 1.0f && __fmaf_rn(2, 3, 4) == 10.0f;
  return good && rsqrtf(4.0f) == 0.5f && __fmul_rn(1.5f, 2.0f) == 3.0f;
}

// ---- other threads ----
__global__ void naps(int* out) {
  if (threadIdx.x == 0)
    while (*reinterpret_cast<volatile int*>(out) == 0) __nanosleep(100);
  else out[0] = 1;
  out[1 + threadIdx.x] = 9;
}
EXPORT void run_naps(int* out) { naps<<<1, 2>>>(out); }
EXPORT void plain_host_store(int* out) { out[0] = 1; }
EXPORT int call_in_line(int value) { return value + 1; }
