/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C ABI that a kernel under test implements. Compiles as C11 and as C++17; needs no LibTorch.
 *
 * A kernel library exports one function, nlldiff_get_kernel, which returns a static description:
 * who it is and its forward and backward entry points. The contract is that of ATen's operators
 * nll_loss_forward and nll_loss_backward (nll_loss2d_* for targets of more than one dimension):
 *
 *   shape of target   shape of input         reduction none     mean, sum
 *   ()                (C)                    output ()          output ()
 *   (N)               (N, C)                 output (N)         output ()
 *   (N, d1, ..., dK)  (N, C, d1, ..., dK)    output (N,d1..)    output ()
 *
 * forward writes output and total_weight:
 *   none:  output[r] = -weight[t] * input[r, t], 0 where the row is ignored; total_weight is written, but nothing reads
 *          it (ATen gives 0, or weight[t] for one row without a batch dimension)
 *   sum:   the sum of those; total_weight = the sum of weight[t] over the rows that are not ignored
 *   mean:  sum / total_weight (0 / 0 = NaN where every row is ignored)
 * backward writes every cell of grad_input:
 *   grad_input[r, t] = -weight[t] * grad_output[r]                      none
 *                      -weight[t] * grad_output                         sum
 *                      -weight[t] * grad_output / total_weight          mean
 *   and 0 everywhere else, on ignored rows too.
 * Two inputs must be refused (NLLDIFF_REJECTED): a target that is neither in [0, C) nor ignore_index, and a weight whose
 * length is not C.
 */
#ifndef NLLDIFF_KERNEL_H
#define NLLDIFF_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NLLDIFF_ABI_VERSION 1u
#define NLLDIFF_MAX_RANK 8

enum nlldiff_dtype {
  NLLDIFF_FLOAT64 = 0,
  NLLDIFF_FLOAT32 = 1,
  NLLDIFF_FLOAT16 = 2,
  NLLDIFF_BFLOAT16 = 3,
  NLLDIFF_INT64 = 4,
  NLLDIFF_INT32 = 5,
  NLLDIFF_UINT8 = 6
};

/* ATen's codes (at::Reduction). */
enum nlldiff_reduction { NLLDIFF_NONE = 0, NLLDIFF_MEAN = 1, NLLDIFF_SUM = 2 };

/* What an entry point returns. Anything but NLLDIFF_OK comes with a sentence in call->error. */
enum nlldiff_status {
  NLLDIFF_OK = 0,
  NLLDIFF_REJECTED = 1,    /* the arguments break the contract: a bad target, a wrong shape */
  NLLDIFF_UNSUPPORTED = 2, /* legal, but this kernel does not do it (a dtype, a rank) */
  NLLDIFF_FAILED = 3       /* the kernel could not work: a launch error, no memory */
};

/* A strided tensor. Strides count elements, not bytes; `data` points at the element with all-zero
 * indices. `data` is NULL where the tensor is absent (weight) or has no elements. */
typedef struct nlldiff_tensor {
  void* data;
  int32_t dtype; /* enum nlldiff_dtype */
  int32_t rank;  /* 0 .. NLLDIFF_MAX_RANK */
  int64_t sizes[NLLDIFF_MAX_RANK];
  int64_t strides[NLLDIFF_MAX_RANK];
} nlldiff_tensor;

/* One call. The caller owns everything; the callee may write only what its pass is to write. */
typedef struct nlldiff_call {
  uint32_t struct_size; /* sizeof(nlldiff_call) of the caller: later versions only append */
  int32_t reduction;    /* enum nlldiff_reduction */
  int64_t ignore_index;

  nlldiff_tensor input;        /* any strides, 0 included; backward reads its sizes only */
  nlldiff_tensor target;       /* int64, int32 or uint8; any strides */
  nlldiff_tensor weight;       /* (C), contiguous, input's dtype; data == NULL && rank == 0: none */
  nlldiff_tensor output;       /* forward writes it; contiguous */
  nlldiff_tensor total_weight; /* forward writes it, backward reads it; rank 0 */
  nlldiff_tensor grad_output;  /* backward reads it; shape of output; any strides */
  nlldiff_tensor grad_input;   /* backward writes it; shape of input; contiguous; holds garbage
                                  unless the kernel asked for NLLDIFF_NEEDS_ZEROED_GRAD_INPUT */

  void* stream; /* cudaStream_t, never the default stream; NULL for a CPU kernel */

  /* Scratch memory on the kernel's device, 256-byte aligned, holding garbage; it stays valid until
   * the work that this call put on `stream` is done, and is not to be freed. NULL: none left. */
  void* (*allocate)(void* allocate_context, size_t bytes);
  void* allocate_context;

  char* error; /* a buffer of error_bytes bytes for a NUL-terminated sentence */
  size_t error_bytes;
} nlldiff_call;

enum nlldiff_flags {
  NLLDIFF_NEEDS_ZEROED_GRAD_INPUT = 1u, /* the caller fills grad_input with zeros first */
  NLLDIFF_DETERMINISTIC = 2u            /* claims the same bits from run to run, losses too */
};

/* Where the entry points run. NLLDIFF_SIMT: CUDA C++ that nlldiff translated for the host. */
enum nlldiff_device { NLLDIFF_CPU = 0, NLLDIFF_CUDA = 1, NLLDIFF_SIMT = 2 };

#if defined(NLLDIFF_SIMT_BUILD)
#define NLLDIFF_THIS_DEVICE NLLDIFF_SIMT
#elif defined(__CUDACC__)
#define NLLDIFF_THIS_DEVICE NLLDIFF_CUDA
#else
#define NLLDIFF_THIS_DEVICE NLLDIFF_CPU
#endif

typedef int (*nlldiff_entry)(nlldiff_call* call); /* returns enum nlldiff_status */

typedef struct nlldiff_kernel {
  uint32_t abi_version; /* NLLDIFF_ABI_VERSION */
  uint32_t struct_size; /* sizeof(nlldiff_kernel) */
  const char* name;
  const char* description; /* one sentence; for a mutant, its defect */
  uint32_t device;         /* NLLDIFF_THIS_DEVICE */
  uint32_t flags;          /* enum nlldiff_flags, or-ed */
  nlldiff_entry forward;   /* NULL: this kernel has no such pass */
  nlldiff_entry backward;
} nlldiff_kernel;

#if defined(_WIN32)
#define NLLDIFF_EXPORT __declspec(dllexport)
#else
#define NLLDIFF_EXPORT __attribute__((visibility("default")))
#endif

/* The one symbol of a kernel library. */
NLLDIFF_EXPORT const nlldiff_kernel* nlldiff_get_kernel(void);

#ifdef __cplusplus
}
#endif
#endif /* NLLDIFF_KERNEL_H */
