/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in variables. They are const, and one read each: for the compiler they do not change while a thread
 * runs (which is true), so that their reads are not instrumented. */
#pragma once
#include "vector_types.h"

extern "C" {
extern __thread const uint3 threadIdx __asm__("nlldiff_simt_threadIdx") __attribute__((tls_model("initial-exec")));
extern __thread const uint3 blockIdx __asm__("nlldiff_simt_blockIdx") __attribute__((tls_model("initial-exec")));
extern __thread const uint3 blockDim __asm__("nlldiff_simt_blockDim") __attribute__((tls_model("initial-exec")));
extern __thread const uint3 gridDim __asm__("nlldiff_simt_gridDim") __attribute__((tls_model("initial-exec")));
}
constexpr int warpSize = 32;
