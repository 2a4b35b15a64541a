/* SPDX-License-Identifier: Apache-2.0 */
/* Cannot be loaded: a function that nobody has. */
#include "plain_kernel.h"

int nlldiff_fault_function_of_nobody(void);

static int misbehave(nlldiff_call* call) {
  (void)call;
  return nlldiff_fault_function_of_nobody();
}
