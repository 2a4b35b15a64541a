// SPDX-License-Identifier: Apache-2.0
// Numbers with their noun.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace nlldiff {

/// "1 case", "2 cases": `noun` is a singular whose plural takes an s.
[[nodiscard]] inline std::string counted(std::int64_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

}  // namespace nlldiff
