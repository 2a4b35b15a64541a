// SPDX-License-Identifier: Apache-2.0
// From what the detectors said to one verdict and its reason.
#pragma once

#include <string_view>
#include <vector>

#include "detect/detectors.hpp"
#include "model/result.hpp"

namespace nlldiff {

struct Look {
  std::string_view detector;
  Detection detection;
};

/// Fills verdict, reason, findings, detectors and comparisons of `result`. `tracer_sees`: an incomplete trace is then
/// a broken promise (inconclusive), else a known limit (limited).
void give_verdict(const Evidence& evidence, std::vector<Look> looks, bool tracer_sees, CaseResult& result);

}  // namespace nlldiff
