// SPDX-License-Identifier: Apache-2.0
// Standard output and error. A full or closed output is an error, not a silent loss.
#pragma once

#include <string_view>

namespace nlldiff {

/// Throws Error(usage) where standard output takes no more.
void print_out(std::string_view text);
/// Flushes standard output; throws as above.
void flush_out();
void print_err(std::string_view text);

}  // namespace nlldiff
