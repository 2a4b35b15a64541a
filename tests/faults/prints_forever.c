/* SPDX-License-Identifier: Apache-2.0 */
/* Prints without an end. */
#include "plain_kernel.h"

static int misbehave(nlldiff_call* call) {
  long line = 0;
  while (call != NULL) printf("line %ld of a log that nobody will read\n", line++);
  return NLLDIFF_OK;
}
