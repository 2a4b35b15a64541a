// SPDX-License-Identifier: Apache-2.0
// JSON text (RFC 8259) -> a flat tree that knows where each value stands. Stricter than most readers, since a case
// file must mean one thing: duplicate keys, invalid UTF-8, lone surrogates, a byte order mark, NaN literals and
// anything behind the value are errors; integers are exact. Never throws on bad input; its stack is bounded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace nlldiff {

enum class JsonKind : std::uint8_t {
  null,
  boolean,
  integer,      ///< written without fraction and exponent, fits int64
  big_integer,  ///< likewise, does not fit int64 but uint64
  number,       ///< any other number; infinite where it does not fit a float64
  string,
  array,
  object,
};

/// Nodes lie in preorder: the first one inside a container is its neighbour. Inside an object, keys (strings)
/// and values take turns.
struct JsonNode {
  union {
    bool boolean;
    std::int64_t integer;
    std::uint64_t big_integer;
    double number;
    const char* text;  ///< `size` bytes, escapes resolved
  };
  std::uint32_t size = 0;    ///< bytes of a string, elements of an array, members of an object
  std::uint32_t next = 0;    ///< the first node behind this one and all that is in it
  std::uint32_t offset = 0;  ///< where it starts in the text
  JsonKind kind = JsonKind::null;
  bool negative_zero = false;  ///< an integer written as -0
  JsonNode() : integer(0) {}
};

struct JsonError {
  std::uint32_t offset = 0;
  std::string pointer;  ///< RFC 6901
  std::string message;
};

struct JsonPosition {
  std::int64_t line = 1, column = 1;  ///< 1-based; column counts bytes
};

inline constexpr std::uint32_t kMaxJsonValues = 8'000'000;  ///< 192 MB of nodes

/// The tree. `text` must outlive it. Where `complete` is false a syntax error ended it and the tree is not to be used.
struct JsonTree {
  std::string_view text;
  std::vector<JsonNode> nodes;  ///< nodes[0] is the document
  std::deque<std::string> decoded;
  std::vector<JsonError> errors;
  bool complete = false;

  JsonTree() = default;
  JsonTree(const JsonTree&) = delete;  // nodes point into `decoded`
  JsonTree& operator=(const JsonTree&) = delete;
  JsonTree(JsonTree&&) = default;
  JsonTree& operator=(JsonTree&&) = default;
  ~JsonTree() = default;

  [[nodiscard]] std::string_view string(std::uint32_t node) const { return {nodes[node].text, nodes[node].size}; }
  /// The characters of a number as written.
  [[nodiscard]] std::string_view number_literal(std::uint32_t node) const;
  /// RFC 6901; of a key: the pointer of its value.
  [[nodiscard]] std::string pointer(std::uint32_t node) const;
  [[nodiscard]] JsonPosition position(std::uint32_t offset) const;

  /// Calls use(element) for each element of an array.
  template <class Use>
  void for_each_element(std::uint32_t array, Use use) const {
    for (std::uint32_t at = array + 1; at < nodes[array].next; at = nodes[at].next) use(at);
  }
  /// Calls use(key, value) for each member of an object.
  template <class Use>
  void for_each_member(std::uint32_t object, Use use) const {
    for (std::uint32_t key = object + 1; key < nodes[object].next; key = nodes[key + 1].next) use(key, key + 1);
  }
};

/// `text` has at most 2^32 - 2 bytes (kMaxCaseFileBytes is far below).
[[nodiscard]] JsonTree parse_json(std::string_view text, int max_nesting);

/// "an integer", "a string", ...: for "..., not a string".
[[nodiscard]] std::string_view kind_phrase(JsonKind kind);

}  // namespace nlldiff
