// SPDX-License-Identifier: Apache-2.0
#include "model/inputs.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <set>

#include "core/error.hpp"

namespace nlldiff {
namespace {

constexpr Dtype kFloats[] = {Dtype::float64, Dtype::float32, Dtype::float16, Dtype::bfloat16};

Inputs inputs_of(const Case& c) { return make_inputs(c, make_targets(c)); }

Case small_case() {
  Case c;
  c.name = "test";
  c.shape = {6, 5};
  c.C = 7;
  c.reduction = Reduction::none;
  return c;
}

std::vector<double> values_of(const HostTensor& tensor) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < tensor.numel(); ++i) values.push_back(tensor.value(i));
  return values;
}

TEST(Hash, IsSplitmix64ForSeedAndStreamZero) {
  EXPECT_EQ(hash_index(0, 0, 0), 0xE220A8397B1DCDAFu);  // the published first outputs for seed 0
  EXPECT_EQ(hash_index(0, 0, 1), 0x6E789E6AA1B965F4u);
  EXPECT_EQ(hash_index(0, 0, 2), 0x06C45D188009454Fu);
}

TEST(Hash, DependsOnSeedStreamAndIndex) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    for (std::uint64_t stream = 0; stream < 20; ++stream)
      for (std::uint64_t index = 0; index < 20; ++index) seen.insert(hash_index(seed, stream, index));
  EXPECT_EQ(seen.size(), 8000u);
}

TEST(InputFill, NormalIsExactInEveryDtypeAndTheSameInAll) {
  Case c = small_case();
  c.dtype = Dtype::float64;
  const auto expected = values_of(inputs_of(c).input);
  for (const double value : expected) {
    EXPECT_TRUE(value >= -8 && value < 0 && value * 32 == std::trunc(value * 32)) << value;
  }
  for (const Dtype dtype : kFloats) {
    c.dtype = dtype;
    EXPECT_EQ(values_of(inputs_of(c).input), expected) << name_of(dtype);
  }
  c.rng_seed = 1;
  EXPECT_NE(values_of(inputs_of(c).input), expected);
}

TEST(InputFill, NormalUsesItsWholeRange) {
  Case c = small_case();
  c.shape = {2000};
  const auto values = values_of(inputs_of(c).input);
  EXPECT_EQ((std::set<double>(values.begin(), values.end())).size(), 256u);
}

TEST(InputFill, ValuesAreTheSameInEveryMemoryLayoutThatHoldsThem) {
  Case c = small_case();
  const auto expected = values_of(inputs_of(c).input);
  for (const Memory memory : {Memory::channels_last, Memory::transposed, Memory::sliced, Memory::strides}) {
    c.input.memory = memory;
    c.input.strides = {40, 1, 8};
    c.input.offset = 3;
    EXPECT_EQ(values_of(inputs_of(c).input), expected) << name_of(memory);
  }
  c.input.memory = Memory::expanded;
  EXPECT_THAT(values_of(inputs_of(c).input), testing::Each(inputs_of(c).input.value(0)));
}

TEST(InputFill, SpecialCellsLieInTheirRowAndClass) {
  Case c = small_case();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  c.input.fill = InputFill::zeros;
  c.input.memory = Memory::channels_last;
  c.input.special = {{.row = 7, .class_index = 3, .value = nan}, {.row = 29, .class_index = 6, .value = -8}};
  const Inputs in = inputs_of(c);
  const Geometry g = geometry_of(c);
  for (std::int64_t i = 0; i < g.cells(); ++i) {
    if (i == g.cell(7, 3)) {
      EXPECT_TRUE(std::isnan(in.input.value(i)));
    } else {
      EXPECT_EQ(in.input.value(i), i == g.cell(29, 6) ? -8 : 0);
    }
  }
  c.input.special = {{.row = 30, .class_index = 0, .value = 1}};
  EXPECT_THROW(inputs_of(c), Error);
}

TEST(InputFill, ConstantAndExplicitHoldTheCasesNumbersRoundedOnce) {
  Case c = small_case();
  c.shape = {2};
  c.C = 2;
  c.dtype = Dtype::bfloat16;
  c.input.fill = InputFill::explicit_;
  c.input.values = {0.1, -2, std::numeric_limits<double>::infinity(), 1e300};
  const Inputs in = inputs_of(c);
  for (std::int64_t i = 0; i < 4; ++i) {
    EXPECT_EQ(in.input.value(i), round_to(Dtype::bfloat16, c.input.values[static_cast<std::size_t>(i)]));
  }
  c.input.values.pop_back();
  EXPECT_THROW(inputs_of(c), Error);
  c.input.fill = InputFill::constant;
  c.input.value = -0.5;
  EXPECT_THAT(values_of(inputs_of(c).input), testing::Each(-0.5));
}

bool is_prime(std::int64_t n) {
  for (std::int64_t d = 2; d * d <= n; ++d)
    if (n % d == 0) return false;
  return n > 1;
}

TEST(GradFill, PerRowNeverRepeatsWithinItsPrimePeriod) {
  const struct {
    Dtype dtype;
    std::int64_t period;
  } kinds[] = {{Dtype::bfloat16, 503}, {Dtype::float16, 4091}, {Dtype::float32, 33554393}};
  for (const auto& kind : kinds) {
    EXPECT_TRUE(is_prime(kind.period));
    Case c = small_case();
    c.dtype = kind.dtype;
    c.shape = {std::min<std::int64_t>(kind.period, 100000) + 2};
    c.C = 1;
    const auto values = values_of(inputs_of(c).grad_output);
    const std::set<double> seen(values.begin(), values.end());
    EXPECT_EQ(static_cast<std::int64_t>(seen.size()), std::min(kind.period, static_cast<std::int64_t>(values.size())));
    for (const double value : seen) {
      EXPECT_TRUE(std::abs(value) > 1 && std::abs(value) < 4 && std::abs(value) != 2) << value;
    }
    if (kind.period < 100000) {
      EXPECT_EQ(values[static_cast<std::size_t>(kind.period)], values[0]);
    }
  }
}

TEST(GradFill, PerRowIsExactInItsDtypeAndReadable) {
  Case c = small_case();
  c.shape = {8};
  EXPECT_THAT(values_of(inputs_of(c).grad_output), testing::ElementsAre(1.5, -1.5, 3, -3, 1.25, -1.25, 2.5, -2.5));
}

TEST(GradFill, ScalarsAreNeitherZeroNorOneUnlessAskedFor) {
  for (const Reduction reduction : {Reduction::mean, Reduction::sum}) {
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
      Case c = small_case();
      c.reduction = reduction;
      c.rng_seed = seed;
      c.grad_output.fill = seed % 2 == 0 ? GradFill::per_row : GradFill::normal;
      const HostTensor grad_output = inputs_of(c).grad_output;
      ASSERT_TRUE(grad_output.sizes.empty());
      ASSERT_NE(grad_output.value(0), 0);
      ASSERT_NE(grad_output.value(0), 1);
    }
  }
}

TEST(GradFill, NormalHasBothSignsInDocumentedSteps) {
  Case c = small_case();
  c.shape = {5000};
  c.C = 1;
  c.grad_output.fill = GradFill::normal;
  const auto values = values_of(inputs_of(c).grad_output);
  const std::set<double> seen(values.begin(), values.end());
  EXPECT_EQ(*seen.begin(), -2);
  EXPECT_GT(*seen.rbegin(), 1.9);
  EXPECT_LE(*seen.rbegin(), 2);
  for (const double value : seen) EXPECT_EQ(value * 32, std::trunc(value * 32));
}

TEST(GradFill, OnesZerosAndExplicit) {
  Case c = small_case();
  c.grad_output.fill = GradFill::ones;
  EXPECT_THAT(values_of(inputs_of(c).grad_output), testing::Each(1));
  c.grad_output.fill = GradFill::zeros;
  EXPECT_THAT(values_of(inputs_of(c).grad_output), testing::Each(0));
  c.reduction = Reduction::sum;
  c.grad_output.fill = GradFill::explicit_;
  c.grad_output.values = {7};
  EXPECT_THAT(values_of(inputs_of(c).grad_output), testing::ElementsAre(7));
  c.grad_output.values = {7, 8};
  EXPECT_THROW(inputs_of(c), Error);
}

TEST(WeightFill, FollowsItsDocumentation) {
  Case c = small_case();
  c.C = 500;
  EXPECT_FALSE(inputs_of(c).weight.has_value());
  c.weight.fill = WeightFill::random;
  const auto random = values_of(*inputs_of(c).weight);
  EXPECT_EQ((std::set<double>(random.begin(), random.end())).size(), 32u);
  for (const double value : random) EXPECT_TRUE(value > 0 && value <= 2 && value * 16 == std::trunc(value * 16));
  c.weight.fill = WeightFill::negative;
  const auto negative = values_of(*inputs_of(c).weight);
  for (std::size_t k = 0; k < random.size(); ++k) EXPECT_EQ(negative[k], k % 2 == 0 ? random[k] : -random[k]);
  c.weight.fill = WeightFill::zeros;
  EXPECT_THAT(values_of(*inputs_of(c).weight), testing::Each(0));
  c.weight.length = 3;
  EXPECT_EQ(inputs_of(c).weight->numel(), 3);
}

TEST(Inputs, EmptyShapesGiveEmptyTensors) {
  for (const auto& shape : {std::vector<std::int64_t>{0}, {0, 3}, {3, 0}}) {
    for (const auto& memory : kNames<Memory>) {
      Case c = small_case();
      c.shape = shape;
      c.input.memory = c.target.memory = memory.value;
      c.input.strides = std::vector<std::int64_t>(shape.size() + 1, 1);
      c.target.strides = std::vector<std::int64_t>(shape.size(), 1);
      const Inputs in = inputs_of(c);
      EXPECT_EQ(in.input.numel(), 0);
      EXPECT_EQ(in.target.numel(), 0);
      EXPECT_EQ(in.grad_output.numel(), 0);
    }
  }
}

TEST(Inputs, BytesArePredictedExactly) {
  for (const auto& memory : kNames<Memory>) {
    Case c = small_case();
    c.weight.fill = WeightFill::ones;
    c.input.memory = c.target.memory = c.grad_output.memory = memory.value;
    c.input.strides = {50, 7, 1};
    c.target.strides = c.grad_output.strides = {9, 1};
    const Inputs in = inputs_of(c);
    const std::size_t bytes =
        in.input.storage.size() + in.target.storage.size() + in.weight->storage.size() + in.grad_output.storage.size();
    EXPECT_EQ(input_bytes(c), static_cast<std::int64_t>(bytes)) << memory.name;
  }
}

std::uint64_t fnv1a(std::uint64_t hash, const HostTensor& tensor) {
  for (const std::byte byte : tensor.storage) hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3u;
  return hash;
}

std::uint64_t fingerprint(const Case& c) {
  const Inputs in = inputs_of(c);
  std::uint64_t hash = fnv1a(0xcbf29ce484222325u, in.input);
  hash = fnv1a(hash, in.target);
  if (in.weight) hash = fnv1a(hash, *in.weight);
  return fnv1a(hash, in.grad_output);
}

// The bits of a case are part of every result that names its rng_seed: a change here makes old results unrepeatable.
TEST(Inputs, BitsAreTheSameOnEveryMachine) {
  Case c = small_case();
  EXPECT_EQ(fingerprint(c), 0x98452522A9331CC5u);
  c.target.layout = TargetLayout::collide;
  c.ignore_index = 9;
  c.rng_seed = 12345;
  c.dtype = Dtype::bfloat16;
  c.weight.fill = WeightFill::negative;
  EXPECT_EQ(fingerprint(c), 0xE5E90026D830A814u);
  c.target.layout = TargetLayout::padded;
  c.dtype = Dtype::float16;
  c.input.memory = Memory::sliced;
  c.target.dtype = Dtype::uint8;
  c.grad_output.fill = GradFill::normal;
  EXPECT_EQ(fingerprint(c), 0xC31EDEDF870E113Fu);
  c.dtype = Dtype::float64;
  c.reduction = Reduction::mean;
  c.target.layout = TargetLayout::border;
  c.weight.fill = WeightFill::random;
  EXPECT_EQ(fingerprint(c), 0x42EA306D7921C42Eu);
}

}  // namespace
}  // namespace nlldiff
