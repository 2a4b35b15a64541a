// SPDX-License-Identifier: Apache-2.0
// __shared__ float a[32], *b;
//   -> struct nlldiff_shared_7 { float a[32], *b; }; auto& nlldiff_block_7 = ::nlldiff_simt::shared<...>();
//      auto& a = nlldiff_block_7.a; auto& b = nlldiff_block_7.b;
// extern __shared__ float s[];
//   -> typedef float nlldiff_dynamic_8[]; nlldiff_dynamic_8& s = ::nlldiff_simt::dynamic_shared<nlldiff_dynamic_8>();
// At file scope the second is a thread_local reference: a host thread's dynamic shared memory never moves.
#include <fmt/format.h>

#include <set>

#include "core/error.hpp"
#include "simt/rewrite.hpp"

namespace nlldiff::simt {

namespace {

/// One declaration: tokens [first, last), `last` is its semicolon.
struct Declaration {
  std::size_t first, last;
  bool is_extern;
  bool at_file_scope;
};

class SharedRewriter {
 public:
  SharedRewriter(const LexedText& lexed, Edits& edits) : lexed_(lexed), edits_(edits) {}

  void run() {
    for (std::size_t i = 0; i < lexed_.tokens.size(); ++i) {
      follow_scope(i);
      if (!lexed_.is(i, "__shared__")) continue;
      const Declaration declaration = declaration_around(i);
      if (declaration.is_extern)
        rewrite_dynamic(declaration);
      else
        rewrite_static(declaration);
      i = declaration.last;
    }
  }

 private:
  [[noreturn]] void refuse(std::size_t token, std::string_view why) const {
    fail_usage("{}: {}", lexed_.where(token), why);
  }

  // ---- scopes: true for the braces of a namespace ----
  void follow_scope(std::size_t i) {
    if (mark_at(lexed_, i) == '{') scopes_.push_back(opens_namespace(i));
    if (mark_at(lexed_, i) == '}' && !scopes_.empty()) scopes_.pop_back();
  }
  bool opens_namespace(std::size_t brace) const {
    if (brace > 0 && lexed_.tokens[brace - 1].kind == TokenKind::literal) return true;  // extern "C" {
    for (std::size_t i = brace; i-- > 0;) {
      const char c = mark_at(lexed_, i);
      if (lexed_.is(i, "namespace")) return true;
      if (c != ':' && c != '\0' && c != '(' && c != ')') return false;
      if (c == '\0' && !lexed_.is_identifier(i) && lexed_.tokens[i].kind != TokenKind::literal) return false;
    }
    return false;
  }
  bool at_file_scope() const {
    for (const bool is_namespace : scopes_)
      if (!is_namespace) return false;
    return true;
  }

  Declaration declaration_around(std::size_t word) const {
    Declaration found{word, word, false, at_file_scope()};
    while (found.first > 0) {
      const char c = mark_at(lexed_, found.first - 1);
      const bool label = c == ':' && mark_at(lexed_, found.first - 2) != ':' && mark_at(lexed_, found.first) != ':';
      if (c == ';' || c == '{' || c == '}' || label) break;
      --found.first;
    }
    while (mark_at(lexed_, found.last) != ';') {
      const char c = mark_at(lexed_, found.last);
      const bool bracket = c == '(' || c == '[' || c == '{';
      const auto next = bracket ? after_bracket(lexed_, found.last) : std::optional(found.last + 1);
      if (c == '=') refuse(word, "a __shared__ variable with an initialiser; CUDA does not allow it");
      if (!next || *next >= lexed_.tokens.size()) refuse(word, "a __shared__ declaration that does not end");
      found.last = *next;
    }
    for (std::size_t i = found.first; i < found.last; ++i) found.is_extern = found.is_extern || lexed_.is(i, "extern");
    return found;
  }

  static bool is_dropped(std::string_view word) { return word == "__shared__" || word == "static" || word == "extern"; }
  static bool is_attribute(std::string_view word) {
    return word == "alignas" || word == "__attribute__" || word == "__attribute" || word == "__declspec";
  }

  /// The token of each declared name.
  std::vector<std::size_t> names(const Declaration& declaration) const {
    std::vector<std::size_t> found;
    std::optional<std::size_t> name;
    bool sized = false;  // an array bound came: the name is behind
    for (std::size_t i = declaration.first; i < declaration.last;) {
      const char c = mark_at(lexed_, i);
      if (c == ',') {
        keep(declaration, name, found);
        name.reset();
        sized = false;
      }
      if (is_attribute(lexed_.spelling(i)) && mark_at(lexed_, i + 1) == '(')
        i = skip(i + 1);
      else if (c == '(' && mark_at(lexed_, i + 1) == '*')
        ++i;  // T (*name)[4]
      else if (c == '<')
        i = after_template_arguments(lexed_, i).value_or(i + 1);
      else if (c == '[' || c == '(' || c == '{')
        sized = sized || c == '[', i = skip(i);
      else if (lexed_.is_identifier(i) && !sized && !is_dropped(lexed_.spelling(i)))
        name = i++;
      else
        ++i;
    }
    keep(declaration, name, found);
    return found;
  }
  std::size_t skip(std::size_t open) const { return after_bracket(lexed_, open).value_or(open + 1); }
  void keep(const Declaration& declaration, std::optional<std::size_t> name, std::vector<std::size_t>& found) const {
    if (!name) refuse(declaration.first, "a __shared__ declaration without a name");
    found.push_back(*name);
  }

  void drop_words(const Declaration& declaration) {
    for (std::size_t i = declaration.first; i < declaration.last; ++i)
      if (is_dropped(lexed_.spelling(i))) edits_.replace(lexed_.tokens[i].begin, lexed_.tokens[i].end, "");
  }

  void rewrite_static(const Declaration& declaration) {
    if (declaration.at_file_scope)
      refuse(declaration.first, "a __shared__ variable outside of a function; declare it in the kernel");
    const std::string number = std::to_string(lexed_.tokens[declaration.first].begin);
    std::string after =
        fmt::format("; }}; auto& nlldiff_block_{0} = ::nlldiff_simt::shared<nlldiff_shared_{0}>();", number);
    for (const std::size_t name : names(declaration))
      after += fmt::format(" [[maybe_unused]] auto& {0} = nlldiff_block_{1}.{0};", lexed_.spelling(name), number);
    edits_.insert(lexed_.tokens[declaration.first].begin, fmt::format("struct nlldiff_shared_{} {{ ", number));
    drop_words(declaration);
    edits_.replace(lexed_.tokens[declaration.last].begin, lexed_.tokens[declaration.last].end, after);
  }

  void rewrite_dynamic(const Declaration& declaration) {
    const std::vector<std::size_t> declared = names(declaration);
    if (declared.size() != 1)
      refuse(declaration.first, "extern __shared__ with several names; declare them one by one");
    const std::string name(lexed_.spelling(declared.front()));
    if (declaration.at_file_scope && !at_file_scope_.insert(name).second) return blank(declaration);
    const std::string type = fmt::format("nlldiff_dynamic_{}", lexed_.tokens[declaration.first].begin);
    edits_.insert(lexed_.tokens[declaration.first].begin, "typedef ");
    drop_words(declaration);
    drop_attributes(declaration);
    edits_.replace(lexed_.tokens[declared.front()].begin, lexed_.tokens[declared.front()].end, type);
    const char* storage = declaration.at_file_scope ? "static thread_local " : "";
    edits_.insert(lexed_.tokens[declaration.last].end,
                  fmt::format(" {}{}& {} = ::nlldiff_simt::dynamic_shared<{}>();", storage, type, name, type));
  }

  /// An alignment would be the typedef's, and arrays of it would not compile; dynamic shared memory is aligned anyway.
  void drop_attributes(const Declaration& declaration) {
    for (std::size_t i = declaration.first; i < declaration.last; ++i) {
      if (!is_attribute(lexed_.spelling(i)) || mark_at(lexed_, i + 1) != '(') continue;
      const std::size_t after = skip(i + 1);
      edits_.replace(lexed_.tokens[i].begin, lexed_.tokens[after - 1].end, "");
      i = after - 1;
    }
  }

  /// Declared once more: nothing is left to declare.
  void blank(const Declaration& declaration) {
    edits_.replace(lexed_.tokens[declaration.first].begin, lexed_.tokens[declaration.last].begin, "");
  }

  const LexedText& lexed_;
  Edits& edits_;
  std::vector<bool> scopes_;
  std::set<std::string> at_file_scope_;
};

}  // namespace

void rewrite_shared(const LexedText& lexed, Edits& edits) { SharedRewriter(lexed, edits).run(); }

}  // namespace nlldiff::simt
