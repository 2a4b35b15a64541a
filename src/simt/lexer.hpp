// SPDX-License-Identifier: Apache-2.0
// Splits preprocessed C++ into tokens that point into the text. White space and comments are left out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nlldiff::simt {

enum class TokenKind : std::uint8_t { identifier, number, literal, punctuation };

/// Every punctuation token is one character: `<<<` is three.
struct Token {
  TokenKind kind;
  std::uint32_t begin, end;  ///< offsets in the text
};

/// From `offset` on, the text is line `line` of `file`. Made from the preprocessor's line markers.
struct LineMark {
  std::uint32_t offset;
  std::uint32_t line;
  std::string file;
  bool system_header;
};

struct LexedText {
  std::string_view text;
  std::vector<Token> tokens;
  std::vector<LineMark> marks;

  [[nodiscard]] std::string_view spelling(std::size_t token) const {
    return text.substr(tokens[token].begin, tokens[token].end - tokens[token].begin);
  }
  [[nodiscard]] bool is(std::size_t token, std::string_view spelled) const {
    return token < tokens.size() && spelling(token) == spelled;
  }
  [[nodiscard]] bool is_identifier(std::size_t token) const {
    return token < tokens.size() && tokens[token].kind == TokenKind::identifier;
  }
  /// "file:line" of a token.
  [[nodiscard]] std::string where(std::size_t token) const;
  [[nodiscard]] bool in_system_header(std::size_t token) const;

 private:
  [[nodiscard]] const LineMark* mark_of(std::uint32_t offset) const;
};

/// Throws Error(usage), with file:line, on a literal or comment that does not end, and on text of 4 GiB.
[[nodiscard]] LexedText lex(std::string_view text);

}  // namespace nlldiff::simt
