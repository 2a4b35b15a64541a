// SPDX-License-Identifier: Apache-2.0
#include "model/protocol.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>

#include "core/error.hpp"
#include "model/result_fields.hpp"

namespace nlldiff {
namespace json_fields {

template <>
inline constexpr auto kJsonFields<WorkerHello> =
    std::make_tuple(field("error", &WorkerHello::error), field("error_exit_code", &WorkerHello::error_exit_code),
                    field("environment", &WorkerHello::environment), field("traces", &WorkerHello::traces));
template <>
inline constexpr auto kJsonFields<JobRequest> = std::make_tuple(always("id", &JobRequest::id),
                                                                always("case", &JobRequest::c),
                                                                field("trace", &JobRequest::trace));
template <>
inline constexpr auto kJsonFields<JobReply> = std::make_tuple(always("id", &JobReply::id),
                                                              always("result", &JobReply::result),
                                                              field("retiring", &JobReply::retiring));

}  // namespace json_fields

namespace {

/// A pipe has no MSG_NOSIGNAL: the signal is blocked for this thread and, where the write raised it, taken back.
ssize_t write_without_sigpipe(int fd, const char* data, std::size_t size) {
  sigset_t pipe_signal, before, pending;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  sigpending(&pending);
  pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
  const ssize_t written = ::write(fd, data, size);
  const int error = errno;
  if (written < 0 && error == EPIPE && sigismember(&pending, SIGPIPE) == 0) {
    const timespec at_once{};
    sigtimedwait(&pipe_signal, nullptr, &at_once);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return written;
}

ssize_t write_some(int fd, const char* data, std::size_t size) {
  const ssize_t sent = ::send(fd, data, size, MSG_NOSIGNAL);
  return sent < 0 && errno == ENOTSOCK ? write_without_sigpipe(fd, data, size) : sent;
}

void write_all(int fd, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t written = write_some(fd, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_internal("cannot send to the other process: {}; it has probably ended", std::strerror(errno));
    data += written;
    size -= static_cast<std::size_t>(written);
  }
}

/// Bytes read: `size`, or fewer at end of file. A peer that died with unread data is an end of file as well.
std::size_t read_all(int fd, char* data, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::read(fd, data + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0 || (got < 0 && errno == ECONNRESET)) break;
    if (got < 0) fail_internal("cannot read from the other process: {}", std::strerror(errno));
    done += static_cast<std::size_t>(got);
  }
  return done;
}

}  // namespace

void to_json(nlohmann::json& to, const WorkerHello& from) { to = json_fields::write(from); }
void from_json(const nlohmann::json& from, WorkerHello& to) { json_fields::read(from, to); }
void to_json(nlohmann::json& to, const JobRequest& from) { to = json_fields::write(from); }
void from_json(const nlohmann::json& from, JobRequest& to) { json_fields::read(from, to); }
void to_json(nlohmann::json& to, const JobReply& from) { to = json_fields::write(from); }
void from_json(const nlohmann::json& from, JobReply& to) { json_fields::read(from, to); }

void write_frame(int fd, const std::string& body) {
  if (body.size() > kMaxFrame) {
    fail_internal("a message of {} bytes is longer than the {} that a frame holds", body.size(), kMaxFrame);
  }
  const auto length = static_cast<std::uint32_t>(body.size());
  std::string frame;
  frame.reserve(body.size() + 4);
  for (int shift = 0; shift < 32; shift += 8) frame.push_back(static_cast<char>(length >> shift & 0xff));
  frame += body;
  write_all(fd, frame.data(), frame.size());  // at once: a peer never sees a length alone
}

std::optional<std::string> read_frame(int fd) {
  std::array<char, 4> header{};
  const std::size_t got = read_all(fd, header.data(), header.size());
  if (got == 0) return std::nullopt;
  if (got < header.size()) fail_internal("the other process ended within a message's length");
  std::uint32_t length = 0;
  for (std::size_t i = 4; i-- > 0;) length = length << 8 | static_cast<unsigned char>(header[i]);
  if (length > kMaxFrame) {
    fail_internal("a message claims {} bytes; a frame holds {}: something else wrote to the channel", length,
                  kMaxFrame);
  }
  std::string body(length, '\0');
  const std::size_t body_bytes = read_all(fd, body.data(), body.size());
  if (body_bytes < length)
    fail_internal("the other process ended after {} of a message's {} bytes", body_bytes, length);
  return body;
}

}  // namespace nlldiff
