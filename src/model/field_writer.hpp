// SPDX-License-Identifier: Apache-2.0
// Values of fields -> JSON, as a case file spells them.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "model/fields.hpp"

namespace nlldiff {

/// Json is nlohmann::json, or nlohmann::ordered_json for text that people read.
template <class Json>
struct FieldWriter {
  static Json write(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return value;
  }
  static Json write(const std::optional<std::int64_t>& value) { return value ? Json(*value) : Json(nullptr); }
  static Json write(const SpecialCell& cell) {
    Json out = Json::object();
    out["row"] = cell.row;
    out["class"] = cell.class_index;
    out["value"] = write(cell.value);
    return out;
  }
  template <class T>
  static Json write(const std::vector<T>& values) {
    Json out = Json::array();
    for (const T& value : values) out.push_back(write(value));
    return out;
  }
  template <class T>
  static Json write(const T& value) {
    if constexpr (std::is_enum_v<T>)
      return std::string(name_of(value));
    else
      return value;
  }
};

/// Any FieldValue. Different values have different texts when dumped; equal ones (NaN too) the same.
template <class Json>
Json write_value(const FieldValue& value) {
  return std::visit([](const auto& v) { return FieldWriter<Json>::write(v); }, value);
}

}  // namespace nlldiff
