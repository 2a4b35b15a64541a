// SPDX-License-Identifier: Apache-2.0
// Judges one tensor cell by cell: NaN and Inf first, then the limit. Collects the comparison and one finding a kind.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "detect/evidence.hpp"
#include "detect/limits.hpp"

namespace nlldiff {

/// Where a judged cell lies, for the words of a finding. Scalars have neither.
struct CellPlace {
  std::int64_t cell = 0;
  std::optional<std::int64_t> row, class_index;
};

class TensorJudge {
 public:
  /// What is compared with what. The views stay alive as long as the judge.
  struct Subject {
    Pass pass;
    std::string tensor;
    TensorView candidate;
    std::optional<TensorView> reference;  ///< the same tensor as the reference has it
    std::optional<TensorView> other_run;  ///< the same tensor in the run with the other poison
    std::uint8_t poison = 0, other_poison = 0;
  };

  TensorJudge(Subject subject, Limit limit);

  /// Judges one cell against `expected`, which is already rounded to the dtype.
  void judge(const CellPlace& place, double expected, FindingKind if_wrong);
  /// `count` cells were seen to be exactly 0 and had to be.
  void count_zeros(std::int64_t count);
  /// A cell of the reference that is nonzero where 0 is right.
  void count_reference_mismatch() { ++comparison_.reference_mismatches; }

  [[nodiscard]] bool found_anything() const { return !findings_.empty(); }
  [[nodiscard]] const TensorComparison& comparison() const { return comparison_; }
  /// The findings, with their sentences. `run` is how the run is named in them; empty: the first.
  [[nodiscard]] std::vector<Finding> findings(const Geometry& g, const std::string& run) const;

 private:
  struct Judgement {
    bool ok = false;
    bool nonfinite = false;
    std::optional<std::uint64_t> ulps;
  };
  [[nodiscard]] Judgement compare(double value, double expected) const;
  [[nodiscard]] bool unwritten(std::int64_t cell) const;
  void note_ulps(const Judgement& judgement, const CellPlace& place, double value, double expected);
  [[nodiscard]] FindingCell describe(const CellPlace& place, double value, double expected, const Judgement& j) const;

  Subject subject_;
  Limit limit_;
  TensorComparison comparison_;
  std::map<FindingKind, Finding> findings_;
};

/// The bucket of TensorComparison::ulp_histogram: 0, 1, 2, 3-4, 5-8, ..., the last one open.
[[nodiscard]] std::size_t ulp_bucket(std::uint64_t ulps);

}  // namespace nlldiff
