// SPDX-License-Identifier: Apache-2.0
#include "nlldiff/kernel.h"

extern "C" const nlldiff_kernel* nlldiff_get_kernel() {
  static const nlldiff_kernel kKernel{NLLDIFF_ABI_VERSION,
                                      sizeof(nlldiff_kernel),
                                      "good",
                                      "described by itself",
                                      NLLDIFF_THIS_DEVICE,
                                      0,
                                      nullptr,
                                      nullptr};
  return &kKernel;
}
