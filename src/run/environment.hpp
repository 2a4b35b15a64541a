// SPDX-License-Identifier: Apache-2.0
// On what a run happened: the machine's half of a results file's header.
#pragma once

#include <map>
#include <string>

namespace nlldiff {

using Environment = std::map<std::string, std::string>;

/// host, kernel, cpu, cores, memory_bytes, compiler.
[[nodiscard]] Environment host_environment();

/// Adds what a worker said. "candidate.x" becomes "candidate.<spec>.x", so that candidates keep apart; another key
/// that is there with a different value goes under "<key>@<device>".
void merge_environment(Environment& into, const Environment& of_worker, const std::string& spec,
                       const std::string& device);

/// The time now, UTC: 2026-01-31T12:00:00Z.
[[nodiscard]] std::string timestamp();

}  // namespace nlldiff
