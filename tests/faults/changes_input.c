/* SPDX-License-Identifier: Apache-2.0 */
/* Uses its input as scratch memory. */
#include "plain_kernel.h"

static int misbehave(nlldiff_call* call) {
  ((float*)call->input.data)[5] = 42.0F;
  return NLLDIFF_OK;
}
