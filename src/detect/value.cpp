// SPDX-License-Identifier: Apache-2.0
// value: every cell of every output against the oracle. Both runs of the case are judged (forward and reverse order,
// two poisons): a race that the right store happens to win in one order shows in the other.
#include <fmt/format.h>

#include <cstring>

#include "core/error.hpp"
#include "detect/detectors.hpp"
#include "detect/tensor_judge.hpp"

namespace nlldiff {
namespace {

constexpr std::int64_t kScanChunk = 256;

/// Calls `visit(cell)` for every cell that is not +0 or -0. Chunks of zeros are skipped by an or over their bits, which
/// the compiler vectorises: most cells of a gradient are 0.
template <class Bits, class Visit>
void for_each_nonzero_bits(const std::byte* data, std::int64_t cells, const Visit& visit) {
  constexpr Bits kNoSign = static_cast<Bits>(~Bits{0}) >> 1;
  std::array<Bits, kScanChunk> chunk;
  for (std::int64_t begin = 0; begin < cells; begin += kScanChunk) {
    const std::int64_t count = std::min(kScanChunk, cells - begin);
    std::memcpy(chunk.data(), data + begin * static_cast<std::int64_t>(sizeof(Bits)),
                static_cast<std::size_t>(count) * sizeof(Bits));
    Bits any = 0;
    for (std::int64_t i = 0; i < count; ++i) any = static_cast<Bits>(any | chunk[static_cast<std::size_t>(i)]);
    if ((any & kNoSign) == 0) continue;
    for (std::int64_t i = 0; i < count; ++i)
      if ((chunk[static_cast<std::size_t>(i)] & kNoSign) != 0) visit(begin + i);
  }
}

template <class Visit>
void for_each_nonzero(const TensorView& view, const Visit& visit) {
  switch (bytes_of(view.dtype)) {
    case 2:
      return for_each_nonzero_bits<std::uint16_t>(view.data, view.cells, visit);
    case 4:
      return for_each_nonzero_bits<std::uint32_t>(view.data, view.cells, visit);
    default:
      return for_each_nonzero_bits<std::uint64_t>(view.data, view.cells, visit);
  }
}

CellPlace place_of(const Geometry& g, std::int64_t cell) { return {cell, g.row_of(cell), g.class_of(cell)}; }

void judge_gradient(const Evidence& e, const TensorView& candidate, const std::optional<TensorView>& reference,
                    const std::vector<double>& gradient, TensorJudge& judge) {
  std::int64_t judged = 0;
  for (std::int64_t row = 0; row < e.geometry.rows(); ++row) {
    if (!takes_part(e, row)) continue;
    const std::int64_t cell = e.geometry.cell(row, e.targets[static_cast<std::size_t>(row)]);
    judge.judge(place_of(e.geometry, cell), round_to(candidate.dtype, gradient[static_cast<std::size_t>(row)]),
                FindingKind::wrong);
    ++judged;
  }
  for_each_nonzero(candidate, [&](std::int64_t cell) {
    if (in_support(e, cell)) return;
    judge.judge(place_of(e.geometry, cell), 0, FindingKind::off_support);
    ++judged;
  });
  judge.count_zeros(candidate.cells - judged);
  if (!reference) return;
  for_each_nonzero(*reference, [&](std::int64_t cell) {
    if (!in_support(e, cell)) judge.count_reference_mismatch();
  });
}

void judge_output(const Evidence& e, const TensorView& candidate, TensorJudge& judge) {
  for (std::int64_t i = 0; i < candidate.cells; ++i) {
    CellPlace place{i, std::nullopt, std::nullopt};
    if (e.c.reduction == Reduction::none) place.row = i;
    judge.judge(place, round_to(candidate.dtype, e.oracle_forward.output.at(static_cast<std::size_t>(i))),
                FindingKind::wrong);
  }
}

/// The parts that every tensor of a run is compared with.
struct Sides {
  const CandidateRun& run;
  const CandidateRun& other;
  std::string label;  ///< how findings name the run; empty for the first
};

TensorJudge::Subject subject_of(const Sides& sides, Pass pass, std::string tensor, TensorView PassRun::*view,
                                const std::optional<PassRun>& reference) {
  TensorJudge::Subject subject;
  subject.pass = pass;
  subject.tensor = std::move(tensor);
  subject.candidate = sides.run.of(pass).*view;
  if (reference) subject.reference = (*reference).*view;
  if (sides.other.of(pass).outcome.status == CallStatus::ok) subject.other_run = sides.other.of(pass).*view;
  subject.poison = sides.run.poison;
  subject.other_poison = sides.other.poison;
  return subject;
}

/// One comparison a tensor: of the runs that were judged, the one with more mismatches.
void keep_worse(const TensorComparison& comparison, std::vector<TensorComparison>& kept) {
  const auto known = std::find_if(kept.begin(), kept.end(), [&](const TensorComparison& k) {
    return k.pass == comparison.pass && k.tensor == comparison.tensor;
  });
  if (known == kept.end())
    kept.push_back(comparison);
  else if (comparison.mismatches > known->mismatches)
    *known = comparison;
}

void finish(const Evidence& e, const Sides& sides, const TensorJudge& judge, std::int64_t cells, Detection& detection) {
  // Every cell counts: a comparison that stops early would be green for what it never looked at.
  if (judge.comparison().compared != cells)
    fail_internal("compared {} of {} cells of {}", judge.comparison().compared, cells, judge.comparison().tensor);
  keep_worse(judge.comparison(), detection.comparisons);
  for (auto& finding : judge.findings(e.geometry, sides.label)) {
    const bool known = std::any_of(detection.findings.begin(), detection.findings.end(), [&](const Finding& f) {
      return f.kind == finding.kind && f.pass == finding.pass && f.tensor == finding.tensor;
    });
    if (!known) detection.findings.push_back(std::move(finding));
  }
}

void judge_forward(const Evidence& e, const Sides& sides, Detection& detection) {
  if (sides.run.forward.outcome.status != CallStatus::ok) return;
  const Limit limit = e.c.reduction == Reduction::none ? row_loss_limit(e.c) : loss_limit(e);
  if (!limit.cannot_judge.empty()) detection.note = limit.cannot_judge;
  TensorJudge output(subject_of(sides, Pass::forward, "output", &PassRun::output, e.reference_forward), limit);
  judge_output(e, sides.run.forward.output, output);
  finish(e, sides, output, sides.run.forward.output.cells, detection);

  TensorJudge weight(subject_of(sides, Pass::forward, "total_weight", &PassRun::total_weight, e.reference_forward),
                     total_weight_limit(e));
  weight.judge({}, round_to(sides.run.forward.total_weight.dtype, e.oracle_forward.total_weight), FindingKind::wrong);
  finish(e, sides, weight, 1, detection);
}

void judge_backward(const Evidence& e, const Sides& sides, Detection& detection) {
  if (sides.run.backward.outcome.status != CallStatus::ok) return;
  TensorJudge judge(subject_of(sides, Pass::backward, "grad_input", &PassRun::grad_input, e.reference_backward),
                    gradient_limit(e.c));
  judge_gradient(e, sides.run.backward.grad_input,
                 e.reference_backward ? std::optional(e.reference_backward->grad_input) : std::nullopt,
                 e.oracle_backward.gradient, judge);
  finish(e, sides, judge, sides.run.backward.grad_input.cells, detection);
}

void judge_own_total_weight(const Evidence& e, Detection& detection) {
  if (!e.own_total_weight || e.own_total_weight->outcome.status != CallStatus::ok) return;
  const auto oracle = oracle_backward(e.c, e.inputs, e.targets, e.own_total_weight_value);
  TensorJudge::Subject subject;
  subject.pass = Pass::backward;
  subject.tensor = "grad_input";
  subject.candidate = e.own_total_weight->grad_input;
  TensorJudge judge(std::move(subject), gradient_limit(e.c));
  judge_gradient(e, e.own_total_weight->grad_input, std::nullopt, oracle.gradient, judge);
  const Sides sides{e.case_run, e.case_again,
                    fmt::format(" (fed with its own total_weight {})", e.own_total_weight_value)};
  finish(e, sides, judge, e.own_total_weight->grad_input.cells, detection);
}

void note_wrong_reference(Detection& detection) {
  for (const auto& comparison : detection.comparisons)
    if (comparison.reference_mismatches != 0)
      detection.note +=
          fmt::format("{}the reference (ATen) itself is outside the limit in {} cells of {}",
                      detection.note.empty() ? "" : "; ", comparison.reference_mismatches, comparison.tensor);
}

}  // namespace

Detection detect_value(const Evidence& e) {
  Detection detection;
  if (e.c.expect == Expect::reject) return detection;
  const Sides first{e.case_run, e.case_again, ""};
  const Sides second{e.case_again, e.case_run, " (only when blocks and threads run in reverse order)"};
  for (const Sides& sides : {first, second}) {
    if (wants(e.c, Pass::forward)) judge_forward(e, sides, detection);
    if (wants(e.c, Pass::backward)) judge_backward(e, sides, detection);
  }
  judge_own_total_weight(e, detection);
  note_wrong_reference(detection);
  return detection;
}

}  // namespace nlldiff
