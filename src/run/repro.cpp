// SPDX-License-Identifier: Apache-2.0
#include "run/repro.hpp"

#include <fmt/format.h>

#include "run/filter.hpp"

namespace nlldiff {

std::string shell_quote(const std::string& text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string repro_line(const CaseFilePath& file, const Case& c, Verdict verdict, const ReproContext& context) {
  std::string line = "nlldiff run " + shell_quote(file.path) + " --filter " + shell_quote(case_id(file, c.name));
  if (context.candidate != "nlldiff") line += " --candidate " + shell_quote(context.candidate);
  line += " --device " + context.device;
  for (const Override& set : context.overrides) line += " --set " + shell_quote(set.field + "=" + set.value);
  if (context.rng_seed) line += " --rng-seed " + std::to_string(*context.rng_seed);
  if (context.trace != "auto") line += " --trace " + context.trace;
  if (verdict == Verdict::timeout && context.timeout != kDefaultTimeout)
    line += fmt::format(" --timeout {}", std::chrono::duration<double>(context.timeout).count());
  return line;
}

}  // namespace nlldiff
