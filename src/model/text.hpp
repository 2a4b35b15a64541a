// SPDX-License-Identifier: Apache-2.0
// Text of unknown origin (captured output, argv, exception texts) made fit for JSON.
#pragma once

#include <string>
#include <string_view>

namespace nlldiff {

/// Valid UTF-8 stays as it is; every byte that is not part of a valid sequence becomes the four
/// characters \xNN (upper-case hex). Overlong forms, surrogates and code points beyond U+10FFFF are not valid.
[[nodiscard]] std::string escape_invalid_utf8(std::string_view text);

}  // namespace nlldiff
