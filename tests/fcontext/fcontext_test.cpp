// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <boost/context/detail/fcontext.hpp>
#include <cfenv>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace {

using boost::context::detail::fcontext_t;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::ontop_fcontext;
using boost::context::detail::transfer_t;

class Fcontext : public testing::Test {
 protected:
  fcontext_t make(void (*function)(transfer_t)) {
    return make_fcontext(stack_.data() + stack_.size(), stack_.size(), function);
  }
  std::vector<char> stack_ = std::vector<char>(64 * 1024);
};

std::uintptr_t number(void* data) { return reinterpret_cast<std::uintptr_t>(data); }
void* data(std::uintptr_t number) { return reinterpret_cast<void*>(number); }

[[noreturn]] void counts_up(transfer_t from) {
  while (true) from = jump_fcontext(from.fctx, data(number(from.data) + 1));
}

TEST_F(Fcontext, carries_data_both_ways_over_many_jumps) {
  transfer_t fiber{make(counts_up), nullptr};
  for (std::uintptr_t i = 0; i < 100000; ++i) {
    fiber = jump_fcontext(fiber.fctx, data(i));
    ASSERT_EQ(number(fiber.data), i + 1);
  }
}

[[noreturn]] void reports_stack_alignment(transfer_t from) {
  alignas(16) char local[16];
  jump_fcontext(from.fctx, data(number(&local) % 16 + number(__builtin_frame_address(0)) % 16));
  std::abort();
}

TEST_F(Fcontext, starts_with_the_stack_aligned_as_the_abi_demands) {
  EXPECT_EQ(number(jump_fcontext(make(reports_stack_alignment), nullptr).data), 0u);
}

[[noreturn]] void catches_its_own_exception(transfer_t from) {
  std::uintptr_t caught = 0;
  try {
    throw std::runtime_error("inside");
  } catch (const std::runtime_error&) {
    caught = 1;
  }
  jump_fcontext(from.fctx, data(caught));
  std::abort();
}

TEST_F(Fcontext, an_exception_can_be_thrown_and_caught_inside) {
  EXPECT_EQ(number(jump_fcontext(make(catches_its_own_exception), nullptr).data), 1u);
}

[[noreturn]] void rounds_upward(transfer_t from) {
  std::fesetround(FE_UPWARD);
  jump_fcontext(from.fctx, nullptr);
  std::abort();
}

TEST_F(Fcontext, a_rounding_mode_stays_in_its_fiber) {
  jump_fcontext(make(rounds_upward), nullptr);
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

transfer_t doubles(transfer_t from) { return {from.fctx, data(2 * number(from.data))}; }

TEST_F(Fcontext, ontop_runs_a_function_on_the_other_stack_first) {
  const transfer_t fresh = ontop_fcontext(make(counts_up), data(20), doubles);
  EXPECT_EQ(number(fresh.data), 41u);
  EXPECT_EQ(number(ontop_fcontext(fresh.fctx, data(50), doubles).data), 101u);
}

}  // namespace
