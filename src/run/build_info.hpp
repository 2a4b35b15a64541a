// SPDX-License-Identifier: Apache-2.0
// Which nlldiff this is.
#pragma once

#include <string_view>

namespace nlldiff {

[[nodiscard]] std::string_view build_version();     ///< "0.1.0"
[[nodiscard]] std::string_view build_git_commit();  ///< at configure time; "unknown" outside a checkout
[[nodiscard]] std::string_view build_compiler();    ///< "GNU 12.2.0"

}  // namespace nlldiff
