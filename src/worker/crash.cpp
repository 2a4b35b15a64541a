// SPDX-License-Identifier: Apache-2.0
// The state here is global because a signal handler has nothing else; it is written before each call and read only
// while the process dies.
#include "worker/crash.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/error.hpp"
#include "simt/simt.hpp"

namespace nlldiff {
namespace {

struct Watched {
  char name[16];
  std::uintptr_t base;
  std::size_t bytes;
};

struct CrashState {
  int fd = -1;
  Geometry geometry;
  std::int64_t cell_bytes = 4;
  std::array<Watched, 32> tensors{};
  std::size_t count = 0;
};
CrashState g_state;

constexpr std::array kSignals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

/// Distance from the tensor; 0 inside.
std::uintptr_t distance(const Watched& t, std::uintptr_t address) {
  if (address < t.base) return t.base - address;
  return address - t.base < t.bytes ? 0 : address - t.base - t.bytes + 1;
}

const Watched* nearest(std::uintptr_t address) {
  const Watched* best = nullptr;
  for (std::size_t i = 0; i < g_state.count; ++i)
    if (!best || distance(g_state.tensors[i], address) < distance(*best, address)) best = &g_state.tensors[i];
  return best;
}

// snprintf into a stack buffer: not on POSIX's list of async-signal-safe functions, but glibc's integer and string
// conversions allocate nothing, and the process is lost anyway.
int decode(char* text, std::size_t size, std::uintptr_t address) {
  constexpr std::uintptr_t kNear = std::uintptr_t{1} << 39;  // what the host's arena spans on each side
  const Watched* t = nearest(address);
  if (!t || distance(*t, address) > kNear) return std::snprintf(text, size, "not near any tensor");
  const auto offset = static_cast<std::int64_t>(address - t->base);
  const char* side = address < t->base ? "before" : distance(*t, address) == 0 ? "in" : "after";
  const std::int64_t cell = offset / g_state.cell_bytes;
  if (std::strcmp(t->name, "grad_input") == 0 && distance(*t, address) == 0)
    return std::snprintf(text, size, "in grad_input: cell %lld = row %lld, class %lld", static_cast<long long>(cell),
                         static_cast<long long>(g_state.geometry.row_of(cell)),
                         static_cast<long long>(g_state.geometry.class_of(cell)));
  return std::snprintf(text, size, "%s %s: byte offset %lld, cell %lld", side, t->name, static_cast<long long>(offset),
                       static_cast<long long>(cell));
}

void on_signal(int signal, siginfo_t* info, void*) {
  std::array<char, 256> where{};
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const bool has_address = signal == SIGSEGV || signal == SIGBUS;
  if (has_address) decode(where.data(), where.size(), address);
  const auto position = simt::Session::current_position();
  std::array<char, 768> line{};
  const int length =
      std::snprintf(line.data(), line.size(), "{\"signal\":%d,\"address\":%llu,\"decoded\":\"%s%s%.200s\"}\n", signal,
                    has_address ? static_cast<unsigned long long>(address) : 0ULL, where.data(),
                    position.kernel ? "; in or after kernel " : "", position.kernel ? position.kernel : "");
  if (length > 0) {
    const ssize_t written =
        write(g_state.fd, line.data(), std::min<std::size_t>(static_cast<std::size_t>(length), line.size() - 1));
    static_cast<void>(written);  // nobody is left to tell
  }
  ::signal(signal, SIG_DFL);
  raise(signal);
}

}  // namespace

void install_crash_handlers(int fd) {
  g_state.fd = fd;
  constexpr std::size_t kStackBytes = 64 * 1024;
  static std::array<std::byte, kStackBytes> stack;  // a kernel may have used up its own
  stack_t alternative{};
  alternative.ss_sp = stack.data();
  alternative.ss_size = stack.size();
  if (sigaltstack(&alternative, nullptr) != 0) fail_internal("sigaltstack: {}", std::strerror(errno));
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (const int signal : kSignals) sigaction(signal, &action, nullptr);
}

void set_crash_geometry(const Geometry& geometry, int cell_bytes) {
  g_state.geometry = geometry;
  g_state.cell_bytes = cell_bytes;
}

void watch_for_crash(std::string_view tensor, const std::byte* data, std::size_t bytes) {
  if (g_state.count == g_state.tensors.size()) return;
  Watched& watched = g_state.tensors[g_state.count];
  const std::size_t length = std::min(tensor.size(), sizeof watched.name - 1);
  std::memcpy(watched.name, tensor.data(), length);
  watched.name[length] = '\0';
  watched.base = reinterpret_cast<std::uintptr_t>(data);
  watched.bytes = bytes;
  ++g_state.count;
}

void forget_crash_watches() { g_state.count = 0; }

}  // namespace nlldiff
