// SPDX-License-Identifier: Apache-2.0
#include "detect/detectors.hpp"

#include <array>

namespace nlldiff {

std::span<const Detector> detectors() {
  static constexpr auto kDetectors = std::to_array<Detector>({
      {"error", "raises where the contract wants a result, or returns where it wants an error", detect_error},
      {"alias", "a store to a gradient or loss cell that belongs to another row", detect_alias},
      {"value", "loss, total_weight and every gradient cell against a float64 oracle, limits in ULPs", detect_value},
      {"conflict", "unordered stores of two threads to one cell in one launch", detect_conflict},
      {"input", "an input tensor that the candidate changed", detect_input},
  });
  return kDetectors;
}

}  // namespace nlldiff
