// SPDX-License-Identifier: Apache-2.0
#include "model/text.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <iterator>

namespace nlldiff {
namespace {

unsigned byte_at(std::string_view text, std::size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
}

bool is_in(unsigned byte, unsigned low, unsigned high) { return low <= byte && byte <= high; }

/// Length of the valid UTF-8 sequence at i, 0 where there is none. The ranges are Unicode's table 3-7.
std::size_t sequence_length(std::string_view text, std::size_t i) {
  const unsigned lead = byte_at(text, i);
  const unsigned second = byte_at(text, i + 1);
  if (lead < 0x80) return 1;
  if (is_in(lead, 0xC2, 0xDF)) return is_in(second, 0x80, 0xBF) ? 2 : 0;
  const unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (!is_in(lead, 0xE0, 0xF4) || !is_in(second, low, high) || !is_in(byte_at(text, i + 2), 0x80, 0xBF)) return 0;
  if (lead < 0xF0) return 3;
  return is_in(byte_at(text, i + 3), 0x80, 0xBF) ? 4 : 0;
}

}  // namespace

std::string escape_invalid_utf8(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(text, i);
    if (length == 0) {
      fmt::format_to(std::back_inserter(escaped), "\\x{:02X}", byte_at(text, i));
      ++i;
    } else {
      escaped.append(text.substr(i, length));
      i += length;
    }
  }
  return escaped;
}

}  // namespace nlldiff
