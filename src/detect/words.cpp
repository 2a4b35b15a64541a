// SPDX-License-Identifier: Apache-2.0
#include "detect/words.hpp"

#include <fmt/format.h>

#include <cmath>

namespace nlldiff {

std::string row_words(const Geometry& g, std::int64_t row) {
  if (g.D == 1) return fmt::format("row {}", row);
  return fmt::format("row {} (n={}, d={})", row, row / g.D, row % g.D);
}

std::string cell_words(const Geometry& g, std::int64_t cell) {
  return fmt::format("{}, class {}", row_words(g, g.row_of(cell)), g.class_of(cell));
}

std::string address_words(const Geometry& g, std::int64_t row, std::int64_t target, std::int64_t cell) {
  if (g.D == 1 && target < 0)
    return fmt::format("{}*{} - {} = cell {}", row, g.C, 0 - static_cast<std::uint64_t>(target), cell);
  if (g.D == 1) return fmt::format("{}*{} + {} = cell {}", row, g.C, target, cell);
  return fmt::format("{0}*{1}*{2} + {3}*{2} + {4} = cell {5}", row / g.D, g.C, g.D, target, row % g.D, cell);
}

std::string value_words(double value) {
  if (std::isnan(value)) return "nan";
  if (value == 0) return "0";
  return fmt::format("{}", value);
}

std::string store_words(const CallTrace& trace, const Store& store) {
  const std::string name =
      store.launch < trace.launches.size() ? trace.launches[store.launch].kernel : std::string("(unknown)");
  return fmt::format("kernel {}, block {} thread {}", name, store.block, store.thread);
}

double value_of_bits(Dtype dtype, std::uint64_t bits) { return load_float(dtype, &bits); }

}  // namespace nlldiff
