// SPDX-License-Identifier: Apache-2.0
// For tests: an arena with one watched tensor, and the functions of the test kernels' library.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "simt/simt.hpp"

namespace nlldiff::simt {

/// A library of test kernels, loaded once.
class Library {
 public:
  explicit Library(const std::string& path) : handle_(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw std::runtime_error(::dlerror());
  }
  template <class Function>
  Function* find(const char* name) const {
    void* at = ::dlsym(handle_, name);
    if (at == nullptr) throw std::runtime_error(std::string("no function ") + name);
    return reinterpret_cast<Function*>(at);
  }

 private:
  void* handle_;
};

/// NLLDIFF_TEST_KERNELS in the environment names another compiler's build of them.
const Library& test_kernels();

/// 64 KiB: the watched tensor "out" first, a bump allocator behind it.
template <class Cell>
class Bench {
 public:
  static constexpr std::size_t kBytes = 65536;
  explicit Bench(std::int64_t cells, Cell fill = Cell{}) : memory_(kBytes / sizeof(std::max_align_t)) {
    options.arena_base = reinterpret_cast<std::uintptr_t>(memory_.data());
    options.arena_bytes = kBytes;
    options.watches.push_back(
        {.tensor = "out", .base = options.arena_base, .cells = cells, .cell_bytes = sizeof(Cell), .log = {}});
    options.allocate = [](void* self, std::size_t bytes) { return static_cast<Bench*>(self)->allocate(bytes); };
    options.allocate_context = this;
    for (std::int64_t i = 0; i < cells; ++i) out()[i] = fill;
    used_ = (static_cast<std::size_t>(cells) * sizeof(Cell) + 255) / 256 * 256;
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  [[nodiscard]] Cell* out() { return static_cast<Cell*>(static_cast<void*>(memory_.data())); }
  [[nodiscard]] std::vector<Cell> cells(std::size_t n) { return std::vector<Cell>(out(), out() + n); }

  /// Calls the library's function `name` under a session; leaves what was seen in `trace` and `fault`.
  template <class Result = void, class... A>
  Result run(const char* name, A... arguments) {
    return call<Result>(test_kernels().find<Result(A...)>(name), arguments...);
  }
  template <class Result, class... A>
  Result call(Result (*function)(A...), A... arguments) {
    Session session(options);
    const Finish finish{*this, session};
    return function(arguments...);
  }

  Options options;
  CallTrace trace;
  std::string fault;

  [[nodiscard]] const TensorTrace& seen() const { return trace.tensors.front(); }
  [[nodiscard]] std::vector<std::uint32_t> counts() const {
    std::vector<std::uint32_t> all;
    for (std::int64_t i = 0; i < options.watches.front().cells; ++i) all.push_back(seen().stores.at(i));
    return all;
  }

 private:
  struct Finish {
    Bench& bench;
    Session& session;
    ~Finish() {
      bench.trace = session.take_trace();
      bench.fault = session.fault();
    }
  };
  void* allocate(std::size_t bytes) {
    if (bytes > kBytes - used_) return nullptr;
    void* at = static_cast<std::byte*>(static_cast<void*>(memory_.data())) + used_;
    used_ += (bytes + 255) / 256 * 256;
    return at;
  }

  std::vector<std::max_align_t> memory_;
  std::size_t used_ = 0;
};

}  // namespace nlldiff::simt
