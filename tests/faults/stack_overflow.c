/* SPDX-License-Identifier: Apache-2.0 */
/* Recurses until its stack is used up: the handler of that signal needs a stack of its own. */
#include "plain_kernel.h"

static int deeper(volatile char* above) {
  if (above == NULL) return 0;
  volatile char frame[4096];
  frame[0] = above[0];
  return deeper(frame) + frame[0];
}

static int misbehave(nlldiff_call* call) {
  (void)call;
  volatile char top = 0;
  return deeper(&top);
}
