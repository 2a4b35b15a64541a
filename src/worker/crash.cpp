// SPDX-License-Identifier: Apache-2.0
// The state here is global because a signal handler has nothing else; it is written before each call and read only
// while the process dies.
#include "worker/crash.hpp"

#include <fcntl.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/error.hpp"
#include "device/device.hpp"
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

/// The tensor in whose red zones the address is; where it is further away, the one that the call writes: far addresses
/// come from wrong offsets of stores.
const Watched* owner_of(std::uintptr_t address) {
  const Watched* written = nullptr;
  for (std::size_t i = 0; i < g_state.count; ++i) {
    const Watched& t = g_state.tensors[i];
    if (distance(t, address) <= kRedZoneBytes) return &t;
    if (std::strcmp(t.name, "grad_input") == 0 || std::strcmp(t.name, "output") == 0) written = &t;
  }
  return written;
}

// snprintf into a stack buffer: not on POSIX's list of async-signal-safe functions, but glibc's integer and string
// conversions allocate nothing, and the process is lost anyway.
int decode(char* text, std::size_t size, std::uintptr_t address) {
  constexpr std::uintptr_t kNullPage = 64 * 1024;
  if (address < kNullPage) return std::snprintf(text, size, "a null pointer");
  const Watched* t = owner_of(address);
  if (!t) return std::snprintf(text, size, "no tensor is near");
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

/// A store just below the stack's end, as a frame too many makes.
bool is_at_stack_pointer(std::uintptr_t address, const void* context) {
#if defined(__x86_64__)
  constexpr std::uintptr_t kFrameBytes = 64 * 1024;
  const auto* user = static_cast<const ucontext_t*>(context);
  const auto pointer = static_cast<std::uintptr_t>(user->uc_mcontext.gregs[REG_RSP]);
  return address - (pointer - kFrameBytes) < 2 * kFrameBytes;
#else
  static_cast<void>(address), static_cast<void>(context);
  return false;
#endif
}

void on_signal(int signal, siginfo_t* info, void* context) {
  std::array<char, 256> where{};
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  // x86-64 does not say which address it was where the upper bits are no copy of bit 47.
  const bool impossible = signal == SIGSEGV && info->si_code == SI_KERNEL;
  const bool has_address = (signal == SIGSEGV || signal == SIGBUS) && !impossible;
  if (impossible) std::snprintf(where.data(), where.size(), "no address that a process can have");
  if (has_address && is_at_stack_pointer(address, context))
    std::snprintf(where.data(), where.size(), "at the stack pointer: the stack is used up");
  else if (has_address)
    decode(where.data(), where.size(), address);
  const char* kernel = simt::Session::current_position().kernel;
  const bool known = kernel && *kernel != '\0';
  std::array<char, 768> line{};
  const int length =
      std::snprintf(line.data(), line.size(), "{\"signal\":%d,\"address\":%llu,\"decoded\":\"%s%s%.200s\"}\n", signal,
                    has_address ? static_cast<unsigned long long>(address) : 0ULL, where.data(),
                    known ? "; in or after kernel " : "", known ? kernel : "");
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
