/* SPDX-License-Identifier: Apache-2.0 */
/* Aborts with a message, as a failed assertion does. */
#include <stdlib.h>

#include "plain_kernel.h"

static int misbehave(nlldiff_call* call) {
  (void)call;
  fprintf(stderr, "assertion `rows > 0` failed\n");
  abort();
}
