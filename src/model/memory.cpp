// SPDX-License-Identifier: Apache-2.0
#include "model/memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <limits>
#include <new>

#include "core/error.hpp"

namespace nlldiff {
namespace {

std::int64_t checked_add(std::int64_t a, std::int64_t b, const MemorySpec& spec) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) {
    fail_usage("{}: its storage does not fit 64-bit addresses; make shape, C, strides or offset smaller", spec.what);
  }
  return sum;
}

std::int64_t checked_multiply(std::int64_t a, std::int64_t b, const MemorySpec& spec) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) {
    fail_usage("{}: its storage does not fit 64-bit addresses; make shape, C, strides or offset smaller", spec.what);
  }
  return product;
}

/// Strides of a tensor whose memory holds the dimensions in this order, outermost first.
std::vector<std::int64_t> strides_in_order(const std::vector<std::int64_t>& sizes,
                                           const std::vector<std::size_t>& order) {
  std::vector<std::int64_t> strides(sizes.size());
  std::int64_t step = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = step;
    step *= std::max<std::int64_t>(sizes[order[i]], 1);
  }
  return strides;
}

std::vector<std::size_t> memory_order(Memory memory, std::size_t rank) {
  std::vector<std::size_t> order(rank);
  for (std::size_t i = 0; i < rank; ++i) order[i] = i;
  if (rank >= 2 && memory == Memory::transposed) std::swap(order[0], order[1]);
  if (rank >= 2 && memory == Memory::channels_last) std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  return order;
}

/// The window of a larger tensor: every second element of the last dimension, one padded line before and one after.
Placement place_sliced(const std::vector<std::int64_t>& sizes, const MemorySpec& spec) {
  if (sizes.empty()) return {.sizes = {}, .strides = {}, .offset = 1, .storage_elements = 3};
  const std::int64_t pitch = checked_add(checked_multiply(2, sizes.back(), spec), 1, spec);
  std::vector<std::int64_t> padded = sizes;
  padded.back() = pitch;
  std::int64_t elements = 1;
  for (const std::int64_t size : padded) elements = checked_multiply(elements, size, spec);
  std::vector<std::int64_t> strides = contiguous_strides(padded);
  strides.back() = 2;
  const std::int64_t storage = checked_add(elements, checked_multiply(2, pitch, spec), spec);
  return {.sizes = sizes, .strides = strides, .offset = pitch + 1, .storage_elements = storage};
}

Placement place_strided(const std::vector<std::int64_t>& sizes, const MemorySpec& spec) {
  const auto& strides = *spec.strides;
  if (strides.size() != sizes.size()) {
    fail_usage("{}.strides has {} numbers; the tensor has {} dimensions: give one stride a dimension", spec.what,
               strides.size(), sizes.size());
  }
  const bool negative = std::any_of(strides.begin(), strides.end(), [](std::int64_t stride) { return stride < 0; });
  if (negative || spec.offset < 0) fail_usage("{}: strides and offset must be >= 0", spec.what);
  std::int64_t last = spec.offset;
  std::int64_t numel = 1;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    numel = checked_multiply(numel, sizes[i], spec);
    if (sizes[i] > 0) last = checked_add(last, checked_multiply(sizes[i] - 1, strides[i], spec), spec);
  }
  const std::int64_t elements = numel == 0 ? spec.offset : checked_add(last, 1, spec);
  return {.sizes = sizes, .strides = strides, .offset = spec.offset, .storage_elements = elements};
}

/// Asked before allocating: where memory is overcommitted, an allocation that cannot be used succeeds.
std::int64_t physical_memory_bytes() { return std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE); }

/// Only these two have elements in storage that belong to no index.
bool has_gaps(Memory memory) { return memory == Memory::sliced || memory == Memory::strides; }

void fill_gaps(HostTensor& tensor) {
  const auto bytes = static_cast<std::size_t>(bytes_of(tensor.dtype));
  std::byte filler[8] = {};
  if (is_floating(tensor.dtype)) {
    store_float(tensor.dtype, filler, std::numeric_limits<double>::quiet_NaN());
  } else if (tensor.dtype == Dtype::uint8) {
    store_int(tensor.dtype, filler, std::numeric_limits<std::uint8_t>::max());
  } else {
    const auto largest = tensor.dtype == Dtype::int32 ? std::int64_t{std::numeric_limits<std::int32_t>::max()}
                                                      : std::numeric_limits<std::int64_t>::max();
    store_int(tensor.dtype, filler, largest);
  }
  for (std::size_t at = 0; at < tensor.storage.size(); at += bytes) std::memcpy(&tensor.storage[at], filler, bytes);
}

}  // namespace

Placement place(const std::vector<std::int64_t>& sizes, const MemorySpec& spec) {
  if (spec.memory == Memory::sliced) return place_sliced(sizes, spec);
  if (spec.memory == Memory::strides) return place_strided(sizes, spec);
  std::int64_t elements = 1;
  for (const std::int64_t size : sizes) elements = checked_multiply(elements, std::max<std::int64_t>(size, 1), spec);
  const bool empty = std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
  if (empty) elements = 0;
  if (spec.memory == Memory::expanded) {
    const std::vector<std::int64_t> zeros(sizes.size(), 0);
    return {.sizes = sizes, .strides = zeros, .offset = 0, .storage_elements = empty ? 0 : 1};
  }
  const auto strides = strides_in_order(sizes, memory_order(spec.memory, sizes.size()));
  return {.sizes = sizes, .strides = strides, .offset = 0, .storage_elements = elements};
}

HostTensor allocate(Dtype dtype, const Placement& placement, const MemorySpec& spec) {
  const std::int64_t bytes = checked_multiply(placement.storage_elements, bytes_of(dtype), spec);
  if (bytes > physical_memory_bytes()) {
    fail_internal("{}: {} bytes are more than the {} of this machine; make shape, C or strides smaller", spec.what,
                  bytes, physical_memory_bytes());
  }
  HostTensor tensor{.dtype = dtype,
                    .sizes = placement.sizes,
                    .strides = placement.strides,
                    .offset = placement.offset,
                    .storage = {}};
  try {
    tensor.storage.resize(static_cast<std::size_t>(bytes));
  } catch (const std::bad_alloc&) {
    fail_internal("{}: {} bytes of memory cannot be had; make shape, C or strides smaller", spec.what, bytes);
  }
  if (has_gaps(spec.memory)) fill_gaps(tensor);
  return tensor;
}

std::vector<Dim> merged_dims(const HostTensor& tensor) {
  std::vector<Dim> dims;
  for (std::size_t i = 0; i < tensor.sizes.size(); ++i) {
    const Dim dim{.size = tensor.sizes[i], .stride = tensor.strides[i]};
    if (dim.size == 1) continue;
    if (!dims.empty() && dims.back().stride == dim.size * dim.stride) {
      dims.back() = {.size = dims.back().size * dim.size, .stride = dim.stride};
    } else {
      dims.push_back(dim);
    }
  }
  if (dims.empty()) dims.push_back({});
  return dims;
}

}  // namespace nlldiff
