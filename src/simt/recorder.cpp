// SPDX-License-Identifier: Apache-2.0
#include "simt/recorder.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "core/error.hpp"
#include "simt/here.hpp"
#include "simt/source_lines.hpp"

namespace nlldiff::simt {

namespace {

unsigned shift_of(const Watch& watch) {
  if (!std::has_single_bit(watch.cell_bytes) || watch.cell_bytes > 8)
    fail_internal("watched tensor {}: cells of {} bytes; 1, 2, 4 or 8 are possible", watch.tensor, watch.cell_bytes);
  return static_cast<unsigned>(std::countr_zero(watch.cell_bytes));
}

constexpr std::size_t kHugePage = std::size_t{2} << 20;

}  // namespace

ZeroedMemory::ZeroedMemory(std::size_t bytes) : bytes_((bytes + kHugePage - 1) / kHugePage * kHugePage), at_(nullptr) {
  if (bytes < 2 * kHugePage) {
    bytes_ = 0;
    at_ = std::calloc(std::max<std::size_t>(bytes, 1), 1);
  } else {
    void* mapped = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped != MAP_FAILED) at_ = mapped;
    if (at_ != nullptr) ::madvise(at_, bytes_, MADV_HUGEPAGE);
  }
  if (at_ == nullptr) fail_internal("no memory to trace with: {} bytes", bytes);
}

ZeroedMemory::~ZeroedMemory() {
  if (bytes_ == 0)
    std::free(at_);
  else
    ::munmap(at_, bytes_);
}

WatchedTensor::WatchedTensor(const Watch& watch)
    : base_(watch.base),
      bytes_(static_cast<std::size_t>(watch.cells) * watch.cell_bytes),
      cell_shift_(shift_of(watch)),
      memory_(static_cast<std::size_t>(watch.cells) * sizeof(Stamp)),
      last_(static_cast<Stamp*>(memory_.get())) {
  trace_.tensor = watch.tensor;
  trace_.stores.low.assign(static_cast<std::size_t>(watch.cells), 0);
  low_ = trace_.stores.low.data();
  if (watch.log.empty()) return;
  logged_.assign(static_cast<std::size_t>(watch.cells), false);
  for (const std::int64_t cell : watch.log) logged_.at(static_cast<std::size_t>(cell)) = true;
}

void WatchedTensor::count_overflow(std::size_t cell) { ++trace_.stores.overflow[static_cast<std::int64_t>(cell)]; }

void WatchedTensor::store_cells(const Access& access, Stamp stamp, std::uint64_t first_run, std::uint32_t launch) {
  const std::uintptr_t begin = std::max(access.at, base_), end = std::min(access.at + access.bytes, base_ + bytes_);
  if (begin >= end) return;
  const std::size_t last = (end - 1 - base_) >> cell_shift_;
  for (std::size_t cell = (begin - base_) >> cell_shift_; cell <= last; ++cell)
    store_cell(static_cast<std::int64_t>(cell), access, stamp, first_run, launch);
}

Stamp WatchedTensor::successor(Stamp last, Stamp now, std::uint64_t first_run, std::int64_t cell) {
  if (last == 0 || run_of(last) < first_run) return now | (last & kContested);
  if ((last & kContested) != 0 || !unordered(last, now)) return remember(last, now);
  contest(cell);
  return remember(last, now) | kContested;
}

void WatchedTensor::contest(std::int64_t cell) {
  ++trace_.contested_total;
  if (trace_.contested.size() < kMaxContested) trace_.contested.push_back(cell);
}

void WatchedTensor::log(std::int64_t cell, const Access& access, std::uint32_t launch) {
  if (!logged_[static_cast<std::size_t>(cell)]) return;
  const auto [pending, is_new] = pending_.try_emplace(cell, trace_.log.size());
  if (!is_new) {
    trace_.log[pending->second].value_bits = value_bits(cell);
    pending->second = trace_.log.size();
  }
  const Stamp stamp = t_hook.stamp;
  trace_.log.push_back({.launch = launch,
                        .block = t_position.block,
                        .thread = thread_of(stamp),
                        .epoch = barriers_of(stamp),
                        .cell = cell,
                        .bytes = static_cast<std::uint32_t>(std::min<std::size_t>(access.bytes, UINT32_MAX)),
                        .atomic = access.atomic,
                        .value_bits = 0,
                        .where = {}});
  pcs_.push_back(access.pc);
}

void WatchedTensor::settle_values() {
  for (const auto& [cell, entry] : pending_) trace_.log[entry].value_bits = value_bits(cell);
  pending_.clear();
}

std::uint64_t WatchedTensor::value_bits(std::int64_t cell) const {
  const std::size_t cell_bytes = std::size_t{1} << cell_shift_;
  std::uint64_t bits = 0;
  // An address that the hooks saw as a number becomes a pointer again here.
  std::memcpy(&bits, reinterpret_cast<const void*>(base_ + static_cast<std::size_t>(cell) * cell_bytes), cell_bytes);
  return bits;
}

TensorTrace WatchedTensor::take() {
  settle_values();
  const std::vector<std::string> lines = source_lines(pcs_);
  for (std::size_t i = 0; i < lines.size(); ++i) trace_.log[i].where = lines[i];
  std::sort(trace_.contested.begin(), trace_.contested.end());
  low_ = nullptr;
  return std::move(trace_);
}

Recorder::Recorder(const std::vector<Watch>& watches) {
  for (const Watch& watch : watches) tensors_.push_back(std::make_unique<WatchedTensor>(watch));
}

Stamp Recorder::current_stamp() { return t_hook.stamp; }

void Recorder::store_slowly(const Access& access) {
  bool watched = false;
  for (const auto& tensor : tensors_) {
    if (!tensor->overlaps(access.at, access.bytes)) continue;
    watched = true;
    if (!section_open_) open_host_section();
    nearest_ = tensor.get();
    tensor->store(access, t_hook.stamp, first_run_, launch_index_);
  }
  if (access.atomic && !watched) atomic_elsewhere();
}

void Recorder::store_range(const Access& access) {
  if (access.bytes != 0) store_slowly(access);
}

void Recorder::open_host_section() {
  begin_launch({.kind = LaunchKind::kernel, .kernel = "(host code)"});
  t_position.block = 0;
  t_hook.stamp = make_stamp(begin_run(), 0, 0, 0);
}

void Recorder::begin_launch(Launch launch) {
  for (const auto& tensor : tensors_) tensor->settle_values();
  launch_index_ = static_cast<std::uint32_t>(launches_.size());
  launches_.push_back(std::move(launch));
  first_run_ = runs_ + 1;
  section_open_ = true;
}

void Recorder::end_launch() {
  for (const auto& tensor : tensors_) tensor->settle_values();
  section_open_ = false;
}

std::uint64_t Recorder::begin_run() {
  if (runs_ < kMaxRuns) ++runs_;
  return runs_;
}

std::vector<TensorTrace> Recorder::take_tensors() {
  std::vector<TensorTrace> traces;
  for (const auto& tensor : tensors_) traces.push_back(tensor->take());
  tensors_.clear();
  nearest_ = nullptr;
  return traces;
}

}  // namespace nlldiff::simt
