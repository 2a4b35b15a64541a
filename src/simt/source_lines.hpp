// SPDX-License-Identifier: Apache-2.0
// Where in the source a program counter is.
#pragma once

#include <string>
#include <vector>

namespace nlldiff::simt {

/// "file:line" per return address, of the innermost frame that is not one of simt's own headers; empty where the
/// library has no line table, or binutils' addr2line is not there.
[[nodiscard]] std::vector<std::string> source_lines(const std::vector<const void*>& return_addresses);

}  // namespace nlldiff::simt
