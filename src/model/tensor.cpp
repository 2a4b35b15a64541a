// SPDX-License-Identifier: Apache-2.0
#include "model/tensor.hpp"

#include <algorithm>

namespace nlldiff {
namespace {

/// Row-major and without gaps, as far as the indices reach: a dimension of size 1 may have any stride.
bool is_dense(const HostTensor& tensor) {
  std::int64_t expected = 1;
  for (std::size_t i = tensor.sizes.size(); i-- > 0;) {
    if (tensor.sizes[i] != 1 && tensor.strides[i] != expected) return false;
    expected *= tensor.sizes[i];
  }
  return true;
}

}  // namespace

std::int64_t HostTensor::numel() const {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  return count;
}

std::int64_t HostTensor::element_offset(std::int64_t flat_index) const {
  if (is_dense(*this)) return offset + flat_index;  // the common case, without its divisions
  std::int64_t element = offset;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    element += flat_index % sizes[i] * strides[i];
    flat_index /= sizes[i];
  }
  return element;
}

const std::byte* HostTensor::at(std::int64_t flat_index) const {
  return storage.data() + element_offset(flat_index) * bytes_of(dtype);
}

std::byte* HostTensor::at(std::int64_t flat_index) {
  return storage.data() + element_offset(flat_index) * bytes_of(dtype);
}

double HostTensor::value(std::int64_t flat_index) const { return load_float(dtype, at(flat_index)); }

std::int64_t HostTensor::integer(std::int64_t flat_index) const { return load_int(dtype, at(flat_index)); }

std::vector<std::int64_t> contiguous_strides(const std::vector<std::int64_t>& sizes) {
  std::vector<std::int64_t> strides(sizes.size());
  std::int64_t step = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    strides[i] = step;
    step *= std::max<std::int64_t>(sizes[i], 1);  // as torch: a size of 0 does not make the outer strides 0
  }
  return strides;
}

}  // namespace nlldiff
