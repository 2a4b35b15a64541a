// SPDX-License-Identifier: Apache-2.0
// A tensor in host memory: storage and how it is laid out. Makes no copies that its user did not ask for.
#pragma once

#include "model/dtype.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nlldiff {

struct HostTensor {
  Dtype dtype = Dtype::float32;
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;  ///< in elements; 0 where a dimension is expanded
  std::int64_t offset = 0;            ///< elements from the start of storage to the element of all-zero indices
  std::vector<std::byte> storage;     ///< every byte initialised, gaps too (a recognisable filler)

  [[nodiscard]] std::int64_t numel() const;
  /// Offset in elements, from the start of storage, of the element with this row-major flat index.
  [[nodiscard]] std::int64_t element_offset(std::int64_t flat_index) const;
  [[nodiscard]] const std::byte* at(std::int64_t flat_index) const;
  [[nodiscard]] std::byte* at(std::int64_t flat_index);
  [[nodiscard]] double value(std::int64_t flat_index) const;         ///< floating dtypes
  [[nodiscard]] std::int64_t integer(std::int64_t flat_index) const; ///< integer dtypes
};

/// Row-major strides for these sizes.
[[nodiscard]] std::vector<std::int64_t> contiguous_strides(const std::vector<std::int64_t>& sizes);

}  // namespace nlldiff
