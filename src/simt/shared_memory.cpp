// SPDX-License-Identifier: Apache-2.0
#include "simt/shared_memory.hpp"

namespace nlldiff::simt {

void* SharedMemory::variable(const void* key, std::size_t bytes, std::size_t align) {
  for (const Variable& known : variables_)
    if (known.key == key) return known.at;
  const std::size_t begin = (used_bytes_ + align - 1) / align * align, end = begin + bytes;
  if (end - static_begin_ > kMaxStaticSharedBytes || end - static_begin_ + dynamic_bytes_ > kMaxSharedBytes) {
    used_bytes_ = end;
    return nullptr;
  }
  std::byte* at = memory_.get()->data() + begin;
  std::memset(at, 0xff, bytes);
  used_bytes_ = end;
  variables_.push_back({key, at});
  return at;
}

}  // namespace nlldiff::simt
