// SPDX-License-Identifier: Apache-2.0
// Runs CUDA C++ on the host, one fiber a thread where threads must wait for each other, and sees every
// load and store of the watched memory. This header is the side that a caller (src/device) uses; kernels see
// the headers in src/simt/include instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/trace.hpp"

#pragma GCC visibility push(default)
namespace nlldiff::simt {

/// In which order the blocks of a grid, and the threads of a block, are started.
enum class Order { forward, reverse, seeded };

/// A tensor whose stores are counted. It lies inside the arena; watched tensors do not overlap.
struct Watch {
  std::string tensor;             ///< name for TensorTrace
  std::uintptr_t base = 0;        ///< address of its first cell
  std::int64_t cells = 0;         ///< contiguous cells
  std::uint32_t cell_bytes = 0;   ///< 1, 2, 4 or 8
  std::vector<std::int64_t> log;  ///< cells whose stores are logged (pass 2); sorted; empty in pass 1
};

struct Options {
  Order order = Order::forward;
  std::uint64_t seed = 0;         ///< for Order::seeded
  std::uintptr_t arena_base = 0;  ///< only accesses in [arena_base, arena_base + arena_bytes) are looked at
  std::size_t arena_bytes = 0;
  std::vector<Watch> watches;
  /// Serves cudaMalloc and friends; must stay inside the arena. Returns nullptr when it is full.
  void* (*allocate)(void* context, std::size_t bytes) = nullptr;
  void* allocate_context = nullptr;
  std::size_t fiber_stack_bytes = 64 * 1024;
};

/// While one is alive on a thread, the CUDA calls made on that thread are run and traced under its options.
/// Sessions do not nest. Without a session a launch fails with cudaErrorNotSupported.
class Session {
 public:
  explicit Session(Options options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// What was seen since construction; ends the recording. `complete` is false after a fault.
  [[nodiscard]] CallTrace take_trace();
  /// A deadlock at a barrier, a bad launch configuration, ...: one sentence with block and thread; empty: none.
  [[nodiscard]] const std::string& fault() const;
  /// The block and thread running now or last, for decoding a crash; async-signal-safe.
  struct Position {
    std::uint64_t block;
    std::uint32_t thread;
    const char* kernel;
  };
  [[nodiscard]] static Position current_position() noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Proves that this build sees every store form (1 to 16 bytes, zero and copy loops, explicit memset, memcpy,
/// memmove, atomics, struct copies). `library`: the probe kernel library, compiled like any candidate.
/// Returns one sentence per form that was not seen; empty means that all were. The worker refuses to trace otherwise.
[[nodiscard]] std::vector<std::string> self_test(const std::string& library);

}  // namespace nlldiff::simt
#pragma GCC visibility pop
