// SPDX-License-Identifier: Apache-2.0
// Tells AddressSanitizer which stack is running. Nothing in any other build.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define NLLDIFF_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NLLDIFF_ASAN 1
#endif
#endif

#ifdef NLLDIFF_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace nlldiff::simt {

/// Before a switch to the stack [bottom, bottom + bytes); the result goes to stack_entered when this one goes on.
inline void* stack_left([[maybe_unused]] const void* bottom, [[maybe_unused]] std::size_t bytes) {
  void* fake_stack = nullptr;
#ifdef NLLDIFF_ASAN
  __sanitizer_start_switch_fiber(&fake_stack, bottom, bytes);
#endif
  return fake_stack;
}

/// After a switch to here: where the stack is that was left.
inline void stack_entered([[maybe_unused]] void* fake_stack, [[maybe_unused]] const void** left_bottom,
                          [[maybe_unused]] std::size_t* left_bytes) {
#ifdef NLLDIFF_ASAN
  __sanitizer_finish_switch_fiber(fake_stack, left_bottom, left_bytes);
#endif
}

/// What stood on this stack is gone, and so are its red zones.
inline void stack_dropped([[maybe_unused]] const void* bottom, [[maybe_unused]] std::size_t bytes) {
#ifdef NLLDIFF_ASAN
  __asan_unpoison_memory_region(bottom, bytes);
#endif
}

}  // namespace nlldiff::simt
