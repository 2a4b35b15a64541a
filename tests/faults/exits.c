/* SPDX-License-Identifier: Apache-2.0 */
/* Ends the process with success, as if that were an answer. */
#include <stdlib.h>

#include "plain_kernel.h"

static int misbehave(nlldiff_call* call) {
  (void)call;
  printf("good bye\n");
  exit(0);
}
