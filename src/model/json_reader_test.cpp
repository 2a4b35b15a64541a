// SPDX-License-Identifier: Apache-2.0
#include "model/json_reader.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <string>

namespace nlldiff {
namespace {

constexpr int kDepth = 64;

JsonTree read(std::string_view text) { return parse_json(text, kDepth); }

/// "line:column pointer message" of the first error, or "" where there is none.
std::string first_error(std::string_view text) {
  const JsonTree tree = read(text);
  if (tree.errors.empty()) return "";
  const JsonError& error = tree.errors.front();
  const JsonPosition at = tree.position(error.offset);
  return fmt::format("{}:{} {} {}", at.line, at.column, error.pointer, error.message);
}

TEST(JsonReader, KeepsIntegersExactly) {
  const std::string text =
      "[9223372036854775807, -9223372036854775808, 9007199254740993, 9223372036854775808, "
      "18446744073709551615, -0]";
  const JsonTree tree = read(text);
  ASSERT_TRUE(tree.complete);
  EXPECT_EQ(tree.nodes[1].integer, INT64_MAX);
  EXPECT_EQ(tree.nodes[2].integer, INT64_MIN);
  EXPECT_EQ(tree.nodes[3].integer, 9007199254740993);
  EXPECT_EQ(tree.nodes[4].kind, JsonKind::big_integer);
  EXPECT_EQ(tree.nodes[4].big_integer, 9223372036854775808u);
  EXPECT_EQ(tree.nodes[5].big_integer, UINT64_MAX);
  EXPECT_TRUE(tree.nodes[6].kind == JsonKind::integer && tree.nodes[6].negative_zero);
}

TEST(JsonReader, TellsIntegersFromOtherNumbers) {
  const JsonTree tree = read("[3.0, 1e2, 18446744073709551616, -9223372036854775809, 1e400, 5e-324, -0.0]");
  ASSERT_TRUE(tree.complete);
  for (std::uint32_t i = 1; i <= 7; ++i) EXPECT_EQ(tree.nodes[i].kind, JsonKind::number) << i;
  EXPECT_EQ(tree.nodes[3].number, 18446744073709551616.0);
  EXPECT_TRUE(std::isinf(tree.nodes[5].number));
  EXPECT_EQ(tree.nodes[6].number, 5e-324);
  EXPECT_TRUE(std::signbit(tree.nodes[7].number));
  EXPECT_EQ(tree.number_literal(4), "-9223372036854775809");
}

TEST(JsonReader, ResolvesEscapes) {
  const JsonTree tree = read(R"(["a\u0041\n\"\\\/\ud83d\ude00", "plain", "\u0000"])");
  ASSERT_TRUE(tree.complete);
  EXPECT_EQ(tree.string(1), "aA\n\"\\/\xF0\x9F\x98\x80");
  EXPECT_EQ(tree.string(2), "plain");
  EXPECT_EQ(tree.string(3), std::string_view("\0", 1));
}

TEST(JsonReader, KnowsWhereEachValueStands) {
  const std::string text = "{\"a\": [1, {\"b/c~d\": null}],\n  \"e\": {}}";
  const JsonTree tree = read(text);
  ASSERT_TRUE(tree.complete);
  std::vector<std::string> pointers;
  for (std::uint32_t i = 0; i < tree.nodes.size(); ++i) pointers.push_back(tree.pointer(i));
  EXPECT_THAT(pointers,
              ::testing::ElementsAre("", "/a", "/a", "/a/0", "/a/1", "/a/1/b~1c~0d", "/a/1/b~1c~0d", "/e", "/e"));
  const JsonPosition last = tree.position(tree.nodes.back().offset);
  EXPECT_EQ(last.line, 2);
  EXPECT_EQ(last.column, 8);
}

TEST(JsonReader, RefusesWhatIsNotJsonAndSaysWhere) {
  EXPECT_EQ(first_error(""), "1:1  the file is empty; a case file is a JSON object with \"cases\"");
  EXPECT_EQ(first_error(" \n "), "2:2  the file is empty; a case file is a JSON object with \"cases\"");
  EXPECT_EQ(first_error("{} x"), "1:4  text behind the end of the document; a file is one JSON value");
  EXPECT_EQ(first_error("{\"a\": [1,\n 2,]}"), "2:4 /a a value is wanted here, not \"]\"");
  EXPECT_EQ(first_error("{\"a\": 1,}"), "1:9  a key in double quotes is wanted here (no comma before })");
  EXPECT_EQ(first_error("{\"a\" 1}"), "1:6  \":\" is wanted here, between key and value");
  EXPECT_EQ(first_error("{\"b\": 0, \"a\": {\"c\": [0, [1 2]]}}"), "1:28 /a/c/1 \",\" or \"]\" is wanted here");
  EXPECT_EQ(first_error("[\"abc"), "1:2  a string without an end: \" is missing");
  EXPECT_EQ(first_error("[nul]"),
            "1:2  an unknown word; a string needs double quotes, and true, false and null are all there is else");
  EXPECT_THAT(first_error("[truex]"), ::testing::HasSubstr("an unknown word"));
}

TEST(JsonReader, RefusesNumbersThatJsonDoesNotKnow) {
  for (const char* text : {"[01]", "[-]", "[1.]", "[.5]", "[+1]", "[1e]", "[1e+]", "[0x10]", "[1.2.3]", "[--1]",
                           "[1-2]", "[NaN]", "[Infinity]", "[-Infinity]", "[-01]"})
    EXPECT_NE(first_error(text), "") << text;
  EXPECT_THAT(first_error("[NaN]"), ::testing::HasSubstr("write \"nan\""));
  EXPECT_THAT(first_error("[-Infinity]"), ::testing::HasSubstr("\"-inf\" needs quotes"));
}

TEST(JsonReader, RefusesTextThatIsNotCleanUtf8) {
  EXPECT_THAT(first_error("\xEF\xBB\xBF{}"), ::testing::HasSubstr("byte order mark"));
  EXPECT_EQ(first_error("[\"ab\xC0\x80\"]"), "1:5  not valid UTF-8 (byte 0xC0); save the file as UTF-8");
  EXPECT_EQ(first_error("[\"\xED\xA0\x80\"]"), "1:3  not valid UTF-8 (byte 0xED); save the file as UTF-8");
  EXPECT_EQ(first_error("[\"a\nb\"]"), "1:4  a control character (byte 0x0A) in a string; escape it");
  EXPECT_THAT(first_error("[\xFF]"), ::testing::HasSubstr("\"\\xFF\""));
  for (const char* text : {R"(["\ud800"])", R"(["\udc00"])", R"(["\ud800\u0041"])", R"(["\ud800\)", R"(["\u12)",
                           R"(["\u12g4"])", R"(["\x41"])", R"(["\)"})
    EXPECT_NE(first_error(text), "") << text;
}

TEST(JsonReader, RefusesAKeyThatIsThereTwice) {
  EXPECT_EQ(first_error("{\"a\": {\"b\": 1,\n\"c\": 2, \"\\u0062\": 3}}"),
            "2:9 /a/b the key \"b\" is here twice (before: line 1, column 8); keep one");
  EXPECT_EQ(read("{\"a\":1,\"b\":1,\"a\":1,\"b\":1,\"a\":1}").errors.size(), 3u);
  EXPECT_EQ(first_error("{\"a\": {\"a\": 1}}"), "");
}

TEST(JsonReader, NestsAsDeepAsItSaysAndNoDeeper) {
  const auto nested = [](int depth) {
    return std::string(static_cast<std::size_t>(depth), '[') + std::string(static_cast<std::size_t>(depth), ']');
  };
  EXPECT_EQ(first_error(nested(kDepth)), "");
  EXPECT_THAT(first_error(nested(kDepth + 1)), ::testing::HasSubstr("nested deeper than 64 levels"));
  EXPECT_THAT(first_error(std::string(10'000'000, '[')), ::testing::HasSubstr("nested deeper"));
}

TEST(JsonReader, BoundsTheNumberOfValues) {
  std::string text = "[0";
  for (std::uint32_t i = 0; i < kMaxJsonValues; ++i) text += ",0";
  EXPECT_THAT(first_error(text + "]"), ::testing::HasSubstr("more than 8000000 values"));
}

TEST(JsonReader, EveryPrefixOfADocumentIsRefusedOrWhole) {
  const std::string text = R"({"a": [1, -2.5e3, "x\u00e9\ud83d\ude00", true, false, null], "b": {"c": {}}})";
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_FALSE(read(text.substr(0, length)).complete) << length;
  EXPECT_TRUE(read(text).complete);
}

}  // namespace
}  // namespace nlldiff
