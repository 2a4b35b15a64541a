// SPDX-License-Identifier: Apache-2.0
// Sees the stores of a candidate's call. Which tracer serves depends on how the candidate executes, not on what it is.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/trace.hpp"

namespace nlldiff {

class Device;

/// In which order a tracer that can choose starts blocks and threads.
enum class RunOrder { forward, reverse, seeded };

/// One tensor to watch: contiguous cells in the arena.
struct WatchedTensor {
  std::string tensor;
  const std::byte* data = nullptr;
  std::int64_t cells = 0;
  std::uint32_t cell_bytes = 0;
  std::vector<std::int64_t> log;  ///< pass 2: cells whose stores are logged, sorted; empty in pass 1
};

struct TraceRequest {
  RunOrder order = RunOrder::forward;
  std::uint64_t seed = 0;
  std::vector<WatchedTensor> watched;
  /// Serves the candidate's own allocations; from the arena; nullptr: none left.
  void* (*allocate)(void* context, std::size_t bytes) = nullptr;
  void* allocate_context = nullptr;
};

class Tracer {
 public:
  virtual ~Tracer() = default;
  /// False: `trace` only calls, and says in CallTrace::why_incomplete that nothing was seen.
  [[nodiscard]] virtual bool sees() const = 0;
  /// Runs `call` (which returns after all of its work is done) and says what it stored.
  [[nodiscard]] virtual CallTrace trace(const TraceRequest& request, const std::function<void()>& call) = 0;
};

/// CUDA C++ that src/simt translated. Throws Error(internal) when `probe_library` shows that a store form is not seen.
[[nodiscard]] std::unique_ptr<Tracer> make_simt_tracer(const Device& device, const std::string& probe_library);
/// Runs a simt candidate in the asked order without counting anything (`--trace off`).
[[nodiscard]] std::unique_ptr<Tracer> make_untraced_simt(const Device& device);
/// Everything that cannot be traced: `why` is what the results say.
[[nodiscard]] std::unique_ptr<Tracer> make_blind_tracer(std::string why);

}  // namespace nlldiff
