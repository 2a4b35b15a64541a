/* SPDX-License-Identifier: Apache-2.0 */
/* Stores through a null pointer, after a word on stderr. */
#include "plain_kernel.h"

static int misbehave(nlldiff_call* call) {
  (void)call;
  fprintf(stderr, "about to store\n");
  volatile float* volatile nowhere = NULL;
  *nowhere = 1.0F;
  return NLLDIFF_OK;
}
