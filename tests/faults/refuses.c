/* SPDX-License-Identifier: Apache-2.0 */
/* Refuses what is legal, with a sentence that is no UTF-8 and has no end. */
#include <string.h>

#include "plain_kernel.h"

static int misbehave(nlldiff_call* call) {
  memset(call->error, 0xe9, call->error_bytes);
  memcpy(call->error, "no odd sentinels", 16);
  return NLLDIFF_REJECTED;
}
