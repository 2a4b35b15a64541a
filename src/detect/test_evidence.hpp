// SPDX-License-Identifier: Apache-2.0
// Evidence for the detectors' tests: a case, its oracle, and runs whose tensors hold whatever the test puts there.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detect/alias.hpp"
#include "detect/detectors.hpp"

namespace nlldiff::detect_test {

inline Case make_case(std::vector<std::int64_t> shape, std::int64_t classes, std::int64_t ignore_index,
                      std::vector<std::int64_t> targets, Reduction reduction = Reduction::none) {
  Case c;
  c.name = "test";
  c.shape = std::move(shape);
  c.C = classes;
  c.ignore_index = ignore_index;
  c.reduction = reduction;
  c.target.layout = TargetLayout::explicit_;
  c.target.values = std::move(targets);
  return c;
}

/// The founding fault's own case: rows 0 and 3 are ignored, and cells 4 and 16 are rows 1's and 4's gradients.
inline Case founding_case(Reduction reduction = Reduction::none) {
  return make_case({6}, 4, 4, {4, 0, 1, 4, 0, 3}, reduction);
}

/// Every cell of a watched tensor stored `stores` times, in one launch.
inline TensorTrace uniform_trace(std::string tensor, std::int64_t cells, std::uint8_t stores) {
  TensorTrace trace;
  trace.tensor = std::move(tensor);
  trace.stores.low.assign(static_cast<std::size_t>(cells), stores);
  return trace;
}

inline Store store_at(std::int64_t cell, std::uint64_t block, std::uint32_t thread, std::uint64_t value_bits = 0,
                      std::uint32_t epoch = 0, bool atomic = false) {
  Store store;
  store.block = block;
  store.thread = thread;
  store.epoch = epoch;
  store.cell = cell;
  store.bytes = 4;
  store.atomic = atomic;
  store.value_bits = value_bits;
  return store;
}

/// Owns what an Evidence views. Starts with a candidate that is right everywhere, seen whole by its tracer, each cell
/// stored once; a test then spoils one thing.
class Bench {
 public:
  explicit Bench(Case made)
      : c_(std::move(made)),
        targets_(make_targets(c_)),
        inputs_(make_inputs(c_, targets_)),
        e{.c = c_, .geometry = geometry_of(c_), .inputs = inputs_, .targets = targets_} {
    if (c_.expect == Expect::match) {
      e.oracle_forward = oracle_forward(c_, inputs_, targets_);
      e.total_weight_given = round_to(c_.dtype, e.oracle_forward.total_weight);
      e.oracle_backward = oracle_backward(c_, inputs_, targets_, e.total_weight_given);
    }
    e.case_run = right_run("case", "forward", 0xff);
    e.case_again = right_run("case again", "reverse", 0x7b);
    e.log_stores = [this](RunId id, Pass, const std::string& tensor, const std::vector<std::int64_t>& cells) {
      return log_of(id, tensor, cells);
    };
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  /// Both twins, as right as the case.
  void add_twins() {
    const auto twin = [&](int half, const char* name) {
      CandidateRun run = right_run(name, "seeded", 0xff);
      run.targets = twin_targets(c_, targets_, half).value();
      return run;
    };
    e.twin_a = twin(0, "twin A");
    e.twin_b = twin(1, "twin B");
  }

  /// Puts a value into a cell of a run's tensor, rounded to its dtype.
  static void put(const TensorView& view, std::int64_t cell, double value) {
    store_float(view.dtype, writable(view) + cell * bytes_of(view.dtype), value);
  }
  static void poison(const TensorView& view, std::int64_t cell, std::uint8_t with) {
    std::fill_n(writable(view) + cell * bytes_of(view.dtype), bytes_of(view.dtype), std::byte{with});
  }
  static std::uint8_t& stores(CandidateRun& run, std::int64_t cell) {
    return run.backward.trace.tensors.at(0).stores.low.at(static_cast<std::size_t>(cell));
  }
  /// A reference that has what the candidate's run has now, in memory of its own.
  PassRun copy(const PassRun& run) {
    PassRun out = run;
    for (TensorView* view : {&out.output, &out.total_weight, &out.grad_input}) {
      if (view->data == nullptr) continue;
      const auto bytes = static_cast<std::size_t>(view->cells * bytes_of(view->dtype));
      auto& memory = memory_.emplace_back(bytes);
      std::copy_n(view->data, bytes, memory.begin());
      view->data = memory.data();
    }
    return out;
  }

 private:
  static std::byte* writable(const TensorView& view) { return const_cast<std::byte*>(view.data); }

  TensorView tensor(std::int64_t cells) {
    auto& memory = memory_.emplace_back(static_cast<std::size_t>(cells * bytes_of(c_.dtype)));
    return {c_.dtype, memory.data(), cells};
  }
  static CallTrace whole_trace() {
    CallTrace trace;
    trace.complete = true;
    trace.launches.push_back({.kind = LaunchKind::kernel, .kernel = "kernel_under_test", .grid = {1}, .block = {32}});
    return trace;
  }

  CandidateRun right_run(const char* name, const char* order, std::uint8_t poison) {
    CandidateRun run;
    run.name = name;
    run.order = order;
    run.poison = poison;
    run.targets = targets_;
    if (wants(c_, Pass::forward)) run.forward = right_forward();
    if (wants(c_, Pass::backward)) run.backward = right_backward();
    return run;
  }
  PassRun right_forward() {
    PassRun run;
    run.outcome.status = CallStatus::ok;
    run.output = tensor(static_cast<std::int64_t>(e.oracle_forward.output.size()));
    for (std::int64_t i = 0; i < run.output.cells; ++i)
      put(run.output, i, e.oracle_forward.output[static_cast<std::size_t>(i)]);
    run.total_weight = tensor(1);
    put(run.total_weight, 0, e.oracle_forward.total_weight);
    run.trace = whole_trace();
    run.trace.tensors = {uniform_trace("output", run.output.cells, 1), uniform_trace("total_weight", 1, 1)};
    return run;
  }
  PassRun right_backward() {
    PassRun run;
    run.outcome.status = CallStatus::ok;
    run.grad_input = tensor(e.geometry.cells());
    for (std::size_t r = 0; r < e.oracle_backward.gradient.size(); ++r)
      if (targets_[r] != c_.ignore_index)
        put(run.grad_input, e.geometry.cell(static_cast<std::int64_t>(r), targets_[r]), e.oracle_backward.gradient[r]);
    run.trace = whole_trace();
    run.trace.tensors = {uniform_trace("grad_input", e.geometry.cells(), 1)};
    return run;
  }

  CallTrace log_of(RunId id, const std::string& tensor, const std::vector<std::int64_t>& cells) {
    ++logged;
    CallTrace trace = whole_trace();
    trace.tensors.emplace_back().tensor = tensor;
    for (const Store& store : logs[static_cast<std::size_t>(id)])
      if (std::find(cells.begin(), cells.end(), store.cell) != cells.end()) trace.tensors[0].log.push_back(store);
    return trace;
  }

  Case c_;
  std::vector<std::int64_t> targets_;
  Inputs inputs_;
  std::deque<std::vector<std::byte>> memory_;

 public:
  Evidence e;
  std::array<std::vector<Store>, 4> logs;  ///< by RunId: what pass 2 logs
  int logged = 0;                          ///< how often pass 2 was asked for
};

/// "kind tensor count", a line a finding.
inline std::vector<std::string> summary(const Detection& detection) {
  std::vector<std::string> lines;
  for (const Finding& f : detection.findings)
    lines.push_back(std::string(name_of(f.kind)) + " " + f.tensor + " " + std::to_string(f.count));
  return lines;
}

}  // namespace nlldiff::detect_test
