// SPDX-License-Identifier: Apache-2.0
#include "run/frames.hpp"

#include <cstdint>

#include "core/error.hpp"
#include "model/protocol.hpp"

namespace nlldiff {
namespace {

constexpr std::size_t kPrefix = 4;

std::size_t decode_length(std::string_view prefix) {
  std::uint32_t length = 0;
  for (std::size_t i = 0; i < kPrefix; ++i)
    length |= static_cast<std::uint32_t>(static_cast<unsigned char>(prefix[i])) << (8 * i);
  return length;
}

}  // namespace

std::string encode_frame(std::string_view body) {
  std::string frame;
  frame.reserve(kPrefix + body.size());
  for (std::size_t i = 0; i < kPrefix; ++i) frame += static_cast<char>((body.size() >> (8 * i)) & 0xff);
  frame += body;
  return frame;
}

std::optional<std::string> FrameReader::next() {
  if (buffer_.size() < kPrefix) return std::nullopt;
  const std::size_t length = decode_length(buffer_);
  if (length > kMaxFrame) fail_internal("a frame of {} bytes is over the limit of {}", length, kMaxFrame);
  if (buffer_.size() < kPrefix + length) return std::nullopt;
  std::string body = buffer_.substr(kPrefix, length);
  buffer_.erase(0, kPrefix + length);
  return body;
}

}  // namespace nlldiff
