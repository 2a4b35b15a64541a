// SPDX-License-Identifier: Apache-2.0
#include "run/repro.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/environment.hpp"
#include "run/filter.hpp"

namespace nlldiff {
namespace {

using ::testing::EndsWith;

TEST(ShellQuote, QuotesOnlyWhereNeeded) {
  EXPECT_EQ(shell_quote("a/b.json"), "a/b.json");
  EXPECT_EQ(shell_quote(""), "''");
  EXPECT_EQ(shell_quote("a b"), "'a b'");
  EXPECT_EQ(shell_quote("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quote("~x"), "'~x'");
  EXPECT_EQ(shell_quote("$(x)"), "'$(x)'");
}

TEST(ReproLine, LeavesDefaultsOut) {
  Case c;
  c.name = "x/shape=[6]";
  EXPECT_EQ(repro_line({"d/f.json", "f"}, c, Verdict::fail, {"nlldiff", "cpu", {}, {}, "auto"}),
            "nlldiff run d/f.json --filter 'f:x/shape=[6]' --device cpu");
  EXPECT_EQ(repro_line({"d/f.json", "f"}, c, Verdict::fail, {"aten", "cuda:0", {{"dtype", "float16"}}, 3, "off"}),
            "nlldiff run d/f.json --filter 'f:x/shape=[6]' --candidate aten --device cuda:0 --set dtype=float16 "
            "--rng-seed 3 --trace off");
}

TEST(ReproLine, GivesTheTimeLimitOnlyWhereItWasMetAndIsNotTheDefault) {
  Case c;
  c.name = "x";
  const ReproContext half{"nlldiff", "cpu", {}, {}, "auto", std::chrono::milliseconds(500)};
  EXPECT_THAT(repro_line({"f.json", "f"}, c, Verdict::timeout, half), EndsWith("--device cpu --timeout 0.5"));
  EXPECT_THAT(repro_line({"f.json", "f"}, c, Verdict::fail, half), EndsWith("--device cpu"));
  EXPECT_THAT(repro_line({"f.json", "f"}, c, Verdict::timeout, {"nlldiff", "cpu", {}, {}, "auto"}),
              EndsWith("--device cpu"));
}

TEST(CaseFilter, EntryNameStandsForTheCasesOfItsMatrix) {
  const CaseFilePath file{"d/f.json", "f"};
  for (const char* name : {"x", "f:x", "d/f.json:x"}) EXPECT_TRUE(CaseFilter(name).is_entry_of(file, "x/C=4")) << name;
  for (const char* name : {"d", "x/C", "f", "x*", "x/C=4"})
    EXPECT_FALSE(CaseFilter(name).is_entry_of(file, "x/C=4")) << name;
  EXPECT_FALSE(CaseFilter("x").is_entry_of(file, "xy/C=4"));
}

TEST(CaseFilter, SpellingLetterByLetterIsNotReadAsAPattern) {
  const CaseFilePath file{"d/f.json", "f"};
  const CaseFilter filter("f:x/shape=[6]");
  EXPECT_TRUE(filter.is_exactly(file, "x/shape=[6]"));
  EXPECT_FALSE(filter.is_exactly(file, "x/shape=6"));
  EXPECT_TRUE(filter.matches(file, "x/shape=6"));
}

TEST(CaseFilter, StarMatchesSlashes) { EXPECT_TRUE(CaseFilter("f:*6").matches({"d/f.json", "f"}, "x/y/6")); }

TEST(MergeEnvironment, KeepsCandidatesAndDevicesApart) {
  Environment all{{"host", "h"}};
  merge_environment(all, {{"candidate.fnv1a", "1"}, {"torch.version", "a"}}, "nlldiff", "cpu");
  merge_environment(all, {{"candidate.fnv1a", "2"}, {"torch.version", "b"}}, "aten", "cuda:0");
  EXPECT_EQ(all, (Environment{{"host", "h"},
                              {"candidate.nlldiff.fnv1a", "1"},
                              {"candidate.aten.fnv1a", "2"},
                              {"torch.version", "a"},
                              {"torch.version@cuda:0", "b"}}));
}

}  // namespace
}  // namespace nlldiff
