// SPDX-License-Identifier: Apache-2.0
#include "detect/tensor_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "detect/words.hpp"

namespace nlldiff {
namespace {

std::string_view cure_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::lost_gradient:
      return "look for a store of another row, or a row that is skipped";
    case FindingKind::off_support:
      return "only the target's class has a gradient; write 0 to every other cell";
    case FindingKind::unwritten:
      return "write every cell, those of ignored rows too";
    case FindingKind::nonfinite:
      return "mask with a select, not by multiplying with 0";
    default:
      return "";
  }
}

std::string_view complaint(FindingKind kind) {
  switch (kind) {
    case FindingKind::lost_gradient:
      return "lost their gradient";
    case FindingKind::off_support:
      return "are not 0 and must be";
    case FindingKind::unwritten:
      return "were never written";
    case FindingKind::nonfinite:
      return "are NaN or infinite where that is wrong, or the other way round";
    default:
      return "are wrong";
  }
}

std::string place_words(const Geometry& g, const FindingCell& cell, const std::string& tensor) {
  if (cell.row && cell.class_index) return fmt::format("{}, class {}", row_words(g, *cell.row), *cell.class_index);
  if (cell.row) return row_words(g, *cell.row);
  return tensor;
}

std::string difference_words(const FindingCell& cell) {
  std::string words = fmt::format("candidate {}, right {}", value_words(*cell.candidate), value_words(*cell.oracle));
  if (cell.reference) words += fmt::format(", ATen {}", value_words(*cell.reference));
  // Beyond that the values have nothing to do with each other, and the number says nothing.
  constexpr std::uint64_t kTellingUlps = 1'000'000;
  if (cell.ulps && *cell.ulps <= kTellingUlps) words += fmt::format(", {} ULP apart", *cell.ulps);
  return words;
}

bool is_poison(const TensorView& view, std::int64_t cell, std::uint8_t poison) {
  const int bytes = bytes_of(view.dtype);
  const std::byte* at = view.data + cell * bytes;
  return std::all_of(at, at + bytes, [poison](std::byte b) { return b == std::byte{poison}; });
}

}  // namespace

std::size_t ulp_bucket(std::uint64_t ulps) {
  if (ulps == 0) return 0;
  const auto bucket = static_cast<std::size_t>(1 + std::bit_width(ulps - 1));
  return std::min(bucket, kUlpBuckets - 1);
}

TensorJudge::TensorJudge(Subject subject, Limit limit) : subject_(std::move(subject)), limit_(std::move(limit)) {
  comparison_.pass = name_of(subject_.pass);
  comparison_.tensor = subject_.tensor;
  comparison_.limit = limit_.cannot_judge.empty() ? limit_.text : "not judged: " + limit_.cannot_judge;
}

TensorJudge::Judgement TensorJudge::compare(double value, double expected) const {
  Judgement j;
  if (limit_.alternative && value == *limit_.alternative) {
    j.ok = true;
    return j;
  }
  if (std::isnan(value) || std::isnan(expected)) {
    // Where no limit can be given, a quotient by something near 0 may be NaN as well as anything else.
    j.ok = (std::isnan(value) && std::isnan(expected)) || !limit_.cannot_judge.empty();
    j.nonfinite = !j.ok;
    return j;
  }
  j.ulps = ulp_distance(subject_.candidate.dtype, value, expected);
  if (!limit_.cannot_judge.empty()) {
    j.ok = true;
  } else if (limit_.interval) {
    j.ok = value >= limit_.interval->low && value <= limit_.interval->high;
  } else {
    j.ok = *j.ulps <= limit_.ulps;
  }
  j.nonfinite = !j.ok && std::isinf(value) != std::isinf(expected);
  return j;
}

/// Both runs left their own poison there: nobody wrote. One run alone could have written that very pattern.
bool TensorJudge::unwritten(std::int64_t cell) const {
  return subject_.other_run && is_poison(subject_.candidate, cell, subject_.poison) &&
         is_poison(*subject_.other_run, cell, subject_.other_poison);
}

FindingCell TensorJudge::describe(const CellPlace& place, double value, double expected, const Judgement& j) const {
  FindingCell cell;
  cell.cell = place.cell;
  cell.row = place.row;
  cell.class_index = place.class_index;
  cell.candidate = value;
  if (subject_.reference) cell.reference = subject_.reference->value(place.cell);
  cell.oracle = expected;
  cell.ulps = j.ulps;
  return cell;
}

void TensorJudge::note_ulps(const Judgement& j, const CellPlace& place, double value, double expected) {
  if (!j.ulps) return;
  ++comparison_.ulp_histogram[ulp_bucket(*j.ulps)];
  if (!std::isfinite(value) || !std::isfinite(expected)) return;
  if (comparison_.max_ulps && *j.ulps <= *comparison_.max_ulps) return;
  comparison_.max_ulps = *j.ulps;
  if (*j.ulps != 0) comparison_.worst = describe(place, value, expected, j);
}

void TensorJudge::judge(const CellPlace& place, double expected, FindingKind if_wrong) {
  const double value = subject_.candidate.value(place.cell);
  const Judgement j = compare(value, expected);
  ++comparison_.compared;
  note_ulps(j, place, value, expected);
  if (subject_.reference && !compare(subject_.reference->value(place.cell), expected).ok)
    ++comparison_.reference_mismatches;
  // A loss that may be anything must still have been written.
  const bool any_will_do = !limit_.cannot_judge.empty() && subject_.tensor == "output";
  const bool untouched = (!j.ok || any_will_do) && unwritten(place.cell);
  if (j.ok && !untouched) return;
  ++comparison_.mismatches;
  FindingKind kind = if_wrong;
  if (untouched)
    kind = FindingKind::unwritten;
  else if (j.nonfinite)
    kind = FindingKind::nonfinite;
  else if (if_wrong == FindingKind::wrong && subject_.tensor == "grad_input" && value == 0)
    kind = FindingKind::lost_gradient;
  Finding& finding = findings_[kind];
  ++finding.count;
  if (finding.cells.size() < kMaxFindingCells) finding.cells.push_back(describe(place, value, expected, j));
}

void TensorJudge::count_zeros(std::int64_t count) {
  if (count == 0) return;
  comparison_.compared += count;
  comparison_.ulp_histogram[0] += count;
  if (!comparison_.max_ulps) comparison_.max_ulps = 0;
}

std::vector<Finding> TensorJudge::findings(const Geometry& g, const std::string& run) const {
  std::vector<Finding> all;
  for (auto [kind, finding] : findings_) {
    finding.kind = kind;
    finding.detector = "value";
    finding.pass = name_of(subject_.pass);
    finding.tensor = subject_.tensor;
    finding.cure = cure_of(kind);
    const FindingCell& first = finding.cells.front();
    finding.message = fmt::format("{} of {} cells of {} {}{}, limit {}; first {}: {}", finding.count,
                                  comparison_.compared, subject_.tensor, complaint(kind), run, comparison_.limit,
                                  place_words(g, first, subject_.tensor), difference_words(first));
    all.push_back(std::move(finding));
  }
  return all;
}

}  // namespace nlldiff
