// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "candidate/candidate.hpp"
#include "core/error.hpp"
#include "simt/translate.hpp"

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

/// A folder that goes away with the object; what was loaded from it stays loaded.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_((std::filesystem::temp_directory_path() / "nlldiff-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr)
      fail_internal("cannot make a temporary folder {}: {}", path_, std::strerror(errno));
  }
  ~TemporaryFolder() {
    std::error_code ignored;  // a left-over in the temporary folder is no reason to end a worker
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::unique_ptr<Candidate> compile_and_load(const std::string& source, const CandidateSite& site) {
  const std::string prefix = std::filesystem::path(site.lib_dir).lexically_normal().parent_path().parent_path();
  simt::CompileOptions options;
  options.include_dir = prefix + "/share/nlldiff/simt";
  options.abi_include_dir = prefix + "/include";
  options.runtime_library = site.lib_dir + "/libnlldiff_simt.so";
  const TemporaryFolder folder;
  const std::string library = folder.path() + "/kernel.so";
  simt::compile_for_host(source, library, options);
  // The file goes, even where the worker is killed later; the descriptor stays for as long as the worker lives, and
  // under its name the tracer still finds the lines of the source.
  const int fd = open(library.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail_internal("cannot open {}: {}", library, std::strerror(errno));
  return load_c_abi(fmt::format("/proc/{}/fd/{}", getpid(), fd), source, site);
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
    return load_c_abi(path, path, site);
  }
  if (spec.ends_with(".so")) return load_c_abi(spec, spec, site);
  if (spec.ends_with(".cu") && kind == "cpu") return compile_and_load(spec, site);
  if (spec.ends_with(".cu"))
    fail_usage("{}: a .cu file is compiled for the host only; build it with nvcc and give the .so for {}", spec,
               site.device);
  fail_usage(
      "cannot tell what candidate \"{}\" is: give nlldiff, aten, mutant:NAME, legal:NAME or a path that ends in .so or "
      ".cu",
      spec);
}

}  // namespace nlldiff
