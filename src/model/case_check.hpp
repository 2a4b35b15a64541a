// SPDX-License-Identifier: Apache-2.0
// What the fields of a case demand of each other. A case that passes can be built: no size overflows, every target
// fits its type, every layout and every memory has the dimensions that it needs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/case.hpp"

namespace nlldiff {

struct Violation {
  std::size_t field;    ///< the index in fields() of the field to change
  std::string message;  ///< what is wrong and what to do
};

/// Elements that one tensor may reach over in memory, gaps included.
inline constexpr std::int64_t kMaxStorage = std::int64_t{1} << 40;

/// Every violation; fields that have no meaning (see applies) are not looked at.
[[nodiscard]] std::vector<Violation> check_case(const Case& c);

}  // namespace nlldiff
