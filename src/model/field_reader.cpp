// SPDX-License-Identifier: Apache-2.0
#include "model/field_reader.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/text.hpp"

namespace nlldiff {

namespace {

constexpr std::int64_t kMin64 = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax64 = std::numeric_limits<std::int64_t>::max();

std::string integer_phrase(const FieldLimits& limits) {
  if (limits.min == kMin64 && limits.max == kMax64) return "an integer from -2^63 to 2^63 - 1";
  if (limits.max == kMax64) return fmt::format("an integer from {} to 2^63 - 1", limits.min);
  if (limits.max == kMaxCells) return fmt::format("an integer from {} to 2^62", limits.min);
  return fmt::format("an integer from {} to {}", limits.min, limits.max);
}

std::string float_phrase(const FieldLimits& limits) {
  if (std::isinf(limits.most)) return R"(a float64 number, "nan", "inf" or "-inf")";
  return fmt::format("a number from {} to {}", limits.least, limits.most);
}

/// Reads one value for one field; `what` says where inside the field ("C", "an element of shape").
class ValueReader {
 public:
  ValueReader(const JsonTree& tree, std::size_t field, JsonErrors& errors)
      : tree_(tree), field_(fields()[field]), errors_(errors), what_(field_.path) {}

  bool read(std::uint32_t node, std::int64_t& out) {
    const JsonNode& n = tree_.nodes[node];
    if (n.kind != JsonKind::integer || n.integer < field_.limits.min || n.integer > field_.limits.max)
      return wrong(node, integer_phrase(field_.limits));
    out = n.integer;
    return true;
  }

  bool read(std::uint32_t node, std::uint64_t& out) {
    const JsonNode& n = tree_.nodes[node];
    const bool small = n.kind == JsonKind::integer && n.integer >= 0;
    if (!small && n.kind != JsonKind::big_integer) return wrong(node, "an integer from 0 to 2^64 - 1");
    out = small ? static_cast<std::uint64_t>(n.integer) : n.big_integer;
    return true;
  }

  bool read(std::uint32_t node, double& out) {
    const std::optional<double> number = float_of(node);
    const bool bounded = !std::isinf(field_.limits.most);
    if (!number || (bounded && !(*number >= field_.limits.least && *number <= field_.limits.most)))
      return wrong(node, float_phrase(field_.limits));
    out = *number;
    return true;
  }

  bool read(std::uint32_t node, std::string& out) {
    if (tree_.nodes[node].kind != JsonKind::string || !is_name(tree_.string(node), true))
      return wrong(node, "a string of 1 to 100 letters, digits and . _ + -");
    out = tree_.string(node);
    return true;
  }

  bool read(std::uint32_t node, std::optional<std::int64_t>& out) { return read(node, out.emplace()); }

  template <class T>
  bool read(std::uint32_t node, std::vector<T>& out) {
    if (tree_.nodes[node].kind != JsonKind::array) return wrong(node, "a list");
    if (tree_.nodes[node].size > field_.limits.max_items)
      return note(node, fmt::format("{} has {} elements; at most {} are possible", what_, tree_.nodes[node].size,
                                    field_.limits.max_items));
    const std::string list = std::exchange(what_, fmt::format("an element of {}", what_));
    out.resize(tree_.nodes[node].size);
    bool good = true;
    std::size_t i = 0;
    tree_.for_each_element(node, [&](std::uint32_t element) { good &= read_element(element, out[i++]); });
    what_ = list;
    return good;
  }

  template <class E>
  requires std::is_enum_v<E>
  bool read(std::uint32_t node, E& out) {
    const bool text = tree_.nodes[node].kind == JsonKind::string;
    const std::optional<E> value = text ? value_of<E>(tree_.string(node)) : std::nullopt;
    if (value && (field_.limits.allowed & choices(*value)) != 0) {
      out = *value;
      return true;
    }
    const std::vector<std::string> known = choice_names(field_);
    if (!text) return wrong(node, fmt::format("one of {}", fmt::join(known, ", ")));
    return note(node, fmt::format("{} cannot be {}{}", what_, in_quotes(tree_.string(node)),
                                  did_you_mean(tree_.string(node), known)));
  }

 private:
  template <class T>
  bool read_element(std::uint32_t node, T& out) {
    return read(node, out);
  }

  bool read_element(std::uint32_t node, std::string& tag) {
    if (tree_.nodes[node].kind != JsonKind::string || !is_tag(tree_.string(node)))
      return wrong(node, "a string of 1 to 100 letters, digits and . _ + -");
    tag = tree_.string(node);
    return true;
  }

  bool read_element(std::uint32_t node, SpecialCell& out) {
    if (tree_.nodes[node].kind != JsonKind::object) return wrong(node, R"(an object {"row", "class", "value"})");
    static const std::vector<std::string> kKeys{"row", "class", "value"};
    bool good = true;
    std::size_t seen = 0;
    tree_.for_each_member(node, [&](std::uint32_t key, std::uint32_t value) {
      const std::string_view name = tree_.string(key);
      ++seen;
      if (name == "row")
        good &= read_size(value, name, out.row);
      else if (name == "class")
        good &= read_size(value, name, out.class_index);
      else if (name == "value")
        good &= read(value, out.value);
      else
        good = note(key, fmt::format("unknown key {}{}", in_quotes(name), did_you_mean(name, kKeys)));
    });
    return good && (seen == kKeys.size() || wrong(node, R"(an object with all of "row", "class" and "value")"));
  }

  bool read_size(std::uint32_t node, std::string_view key, std::int64_t& out) {
    const JsonNode& n = tree_.nodes[node];
    if (n.kind != JsonKind::integer || n.integer < 0 || n.integer > kMaxCells)
      return note(node, fmt::format("{} must be an integer from 0 to 2^62, not {}", key, describe(tree_, node)));
    out = n.integer;
    return true;
  }

  [[nodiscard]] std::optional<double> float_of(std::uint32_t node) const {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const JsonNode& n = tree_.nodes[node];
    if (n.kind == JsonKind::integer) return n.negative_zero ? -0.0 : static_cast<double>(n.integer);
    if (n.kind == JsonKind::big_integer) return static_cast<double>(n.big_integer);
    if (n.kind == JsonKind::number && std::isfinite(n.number)) return n.number;
    if (n.kind != JsonKind::string) return std::nullopt;
    const std::string_view word = tree_.string(node);
    if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (word == "inf") return kInfinity;
    if (word == "-inf") return -kInfinity;
    return std::nullopt;
  }

  bool wrong(std::uint32_t node, std::string_view wanted) {
    return note(node, fmt::format("{} must be {}, not {}", what_, wanted, describe(tree_, node)));
  }
  bool note(std::uint32_t node, std::string message) {
    errors_.add(node, std::move(message));
    return false;
  }

  const JsonTree& tree_;
  const Field& field_;
  JsonErrors& errors_;
  std::string what_;
};

}  // namespace

std::optional<FieldValue> read_field(const JsonTree& tree, std::uint32_t node, std::size_t field, JsonErrors& errors) {
  ValueReader reader(tree, field, errors);
  const auto read = [&]<class T>(const T*) -> std::optional<FieldValue> {
    T value{};
    if (!reader.read(node, value)) return std::nullopt;
    return FieldValue(std::move(value));
  };
  static const Case kTypes;
  return std::visit(read, fields()[field].const_ref(kTypes));
}

std::string describe(const JsonTree& tree, std::uint32_t node) {
  switch (tree.nodes[node].kind) {
    case JsonKind::string:
      return in_quotes(tree.string(node));
    case JsonKind::integer:
    case JsonKind::big_integer:
    case JsonKind::number:
      return one_line(tree.number_literal(node), 40);
    default:
      return std::string(kind_phrase(tree.nodes[node].kind));
  }
}

}  // namespace nlldiff
