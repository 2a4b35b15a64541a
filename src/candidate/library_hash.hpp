// SPDX-License-Identifier: Apache-2.0
// Which binary was judged: a results file names it by its content, so that a stale build cannot pass for a new one.
#pragma once

#include <string>

namespace nlldiff {

/// The 64-bit FNV-1a hash of a file's bytes as 16 hex digits; empty where the file cannot be read. It tells builds apart
/// and is no protection against anyone who means harm.
/// Source: Fowler, Noll, Vo; draft-eastlake-fnv (offset basis and prime).
[[nodiscard]] std::string fnv1a_of_file(const std::string& path);

}  // namespace nlldiff
