// SPDX-License-Identifier: Apache-2.0
#include "model/memory.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <set>

#include "core/error.hpp"
#include "model/tensor.hpp"

namespace nlldiff {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Sizes = std::vector<std::int64_t>;

Placement place_as(const Sizes& sizes, Memory memory) { return place(sizes, {.what = "input", .memory = memory}); }

std::string error_of(const Sizes& sizes, const MemorySpec& spec) {
  try {
    (void)allocate(Dtype::float32, place(sizes, spec), spec);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Memory, StridesAreThoseOfTheLayoutsName) {
  EXPECT_THAT(place_as({2, 3, 4, 5}, Memory::contiguous).strides, ElementsAre(60, 20, 5, 1));
  EXPECT_THAT(place_as({2, 3, 4, 5}, Memory::channels_last).strides, ElementsAre(60, 1, 15, 3));
  EXPECT_THAT(place_as({2, 3, 4, 5}, Memory::transposed).strides, ElementsAre(20, 40, 5, 1));
  EXPECT_THAT(place_as({6, 4}, Memory::transposed).strides, ElementsAre(1, 6));
  EXPECT_THAT(place_as({6, 4}, Memory::sliced).strides, ElementsAre(9, 2));
  EXPECT_THAT(place_as({6, 4}, Memory::expanded).strides, ElementsAre(0, 0));
  EXPECT_EQ(place_as({6, 4}, Memory::expanded).storage_elements, 1);
}

TEST(Memory, EveryElementHasItsOwnPlaceWithinTheStorage) {
  for (const Memory memory : {Memory::contiguous, Memory::channels_last, Memory::transposed, Memory::sliced}) {
    for (const Sizes& sizes : {Sizes{}, {1}, {7}, {3, 4}, {1, 5}, {2, 3, 4}, {2, 1, 3, 2}, {3, 0, 2}, {0}}) {
      const Placement p = place_as(sizes, memory);
      const HostTensor tensor = allocate(Dtype::float16, p, {.what = "input", .memory = memory});
      std::set<std::int64_t> offsets;
      for (std::int64_t i = 0; i < tensor.numel(); ++i) offsets.insert(tensor.element_offset(i));
      EXPECT_EQ(static_cast<std::int64_t>(offsets.size()), tensor.numel());
      EXPECT_EQ(static_cast<std::int64_t>(tensor.storage.size()), p.storage_elements * 2);
      if (offsets.empty()) continue;
      EXPECT_GE(*offsets.begin(), 0);
      EXPECT_LT(*offsets.rbegin(), p.storage_elements);
    }
  }
}

TEST(Memory, TheWalkVisitsElementsInRowMajorOrder) {
  for (const auto& memory : kNames<Memory>) {
    for (const Sizes& sizes : {Sizes{}, {7}, {3, 4}, {1, 5}, {2, 3, 4}, {2, 1, 3, 2}, {3, 0, 2}}) {
      const Sizes strides(sizes.size(), 3);
      const MemorySpec spec{.what = "input", .memory = memory.value, .strides = &strides, .offset = 4};
      const HostTensor tensor = allocate(Dtype::float32, place(sizes, spec), spec);
      std::int64_t flat = 0;
      for_each_run(tensor, [&](std::int64_t element, std::int64_t count, std::int64_t stride) {
        for (std::int64_t i = 0; i < count; ++i) {
          ASSERT_EQ(element + i * stride, tensor.element_offset(flat++)) << memory.name;
        }
      });
      EXPECT_EQ(flat, tensor.numel()) << memory.name;
    }
  }
}

TEST(Memory, ContiguousElementsAreOneRun) {
  const HostTensor tensor = allocate(Dtype::float32, place_as({4, 1, 5, 6}, Memory::contiguous), {.what = "input"});
  int runs = 0;
  for_each_run(tensor, [&](std::int64_t, std::int64_t count, std::int64_t) {
    ++runs;
    EXPECT_EQ(count, 120);
  });
  EXPECT_EQ(runs, 1);
}

TEST(Memory, GapsOfFloatsAreNan) {
  for (const Dtype dtype : {Dtype::float64, Dtype::float32, Dtype::float16, Dtype::bfloat16}) {
    const MemorySpec spec{.what = "input", .memory = Memory::sliced};
    const HostTensor tensor = allocate(dtype, place({2, 2}, spec), spec);
    EXPECT_TRUE(std::isnan(load_float(dtype, tensor.storage.data())));
    EXPECT_TRUE(std::isnan(
        load_float(dtype, &tensor.storage[tensor.storage.size() - static_cast<std::size_t>(bytes_of(dtype))])));
  }
}

TEST(Memory, StorageIsJustLargeEnoughForGivenStrides) {
  const Sizes strides = {10, 3};
  const Placement p = place({2, 3}, {.what = "input", .memory = Memory::strides, .strides = &strides, .offset = 5});
  EXPECT_EQ(p.offset, 5);
  EXPECT_EQ(p.storage_elements, 5 + 10 + 6 + 1);
}

TEST(Memory, RefusesStridesThatDoNotFitAndSizesThatNothingHolds) {
  const Sizes one = {1}, negative = {-1, 1}, huge = {std::int64_t{1} << 62, 1};
  EXPECT_THAT(error_of({2, 3}, {.what = "input", .memory = Memory::strides, .strides = &one}),
              HasSubstr("input.strides has 1 numbers; the tensor has 2 dimensions"));
  EXPECT_THAT(error_of({2, 3}, {.what = "input", .memory = Memory::strides, .strides = &negative}), HasSubstr(">= 0"));
  EXPECT_THAT(error_of({2, 3}, {.what = "input", .memory = Memory::strides, .strides = &huge}),
              HasSubstr("does not fit 64-bit addresses"));
  EXPECT_THAT(error_of({5, 3}, {.what = "input", .memory = Memory::strides, .strides = &huge}),
              HasSubstr("does not fit 64-bit addresses"));
  EXPECT_THAT(error_of({std::int64_t{1} << 40, std::int64_t{1} << 20}, {.what = "input"}),
              HasSubstr("of this machine"));
  EXPECT_THAT(error_of({std::int64_t{1} << 40, std::int64_t{1} << 30}, {.what = "input"}),
              HasSubstr("64-bit addresses"));
  EXPECT_THAT(error_of({std::int64_t{1} << 48}, {.what = "input"}), HasSubstr("of this machine"));
}

TEST(Tensor, OffsetsFollowStridesWhateverTheLayout) {
  const HostTensor tensor{
      .dtype = Dtype::uint8, .sizes = {2, 3}, .strides = {1, 2}, .offset = 1, .storage = std::vector<std::byte>(8)};
  EXPECT_EQ(tensor.numel(), 6);
  EXPECT_EQ(tensor.element_offset(0), 1);
  EXPECT_EQ(tensor.element_offset(2), 5);
  EXPECT_EQ(tensor.element_offset(3), 2);
  EXPECT_EQ(tensor.element_offset(5), 6);
}

TEST(Tensor, ScalarsHaveOneElementAndEmptyTensorsNone) {
  EXPECT_EQ(HostTensor{}.numel(), 1);
  EXPECT_EQ(
      (HostTensor{.dtype = Dtype::float32, .sizes = {3, 0}, .strides = {1, 1}, .offset = 0, .storage = {}}).numel(), 0);
  EXPECT_THAT(contiguous_strides({3, 0, 2}), ElementsAre(2, 2, 1));  // as torch
  EXPECT_TRUE(contiguous_strides({}).empty());
}

}  // namespace
}  // namespace nlldiff
