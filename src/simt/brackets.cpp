// SPDX-License-Identifier: Apache-2.0
#include "simt/rewrite.hpp"

namespace nlldiff::simt {

namespace {

bool opens(char c) { return c == '(' || c == '[' || c == '{'; }
bool closes(char c) { return c == ')' || c == ']' || c == '}'; }

}  // namespace

std::optional<std::size_t> after_bracket(const LexedText& lexed, std::size_t open) {
  std::size_t depth = 0;
  for (std::size_t i = open; i < lexed.tokens.size(); ++i) {
    const char c = mark_at(lexed, i);
    if (opens(c)) ++depth;
    if (closes(c) && --depth == 0) return i + 1;
  }
  return std::nullopt;
}

std::optional<std::size_t> opening_bracket(const LexedText& lexed, std::size_t close) {
  std::size_t depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    const char c = mark_at(lexed, i);
    if (closes(c)) ++depth;
    if (opens(c) && --depth == 0) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> after_template_arguments(const LexedText& lexed, std::size_t open) {
  std::size_t depth = 0;
  for (std::size_t i = open; i < lexed.tokens.size();) {
    const char c = mark_at(lexed, i);
    if (c == '<') ++depth;
    if (c == '>' && mark_at(lexed, i - 1) != '-' && --depth == 0) return i + 1;
    if (c == ';' || closes(c)) return std::nullopt;
    if (!opens(c)) {
      ++i;
      continue;
    }
    const auto after = after_bracket(lexed, i);
    if (!after) return std::nullopt;
    i = *after;
  }
  return std::nullopt;
}

std::optional<std::size_t> opening_template(const LexedText& lexed, std::size_t close) {
  std::size_t depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    const char c = mark_at(lexed, i);
    if (c == '>' && (i == 0 || mark_at(lexed, i - 1) != '-')) ++depth;
    if (c == '<' && --depth == 0) return i;
    if (c == ';' || opens(c)) return std::nullopt;
    if (!closes(c)) continue;
    const auto open = opening_bracket(lexed, i);
    if (!open) return std::nullopt;
    i = *open;
  }
  return std::nullopt;
}

std::string one_line(const LexedText& lexed, std::size_t first, std::size_t last) {
  std::string line;
  for (std::size_t i = first; i < last; ++i) {
    if (i != first && lexed.tokens[i].begin != lexed.tokens[i - 1].end) line += ' ';
    line += lexed.spelling(i);
  }
  return line;
}

}  // namespace nlldiff::simt
