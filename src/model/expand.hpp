// SPDX-License-Identifier: Apache-2.0
// One entry of a case file -> its concrete cases. Axes multiply in file order, the last one fastest.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/case.hpp"
#include "model/field_reader.hpp"
#include "model/fields.hpp"

namespace nlldiff {

/// One key of a matrix.
struct Axis {
  std::size_t field = 0;
  std::uint32_t node = 0;            ///< of the list
  std::vector<FieldValue> values;    ///< all different, at least one
  std::vector<std::uint32_t> nodes;  ///< one a value
};

/// An entry with its defaults merged in.
struct Entry {
  Case base;
  std::uint32_t node = 0;
  std::array<std::uint32_t, kFieldCount> given{};  ///< the node that gave the field, defaults included; 0: none
  std::array<bool, kFieldCount> own{};             ///< given by the entry itself
  std::vector<Axis> axes;
};

struct SetField {
  std::size_t field;
  FieldValue value;
};

/// What expansion has used up and made so far.
struct Expansion {
  std::vector<Case> cases;
  std::int64_t skipped = 0;  ///< combinations that cannot exist
  std::int64_t tried = 0;    ///< combinations looked at
  std::int64_t numbers = 0;  ///< elements of explicit lists in the cases tried
  bool exhausted = false;    ///< a limit was hit; the error is noted
};
inline constexpr std::int64_t kMaxExplicitNumbers = std::int64_t{1} << 26;  ///< 512 MB over all cases of a file

/// Appends the entry's cases. Combinations that cannot exist are left out and counted; errors are: an entry without
/// a matrix that cannot exist, a matrix value in no possible combination, a field that never has a meaning.
/// With overrides (the entry is then known to be sound) each is set on every case, an axis that is overridden shrinks
/// to that one value, and what becomes impossible is counted as skipped, never an error.
void expand_entry(const Entry& entry, std::span<const SetField> overrides, Expansion& out, JsonErrors& errors);

/// The value as it stands in an expanded name: "2x3x4", "scalar", "0.5"; "#i" where it has no short plain form.
[[nodiscard]] std::string name_token(const FieldValue& value, std::size_t index_in_axis);

}  // namespace nlldiff
