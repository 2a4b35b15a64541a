/* SPDX-License-Identifier: Apache-2.0 */
/* Stores far before its gradient, as an offset does that wrapped around. */
#include "plain_kernel.h"

static int misbehave(nlldiff_call* call) {
  volatile float* volatile grad_input = call->grad_input.data;
  if (grad_input != NULL) grad_input[-(INT64_C(1) << 40)] = 1.0F;
  return NLLDIFF_OK;
}
