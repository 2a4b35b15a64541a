/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA's qualifiers. `__shared__` and `__noinline__` are the translator's: the first is rewritten, the second
 * would break libstdc++'s own `__attribute__((__noinline__))` as a macro. */
#pragma once

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __maxnreg__(n)
#define __builtin_align__(n) __align__(n)
#define CUDARTAPI
#define CUDART_CB
