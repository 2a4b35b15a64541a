// SPDX-License-Identifier: Apache-2.0
// Replacements in a text, collected in any order and made at the end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nlldiff::simt {

class Edits {
 public:
  /// The bytes [begin, end) become `with`; begin == end inserts. Edits do not overlap; at one place, an earlier
  /// insertion comes first.
  void replace(std::uint32_t begin, std::uint32_t end, std::string with) {
    edits_.push_back({begin, end, std::move(with)});
  }
  void insert(std::uint32_t at, std::string what) { replace(at, at, std::move(what)); }

  [[nodiscard]] std::string apply(std::string_view text) {
    std::stable_sort(edits_.begin(), edits_.end(), [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
    std::string result;
    result.reserve(text.size() + 64 * edits_.size());
    std::size_t at = 0;
    for (const Edit& edit : edits_) {
      result.append(text.substr(at, edit.begin - at)).append(edit.with);
      at = edit.end;
    }
    return result.append(text.substr(at));
  }

 private:
  struct Edit {
    std::uint32_t begin, end;
    std::string with;
  };
  std::vector<Edit> edits_;
};

}  // namespace nlldiff::simt
