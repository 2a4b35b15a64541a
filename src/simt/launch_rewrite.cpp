// SPDX-License-Identifier: Apache-2.0
// kernel<<<grid, block>>>(a, b)
//   -> ::nlldiff_simt::prepare("kernel", [&](const auto&... nlldiff_a) { kernel(nlldiff_a...); }, grid, block)(a, b)
// Everything stays in its order and on its line. The arguments are evaluated once and kept by value.
#include <algorithm>
#include <array>

#include "core/error.hpp"
#include "simt/rewrite.hpp"

namespace nlldiff::simt {

namespace {

/// Statement words: a kernel's name does not reach back over them.
constexpr std::array<std::string_view, 12> kStatementWords{"return", "else", "do",      "if",   "while",     "for",
                                                           "switch", "case", "default", "goto", "co_return", "throw"};

bool is_statement_word(std::string_view word) {
  return std::find(kStatementWords.begin(), kStatementWords.end(), word) != kStatementWords.end();
}

/// Three of `c` in a row, at least two of them touching: the preprocessor may part the third.
bool is_triple(const LexedText& lexed, std::size_t i, char c) {
  if (mark_at(lexed, i) != c || mark_at(lexed, i + 1) != c || mark_at(lexed, i + 2) != c) return false;
  const auto touching = [&](std::size_t a) { return lexed.tokens[a].end == lexed.tokens[a + 1].begin; };
  return touching(i) || touching(i + 1);
}

class LaunchRewriter {
 public:
  LaunchRewriter(const LexedText& lexed, Edits& edits) : lexed_(lexed), edits_(edits) {}

  void run() {
    for (std::size_t i = 1; i + 2 < lexed_.tokens.size(); ++i) {
      if (!is_triple(lexed_, i, '<') || lexed_.is(i - 1, "operator")) continue;
      rewrite(i);
      i += 2;
    }
  }

 private:
  [[noreturn]] void refuse(std::size_t token, std::string_view why) const {
    fail_usage("{}: {}", lexed_.where(token), why);
  }

  void rewrite(std::size_t open) {
    const std::size_t first = callee_begin(open), close = configuration_end(open);
    check_arguments(close + 3);
    const std::string name = one_line(lexed_, first, open);
    edits_.insert(lexed_.tokens[first].begin,
                  "::nlldiff_simt::prepare(\"" + escaped(name) + "\", [&](const auto&... nlldiff_a) { ");
    edits_.replace(lexed_.tokens[open].begin, lexed_.tokens[open + 2].end, "(nlldiff_a...); }, ");
    edits_.replace(lexed_.tokens[close].begin, lexed_.tokens[close + 2].end, ")");
  }

  static std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : text) {
      if (c == '"' || c == '\\') result += '\\';
      result += c;
    }
    return result;
  }

  /// Where the expression that names the kernel begins.
  std::size_t callee_begin(std::size_t open) const {
    std::size_t begin = open;
    for (;;) {
      const std::size_t part = part_begin(begin);
      if (part == begin) break;
      begin = part;
      const std::size_t joined = before_joint(begin);
      const bool called = mark_at(lexed_, begin) == '(' || mark_at(lexed_, begin) == '[';
      if (joined == begin && !called) break;
      begin = joined;
    }
    if (begin == open) refuse(open, "<<< without a kernel's name before it");
    return begin;
  }

  /// The name, template arguments or bracket that ends at `end`; `end` where there is none.
  std::size_t part_begin(std::size_t end) const {
    if (end == 0) return end;
    const std::size_t last = end - 1;
    const char c = mark_at(lexed_, last);
    if (c == '>') {
      const auto open = opening_template(lexed_, last);
      if (!open) refuse(last, "the kernel's template arguments do not begin");
      return part_begin(*open) == *open ? end : part_begin(*open);
    }
    if (c == ')' || c == ']') {
      const auto open = opening_bracket(lexed_, last);
      if (!open) refuse(last, "a bracket in the kernel's name does not begin");
      const bool condition = *open > 0 && is_control(*open - 1);
      return condition ? end : *open;
    }
    return lexed_.is_identifier(last) && !is_statement_word(lexed_.spelling(last)) ? last : end;
  }

  bool is_control(std::size_t token) const {
    return lexed_.is(token, "if") || lexed_.is(token, "while") || lexed_.is(token, "for") ||
           lexed_.is(token, "switch") || lexed_.is(token, "constexpr");
  }

  /// Skips `::`, `.`, `->` and `template` that join what begins at `begin` to what is before it.
  std::size_t before_joint(std::size_t begin) const {
    std::size_t at = begin;
    if (at > 0 && lexed_.is(at - 1, "template")) --at;
    if (at > 1 && mark_at(lexed_, at - 1) == ':' && mark_at(lexed_, at - 2) == ':') return at - 2;
    if (at > 1 && mark_at(lexed_, at - 1) == '>' && mark_at(lexed_, at - 2) == '-') return at - 2;
    if (at > 0 && mark_at(lexed_, at - 1) == '.') return at - 1;
    return begin;
  }

  /// The first token of the `>>>`. A nested `A<B<int>>>(x)` looks like one: the one whose arguments end the
  /// statement wins.
  std::size_t configuration_end(std::size_t open) const {
    std::optional<std::size_t> fallback;
    for (std::size_t i = open + 3; i < lexed_.tokens.size();) {
      const char c = mark_at(lexed_, i);
      if (c == ';' || c == ')' || c == '}' || c == ']') break;
      if (is_triple(lexed_, i, '>') && mark_at(lexed_, i + 3) == '(') {
        const auto after = after_bracket(lexed_, i + 3);
        if (after && mark_at(lexed_, *after) == ';') return i;
        if (!fallback) fallback = i;
      }
      const bool bracket = c == '(' || c == '[' || c == '{';
      const auto after = bracket ? after_bracket(lexed_, i) : std::optional(i + 1);
      if (!after) break;
      i = *after;
    }
    if (!fallback) refuse(open, "a kernel launch <<< without >>> and arguments after it");
    return *fallback;
  }

  void check_arguments(std::size_t open) const {
    for (std::size_t i = open; i + 1 < lexed_.tokens.size(); ++i) {
      const char c = mark_at(lexed_, i);
      if (c == ')') return;
      if ((c == ',' || i == open) && mark_at(lexed_, i + 1) == '{')
        refuse(i + 1, "a braced list as a kernel's argument has no type of its own on the host; name the type: T{...}");
      if (i != open && (c == '(' || c == '[' || c == '{')) i = after_bracket(lexed_, i).value_or(i + 1) - 1;
    }
  }

  const LexedText& lexed_;
  Edits& edits_;
};

}  // namespace

void rewrite_launches(const LexedText& lexed, Edits& edits) { LaunchRewriter(lexed, edits).run(); }

}  // namespace nlldiff::simt
