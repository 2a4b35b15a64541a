// SPDX-License-Identifier: Apache-2.0
#include "simt/lexer.hpp"

#include <algorithm>
#include <charconv>

#include "core/error.hpp"

namespace nlldiff::simt {

namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { result_.text = text; }

  LexedText run() {
    while (at_ < text_.size()) step();
    return std::move(result_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '\n')
      ++at_, line_start_ = true;
    else if (is_space(c))
      ++at_;
    else if (c == '#' && line_start_)
      directive();
    else
      token(c);
  }

  void token(char c) {
    line_start_ = false;
    if (starts("//"))
      at_ = std::min(text_.find('\n', at_), text_.size());
    else if (starts("/*"))
      at_ = after("*/", at_ + 2, "comment");
    else if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1])))
      number();
    else if (is_word(c))
      word();
    else if (c == '"' || c == '\'')
      literal(at_);
    else
      add(TokenKind::punctuation, at_ + 1);
  }

  [[nodiscard]] bool starts(std::string_view what) const { return text_.substr(at_, what.size()) == what; }

  void add(TokenKind kind, std::size_t end) {
    result_.tokens.push_back({kind, static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(end)});
    at_ = end;
  }

  std::size_t after(std::string_view closing, std::size_t from, const char* what) {
    const std::size_t found = text_.find(closing, from);
    if (found == std::string_view::npos) unterminated(what);
    return found + closing.size();
  }

  [[noreturn]] void unterminated(const char* what) {
    add(TokenKind::literal, at_ + 1);
    fail_usage("{}: a {} that does not end", result_.where(result_.tokens.size() - 1), what);
  }

  /// A preprocessing number: 0x1p-3, 1'000, 1.5e+3f.
  void number() {
    std::size_t end = at_ + 1;
    while (end < text_.size()) {
      const char c = text_[end], before = text_[end - 1];
      const bool sign = (c == '+' || c == '-') && (before == 'e' || before == 'E' || before == 'p' || before == 'P');
      const bool separator = c == '\'' && end + 1 < text_.size() && is_word(text_[end + 1]);
      if (!is_word(c) && c != '.' && !sign && !separator) break;
      ++end;
    }
    add(TokenKind::number, end);
  }

  void word() {
    std::size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) ++end;
    const std::string_view spelled = text_.substr(at_, end - at_);
    const char next = end < text_.size() ? text_[end] : '\0';
    const bool encoding = spelled == "L" || spelled == "u" || spelled == "U" || spelled == "u8";
    const bool raw = spelled == "R" || spelled == "LR" || spelled == "uR" || spelled == "UR" || spelled == "u8R";
    if (raw && next == '"')
      raw_string(end);
    else if (encoding && (next == '"' || next == '\''))
      literal(end);
    else
      add(TokenKind::identifier, end);
  }

  void literal(std::size_t quote) {
    const char closing = text_[quote];
    std::size_t end = quote + 1;
    while (end < text_.size() && text_[end] != closing && text_[end] != '\n') end += text_[end] == '\\' ? 2u : 1u;
    if (end >= text_.size() || text_[end] == '\n') unterminated("literal");
    add(TokenKind::literal, end + 1);
  }

  void raw_string(std::size_t quote) {
    const std::size_t open = text_.find('(', quote);
    if (open == std::string_view::npos) unterminated("raw string");
    const std::string closing = ")" + std::string(text_.substr(quote + 1, open - quote - 1)) + "\"";
    add(TokenKind::literal, after(closing, open, "raw string"));
  }

  /// `# 12 "file" 1 3` tells where the text is from; other directives (#pragma) are the compiler's.
  void directive() {
    std::size_t end = at_;
    while (end < text_.size() && text_[end] != '\n') end += text_[end] == '\\' ? 2u : 1u;
    end = std::min(end, text_.size());
    std::string_view line = text_.substr(at_, end - at_);
    if (line.find("<<<") != std::string_view::npos) {
      add(TokenKind::punctuation, at_ + 1);
      fail_usage("{}: a kernel launch in a preprocessor line; the text must be preprocessed first",
                 result_.where(result_.tokens.size() - 1));
    }
    at_ = end;
    line.remove_prefix(1);
    if (line.starts_with("line")) line.remove_prefix(4);
    while (!line.empty() && is_space(line.front())) line.remove_prefix(1);
    mark(line);
  }

  void mark(std::string_view line) {
    std::uint32_t number = 0;
    const auto parsed = std::from_chars(line.data(), line.data() + line.size(), number);
    if (parsed.ec != std::errc{}) return;
    line.remove_prefix(static_cast<std::size_t>(parsed.ptr - line.data()));
    const std::size_t open = line.find('"'), close = line.rfind('"');
    std::string file = result_.marks.empty() ? std::string{} : result_.marks.back().file;
    bool system = false;
    if (open != std::string_view::npos && close > open) {
      file = line.substr(open + 1, close - open - 1);
      system = line.substr(close).find(" 3") != std::string_view::npos;
    }
    result_.marks.push_back({static_cast<std::uint32_t>(at_ + 1), number, std::move(file), system});
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool line_start_ = true;
  LexedText result_;
};

}  // namespace

const LineMark* LexedText::mark_of(std::uint32_t offset) const {
  const auto after = std::upper_bound(marks.begin(), marks.end(), offset,
                                      [](std::uint32_t at, const LineMark& mark) { return at < mark.offset; });
  return after == marks.begin() ? nullptr : &*std::prev(after);
}

std::string LexedText::where(std::size_t token) const {
  const std::uint32_t offset = tokens[token].begin;
  const LineMark* mark = mark_of(offset);
  const std::uint32_t begin = mark == nullptr ? 0 : std::min(mark->offset, offset);
  const auto lines = std::count(text.begin() + begin, text.begin() + offset, '\n');
  return fmt::format("{}:{}", mark == nullptr ? "(text)" : mark->file, (mark == nullptr ? 1 : mark->line) + lines);
}

bool LexedText::in_system_header(std::size_t token) const {
  const LineMark* mark = mark_of(tokens[token].begin);
  return mark != nullptr && mark->system_header;
}

LexedText lex(std::string_view text) {
  if (text.size() >= UINT32_MAX) fail_usage("the preprocessed source is {} bytes long; 4 GiB is too much", text.size());
  return Lexer(text).run();
}

}  // namespace nlldiff::simt
