// SPDX-License-Identifier: Apache-2.0
// Plain structs to and from JSON by a table of their members: kJsonFields<T> names each member once, and both
// directions follow from it. A member that has its default is left out; unknown keys are ignored. Strings become
// valid UTF-8, NaN and infinities the strings "nan", "inf", "-inf", so dump() never throws and no value is lost.
// Internal to src/model.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "model/case_json.hpp"
#include "model/text.hpp"

namespace nlldiff::json_fields {

using nlohmann::json;

template <class T, class M>
struct Field {
  const char* name;
  M T::*member;
  bool always;  ///< written even where it has its default
};
template <class T, class M>
constexpr Field<T, M> field(const char* name, M T::*member) {
  return {name, member, false};
}
template <class T, class M>
constexpr Field<T, M> always(const char* name, M T::*member) {
  return {name, member, true};
}

/// Specialise as `template <> inline constexpr auto kJsonFields<T> = std::make_tuple(field(...), ...);`.
template <class T>
inline constexpr auto kJsonFields = nullptr;

template <class T>
concept Tabled = !std::same_as<std::remove_cv_t<decltype(kJsonFields<T>)>, std::nullptr_t>;
template <class T>
concept Integer = std::integral<T> && !std::same_as<T, bool>;

[[noreturn]] inline void refuse(const json& value, std::string_view wanted) {
  fail_usage("a result has {} where {} belongs; it was written by another version or damaged",
             value.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 80), wanted);
}

/// Optionals, lists and maps have no default but the empty one; their elements need no comparison then.
template <class M>
bool is_default(const M& value, const M& standard) {
  if constexpr (std::equality_comparable<M>) return value == standard;
  return false;
}
template <class T>
bool is_default(const std::optional<T>& value, const std::optional<T>&) {
  return !value.has_value();
}
template <class T>
bool is_default(const std::vector<T>& value, const std::vector<T>&) {
  return value.empty();
}
template <class T>
bool is_default(const std::map<std::string, T>& value, const std::map<std::string, T>&) {
  return value.empty();
}

// ---- values to JSON: one overload a kind, all declared first, for each calls the others ----

inline json write(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}
inline json write(const std::string& value) { return escape_invalid_utf8(value); }
inline json write(bool value) { return value; }
inline json write(const Case& value) { return value; }
template <Integer T>
json write(T value) {
  return value;
}
template <class E>
requires std::is_enum_v<E> json write(E value) { return name_of(value); }
template <std::size_t N>
json write(const std::array<std::int64_t, N>& values);
template <class T>
json write(const std::optional<T>& value);
template <class T>
json write(const std::vector<T>& values);
template <class T>
json write(const std::map<std::string, T>& values);
template <Tabled T>
json write(const T& value);

template <std::size_t N>
json write(const std::array<std::int64_t, N>& values) {
  std::size_t length = N;
  while (length > 0 && values[length - 1] == 0) --length;  // zeros at the end say nothing
  return std::vector<std::int64_t>(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(length));
}
template <class T>
json write(const std::optional<T>& value) {
  return value ? write(*value) : json();
}
template <class T>
json write(const std::vector<T>& values) {
  json array = json::array();
  for (const T& value : values) array.push_back(write(value));
  return array;
}
template <class T>
json write(const std::map<std::string, T>& values) {
  json object = json::object();
  for (const auto& [key, value] : values) object[escape_invalid_utf8(key)] = write(value);
  return object;
}
template <Tabled T>
json write(const T& value) {
  static const T defaults{};
  json object = json::object();
  const auto put = [&](const auto& f) {
    if (f.always || !is_default(value.*f.member, defaults.*f.member)) object[f.name] = write(value.*f.member);
  };
  std::apply([&](const auto&... fields) { (put(fields), ...); }, kJsonFields<T>);
  return object;
}

// ---- JSON to values ----

inline void read(const json& from, double& to) {
  if (from.is_number()) {
    to = from.get<double>();
  } else if (from == "nan") {
    to = std::numeric_limits<double>::quiet_NaN();
  } else if (from == "inf" || from == "-inf") {
    to = from == "inf" ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
  } else {
    refuse(from, "a number");
  }
}
inline void read(const json& from, std::string& to) {
  if (!from.is_string()) refuse(from, "a string");
  to = from.get<std::string>();
}
inline void read(const json& from, bool& to) {
  if (!from.is_boolean()) refuse(from, "true or false");
  to = from.get<bool>();
}
inline void read(const json& from, Case& to) {
  if (!from.is_object()) refuse(from, "a case");
  try {
    from_json(from, to);
  } catch (const json::exception&) {
    refuse(from, "a case");
  }
}
template <Integer T>
void read(const json& from, T& to) {
  // Unsigned first: nlohmann says of its unsigned numbers that they are integers as well.
  const bool fits = from.is_number_unsigned() ? std::in_range<T>(from.get<std::uint64_t>())
                                              : from.is_number_integer() && std::in_range<T>(from.get<std::int64_t>());
  if (!fits) refuse(from, "a whole number");
  to = from.get<T>();
}
template <class E>
requires std::is_enum_v<E>
void read(const json& from, E& to) {
  const auto value = from.is_string() ? value_of<E>(from.get_ref<const std::string&>()) : std::nullopt;
  if (!value) refuse(from, fmt::format("one of {}", fmt::join(all_names<E>(), ", ")));
  to = *value;
}
template <std::size_t N>
void read(const json& from, std::array<std::int64_t, N>& to);
template <class T>
void read(const json& from, std::optional<T>& to);
template <class T>
void read(const json& from, std::vector<T>& to);
template <class T>
void read(const json& from, std::map<std::string, T>& to);
template <Tabled T>
void read(const json& from, T& to);

template <std::size_t N>
void read(const json& from, std::array<std::int64_t, N>& to) {
  if (!from.is_array() || from.size() > N) refuse(from, fmt::format("a list of at most {} numbers", N));
  to.fill(0);
  for (std::size_t i = 0; i < from.size(); ++i) read(from[i], to[i]);
}
template <class T>
void read(const json& from, std::optional<T>& to) {
  if (from.is_null()) return to.reset();
  read(from, to.emplace());
}
template <class T>
void read(const json& from, std::vector<T>& to) {
  if (!from.is_array()) refuse(from, "a list");
  to.clear();
  to.reserve(from.size());
  for (const json& value : from) read(value, to.emplace_back());
}
template <class T>
void read(const json& from, std::map<std::string, T>& to) {
  if (!from.is_object()) refuse(from, "an object");
  to.clear();
  for (const auto& [key, value] : from.items()) read(value, to[key]);
}
template <Tabled T>
void read(const json& from, T& to) {
  if (!from.is_object()) refuse(from, "an object");
  to = T{};
  const auto take = [&](const auto& f) {
    if (const auto found = from.find(f.name); found != from.end()) read(*found, to.*f.member);
  };
  std::apply([&](const auto&... fields) { (take(fields), ...); }, kJsonFields<T>);
}

}  // namespace nlldiff::json_fields
