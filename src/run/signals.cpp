// SPDX-License-Identifier: Apache-2.0
#include "run/signals.hpp"

#include <sys/signalfd.h>

#include <cerrno>
#include <cstring>

#include "core/error.hpp"

namespace nlldiff {

SignalQueue::SignalQueue() {
  sigset_t wanted;
  ::sigemptyset(&wanted);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) ::sigaddset(&wanted, signal);
  ::sigprocmask(SIG_BLOCK, &wanted, &before_);
  fd_ = UniqueFd(::signalfd(-1, &wanted, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!fd_.open()) fail_internal("cannot wait for signals: {}", std::strerror(errno));
}

SignalQueue::~SignalQueue() {
  drain();
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

void SignalQueue::drain() {
  signalfd_siginfo info{};
  while (::read(fd_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info))
    if (info.ssi_signo != SIGCHLD) interrupted_ = true;
}

}  // namespace nlldiff
