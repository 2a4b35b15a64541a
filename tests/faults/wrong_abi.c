/* SPDX-License-Identifier: Apache-2.0 */
/* Built against a later header. */
#define NLLDIFF_FAULT_ABI 99u
#include "plain_kernel.h"

static int misbehave(nlldiff_call* call) {
  (void)call;
  return NLLDIFF_OK;
}
