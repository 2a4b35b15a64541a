// SPDX-License-Identifier: Apache-2.0
#include "worker/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "detect/alias.hpp"
#include "detect/detectors.hpp"
#include "worker/crash.hpp"
#include "worker/pass_runner.hpp"
#include "worker/verdict.hpp"

namespace nlldiff {
namespace {

// Two poisons: all ones is NaN in every floating dtype; 0x7b repeated is large and finite in every one. What a kernel
// leaves as it was differs between two runs, whatever the right value is.
constexpr std::uint8_t kPoisonOne = 0xff, kPoisonTwo = 0x7b;

class Stopwatch {
 public:
  explicit Stopwatch(double& milliseconds) : total_(milliseconds), start_(Clock::now()) {}
  ~Stopwatch() { total_ += std::chrono::duration<double, std::milli>(Clock::now() - start_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double& total_;
  Clock::time_point start_;
};

/// How the four runs differ.
struct RunPlan {
  RunId id;
  const char* name;
  RunOrder order;
  const char* order_name;
  std::uint8_t poison;
};
constexpr std::array kPlans{
    RunPlan{RunId::case_run, "case", RunOrder::forward, "forward", kPoisonOne},
    RunPlan{RunId::case_again, "case again", RunOrder::reverse, "reverse", kPoisonTwo},
    RunPlan{RunId::twin_a, "twin A", RunOrder::seeded, "seeded", kPoisonOne},
    RunPlan{RunId::twin_b, "twin B", RunOrder::seeded, "seeded", kPoisonTwo},
};

const RunPlan& plan_of(RunId id) { return kPlans[static_cast<std::size_t>(id)]; }

/// Everything that lives as long as one job.
class Job {
 public:
  Job(const JobRequest& request, const Bench& bench, CaseResult& result)
      : c_(request.c),
        bench_(bench),
        tracer_(request.trace == "off" ? bench.untraced : bench.tracer),
        result_(result),
        runner_(bench.device, bench.candidate, &tracer_),
        reference_runner_(bench.device, bench.reference, nullptr),
        targets_(make_targets(c_)),
        inputs_(make_inputs(c_, targets_)) {
    set_crash_geometry(geometry_of(c_), bytes_of(c_.dtype));
  }

  void run(std::int64_t repetition) {
    repetition_ = static_cast<std::uint64_t>(repetition);
    bench_.device.reset();
    Evidence e{.c = c_, .geometry = geometry_of(c_), .inputs = inputs_, .targets = targets_};
    if (c_.expect == Expect::match) {
      run_oracle(e);
      run_reference(e);
    } else {
      e.total_weight_given = 1;  // any number will do: the candidate must refuse before it divides
    }
    run_candidate(e);
    e.log_stores = [this](RunId id, Pass pass, const std::string& tensor, std::vector<std::int64_t> cells) {
      return log_stores(id, pass, tensor, std::move(cells));
    };
    look(e);
  }

 private:
  void run_oracle(Evidence& e) {
    Stopwatch watch(result_.times_ms["oracle"]);
    e.oracle_forward = oracle_forward(c_, inputs_, targets_);
  }

  void run_reference(Evidence& e) {
    Stopwatch watch(result_.times_ms["reference"]);
    const double right = round_to(c_.dtype, e.oracle_forward.total_weight);
    e.total_weight_given = right;
    const HostTensor target = reference_target();
    const RunSetup setup{.poison = kPoisonOne, .target = &target};
    const PassInputs given{&c_, &inputs_, 0};
    PassRun forward = reference_runner_.run(Pass::forward, given, setup);
    // A reference that sums badly (ATen's half types on the host do) must not feed the candidate garbage.
    if (forward.outcome.status == CallStatus::ok && near(forward.total_weight.value(0), right))
      e.total_weight_given = forward.total_weight.value(0);
    const PassInputs backward_given{&c_, &inputs_, e.total_weight_given};
    PassRun backward = reference_runner_.run(Pass::backward, backward_given, setup);
    keep_reference(e, std::move(forward), std::move(backward));
    e.oracle_backward = oracle_backward(c_, inputs_, targets_, e.total_weight_given);
  }

  /// Within a percent: the candidate's denominators are then realistic.
  static bool near(double value, double right) {
    return value == right || std::fabs(value - right) <= 0.01 * std::fabs(right);
  }

  void keep_reference(Evidence& e, PassRun forward, PassRun backward) {
    const auto keep = [&](PassRun run, std::optional<PassRun>& to, Pass pass) {
      run.inputs.clear();  // nobody asks whether ATen changed them, and the widened target is gone by then
      if (run.outcome.status == CallStatus::ok)
        to = std::move(run);
      else
        result_.notes.push_back(fmt::format("the reference did not do {}: {}", name_of(pass), run.outcome.error));
    };
    keep(std::move(forward), e.reference_forward, Pass::forward);
    keep(std::move(backward), e.reference_backward, Pass::backward);
  }

  /// ATen takes no int32 targets: the reference gets the same numbers as int64.
  HostTensor reference_target() {
    if (c_.target.dtype != Dtype::int32) return inputs_.target;
    if (repetition_ == 0) result_.notes.push_back("int32 targets reached the reference as int64");
    Case widened = c_;
    widened.target.dtype = Dtype::int64;
    return lay_out_target(widened, targets_);
  }

  void run_candidate(Evidence& e) {
    Stopwatch watch(result_.times_ms["candidate"]);
    e.case_run = run_one(RunId::case_run, e.total_weight_given, targets_);
    e.case_again = run_one(RunId::case_again, e.total_weight_given, targets_);
    run_own_total_weight(e);
    if (c_.expect == Expect::reject || std::find(targets_.begin(), targets_.end(), c_.ignore_index) == targets_.end())
      return;
    if (!tracer_.sees()) {
      e.why_no_twin = e.case_run.of(wants(c_, Pass::backward) ? Pass::backward : Pass::forward).trace.why_incomplete;
      return;
    }
    const auto twin_a = twin_targets(c_, targets_, 0), twin_b = twin_targets(c_, targets_, 1);
    if (!twin_a || !twin_b) {
      e.why_no_twin = "C = 1 and ignore_index = 0: no twin can be made, since no class is valid";
      return;
    }
    e.twin_a = run_one(RunId::twin_a, e.total_weight_given, *twin_a);
    e.twin_b = run_one(RunId::twin_b, e.total_weight_given, *twin_b);
  }

  RunSetup setup_of(RunId id) const {
    const RunPlan& plan = plan_of(id);
    const auto& target = twin_layouts_[static_cast<std::size_t>(id)];
    return {
        .order = plan.order,
        .seed = hash_index(c_.rng_seed, 0x6f72646572 /* "order" */, repetition_ * 4 + static_cast<std::uint64_t>(id)),
        .poison = plan.poison,
        .target = target ? &*target : &inputs_.target};
  }

  CandidateRun run_one(RunId id, double total_weight, const std::vector<std::int64_t>& targets) {
    CandidateRun run;
    run.name = plan_of(id).name;
    run.order = plan_of(id).order_name;
    run.poison = plan_of(id).poison;
    run.targets = targets;
    if (id == RunId::twin_a || id == RunId::twin_b)
      twin_layouts_[static_cast<std::size_t>(id)] = lay_out_target(c_, targets);
    total_weight_ = total_weight;
    const PassInputs given{&c_, &inputs_, total_weight};
    if (wants(c_, Pass::forward)) run.forward = runner_.run(Pass::forward, given, setup_of(id));
    if (wants(c_, Pass::backward)) run.backward = runner_.run(Pass::backward, given, setup_of(id));
    return run;
  }

  /// The candidate's own forward feeds its own backward: only mean divides by it, and equal bits teach nothing new.
  void run_own_total_weight(Evidence& e) {
    const PassRun& forward = e.case_run.forward;
    if (c_.reduction != Reduction::mean || !wants(c_, Pass::backward) || c_.expect == Expect::reject) return;
    if (forward.outcome.status != CallStatus::ok || e.case_run.backward.outcome.status != CallStatus::ok) return;
    const double own = forward.total_weight.value(0);
    if (own == e.total_weight_given || (std::isnan(own) && std::isnan(e.total_weight_given))) return;
    const PassInputs given{&c_, &inputs_, own};
    e.own_total_weight = runner_.run(Pass::backward, given, setup_of(RunId::case_run));
    e.own_total_weight_value = own;
  }

  CallTrace log_stores(RunId id, Pass pass, const std::string& tensor, std::vector<std::int64_t> cells) {
    std::sort(cells.begin(), cells.end());
    const PassInputs given{&c_, &inputs_, total_weight_};
    // Same order in case and twin: the surplus is then what the twin's targets took away, not what the schedule moved.
    RunSetup setup = setup_of(id);
    setup.order = RunOrder::forward;
    return runner_.run(pass, given, setup, LogRequest{tensor, std::move(cells)}).trace;
  }

  void look(const Evidence& e) {
    Stopwatch watch(result_.times_ms["detectors"]);
    std::vector<Look> looks;
    for (const Detector& detector : detectors()) looks.push_back({detector.name, detector.look(e)});
    give_verdict(e, std::move(looks), tracer_.sees(), result_);
    const VisibilityCounts counts = count_visibility(c_, targets_);
    result_.rows = e.geometry.rows();
    result_.ignored_rows = counts.ignored;
    for (const auto& kind : kNames<Visibility>)
      if (const auto rows = counts.by_kind[static_cast<std::size_t>(kind.value)])
        result_.visibility[std::string(kind.name)] = rows;
  }

  const Case& c_;
  const Bench& bench_;
  Tracer& tracer_;
  CaseResult& result_;
  PassRunner runner_, reference_runner_;
  std::vector<std::int64_t> targets_;
  Inputs inputs_;
  std::array<std::optional<HostTensor>, 4> twin_layouts_;  ///< the twins' target tensors, by RunId
  double total_weight_ = 0;
  std::uint64_t repetition_ = 0;
};

CaseResult run_once(const JobRequest& job, const Bench& bench, std::int64_t repetition) {
  CaseResult result;
  result.c = job.c;
  result.device = bench.device.name();
  result.execution = bench.candidate.execution();
  Job(job, bench, result).run(repetition);
  return result;
}

}  // namespace

CaseResult run_job(const JobRequest& job, const Bench& bench) {
  CaseResult first = run_once(job, bench, 0);
  for (std::int64_t i = 1; i < job.c.repeat && first.verdict != Verdict::fail; ++i) {
    CaseResult again = run_once(job, bench, i);
    if (again.verdict > first.verdict) {
      again.notes.push_back(fmt::format("repetition {} of {} was the first to show this", i + 1, job.c.repeat));
      first = std::move(again);
    }
  }
  return first;
}

}  // namespace nlldiff
