// SPDX-License-Identifier: Apache-2.0
// Terminal colours, or none.
#pragma once

#include <string>
#include <string_view>

namespace nlldiff {

enum class Colour { red, green, yellow, dim, bold };

/// Paints text where colours are on.
class Style {
 public:
  explicit Style(bool colours) : colours_(colours) {}
  [[nodiscard]] std::string paint(Colour colour, std::string_view text) const;

 private:
  bool colours_;
};

}  // namespace nlldiff
