// SPDX-License-Identifier: Apache-2.0
// Fixed sets (dtypes, layouts, verdicts, ...) as constexpr tables {value, name, help}: the parser, the
// schema, the help texts and "did you mean" all read the same table.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nlldiff {

template <class E>
struct Named {
  E value;
  std::string_view name;
  std::string_view help;
};

/// Specialise as `template <> inline constexpr auto kNames<E> = std::to_array<Named<E>>({...});`.
template <class E>
inline constexpr auto kNames = nullptr;

/// The name of a value of a tabled set; every enumerator is in its table.
template <class E>
constexpr std::string_view name_of(E value) {
  for (const auto& entry : kNames<E>)
    if (entry.value == value) return entry.name;
  return "?";
}

/// The value with that exact name, or nothing.
template <class E>
constexpr std::optional<E> value_of(std::string_view name) {
  for (const auto& entry : kNames<E>)
    if (entry.name == name) return entry.value;
  return std::nullopt;
}

/// All names of a set, in table order.
template <class E>
std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const auto& entry : kNames<E>) names.emplace_back(entry.name);
  return names;
}

/// Edit distance (Damerau-Levenshtein, adjacent transpositions) between two short strings.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// `; did you mean "x"?` for the nearest of `known` when it is near enough, else `; known: a, b, c`.
std::string did_you_mean(std::string_view word, std::span<const std::string> known);

}  // namespace nlldiff
