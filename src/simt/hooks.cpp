// SPDX-License-Identifier: Apache-2.0
// The functions that -fsanitize=thread makes the compiler call at each access, in place of libtsan's.
// Loads are of no interest yet; their hooks are there because the compiler calls them.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "simt/here.hpp"
#include "simt/recorder.hpp"
#include "simt/session.hpp"

namespace {

using nlldiff::simt::Access;
using nlldiff::simt::t_hook;

#define NLLDIFF_ALWAYS_INLINE inline __attribute__((always_inline))
#define NLLDIFF_PC __builtin_return_address(0)

/// Out of line, and its arguments in registers: the hooks themselves stay a compare and a return.
template <std::size_t kBytes, bool kAtomic>
[[gnu::noinline]] void seen(std::uintptr_t at, const void* pc) {
  if (t_hook.recorder != nullptr)
    t_hook.recorder->store({at, kBytes, kAtomic, pc});
  else
    nlldiff::simt::report_foreign_store(at, kBytes);
}

template <std::size_t kBytes, bool kAtomic>
NLLDIFF_ALWAYS_INLINE void on_store(void* at, const void* pc) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  if (address - t_hook.arena_base >= t_hook.arena_bytes) {
    if constexpr (kAtomic) {
      if (t_hook.recorder != nullptr) t_hook.recorder->atomic_elsewhere();
    }
    return;
  }
  seen<kBytes, kAtomic>(address, pc);
}

/// Any size: it may begin before the arena and end in it.
void on_range(void* at, std::size_t bytes, const void* pc) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  if (bytes == 0) return;
  if (t_hook.recorder == nullptr) {
    if (t_hook.arena_bytes != 0) nlldiff::simt::report_foreign_store(address, bytes);
    return;
  }
  t_hook.recorder->store_range({address, bytes, false, pc});
}

template <class T>
T load(const volatile void* at) {
  return *static_cast<const volatile T*>(at);
}

template <class T, class Update>
NLLDIFF_ALWAYS_INLINE T update(volatile void* at, const void* pc, Update next) {
  auto* cell = static_cast<volatile T*>(at);
  on_store<sizeof(T), true>(const_cast<void*>(at), pc);
  const T old = *cell;
  *cell = static_cast<T>(next(old));
  return old;
}

template <class T>
NLLDIFF_ALWAYS_INLINE bool compare_exchange(volatile void* at, void* expected, T desired, const void* pc) {
  auto* cell = static_cast<volatile T*>(at);
  T wanted;
  std::memcpy(&wanted, expected, sizeof wanted);
  const T old = *cell;
  if (old != wanted) {
    std::memcpy(expected, &old, sizeof old);
    return false;
  }
  on_store<sizeof(T), true>(const_cast<void*>(at), pc);
  *cell = desired;
  return true;
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): the compiler chose these names.
extern "C" {
#pragma GCC visibility push(default)

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_read(void**) {}
void __tsan_vptr_update(void** at, void*) { on_store<sizeof(void*), false>(at, NLLDIFF_PC); }
void __tsan_ignore_thread_begin() {}
void __tsan_ignore_thread_end() {}
void __tsan_atomic_thread_fence(int) {}
void __tsan_atomic_signal_fence(int) {}
void __tsan_read_range(void*, std::size_t) {}
void __tsan_write_range(void* at, std::size_t bytes) { on_range(at, bytes, NLLDIFF_PC); }

#define NLLDIFF_TSAN_ACCESS(form, n)    \
  void __tsan_##form##read##n(void*) {} \
  void __tsan_##form##write##n(void* at) { on_store<n, false>(at, NLLDIFF_PC); }
#define NLLDIFF_TSAN_ACCESSES(form) \
  NLLDIFF_TSAN_ACCESS(form, 1)      \
  NLLDIFF_TSAN_ACCESS(form, 2)      \
  NLLDIFF_TSAN_ACCESS(form, 4)      \
  NLLDIFF_TSAN_ACCESS(form, 8)      \
  NLLDIFF_TSAN_ACCESS(form, 16)
NLLDIFF_TSAN_ACCESSES()
NLLDIFF_TSAN_ACCESSES(unaligned_)
NLLDIFF_TSAN_ACCESSES(volatile_)
NLLDIFF_TSAN_ACCESSES(unaligned_volatile_)

#define NLLDIFF_TSAN_READ_WRITE(n)                                            \
  void __tsan_read_write##n(void* at) { on_store<n, false>(at, NLLDIFF_PC); } \
  void __tsan_unaligned_read_write##n(void* at) { on_store<n, false>(at, NLLDIFF_PC); }
NLLDIFF_TSAN_READ_WRITE(1)
NLLDIFF_TSAN_READ_WRITE(2)
NLLDIFF_TSAN_READ_WRITE(4)
NLLDIFF_TSAN_READ_WRITE(8)
NLLDIFF_TSAN_READ_WRITE(16)

#define NLLDIFF_TSAN_FETCH(bits, T, name, expression)                                         \
  T __tsan_atomic##bits##_##name(volatile T* at, T value, int) {                              \
    return update<T>(at, NLLDIFF_PC, [value]([[maybe_unused]] T old) { return expression; }); \
  }
#define NLLDIFF_TSAN_ATOMIC(bits, T)                                                                    \
  T __tsan_atomic##bits##_load(const volatile T* at, int) { return load<T>(at); }                       \
  void __tsan_atomic##bits##_store(volatile T* at, T value, int) {                                      \
    update<T>(at, NLLDIFF_PC, [value](T) { return value; });                                            \
  }                                                                                                     \
  NLLDIFF_TSAN_FETCH(bits, T, exchange, value)                                                          \
  NLLDIFF_TSAN_FETCH(bits, T, fetch_add, old + value)                                                   \
  NLLDIFF_TSAN_FETCH(bits, T, fetch_sub, old - value)                                                   \
  NLLDIFF_TSAN_FETCH(bits, T, fetch_and, old& value)                                                    \
  NLLDIFF_TSAN_FETCH(bits, T, fetch_or, old | value)                                                    \
  NLLDIFF_TSAN_FETCH(bits, T, fetch_xor, old ^ value)                                                   \
  NLLDIFF_TSAN_FETCH(bits, T, fetch_nand, ~(old & value))                                               \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile T* at, T* expected, T desired, int, int) { \
    return compare_exchange(at, expected, desired, NLLDIFF_PC);                                         \
  }                                                                                                     \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile T* at, T* expected, T desired, int, int) {   \
    return compare_exchange(at, expected, desired, NLLDIFF_PC);                                         \
  }                                                                                                     \
  T __tsan_atomic##bits##_compare_exchange_val(volatile T* at, T expected, T desired, int, int) {       \
    compare_exchange(at, &expected, desired, NLLDIFF_PC);                                               \
    return expected;                                                                                    \
  }
NLLDIFF_TSAN_ATOMIC(8, std::uint8_t)
NLLDIFF_TSAN_ATOMIC(16, std::uint16_t)
NLLDIFF_TSAN_ATOMIC(32, std::uint32_t)
NLLDIFF_TSAN_ATOMIC(64, std::uint64_t)

// memset and its like: by the linker's --wrap, and by the names that newer compilers call.
void* __wrap_memset(void* at, int value, std::size_t bytes) {
  on_range(at, bytes, NLLDIFF_PC);
  return std::memset(at, value, bytes);
}
void* __wrap_memcpy(void* to, const void* from, std::size_t bytes) {
  on_range(to, bytes, NLLDIFF_PC);
  return std::memcpy(to, from, bytes);
}
void* __wrap_memmove(void* to, const void* from, std::size_t bytes) {
  on_range(to, bytes, NLLDIFF_PC);
  return std::memmove(to, from, bytes);
}
void* __tsan_memset(void* at, int value, std::size_t bytes) {
  on_range(at, bytes, NLLDIFF_PC);
  return std::memset(at, value, bytes);
}
void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
  on_range(to, bytes, NLLDIFF_PC);
  return std::memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
  on_range(to, bytes, NLLDIFF_PC);
  return std::memmove(to, from, bytes);
}

std::uint64_t nlldiff_simt_peek(const void* at, unsigned bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, bytes);
  return bits;
}
void nlldiff_simt_poke(void* at, unsigned bytes, std::uint64_t bits) {
  switch (bytes) {
    case 1:
      on_store<1, true>(at, NLLDIFF_PC);
      break;
    case 2:
      on_store<2, true>(at, NLLDIFF_PC);
      break;
    case 4:
      on_store<4, true>(at, NLLDIFF_PC);
      break;
    default:
      on_store<8, true>(at, NLLDIFF_PC);
      break;
  }
  std::memcpy(at, &bits, bytes);
}

#pragma GCC visibility pop
}
// NOLINTEND(bugprone-reserved-identifier)
