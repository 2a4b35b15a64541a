// SPDX-License-Identifier: Apache-2.0
// What a call must look like before anything is launched, and the sentences that say why it does not.
#pragma once

#include <cstdarg>
#include <cstdint>
#include <cstdio>

#include "nlldiff/kernel.h"
#include "problem.cuh"

namespace nll {

/// Writes the sentence into call->error and hands `status` back.
__attribute__((format(printf, 3, 4))) inline int refuse(nlldiff_call* call, int status, const char* format, ...) {
  if (call->error != nullptr && call->error_bytes > 0) {
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(call->error, call->error_bytes, format, arguments);
    va_end(arguments);
  }
  return status;
}

/// Returns from the calling function where `step`, a status, is not NLLDIFF_OK.
#define NLL_TRY(step)                                                               \
  do {                                                                              \
    if (const int nll_status = (step); nll_status != NLLDIFF_OK) return nll_status; \
  } while (false)

struct Shape {
  int rank;
  std::int64_t sizes[NLLDIFF_MAX_RANK];
};

inline Shape shape_of(const nlldiff_tensor& t) {
  Shape shape{t.rank, {}};
  for (int i = 0; i < t.rank; ++i) shape.sizes[i] = t.sizes[i];
  return shape;
}

/// The number of elements, or -1 where it does not fit 63 bits.
inline std::int64_t numel(const Shape& shape) {
  std::int64_t count = 1;
  bool overflow = false;
  for (int i = 0; i < shape.rank; ++i) {
    if (shape.sizes[i] == 0) return 0;
    overflow = __builtin_mul_overflow(count, shape.sizes[i], &count) || overflow;
  }
  return overflow ? -1 : count;
}

/// The target's shape for an input of this shape: the class dimension left out.
inline Shape row_shape(const nlldiff_tensor& input) {
  Shape shape{0, {}};
  for (int i = 0; i < input.rank; ++i)
    if (i != (input.rank == 1 ? 0 : 1)) shape.sizes[shape.rank++] = input.sizes[i];
  return shape;
}

inline Shape output_shape(const nlldiff_call* call) {
  return call->reduction == NLLDIFF_NONE ? row_shape(call->input) : Shape{0, {}};
}

inline int check_shape(nlldiff_call* call, const char* name, const nlldiff_tensor& t, const Shape& wanted) {
  if (t.rank != wanted.rank)
    return refuse(call, NLLDIFF_REJECTED, "%s has rank %d; these shapes need %d", name, t.rank, wanted.rank);
  for (int i = 0; i < t.rank; ++i)
    if (t.sizes[i] != wanted.sizes[i])
      return refuse(call, NLLDIFF_REJECTED, "%s has size %lld in dimension %d; the input needs %lld", name,
                    static_cast<long long>(t.sizes[i]), i, static_cast<long long>(wanted.sizes[i]));
  const std::int64_t count = numel(wanted);
  if (count < 0) return refuse(call, NLLDIFF_REJECTED, "%s has more than 2^63 elements", name);
  if (count > 0 && t.data == nullptr)
    return refuse(call, NLLDIFF_REJECTED, "%s has elements, but its data is NULL", name);
  return NLLDIFF_OK;
}

inline int check_contiguous(nlldiff_call* call, const char* name, const nlldiff_tensor& t) {
  std::int64_t wanted = 1;
  if (numel(shape_of(t)) == 0) return NLLDIFF_OK;
  for (int i = t.rank - 1; i >= 0; --i) {
    if (t.sizes[i] > 1 && t.strides[i] != wanted)
      return refuse(call, NLLDIFF_REJECTED, "%s is not contiguous: stride %lld in dimension %d, not %lld", name,
                    static_cast<long long>(t.strides[i]), i, static_cast<long long>(wanted));
    wanted *= t.sizes[i];
  }
  return NLLDIFF_OK;
}

/// A tensor of the input's dtype and of this shape; the callee writes it or wants it plain, so it is contiguous.
inline int check_plain(nlldiff_call* call, const char* name, const nlldiff_tensor& t, const Shape& wanted) {
  if (t.dtype != call->input.dtype)
    return refuse(call, NLLDIFF_REJECTED, "%s has dtype code %d, the input %d: they must be the same", name, t.dtype,
                  call->input.dtype);
  NLL_TRY(check_shape(call, name, t, wanted));
  return check_contiguous(call, name, t);
}

inline int check_input(nlldiff_call* call) {
  const nlldiff_tensor& input = call->input;
  if (input.dtype < NLLDIFF_FLOAT64 || input.dtype > NLLDIFF_UINT8)
    return refuse(call, NLLDIFF_UNSUPPORTED, "input has dtype code %d, which this kernel does not know", input.dtype);
  if (input.dtype > NLLDIFF_BFLOAT16)
    return refuse(call, NLLDIFF_REJECTED, "input has dtype code %d: it must be floating", input.dtype);
  if (input.rank > NLLDIFF_MAX_RANK)
    return refuse(call, NLLDIFF_UNSUPPORTED, "input has rank %d; this kernel goes up to %d", input.rank,
                  NLLDIFF_MAX_RANK);
  if (input.rank < 1)
    return refuse(call, NLLDIFF_REJECTED, "input has rank %d: it needs a class dimension", input.rank);
  for (int i = 0; i < input.rank; ++i)
    if (input.sizes[i] < 0)
      return refuse(call, NLLDIFF_REJECTED, "input has size %lld in dimension %d",
                    static_cast<long long>(input.sizes[i]), i);
  return NLLDIFF_OK;
}

inline int check_target(nlldiff_call* call) {
  const int dtype = call->target.dtype;
  if (dtype < NLLDIFF_FLOAT64 || dtype > NLLDIFF_UINT8)
    return refuse(call, NLLDIFF_UNSUPPORTED, "target has dtype code %d, which this kernel does not know", dtype);
  if (dtype < NLLDIFF_INT64)
    return refuse(call, NLLDIFF_REJECTED, "target has dtype code %d: it must be int64, int32 or uint8", dtype);
  return check_shape(call, "target", call->target, row_shape(call->input));
}

inline bool has_weight(const nlldiff_call* call) { return call->weight.data != nullptr || call->weight.rank != 0; }

inline std::int64_t classes_of(const nlldiff_tensor& input) { return input.sizes[input.rank == 1 ? 0 : 1]; }

/// What both passes need.
inline int check_call(nlldiff_call* call) {
  if (call->struct_size < sizeof(nlldiff_call))
    return refuse(call, NLLDIFF_REJECTED, "struct_size is %u; ABI version %u has %zu", call->struct_size,
                  NLLDIFF_ABI_VERSION, sizeof(nlldiff_call));
  if (call->reduction < NLLDIFF_NONE || call->reduction > NLLDIFF_SUM)
    return refuse(call, NLLDIFF_REJECTED, "reduction code %d is none of 0 (none), 1 (mean), 2 (sum)", call->reduction);
  NLL_TRY(check_input(call));
  NLL_TRY(check_target(call));
  if (!has_weight(call)) return NLLDIFF_OK;
  return check_plain(call, "weight", call->weight, Shape{1, {classes_of(call->input)}});
}

inline int check_forward(nlldiff_call* call) {
  NLL_TRY(check_call(call));
  if (numel(row_shape(call->input)) > 0 && classes_of(call->input) > 0 && call->input.data == nullptr)
    return refuse(call, NLLDIFF_REJECTED, "input has elements, but its data is NULL");
  NLL_TRY(check_plain(call, "output", call->output, output_shape(call)));
  return check_plain(call, "total_weight", call->total_weight, Shape{0, {}});
}

inline int check_backward(nlldiff_call* call) {
  NLL_TRY(check_call(call));
  if (call->grad_output.dtype != call->input.dtype)
    return refuse(call, NLLDIFF_REJECTED, "grad_output has dtype code %d, the input %d: they must be the same",
                  call->grad_output.dtype, call->input.dtype);
  NLL_TRY(check_shape(call, "grad_output", call->grad_output, output_shape(call)));
  NLL_TRY(check_plain(call, "grad_input", call->grad_input, shape_of(call->input)));
  if (call->reduction != NLLDIFF_MEAN) return NLLDIFF_OK;
  return check_plain(call, "total_weight", call->total_weight, Shape{0, {}});
}

/// Adds a dimension to the walk, or widens the last one where both tensors step from it into this one evenly.
inline void append_dimension(RowIndex* index, std::int64_t size, std::int64_t target_stride,
                             std::int64_t value_stride) {
  if (size == 1) return;
  if (index->rank > 0 && index->target_strides[index->rank - 1] == target_stride * size &&
      index->value_strides[index->rank - 1] == value_stride * size) {
    index->sizes[index->rank - 1] *= size;
    index->target_strides[index->rank - 1] = target_stride;
    index->value_strides[index->rank - 1] = value_stride;
    return;
  }
  index->sizes[index->rank] = size;
  index->target_strides[index->rank] = target_stride;
  index->value_strides[index->rank++] = value_stride;
}

/// The walk over the rows of a checked call. `value_strides` has one entry a dimension of the target.
inline RowIndex row_index(const nlldiff_tensor& target, const std::int64_t* value_strides) {
  RowIndex index{};
  for (int i = 0; i < target.rank; ++i) append_dimension(&index, target.sizes[i], target.strides[i], value_strides[i]);
  if (index.rank == 0) index = RowIndex{1, {1}, {}, {}};
  return index;
}

/// The numbers of a checked call that both passes share.
inline Problem shared_problem(const nlldiff_call* call) {
  Problem p{};
  const Shape rows = row_shape(call->input);
  p.rows = numel(rows);
  p.classes = classes_of(call->input);
  p.inner = 1;
  for (int i = 1; i < rows.rank && p.rows > 0; ++i) p.inner *= rows.sizes[i];
  p.ignore_index = call->ignore_index;
  p.reduction = call->reduction;
  p.target_dtype = call->target.dtype;
  p.target = call->target.data;
  p.weight = has_weight(call) ? call->weight.data : nullptr;
  p.total_weight = call->total_weight.data;
  return p;
}

inline Problem forward_problem(const nlldiff_call* call) {
  Problem p = shared_problem(call);
  const nlldiff_tensor& input = call->input;
  std::int64_t strides[NLLDIFF_MAX_RANK] = {};
  if (input.rank > 1) strides[0] = input.strides[0];
  for (int i = 2; i < input.rank; ++i) strides[i - 1] = input.strides[i];
  p.values = input.data;
  p.class_stride = input.strides[input.rank == 1 ? 0 : 1];
  p.index = row_index(call->target, strides);
  return p;
}

inline Problem backward_problem(const nlldiff_call* call) {
  Problem p = shared_problem(call);
  std::int64_t strides[NLLDIFF_MAX_RANK] = {};
  for (int i = 0; i < call->grad_output.rank; ++i) strides[i] = call->grad_output.strides[i];
  p.values = call->grad_output.data;
  p.index = row_index(call->target, strides);
  return p;
}

}  // namespace nll
