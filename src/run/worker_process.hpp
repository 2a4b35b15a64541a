// SPDX-License-Identifier: Apache-2.0
// One worker process as the supervisor sees it: what is to be sent, what came, what it printed.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "model/protocol.hpp"
#include "run/capture.hpp"
#include "run/child.hpp"
#include "run/frames.hpp"
#include "run/plan.hpp"

namespace nlldiff {

using Clock = std::chrono::steady_clock;

class WorkerProcess {
 public:
  enum class State { starting, idle, busy };

  WorkerProcess(const std::vector<std::string>& argv, Clock::time_point start_deadline);
  ~WorkerProcess();  ///< kills the group and reaps, where that has not been done
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  void become_idle();
  /// Queues the request; idle -> busy.
  void assign(const PlannedCase& job, std::uint64_t id, const std::string& trace, Clock::time_point case_deadline);
  /// Writes what the channel takes now. A dead worker is not noticed here.
  void send_more();
  /// Reads what is there now, never more than a few buffers: an endless printer must not hold the loop.
  /// True: there is more to read at once.
  bool read_channel();
  void read_output();
  /// The next whole frame; throws Error(internal) on a broken one.
  [[nodiscard]] std::optional<std::string> next_frame() { return frames_.next(); }
  /// What the signal handler left; nothing where it left nothing or nonsense.
  [[nodiscard]] std::optional<CrashNote> crash_note();
  /// Kills the group; the process is reaped by the destructor at the latest.
  void kill();
  /// Closes the channel: the worker's sign to end by itself.
  void hang_up() { child_.channel.reset(); }
  /// Set once the process is dead.
  [[nodiscard]] const std::optional<Death>& check_death();

  State state = State::starting;
  const PlannedCase* job = nullptr;  ///< while busy
  std::uint64_t job_id = 0;
  Clock::time_point started_job{}, deadline = Clock::time_point::max();
  bool channel_ended = false;  ///< end of file on the channel
  Capture out, err;

  [[nodiscard]] int channel_fd() const { return channel_ended ? -1 : child_.channel.get(); }
  [[nodiscard]] int out_fd() const { return child_.out.get(); }
  [[nodiscard]] int err_fd() const { return child_.err.get(); }
  [[nodiscard]] bool wants_to_send() const { return sent_ < outgoing_.size(); }

 private:
  Child child_;
  FrameReader frames_;
  std::string outgoing_;
  std::size_t sent_ = 0;
  std::optional<Death> death_;
};

}  // namespace nlldiff
