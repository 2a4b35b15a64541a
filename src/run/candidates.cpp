// SPDX-License-Identifier: Apache-2.0
#include "run/candidates.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "core/error.hpp"
#include "core/names.hpp"
#include "nlldiff/kernel.h"
#include "run/unique_fd.hpp"

namespace nlldiff {
namespace {

namespace fs = std::filesystem;

/// File name prefix -> SPEC prefix.
struct Family {
  std::string_view file_prefix, spec_prefix;
};
constexpr std::array kFamilies{Family{"mutant_", "mutant:"}, Family{"legal_", "legal:"}};

std::optional<std::string> spec_of_stem(const std::string& stem) {
  if (stem == "nlldiff") return stem;
  for (const Family& family : kFamilies)
    if (stem.starts_with(family.file_prefix))
      return std::string(family.spec_prefix) + stem.substr(family.file_prefix.size());
  return std::nullopt;
}

/// In the child: 'd' and the description, or 'p' and the problem.
std::string load_and_describe(const std::string& library) {
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return std::string("p") + ::dlerror();
  void* symbol = ::dlsym(handle, "nlldiff_get_kernel");
  if (symbol == nullptr) return "pit does not export nlldiff_get_kernel";
  const nlldiff_kernel* kernel = reinterpret_cast<decltype(&nlldiff_get_kernel)>(symbol)();
  if (kernel == nullptr || kernel->description == nullptr) return "pit describes no kernel";
  if (kernel->abi_version != NLLDIFF_ABI_VERSION) return "pit was built for another version of nlldiff/kernel.h";
  return std::string("d") + kernel->description;
}

std::string read_all(int fd) {
  std::string text;
  std::array<char, 4096> buffer;
  for (ssize_t got = 0; (got = ::read(fd, buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(got));
  return text;
}

std::string describe_in_child(const std::string& library) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail_internal("cannot make a pipe");
  UniqueFd reader(ends[0]), writer(ends[1]);
  const pid_t pid = ::fork();
  if (pid < 0) fail_internal("cannot start a process");
  if (pid == 0) {
    const std::string answer = load_and_describe(library);
    ::_exit(::write(writer.get(), answer.data(), answer.size()) < 0 ? 1 : 0);
  }
  writer.reset();
  std::string answer = read_all(reader.get());
  ::waitpid(pid, nullptr, 0);
  return answer.empty() ? "pit died while it was loaded" : answer;
}

std::vector<std::string> specs_on(const Install& install, const std::string& device) {
  std::vector<std::string> specs{"aten"};
  for (const BuiltIn& built_in : find_built_ins(install, device)) specs.push_back(built_in.spec);
  return specs;
}

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string device_kind(const Device& device) { return device.name.starts_with("cuda") ? "cuda" : "cpu"; }

void check_built_in(const std::string& spec, const Device& device, const Install& install) {
  const std::string kind = device_kind(device);
  const std::vector<std::string> here = specs_on(install, kind);
  if (contains(here, spec)) return;
  const std::string other = kind == "cpu" ? "cuda" : "cpu";
  if (contains(specs_on(install, other), spec))
    fail_usage("the candidate {} was built for {} only; give --device {}", spec, other, other);
  fail_usage("unknown candidate \"{}\"{} (nlldiff candidates lists all)", spec, did_you_mean(spec, here));
}

void check_file(const std::string& spec, const std::string& kind) {
  std::error_code error;
  if (!fs::exists(spec, error)) fail_usage("no such candidate file: {}", spec);
  if (!fs::is_regular_file(spec, error)) fail_usage("the candidate {} is not a file", spec);
  if (::access(spec.c_str(), R_OK) != 0) fail_usage("the candidate {} cannot be read", spec);
  if (spec.ends_with(".cu") && kind == "cuda")
    fail_usage("{} can be run from source with --device cpu only; for a GPU build a .so of it with nvcc", spec);
}

}  // namespace

std::vector<BuiltIn> find_built_ins(const Install& install, const std::string& device) {
  std::vector<BuiltIn> found;
  std::error_code error;
  const fs::path folder = fs::path(install.lib_dir) / "candidates" / device;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() != ".so") continue;
    if (auto spec = spec_of_stem(it->path().stem().string()))
      found.push_back({*spec, device, it->path().string(), "", ""});
  }
  // "nlldiff" first, then by name.
  std::sort(found.begin(), found.end(), [](const BuiltIn& a, const BuiltIn& b) {
    return std::pair(a.spec != "nlldiff", a.spec) < std::pair(b.spec != "nlldiff", b.spec);
  });
  return found;
}

void describe_built_in(BuiltIn& built_in) {
  const std::string answer = describe_in_child(built_in.library);
  (answer.front() == 'd' ? built_in.description : built_in.problem) = answer.substr(1);
}

void check_candidate(const std::string& spec, const Device& device, const Install& install) {
  if (spec.ends_with(".py") || spec.starts_with("py:"))
    fail_usage("Python candidates are not supported yet: {}; give a .so or a .cu file", spec);
  if (spec.ends_with(".so") || spec.ends_with(".cu") || spec.find('/') != std::string::npos) {
    if (!spec.ends_with(".so") && !spec.ends_with(".cu"))
      fail_usage("the candidate {} is neither a .so nor a .cu file", spec);
    return check_file(spec, device_kind(device));
  }
  check_built_in(spec, device, install);
}

}  // namespace nlldiff
