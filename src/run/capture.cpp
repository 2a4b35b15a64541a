// SPDX-License-Identifier: Apache-2.0
#include "run/capture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/text.hpp"

namespace nlldiff {

void Capture::append(std::string_view bytes) {
  total_ += bytes.size();
  const std::size_t to_head = std::min(bytes.size(), kHalf - head_.size());
  head_ += bytes.substr(0, to_head);
  bytes.remove_prefix(to_head);
  if (bytes.size() > kHalf) bytes.remove_prefix(bytes.size() - kHalf);
  tail_ += bytes;
  if (tail_.size() > 4 * kHalf) tail_.erase(0, tail_.size() - kHalf);
}

std::string Capture::take() {
  if (tail_.size() > kHalf) tail_.erase(0, tail_.size() - kHalf);
  const std::size_t left_out = total_ - head_.size() - tail_.size();
  std::string text = escape_invalid_utf8(head_);
  if (left_out > 0) text += fmt::format("\n... {} bytes left out ...\n", left_out);
  text += escape_invalid_utf8(tail_);
  *this = Capture();
  return text;
}

}  // namespace nlldiff
