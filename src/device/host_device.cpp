// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>

#include <cstring>

#include "core/error.hpp"
#include "device/device.hpp"

namespace nlldiff {
namespace {

// Address space, not memory: 1 TiB is reserved and only touched pages cost anything. Tensors begin in its middle, so
// that a wild but careless address on either side is still the arena's and is seen instead of killing the worker.
constexpr std::size_t kReservedBytes = std::size_t{1} << 40;
constexpr std::size_t kFirstOffset = kReservedBytes / 2;

// Below this much use, a reset keeps the pages: giving them back and faulting them in again costs more than a case.
constexpr std::size_t kKeepBytes = std::size_t{64} << 20;

constexpr std::size_t align_up(std::size_t value, std::size_t to) { return (value + to - 1) / to * to; }

class HostDevice final : public Device {
 public:
  HostDevice() {
    void* at =
        mmap(nullptr, kReservedBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
      fail_internal("cannot reserve {} GiB of address space for tensors ({}); raise the limit `ulimit -v`",
                    kReservedBytes >> 30, std::strerror(errno));
    base_ = static_cast<std::byte*>(at);
    // Dumping or forking must not drag a terabyte of page tables along.
    madvise(base_, kReservedBytes, MADV_DONTDUMP);
  }
  ~HostDevice() override { munmap(base_, kReservedBytes); }
  HostDevice(const HostDevice&) = delete;
  HostDevice& operator=(const HostDevice&) = delete;

  std::string name() const override { return "cpu"; }
  void* stream() const override { return nullptr; }
  std::map<std::string, std::string> environment() const override { return {}; }

  std::byte* allocate(std::size_t bytes) override {
    const std::size_t begin = align_up(next_ + kRedZoneBytes, kTensorAlignment);
    if (bytes > kReservedBytes - kRedZoneBytes - begin)
      fail_internal("no room for a tensor of {} bytes on the host: make the case smaller", bytes);
    next_ = begin + bytes;
    return base_ + begin;
  }

  void reset() override {
    if (next_ - kFirstOffset > kKeepBytes) madvise(base_ + kFirstOffset, next_ - kFirstOffset, MADV_DONTNEED);
    next_ = kFirstOffset;
  }

  void upload(std::byte* to, const std::byte* from, std::size_t bytes) override {
    if (bytes != 0) std::memcpy(to, from, bytes);
  }
  void fill(std::byte* at, std::uint8_t value, std::size_t bytes) override {
    if (bytes != 0) std::memset(at, value, bytes);
  }
  const std::byte* host_view(const std::byte* at, std::size_t, std::vector<std::byte>&) override { return at; }
  void synchronize() override {}
  CallOutcome finish() override { return {CallStatus::ok, ""}; }
  bool usable() override { return true; }
  std::uintptr_t arena_base() const override { return reinterpret_cast<std::uintptr_t>(base_); }
  std::size_t arena_bytes() const override { return kReservedBytes; }

 private:
  std::byte* base_ = nullptr;
  std::size_t next_ = kFirstOffset;
};

}  // namespace

std::unique_ptr<Device> make_host_device() { return std::make_unique<HostDevice>(); }

}  // namespace nlldiff
