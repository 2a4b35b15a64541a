// SPDX-License-Identifier: Apache-2.0
// error: raises where it must not, or not where it must.
#include <fmt/format.h>

#include "detect/detectors.hpp"

namespace nlldiff {
namespace {

Finding raised(const Evidence& e, Pass pass, const CandidateRun& run) {
  const CallOutcome& outcome = run.of(pass).outcome;
  Finding finding;
  finding.kind = FindingKind::raised;
  finding.detector = "error";
  finding.pass = name_of(pass);
  finding.count = 1;
  const char* what = outcome.status == CallStatus::rejected ? "refused a legal input" : "failed";
  const char* instead = e.c.expect == Expect::reject ? " in place of refusing the input" : "";
  const std::string when = &run == &e.case_run ? "" : fmt::format(" in the run called {}", run.name);
  finding.message = fmt::format("{} {}{}{}: {}", name_of(pass), what, instead, when, outcome.error);
  return finding;
}

std::string why_refusal_is_due(const Evidence& e) {
  const auto bad = first_bad_row(e.c, e.targets);
  if (!bad) return "the weight tensor does not have C elements";
  return fmt::format("target[{}] = {} is neither in [0, {}) nor ignore_index {}", *bad,
                     e.targets[static_cast<std::size_t>(*bad)], e.geometry.C, e.c.ignore_index);
}

Finding not_raised(const Evidence& e, Pass pass) {
  Finding finding;
  finding.kind = FindingKind::not_raised;
  finding.detector = "error";
  finding.pass = name_of(pass);
  finding.count = 1;
  finding.message = fmt::format("{} returned a result although {}", name_of(pass), why_refusal_is_due(e));
  finding.cure = first_bad_row(e.c, e.targets) ? "check every target before it becomes an address, and raise"
                                               : "compare the weight's length with C, and raise";
  return finding;
}

void judge_pass(const Evidence& e, Pass pass, const CandidateRun& run, Detection& detection) {
  const CallOutcome& outcome = run.of(pass).outcome;
  const bool refused = outcome.status == CallStatus::rejected;
  const bool failed = outcome.status == CallStatus::failed;
  if (failed || (refused && e.c.expect == Expect::match)) detection.findings.push_back(raised(e, pass, run));
  if (outcome.status == CallStatus::ok && e.c.expect == Expect::reject)
    detection.findings.push_back(not_raised(e, pass));
}

std::vector<const CandidateRun*> other_runs(const Evidence& e) {
  std::vector<const CandidateRun*> runs{&e.case_again};
  if (e.twin_a) runs.push_back(&*e.twin_a);
  if (e.twin_b) runs.push_back(&*e.twin_b);
  return runs;
}

}  // namespace

Detection detect_error(const Evidence& e) {
  Detection detection;
  for (const Pass pass : {Pass::forward, Pass::backward}) {
    if (!wants(e.c, pass)) continue;
    judge_pass(e, pass, e.case_run, detection);
    // The other runs are legal, too: a twin's targets are all valid or ignored. One that ends otherwise is judged as
    // well.
    for (const CandidateRun* run : other_runs(e)) {
      const CallStatus status = run->of(pass).outcome.status;
      if (status == e.case_run.of(pass).outcome.status || status == CallStatus::not_called) continue;
      judge_pass(e, pass, *run, detection);
      break;
    }
  }
  return detection;
}

}  // namespace nlldiff
