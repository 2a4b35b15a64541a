// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "candidate/candidate.hpp"
#include "core/error.hpp"

namespace nlldiff {
namespace {

/// nlldiff -> nlldiff.so, mutant:x -> mutant_x.so, legal:x -> legal_x.so; nothing for anything else.
std::optional<std::string> built_in_library(const std::string& spec) {
  if (spec == "nlldiff") return "nlldiff.so";
  for (const std::string_view family : {"mutant", "legal"})
    if (spec.starts_with(family) && spec.size() > family.size() && spec[family.size()] == ':')
      return fmt::format("{}_{}.so", family, spec.substr(family.size() + 1));
  return std::nullopt;
}

}  // namespace

std::unique_ptr<Candidate> load_candidate(const std::string& spec, const CandidateSite& site) {
  if (spec == "aten") return make_aten(site.device);
  const std::string kind = site.device.starts_with("cuda") ? "cuda" : "cpu";
  if (const auto library = built_in_library(spec)) {
    const std::string path = fmt::format("{}/candidates/{}/{}", site.lib_dir, kind, *library);
    if (!std::filesystem::exists(path))
      fail_usage("no built-in candidate \"{}\" for {} ({} is not there); `nlldiff candidates` lists them", spec, kind,
                 path);
    return load_c_abi(path, site);
  }
  if (spec.ends_with(".so")) return load_c_abi(spec, site);
  fail_usage(
      "cannot tell what candidate \"{}\" is: give nlldiff, aten, mutant:NAME, legal:NAME or a path that ends in .so",
      spec);
}

}  // namespace nlldiff
