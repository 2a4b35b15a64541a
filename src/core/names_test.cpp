// SPDX-License-Identifier: Apache-2.0
#include "core/names.hpp"

#include <gmock/gmock.h>

#include "core/text.hpp"

namespace nlldiff {
namespace {

TEST(EditDistance, CountsEachKindOfSlipOnce) {
  EXPECT_EQ(edit_distance("layout", "layout"), 0u);
  EXPECT_EQ(edit_distance("layot", "layout"), 1u);
  EXPECT_EQ(edit_distance("layoutt", "layout"), 1u);
  EXPECT_EQ(edit_distance("loyout", "layout"), 1u);
  EXPECT_EQ(edit_distance("alyout", "layout"), 1u) << "neighbours exchanged";
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(DidYouMean, NamesTheNearestWhenItIsNear) {
  const std::vector<std::string> known{"mean", "none", "sum"};
  EXPECT_EQ(did_you_mean("maen", known), "; did you mean \"mean\"?");
  EXPECT_EQ(did_you_mean("sun", known), "; did you mean \"sum\"?");
}

TEST(DidYouMean, ListsWhatIsKnownWhenNothingIsNear) {
  const std::vector<std::string> known{"mean", "none", "sum"};
  EXPECT_EQ(did_you_mean("average", known), "; known: mean, none, sum");
  EXPECT_EQ(did_you_mean("", known), "; known: mean, none, sum");
  EXPECT_EQ(did_you_mean(std::string(1'000'000, 'm'), known), "; known: mean, none, sum")
      << "a huge word costs nothing";
  EXPECT_EQ(did_you_mean("x", {}), "");
}

TEST(Utf8Length, AcceptsExactlyTheWellFormedSequences) {
  EXPECT_EQ(utf8_length("a"), 1u);
  EXPECT_EQ(utf8_length("\xC3\xA9"), 2u);
  EXPECT_EQ(utf8_length("\xE2\x82\xAC"), 3u);
  EXPECT_EQ(utf8_length("\xF0\x9F\x98\x80"), 4u);
  for (const char* bad : {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
                          "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xE2\x82", "\xE2\x82g", "\xFF"})
    EXPECT_EQ(utf8_length(bad), 0u) << in_quotes(bad);
}

TEST(InQuotes, KeepsAMessageOnOneReadableLine) {
  EXPECT_EQ(in_quotes("a\nb\x7F"), "\"a\\x0Ab\\x7F\"");
  EXPECT_EQ(in_quotes("\xFFz"), "\"\\xFFz\"");
  EXPECT_EQ(in_quotes(std::string(100, 'x')), "\"" + std::string(60, 'x') + "...\"");
  EXPECT_EQ(in_quotes("\xE2\x82\xAC"), "\"\xE2\x82\xAC\"");
}

}  // namespace
}  // namespace nlldiff
