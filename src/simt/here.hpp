// SPDX-License-Identifier: Apache-2.0
// What the running thread's hooks and built-in variables need, in static thread-local storage: one address
// computation away, and few bytes, since a library that is loaded late gets only a small share of it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simt/simt.hpp"

namespace nlldiff::simt {

class Recorder;

struct Hook {
  std::uintptr_t arena_base;
  /// Bytes that are looked at. A host thread without a session looks at everything, slowly: a store of its own
  /// to somebody else's arena must not go unseen.
  std::size_t arena_bytes;
  Recorder* recorder;   ///< null: no session on this host thread, or none that records
  std::uint64_t stamp;  ///< who stores now; see stamp.hpp
};

/// threadIdx and its like; the layout is uint3's.
struct Index3 {
  unsigned x, y, z;
};

extern thread_local constinit Hook t_hook __attribute__((tls_model("initial-exec")));
extern thread_local constinit Session::Position t_position __attribute__((tls_model("initial-exec")));

inline constexpr Hook kNoSession{0, SIZE_MAX, nullptr, 0};

}  // namespace nlldiff::simt

extern "C" {
#define NLLDIFF_SIMT_BUILTIN \
  __attribute__((visibility("default"), tls_model("initial-exec"))) __thread nlldiff::simt::Index3
extern NLLDIFF_SIMT_BUILTIN nlldiff_simt_threadIdx;
extern NLLDIFF_SIMT_BUILTIN nlldiff_simt_blockIdx;
extern NLLDIFF_SIMT_BUILTIN nlldiff_simt_blockDim;
extern NLLDIFF_SIMT_BUILTIN nlldiff_simt_gridDim;
}
