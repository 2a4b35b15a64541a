// SPDX-License-Identifier: Apache-2.0
#include "core/names.hpp"

#include <fmt/format.h>

namespace nlldiff {

namespace {

constexpr std::size_t kLongestGuess = 64;  // beyond this nobody mistyped a name; and the table stays small

std::size_t tolerated_distance(std::string_view word) { return std::max<std::size_t>(1, word.size() / 3); }

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0u : 1u)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
  if (known.empty()) return "";
  if (word.size() <= kLongestGuess) {
    const auto distance_to = [&](const std::string& name) { return edit_distance(word, name); };
    const auto nearest = std::ranges::min_element(known, {}, distance_to);
    if (distance_to(*nearest) <= tolerated_distance(word)) return fmt::format("; did you mean \"{}\"?", *nearest);
  }
  return fmt::format("; known: {}", fmt::join(known, ", "));
}

}  // namespace nlldiff
