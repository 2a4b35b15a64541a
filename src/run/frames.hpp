// SPDX-License-Identifier: Apache-2.0
// The frames of model/protocol.hpp for a reader that must never block.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace nlldiff {

/// Length prefix and body.
[[nodiscard]] std::string encode_frame(std::string_view body);

/// Takes bytes as they come, gives whole frames.
class FrameReader {
 public:
  void append(std::string_view bytes) { buffer_ += bytes; }
  /// The next whole frame's body, or nothing yet. Throws Error(internal) where the length is beyond kMaxFrame.
  [[nodiscard]] std::optional<std::string> next();

 private:
  std::string buffer_;
};

}  // namespace nlldiff
