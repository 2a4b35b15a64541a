// SPDX-License-Identifier: Apache-2.0
// error: raises where it must not, or not where it must.
#include <fmt/format.h>

#include "detect/detectors.hpp"

namespace nlldiff {
namespace {

Finding raised(const Evidence& e, Pass pass, const CallOutcome& outcome) {
  Finding finding;
  finding.kind = FindingKind::raised;
  finding.detector = "error";
  finding.pass = name_of(pass);
  finding.count = 1;
  const char* what = outcome.status == CallStatus::rejected ? "refused a legal input" : "failed";
  const char* instead = e.c.expect == Expect::reject ? " in place of refusing the input" : "";
  finding.message = fmt::format("{} {}{}: {}", name_of(pass), what, instead, outcome.error);
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
  finding.cure = "check every target before it becomes an address, and raise";
  return finding;
}

void judge_pass(const Evidence& e, Pass pass, const CallOutcome& outcome, Detection& detection) {
  const bool refused = outcome.status == CallStatus::rejected;
  const bool failed = outcome.status == CallStatus::failed;
  if (failed || (refused && e.c.expect == Expect::match)) detection.findings.push_back(raised(e, pass, outcome));
  if (outcome.status == CallStatus::ok && e.c.expect == Expect::reject)
    detection.findings.push_back(not_raised(e, pass));
}

}  // namespace

Detection detect_error(const Evidence& e) {
  Detection detection;
  for (const Pass pass : {Pass::forward, Pass::backward}) {
    if (!wants(e.c, pass)) continue;
    judge_pass(e, pass, e.case_run.of(pass).outcome, detection);
    const auto& again = e.case_again.of(pass).outcome;
    if (again.status != e.case_run.of(pass).outcome.status && again.status != CallStatus::not_called)
      judge_pass(e, pass, again, detection);
  }
  return detection;
}

}  // namespace nlldiff
