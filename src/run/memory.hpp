// SPDX-License-Identifier: Apache-2.0
// How much memory a case needs, and how much there is.
#pragma once

#include <string>

#include "model/case.hpp"

namespace nlldiff {

/// Upper estimate, in bytes, of what a worker holds for a case: inputs three times over (as built, the candidate's,
/// the reference's), five buffers of the gradient's size, nine bytes a cell of trace, and 64 MiB. A whole number.
/// Not an int64: a legal case may have 2^62 cells.
[[nodiscard]] double estimated_bytes(const Case& c);

/// Memory that this process and its children may still take: MemAvailable, or less where a control group (v2 or v1)
/// limits it. `root` is "/" but in tests. Infinite where nothing can be read.
[[nodiscard]] double available_bytes(const std::string& root = "/");

/// What a case may use of `available` when `workers` processes with their libraries are to live beside it.
[[nodiscard]] double case_budget(double available, int workers);

/// How many of `wanted` workers may live at once, at least 1: all of them beside a small case each, and any number
/// beside a case of `largest` bytes.
[[nodiscard]] int workers_that_fit(double available, int wanted, double largest);

}  // namespace nlldiff
