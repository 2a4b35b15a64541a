// SPDX-License-Identifier: Apache-2.0
// What the translator puts in place of `kernel<<<...>>>(...)` and of shared variables.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "../vector_types.h"
#include "abi.h"

struct CUstream_st;

namespace nlldiff_simt {

/// A launch that waits for its arguments. `body` calls the kernel with whatever it is given.
template <class Body>
struct Prepared {
  const char* kernel;
  Body body;
  dim3 grid, block;
  size_t shared_bytes;

  template <class... A>
  void operator()(A&&... a) const {
    const std::tuple<std::decay_t<A>...> arguments(std::forward<A>(a)...);
    auto thread = [this, &arguments] { std::apply(body, arguments); };
    const unsigned grid_size[3] = {grid.x, grid.y, grid.z}, block_size[3] = {block.x, block.y, block.z};
    nlldiff_simt_launch(
        kernel, grid_size, block_size, shared_bytes, [](void* at) { (*static_cast<decltype(thread)*>(at))(); },
        &thread);
  }
};

template <class Body>
Prepared<Body> prepare(const char* kernel, Body body, dim3 grid, dim3 block, size_t shared_bytes = 0,
                       CUstream_st* /*stream*/ = nullptr) {
  return {kernel, body, grid, block, shared_bytes};
}

template <class Variables>
struct SharedKey {
  static inline const char at = 0;
};

/// The block's copy of one `__shared__` declaration, in a struct of its own.
template <class Variables>
Variables& shared() {
  return *static_cast<Variables*>(
      nlldiff_simt_shared(&SharedKey<Variables>::at, sizeof(Variables), alignof(Variables)));
}

template <class Array>
Array& dynamic_shared() {
  return *static_cast<Array*>(nlldiff_simt_dynamic_shared());
}

}  // namespace nlldiff_simt
