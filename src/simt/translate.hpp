// SPDX-License-Identifier: Apache-2.0
// CUDA C++ -> host C++, after the preprocessor: `kernel<<<grid, block, shared, stream>>>(args)`, `__shared__` and
// `extern __shared__` are rewritten; everything else is left to the compiler and simt's headers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nlldiff::simt {

#pragma GCC visibility push(default)

/// Translates preprocessed text (`g++ -E` with src/simt/include first). Keeps line markers, so that compiler
/// messages and debug lines point at the user's file. Throws Error(usage) with file:line for what cannot be done.
[[nodiscard]] std::string translate(std::string_view preprocessed);

/// How to compile a .cu file for the host.
struct CompileOptions {
  std::string compiler = "g++";          ///< g++ or clang++
  std::string include_dir;               ///< simt's headers
  std::string abi_include_dir;           ///< where nlldiff/kernel.h is
  std::string runtime_library;           ///< libnlldiff_simt.so
  std::string run_path;                  ///< where `output` looks for it; empty: in the folder that it is in now
  std::string depfile;                   ///< where to list the headers for make or ninja; empty: nowhere
  bool instrument = true;                ///< false: stores stay unseen; for testing that this is found out
  std::vector<std::string> extra_flags;  ///< to the preprocessor and the compiler: -I, -D, -std, ...
};
/// Preprocesses, translates, compiles and links `source` into the shared library `output`.
/// Throws Error(usage) with the compiler's own output where it refuses.
void compile_for_host(const std::string& source, const std::string& output, const CompileOptions& options);
/// All that decides what `compile_for_host` makes of a preprocessed text: for a cache key.
[[nodiscard]] std::string compile_fingerprint(const CompileOptions& options);

#pragma GCC visibility pop

}  // namespace nlldiff::simt
