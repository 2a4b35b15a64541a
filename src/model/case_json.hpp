// SPDX-License-Identifier: Apache-2.0
// A Case to and from JSON values that are already known to be well-formed (results files, the worker protocol).
// Case files that people write go through case_file.hpp instead, which reports every error with its place.
#pragma once

#include "model/case.hpp"

#include <nlohmann/json_fwd.hpp>

namespace nlldiff {

/// Every field that differs from its default, plus name, shape and C. Through the field table.
void to_json(nlohmann::json&, const Case&);
void from_json(const nlohmann::json&, Case&);

}  // namespace nlldiff
