// SPDX-License-Identifier: Apache-2.0
#include <csignal>

namespace {
[[maybe_unused]] const int kDeath = std::raise(SIGSEGV);
}
