// SPDX-License-Identifier: Apache-2.0
// Runs a candidate library of kernels/ on the host, on the inputs of a case, and says what it did.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/case.hpp"
#include "model/inputs.hpp"
#include "model/trace.hpp"
#include "nlldiff/kernel.h"
#include "simt/simt.hpp"

namespace nlldiff::kernels {

/// Address space of which only touched pages cost memory. Every block has a red zone on both sides; blocks are handed
/// out in order and never again.
class Arena {
 public:
  static constexpr std::size_t kRedZoneBytes = 64 * 1024;

  explicit Arena(std::size_t bytes);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// A block on a 256-byte boundary, every byte 0xff: NaN in every floating type. Null when full.
  [[nodiscard]] std::byte* allocate(std::size_t bytes);
  /// A block of pages that nobody has touched: zeros, and no memory until used. For tests of far addresses.
  [[nodiscard]] std::byte* allocate_untouched(std::size_t bytes);
  [[nodiscard]] bool red_zones_intact() const;
  [[nodiscard]] std::byte* base() const { return base_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  [[nodiscard]] std::byte* reserve(std::size_t bytes);

  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t used_ = 0;
  std::vector<std::byte*> red_zones_;
};

/// The kernel in build/lib/nlldiff/candidates/cpu/<file>.so; fails the running test where there is none.
[[nodiscard]] const nlldiff_kernel& load_kernel(const std::string& file);

struct Outcome {
  int status = NLLDIFF_FAILED;
  std::string error;
  std::string fault;               ///< simt's own complaint
  std::vector<double> output;      ///< forward
  double total_weight = 0;         ///< forward
  std::vector<double> grad_input;  ///< backward, cell by cell
  CallTrace trace;
  bool red_zones_intact = false;
  [[nodiscard]] const TensorTrace& trace_of(std::string_view tensor) const;
};

struct RunOptions {
  simt::Order order = simt::Order::forward;
  std::uint64_t seed = 1;
  bool watch = true;                                 ///< count the stores of the outputs
  std::optional<Dtype> weight_dtype = std::nullopt;  ///< what the call claims instead of the case's dtype
};

[[nodiscard]] Outcome run_forward(const nlldiff_kernel& kernel, const Case& c, const RunOptions& run = {});
/// The mean divides by the oracle's total weight, rounded to the case's dtype.
[[nodiscard]] Outcome run_backward(const nlldiff_kernel& kernel, const Case& c, const RunOptions& run = {});

/// An nlldiff_call on `arena` with a buffer for the error, no tensors yet.
[[nodiscard]] nlldiff_call make_call(Arena& arena, std::span<char> error);
/// Calls `entry` with every access inside the arena seen.
struct Called {
  int status = NLLDIFF_FAILED;
  std::string fault;
  CallTrace trace;
};
[[nodiscard]] Called call_entry(nlldiff_entry entry, nlldiff_call& call, const Arena& arena, const RunOptions& run,
                                std::vector<simt::Watch> watches = {});

/// What is wrong with an outcome, judged by the oracle, one line a cell; empty: nothing. Gradients of none and sum must
/// be exact, those of mean and every loss within one ULP (float64 losses: within the rounding of their summation).
[[nodiscard]] std::string errors_of_forward(const Case& c, const Outcome& outcome);
[[nodiscard]] std::string errors_of_backward(const Case& c, const Outcome& outcome);
/// Both passes of a kernel on a case; a call that was not NLLDIFF_OK is an error.
[[nodiscard]] std::string errors_of(const nlldiff_kernel& kernel, const Case& c, const RunOptions& run = {});

}  // namespace nlldiff::kernels
