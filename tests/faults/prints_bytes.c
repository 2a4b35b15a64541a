/* SPDX-License-Identifier: Apache-2.0 */
/* Prints bytes that are no UTF-8, and works. */
#include "plain_kernel.h"

static int misbehave(nlldiff_call* call) {
  (void)call;
  printf("caf\xe9 \xff\xfe \xc3\x28 end\n");
  fflush(stdout);
  return NLLDIFF_OK;
}
