/* SPDX-License-Identifier: Apache-2.0 */
/* No fault at all: what the others do outside of their one case. */
#include "plain_kernel.h"

static int misbehave(nlldiff_call* call) {
  (void)call;
  return NLLDIFF_OK;
}
