/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A right kernel for contiguous float32 of reduction none, in C11. Each fault includes it and defines
 * `misbehave`, which is called before the work of a case whose ignore_index is NLLDIFF_TRAP: the cases
 * before and after it must not notice.
 */
#ifndef NLLDIFF_PLAIN_KERNEL_H
#define NLLDIFF_PLAIN_KERNEL_H

#include <nlldiff/kernel.h>
#include <stdio.h>

enum { NLLDIFF_TRAP = -13 };

/* Returns the status of the call; with NLLDIFF_OK the call goes on. */
static int misbehave(nlldiff_call* call);

static int check_call(nlldiff_call* call) {
  const int plain = call->input.dtype == NLLDIFF_FLOAT32 && call->input.rank == 2 &&
                    call->target.dtype == NLLDIFF_INT64 && call->reduction == NLLDIFF_NONE && call->weight.data == NULL;
  if (!plain) {
    snprintf(call->error, call->error_bytes, "contiguous float32 rows without weights only");
    return NLLDIFF_UNSUPPORTED;
  }
  const int64_t* target = call->target.data;
  for (int64_t row = 0; row < call->input.sizes[0]; ++row) {
    if (target[row] == call->ignore_index || (target[row] >= 0 && target[row] < call->input.sizes[1])) continue;
    snprintf(call->error, call->error_bytes, "target[%lld] = %lld is out of range", (long long)row,
             (long long)target[row]);
    return NLLDIFF_REJECTED;
  }
  return call->ignore_index == NLLDIFF_TRAP ? misbehave(call) : NLLDIFF_OK;
}

static int forward(nlldiff_call* call) {
  const int status = check_call(call);
  if (status != NLLDIFF_OK) return status;
  const float* input = call->input.data;
  const int64_t* target = call->target.data;
  float* output = call->output.data;
  for (int64_t row = 0; row < call->input.sizes[0]; ++row)
    output[row] = target[row] == call->ignore_index ? 0.0F : -input[row * call->input.sizes[1] + target[row]];
  *(float*)call->total_weight.data = 0.0F;
  return NLLDIFF_OK;
}

static int backward(nlldiff_call* call) {
  const int status = check_call(call);
  if (status != NLLDIFF_OK) return status;
  const int64_t* target = call->target.data;
  const float* grad_output = call->grad_output.data;
  float* grad_input = call->grad_input.data;
  const int64_t classes = call->input.sizes[1];
  for (int64_t row = 0; row < call->input.sizes[0]; ++row)
    for (int64_t c = 0; c < classes; ++c)
      grad_input[row * classes + c] =
          c == target[row] && c != call->ignore_index ? -grad_output[row * call->grad_output.strides[0]] : 0.0F;
  return NLLDIFF_OK;
}

#ifndef NLLDIFF_FAULT_ABI
#define NLLDIFF_FAULT_ABI NLLDIFF_ABI_VERSION
#endif

const nlldiff_kernel* nlldiff_get_kernel(void) {
  static const nlldiff_kernel kernel = {.abi_version = NLLDIFF_FAULT_ABI,
                                        .struct_size = sizeof(nlldiff_kernel),
                                        .name = "fault",
                                        .description = "right but for one case, where it misbehaves",
                                        .device = NLLDIFF_CPU,
                                        .flags = 0,
                                        .forward = forward,
                                        .backward = backward};
  return &kernel;
}

#endif /* NLLDIFF_PLAIN_KERNEL_H */
