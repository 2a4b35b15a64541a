// SPDX-License-Identifier: Apache-2.0
#include "report/style.hpp"

#include <array>

namespace nlldiff {

std::string Style::paint(Colour colour, std::string_view text) const {
  constexpr std::array<std::string_view, 5> kCodes{"\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[2m", "\x1b[1m"};
  if (!colours_ || text.empty()) return std::string(text);
  return std::string(kCodes[static_cast<std::size_t>(colour)]) + std::string(text) + "\x1b[0m";
}

}  // namespace nlldiff
