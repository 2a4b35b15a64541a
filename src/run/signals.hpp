// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and the deaths of children as something that poll() can wait for.
#pragma once

#include <signal.h>

#include "run/unique_fd.hpp"

namespace nlldiff {

/// While it lives, SIGINT, SIGTERM, SIGHUP and SIGCHLD are not delivered but queued here.
class SignalQueue {
 public:
  SignalQueue();
  ~SignalQueue();
  SignalQueue(const SignalQueue&) = delete;
  SignalQueue& operator=(const SignalQueue&) = delete;

  [[nodiscard]] int fd() const { return fd_.get(); }
  /// Takes what is queued; never blocks.
  void drain();
  /// SIGINT, SIGTERM or SIGHUP came.
  [[nodiscard]] bool interrupted() const { return interrupted_; }

 private:
  UniqueFd fd_;
  sigset_t before_{};
  bool interrupted_ = false;
};

}  // namespace nlldiff
