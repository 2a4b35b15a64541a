// SPDX-License-Identifier: Apache-2.0
// One pass of one candidate run: fresh memory, inputs copied in, outputs poisoned, the call, and what it left.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "candidate/candidate.hpp"
#include "detect/evidence.hpp"
#include "device/device.hpp"
#include "device/tracer.hpp"

namespace nlldiff {

/// What differs from run to run.
struct RunSetup {
  RunOrder order = RunOrder::forward;
  std::uint64_t seed = 0;
  std::uint8_t poison = 0;
  const HostTensor* target = nullptr;
};

/// What stays the same over all runs of a job.
struct PassInputs {
  const Case* c = nullptr;
  const Inputs* inputs = nullptr;
  double total_weight = 0;  ///< handed to backward
};

/// Pass 2 of a trace: these cells of this tensor are logged. An empty tensor name: pass 1.
struct LogRequest {
  std::string tensor;
  std::vector<std::int64_t> cells;
};

class PassRunner {
 public:
  /// All of them outlive the runner. `tracer` is nullptr for the reference, whose stores nobody watches.
  PassRunner(Device& device, Candidate& candidate, Tracer* tracer)
      : device_(device), candidate_(candidate), tracer_(tracer) {}

  /// The views in the result live until the device's next reset and the runner's end.
  [[nodiscard]] PassRun run(Pass pass, const PassInputs& given, const RunSetup& setup, const LogRequest& log = {});

 private:
  struct Placed;
  [[nodiscard]] std::byte* place(const HostTensor& tensor, const std::string& name, PassRun& run, Placed& placed);
  [[nodiscard]] Placed place_inputs(Pass pass, const PassInputs& given, const RunSetup& setup, PassRun& run);
  void place_outputs(Pass pass, const PassInputs& given, const RunSetup& setup, Placed& placed);
  void collect_inputs(const Placed& placed, PassRun& run);
  void collect_outputs(Pass pass, const Placed& placed, PassRun& run);
  [[nodiscard]] const std::byte* view(const std::byte* at, std::size_t bytes);

  Device& device_;
  Candidate& candidate_;
  Tracer* tracer_;
  std::deque<std::vector<std::byte>> buffers_;  ///< host copies that views point into
  std::deque<HostTensor> scalars_;              ///< the total_weight tensors that were handed to backward
};

}  // namespace nlldiff
