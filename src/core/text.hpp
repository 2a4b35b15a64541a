// SPDX-License-Identifier: Apache-2.0
// Text that came from outside, made fit for a one-line message; and UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nlldiff {

/// Bytes of the valid UTF-8 character at the front of `text` (no overlong form, no surrogate); 0: none.
[[nodiscard]] std::size_t utf8_length(std::string_view text);

/// `text` on one line: control characters and invalid bytes as \xNN, cut to about `longest` bytes with "...".
[[nodiscard]] std::string one_line(std::string_view text, std::size_t longest);

/// `"text"`: in quotes, on one line, cut to about 60 bytes.
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace nlldiff
