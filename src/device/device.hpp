// SPDX-License-Identifier: Apache-2.0
// Where tensors live and kernels run: the host (with src/simt) or one CUDA device. All memory of a case comes from
// one arena per device: bump-allocated, no address used twice between two resets, red zones on both sides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/call.hpp"

namespace nlldiff {

/// Bytes on both sides of every tensor that belong to nobody.
inline constexpr std::size_t kRedZoneBytes = 64 * 1024;
/// Alignment of every tensor, that of cudaMalloc.
inline constexpr std::size_t kTensorAlignment = 256;

class Device {
 public:
  virtual ~Device() = default;
  [[nodiscard]] virtual std::string name() const = 0;  ///< "cpu", "cuda:0"
  [[nodiscard]] virtual void* stream() const = 0;      ///< cudaStream_t, not the default one; nullptr on the host
  /// What a results file should say of it: gpu, driver, cuda runtime. Empty on the host.
  [[nodiscard]] virtual std::map<std::string, std::string> environment() const = 0;

  /// `bytes` fresh bytes, aligned to kTensorAlignment, red zones around. Throws Error(internal) when none are left.
  [[nodiscard]] virtual std::byte* allocate(std::size_t bytes) = 0;
  /// Takes back everything that allocate gave. Only between cases.
  virtual void reset() = 0;

  virtual void upload(std::byte* to, const std::byte* from, std::size_t bytes) = 0;
  virtual void fill(std::byte* at, std::uint8_t value, std::size_t bytes) = 0;
  /// The bytes as the host can read them: the memory itself on the host, a copy kept in `buffer` on a GPU.
  [[nodiscard]] virtual const std::byte* host_view(const std::byte* at, std::size_t bytes,
                                                   std::vector<std::byte>& buffer) = 0;
  /// Waits for all work. Throws Error(internal) with the device's own words where the work failed.
  virtual void synchronize() = 0;
  /// Waits for a candidate's work. `rejected` where a device-side assert fired, which is how a kernel refuses its
  /// input; `failed` where the work failed otherwise. After either, the device may not be usable any more.
  [[nodiscard]] virtual CallOutcome finish() = 0;
  /// False after an error that stays (a device-side assert, an illegal address): only a new process helps.
  [[nodiscard]] virtual bool usable() = 0;

  [[nodiscard]] virtual std::uintptr_t arena_base() const = 0;
  [[nodiscard]] virtual std::size_t arena_bytes() const = 0;
};

/// The host: virtual memory, committed page by page as it is touched.
[[nodiscard]] std::unique_ptr<Device> make_host_device();
/// "cpu" or "cuda[:k]". Throws Error(usage) where this worker has no such device.
[[nodiscard]] std::unique_ptr<Device> make_device(std::string_view name);

}  // namespace nlldiff
