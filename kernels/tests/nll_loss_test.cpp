// SPDX-License-Identifier: Apache-2.0
// Our kernels against the definition, through the C ABI, on the host.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "cases.hpp"
#include "rig.hpp"

namespace nlldiff::kernels {
namespace {

using testing::HasSubstr;

const nlldiff_kernel& ours() {
  static const nlldiff_kernel& kernel = load_kernel("nlldiff");
  return kernel;
}

void expect_right(const Case& c, const RunOptions& run = {}) {
  SCOPED_TRACE(fmt::format("shape [{}], C {}, {}, {}, targets {}", fmt::join(c.shape, ","), c.C, name_of(c.dtype),
                           name_of(c.reduction), name_of(c.target.dtype)));
  EXPECT_EQ(errors_of(ours(), c, run), "");
}

TEST(NllLoss, SaysWhoItIs) {
  EXPECT_EQ(ours().abi_version, NLLDIFF_ABI_VERSION);
  EXPECT_EQ(ours().struct_size, sizeof(nlldiff_kernel));
  EXPECT_STREQ(ours().name, "nlldiff");
  EXPECT_EQ(ours().device, static_cast<std::uint32_t>(NLLDIFF_SIMT));
  EXPECT_EQ(ours().flags, static_cast<std::uint32_t>(NLLDIFF_DETERMINISTIC));
}

TEST(NllLoss, FollowsTheDefinitionInEveryDtypeTargetTypeAndReduction) {
  for (const Dtype dtype : kFloats)
    for (const Dtype target : {Dtype::int64, Dtype::int32, Dtype::uint8})
      for (const Reduction reduction : kReductions)
        for (const WeightFill weight : {WeightFill::none, WeightFill::random, WeightFill::negative}) {
          Case c = make_case({37, 3}, 5, reduction);
          c.dtype = dtype;
          c.target.dtype = target;
          c.ignore_index = target == Dtype::uint8 ? 255 : -100;
          c.weight.fill = weight;
          expect_right(c);
        }
}

TEST(NllLoss, TakesEveryRankUpToTheLimit) {
  std::vector<std::int64_t> shape;
  for (int rank = 1; rank <= NLLDIFF_MAX_RANK; ++rank) {
    for (const Reduction reduction : kReductions) expect_right(make_case(shape, 3, reduction));
    shape.push_back(shape.size() % 2 == 0 ? 3 : 2);
  }
}

TEST(NllLoss, TakesSizesOfZeroAndOne) {
  for (const std::int64_t n : {0, 1, 2})
    for (const std::int64_t d : {0, 1, 2})
      for (const std::int64_t classes : {0, 1, 2})
        for (const Reduction reduction : kReductions) {
          Case c = make_case({n, d}, classes, reduction);
          if (classes == 0) c.target.layout = TargetLayout::all;
          expect_right(c);
          c.shape = {n};
          expect_right(c);
        }
}

TEST(NllLoss, TakesIgnoreIndexAnywhereInInt64) {
  for (const std::int64_t sentinel : {std::numeric_limits<std::int64_t>::min(), std::int64_t{-1}, std::int64_t{0},
                                      std::int64_t{3}, std::int64_t{4}, std::numeric_limits<std::int64_t>::max()})
    for (const Reduction reduction : kReductions) {
      Case c = make_case({23}, 4, reduction);
      c.ignore_index = sentinel;
      expect_right(c);
    }
}

TEST(NllLoss, ReadsEveryMemoryLayoutInPlace) {
  constexpr std::array kLayouts{Memory::contiguous, Memory::channels_last, Memory::transposed, Memory::sliced,
                                Memory::expanded};
  for (const Memory layout : kLayouts)
    for (const Reduction reduction : kReductions)
      for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{9}, {5, 4, 3}}) {
        Case c = make_case(shape, 4, reduction);
        c.input.memory = layout;
        expect_right(c);
        if (layout == Memory::channels_last) continue;
        c.input.memory = Memory::contiguous;
        c.target.memory = layout;
        expect_right(c);
        c.target.memory = Memory::sliced;
        c.grad_output.memory = reduction == Reduction::none ? layout : Memory::contiguous;
        expect_right(c);
      }
}

TEST(NllLoss, RoundsAHalfGradientOnce) {
  // 1 + 2^-10 times 1 + 2^-10 lies just above a tie of float16 and bfloat16 alike only if it is not rounded on the way.
  for (const Dtype dtype : {Dtype::float16, Dtype::bfloat16}) {
    Case c = with_targets(make_case({3}, 2, Reduction::none), {0, 1, 0});
    c.dtype = dtype;
    c.weight.fill = WeightFill::explicit_;
    const double unit = dtype == Dtype::float16 ? 0x1p-10 : 0x1p-7;
    c.weight.values = {1 + unit, 0x1p-14};
    c.grad_output.fill = GradFill::explicit_;
    c.grad_output.values = {1 + unit, 0x1.8p-10, 1.5};
    expect_right(c);
  }
}

TEST(NllLoss, MeanDividesWithoutOverflowOnTheWay) {
  Case c = with_targets(make_case({2}, 2, Reduction::mean), {0, 0});
  c.weight.fill = WeightFill::explicit_;
  c.weight.values = {1e30, 1};
  c.grad_output.fill = GradFill::explicit_;
  c.grad_output.values = {1e30};
  const Outcome outcome = run_backward(ours(), c);
  EXPECT_EQ(errors_of_backward(c, outcome), "");
  EXPECT_TRUE(std::isfinite(outcome.grad_input[0]));
}

TEST(NllLoss, MeanOverNoRowIsNanWithAZeroGradient) {
  for (const Dtype dtype : kFloats) {
    Case c = make_case({6}, 4, Reduction::mean);
    c.dtype = dtype;
    c.target.layout = TargetLayout::all;
    const Outcome forward = run_forward(ours(), c);
    EXPECT_TRUE(std::isnan(forward.output[0]));
    EXPECT_EQ(forward.total_weight, 0);
    EXPECT_THAT(run_backward(ours(), c).grad_input, testing::Each(0.0));
  }
}

TEST(NllLoss, NeverReadsTheInputOrTheWeightOfAnIgnoredRow) {
  for (const Reduction reduction : kReductions) {
    Case c = with_targets(make_case({3}, 3, reduction), {1, 2, 1});
    c.ignore_index = 2;
    c.weight.fill = WeightFill::explicit_;
    c.weight.values = {1, 2, std::nan("")};
    for (std::int64_t cls = 0; cls < 3; ++cls) c.input.special.push_back({1, cls, std::nan("")});
    const Outcome outcome = run_forward(ours(), c);
    EXPECT_EQ(errors_of_forward(c, outcome), "");
    EXPECT_THAT(outcome.output, testing::Each(testing::Not(testing::IsNan())));
    expect_right(c);
  }
}

TEST(NllLoss, CarriesInfinityAndNanToWhereTheyBelong) {
  for (const double special : {std::numeric_limits<double>::infinity(), std::nan("")})
    for (const Reduction reduction : kReductions) {
      Case c = with_targets(make_case({4}, 3, reduction), {0, 1, 2, 0});
      c.input.special = {{1, 1, special}, {2, 0, special}};
      c.grad_output.fill = GradFill::explicit_;
      c.grad_output.values =
          reduction == Reduction::none ? std::vector<double>{1, special, 2, 3} : std::vector{special};
      expect_right(c);
    }
}

TEST(NllLoss, StoresEachCellExactlyOnce) {
  for (const Dtype dtype : kFloats)
    for (const Reduction reduction : kReductions)
      for (const std::int64_t inner : {1, 7}) {
        Case c = make_case({61, inner}, 5, reduction);
        c.dtype = dtype;
        const Outcome backward = run_backward(ours(), c);
        ASSERT_TRUE(backward.trace.complete) << backward.trace.why_incomplete;
        const TensorTrace& gradient = backward.trace_of("grad_input");
        EXPECT_THAT(gradient.stores.low, testing::Each(1));
        EXPECT_EQ(gradient.contested_total, 0);
        const Outcome forward = run_forward(ours(), c);
        EXPECT_THAT(forward.trace_of("output").stores.low, testing::Each(1));
        EXPECT_THAT(forward.trace_of("total_weight").stores.low, testing::Each(1));
      }
}

/// Neither NaN payloads nor the sign of zero may differ: bits, not values.
std::vector<std::uint64_t> bits_of(const std::vector<double>& values) {
  std::vector<std::uint64_t> bits(values.size());
  std::memcpy(bits.data(), values.data(), values.size() * sizeof(double));
  return bits;
}

TEST(NllLoss, GivesTheSameBitsInEveryOrderOfBlocksAndThreads) {
  for (const Dtype dtype : kFloats)
    for (const Reduction reduction : {Reduction::mean, Reduction::sum}) {
      Case c = make_case({3000, 3}, 7, reduction);
      c.dtype = dtype;
      const Outcome first = run_forward(ours(), c);
      for (const RunOptions& run :
           {RunOptions{.order = simt::Order::reverse}, RunOptions{.order = simt::Order::seeded, .seed = 5}}) {
        const Outcome again = run_forward(ours(), c, run);
        EXPECT_EQ(bits_of(again.output), bits_of(first.output));
        EXPECT_EQ(again.total_weight, first.total_weight);
        expect_right(c, run);
      }
    }
}

TEST(NllLoss, SumsALongLossToWithinOneUlp) {
  for (const Dtype dtype : {Dtype::float32, Dtype::bfloat16}) {
    Case c = make_case({300000}, 3, Reduction::mean);
    c.dtype = dtype;
    EXPECT_EQ(errors_of_forward(c, run_forward(ours(), c)), "");
  }
}

TEST(NllLoss, ForwardGoesBeyond65535Blocks) {
  Case c = make_case({65535 * 256 + 3}, 1, Reduction::none);
  c.target.dtype = Dtype::uint8;
  c.ignore_index = 255;
  c.input.memory = Memory::expanded;
  EXPECT_EQ(errors_of_forward(c, run_forward(ours(), c, {.watch = false})), "");
}

TEST(NllLoss, BackwardGoesBeyond65535Blocks) {
  Case c = make_case({4097}, 8192, Reduction::none);  // two cells of a float64 gradient are one thread's
  c.dtype = Dtype::float64;
  c.input.memory = Memory::expanded;
  EXPECT_EQ(errors_of_backward(c, run_backward(ours(), c, {.watch = false})), "");
}

// ---- far addresses ----

TEST(NllLoss, AddressesElementsBeyond2ToThe31) {
  constexpr std::int64_t kFar = (std::int64_t{1} << 31) + 5;
  Arena arena(std::size_t{12} << 30);
  std::array<char, 256> error{};
  nlldiff_call call = make_call(arena, error);
  call.ignore_index = -100;
  call.input = {nullptr, NLLDIFF_BFLOAT16, 2, {2, 2}, {kFar / 2, kFar}};
  auto* input = reinterpret_cast<std::uint16_t*>(arena.allocate_untouched(static_cast<std::size_t>(4 * kFar)));
  auto* target = reinterpret_cast<std::uint8_t*>(arena.allocate_untouched(static_cast<std::size_t>(kFar + 1)));
  ASSERT_TRUE(input != nullptr && target != nullptr);
  input[kFar] = 0x4040;             // row 0, class 1: 3
  input[kFar / 2 + kFar] = 0x40a0;  // row 1, class 1: 5
  target[0] = target[kFar] = 1;
  call.input.data = input;
  call.target = {target, NLLDIFF_UINT8, 1, {2}, {kFar}};
  auto* output = reinterpret_cast<std::uint16_t*>(arena.allocate(4));
  call.output = {output, NLLDIFF_BFLOAT16, 1, {2}, {1}};
  call.total_weight = {arena.allocate(2), NLLDIFF_BFLOAT16, 0, {}, {}};
  EXPECT_EQ(call_entry(ours().forward, call, arena, {}).status, NLLDIFF_OK) << error.data();
  EXPECT_EQ(output[0], 0xc040);
  EXPECT_EQ(output[1], 0xc0a0);
}

TEST(NllLoss, StoresToAGradientThatLiesOffItsVectorBoundary) {
  Arena arena(std::size_t{8} << 20);
  std::array<char, 256> error{};
  nlldiff_call call = make_call(arena, error);
  call.ignore_index = -100;
  auto* target = reinterpret_cast<std::int64_t*>(arena.allocate(3 * sizeof(std::int64_t)));
  auto* upstream = reinterpret_cast<float*>(arena.allocate(3 * sizeof(float)));
  auto* gradient = reinterpret_cast<float*>(arena.allocate(10 * sizeof(float))) + 1;
  for (int i = 0; i < 3; ++i) target[i] = i, upstream[i] = static_cast<float>(i + 1);
  call.input = {nullptr, NLLDIFF_FLOAT32, 2, {3, 3}, {3, 1}};
  call.target = {target, NLLDIFF_INT64, 1, {3}, {1}};
  call.grad_output = {upstream, NLLDIFF_FLOAT32, 1, {3}, {1}};
  call.grad_input = {gradient, NLLDIFF_FLOAT32, 2, {3, 3}, {3, 1}};
  EXPECT_EQ(call_entry(ours().backward, call, arena, {}).status, NLLDIFF_OK) << error.data();
  EXPECT_THAT(std::vector<float>(gradient, gradient + 9), testing::ElementsAre(-1, 0, 0, 0, -2, 0, 0, 0, -3));
  EXPECT_TRUE(std::isnan(gradient[-1]));
}

// ---- refusals ----

TEST(NllLoss, RefusesABadTargetByItsFirstRowAndValue) {
  for (const Reduction reduction : kReductions)
    for (const std::int64_t bad : {std::int64_t{-1}, std::int64_t{4}, std::numeric_limits<std::int64_t>::max()}) {
      Case c = with_targets(make_case({3, 2}, 4, reduction), {0, -100, 3, bad, 1, 99});
      const std::string sentence = fmt::format("target[3] = {} is neither in [0, 4) nor ignore_index = -100", bad);
      for (const Outcome& outcome : {run_forward(ours(), c), run_backward(ours(), c)}) {
        EXPECT_EQ(outcome.status, NLLDIFF_REJECTED);
        EXPECT_EQ(outcome.error, sentence);
        EXPECT_EQ(outcome.fault, "");
        EXPECT_TRUE(outcome.red_zones_intact);
      }
    }
}

TEST(NllLoss, ReadsABadTargetOfEveryTypeAndLayout) {
  for (const Dtype dtype : {Dtype::int64, Dtype::int32, Dtype::uint8})
    for (const Memory layout : {Memory::contiguous, Memory::transposed, Memory::sliced}) {
      Case c = with_targets(make_case({2, 3}, 4, Reduction::sum), {0, 1, 2, 3, 200, 1});
      c.target.dtype = dtype;
      c.target.memory = layout;
      EXPECT_THAT(run_backward(ours(), c).error, HasSubstr("target[4] = 200 is neither"));
    }
}

TEST(NllLoss, RefusesEveryClassWhereThereAreNone) {
  for (const Reduction reduction : kReductions) {
    const Case c = with_targets(make_case({2}, 0, reduction), {-100, 0});
    EXPECT_THAT(run_forward(ours(), c).error, HasSubstr("target[1] = 0 is neither"));
    EXPECT_THAT(run_backward(ours(), c).error, HasSubstr("target[1] = 0 is neither"));
  }
}

TEST(NllLoss, RefusesWeightsOfAnotherLengthOrDtype) {
  Case c = make_case({5}, 4, Reduction::mean);
  c.weight.length = 3;
  EXPECT_EQ(run_forward(ours(), c).status, NLLDIFF_REJECTED);
  EXPECT_THAT(run_backward(ours(), c).error, HasSubstr("weight has size 3 in dimension 0; the input needs 4"));
  c.weight.length.reset();
  EXPECT_THAT(run_forward(ours(), c, {.weight_dtype = Dtype::float64}).error, HasSubstr("weight has dtype code 0"));
}

/// A call without elements, right in all its shapes; each test below breaks one thing of it.
struct EmptyCall {
  Arena arena{std::size_t{2} << 20};
  std::array<char, 256> error{};
  nlldiff_call call = make_call(arena, error);

  EmptyCall() {
    call.input = {nullptr, NLLDIFF_FLOAT32, 2, {0, 4}, {4, 1}};
    call.target = {nullptr, NLLDIFF_INT64, 1, {0}, {1}};
    call.output = {nullptr, NLLDIFF_FLOAT32, 1, {0}, {1}};
    call.total_weight = {arena.allocate(4), NLLDIFF_FLOAT32, 0, {}, {}};
    call.grad_output = call.output;
    call.grad_input = call.input;
  }
  int forward() { return call_entry(ours().forward, call, arena, {}).status; }
  int backward() { return call_entry(ours().backward, call, arena, {}).status; }
};

TEST(NllLoss, RefusesWrongShapesAndDtypesBeforeAnyLaunch) {
  struct Break {
    void (*apply)(nlldiff_call&);
    int status;
    const char* sentence;
  };
  const Break breaks[] = {
      {[](nlldiff_call&) {}, NLLDIFF_OK, ""},
      {[](nlldiff_call& c) { c.struct_size = 8; }, NLLDIFF_REJECTED, "struct_size is 8"},
      {[](nlldiff_call& c) { c.reduction = 3; }, NLLDIFF_REJECTED, "reduction code 3"},
      {[](nlldiff_call& c) { c.input.dtype = 11; }, NLLDIFF_UNSUPPORTED, "input has dtype code 11"},
      {[](nlldiff_call& c) { c.input.dtype = NLLDIFF_INT32; }, NLLDIFF_REJECTED, "it must be floating"},
      {[](nlldiff_call& c) { c.input.rank = 9; }, NLLDIFF_UNSUPPORTED, "input has rank 9"},
      {[](nlldiff_call& c) { c.input.rank = 0; }, NLLDIFF_REJECTED, "needs a class dimension"},
      {[](nlldiff_call& c) { c.input.sizes[1] = -4; }, NLLDIFF_REJECTED, "input has size -4"},
      {[](nlldiff_call& c) { c.target.dtype = NLLDIFF_FLOAT32; }, NLLDIFF_REJECTED, "must be int64, int32 or uint8"},
      {[](nlldiff_call& c) { c.target.dtype = 12; }, NLLDIFF_UNSUPPORTED, "target has dtype code 12"},
      {[](nlldiff_call& c) { c.target.rank = 2; }, NLLDIFF_REJECTED, "target has rank 2"},
      {[](nlldiff_call& c) { c.target.sizes[0] = 3; }, NLLDIFF_REJECTED, "target has size 3 in dimension 0"},
      {[](nlldiff_call& c) { c.total_weight.data = nullptr; }, NLLDIFF_REJECTED, "its data is NULL"},
      {[](nlldiff_call& c) { c.output.dtype = NLLDIFF_FLOAT64; }, NLLDIFF_REJECTED, "output has dtype code 0"},
      {[](nlldiff_call& c) { c.output.rank = 0; }, NLLDIFF_REJECTED, "output has rank 0"},
      {[](nlldiff_call& c) { c.allocate = nullptr; }, NLLDIFF_FAILED, "no scratch memory"},
  };
  for (const Break& b : breaks) {
    EmptyCall empty;
    b.apply(empty.call);
    EXPECT_EQ(empty.forward(), b.status) << b.sentence;
    EXPECT_THAT(std::string(empty.error.data()), HasSubstr(b.sentence));
  }
}

TEST(NllLoss, RefusesAGradientThatIsNotContiguous) {
  EmptyCall empty;
  EXPECT_EQ(empty.backward(), NLLDIFF_OK) << empty.error.data();
  empty.call.input.sizes[0] = empty.call.grad_input.sizes[0] = 2;
  empty.call.target.sizes[0] = empty.call.grad_output.sizes[0] = 2;
  empty.call.target.data = empty.call.grad_output.data = empty.call.grad_input.data = empty.arena.allocate(64);
  empty.call.grad_input.strides[0] = 8;
  EXPECT_EQ(empty.backward(), NLLDIFF_REJECTED);
  EXPECT_THAT(std::string(empty.error.data()), HasSubstr("grad_input is not contiguous: stride 8 in dimension 0"));
}

TEST(NllLoss, RefusesSizesWhoseProductOverflows) {
  EmptyCall empty;
  constexpr std::int64_t kHuge = std::int64_t{1} << 40;
  empty.call.input = {empty.arena.allocate(8), NLLDIFF_FLOAT32, 3, {kHuge, 1, kHuge}, {0, 0, 0}};
  empty.call.target = {empty.arena.allocate(8), NLLDIFF_INT64, 2, {kHuge, kHuge}, {0, 0}};
  EXPECT_EQ(empty.forward(), NLLDIFF_REJECTED);
  EXPECT_THAT(std::string(empty.error.data()), HasSubstr("target has more than 2^63 elements"));
}

}  // namespace
}  // namespace nlldiff::kernels
