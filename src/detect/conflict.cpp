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

constexpr std::size_t kBatch = 64;
constexpr std::uint32_t kWarp = 32;

using Pair = std::pair<const Store*, const Store*>;

bool unordered(const Store& a, const Store& b) {
  if (a.launch != b.launch || (a.block == b.block && a.thread == b.thread)) return false;
  if (a.atomic && b.atomic) return false;
  return a.block != b.block || a.epoch == b.epoch;
}

/// Blocks that do atomics on a counter or a lock may have waited for each other (the last one done, a ticket): whether
/// that orders these two stores the trace cannot say, and without a proof there is no finding.
bool harmful(const std::vector<Launch>& launches, const Store& a, const Store& b) {
  if (a.block != b.block && launches.at(a.launch).orders_blocks) return false;
  return a.value_bits != b.value_bits || a.block != b.block || a.thread / kWarp != b.thread / kWarp;
}

/// The last two stores of one kind by different threads: whatever came before them was compared with them.
struct LastTwo {
  const Store* newest = nullptr;
  const Store* other = nullptr;  ///< by another thread than `newest`
  void add(const Store& store) {
    if (newest && (newest->block != store.block || newest->thread != store.thread)) other = newest;
    newest = &store;
  }
};

/// The first unordered pair at `cell`; a harmful one before a harmless one. Plain stores and atomics are remembered
/// apart: an atomic between two plain stores orders neither.
Pair find_pair(const std::vector<Launch>& launches, const std::vector<Store>& log, std::int64_t cell) {
  Pair harmless{nullptr, nullptr};
  LastTwo plain, atomic;
  for (const Store& store : log) {
    if (store.cell != cell) continue;
    for (const Store* earlier : {plain.newest, plain.other, atomic.newest, atomic.other}) {
      if (!earlier || !unordered(*earlier, store)) continue;
      if (harmful(launches, *earlier, store)) return {earlier, &store};
      harmless = {earlier, &store};
    }
    (store.atomic ? atomic : plain).add(store);
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

FindingCell cell_of(const Evidence& e, Pass pass, const TensorTrace& seen, const CallTrace& trace, const Pair& pair) {
  FindingCell cell;
  cell.cell = pair.first->cell;
  if (seen.tensor == "grad_input") {
    cell.row = e.geometry.row_of(cell.cell);
    cell.class_index = e.geometry.class_of(cell.cell);
  } else if (seen.tensor == "output" && e.c.reduction == Reduction::none) {
    cell.row = cell.cell;
  }
  cell.note = pair_words(e, pass, seen.tensor, trace, pair);
  return cell;
}

/// Explains these cells; returns how many of them are harmless.
std::int64_t explain(const Evidence& e, Pass pass, const TensorTrace& seen, std::vector<std::int64_t> cells,
                     Finding& finding) {
  const CallTrace trace = e.log_stores(RunId::case_run, pass, seen.tensor, cells);
  std::int64_t harmless = 0;
  for (const std::int64_t cell : cells) {
    const Pair pair = find_pair(trace.launches, trace.of(seen.tensor).log, cell);
    if (!pair.first || !harmful(trace.launches, *pair.first, *pair.second)) {
      ++harmless;
      continue;
    }
    ++finding.count;
    if (finding.cells.size() >= kMaxFindingCells) continue;
    finding.cells.push_back(cell_of(e, pass, seen, trace, pair));
    if (finding.kernel.empty()) finding.kernel = trace.launches.at(pair.first->launch).kernel;
    if (finding.where.empty()) finding.where = pair.second->where;
  }
  return harmless;
}

/// Logs a batch of contested cells at a time, until one has a harmful pair: what one warp does to hundreds of cells
/// must not hide what two warps do to one.
void look_at(const Evidence& e, Pass pass, const TensorTrace& seen, Detection& detection) {
  auto cells = seen.contested;
  std::sort(cells.begin(), cells.end());
  Finding finding;
  std::int64_t harmless = 0;
  std::size_t looked_at = 0;
  while (looked_at < cells.size() && finding.count == 0) {
    const auto begin = cells.begin() + static_cast<std::ptrdiff_t>(looked_at);
    const std::size_t batch = std::min(kBatch, cells.size() - looked_at);
    harmless += explain(e, pass, seen, {begin, begin + static_cast<std::ptrdiff_t>(batch)}, finding);
    looked_at += batch;
  }
  if (harmless != 0)
    detection.note =
        "contested cells that may be legal: one warp stored one value, or the blocks do atomics that may order them";
  if (finding.count == 0) return;
  finding.kind = FindingKind::conflict;
  finding.detector = "conflict";
  finding.pass = name_of(pass);
  finding.tensor = seen.tensor;
  finding.count =
      seen.contested_total - harmless;  // the cells that nobody logged are taken for what the logged ones are
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
