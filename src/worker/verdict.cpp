// SPDX-License-Identifier: Apache-2.0
#include "worker/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace nlldiff {
namespace {

std::vector<Pass> wanted_passes(const Case& c) {
  std::vector<Pass> passes;
  for (const Pass pass : {Pass::forward, Pass::backward})
    if (wants(c, pass)) passes.push_back(pass);
  return passes;
}

/// The passes that the candidate says it does not do.
std::vector<Pass> unsupported_passes(const Evidence& e) {
  std::vector<Pass> passes = wanted_passes(e.c);
  std::erase_if(passes, [&](Pass pass) { return e.case_run.of(pass).outcome.status != CallStatus::unsupported; });
  return passes;
}

/// What became of a pass that was never called: an earlier call broke the device.
std::string uncalled_pass(const Evidence& e) {
  for (const Pass pass : wanted_passes(e.c))
    for (const CandidateRun* run : {&e.case_run, &e.case_again})
      if (run->of(pass).outcome.status == CallStatus::not_called)
        return fmt::format("{} of {}: {}", name_of(pass), run->name, run->of(pass).outcome.error);
  return "";
}

/// A trace that should have been whole and was not, in any run.
std::string broken_trace(const Evidence& e) {
  std::vector<const CandidateRun*> runs{&e.case_run, &e.case_again};
  if (e.twin_a) runs.push_back(&*e.twin_a);
  if (e.twin_b) runs.push_back(&*e.twin_b);
  for (const CandidateRun* run : runs)
    for (const Pass pass : wanted_passes(e.c)) {
      const PassRun& p = run->of(pass);
      if (p.outcome.status == CallStatus::ok && !p.trace.complete)
        return fmt::format("{} of {}: {}", name_of(pass), run->name, p.trace.why_incomplete);
    }
  return "";
}

void decide(CaseResult& result, Verdict verdict, std::string reason) {
  result.verdict = verdict;
  result.reason = std::move(reason);
}

/// Takes the looks apart; returns the first reason why something was not judged, and why runs contradict each other.
struct Doubts {
  std::string not_judged, contradiction;
};
Doubts take(std::vector<Look>& looks, CaseResult& result) {
  Doubts doubts;
  for (auto& [name, d] : looks) {
    DetectorStatus status;
    status.detector = name;
    status.note = d.note;
    if (const auto& why = d.inconclusive ? d.inconclusive : d.could_not_judge) {
      status.judged = false;
      status.why_not = *why;
      std::string& doubt = d.inconclusive ? doubts.contradiction : doubts.not_judged;
      if (doubt.empty()) doubt = fmt::format("{} could not judge: {}", name, *why);
    }
    result.detectors.push_back(std::move(status));
    std::move(d.findings.begin(), d.findings.end(), std::back_inserter(result.findings));
    std::move(d.comparisons.begin(), d.comparisons.end(), std::back_inserter(result.comparisons));
  }
  return doubts;
}

}  // namespace

void give_verdict(const Evidence& e, std::vector<Look> looks, bool tracer_sees, CaseResult& result) {
  const Doubts doubts = take(looks, result);
  if (!result.findings.empty()) return decide(result, Verdict::fail, result.findings.front().message);
  if (!doubts.contradiction.empty()) return decide(result, Verdict::inconclusive, doubts.contradiction);
  const auto unsupported = unsupported_passes(e);
  if (!unsupported.empty()) {
    const std::string reason =
        fmt::format("{}: {}", name_of(unsupported.front()), e.case_run.of(unsupported.front()).outcome.error);
    const bool all = unsupported.size() == wanted_passes(e.c).size();
    return decide(result, all ? Verdict::unsupported : Verdict::limited, reason);
  }
  if (tracer_sees)
    if (const std::string why = broken_trace(e); !why.empty()) return decide(result, Verdict::inconclusive, why);
  if (const std::string why = uncalled_pass(e); !why.empty()) return decide(result, Verdict::limited, why);
  if (!doubts.not_judged.empty()) return decide(result, Verdict::limited, doubts.not_judged);
}

}  // namespace nlldiff
