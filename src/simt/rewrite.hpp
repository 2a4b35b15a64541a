// SPDX-License-Identifier: Apache-2.0
// The parts of the translation. Each looks at the tokens of the whole text and adds its edits.
#pragma once

#include <cstddef>
#include <optional>

#include "simt/edits.hpp"
#include "simt/lexer.hpp"

namespace nlldiff::simt {

/// `kernel<<<grid, block, shared, stream>>>(arguments)` becomes a call of nlldiff_simt::prepare.
void rewrite_launches(const LexedText& lexed, Edits& edits);
/// `__shared__` variables become references into the block's shared memory.
void rewrite_shared(const LexedText& lexed, Edits& edits);
/// Compiler builtins that would be expanded in line, past the hooks, become calls; so does `__noinline__` an attribute.
void rewrite_words(const LexedText& lexed, Edits& edits);
/// Throws Error(usage) for what the host cannot do: inline PTX, textures, cooperative groups, ...
void refuse_unsupported(const LexedText& lexed);

/// The token after the one that closes the bracket at `open`; nothing where it stays open.
[[nodiscard]] std::optional<std::size_t> after_bracket(const LexedText& lexed, std::size_t open);
/// The token that opens the bracket closed at `close`; nothing where there is none.
[[nodiscard]] std::optional<std::size_t> opening_bracket(const LexedText& lexed, std::size_t close);
/// `open` is a `<` that begins template arguments: the token after their `>`; nothing where that does not come
/// before the statement ends.
[[nodiscard]] std::optional<std::size_t> after_template_arguments(const LexedText& lexed, std::size_t open);
/// `close` is a `>` that ends template arguments: their `<`; nothing where there is none.
[[nodiscard]] std::optional<std::size_t> opening_template(const LexedText& lexed, std::size_t close);

/// The character of a punctuation token, 0 for any other token and past the end.
[[nodiscard]] inline char mark_at(const LexedText& lexed, std::size_t token) {
  const bool punctuation = token < lexed.tokens.size() && lexed.tokens[token].kind == TokenKind::punctuation;
  return punctuation ? lexed.text[lexed.tokens[token].begin] : '\0';
}
/// Tokens [first, last) in one line, single spaces where there was white space; no preprocessor lines.
[[nodiscard]] std::string one_line(const LexedText& lexed, std::size_t first, std::size_t last);

}  // namespace nlldiff::simt
