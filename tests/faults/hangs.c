/* SPDX-License-Identifier: Apache-2.0 */
/* Never returns. */
#include "plain_kernel.h"

static int misbehave(nlldiff_call* call) {
  volatile int forever = 1;
  printf("waiting for a flag\n");
  fflush(stdout);
  while (forever) (void)call;
  return NLLDIFF_OK;
}
