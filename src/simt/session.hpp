// SPDX-License-Identifier: Apache-2.0
// What stands behind a Session, and what a host thread keeps between sessions.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "simt/include/driver_types.h"
#include "simt/recorder.hpp"
#include "simt/scheduler.hpp"
#include "simt/simt.hpp"

namespace nlldiff::simt {

/// One session as the runtime sees it.
struct SessionCore {
  Options options;
  std::unique_ptr<Recorder> recorder;      ///< null once the trace was taken
  std::string fault;                       ///< the first one
  std::string foreign;                     ///< what other host threads did to it; guarded by the list of sessions
  cudaError_t sticky_error = cudaSuccess;  ///< after a device fault nothing works any more, as on a GPU

  void fail(const std::string& sentence) {
    if (fault.empty()) fault = sentence;
  }
};

/// What belongs to one host thread: warm fibers, CUDA's last error, the session.
struct HostThread {
  SessionCore* session = nullptr;
  cudaError_t last_error = cudaSuccess;
  Scheduler scheduler;
  std::array<char, 256> kernel_name{};  ///< of the last launch, for decoding a crash
};
[[nodiscard]] HostThread& host_thread();

/// A host thread without a session stored to [at, at + bytes): notes it with the session whose arena that is.
void report_foreign_store(std::uintptr_t at, std::size_t bytes);
/// A host thread without a session tried to launch: notes it with every session.
void report_foreign_launch(const std::string& kernel);

}  // namespace nlldiff::simt
