// SPDX-License-Identifier: Apache-2.0
#include "model/case_json.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <type_traits>

#include "core/error.hpp"
#include "model/case_check.hpp"
#include "model/case_file.hpp"
#include "model/fields.hpp"

namespace nlldiff {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Seeded random cases that can exist: each field drawn within its limits, the lengths made to fit, the rest retried.
class RandomCases {
 public:
  explicit RandomCases(std::uint64_t rng_seed) : engine_(rng_seed) {}

  Case next() {
    for (;;) {
      Case c = draw();
      for (std::size_t i = 0; i < kFieldCount; ++i)
        if (!applies(i, c)) reset_field(i, c);
      fit(c);
      if (check_case(c).empty()) return c;
    }
  }

 private:
  std::uint64_t below(std::uint64_t n) { return engine_() % n; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

  std::int64_t class_below(std::int64_t n) { return static_cast<std::int64_t>(below(static_cast<std::uint64_t>(n))); }

  Case draw() {
    Case c;
    for (std::size_t i = 0; i < kFieldCount; ++i)
      if (fields()[i].path != "name" && one_in(3))
        std::visit([&](auto* member) { fill(fields()[i], *member); }, fields()[i].ref(c));
    c.name = "case-" + std::to_string(below(1000)) + (one_in(4) ? "/C=3,target.values=#1" : "");
    c.shape.resize(below(4));
    for (auto& size : c.shape) size = static_cast<std::int64_t>(below(5));
    c.C = static_cast<std::int64_t>(below(9));
    return c;
  }

  void fill(const Field& field, std::int64_t& value) {
    const std::int64_t small = static_cast<std::int64_t>(below(7)) - 2;
    value = std::clamp(one_in(8) ? static_cast<std::int64_t>(engine_()) : small, field.limits.min, field.limits.max);
  }
  void fill(const Field&, std::uint64_t& value) { value = engine_(); }
  void fill(const Field& field, double& value) {
    const double specials[] = {0.0, -0.0, NAN, INFINITY, -INFINITY, 5e-324, 1e300, 0.1};
    value = std::isinf(field.limits.most) ? specials[below(std::size(specials))] : static_cast<double>(below(11)) / 10;
    if (std::isinf(field.limits.most) && one_in(2)) value = static_cast<double>(engine_()) / 3e12;
  }
  void fill(const Field&, std::string&) {}
  void fill(const Field& field, std::optional<std::int64_t>& value) { fill(field, value.emplace()); }
  void fill(const Field&, SpecialCell& cell) {
    cell.row = static_cast<std::int64_t>(below(4));
    cell.class_index = static_cast<std::int64_t>(below(4));
  }
  template <class T>
  void fill(const Field& field, std::vector<T>& values) {
    values.resize(below(4));
    for (T& value : values) {
      if constexpr (std::is_same_v<T, std::string>) value = "tag" + std::to_string(below(5));
      fill(field, value);
    }
  }
  template <class E>
  requires std::is_enum_v<E>
  void fill(const Field& field, E& value) {
    const std::vector<std::string> names = choice_names(field);
    value = *value_of<E>(names[below(names.size())]);
  }

  /// Lists of the lengths that the case needs: a random one would hardly ever fit.
  void fit(Case& c) {
    const Geometry g = geometry_of(c);
    if (c.target.layout == TargetLayout::out_of_range && g.rows() > 0) {
      c.expect = Expect::reject;
      c.target.value = c.C + class_below(5);
      c.target.row = class_below(g.rows());
    }
    const auto resize = [&](std::size_t field, auto& values, std::int64_t size) {
      if (!applies(field, c)) return;
      values.resize(static_cast<std::size_t>(size));
      for (auto& value : values) fill(fields()[field], value);
    };
    resize(*find_field("target.values"), c.target.values, g.rows());
    for (auto& value : c.target.values)
      if (c.expect == Expect::match) value = one_in(3) || c.C == 0 ? c.ignore_index : class_below(c.C);
    resize(*find_field("input.values"), c.input.values, g.cells());
    resize(*find_field("grad_output.values"), c.grad_output.values, c.reduction == Reduction::none ? g.rows() : 1);
    resize(*find_field("weight.values"), c.weight.values, c.weight.length.value_or(c.C) % 100);
    resize(*find_field("target.strides"), c.target.strides, std::ssize(c.shape));
    resize(*find_field("input.strides"), c.input.strides, std::ssize(input_sizes(c)));
    resize(*find_field("grad_output.strides"), c.grad_output.strides,
           c.reduction == Reduction::none ? std::ssize(c.shape) : 0);
  }

  std::mt19937_64 engine_;
};

constexpr int kRandomCases = 3000;

TEST(CaseEntry, ParsesBackToTheSameCase) {
  RandomCases random(20240501);
  std::array<int, kFieldCount> seen{};
  for (int i = 0; i < kRandomCases; ++i) {
    const Case c = random.next();
    const std::string entry = case_entry(c);
    EXPECT_EQ(entry.find('\n'), std::string::npos);
    const CaseFile file = parse_case_file("{\"cases\":[" + entry + "]}", "entry");
    ASSERT_THAT(file.errors, IsEmpty()) << entry << "\n" << format(file.errors[0]);
    ASSERT_EQ(file.cases.size(), 1u);
    ASSERT_EQ(file.cases[0], c) << entry << "\n" << case_entry(file.cases[0]);
    for (std::size_t f = 0; f < kFieldCount; ++f) seen[f] += is_default(f, c) ? 0 : 1;
  }
  for (std::size_t f = 0; f < kFieldCount; ++f)
    EXPECT_TRUE(seen[f] > 0 || fields()[f].path == "op") << fields()[f].path << " was never anything but its default";
}

TEST(CaseJson, GoesThereAndBack) {
  RandomCases random(7);
  for (int i = 0; i < kRandomCases; ++i) {
    const Case c = random.next();
    const Case back = nlohmann::json::parse(nlohmann::json(c).dump()).get<Case>();
    ASSERT_EQ(back, c) << case_entry(c);
  }
}

TEST(CaseEntry, LeavesDefaultsOutButSaysShapeAndC) {
  Case c;
  c.name = "n";
  EXPECT_EQ(case_entry(c), R"({"name":"n","shape":[],"C":1})");
  c.shape = {6};
  c.C = 4;
  c.ignore_index = 4;
  c.target.layout = TargetLayout::explicit_;
  c.target.values = {4, 0, 1, 4, 0, 3};
  c.input.special = {{1, 2, NAN}};
  EXPECT_EQ(case_entry(c), R"({"name":"n","shape":[6],"C":4,"ignore_index":4,"target":{"layout":"explicit",)"
                           R"("values":[4,0,1,4,0,3]},"input":{"special":[{"row":1,"class":2,"value":"nan"}]}})");
}

TEST(CaseJson, NamesTheFieldThatIsWrong) {
  const auto message = [](const char* text) -> std::string {
    try {
      (void)nlohmann::json::parse(text).get<Case>();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(message(R"({"C":"x"})"), HasSubstr("field C of a case"));
  EXPECT_THAT(message(R"({"target":{"layout":"colide"}})"), HasSubstr("did you mean \"collide\"?"));
  EXPECT_THAT(message(R"({"input":{"special":[{"row":1}]}})"), HasSubstr("field input.special of a case"));
  EXPECT_THAT(message(R"({"input":{"value":"x"}})"), HasSubstr("\"x\" is no number"));
  EXPECT_THAT(message(R"([1])"), HasSubstr("an object is wanted, not array"));
  EXPECT_THAT(message(R"({"target":1})"), HasSubstr("an object is wanted, not number"));
  EXPECT_EQ(message(R"({"unknown":1})"), "no error") << "a newer writer may know more fields";
}

}  // namespace
}  // namespace nlldiff
