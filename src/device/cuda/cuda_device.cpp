// SPDX-License-Identifier: Apache-2.0
// One GPU: an arena of plain device memory that grows by chunks, and one non-default stream.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/error.hpp"
#include "device/device.hpp"

namespace nlldiff {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{256} << 20;
constexpr std::size_t align_up(std::size_t value, std::size_t to) { return (value + to - 1) / to * to; }

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) fail_internal("{}: {} ({})", what, cudaGetErrorString(status), cudaGetErrorName(status));
}

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(int index) : index_(index) {
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess)
      fail_usage("no CUDA device can be used: {}; use --device cpu", cudaGetErrorString(status));
    if (index >= count) fail_usage("there is no cuda:{}: this machine has {} CUDA device(s)", index, count);
    check(cudaSetDevice(index), "cudaSetDevice");
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  // The chunks and the stream go with the process: a worker has one device for as long as it lives, and freeing after a
  // sticky error only fails.
  ~CudaDevice() override = default;
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  std::string name() const override { return fmt::format("cuda:{}", index_); }
  void* stream() const override { return stream_; }

  std::map<std::string, std::string> environment() const override {
    cudaDeviceProp properties{};
    int driver = 0, runtime = 0;
    check(cudaGetDeviceProperties(&properties, index_), "cudaGetDeviceProperties");
    check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
    check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
    const auto dotted = [](int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); };
    return {{"gpu", properties.name},
            {"gpu.memory_bytes", std::to_string(properties.totalGlobalMem)},
            {"gpu.capability", fmt::format("{}.{}", properties.major, properties.minor)},
            {"cuda.driver", dotted(driver)},
            {"cuda.runtime", dotted(runtime)}};
  }

  std::byte* allocate(std::size_t bytes) override {
    std::size_t begin = align_up(next_ + kRedZoneBytes, kTensorAlignment);
    while (chunk_ < chunks_.size() && begin + bytes + kRedZoneBytes > chunks_[chunk_].bytes) {
      ++chunk_;
      begin = align_up(kRedZoneBytes, kTensorAlignment);
    }
    if (chunk_ == chunks_.size()) add_chunk(bytes);
    next_ = begin + bytes;
    return chunks_[chunk_].data + begin;
  }

  void reset() override {
    chunk_ = 0;
    next_ = 0;
  }

  void upload(std::byte* to, const std::byte* from, std::size_t bytes) override {
    if (bytes != 0) check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_), "copy to the device");
  }
  void fill(std::byte* at, std::uint8_t value, std::size_t bytes) override {
    if (bytes != 0) check(cudaMemsetAsync(at, value, bytes, stream_), "fill on the device");
  }
  const std::byte* host_view(const std::byte* at, std::size_t bytes, std::vector<std::byte>& buffer) override {
    buffer.resize(bytes);
    if (bytes != 0)
      check(cudaMemcpyAsync(buffer.data(), at, bytes, cudaMemcpyDeviceToHost, stream_), "copy to the host");
    synchronize();
    return buffer.data();
  }
  void synchronize() override {
    // Device-wide: work that a candidate put on a stream of its own is waited for as well.
    check(cudaDeviceSynchronize(), "the device reports an error");
  }
  CallOutcome finish() override {
    const cudaError_t status = cudaDeviceSynchronize();
    if (status == cudaSuccess) return {CallStatus::ok, ""};
    const std::string words = fmt::format("{} ({})", cudaGetErrorString(status), cudaGetErrorName(status));
    return {status == cudaErrorAssert ? CallStatus::rejected : CallStatus::failed, words};
  }
  bool usable() override { return cudaDeviceSynchronize() == cudaSuccess; }
  std::uintptr_t arena_base() const override {
    return chunks_.empty() ? 0 : reinterpret_cast<std::uintptr_t>(chunks_[0].data);
  }
  std::size_t arena_bytes() const override { return chunks_.empty() ? 0 : chunks_[0].bytes; }

 private:
  struct Chunk {
    std::byte* data;
    std::size_t bytes;
  };

  void add_chunk(std::size_t bytes) {
    const std::size_t size = std::max(kChunkBytes, align_up(bytes + 3 * kRedZoneBytes, kTensorAlignment));
    void* data = nullptr;
    const cudaError_t status = cudaMalloc(&data, size);
    if (status != cudaSuccess) {
      cudaGetLastError();  // out of memory is not sticky: the next case may fit
      fail_internal("no room for a tensor of {} bytes on {}: {}; make the case smaller", bytes, name(),
                    cudaGetErrorString(status));
    }
    chunks_.push_back({static_cast<std::byte*>(data), size});
  }

  int index_;
  cudaStream_t stream_ = nullptr;
  std::vector<Chunk> chunks_;
  std::size_t chunk_ = 0, next_ = 0;
};

int index_of(std::string_view name) {
  if (name == "cuda") return 0;
  int index = -1;
  const auto digits = name.substr(std::min(name.size(), std::string_view("cuda:").size()));
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (!name.starts_with("cuda:") || error != std::errc() || end != digits.data() + digits.size() || index < 0)
    fail_usage("unknown device \"{}\": cpu, cuda or cuda:K", name);
  return index;
}

}  // namespace

std::unique_ptr<Device> make_device(std::string_view name) {
  if (name == "cpu") return make_host_device();
  return std::make_unique<CudaDevice>(index_of(name));
}

}  // namespace nlldiff
