// SPDX-License-Identifier: Apache-2.0
// The JSON Schema of a case file and the table of docs/cases.md, from the field table. What a schema cannot say (that
// 3.0 is no integer, that keys are not repeated, what one field demands of another across defaults and matrix) is the
// parser's alone: tests/schema holds both lists.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <type_traits>

#include "model/case_file.hpp"
#include "model/field_writer.hpp"
#include "model/fields.hpp"

namespace nlldiff {

namespace {

using Json = nlohmann::ordered_json;

// Built key by key: nlohmann's nested braces mean an object or an array by their content, and differ by compiler.
Json with(std::string_view key, Json value) {
  Json schema = Json::object();
  schema[std::string(key)] = std::move(value);
  return schema;
}
Json merged(Json a, const Json& b) {
  a.update(b);
  return a;
}
Json list(std::vector<Json> elements) { return Json(std::move(elements)); }
Json any_of(Json a, Json b) { return with("anyOf", list({std::move(a), std::move(b)})); }
Json if_then(Json condition, Json then) {
  return merged(with("if", std::move(condition)), with("then", std::move(then)));
}
Json requiring(std::vector<std::string> keys) { return with("required", std::move(keys)); }
/// Says something of one property, where it is there.
Json where(std::string_view key, Json schema) { return with("properties", with(key, std::move(schema))); }
/// The property is there, and so.
Json has(std::string_view key, Json schema) {
  return merged(requiring({std::string(key)}), where(key, std::move(schema)));
}
Json one_of_words(std::vector<std::string> words) { return with("enum", std::move(words)); }

Json word_schema(std::string_view pattern) { return merged(with("type", "string"), with("pattern", pattern)); }

template <class Number>
Json ranged(std::string_view type, Number min, Number max) {
  return merged(with("type", type), merged(with("minimum", min), with("maximum", max)));
}

Json any_float() {
  constexpr double kLargest = std::numeric_limits<double>::max();
  return any_of(ranged("number", -kLargest, kLargest), one_of_words({"nan", "inf", "-inf"}));
}

Json text_schema(std::string_view help) { return merged(with("description", help), with("type", "string")); }

Json closed_object(Json properties) {
  return merged(with("type", "object"),
                merged(with("properties", std::move(properties)), with("additionalProperties", false)));
}

Json special_cell_schema() {
  const Json size = ranged("integer", std::int64_t{0}, kMaxCells);
  const Json properties = merged(with("row", size), merged(with("class", size), with("value", any_float())));
  return merged(closed_object(properties), requiring({"row", "class", "value"}));
}

/// What a value of the field may be, by its type.
struct TypeSchema {
  const Field& field;

  Json operator()(const std::int64_t*) const { return ranged("integer", field.limits.min, field.limits.max); }
  Json operator()(const std::optional<std::int64_t>*) const {
    return ranged("integer", field.limits.min, field.limits.max);
  }
  Json operator()(const std::uint64_t*) const {
    return ranged("integer", std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max());
  }
  Json operator()(const double*) const {
    return std::isinf(field.limits.most) ? any_float() : ranged("number", field.limits.least, field.limits.most);
  }
  Json operator()(const std::string*) const { return word_schema(kNamePattern); }
  Json operator()(const std::vector<std::int64_t>*) const {
    return list_of(ranged("integer", field.limits.min, field.limits.max));
  }
  Json operator()(const std::vector<double>*) const { return list_of(any_float()); }
  Json operator()(const std::vector<std::string>*) const { return list_of(word_schema(kTagPattern)); }
  Json operator()(const std::vector<SpecialCell>*) const { return list_of(special_cell_schema()); }
  template <class E>
  requires std::is_enum_v<E> Json operator()(const E*) const { return one_of_words(choice_names(field)); }

  [[nodiscard]] Json list_of(Json items) const {
    Json array = merged(with("type", "array"), with("items", std::move(items)));
    if (field.limits.max_items != std::numeric_limits<std::size_t>::max()) array["maxItems"] = field.limits.max_items;
    return array;
  }
};

Json default_of(std::size_t field) { return write_value<Json>(get_field(field, Case{})); }

bool is_required(const Field& field) { return field.path == "name" || field.path == "shape" || field.path == "C"; }

Json field_schema(std::size_t index) {
  const Field& field = fields()[index];
  const Case c;
  Json schema = merged(with("description", field.help), std::visit(TypeSchema{field}, field.const_ref(c)));
  const Json value = default_of(index);
  if (!is_required(field) && !value.is_null()) schema["default"] = value;
  return schema;
}

Json reference(std::string_view path) { return with("$ref", fmt::format("#/$defs/{}", path)); }

/// A conditional field is given beside its controller only where that has one of the right values.
Json group_conditions(std::string_view group) {
  std::vector<Json> rules;
  for (const Field& field : fields()) {
    if (field.group() != group || field.condition.controller.empty()) continue;
    const std::string controller(fields()[*find_field(field.condition.controller)].key());
    rules.push_back(if_then(requiring({controller, std::string(field.key())}),
                            where(controller, one_of_words(condition_names(field)))));
  }
  return list(std::move(rules));
}

/// `conditions`: in defaults a field without a meaning is passed over, in a case it is an error.
Json group_schema(std::string_view group, bool conditions) {
  Json properties = Json::object();
  for (const Field& field : fields())
    if (field.group() == group) properties[std::string(field.key())] = reference(field.path);
  Json schema = closed_object(std::move(properties));
  if (conditions) schema["allOf"] = group_conditions(group);
  return schema;
}

Json case_properties(bool conditions) {
  Json properties = Json::object();
  for (const Field& field : fields()) {
    const std::string key(field.group().empty() ? field.key() : field.group());
    if (key == "name" || properties.contains(key)) continue;
    properties[key] = field.group().empty() ? reference(field.path) : group_schema(field.group(), conditions);
  }
  return properties;
}

Json matrix_schema() {
  Json properties = Json::object();
  for (const std::string& path : settable_paths()) {
    Json values = merged(with("type", "array"), with("items", reference(path)));
    values["minItems"] = 1;
    values["uniqueItems"] = true;
    properties[path] = std::move(values);
  }
  Json matrix = closed_object(std::move(properties));
  matrix["description"] = "field paths and the values that each takes; the lists multiply";
  matrix["minProperties"] = 1;
  return matrix;
}

/// A field that the matrix names is not given beside it too.
Json not_both(const Field& field) {
  const Json given = requiring({std::string(field.key())});
  return if_then(has("matrix", requiring({std::string(field.path)})),
                 with("not", field.group().empty() ? given : has(field.group(), given)));
}

Json entry_schema() {
  Json properties = merged(with("name", reference("name")), case_properties(true));
  properties["matrix"] = matrix_schema();
  properties["comment"] = text_schema("for people; not read");
  properties["origin"] = text_schema("where the case comes from, e.g. the URL of a report; not read");
  std::vector<Json> rules{if_then(requiring({"matrix"}), where("name", word_schema(kEntryNamePattern)))};
  for (const Field& field : fields())
    if (field.path != "name") rules.push_back(not_both(field));
  return merged(closed_object(std::move(properties)),
                merged(requiring({"name"}), with("allOf", list(std::move(rules)))));
}

/// shape and C are in defaults, or in every case or its matrix.
Json required_somewhere(const std::string& key) {
  const Json in_entry = any_of(requiring({key}), has("matrix", requiring({key})));
  return any_of(has("defaults", requiring({key})), where("cases", with("items", in_entry)));
}

Json definitions() {
  Json defs = Json::object();
  for (std::size_t i = 0; i < kFieldCount; ++i) defs[std::string(fields()[i].path)] = field_schema(i);
  defs["case"] = entry_schema();
  return defs;
}

Json document_properties() {
  Json defaults = closed_object(case_properties(false));
  defaults["description"] = "fields for every case of the file; one that has no meaning in a case is passed over";
  Json cases = merged(with("type", "array"), with("items", reference("case")));
  cases["minItems"] = 1;
  Json properties = with("$schema", text_schema("where this schema is, for editors"));
  properties["comment"] = text_schema("for people; not read");
  properties["origin"] = text_schema("where the cases come from, e.g. the URL of a report; not read");
  properties["defaults"] = std::move(defaults);
  properties["cases"] = std::move(cases);
  return properties;
}

// ---- the table of docs/cases.md ----

std::string limits_in_words(const FieldLimits& limits) {
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (limits.min == kMin && limits.max == kMax) return "";
  if (limits.max == kMaxCells || limits.max == kMax) return fmt::format(" >= {}", limits.min);
  return fmt::format(" {} to {}", limits.min, limits.max);
}

struct TypeInWords {
  const Field& field;

  std::string operator()(const std::int64_t*) const { return "integer" + limits_in_words(field.limits); }
  std::string operator()(const std::optional<std::int64_t>*) const { return "integer" + limits_in_words(field.limits); }
  std::string operator()(const std::uint64_t*) const { return "integer >= 0"; }
  std::string operator()(const double*) const {
    return std::isinf(field.limits.most) ? "number"
                                         : fmt::format("number {} to {}", field.limits.least, field.limits.most);
  }
  std::string operator()(const std::string*) const { return "word"; }
  std::string operator()(const std::vector<std::int64_t>*) const {
    return "list of integers" + limits_in_words(field.limits);
  }
  std::string operator()(const std::vector<double>*) const { return "list of numbers"; }
  std::string operator()(const std::vector<std::string>*) const { return "list of words"; }
  std::string operator()(const std::vector<SpecialCell>*) const { return "list of cells"; }
  template <class E>
  requires std::is_enum_v<E> std::string operator()(const E*) const {
    return fmt::format("`{}`", fmt::join(choice_names(field), "` `"));
  }
};

std::string default_in_words(std::size_t index) {
  if (is_required(fields()[index])) return "required";
  const Json value = default_of(index);
  if (value.is_null()) return "none";
  return fmt::format("`{}`", value.is_string() ? value.get<std::string>() : value.dump());
}

std::string table_row(std::size_t index) {
  const Field& field = fields()[index];
  const Case c;
  const std::string only =
      field.condition.controller.empty()
          ? ""
          : fmt::format(" (only with `{}` {})", field.condition.controller, fmt::join(condition_names(field), ", "));
  return fmt::format("| `{}` | {} | {} | {}{} |\n", field.path, std::visit(TypeInWords{field}, field.const_ref(c)),
                     default_in_words(index), field.help, only);
}

template <class E>
std::string choices_section(std::string_view title) {
  std::string out = fmt::format("\n**{}**\n\n| name | meaning |\n|---|---|\n", title);
  for (const auto& entry : kNames<E>) out += fmt::format("| `{}` | {} |\n", entry.name, entry.help);
  return out;
}

}  // namespace

std::string case_schema() {
  Json schema = with("$schema", "https://json-schema.org/draft/2020-12/schema");
  schema["title"] = "nlldiff case file";
  schema["description"] = "Cases for nlldiff: concrete inputs for NLL-loss kernels. Written by `nlldiff schema`.";
  schema.update(closed_object(document_properties()));
  schema.update(requiring({"cases"}));
  schema["allOf"] = list({required_somewhere("shape"), required_somewhere("C")});
  schema["$defs"] = definitions();
  return schema.dump(2) + "\n";
}

std::string field_documentation() {
  std::string out = "| field | type | default | meaning |\n|---|---|---|---|\n";
  for (std::size_t i = 0; i < kFieldCount; ++i) out += table_row(i);
  out += choices_section<TargetLayout>("Target layouts");
  out += choices_section<WeightFill>("Weight fills");
  out += choices_section<InputFill>("Input fills");
  out += choices_section<GradFill>("Upstream gradient fills");
  out += choices_section<Memory>("Memory");
  out += choices_section<Reduction>("Reductions");
  out += choices_section<Expect>("Expectations");
  return out;
}

}  // namespace nlldiff
