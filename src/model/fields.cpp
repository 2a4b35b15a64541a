// SPDX-License-Identifier: Apache-2.0
#include "model/fields.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <tuple>
#include <type_traits>

namespace nlldiff {

namespace {

template <class Access>
constexpr Field row(std::string_view path, Access /*member*/, std::string_view help, FieldLimits limits = {},
                    FieldCondition condition = {}) {
  return {path,
          help,
          [](Case& c) -> FieldRef { return Access{}(c); },
          [](const Case& c) -> FieldConstRef { return Access{}(c); },
          limits,
          condition};
}

#define NLLDIFF_MEMBER(member) [](auto& c) { return &c.member; }

constexpr FieldLimits kSize{.min = 0, .max = kMaxCells};
constexpr FieldLimits kShape{.min = 0, .max = kMaxCells, .max_items = kMaxInputRank - 1};
constexpr FieldLimits kStrides{.min = 0, .max = kMaxCells, .max_items = kMaxInputRank};
constexpr FieldLimits kShare{.least = 0, .most = 1};
constexpr FieldLimits kFloatTypes{.allowed = choices(Dtype::float64, Dtype::float32, Dtype::float16, Dtype::bfloat16)};
constexpr FieldLimits kTargetTypes{.allowed = choices(Dtype::int64, Dtype::int32, Dtype::uint8)};
constexpr FieldLimits kMemoryBesideInput{.allowed = ~choices(Memory::channels_last)};

constexpr ChoiceSet kGivenStrides = choices(Memory::strides);
constexpr ChoiceSet kSharedLayouts = choices(TargetLayout::uniform, TargetLayout::collide, TargetLayout::out_of_range);
constexpr ChoiceSet kValueLayouts = choices(TargetLayout::constant, TargetLayout::out_of_range);

constexpr std::array kTable{
    row("name", NLLDIFF_MEMBER(name),
        "unique in its file; letters, digits and . _ + -; an expanded case has /field=value,... behind it"),
    row("op", NLLDIFF_MEMBER(op), "the operator under test"),
    row("shape", NLLDIFF_MEMBER(shape),
        "sizes of the target: [] (one row), [N], [N, d1, ...]; the input is [N, C, d1, ...]", kShape),
    row("C", NLLDIFF_MEMBER(C), "number of classes; 0 only where no row needs a class", kSize),
    row("ignore_index", NLLDIFF_MEMBER(ignore_index), "the target value that marks an ignored row; any 64-bit integer"),
    row("dtype", NLLDIFF_MEMBER(dtype), "element type of input, weight and gradients", kFloatTypes),
    row("reduction", NLLDIFF_MEMBER(reduction), "what the losses of the rows become"),
    row("passes", NLLDIFF_MEMBER(passes), "which passes are run"),
    row("rng_seed", NLLDIFF_MEMBER(rng_seed), "seed of every random fill and layout of the case, 0 to 2^64 - 1"),
    row("target.layout", NLLDIFF_MEMBER(target.layout), "which class each row has and which rows are ignored"),
    row("target.values", NLLDIFF_MEMBER(target.values), "the target of each row, in row order", {},
        {"target.layout", choices(TargetLayout::explicit_)}),
    row("target.value", NLLDIFF_MEMBER(target.value), "the target of every row, or of row target.row (out_of_range)",
        {}, {"target.layout", kValueLayouts}),
    row("target.row", NLLDIFF_MEMBER(target.row), "the row that holds target.value", kSize,
        {"target.layout", choices(TargetLayout::out_of_range)}),
    row("target.ignored", NLLDIFF_MEMBER(target.ignored), "share of ignored rows, 0 to 1", kShare,
        {"target.layout", kSharedLayouts}),
    row("target.dtype", NLLDIFF_MEMBER(target.dtype), "element type of the target", kTargetTypes),
    row("target.memory", NLLDIFF_MEMBER(target.memory), "how the target lies in memory", kMemoryBesideInput),
    row("target.strides", NLLDIFF_MEMBER(target.strides), "strides in elements, one a dimension of the target",
        kStrides, {"target.memory", kGivenStrides}),
    row("target.offset", NLLDIFF_MEMBER(target.offset), "elements before the first one", kSize,
        {"target.memory", kGivenStrides}),
    row("weight.fill", NLLDIFF_MEMBER(weight.fill), "the weights of the classes"),
    row("weight.values", NLLDIFF_MEMBER(weight.values), "the weight of each class", {},
        {"weight.fill", choices(WeightFill::explicit_)}),
    row("weight.length", NLLDIFF_MEMBER(weight.length),
        "length of the weight tensor (default: C); any other length must be refused: \"expect\": \"reject\"", kSize,
        {"weight.fill", ~choices(WeightFill::none)}),
    row("input.fill", NLLDIFF_MEMBER(input.fill), "the values of the input"),
    row("input.values", NLLDIFF_MEMBER(input.values), "one number a cell, in order of the flat index n*C*D + c*D + d",
        {}, {"input.fill", choices(InputFill::explicit_)}),
    row("input.value", NLLDIFF_MEMBER(input.value), "the number in every cell", {},
        {"input.fill", choices(InputFill::constant)}),
    row("input.special", NLLDIFF_MEMBER(input.special),
        "cells that differ from the fill: a list of {\"row\", \"class\", \"value\"}"),
    row("input.memory", NLLDIFF_MEMBER(input.memory), "how the input lies in memory"),
    row("input.strides", NLLDIFF_MEMBER(input.strides), "strides in elements, one a dimension of the input", kStrides,
        {"input.memory", kGivenStrides}),
    row("input.offset", NLLDIFF_MEMBER(input.offset), "elements before the first one", kSize,
        {"input.memory", kGivenStrides}),
    row("grad_output.fill", NLLDIFF_MEMBER(grad_output.fill), "the upstream gradient"),
    row("grad_output.values", NLLDIFF_MEMBER(grad_output.values),
        "one number a row with reduction none, a single one else", {},
        {"grad_output.fill", choices(GradFill::explicit_)}),
    row("grad_output.memory", NLLDIFF_MEMBER(grad_output.memory), "how the upstream gradient lies in memory",
        kMemoryBesideInput),
    row("grad_output.strides", NLLDIFF_MEMBER(grad_output.strides),
        "strides in elements, one a dimension of the upstream gradient", kStrides,
        {"grad_output.memory", kGivenStrides}),
    row("grad_output.offset", NLLDIFF_MEMBER(grad_output.offset), "elements before the first one", kSize,
        {"grad_output.memory", kGivenStrides}),
    row("expect", NLLDIFF_MEMBER(expect), "what the candidate must do"),
    row("tolerance", NLLDIFF_MEMBER(tolerance),
        "ULPs allowed for every compared value, in place of the built-in limits", {.min = 0}),
    row("repeat", NLLDIFF_MEMBER(repeat), "how often the whole job is done; every time must agree",
        {.min = 1, .max = 1000}),
    row("tags", NLLDIFF_MEMBER(tags), "words to select cases by; letters, digits and . _ + -"),
};
static_assert(kTable.size() == kFieldCount);

#undef NLLDIFF_MEMBER

// ---- The guard: a member that is added to a struct of case.hpp breaks one of these bindings. Name it there,
// and the static_asserts below ask for its row in the table. ----
[[maybe_unused]] auto members(const TargetSpec& t) {
  const auto& [layout, values, value, index, ignored, dtype, memory, strides, offset] = t;
  return std::tie(layout, values, value, index, ignored, dtype, memory, strides, offset);
}
[[maybe_unused]] auto members(const InputSpec& t) {
  const auto& [fill, values, value, special, memory, strides, offset] = t;
  return std::tie(fill, values, value, special, memory, strides, offset);
}
[[maybe_unused]] auto members(const GradOutputSpec& t) {
  const auto& [fill, values, memory, strides, offset] = t;
  return std::tie(fill, values, memory, strides, offset);
}
[[maybe_unused]] auto members(const WeightSpec& t) {
  const auto& [fill, values, length] = t;
  return std::tie(fill, values, length);
}
[[maybe_unused]] auto members(const Case& c) {
  const auto& [name, op, shape, C, ignore_index, dtype, reduction, passes, rng_seed, target, weight, input, grad_output,
               expect, tolerance, repeat, tags] = c;
  return std::tie(name, op, shape, C, ignore_index, dtype, reduction, passes, rng_seed, target, weight, input,
                  grad_output, expect, tolerance, repeat, tags);
}
template <class T>
constexpr auto kMembers = std::tuple_size_v<decltype(members(std::declval<const T&>()))>;

constexpr std::size_t rows_of(std::string_view group) {
  return static_cast<std::size_t>(std::ranges::count(kTable, group, &Field::group));
}
static_assert(rows_of("target") == kMembers<TargetSpec>);
static_assert(rows_of("input") == kMembers<InputSpec>);
static_assert(rows_of("grad_output") == kMembers<GradOutputSpec>);
static_assert(rows_of("weight") == kMembers<WeightSpec>);
static_assert(rows_of("") == kMembers<Case> - 4, "four members of Case are groups");

constexpr std::size_t kNoController = kFieldCount;

constexpr std::size_t index_of(std::string_view path) {
  for (std::size_t i = 0; i < kTable.size(); ++i)
    if (kTable[i].path == path) return i;
  return kFieldCount;
}

// Controllers by index, so that `applies` compares no strings.
constexpr auto kControllers = [] {
  std::array<std::size_t, kFieldCount> controllers{};
  for (std::size_t i = 0; i < kFieldCount; ++i) controllers[i] = index_of(kTable[i].condition.controller);
  return controllers;
}();
static_assert(
    [] {
      for (std::size_t i = 0; i < kFieldCount; ++i)
        if (!kTable[i].condition.controller.empty() && kControllers[i] == kNoController) return false;
      return true;
    }(),
    "a condition names a field that is not in the table");

constexpr std::array<std::string_view, 4> kGroups{"target", "weight", "input", "grad_output"};

const Case& default_case() {
  static const Case c;
  return c;
}

bool same_bits(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

template <class T>
bool same_member(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, double>)
    return same_bits(a, b);
  else if constexpr (std::is_same_v<T, std::vector<double>>)
    return std::ranges::equal(a, b, same_bits);
  else
    return a == b;
}

std::vector<std::string> names_in(const Field& field, ChoiceSet set) {
  const auto collect = [set]<class T>(const T*) {
    std::vector<std::string> names;
    if constexpr (std::is_enum_v<T>)
      for (const auto& entry : kNames<T>)
        if ((set & choices(entry.value)) != 0) names.emplace_back(entry.name);
    return names;
  };
  return std::visit(collect, field.const_ref(default_case()));
}

bool is_word(std::string_view text, std::string_view more, std::size_t longest) {
  const auto fits = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || more.find(c) != more.npos;
  };
  return !text.empty() && text.size() <= longest && std::ranges::all_of(text, fits);
}

}  // namespace

std::span<const Field, kFieldCount> fields() { return kTable; }

std::optional<std::size_t> find_field(std::string_view path) {
  const std::size_t index = index_of(path);
  return index == kFieldCount ? std::nullopt : std::optional(index);
}

std::optional<std::size_t> find_field(std::string_view group, std::string_view key) {
  for (std::size_t i = 0; i < kTable.size(); ++i)
    if (kTable[i].group() == group && kTable[i].key() == key) return i;
  return std::nullopt;
}

std::span<const std::string_view> field_groups() { return kGroups; }

const std::vector<std::string>& settable_paths() {
  static const std::vector<std::string> paths = [] {
    std::vector<std::string> all;
    for (const Field& field : kTable)
      if (field.path != "name") all.emplace_back(field.path);
    return all;
  }();
  return paths;
}

FieldValue get_field(std::size_t field, const Case& c) {
  return std::visit([](const auto* member) -> FieldValue { return *member; }, kTable[field].const_ref(c));
}

void set_field(std::size_t field, Case& c, const FieldValue& value) {
  std::visit([&]<class T>(T* member) { *member = std::get<T>(value); }, kTable[field].ref(c));
}

bool is_default(std::size_t field, const Case& c) {
  const auto compare = [&]<class T>(const T* member) {
    return same_member(*member, *std::get<const T*>(kTable[field].const_ref(default_case())));
  };
  return std::visit(compare, kTable[field].const_ref(c));
}

void reset_field(std::size_t field, Case& c) { set_field(field, c, get_field(field, default_case())); }

bool applies(std::size_t field, const Case& c) {
  const std::size_t controller = kControllers[field];
  if (controller == kNoController) return true;
  const auto holds = [&]<class T>(const T* member) {
    if constexpr (std::is_enum_v<T>) return (kTable[field].condition.with & choices(*member)) != 0;
    return true;
  };
  return std::visit(holds, kTable[controller].const_ref(c));
}

std::vector<std::string> choice_names(const Field& field) { return names_in(field, field.limits.allowed); }

std::vector<std::string> condition_names(const Field& field) {
  const auto controller = find_field(field.condition.controller);
  return controller ? names_in(kTable[*controller], field.condition.with) : std::vector<std::string>{};
}

bool is_name(std::string_view text, bool suffix_allowed) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return is_word(text, "._+-", kMaxEntryName);
  return suffix_allowed && is_word(text.substr(0, slash), "._+-", kMaxEntryName) &&
         is_word(text.substr(slash + 1), "._+=,#-", kMaxNameSuffix);
}

bool is_tag(std::string_view text) { return is_word(text, "._+-", kMaxEntryName); }

}  // namespace nlldiff
