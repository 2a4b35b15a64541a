// SPDX-License-Identifier: Apache-2.0
#include "core/text.hpp"

#include <fmt/format.h>

#include <iterator>

namespace nlldiff {

namespace {

constexpr std::size_t kLongestQuote = 60;

unsigned byte_at(std::string_view text, std::size_t i) { return static_cast<unsigned char>(text[i]); }

}  // namespace

// The table of well-formed byte sequences: Unicode 15, table 3-7.
std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const unsigned lead = byte_at(text, 0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (text.size() < length) return 0;
  const unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (byte_at(text, 1) < low || byte_at(text, 1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i)
    if (byte_at(text, i) < 0x80 || byte_at(text, i) > 0xBF) return 0;
  return length;
}

std::string one_line(std::string_view text, std::size_t longest) {
  std::string out;
  std::size_t i = 0;
  while (i < text.size() && i < longest) {
    const std::size_t length = utf8_length(text.substr(i));
    const bool control = length == 1 && (byte_at(text, i) < 0x20 || byte_at(text, i) == 0x7F);
    if (length == 0 || control) {
      fmt::format_to(std::back_inserter(out), "\\x{:02X}", byte_at(text, i++));
    } else {
      out += text.substr(i, length);
      i += length;
    }
  }
  return i < text.size() ? out + "..." : out;
}

std::string in_quotes(std::string_view text) { return '"' + one_line(text, kLongestQuote) + '"'; }

}  // namespace nlldiff
