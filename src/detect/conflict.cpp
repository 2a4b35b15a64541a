// SPDX-License-Identifier: Apache-2.0
// conflict: two threads store to one cell in one launch, and nothing orders them. It is a fault when the values differ
// or the threads are of different warps; one warp that stores one value is a note.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "detect/detectors.hpp"
#include "detect/words.hpp"

namespace nlldiff {
namespace {

constexpr std::size_t kMaxExplained = 64;
constexpr std::uint32_t kWarp = 32;

using Pair = std::pair<const Store*, const Store*>;

bool unordered(const Store& a, const Store& b) {
  if (a.launch != b.launch || (a.block == b.block && a.thread == b.thread)) return false;
  if (a.atomic && b.atomic) return false;
  return a.block != b.block || a.epoch == b.epoch;
}

bool harmful(const Store& a, const Store& b) {
  return a.value_bits != b.value_bits || a.block != b.block || a.thread / kWarp != b.thread / kWarp;
}

/// The first unordered pair at `cell`; a harmful one before a harmless one.
Pair find_pair(const std::vector<Store>& log, std::int64_t cell) {
  Pair harmless{nullptr, nullptr};
  const Store* previous = nullptr;
  for (const Store& store : log) {
    if (store.cell != cell) continue;
    if (previous && unordered(*previous, store)) {
      if (harmful(*previous, store)) return {previous, &store};
      harmless = {previous, &store};
    }
    previous = &store;
  }
  return harmless;
}

std::string pair_words(const Evidence& e, Pass pass, const std::string& tensor, const CallTrace& trace,
                       const Pair& pair) {
  const PassRun& run = e.case_run.of(pass);
  const Dtype dtype = tensor == "grad_input" ? run.grad_input.dtype : run.output.dtype;
  const auto words = [&](const Store& s) {
    return fmt::format("block {} thread {} {}stored {}", s.block, s.thread, s.atomic ? "atomically " : "",
                       value_words(value_of_bits(dtype, s.value_bits)));
  };
  const std::string place =
      tensor == "grad_input" ? cell_words(e.geometry, pair.first->cell) : fmt::format("cell {}", pair.first->cell);
  return fmt::format("kernel {}: {} and {} to {}, with nothing that orders them",
                     trace.launches.at(pair.first->launch).kernel, words(*pair.first), words(*pair.second), place);
}

void look_at(const Evidence& e, Pass pass, const TensorTrace& seen, Detection& detection) {
  if (seen.contested.empty()) return;
  auto cells = seen.contested;
  if (cells.size() > kMaxExplained) cells.resize(kMaxExplained);
  std::sort(cells.begin(), cells.end());
  const CallTrace trace = e.log_stores(RunId::case_run, pass, seen.tensor, cells);
  Finding finding;
  for (const std::int64_t cell : cells) {
    const Pair pair = find_pair(trace.tensors.at(0).log, cell);
    if (!pair.first) continue;
    if (!harmful(*pair.first, *pair.second)) {
      detection.note = "one warp stored one value to one cell: legal, but worth a look";
      continue;
    }
    ++finding.count;
    if (finding.cells.size() >= kMaxFindingCells) continue;
    FindingCell out;
    out.cell = cell;
    out.note = pair_words(e, pass, seen.tensor, trace, pair);
    finding.cells.push_back(std::move(out));
    if (finding.kernel.empty()) finding.kernel = trace.launches.at(pair.first->launch).kernel;
    if (finding.where.empty()) finding.where = pair.second->where;
  }
  if (finding.count == 0) return;
  finding.kind = FindingKind::conflict;
  finding.detector = "conflict";
  finding.pass = name_of(pass);
  finding.tensor = seen.tensor;
  if (seen.contested_total > static_cast<std::int64_t>(cells.size())) finding.count = seen.contested_total;
  finding.message = fmt::format("{} cell{} of {} got unordered stores of several threads in one launch", finding.count,
                                finding.count == 1 ? "" : "s", seen.tensor);
  finding.cure = "one owner a cell, an atomic, or a barrier between the stores";
  detection.findings.push_back(std::move(finding));
}

}  // namespace

Detection detect_conflict(const Evidence& e) {
  Detection detection;
  if (e.c.expect == Expect::reject) return detection;
  for (const Pass pass : {Pass::forward, Pass::backward}) {
    const PassRun& run = e.case_run.of(pass);
    if (!wants(e.c, pass) || run.outcome.status != CallStatus::ok) continue;
    if (!run.trace.complete) {
      detection.could_not_judge = run.trace.why_incomplete;
      continue;
    }
    for (const TensorTrace& tensor : run.trace.tensors) look_at(e, pass, tensor, detection);
  }
  return detection;
}

}  // namespace nlldiff
