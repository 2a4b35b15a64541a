// SPDX-License-Identifier: Apache-2.0
#include "run/worker_process.hpp"

#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/error.hpp"

namespace nlldiff {
namespace {

constexpr std::size_t kBuffer = 64 * 1024;
constexpr int kBuffersATurn = 16;

enum class Source { more, drained, ended };

/// Reads up to kBuffersATurn buffers and gives each to `take`.
template <class Take>
Source read_some(int fd, Take take) {
  std::array<char, kBuffer> buffer;
  for (int turn = 0; turn < kBuffersATurn; ++turn) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno == EAGAIN ? Source::drained : Source::ended;
    if (got == 0) return Source::ended;
    take(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
    if (static_cast<std::size_t>(got) < buffer.size()) return Source::drained;
  }
  return Source::more;
}

void read_pipe(UniqueFd& fd, Capture& capture) {
  if (fd.open() && read_some(fd.get(), [&](std::string_view bytes) { capture.append(bytes); }) == Source::ended)
    fd.reset();
}

}  // namespace

WorkerProcess::WorkerProcess(const std::vector<std::string>& argv, Clock::time_point start_deadline)
    : deadline(start_deadline), child_(spawn_child(argv)) {}

WorkerProcess::~WorkerProcess() {
  if (death_) return;
  kill();
  // A process stuck in the kernel (a hung driver) is left to init rather than waited for without end.
  for (int turn = 0; turn < 200 && !check_death(); ++turn) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

void WorkerProcess::become_idle() {
  state = State::idle;
  job = nullptr;
  deadline = Clock::time_point::max();
}

void WorkerProcess::assign(const PlannedCase& planned, std::uint64_t id, const std::string& trace,
                           Clock::time_point case_deadline) {
  state = State::busy;
  job = &planned;
  job_id = id;
  started_job = Clock::now();
  deadline = case_deadline;
  outgoing_ = encode_frame(nlohmann::json(JobRequest{id, planned.c, trace}).dump());
  sent_ = 0;
  send_more();
}

void WorkerProcess::send_more() {
  while (wants_to_send() && child_.channel.open()) {
    const ssize_t sent =
        ::send(child_.channel.get(), outgoing_.data() + sent_, outgoing_.size() - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN) return;
    if (sent < 0)
      sent_ = outgoing_.size();  // it is dead or dying, which shows elsewhere
    else
      sent_ += static_cast<std::size_t>(sent);
  }
}

bool WorkerProcess::read_channel() {
  if (channel_ended || !child_.channel.open()) return false;
  const Source source = read_some(child_.channel.get(), [&](std::string_view bytes) { frames_.append(bytes); });
  channel_ended = source == Source::ended;
  return source == Source::more;
}

void WorkerProcess::read_output() {
  read_pipe(child_.out, out);
  read_pipe(child_.err, err);
}

std::optional<CrashNote> WorkerProcess::crash_note() {
  std::string text;
  read_some(child_.crash.get(), [&](std::string_view bytes) { text += bytes; });
  const auto note = nlohmann::json::parse(text.substr(0, text.find('\n')), nullptr, false);
  if (!note.is_object()) return std::nullopt;
  try {
    return CrashNote{note.value("signal", 0), note.value("address", std::uint64_t{0}), note.value("decoded", "")};
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

void WorkerProcess::kill() { kill_group(child_.pid); }

const std::optional<Death>& WorkerProcess::check_death() {
  if (!death_) death_ = reap_if_dead(child_.pid);
  return death_;
}

}  // namespace nlldiff
