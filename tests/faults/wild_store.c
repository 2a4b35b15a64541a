/* SPDX-License-Identifier: Apache-2.0 */
/* Stores at an address that no process can have: an offset that was computed in too many bits. */
#include "plain_kernel.h"

static int misbehave(nlldiff_call* call) {
  volatile float* volatile grad_input = call->grad_input.data;
  if (grad_input != NULL) grad_input[INT64_C(1) << 60] = 1.0F;
  return NLLDIFF_OK;
}
