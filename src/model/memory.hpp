// SPDX-License-Identifier: Apache-2.0
// Memory layouts: where the elements of a tensor of these sizes lie. Internal to src/model.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "model/case.hpp"
#include "model/tensor.hpp"

namespace nlldiff {

/// What a case says of one tensor's memory; `what` names the tensor in messages.
struct MemorySpec {
  std::string_view what;
  Memory memory = Memory::contiguous;
  const std::vector<std::int64_t>* strides = nullptr;  ///< memory strides only
  std::int64_t offset = 0;                             ///< memory strides only
};

/// Strides and offset for these sizes, and how many elements the storage needs. Layouts that need more
/// dimensions than there are fall back: channels_last and transposed of rank 0 or 1 are contiguous.
/// `sliced` is the window [1:1+n, ..., 1::2] of a larger tensor. Throws Error(usage) for strides that do not fit the
/// tensor and for sizes that no memory could hold.
struct Placement {
  std::vector<std::int64_t> sizes, strides;
  std::int64_t offset = 0;
  std::int64_t storage_elements = 0;
};
[[nodiscard]] Placement place(const std::vector<std::int64_t>& sizes, const MemorySpec& spec);

/// Storage for it. Gaps hold NaN (floating dtypes) or the dtype's largest value (a class that no case has), so that
/// a kernel that ignores strides reads what shows. Throws Error(internal) where memory cannot be had.
[[nodiscard]] HostTensor allocate(Dtype dtype, const Placement& placement, const MemorySpec& spec);

/// One dimension of the walk below.
struct Dim {
  std::int64_t size = 1, stride = 1;
};
/// The tensor's dimensions without those of size 1, neighbours that step as one merged; at least one is left.
[[nodiscard]] std::vector<Dim> merged_dims(const HostTensor& tensor);

/// Visits every element in row-major order, without a division an element: run(element, count, stride) for
/// stretches of `count` elements of which the first lies `element` elements into the storage.
template <class Run>
void for_each_run(const HostTensor& tensor, Run run) {
  if (tensor.numel() == 0) return;
  const std::vector<Dim> dims = merged_dims(tensor);
  const std::size_t outer = dims.size() - 1;
  std::vector<std::int64_t> index(outer, 0);
  std::int64_t element = tensor.offset;
  while (true) {
    run(element, dims[outer].size, dims[outer].stride);
    std::size_t i = outer;
    while (i > 0) {
      --i;
      element += dims[i].stride;
      if (++index[i] < dims[i].size) break;
      element -= dims[i].size * dims[i].stride;
      index[i] = 0;
      if (i == 0) return;
    }
    if (outer == 0) return;
  }
}

/// Writes next() into every element in row-major order; Word has the dtype's size.
template <class Word, class Next>
void fill_words(HostTensor& tensor, Next next) {
  std::byte* const storage = tensor.storage.data();
  for_each_run(tensor, [&](std::int64_t element, std::int64_t count, std::int64_t stride) {
    for (std::int64_t i = 0; i < count; ++i) {
      const Word word = next();
      std::memcpy(storage + (element + i * stride) * static_cast<std::int64_t>(sizeof(Word)), &word, sizeof(Word));
    }
  });
}

}  // namespace nlldiff
