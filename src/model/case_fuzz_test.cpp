// SPDX-License-Identifier: Apache-2.0
// Good documents with bytes changed: whatever comes out, the parser answers, and what it accepts it can write again.
#include <gmock/gmock.h>

#include <random>
#include <string>
#include <vector>

#include "model/case_file.hpp"

namespace nlldiff {
namespace {

const std::vector<std::string>& good_documents() {
  static const std::vector<std::string> documents{
      R"({"defaults":{"dtype":"bfloat16"},"cases":[{"name":"a","shape":[2,3],"C":7,"tags":["x"],"weight":{"fill":"explicit",)"
      R"("values":[1,0.5,"nan","inf","-inf",-0,1e-3]},"input":{"special":[{"class":6,"value":"nan","row":5}]}}]})",
      R"({"cases":[{"name":"b","shape":[6],"C":4,"ignore_index":4,"reduction":"none","target":{"layout":"explicit",)"
      R"("values":[4,0,1,4,0,3]},"grad_output":{"fill":"ones","memory":"strides","strides":[2],"offset":1}}]})",
      R"({"comment":"\u00e9\ud83d\ude00","cases":[{"name":"c","C":9,"matrix":{"ignore_index":[255,-100],"shape":[[],[4],[2,3,3]],)"
      R"("target.layout":["uniform","border"],"target.ignored":[0,0.5]}}]})",
      R"({"cases":[{"name":"d","shape":[8],"C":4,"expect":"reject","target":{"layout":"out_of_range","value":4,"row":3}}]})",
  };
  return documents;
}

std::string mutate(std::mt19937_64& engine, std::string text) {
  static constexpr std::string_view kLikely = "{}[]\",:0123456789-+.eE\\/ntfu\n \xC3\xFF";
  const std::size_t changes = 1 + engine() % 3;
  for (std::size_t i = 0; i < changes && !text.empty(); ++i) {
    const std::size_t at = engine() % text.size();
    switch (engine() % 6) {
      case 0:
        text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1u << engine() % 8));
        break;
      case 1:
        text[at] = kLikely[engine() % kLikely.size()];
        break;
      case 2:
        text.erase(at, 1 + engine() % 8);
        break;
      case 3:
        if (const auto digit = text.find_first_of("0123456789", at); digit != text.npos)
          text[digit] = static_cast<char>('0' + engine() % 10);
        break;
      case 4:
        if (const auto space = text.find_first_of("[,:", at); space != text.npos) text.insert(space, " ");
        break;
      default:
        text.insert(at, text.substr(engine() % text.size(), 1 + engine() % 16));
    }
  }
  return text;
}

TEST(CaseFileFuzz, AnswersWhateverTheBytes) {
  constexpr int kMutants = 40'000;
  std::mt19937_64 engine(20240501);
  int accepted = 0;
  for (int i = 0; i < kMutants; ++i) {
    const std::string text = mutate(engine, good_documents()[engine() % good_documents().size()]);
    const CaseFile file = parse_case_file(text, "f");
    ASSERT_TRUE(file.errors.empty() != file.cases.empty()) << "cases or errors, never both or neither: " << text;
    for (const Diagnostic& d : file.errors) ASSERT_EQ(format(d).find('\n'), std::string::npos) << format(d);
    for (const Case& c : file.cases) {
      const CaseFile again = parse_case_file("{\"cases\":[" + case_entry(c) + "]}", "g");
      ASSERT_TRUE(again.errors.empty()) << format(again.errors[0]) << "\n" << case_entry(c);
      ASSERT_EQ(again.cases.at(0), c) << case_entry(c);
    }
    accepted += file.errors.empty() ? 1 : 0;
  }
  EXPECT_GT(accepted, kMutants / 50) << "the mutations should not all end in a syntax error";
  EXPECT_LT(accepted, kMutants * 9 / 10);
}

}  // namespace
}  // namespace nlldiff
