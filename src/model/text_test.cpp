// SPDX-License-Identifier: Apache-2.0
#include "model/text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace nlldiff {
namespace {

TEST(EscapeInvalidUtf8, KeepsValidTextAsItIs) {
  for (const std::string text :
       {"", "plain\ttext\n", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_EQ(escape_invalid_utf8(text), text);
  }
  EXPECT_EQ(escape_invalid_utf8(std::string("a\0b", 3)), std::string("a\0b", 3));
}

TEST(EscapeInvalidUtf8, WritesOtherBytesAsTheirNumbers) {
  EXPECT_EQ(escape_invalid_utf8("a\xFFz"), "a\\xFFz");
  EXPECT_EQ(escape_invalid_utf8("\xC3"), "\\xC3");                             // cut short
  EXPECT_EQ(escape_invalid_utf8("\xE2\x82z"), "\\xE2\\x82z");                  // cut short, then text
  EXPECT_EQ(escape_invalid_utf8("\xC0\xAF"), "\\xC0\\xAF");                    // overlong
  EXPECT_EQ(escape_invalid_utf8("\xED\xA0\x80"), "\\xED\\xA0\\x80");           // a surrogate
  EXPECT_EQ(escape_invalid_utf8("\xF4\x90\x80\x80"), "\\xF4\\x90\\x80\\x80");  // beyond U+10FFFF
}

TEST(EscapeInvalidUtf8, MakesEveryPairOfBytesFitForJson) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string text = {static_cast<char>(first), static_cast<char>(second)};
      ASSERT_NO_THROW((void)nlohmann::json(escape_invalid_utf8(text)).dump()) << first << " " << second;
    }
  }
}

}  // namespace
}  // namespace nlldiff
