// SPDX-License-Identifier: Apache-2.0
// What the supervisor and a worker say to each other: length-prefixed JSON over a socket pair.
// A frame is a 4-byte little-endian length and that many bytes of UTF-8 JSON; at most kMaxFrame.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "model/result.hpp"

namespace nlldiff {

inline constexpr std::uint32_t kMaxFrame = 256u << 20;

/// The worker's first frame: it is ready, or says why it cannot work (then it exits).
struct WorkerHello {
  std::string error;                               ///< empty: ready
  int error_exit_code = 2;                         ///< 2: the candidate or device is at fault; 3: the tester
  std::map<std::string, std::string> environment;  ///< torch.version, torch.git, gpu, driver, candidate.fnv1a, ...
  bool traces = false;                             ///< stores can be traced
};

/// Supervisor -> worker: one case.
struct JobRequest {
  std::uint64_t id = 0;
  Case c;
  std::string trace = "auto";  ///< auto | on | off
};

/// Worker -> supervisor. `result` has no file, candidate, repro or captured output: the supervisor adds them.
struct JobReply {
  std::uint64_t id = 0;
  CaseResult result;
  bool retiring = false;  ///< the worker ends after this answer, its device being of no more use: send it nothing
};

/// What a dying worker leaves behind on its crash pipe (written by its signal handler).
struct CrashNote {
  int signal = 0;
  std::uint64_t address = 0;  ///< si_addr
  std::string decoded;        ///< tensor, row and class, where the address is near a tensor
};

void to_json(nlohmann::json&, const WorkerHello&);
void from_json(const nlohmann::json&, WorkerHello&);
void to_json(nlohmann::json&, const JobRequest&);
void from_json(const nlohmann::json&, JobRequest&);
void to_json(nlohmann::json&, const JobReply&);
void from_json(const nlohmann::json&, JobReply&);

/// Blocking, EINTR-safe, whole frames. read_frame: nothing at end of file. Throw Error(internal) on a broken frame.
void write_frame(int fd, const std::string& body);
[[nodiscard]] std::optional<std::string> read_frame(int fd);

}  // namespace nlldiff
