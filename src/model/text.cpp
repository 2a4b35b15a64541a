// SPDX-License-Identifier: Apache-2.0
#include "model/text.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <iterator>

#include "core/text.hpp"

namespace nlldiff {

std::string escape_invalid_utf8(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text.substr(i));
    if (length == 0) {
      fmt::format_to(std::back_inserter(escaped), "\\x{:02X}", static_cast<unsigned char>(text[i]));
      ++i;
    } else {
      escaped.append(text.substr(i, length));
      i += length;
    }
  }
  return escaped;
}

}  // namespace nlldiff
