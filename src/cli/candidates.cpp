// SPDX-License-Identifier: Apache-2.0
#include "run/candidates.hpp"

#include <fmt/format.h>

#include "cli/output.hpp"
#include "cli/parse.hpp"
#include "cli/verbs.hpp"

namespace nlldiff {
namespace {

std::string built_ins_text(const Install& install) {
  std::string text = fmt::format("  {:<28}{:<6}{}\n", "aten", "", "PyTorch's own kernels, as a candidate");
  for (const char* device : {"cpu", "cuda"}) {
    for (BuiltIn& built_in : find_built_ins(install, device)) {
      describe_built_in(built_in);
      text += fmt::format("  {:<28}{:<6}{}\n", built_in.spec, built_in.device,
                          built_in.problem.empty() ? built_in.description : "cannot be loaded: " + built_in.problem);
    }
  }
  return text;
}

std::string devices_text(const Install& install) {
  std::string text = "  cpu\n";
  const CudaDevices cuda = find_cuda_devices(install);
  for (const Device& device : cuda.devices)
    text += fmt::format("  {}  {}, {:.0f} MiB\n", device.name, device.description, device.memory_bytes / (1 << 20));
  if (cuda.devices.empty()) text += fmt::format("  cuda: none: {}\n", cuda.why_none);
  return text;
}

constexpr std::string_view kLoaders =
    "  path/lib.so      a library that exports nlldiff_get_kernel (nlldiff/kernel.h); cpu and cuda\n"
    "  path/kernel.cu   CUDA C++ of the same form, translated and compiled for the host; cpu\n";

}  // namespace

int candidates_verb(Arguments arguments) {
  CLI::App app("Prints what can be tested here: built-in candidates, devices, and what else --candidate takes.",
               "candidates");
  if (!parse_arguments(app, arguments)) return 0;
  const Install install = find_install();
  print_out("Built-in candidates (--candidate NAME):\n" + built_ins_text(install));
  print_out("\nDevices (--device):\n" + devices_text(install));
  print_out("\nLoaders (--candidate FILE):\n" + std::string(kLoaders));
  return 0;
}

}  // namespace nlldiff
