// SPDX-License-Identifier: Apache-2.0
// The shared memory of the one block that runs: dynamic first, then the static variables as they are met.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

namespace nlldiff::simt {

inline constexpr std::size_t kMaxSharedBytes = 227 * 1024;       ///< a block's, on an H100 or H200
inline constexpr std::size_t kMaxStaticSharedBytes = 48 * 1024;  ///< nvcc's limit for static variables

class SharedMemory {
 public:
  void begin_launch(std::size_t dynamic_bytes) {
    dynamic_bytes_ = dynamic_bytes;
    used_bytes_ = (dynamic_bytes + kAlign - 1) / kAlign * kAlign;
    static_begin_ = used_bytes_;
    variables_.clear();
  }
  /// Every byte 0xff: NaN in each floating type, -1 in each integer one. A kernel that reads what it has not
  /// written is to be wrong at once.
  void poison() { std::memset(memory_.get()->data(), 0xff, used_bytes_); }
  [[nodiscard]] void* dynamic() { return memory_.get()->data(); }
  /// The variable that `key` stands for; the same address in each block of a launch. Null: too much memory.
  [[nodiscard]] void* variable(const void* key, std::size_t bytes, std::size_t align);

  [[nodiscard]] std::size_t static_bytes() const { return used_bytes_ - static_begin_; }

 private:
  static constexpr std::size_t kAlign = 1024;
  struct Variable {
    const void* key;
    void* at;
  };
  struct alignas(kAlign) Memory : std::array<std::byte, kMaxSharedBytes + kAlign> {};

  std::unique_ptr<Memory> memory_ = std::make_unique<Memory>();
  std::size_t dynamic_bytes_ = 0, used_bytes_ = 0, static_begin_ = 0;
  std::vector<Variable> variables_;
};

}  // namespace nlldiff::simt
