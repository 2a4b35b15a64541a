// SPDX-License-Identifier: Apache-2.0
// The devices of this machine and the spellings of --device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "run/install.hpp"

namespace nlldiff {

struct Device {
  std::string name;         ///< "cpu", "cuda:0"
  std::string description;  ///< the GPU's own name
  double memory_bytes = 0;  ///< of a GPU; 0 for the CPU
};

struct CudaDevices {
  std::vector<Device> devices;
  std::string why_none;  ///< one clause, where there are none
};

/// Asks the driver; needs no CUDA at build time. Takes some 0.2 s where a driver is.
[[nodiscard]] CudaDevices find_cuda_devices(const Install& install);

/// auto (the first GPU where nlldiff can use one, else the CPU), cpu, cuda, cuda:K, cuda:all.
/// Throws Error(usage) for anything else and for a GPU that is not there.
[[nodiscard]] std::vector<Device> resolve_device(const std::string& text, const Install& install);

}  // namespace nlldiff
