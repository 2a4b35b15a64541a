/* SPDX-License-Identifier: Apache-2.0 */
/* What translated code calls in libnlldiff_simt.so. Nobody but the headers beside this one calls it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Runs `thread(arguments)` once for each thread of the grid; errors are left for cudaGetLastError. */
void nlldiff_simt_launch(const char* kernel, const unsigned grid[3], const unsigned block[3], size_t shared_bytes,
                         void (*thread)(void*), void* arguments);

enum nlldiff_simt_vote { NLLDIFF_SIMT_COUNT = 0, NLLDIFF_SIMT_AND = 1, NLLDIFF_SIMT_OR = 2 };
/* Waits for the block's live threads; returns the vote over the predicates of those that arrived. */
unsigned nlldiff_simt_barrier(int predicate, unsigned vote);

enum nlldiff_simt_warp_op {
  NLLDIFF_SIMT_SYNC = 0,
  NLLDIFF_SIMT_SHUFFLE = 1, /* result: the value of `lane`; all bits set where that lane takes no part */
  NLLDIFF_SIMT_BALLOT = 2,
  NLLDIFF_SIMT_MATCH = 3,
  NLLDIFF_SIMT_ADD = 4, /* the reductions work on 32 bits */
  NLLDIFF_SIMT_MIN_S = 5,
  NLLDIFF_SIMT_MAX_S = 6,
  NLLDIFF_SIMT_MIN_U = 7,
  NLLDIFF_SIMT_MAX_U = 8,
  NLLDIFF_SIMT_BIT_AND = 9,
  NLLDIFF_SIMT_BIT_OR = 10,
  NLLDIFF_SIMT_BIT_XOR = 11
};
/* Waits for the live lanes of `mask`, then returns this lane's result. */
uint64_t nlldiff_simt_warp(unsigned op, unsigned mask, uint64_t value, unsigned lane);
unsigned nlldiff_simt_active_mask(void);

/* The block's memory for the shared variable that `key` stands for. */
void* nlldiff_simt_shared(const void* key, size_t bytes, size_t align);
void* nlldiff_simt_dynamic_shared(void);

/* The two halves of an atomic: an unseen load, and a store that is seen as an atomic one. */
uint64_t nlldiff_simt_peek(const void* at, unsigned bytes);
void nlldiff_simt_poke(void* at, unsigned bytes, uint64_t bits);

/* Ends the launch with a fault. */
__attribute__((noreturn)) void nlldiff_simt_trap(const char* what);
/* Lets other threads of the block run. */
void nlldiff_simt_yield(void);
uint64_t nlldiff_simt_clock_ns(void);

#ifdef __cplusplus
}
#endif
