// SPDX-License-Identifier: Apache-2.0
// The one list of a case's fields. Parser, schema, --set, repro line, expanded names, JSON of results and the
// table in docs/cases.md all follow from it: a new field is a member in case.hpp and a row in fields.cpp.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/case.hpp"

namespace nlldiff {

/// Every C++ type that a field may have; the type decides how it is read, written and described.
template <template <class> class Wrap>
using FieldTypes =
    std::variant<Wrap<std::int64_t>, Wrap<std::uint64_t>, Wrap<double>, Wrap<std::string>,
                 Wrap<std::optional<std::int64_t>>, Wrap<std::vector<std::int64_t>>, Wrap<std::vector<double>>,
                 Wrap<std::vector<std::string>>, Wrap<std::vector<SpecialCell>>, Wrap<Op>, Wrap<Dtype>, Wrap<Reduction>,
                 Wrap<Passes>, Wrap<Expect>, Wrap<TargetLayout>, Wrap<InputFill>, Wrap<GradFill>, Wrap<WeightFill>,
                 Wrap<Memory>>;

template <class T>
using FieldSelf = T;
template <class T>
using FieldPointer = T*;
template <class T>
using FieldConstPointer = const T*;

using FieldValue = FieldTypes<FieldSelf>;
using FieldRef = FieldTypes<FieldPointer>;
using FieldConstRef = FieldTypes<FieldConstPointer>;

/// A set of enumerators, a bit each.
using ChoiceSet = std::uint32_t;
inline constexpr ChoiceSet kAllChoices = ~ChoiceSet{0};
template <class... E>
constexpr ChoiceSet choices(E... values) {
  return ((ChoiceSet{1} << static_cast<unsigned>(values)) | ...);
}

/// What a value must keep to, by itself. Each part speaks to the types that it fits.
struct FieldLimits {
  std::int64_t min = std::numeric_limits<std::int64_t>::min();  ///< integers and elements of integer lists
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
  double least = -std::numeric_limits<double>::infinity();  ///< single floats; NaN is outside any finite bound
  double most = std::numeric_limits<double>::infinity();
  std::size_t max_items = std::numeric_limits<std::size_t>::max();  ///< lists
  ChoiceSet allowed = kAllChoices;                                  ///< enums
};

/// A field has a meaning only while `controller` (a path of an enum field) has one of `with`.
struct FieldCondition {
  std::string_view controller;  ///< empty: always
  ChoiceSet with = kAllChoices;
};

struct Field {
  std::string_view path;  ///< "C", "target.layout": at most one dot
  std::string_view help;
  FieldRef (*ref)(Case&);
  FieldConstRef (*const_ref)(const Case&);
  FieldLimits limits;
  FieldCondition condition;

  /// "target" of "target.layout"; empty for a field at the top.
  [[nodiscard]] constexpr std::string_view group() const {
    const auto dot = path.find('.');
    return dot == std::string_view::npos ? std::string_view{} : path.substr(0, dot);
  }
  /// "layout" of "target.layout".
  [[nodiscard]] constexpr std::string_view key() const { return path.substr(group().empty() ? 0 : group().size() + 1); }
};

inline constexpr std::size_t kFieldCount = 37;
/// In the order in which entries, schema and docs show them; `name` is the first.
[[nodiscard]] std::span<const Field, kFieldCount> fields();

/// The index in fields() of that path, or nothing.
[[nodiscard]] std::optional<std::size_t> find_field(std::string_view path);
/// The index of `group.key`, or of `key` where `group` is empty.
[[nodiscard]] std::optional<std::size_t> find_field(std::string_view group, std::string_view key);
/// "target", "weight", ...: the fields that are objects in a file, in table order.
[[nodiscard]] std::span<const std::string_view> field_groups();
/// Paths of all fields but `name`: what matrix and --set can name.
[[nodiscard]] const std::vector<std::string>& settable_paths();

[[nodiscard]] FieldValue get_field(std::size_t field, const Case& c);
void set_field(std::size_t field, Case& c, const FieldValue& value);
[[nodiscard]] bool is_default(std::size_t field, const Case& c);
void reset_field(std::size_t field, Case& c);
/// Whether the field has a meaning, given the other fields of `c`.
[[nodiscard]] bool applies(std::size_t field, const Case& c);
/// Names of the choices of an enum field that its limits allow, in table order; empty for other types.
[[nodiscard]] std::vector<std::string> choice_names(const Field& field);
/// Names of the controller's choices with which the field has a meaning.
[[nodiscard]] std::vector<std::string> condition_names(const Field& field);

// Patterns and ranges that parser and schema share.
inline constexpr std::string_view kNamePattern = "^[A-Za-z0-9._+-]{1,100}(/[A-Za-z0-9._+=,#-]{1,1000})?$";
inline constexpr std::string_view kEntryNamePattern = "^[A-Za-z0-9._+-]{1,100}$";
inline constexpr std::string_view kTagPattern = "^[A-Za-z0-9._+-]{1,100}$";
inline constexpr std::size_t kMaxEntryName = 100;
inline constexpr std::size_t kMaxNameSuffix = 1000;
inline constexpr std::int64_t kMaxCells = std::int64_t{1} << 62;
inline constexpr int kMaxInputRank = 8;

/// kEntryNamePattern, and where `suffix` is allowed kNamePattern (the name of an expanded case).
[[nodiscard]] bool is_name(std::string_view text, bool suffix_allowed);
[[nodiscard]] bool is_tag(std::string_view text);

}  // namespace nlldiff
