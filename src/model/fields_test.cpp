// SPDX-License-Identifier: Apache-2.0
#include "model/fields.hpp"

#include <gmock/gmock.h>

#include <set>
#include <string>

namespace nlldiff {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const void* address_of(const Field& field, Case& c) {
  return std::visit([](auto* member) -> const void* { return member; }, field.ref(c));
}

template <class T>
bool lies_in(const void* at, const T& object) {
  const auto* byte = static_cast<const char*>(at);
  const auto* first = reinterpret_cast<const char*>(&object);
  return byte >= first && byte < first + sizeof(T);
}

// With the static_asserts in fields.cpp on the number of rows, this makes the table complete.
TEST(FieldTable, NamesNoMemberTwiceAndEachUnderItsOwnGroup) {
  Case c;
  std::set<const void*> members;
  std::set<std::string_view> paths;
  for (const Field& field : fields()) {
    const void* at = address_of(field, c);
    EXPECT_TRUE(members.insert(at).second) << field.path;
    EXPECT_TRUE(paths.insert(field.path).second) << field.path;
    EXPECT_EQ(lies_in(at, c.target), field.group() == "target") << field.path;
    EXPECT_EQ(lies_in(at, c.weight), field.group() == "weight") << field.path;
    EXPECT_EQ(lies_in(at, c.input), field.group() == "input") << field.path;
    EXPECT_EQ(lies_in(at, c.grad_output), field.group() == "grad_output") << field.path;
    EXPECT_FALSE(field.help.empty()) << field.path;
  }
}

TEST(FieldTable, ReadsAndWritesThroughTheSameMember) {
  Case c;
  const Case& view = c;
  for (const Field& field : fields())
    EXPECT_EQ(address_of(field, c),
              std::visit([](const auto* member) -> const void* { return member; }, field.const_ref(view)));
}

TEST(FieldTable, EveryFieldOfANewCaseIsDefault) {
  const Case c;
  for (std::size_t i = 0; i < kFieldCount; ++i) EXPECT_TRUE(is_default(i, c)) << fields()[i].path;
}

TEST(FieldTable, SetsGetsAndResets) {
  Case c;
  const std::size_t layout = *find_field("target.layout");
  set_field(layout, c, TargetLayout::collide);
  EXPECT_EQ(c.target.layout, TargetLayout::collide);
  EXPECT_EQ(std::get<TargetLayout>(get_field(layout, c)), TargetLayout::collide);
  EXPECT_FALSE(is_default(layout, c));
  reset_field(layout, c);
  EXPECT_EQ(c, Case{});
}

TEST(FieldTable, MinusZeroIsNotTheDefaultZero) {
  Case c;
  c.input.value = -0.0;
  EXPECT_FALSE(is_default(*find_field("input.value"), c));
  EXPECT_NE(c, Case{});
}

TEST(FieldTable, AFieldAppliesByItsController) {
  Case c;
  const std::size_t ignored = *find_field("target.ignored");
  EXPECT_TRUE(applies(ignored, c));
  c.target.layout = TargetLayout::all;
  EXPECT_FALSE(applies(ignored, c));
  EXPECT_TRUE(applies(*find_field("C"), c));
  EXPECT_THAT(condition_names(fields()[ignored]), ElementsAre("uniform", "out_of_range", "collide"));
}

TEST(FieldTable, FindsPathsAndNothingElse) {
  EXPECT_EQ(find_field("target.layout"), find_field("target", "layout"));
  EXPECT_EQ(find_field("C"), find_field("", "C"));
  for (const char* path : {"", "target", "layout", "target.", ".layout", "c", "target.layout.x"})
    EXPECT_EQ(find_field(path), std::nullopt) << path;
}

TEST(FieldTable, TheChoicesOfAFieldKeepToItsLimits) {
  EXPECT_THAT(choice_names(fields()[*find_field("target.dtype")]), ElementsAre("int64", "int32", "uint8"));
  EXPECT_THAT(choice_names(fields()[*find_field("C")]), IsEmpty());
}

TEST(Names, AreWordsWithOneSuffixAtMost) {
  for (const char* good : {"a", "A-1.b_c+d", "0"}) {
    EXPECT_TRUE(is_name(good, false)) << good;
    EXPECT_TRUE(is_name(good, true)) << good;
  }
  EXPECT_TRUE(is_name("a/C=4,target.values=#1", true));
  EXPECT_FALSE(is_name("a/C=4", false));
  for (const char* bad : {"", "a b", "a/", "/a", "a/b/c", "a=b", "\xC3\xA9", "a\n"})
    EXPECT_FALSE(is_name(bad, true)) << bad;
  EXPECT_TRUE(is_name(std::string(kMaxEntryName, 'x'), false));
  EXPECT_FALSE(is_name(std::string(kMaxEntryName + 1, 'x'), false));
}

}  // namespace
}  // namespace nlldiff
