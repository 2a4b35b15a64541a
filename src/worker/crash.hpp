// SPDX-License-Identifier: Apache-2.0
// What a dying worker still says: the signal, and which tensor, row and class the faulting address is.
#pragma once

#include <cstddef>
#include <string_view>

#include "model/case.hpp"

namespace nlldiff {

/// Installs handlers for SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT, on a stack of their own. They write one JSON line
/// (CrashNote) to `fd` and let the signal kill the process. Process-wide by nature, hence not an object.
void install_crash_handlers(int fd);

/// The case whose tensors are watched now: gives rows and classes to addresses.
void set_crash_geometry(const Geometry& geometry, int cell_bytes);
/// A tensor that a faulting address may be near to. At most a few dozen are kept.
void watch_for_crash(std::string_view tensor, const std::byte* data, std::size_t bytes);
void forget_crash_watches();

}  // namespace nlldiff
