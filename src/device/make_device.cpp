// SPDX-License-Identifier: Apache-2.0
// A worker without CUDA: the host is all there is. The CUDA worker has make_device of cuda/cuda_device.cpp instead.
#include "core/error.hpp"
#include "device/device.hpp"

namespace nlldiff {

std::unique_ptr<Device> make_device(std::string_view name) {
  if (name == "cpu") return make_host_device();
  fail_usage("this worker has no device \"{}\": it was built without CUDA; use --device cpu", name);
}

}  // namespace nlldiff
