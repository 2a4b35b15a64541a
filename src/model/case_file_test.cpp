// SPDX-License-Identifier: Apache-2.0
#include "model/case_file.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

namespace nlldiff {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

CaseFile parse(const std::string& text, const std::vector<Override>& overrides = {}) {
  return parse_case_file(text, "f.json", overrides);
}

/// A document with one case: {"name": "x", "shape": [4], "C": 3, <fields>}.
std::string one(const std::string& fields) {
  return R"({"cases":[{"name":"x","shape":[4],"C":3)" + (fields.empty() ? "" : "," + fields) + "}]}";
}

std::vector<std::string> errors_of(const std::string& text, const std::vector<Override>& overrides = {}) {
  std::vector<std::string> lines;
  for (const Diagnostic& d : parse(text, overrides).errors) lines.push_back(format(d));
  return lines;
}

Case only_case(const std::string& text) {
  const CaseFile file = parse(text);
  EXPECT_THAT(file.errors, IsEmpty()) << (file.errors.empty() ? "" : format(file.errors[0]));
  EXPECT_THAT(file.cases, SizeIs(1));
  return file.cases.size() == 1 ? file.cases[0] : Case{};
}

std::vector<std::string> names_of(const CaseFile& file) {
  std::vector<std::string> names;
  for (const Case& c : file.cases) names.push_back(c.name);
  return names;
}

/// A folder of its own that goes away again.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "nlldiff_case_file_XXXXXX").string();
    path_ = ::mkdtemp(pattern.data()) != nullptr ? pattern : "";
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name), std::ios::binary) << text;
    return file(name);
  }

 private:
  std::string path_;
};

// ---- what a good file gives ----

TEST(CaseFile, GivesTheFieldsThatTheFileGives) {
  const Case c = only_case(R"({"$schema": "s", "comment": "c", "origin": "o",
    "defaults": {"dtype": "bfloat16", "rng_seed": 18446744073709551615, "target": {"dtype": "int32"}},
    "cases": [{"name": "a", "shape": [2, 3], "C": 7, "ignore_index": -9223372036854775808, "reduction": "sum",
      "passes": "backward", "expect": "match", "tolerance": 4, "repeat": 3, "tags": ["x", "y"],
      "target": {"layout": "none"},
      "weight": {"fill": "explicit", "values": [1, 0.5, "nan", "inf", "-inf", -0, 1e-3]},
      "input": {"fill": "constant", "value": -0, "memory": "channels_last",
                "special": [{"class": 6, "value": "nan", "row": 5}]},
      "grad_output": {"fill": "explicit", "values": [-2.5]}}]})");
  EXPECT_EQ(c.name, "a");
  EXPECT_EQ(c.dtype, Dtype::bfloat16);
  EXPECT_EQ(c.rng_seed, UINT64_MAX);
  EXPECT_THAT(c.shape, ElementsAre(2, 3));
  EXPECT_EQ(c.C, 7);
  EXPECT_EQ(c.ignore_index, INT64_MIN);
  EXPECT_EQ(c.reduction, Reduction::sum);
  EXPECT_EQ(c.passes, Passes::backward);
  EXPECT_EQ(c.tolerance, 4);
  EXPECT_EQ(c.repeat, 3);
  EXPECT_THAT(c.tags, ElementsAre("x", "y"));
  EXPECT_EQ(c.target.layout, TargetLayout::none);
  EXPECT_EQ(c.target.dtype, Dtype::int32) << "a group merges with its defaults, field by field";
  ASSERT_THAT(c.weight.values, SizeIs(7));
  EXPECT_TRUE(std::isnan(c.weight.values[2]));
  EXPECT_EQ(c.weight.values[4], -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::signbit(c.weight.values[5]));
  EXPECT_TRUE(std::signbit(c.input.value));
  EXPECT_THAT(c.input.special, ElementsAre(SpecialCell{5, 6, std::nan("")}));
  EXPECT_THAT(c.grad_output.values, ElementsAre(-2.5));
}

TEST(CaseFile, TakesTheExampleOfTheDesign) {
  const CaseFile file = parse(R"({ "$schema": "schema/case.schema.json", "defaults": {"dtype": "float32"}, "cases": [
    {"name": "sentinel-equals-C", "shape": [6], "C": 4, "ignore_index": 4, "reduction": "none",
     "target": {"layout": "explicit", "values": [4,0,1,4,0,3]}, "grad_output": {"fill": "ones"}},
    {"name": "collide", "shape": [64], "C": 150, "target": {"layout": "collide", "ignored": 0.3},
     "matrix": {"ignore_index": [255, -100, 150, 3000], "reduction": ["none","mean","sum"],
                "dtype": ["float32","bfloat16"]}} ] })");
  EXPECT_THAT(file.errors, IsEmpty());
  ASSERT_THAT(file.cases, SizeIs(1 + 4 * 3 * 2));
  EXPECT_EQ(file.cases[1].name, "collide/ignore_index=255,reduction=none,dtype=float32");
  EXPECT_EQ(file.cases[24].name, "collide/ignore_index=3000,reduction=sum,dtype=bfloat16");
}

// ---- errors ----

TEST(CaseFile, TellsEveryErrorAtOnceInTheOrderOfTheFile) {
  EXPECT_THAT(errors_of("{\"cases\": [\n  {\"name\": \"a\", \"shap\": [4], \"C\": -1},\n"
                        "  {\"name\": \"a b\", \"shape\": [4], \"C\": 3, \"target\": {\"layout\": \"colide\"}}\n]}"),
              ElementsAre("f.json:2:3: \"shape\" is missing here, in matrix and in defaults (at /cases/0)",
                          "f.json:2:17: unknown key \"shap\"; did you mean \"shape\"? (at /cases/0/shap)",
                          "f.json:2:35: C must be an integer from 0 to 2^62, not -1 (at /cases/0/C)",
                          "f.json:3:12: name must be a string of 1 to 100 letters, digits and . _ + -, not \"a b\" "
                          "(at /cases/1/name)",
                          "f.json:3:62: target.layout cannot be \"colide\"; did you mean \"collide\"? "
                          "(at /cases/1/target/layout)"));
}

TEST(CaseFile, TellsEveryViolationOfACaseAtItsField) {
  EXPECT_THAT(
      errors_of(one(R"("weight":{"fill":"ones","length":2},"target":{"layout":"constant","value":9})")),
      ElementsAre(AllOf(HasSubstr("weight.length 2 differs from C = 3"), HasSubstr("(at /cases/0/weight/length)")),
                  AllOf(HasSubstr("target.value 9 is neither"), HasSubstr("(at /cases/0/target/value)"))));
}

TEST(CaseFile, NamesTheCaseAndNotTheDefaultThatDoesNotFitIt) {
  EXPECT_THAT(errors_of(R"({"defaults":{"shape":[2]},"cases":[{"name":"x","C":3,"target":{"layout":"border"}}]})"),
              ElementsAre(HasSubstr("(at /cases/0/target/layout)")));
  EXPECT_THAT(
      errors_of(R"({"defaults":{"expect":"reject"},"cases":[{"name":"x","shape":[2],"C":3}]})"),
      ElementsAre(HasSubstr("needs something to refuse: a target outside [0, C) or a weight.length other than C "
                            "(at /cases/0)")));
}

TEST(CaseFile, ShowsABoundedNumberOfErrors) {
  std::string text = "{\"cases\":[0";
  for (int i = 0; i < 1'000'000; ++i) text += ",0";
  const std::vector<std::string> errors = errors_of(text + "]}");
  ASSERT_THAT(errors, SizeIs(101));
  EXPECT_EQ(errors.back(), "f.json: 999901 more errors are not shown; mend these first");
}

TEST(CaseFile, KeepsAMessageOnOneLineWhateverTheKey) {
  const std::vector<std::string> errors = errors_of(one(R"("a\nb\u0007)" + std::string(100'000, 'k') + R"(":1)"));
  ASSERT_THAT(errors, SizeIs(1));
  EXPECT_EQ(errors[0].find('\n'), std::string::npos);
  EXPECT_LT(errors[0].size(), 800u);
}

TEST(CaseFile, ANumberBeyondInt64IsAnErrorAndNotRounded) {
  for (const char* number :
       {"9223372036854775808", "-9223372036854775809", "1e19", "3.0", "123456789012345678901234567890"})
    EXPECT_THAT(errors_of(one(std::string(R"("ignore_index":)") + number)),
                ElementsAre(HasSubstr(std::string("must be an integer from -2^63 to 2^63 - 1, not ") + number)));
}

TEST(CaseFile, ASyntaxErrorComesAloneButWithDuplicatesBeforeIt) {
  EXPECT_THAT(errors_of(R"({"cases":[{"name":"x","name":"y"}], oops)"),
              ElementsAre(HasSubstr("\"name\" is here twice"), HasSubstr("a key in double quotes is wanted here")));
}

// ---- what one field demands of another; more in tests/schema/parser_only.json ----

TEST(CaseFile, KnowsBothSidesOfTheSizeLimit) {
  EXPECT_THAT(errors_of(R"({"cases":[{"name":"x","shape":[2147483648],"C":2147483648}]})"), IsEmpty());
  EXPECT_THAT(errors_of(R"({"cases":[{"name":"x","shape":[2147483648],"C":2147483649}]})"),
              ElementsAre(HasSubstr("more than 2^62 cells")));
}

TEST(CaseFile, KnowsBothSidesOfTheTargetTypes) {
  const auto text = [](int classes, int sentinel) {
    return R"({"cases":[{"name":"x","shape":[4],"target":{"dtype":"uint8"},"C":)" + std::to_string(classes) +
           R"(,"ignore_index":)" + std::to_string(sentinel) + "}]}";
  };
  EXPECT_THAT(errors_of(text(256, 255)), IsEmpty());
  EXPECT_THAT(errors_of(text(257, 255)), SizeIs(1));
  EXPECT_THAT(errors_of(text(256, 0)), IsEmpty());
  EXPECT_THAT(errors_of(text(256, 256)), SizeIs(1));
  EXPECT_THAT(errors_of(text(256, -1)), SizeIs(1));
}

TEST(CaseFile, ASentinelThatTheTypeCannotHoldIsLegalWhereNoRowIsIgnored) {
  for (const char* target : {R"("layout":"none")", R"("layout":"cycle")", R"("ignored":0)",
                             R"("layout":"explicit","values":[0,1,2,0])", R"("layout":"constant","value":1)"})
    EXPECT_THAT(errors_of(one(std::string(R"("target":{"dtype":"uint8",)") + target + "}")), IsEmpty()) << target;
  for (const char* target :
       {R"("layout":"all")", R"("layout":"alternate")", R"("layout":"padded")", R"("ignored":0.1)"})
    EXPECT_THAT(errors_of(one(std::string(R"("target":{"dtype":"uint8",)") + target + "}")),
                ElementsAre(HasSubstr("ignore_index -100 does not fit")))
        << target;
}

TEST(CaseFile, StridesMayShareMemoryOnlyAmongEqualElements) {
  const auto input = [](const char* more) { return one(std::string(R"("input":{"memory":"strides",)") + more + "}"); };
  EXPECT_THAT(errors_of(input(R"("strides":[3,1],"special":[{"row":0,"class":0,"value":1}])")), IsEmpty());
  EXPECT_THAT(errors_of(input(R"("strides":[1,4],"special":[{"row":0,"class":0,"value":1}])")), IsEmpty());
  EXPECT_THAT(errors_of(input(R"("strides":[2,1],"special":[{"row":0,"class":0,"value":1}])")),
              ElementsAre(HasSubstr("share their memory")));
  EXPECT_THAT(errors_of(input(R"("strides":[0,1])")), IsEmpty());
  EXPECT_THAT(errors_of(input(R"("strides":[0,0],"fill":"explicit","values":[1,1,1,1,1,1,1,1,1,1,1,1])")), IsEmpty());
  EXPECT_THAT(errors_of(input(R"("strides":[9223372036854775807,1])")), SizeIs(1));
  EXPECT_THAT(errors_of(input(R"("strides":[4611686018427387904,4611686018427387904],"offset":4611686018427387904)")),
              ElementsAre(HasSubstr("2^40")));
}

// ---- matrix ----

TEST(Matrix, MultipliesInFileOrderLastFastest) {
  EXPECT_THAT(names_of(parse(
                  R"({"cases":[{"name":"m","C":3,"matrix":{"reduction":["sum","mean"],"shape":[[],[2],[2,3,4]]}}]})")),
              ElementsAre("m/reduction=sum,shape=scalar", "m/reduction=sum,shape=2", "m/reduction=sum,shape=2x3x4",
                          "m/reduction=mean,shape=scalar", "m/reduction=mean,shape=2", "m/reduction=mean,shape=2x3x4"));
}

TEST(Matrix, NumbersValuesWithoutAShortForm) {
  EXPECT_THAT(names_of(parse(one(R"("input":{"fill":"explicit"},
      "matrix":{"input.values":[[1,2,3,4,5,6,7,8,9,0,1,2],[0,0,0,0,0,0,0,0,0,0,0,0]],"target.ignored":[0.5]})"))),
              ElementsAre("x/input.values=#0,target.ignored=0.5", "x/input.values=#1,target.ignored=0.5"));
  EXPECT_THAT(names_of(parse(one(R"("target":{"layout":"explicit"},
      "matrix":{"target.values":[[0,1,2,0],[-100,-100,-100,1000]],"C":[3]})"))),
              IsEmpty())
      << "C is given beside the matrix";
}

TEST(Matrix, KeepsLongNamesWithinTheirLimit) {
  const CaseFile file = parse(R"({"cases":[{"name":"m","shape":[4],"matrix":{"C":[3],
    "target.layout":["out_of_range"],"target.value":[9223372036854775807],"expect":["reject"],"target.row":[0]}}]})");
  EXPECT_THAT(names_of(file), ElementsAre("m/C=3,target.layout=out_of_range,target.value=9223372036854775807,"
                                          "expect=reject,target.row=0"));
  EXPECT_EQ(parse(one(R"("matrix":{"tags":[["a"]]})")).cases.at(0).name, "x/tags=#0");
}

TEST(Matrix, LeavesImpossibleCombinationsOutAndCountsThem) {
  const CaseFile file = parse(R"({"cases":[{"name":"m","C":3,"matrix":
      {"shape":[[4],[2,2,2]],"target.layout":["uniform","border"],"input.memory":["contiguous","channels_last"]}}]})");
  EXPECT_THAT(file.errors, IsEmpty());
  EXPECT_THAT(file.cases, SizeIs(5));
  EXPECT_EQ(file.skipped_combinations, 3);
}

TEST(Matrix, AValueInNoPossibleCombinationIsAnError) {
  EXPECT_THAT(errors_of(one(R"("matrix":{"target.layout":["none","border"],"rng_seed":[1,2]})")),
              ElementsAre(AllOf(HasSubstr("no combination with this target.layout can exist; the first: border needs"),
                                HasSubstr("(at /cases/0/matrix/target.layout/1)"))));
}

TEST(Matrix, AnEntryOfWhichNothingCanExistIsOneError) {
  EXPECT_THAT(errors_of(one(R"("matrix":{"target.layout":["border"],"rng_seed":[1,2,3]})")),
              ElementsAre(AllOf(HasSubstr("not one combination of this matrix can exist; the first: border needs"),
                                HasSubstr("(at /cases/0)"))));
}

TEST(Matrix, AFieldBesideItCountsWhereItHasAMeaning) {
  const CaseFile file = parse(one(R"("target":{"ignored":0.5},"matrix":{"target.layout":["all","uniform"]})"));
  EXPECT_THAT(file.errors, IsEmpty());
  ASSERT_THAT(file.cases, SizeIs(2));
  EXPECT_EQ(file.cases[0].target.ignored, TargetSpec{}.ignored);
  EXPECT_EQ(file.cases[1].target.ignored, 0.5);
}

TEST(Matrix, BoundsCasesAndExplicitNumbers) {
  std::string list = "0";
  for (int i = 1; i <= 1000; ++i) list += "," + std::to_string(i);
  const std::string matrix = "\"matrix\":{\"rng_seed\":[" + list + "],\"ignore_index\":[" + list + "]}";
  EXPECT_THAT(errors_of(one(matrix)), ElementsAre(HasSubstr("expands to more than 1000000 cases")));

  std::string values = "0";
  for (int i = 1; i < 100'000; ++i) values += ",0";
  const CaseFile file =
      parse(R"({"cases":[{"name":"m","shape":[100000],"C":1,"target":{"layout":"explicit","values":[)" + values +
            "]},\"matrix\":{\"rng_seed\":[" + list + "]}}]}");
  ASSERT_THAT(file.errors, SizeIs(1));
  EXPECT_THAT(file.errors[0].message, HasSubstr("explicit numbers"));
}

// ---- --set ----

TEST(Overrides, SetEveryCaseAndTakeBareWords) {
  const CaseFile file =
      parse(one(R"("matrix":{"rng_seed":[1,2]})"),
            {{"dtype", "float64"}, {"shape", "[2,3]"}, {"input.fill", "constant"}, {"input.value", "nan"}});
  EXPECT_THAT(file.errors, IsEmpty());
  ASSERT_THAT(file.cases, SizeIs(2));
  EXPECT_EQ(file.cases[1].dtype, Dtype::float64);
  EXPECT_THAT(file.cases[1].shape, ElementsAre(2, 3));
  EXPECT_TRUE(std::isnan(file.cases[1].input.value));
}

TEST(Overrides, ShrinkAMatrixOverTheirFieldToOneValue) {
  const CaseFile file =
      parse(one(R"("matrix":{"dtype":["float32","float16"],"rng_seed":[1,2]})"), {{"dtype", "bfloat16"}});
  EXPECT_THAT(names_of(file), ElementsAre("x/dtype=bfloat16,rng_seed=1", "x/dtype=bfloat16,rng_seed=2"));
}

TEST(Overrides, ThatCannotBeSkipTheCase) {
  const std::string text = R"({"cases":[{"name":"a","shape":[4],"C":3},{"name":"b","shape":[2,2],"C":3}]})";
  const CaseFile file = parse(text, {{"target.layout", "border"}});
  EXPECT_THAT(file.errors, IsEmpty());
  EXPECT_THAT(names_of(file), ElementsAre("b"));
  EXPECT_EQ(file.skipped_combinations, 1);
}

TEST(Overrides, ThatAreWrongAreErrorsOfTheCommandLine) {
  EXPECT_THAT(errors_of(one(""), {{"dtyp", "float64"}, {"C", "x"}, {"name", "y"}, {"tags", "[\"a\""}}),
              ElementsAre("--set dtyp=float64: no field \"dtyp\" can be set; did you mean \"dtype\"?",
                          "--set C=x: C must be an integer from 0 to 2^62, not \"x\"",
                          HasSubstr("no field \"name\" can be set"), HasSubstr("--set tags=")));
}

TEST(Overrides, DoNotHideAnErrorOfTheFile) {
  EXPECT_THAT(errors_of(one(R"("target":{"layout":"border"})"), {{"shape", "[2,2]"}}), SizeIs(1));
}

// ---- names ----

TEST(Names, AreUniqueInAFileAlsoWhenExpanded) {
  EXPECT_THAT(errors_of(R"({"cases":[{"name":"x","shape":[4],"C":3},{"name":"x","shape":[4],"C":3}]})"),
              ElementsAre("f.json:1:50: the name \"x\" is taken by another case of this file; choose one of its own "
                          "(at /cases/1/name)"));
  EXPECT_THAT(
      errors_of(R"({"cases":[{"name":"x","shape":[4],"matrix":{"C":[3]}},{"name":"x/C=3","shape":[4],"C":3}]})"),
      ElementsAre(HasSubstr("expand to the name \"x/C=3\"")));
}

// ---- the disk ----

TEST(LoadCaseFile, ReadsWhatParseReads) {
  const TemporaryFolder folder;
  const CaseFile file = load_case_file(folder.write("good.json", one("")));
  EXPECT_THAT(file.errors, IsEmpty());
  EXPECT_THAT(names_of(file), ElementsAre("x"));
}

TEST(LoadCaseFile, NamesTheFileThatItCannotRead) {
  const TemporaryFolder folder;
  const auto error = [](const std::string& path) {
    const CaseFile file = load_case_file(path);
    return file.errors.size() == 1 ? format(file.errors[0]) : "not one error";
  };
  EXPECT_EQ(error(folder.file("missing.json")),
            folder.file("missing.json") + ": cannot be read (No such file or directory); check the path");
  EXPECT_THAT(error(folder.file("")), HasSubstr("is a folder"));
  EXPECT_THAT(error(folder.write("empty.json", "")), HasSubstr("empty.json:1:1: the file is empty"));
  EXPECT_THAT(error("/dev/zero"), HasSubstr("is no regular file"));
  ASSERT_EQ(::mkfifo(folder.file("pipe.json").c_str(), 0600), 0);
  EXPECT_THAT(error(folder.file("pipe.json")), HasSubstr("is no regular file")) << "and does not wait for a writer";
  EXPECT_THAT(error(std::string("a\0b", 3)), HasSubstr("zero byte"));
  EXPECT_THAT(error(std::string(100'000, 'x')), HasSubstr("cannot be read"));
}

TEST(LoadCaseFile, RefusesAHugeFileUnread) {
  const TemporaryFolder folder;
  const std::string path = folder.write("huge.json", "{");
  std::filesystem::resize_file(path, std::uintmax_t{1} << 30);  // sparse
  const CaseFile file = load_case_file(path);
  ASSERT_THAT(file.errors, SizeIs(1));
  EXPECT_EQ(file.errors[0].message, "has 1073741824 bytes; a case file may have 67108864: split it");
}

TEST(LoadCaseFile, RefusesAFileWithoutPermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const TemporaryFolder folder;
  const std::string path = folder.write("secret.json", one(""));
  std::filesystem::permissions(path, std::filesystem::perms::none);
  const CaseFile file = load_case_file(path);
  ASSERT_THAT(file.errors, SizeIs(1));
  EXPECT_THAT(file.errors[0].message, HasSubstr("Permission denied"));
}

}  // namespace
}  // namespace nlldiff
