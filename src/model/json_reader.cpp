// SPDX-License-Identifier: Apache-2.0
#include "model/json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "core/text.hpp"

namespace nlldiff {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_number_character(char c) { return is_digit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'; }

void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6), put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12), put(0x80 | (code >> 6 & 0x3F)), put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18), put(0x80 | (code >> 12 & 0x3F)), put(0x80 | (code >> 6 & 0x3F)), put(0x80 | (code & 0x3F));
  }
}

/// Recursive descent. Every function returns false once a syntax error is noted; then all unwind.
class Reader {
 public:
  Reader(std::string_view text, int max_nesting) : text_(text), max_nesting_(max_nesting) { tree_.text = text; }

  JsonTree read() {
    tree_.complete = document();
    return std::move(tree_);
  }

 private:
  bool document() {
    if (text_.starts_with(kByteOrderMark))
      return fail(0, "the file starts with a byte order mark; save it as UTF-8 without one");
    skip_space();
    if (at_end()) return fail(at_, "the file is empty; a case file is a JSON object with \"cases\"");
    if (!value(0)) return false;
    skip_space();
    return at_end() || fail(at_, "text behind the end of the document; a file is one JSON value");
  }

  bool value(int depth) {
    if (tree_.nodes.size() >= kMaxJsonValues)
      return fail(at_, fmt::format("more than {} values in one file; split it", kMaxJsonValues));
    if (at_end()) return fail(at_, "the file ends where a value is wanted");
    switch (text_[at_]) {
      case '{':
        return object(depth);
      case '[':
        return array(depth);
      case '"':
        return string();
      case 't':
        return word("true", JsonKind::boolean, true);
      case 'f':
        return word("false", JsonKind::boolean, false);
      case 'n':
        return word("null", JsonKind::null, false);
      default:
        return is_digit(text_[at_]) || text_[at_] == '-' ? number() : no_value();
    }
  }

  bool no_value() {
    for (const std::string_view word : {"NaN", "Infinity", "inf", "nan", "Inf", "+"})
      if (text_.substr(at_).starts_with(word))
        return fail(at_, "not JSON: write \"nan\", \"inf\" or \"-inf\" with the quotes, and numbers without a plus");
    return fail(at_, fmt::format("a value is wanted here, not {}", in_quotes(text_.substr(at_, 1))));
  }

  bool object(int depth) {
    const auto self = open(JsonKind::object, depth);
    if (!self) return false;
    skip_space();
    if (!take('}')) {
      do {
        skip_space();
        if (at_end() || text_[at_] != '"')
          return fail(at_, "a key in double quotes is wanted here (no comma before })");
        if (!string()) return false;
        skip_space();
        if (!take(':')) return fail(at_, "\":\" is wanted here, between key and value");
        skip_space();
        if (!value(depth + 1)) return false;
        ++tree_.nodes[*self].size;
        skip_space();
      } while (take(','));
      if (!take('}')) return fail(at_, "\",\" or \"}\" is wanted here");
    }
    close(*self);
    refuse_duplicates(*self);
    return true;
  }

  bool array(int depth) {
    const auto self = open(JsonKind::array, depth);
    if (!self) return false;
    skip_space();
    if (!take(']')) {
      do {
        skip_space();
        if (!value(depth + 1)) return false;
        ++tree_.nodes[*self].size;
        skip_space();
      } while (take(','));
      if (!take(']')) return fail(at_, "\",\" or \"]\" is wanted here");
    }
    close(*self);
    return true;
  }

  std::optional<std::uint32_t> open(JsonKind kind, int depth) {
    if (depth >= max_nesting_) {
      fail(at_, fmt::format("nested deeper than {} levels", max_nesting_));
      return std::nullopt;
    }
    const std::uint32_t self = add(kind);
    tree_.nodes[self].next = 0;  // open: see innermost_open
    ++at_;
    return self;
  }

  void close(std::uint32_t node) { tree_.nodes[node].next = static_cast<std::uint32_t>(tree_.nodes.size()); }

  bool word(std::string_view word, JsonKind kind, bool boolean) {
    const std::string_view rest = text_.substr(at_);
    const bool ends =
        rest.size() == word.size() ||
        (rest.size() > word.size() && std::string_view(" \t\r\n,]}").find(rest[word.size()]) != rest.npos);
    if (!rest.starts_with(word) || !ends)
      return fail(at_, "an unknown word; a string needs double quotes, and true, false and null are all there is else");
    tree_.nodes[add(kind)].boolean = boolean;
    at_ += word.size();
    return true;
  }

  bool number() {
    const std::size_t start = at_;
    const auto digits = [this] {
      const std::size_t first = at_;
      while (!at_end() && is_digit(text_[at_])) ++at_;
      return at_ > first;
    };
    bool integral = true;
    take('-');
    const bool leading_zero = !at_end() && text_[at_] == '0';
    const std::size_t first_digit = at_;
    if (!digits()) return fail(at_, "a digit is wanted here; \"-inf\" needs quotes");
    if (leading_zero && at_ > first_digit + 1) return fail(start, "a number must not start with a needless 0");
    if (take('.')) {
      integral = false;
      if (!digits()) return fail(at_, "a digit is wanted behind the decimal point");
    }
    if (take('e') || take('E')) {
      integral = false;
      if (!take('+')) take('-');
      if (!digits()) return fail(at_, "a digit is wanted in the exponent");
    }
    if (!at_end() && (is_number_character(text_[at_])))
      return fail(at_, fmt::format("{} does not belong in a number", in_quotes(text_.substr(at_, 1))));
    add_number(start, integral);
    return true;
  }

  void add_number(std::size_t start, bool integral) {
    const char* const first = text_.data() + start;
    const char* const last = text_.data() + at_;
    JsonNode& node = tree_.nodes[add(JsonKind::integer)];
    node.offset = static_cast<std::uint32_t>(start);
    if (integral && std::from_chars(first, last, node.integer).ec == std::errc{}) {
      node.negative_zero = node.integer == 0 && *first == '-';
      return;
    }
    node.kind = JsonKind::big_integer;
    if (integral && *first != '-' && std::from_chars(first, last, node.big_integer).ec == std::errc{}) return;
    node.kind = JsonKind::number;
    if (std::from_chars(first, last, node.number).ec != std::errc{})
      node.number = std::numeric_limits<double>::infinity();
  }

  bool string() {
    const std::uint32_t self = add(JsonKind::string);
    const std::size_t start = ++at_;
    while (!at_end() && text_[at_] != '"' && text_[at_] != '\\')
      if (!plain_character()) return false;
    if (at_end()) return unterminated(start);
    if (text_[at_] == '"') return end_string(self, text_.data() + start, at_ - start);
    std::string& out = tree_.decoded.emplace_back(text_.substr(start, at_ - start));
    while (!at_end() && text_[at_] != '"') {
      const std::size_t from = at_;
      if (text_[at_] == '\\' ? !escape(out) : !plain_character()) return false;
      if (text_[from] != '\\') out += text_.substr(from, at_ - from);
    }
    return at_end() ? unterminated(start) : end_string(self, out.data(), out.size());
  }

  bool unterminated(std::size_t start) { return fail(start - 1, "a string without an end: \" is missing"); }

  bool end_string(std::uint32_t self, const char* data, std::size_t size) {
    ++at_;
    tree_.nodes[self].text = data;
    tree_.nodes[self].size = static_cast<std::uint32_t>(size);
    return true;
  }

  bool plain_character() {
    const auto byte = static_cast<unsigned char>(text_[at_]);
    if (byte < 0x20) return fail(at_, fmt::format("a control character (byte 0x{:02X}) in a string; escape it", byte));
    const std::size_t length = byte < 0x80 ? 1 : utf8_length(text_.substr(at_));
    if (length == 0) return fail(at_, fmt::format("not valid UTF-8 (byte 0x{:02X}); save the file as UTF-8", byte));
    at_ += length;
    return true;
  }

  bool escape(std::string& out) {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const std::size_t start = at_++;
    const char letter = at_end() ? '\0' : text_[at_++];
    if (letter == 'u') return unicode_escape(start, out);
    const auto which = kLetters.find(letter);
    if (letter == '\0' || which == kLetters.npos) return fail(start, "an unknown escape; \\\\ is one backslash");
    out += kMeanings[which];
    return true;
  }

  bool unicode_escape(std::size_t start, std::string& out) {
    const auto first = hex4();
    if (!first) return fail(start, "\\u needs four hexadecimal digits");
    std::uint32_t code = *first;
    if (code >= 0xD800 && code < 0xDC00 && text_.substr(at_).starts_with("\\u")) {
      at_ += 2;
      const auto second = hex4();
      if (!second || *second < 0xDC00 || *second > 0xDFFF) return fail(start, "half of a surrogate pair");
      code = 0x10000 + ((code - 0xD800) << 10) + (*second - 0xDC00);
    }
    if (code >= 0xD800 && code < 0xE000) return fail(start, "half of a surrogate pair");
    append_utf8(out, code);
    return true;
  }

  std::optional<std::uint32_t> hex4() {
    std::uint32_t code = 0;
    const std::string_view digits = text_.substr(std::min(at_, text_.size()), 4);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (error != std::errc{} || end != digits.data() + 4) return std::nullopt;
    at_ += 4;
    return code;
  }

  // Sorted, not hashed: no input makes it slow.
  void refuse_duplicates(std::uint32_t object) {
    keys_.clear();
    tree_.for_each_member(object,
                          [&](std::uint32_t key, std::uint32_t) { keys_.emplace_back(tree_.string(key), key); });
    std::ranges::sort(keys_);
    for (std::size_t i = 1; i < keys_.size(); ++i) {
      if (keys_[i].first != keys_[i - 1].first || tree_.errors.size() >= kMaxDuplicates) continue;
      const JsonPosition before = tree_.position(tree_.nodes[keys_[i - 1].second].offset);
      tree_.errors.push_back({tree_.nodes[keys_[i].second].offset, tree_.pointer(keys_[i].second),
                              fmt::format("the key {} is here twice (before: line {}, column {}); keep one",
                                          in_quotes(keys_[i].first), before.line, before.column)});
    }
  }

  std::uint32_t add(JsonKind kind) {
    JsonNode& node = tree_.nodes.emplace_back();
    node.kind = kind;
    node.offset = static_cast<std::uint32_t>(at_);
    node.next = static_cast<std::uint32_t>(tree_.nodes.size());
    return node.next - 1;
  }

  bool fail(std::size_t offset, std::string message) {
    const std::uint32_t end = static_cast<std::uint32_t>(tree_.nodes.size());
    std::optional<std::uint32_t> innermost;
    for (std::uint32_t node = 0; node < end; node = tree_.nodes[node].next == 0 ? node + 1 : tree_.nodes[node].next)
      if (tree_.nodes[node].next == 0) innermost = node;
    tree_.errors.push_back(
        {static_cast<std::uint32_t>(offset), innermost ? tree_.pointer(*innermost) : "", std::move(message)});
    return false;
  }

  void skip_space() {
    while (!at_end() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) ++at_;
  }
  bool take(char wanted) {
    const bool there = !at_end() && text_[at_] == wanted;
    if (there) ++at_;
    return there;
  }
  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }

  static constexpr std::size_t kMaxDuplicates = 100;

  std::string_view text_;
  int max_nesting_;
  std::size_t at_ = 0;
  JsonTree tree_;
  std::vector<std::pair<std::string_view, std::uint32_t>> keys_;
};

std::string escape_pointer(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c == '~')
      out += "~0";
    else if (c == '/')
      out += "~1";
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string_view JsonTree::number_literal(std::uint32_t node) const {
  const std::string_view rest = text.substr(nodes[node].offset);
  return rest.substr(0, static_cast<std::size_t>(std::ranges::find_if_not(rest, is_number_character) - rest.begin()));
}

// Walks down from the document. A container that is still open (next == 0) reaches to the end.
std::string JsonTree::pointer(std::uint32_t node) const {
  const auto end_of = [this](std::uint32_t at) { return nodes[at].next == 0 ? ~std::uint32_t{0} : nodes[at].next; };
  std::string path;
  std::uint32_t at = 0;
  while (at != node) {
    const bool in_object = nodes[at].kind == JsonKind::object;
    std::uint32_t child = at + 1;
    std::uint32_t index = 0;
    while (end_of(in_object ? child + 1 : child) <= node && child != node) {
      child = end_of(in_object ? child + 1 : child);
      ++index;
    }
    path += '/' + (in_object ? escape_pointer(string(child)) : std::to_string(index));
    if (in_object && (child == node || child + 1 == node)) break;
    at = in_object ? child + 1 : child;
  }
  return path;
}

JsonPosition JsonTree::position(std::uint32_t offset) const {
  const std::string_view before = text.substr(0, offset);
  const auto last_break = before.rfind('\n');
  return {.line = 1 + std::ranges::count(before, '\n'),
          .column = static_cast<std::int64_t>(offset - (last_break == before.npos ? 0 : last_break + 1)) + 1};
}

JsonTree parse_json(std::string_view text, int max_nesting) { return Reader(text, max_nesting).read(); }

std::string_view kind_phrase(JsonKind kind) {
  constexpr std::array<std::string_view, 8> kPhrases{"null",     "true or false", "an integer", "an integer",
                                                     "a number", "a string",      "an array",   "an object"};
  return kPhrases[static_cast<std::size_t>(kind)];
}

}  // namespace nlldiff
