// SPDX-License-Identifier: Apache-2.0
// What a worker printed during one case, within bounds: an endless printer costs no memory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nlldiff {

/// Keeps the first and the last kHalf bytes and counts what lies between.
class Capture {
 public:
  static constexpr std::size_t kHalf = 32 * 1024;
  void append(std::string_view bytes);
  /// The text, bytes that are not UTF-8 escaped as \xNN, with "... N bytes left out ..." where some are; empties it.
  [[nodiscard]] std::string take();

 private:
  std::string head_, tail_;
  std::size_t total_ = 0;
};

}  // namespace nlldiff
