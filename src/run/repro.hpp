// SPDX-License-Identifier: Apache-2.0
// The command line that runs one case alone.
#pragma once

#include <chrono>
#include <string>

#include "model/result.hpp"
#include "run/plan.hpp"

namespace nlldiff {

inline constexpr std::chrono::milliseconds kDefaultTimeout{20'000};  ///< a case

/// `text` as one word of a POSIX shell; as it is where no character needs a quote.
[[nodiscard]] std::string shell_quote(const std::string& text);

/// What the repro lines of one run have in common.
struct ReproContext {
  std::string candidate, device;
  std::vector<Override> overrides;  ///< --set, in order
  std::optional<std::uint64_t> rng_seed;
  std::string trace = "auto";
  std::chrono::milliseconds timeout = kDefaultTimeout;
};

/// `nlldiff run FILE --filter ID --device DEV ...`, options at their defaults left out, and --timeout where the case
/// did not time out.
[[nodiscard]] std::string repro_line(const CaseFilePath& file, const Case& c, Verdict verdict,
                                     const ReproContext& context);

}  // namespace nlldiff
