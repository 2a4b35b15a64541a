// SPDX-License-Identifier: Apache-2.0
#include "run/devices.hpp"

#include <dlfcn.h>

#include <array>
#include <charconv>
#include <memory>
#include <optional>

#include "core/error.hpp"
#include "core/names.hpp"

namespace nlldiff {
namespace {

/// The few driver functions that are needed, as NVIDIA's cuda.h declares them; CUresult 0 is success.
struct Driver {
  explicit Driver(void* library)
      : init(symbol<int(unsigned)>(library, "cuInit")),
        count(symbol<int(int*)>(library, "cuDeviceGetCount")),
        name(symbol<int(char*, int, int)>(library, "cuDeviceGetName")),
        memory(symbol<int(std::size_t*, int)>(library, "cuDeviceTotalMem_v2")) {}
  [[nodiscard]] bool whole() const { return init && count && name && memory; }

  template <class Function>
  static Function* symbol(void* library, const char* name) {
    return reinterpret_cast<Function*>(::dlsym(library, name));
  }
  int (*init)(unsigned);
  int (*count)(int*);
  int (*name)(char*, int, int);
  int (*memory)(std::size_t*, int);
};

Device describe_device(const Driver& driver, int index) {
  std::array<char, 256> name{};
  std::size_t bytes = 0;
  driver.name(name.data(), static_cast<int>(name.size()) - 1, index);
  driver.memory(&bytes, index);
  return {"cuda:" + std::to_string(index), name.data(), static_cast<double>(bytes)};
}

std::optional<int> number_after(const std::string& text, const std::string& prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  int number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + prefix.size(), end, number);
  if (error != std::errc() || stop != end || number < 0) return std::nullopt;
  return number;
}

Device nth_device(const CudaDevices& cuda, int index) {
  if (static_cast<std::size_t>(index) >= cuda.devices.size())
    fail_usage("no device cuda:{}; this machine has cuda:0 to cuda:{}", index, cuda.devices.size() - 1);
  return cuda.devices[static_cast<std::size_t>(index)];
}

std::vector<Device> choose_cuda(const std::string& text, const Install& install) {
  const auto index = text == "cuda" ? std::optional(0) : number_after(text, "cuda:");
  if (text != "cuda:all" && !index) {
    if (text == "gpu" || text.starts_with("gpu:"))
      fail_usage("unknown device \"{}\"; did you mean \"cuda{}\"?", text, text.substr(3));
    const std::vector<std::string> known{"auto", "cpu", "cuda", "cuda:0", "cuda:all"};
    fail_usage("unknown device \"{}\"{}", text, did_you_mean(text, known));
  }
  const CudaDevices cuda = find_cuda_devices(install);
  if (cuda.devices.empty()) fail_usage("no CUDA device: {}; use --device cpu", cuda.why_none);
  if (!index) return cuda.devices;
  return {nth_device(cuda, *index)};
}

}  // namespace

CudaDevices find_cuda_devices(const Install& install) {
  if (!is_executable(install.cuda_worker)) return {{}, "this nlldiff was built without CUDA"};
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);  // never unloaded: the driver keeps threads
  if (library == nullptr) return {{}, "no NVIDIA driver is installed (libcuda.so.1)"};
  const Driver driver(library);
  if (!driver.whole()) return {{}, "the NVIDIA driver is too old"};
  if (const int error = driver.init(0)) return {{}, "the NVIDIA driver reports error " + std::to_string(error)};
  int count = 0;
  driver.count(&count);
  CudaDevices cuda;
  for (int i = 0; i < count; ++i) cuda.devices.push_back(describe_device(driver, i));
  if (cuda.devices.empty()) cuda.why_none = "the NVIDIA driver sees no GPU";
  return cuda;
}

std::vector<Device> resolve_device(const std::string& text, const Install& install) {
  const Device cpu{"cpu", "", 0};
  if (text == "cpu") return {cpu};
  if (text != "auto") return choose_cuda(text, install);
  const CudaDevices cuda = find_cuda_devices(install);
  return {cuda.devices.empty() ? cpu : cuda.devices.front()};
}

}  // namespace nlldiff
