// SPDX-License-Identifier: Apache-2.0
#include "model/case_json.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "core/error.hpp"
#include "core/text.hpp"
#include "model/case_file.hpp"
#include "model/field_writer.hpp"
#include "model/fields.hpp"

namespace nlldiff {

namespace {

bool is_written(std::size_t field, const Case& c) {
  const std::string_view path = fields()[field].path;
  return path == "name" || path == "shape" || path == "C" || !is_default(field, c);
}

template <class Json>
Json write_case(const Case& c) {
  Json out = Json::object();
  for (std::size_t i = 0; i < kFieldCount; ++i) {
    if (!is_written(i, c)) continue;
    const Field& field = fields()[i];
    Json& parent = field.group().empty() ? out : out[std::string(field.group())];
    parent[std::string(field.key())] =
        std::visit([](const auto* member) { return FieldWriter<Json>::write(*member); }, field.const_ref(c));
  }
  return out;
}

// ---- reading ----

void read(const nlohmann::json& json, double& out) {
  if (json.is_number()) {
    json.get_to(out);
    return;
  }
  const auto& word = json.get_ref<const std::string&>();
  if (word == "nan")
    out = std::numeric_limits<double>::quiet_NaN();
  else if (word == "inf" || word == "-inf")
    out = word == "inf" ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
  else
    fail_usage("{} is no number", in_quotes(word));
}

void read(const nlohmann::json& json, std::optional<std::int64_t>& out) { out = json.get<std::int64_t>(); }

void read(const nlohmann::json& json, SpecialCell& out) {
  json.at("row").get_to(out.row);
  json.at("class").get_to(out.class_index);
  read(json.at("value"), out.value);
}

template <class T>
void read(const nlohmann::json& json, T& out) {
  if constexpr (std::is_enum_v<T>) {
    const auto& name = json.get_ref<const std::string&>();
    const auto value = value_of<T>(name);
    if (!value) fail_usage("{} is unknown{}", in_quotes(name), did_you_mean(name, all_names<T>()));
    out = *value;
  } else {
    json.get_to(out);
  }
}

template <class T>
void read(const nlohmann::json& json, std::vector<T>& out) {
  out.clear();
  for (const auto& element : json) read(element, out.emplace_back());
}

const nlohmann::json* member_of(const nlohmann::json& object, std::string_view key) {
  if (!object.is_object()) fail_usage("an object is wanted, not {}", object.type_name());
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

}  // namespace

void to_json(nlohmann::json& json, const Case& c) { json = write_case<nlohmann::json>(c); }

void from_json(const nlohmann::json& json, Case& c) {
  c = Case{};
  for (const Field& field : fields()) {
    try {
      const auto* parent = field.group().empty() ? &json : member_of(json, field.group());
      const auto* value = parent == nullptr ? nullptr : member_of(*parent, field.key());
      if (value == nullptr) continue;
      std::visit([value](auto* member) { read(*value, *member); }, field.ref(c));
    } catch (const std::exception& error) {
      fail_usage("field {} of a case: {}", field.path, error.what());
    }
  }
}

std::string case_entry(const Case& c) {
  return write_case<nlohmann::ordered_json>(c).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace nlldiff
