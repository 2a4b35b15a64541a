/* SPDX-License-Identifier: Apache-2.0 */
/* Returns a status that the ABI does not know, and no sentence. */
#include "plain_kernel.h"

static int misbehave(nlldiff_call* call) {
  (void)call;
  return 77;
}
