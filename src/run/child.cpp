// SPDX-License-Identifier: Apache-2.0
#include "run/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "core/error.hpp"

namespace nlldiff {
namespace {

struct Pair {
  UniqueFd ours, theirs;
};

void set_nonblocking(int fd) { ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK); }

[[noreturn]] void fail_start() { fail_internal("cannot start a worker process: {}", std::strerror(errno)); }

Pair make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail_start();
  set_nonblocking(ends[0]);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

Pair make_channel() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) fail_start();
  set_nonblocking(ends[0]);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

/// Between fork and exec only async-signal-safe calls are allowed.
[[noreturn]] void become_worker(const std::array<int, 5>& sources, const char* const* argv, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  // The sources may themselves be 0 to 4: lift them all out of the way first.
  std::array<int, 5> lifted{};
  for (std::size_t i = 0; i < sources.size(); ++i) lifted[i] = ::fcntl(sources[i], F_DUPFD_CLOEXEC, 10);
  for (std::size_t i = 0; i < sources.size(); ++i) ::dup2(lifted[i], static_cast<int>(i));
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execv(argv[0], const_cast<char* const*>(argv));
  const char* reason = std::strerror(errno);
  for (const char* text : {"cannot execute ", argv[0], ": ", reason, "\n"})
    if (::write(2, text, std::strlen(text)) < 0) break;
  ::_exit(127);
}

}  // namespace

Child spawn_child(const std::vector<std::string>& argv) {
  Pair channel = make_channel(), out = make_pipe(), err = make_pipe(), crash = make_pipe();
  const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null.open()) fail_start();
  std::vector<const char*> arguments;
  for (const std::string& argument : argv) arguments.push_back(argument.c_str());
  arguments.push_back(nullptr);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) fail_start();
  if (pid == 0)
    become_worker({null.get(), out.theirs.get(), err.theirs.get(), channel.theirs.get(), crash.theirs.get()},
                  arguments.data(), parent);
  ::setpgid(pid, pid);  // both sides do it: whoever comes first
  return {pid, std::move(channel.ours), std::move(out.ours), std::move(err.ours), std::move(crash.ours)};
}

std::string describe(const Death& death) {
  if (death.signal == 0) return fmt::format("exited with code {}", death.exit_code);
  const char* name = ::sigabbrev_np(death.signal);
  const char* meaning = ::sigdescr_np(death.signal);
  if (name == nullptr) return fmt::format("died of signal {}", death.signal);
  return fmt::format("died of SIG{} ({})", name, meaning == nullptr ? "" : meaning);
}

void kill_group(pid_t pid) {
  if (pid > 0) ::kill(-pid, SIGKILL);
}

std::optional<Death> reap_if_dead(pid_t pid) {
  siginfo_t info{};
  // WNOWAIT: as long as the leader is not reaped its id cannot be another group's.
  if (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
    return std::nullopt;
  kill_group(pid);
  ::waitpid(pid, nullptr, 0);
  if (info.si_code == CLD_EXITED) return Death{0, info.si_status};
  return Death{info.si_status, 0};
}

}  // namespace nlldiff
