// SPDX-License-Identifier: Apache-2.0
// The detectors: each is one way of looking at the evidence of a case. A new one is a file with a function and a
// line in the table of detectors.cpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "detect/evidence.hpp"

namespace nlldiff {

/// What one detector says of one case.
struct Detection {
  std::vector<Finding> findings;
  std::vector<TensorComparison> comparisons;   ///< value only
  std::optional<std::string> could_not_judge;  ///< why; the verdict is then at best `limited`
  std::optional<std::string> inconclusive;     ///< the runs contradict each other: worse than not looking
  std::string note;
};

struct Detector {
  std::string_view name;
  std::string_view help;
  Detection (*look)(const Evidence& evidence);
};

/// All detectors, in the order in which they look.
[[nodiscard]] std::span<const Detector> detectors();

Detection detect_error(const Evidence& evidence);     ///< raises where it must not, or not where it must
Detection detect_value(const Evidence& evidence);     ///< values against the oracle, limits in ULPs
Detection detect_alias(const Evidence& evidence);     ///< stores to another row's cells
Detection detect_conflict(const Evidence& evidence);  ///< unordered stores to one cell
Detection detect_input(const Evidence& evidence);     ///< inputs that the candidate changed

}  // namespace nlldiff
