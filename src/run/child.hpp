// SPDX-License-Identifier: Apache-2.0
// Starts a worker process and knows how it ended.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "run/unique_fd.hpp"

namespace nlldiff {

inline constexpr int kChannelFd = 3;  ///< in the worker: requests and replies
inline constexpr int kCrashFd = 4;    ///< in the worker: where its signal handler leaves a CrashNote

/// A running process, leader of its own group. All four descriptors are the supervisor's ends, non-blocking.
struct Child {
  pid_t pid = -1;
  UniqueFd channel, out, err, crash;
};

/// fork and exec. stdin is /dev/null; the process dies with this one. A failing exec shows as exit code 127 with
/// its reason on stderr. Throws Error(internal) where no pipe or process can be made.
[[nodiscard]] Child spawn_child(const std::vector<std::string>& argv);

/// How a process ended.
struct Death {
  int signal = 0;     ///< 0: it exited
  int exit_code = 0;  ///< where it exited
};
/// "died of SIGSEGV (Segmentation fault)" or "exited with code 3".
[[nodiscard]] std::string describe(const Death& death);

/// Reaps a dead child, after killing what is left of its process group; nothing while it lives.
[[nodiscard]] std::optional<Death> reap_if_dead(pid_t pid);
/// Kills the whole group at once; reap later.
void kill_group(pid_t pid);

}  // namespace nlldiff
