// SPDX-License-Identifier: Apache-2.0
#include "simt/translate.hpp"

#include <array>
#include <string>

#include "core/error.hpp"
#include "simt/rewrite.hpp"

namespace nlldiff::simt {

namespace {

struct WordChange {
  std::string_view word, becomes;
};
/// g++ expands short copies of its builtins in line, after the hooks were put in: no store would be seen.
constexpr std::array<WordChange, 4> kWordChanges{{
    {"__builtin_memset", "::memset"},
    {"__builtin_memcpy", "::memcpy"},
    {"__builtin_memmove", "::memmove"},
    {"__noinline__", "__attribute__((noinline))"},
}};

struct Unsupported {
  std::string_view word, what, advice;
};
constexpr std::array<Unsupported, 14> kUnsupported{{
    {"asm", "inline PTX", "put the C++ form of it under #ifdef NLLDIFF_SIMT_BUILD"},
    {"__asm__", "inline PTX", "put the C++ form of it under #ifdef NLLDIFF_SIMT_BUILD"},
    {"__asm", "inline PTX", "put the C++ form of it under #ifdef NLLDIFF_SIMT_BUILD"},
    {"cooperative_groups", "cooperative groups", "use __syncthreads, __syncwarp and the *_sync functions"},
    {"cudaLaunchCooperativeKernel", "a cooperative launch", "split the kernel where it synchronises the grid"},
    {"__cluster_dims__", "thread block clusters", "test this kernel on a GPU"},
    {"cudaLaunchKernelEx", "an extended launch", "use kernel<<<...>>>(...)"},
    {"cudaGraphLaunch", "a CUDA graph", "launch the kernels one by one"},
    {"tex1Dfetch", "a texture", "read the memory through a pointer"},
    {"tex1D", "a texture", "read the memory through a pointer"},
    {"tex2D", "a texture", "read the memory through a pointer"},
    {"tex3D", "a texture", "read the memory through a pointer"},
    {"surf2Dwrite", "a surface", "write the memory through a pointer"},
    {"wmma", "a tensor core operation", "test this kernel on a GPU"},
}};

bool in_attribute(const LexedText& lexed, std::size_t token) {
  return token > 0 && (mark_at(lexed, token - 1) == '(' || mark_at(lexed, token - 1) == ',');
}

/// `asm("name")` after a declarator only renames a symbol.
bool is_symbol_name(const LexedText& lexed, std::size_t token) { return token > 0 && mark_at(lexed, token - 1) == ')'; }

}  // namespace

void rewrite_words(const LexedText& lexed, Edits& edits) {
  for (std::size_t i = 0; i < lexed.tokens.size(); ++i) {
    if (!lexed.is_identifier(i)) continue;
    const std::string_view word = lexed.spelling(i);
    if (!word.starts_with("__")) continue;
    for (const WordChange& change : kWordChanges) {
      const bool attribute = change.word == "__noinline__" && in_attribute(lexed, i);
      if (word == change.word && !attribute)
        edits.replace(lexed.tokens[i].begin, lexed.tokens[i].end, std::string(change.becomes));
    }
  }
}

void refuse_unsupported(const LexedText& lexed) {
  for (std::size_t i = 0; i < lexed.tokens.size(); ++i) {
    if (!lexed.is_identifier(i)) continue;
    const std::string_view word = lexed.spelling(i);
    for (const Unsupported& entry : kUnsupported) {
      if (word != entry.word || lexed.in_system_header(i)) continue;
      if (word.ends_with("sm__") || word.ends_with("asm"))
        if (is_symbol_name(lexed, i)) continue;
      fail_usage("{}: `{}`: {} cannot run on the host; {}", lexed.where(i), word, entry.what, entry.advice);
    }
  }
}

std::string translate(std::string_view preprocessed) {
  const LexedText lexed = lex(preprocessed);
  refuse_unsupported(lexed);
  Edits edits;
  rewrite_words(lexed, edits);
  rewrite_shared(lexed, edits);
  rewrite_launches(lexed, edits);
  return edits.apply(preprocessed);
}

}  // namespace nlldiff::simt
