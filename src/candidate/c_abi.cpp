// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "candidate/candidate.hpp"
#include "candidate/library_hash.hpp"
#include "core/error.hpp"

namespace nlldiff {
namespace {

std::string_view device_word(std::uint32_t device) {
  switch (device) {
    case NLLDIFF_CPU:
      return "the host (native)";
    case NLLDIFF_CUDA:
      return "CUDA";
    case NLLDIFF_SIMT:
      return "the host (simt)";
    default:
      return "an unknown device";
  }
}

bool runs_on(std::uint32_t device, const std::string& where) {
  return where.starts_with("cuda") ? device == NLLDIFF_CUDA : device == NLLDIFF_CPU || device == NLLDIFF_SIMT;
}

CallStatus status_of(int status) {
  switch (status) {
    case NLLDIFF_OK:
      return CallStatus::ok;
    case NLLDIFF_REJECTED:
      return CallStatus::rejected;
    case NLLDIFF_UNSUPPORTED:
      return CallStatus::unsupported;
    default:
      return CallStatus::failed;
  }
}

class CAbiCandidate final : public Candidate {
 public:
  CAbiCandidate(const nlldiff_kernel& kernel, std::string shown, std::string fnv1a)
      : kernel_(kernel), path_(std::move(shown)), fnv1a_(std::move(fnv1a)) {}

  std::string execution() const override {
    if (kernel_.device == NLLDIFF_CUDA) return "cuda";
    return kernel_.device == NLLDIFF_SIMT ? "simt" : "native";
  }
  bool needs_zeroed_grad_input() const override { return (kernel_.flags & NLLDIFF_NEEDS_ZEROED_GRAD_INPUT) != 0; }

  CallOutcome call(Pass pass, nlldiff_call& call) override {
    const nlldiff_entry entry = pass == Pass::forward ? kernel_.forward : kernel_.backward;
    if (entry == nullptr)
      return {CallStatus::unsupported, fmt::format("{} has no {} pass", kernel_.name, name_of(pass))};
    std::array<char, 1024> error{};
    call.error = error.data();
    call.error_bytes = error.size();
    const int status = entry(&call);
    error.back() = '\0';
    if (status == NLLDIFF_OK) return {CallStatus::ok, ""};
    return {status_of(status), error[0] != '\0' ? error.data() : fmt::format("status {}, without a sentence", status)};
  }

  std::map<std::string, std::string> environment() const override {
    return {{"candidate.name", kernel_.name}, {"candidate.library", path_}, {"candidate.fnv1a", fnv1a_}};
  }

 private:
  const nlldiff_kernel& kernel_;
  std::string path_, fnv1a_;
};

const nlldiff_kernel& description_of(void* library, const std::string& path) {
  using Getter = const nlldiff_kernel* (*)();
  const auto get = reinterpret_cast<Getter>(dlsym(library, "nlldiff_get_kernel"));
  if (get == nullptr)
    fail_usage("{}: no function nlldiff_get_kernel; implement include/nlldiff/kernel.h and export it", path);
  const nlldiff_kernel* kernel = get();
  if (kernel == nullptr) fail_usage("{}: nlldiff_get_kernel returned NULL", path);
  if (kernel->abi_version != NLLDIFF_ABI_VERSION || kernel->struct_size < sizeof(nlldiff_kernel))
    fail_usage("{}: built for ABI version {} of nlldiff/kernel.h, this nlldiff has {}; rebuild it against this header",
               path, kernel->abi_version, NLLDIFF_ABI_VERSION);
  return *kernel;
}

}  // namespace

std::unique_ptr<Candidate> load_c_abi(const std::string& path, const std::string& shown, const CandidateSite& site) {
  // A bare name would be searched for in the system's folders instead of here.
  const std::string absolute = std::filesystem::absolute(path);
  // Never closed: kernels, statics and registered callbacks of a candidate live as long as the worker.
  void* library = dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) fail_usage("{}: cannot be loaded: {}", shown, dlerror());
  const nlldiff_kernel& kernel = description_of(library, shown);
  if (!runs_on(kernel.device, site.device))
    fail_usage("{}: its kernels run on {}, not on {}; choose another --device", shown, device_word(kernel.device),
               site.device);
  return std::make_unique<CAbiCandidate>(kernel, shown, fnv1a_of_file(absolute));
}

}  // namespace nlldiff
