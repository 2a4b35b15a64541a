// SPDX-License-Identifier: Apache-2.0
// How findings spell cells, rows and addresses.
#pragma once

#include <cstdint>
#include <string>

#include "model/case.hpp"
#include "model/result.hpp"
#include "model/trace.hpp"

namespace nlldiff {

/// "row 5" or, with spatial dimensions, "row 5 (n=1, d=2)".
[[nodiscard]] std::string row_words(const Geometry& g, std::int64_t row);
/// "row 1, class 0"
[[nodiscard]] std::string cell_words(const Geometry& g, std::int64_t cell);
/// "0*4 + 4 = cell 4", or with D: "0*4*6 + 4*6 + 2 = cell 26": n*C*D + target*D + d in numbers.
[[nodiscard]] std::string address_words(const Geometry& g, std::int64_t row, std::int64_t target, std::int64_t cell);
/// A floating value in its shortest exact form: "-1", "0.5", "nan", "-inf".
[[nodiscard]] std::string value_words(double value);
/// "kernel backward_scatter, block 0 thread 3"
[[nodiscard]] std::string store_words(const CallTrace& trace, const Store& store);
/// The double whose bits, in `dtype`, are the low bits of `bits`.
[[nodiscard]] double value_of_bits(Dtype dtype, std::uint64_t bits);

}  // namespace nlldiff
