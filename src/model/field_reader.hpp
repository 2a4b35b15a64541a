// SPDX-License-Identifier: Apache-2.0
// JSON value -> value of a field, within the field's own limits. What depends on other fields is case_check's work.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/fields.hpp"
#include "model/json_reader.hpp"

namespace nlldiff {

/// Collects the errors of one text, up to a number that a person still reads.
class JsonErrors {
 public:
  explicit JsonErrors(const JsonTree& tree) : tree_(&tree) {}
  void add(std::uint32_t node, std::string message) {
    if (++count_ <= kMaxShown) list_.push_back({tree_->nodes[node].offset, tree_->pointer(node), std::move(message)});
  }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] const std::vector<JsonError>& list() const { return list_; }

  static constexpr std::size_t kMaxShown = 100;

 private:
  const JsonTree* tree_;
  std::vector<JsonError> list_;
  std::size_t count_ = 0;
};

/// The value, or nothing and at least one error.
[[nodiscard]] std::optional<FieldValue> read_field(const JsonTree& tree, std::uint32_t node, std::size_t field,
                                                   JsonErrors& errors);

/// The value in words, for "..., not X": "\"text\"", "3.5", "an array".
[[nodiscard]] std::string describe(const JsonTree& tree, std::uint32_t node);

}  // namespace nlldiff
