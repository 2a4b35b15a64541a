// SPDX-License-Identifier: Apache-2.0
// Everything that a detector may look at: one case, the oracle's and the reference's answers, and the candidate's runs.
// Views only; the worker owns the memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/call.hpp"
#include "model/case.hpp"
#include "model/inputs.hpp"
#include "model/oracle.hpp"
#include "model/result.hpp"
#include "model/trace.hpp"

namespace nlldiff {

/// A contiguous tensor in host-readable memory. `data` is nullptr where it does not exist or has no cells.
struct TensorView {
  Dtype dtype = Dtype::float32;
  const std::byte* data = nullptr;
  std::int64_t cells = 0;
  [[nodiscard]] double value(std::int64_t cell) const { return load_float(dtype, data + cell * bytes_of(dtype)); }
};

/// An input tensor's storage as it was given and as it was found after the call.
struct InputImage {
  std::string tensor;  ///< "input", "target", "weight", "grad_output", "total_weight"
  const std::byte* before = nullptr;
  const std::byte* after = nullptr;  ///< nullptr: the call failed, and nobody can say
  std::size_t bytes = 0;
  Dtype dtype = Dtype::float32;
};

/// One call of the candidate and what it left behind.
struct PassRun {
  CallOutcome outcome;
  TensorView output, total_weight;  ///< forward
  TensorView grad_input;            ///< backward
  std::vector<InputImage> inputs;
  CallTrace trace;
};

/// A candidate run: both passes over one set of targets, in memory poisoned with one byte.
struct CandidateRun {
  std::string name;         ///< "case", "case again", "twin A", "twin B"
  std::string order;        ///< "forward", "reverse", "seeded"
  std::uint8_t poison = 0;  ///< what every cell held before the call
  std::vector<std::int64_t> targets;
  PassRun forward, backward;
  [[nodiscard]] const PassRun& of(Pass pass) const { return pass == Pass::forward ? forward : backward; }
};

/// Which of the four runs.
enum class RunId { case_run, case_again, twin_a, twin_b };

struct Evidence {
  const Case& c;
  Geometry geometry;
  const Inputs& inputs;
  std::span<const std::int64_t> targets;

  OracleForward oracle_forward{};
  OracleBackward oracle_backward{};  ///< for the total_weight that the candidate was given
  double total_weight_given = 0;

  std::optional<PassRun> reference_forward{}, reference_backward{};  ///< absent: not run (expect reject, or it refused)

  CandidateRun case_run{}, case_again{};
  std::optional<CandidateRun> twin_a{}, twin_b{};  ///< absent: `why_no_twin`
  std::string why_no_twin{};
  /// The backward pass once more, fed with the candidate's own total_weight where that differs from the given one.
  std::optional<PassRun> own_total_weight{};
  double own_total_weight_value = 0;

  /// Runs one pass of one run again, same order, and logs every store to these cells of `tensor` (sorted).
  std::function<CallTrace(RunId, Pass, const std::string& tensor, std::vector<std::int64_t> cells)> log_stores{};
};

/// Does this case ask for that pass?
[[nodiscard]] inline bool wants(const Case& c, Pass pass) {
  return c.passes == Passes::both || (c.passes == Passes::forward) == (pass == Pass::forward);
}

/// The row has a class: it is not ignored, and its target is in [0, C).
[[nodiscard]] inline bool takes_part(const Evidence& e, std::int64_t row) {
  const std::int64_t target = e.targets[static_cast<std::size_t>(row)];
  return target != e.c.ignore_index && target >= 0 && target < e.geometry.C;
}

/// The support of the gradient: the target cell of every row that takes part. Everywhere else 0 is right.
[[nodiscard]] inline bool in_support(const Evidence& e, std::int64_t cell) {
  const std::int64_t row = e.geometry.row_of(cell);
  return takes_part(e, row) && e.targets[static_cast<std::size_t>(row)] == e.geometry.class_of(cell);
}

}  // namespace nlldiff
