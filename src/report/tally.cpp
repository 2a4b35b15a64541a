// SPDX-License-Identifier: Apache-2.0
#include "report/tally.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace nlldiff {
namespace {

constexpr std::size_t kMaxReasons = 5;         // limits listed one by one
constexpr std::size_t kMaxKnownReasons = 100;  // reasons kept apart at all

std::int64_t count_of(const VerdictCounts& counts, Verdict verdict) {
  return counts[static_cast<std::size_t>(verdict)];
}

std::int64_t visible_rows_of(const CaseResult& result) {
  std::int64_t rows = 0;
  for (const char* kind : {"target_cell", "other_cell"})
    if (const auto it = result.visibility.find(kind); it != result.visibility.end()) rows += it->second;
  return rows;
}

std::string cases_word(std::int64_t n) { return fmt::format("{} case{}", n, n == 1 ? "" : "s"); }

void add_group(Group& sum, const Group& group) {
  for (std::size_t i = 0; i < sum.verdicts.size(); ++i) sum.verdicts[i] += group.verdicts[i];
  sum.cases += group.cases;
  sum.findings += group.findings;
  sum.rows += group.rows;
  sum.ignored_rows += group.ignored_rows;
  sum.visible_rows += group.visible_rows;
  if (group.worst_ulps) sum.worst_ulps = std::max(sum.worst_ulps.value_or(0), *group.worst_ulps);
}

/// What was left out, and why.
void remark_omissions(std::vector<std::string>& out, const RunFacts& facts) {
  if (facts.interrupted) out.push_back(fmt::format("interrupted: {} not finished", cases_word(facts.not_run)));
  if (facts.out_of_time)
    out.push_back(fmt::format("--max-time is over: {} not run; that fails the run", cases_word(facts.not_run)));
  if (facts.stopped_early) out.push_back(fmt::format("--fail-fast: {} not run", cases_word(facts.not_run)));
  if (facts.skipped_combinations > 0)
    out.push_back(fmt::format("{} impossible matrix combinations left out", facts.skipped_combinations));
  if (facts.too_large > 0)
    out.push_back(fmt::format("{} too large for this machine's memory: not run", cases_word(facts.too_large)));
  for (const std::string& remark : facts.worker_remarks) out.push_back(remark + "; that fails the run");
}

bool nothing_ran(const Group& total) { return count_of(total.verdicts, Verdict::unsupported) == total.cases; }

int exit_code(const Group& total, const RunFacts& facts) {
  if (facts.interrupted) return kExitInterrupted;
  if (nothing_ran(total) || facts.out_of_time || !facts.worker_remarks.empty()) return 1;
  int worst = 0;
  for (const auto& verdict : kNames<Verdict>)
    if (count_of(total.verdicts, verdict.value) > 0)
      worst = std::max(worst, exit_code_of(verdict.value, facts.require_trace));
  return worst;
}

}  // namespace

void Tally::add(const CaseResult& result) {
  const auto same = [&](const Group& g) {
    return g.file == result.file && g.candidate == result.candidate && g.device == result.device;
  };
  // Results come file by file: the group is nearly always among the last.
  auto group = std::find_if(groups_.rbegin(), groups_.rend(), same);
  if (group == groups_.rend()) {
    Group fresh;
    fresh.file = result.file;
    fresh.candidate = result.candidate;
    fresh.device = result.device;
    groups_.push_back(fresh);
    group = groups_.rbegin();
  }
  add_counts(*group, result);
  note_limits(result);
}

void Tally::add_counts(Group& group, const CaseResult& result) {
  ++group.cases;
  ++group.verdicts[static_cast<std::size_t>(result.verdict)];
  group.findings += static_cast<std::int64_t>(result.findings.size());
  group.rows += result.rows;
  group.ignored_rows += result.ignored_rows;
  group.visible_rows += visible_rows_of(result);
  bool reference_wrong = false;
  for (const TensorComparison& comparison : result.comparisons) {
    if (comparison.max_ulps) group.worst_ulps = std::max(group.worst_ulps.value_or(0), *comparison.max_ulps);
    reference_wrong = reference_wrong || comparison.reference_mismatches > 0;
  }
  reference_wrong_ += reference_wrong ? 1 : 0;
  if (result.c.expect == Expect::reject) {
    ++reject_cases_;
    reject_passed_ += exit_code_of(result.verdict, false) == 0 && result.verdict != Verdict::unsupported ? 1 : 0;
  } else if (result.c.passes != Passes::forward) {
    ++backward_cases_;
  }
}

void Tally::note_limits(const CaseResult& result) {
  if (result.verdict != Verdict::limited) return;
  bool known = false;
  for (const DetectorStatus& status : result.detectors) {
    if (status.judged) continue;
    const std::string reason = status.detector + ": " + status.why_not;
    if (unjudged_.size() < kMaxKnownReasons || unjudged_.contains(reason)) ++unjudged_[reason];
    known = true;
  }
  if (!known) ++unjudged_[result.reason];
}

Group Tally::total() const {
  Group sum;
  for (const Group& group : groups_) add_group(sum, group);
  return sum;
}

std::int64_t Tally::failed() const {
  const Group sum = total();
  std::int64_t failed = 0;
  for (const auto& verdict : kNames<Verdict>)
    if (exit_code_of(verdict.value, false) != 0) failed += count_of(sum.verdicts, verdict.value);
  return failed;
}

std::vector<std::string> Tally::remarks(const RunFacts& facts) const {
  std::vector<std::string> out;
  const Group sum = total();
  remark_omissions(out, facts);
  if (sum.cases > 0 && nothing_ran(sum))
    out.push_back("every case is unsupported: nothing was tested; that fails the run");
  if (const auto limited = count_of(sum.verdicts, Verdict::limited); limited > 0)
    out.push_back(fmt::format("{} limited: passed, but a detector could not look{}", cases_word(limited),
                              facts.require_trace ? "; --require trace fails the run" : ""));
  std::size_t listed = 0;
  for (const auto& [reason, cases] : unjudged_)
    if (listed++ < kMaxReasons) out.push_back(fmt::format("  {} ({})", reason, cases_word(cases)));
  if (listed > kMaxReasons) out.push_back(fmt::format("  and {} more reasons", listed - kMaxReasons));
  if (reject_cases_ > 0)
    out.push_back(fmt::format("{} had to be refused; {} were", cases_word(reject_cases_), reject_passed_));
  if (reference_wrong_ > 0)
    out.push_back(fmt::format("the reference itself is outside the limits in {}", cases_word(reference_wrong_)));
  if (backward_cases_ > 0 && sum.visible_rows == 0)
    out.push_back(
        "blind: in no case does a sentinel-built address hit another row, so this run cannot see a store "
        "that an ignored row makes there; add a case with layout collide");
  return out;
}

RunSummary Tally::summarise(const RunFacts& facts) const {
  const Group sum = total();
  RunSummary summary;
  for (const auto& verdict : kNames<Verdict>)
    if (const auto n = count_of(sum.verdicts, verdict.value); n > 0) summary.verdicts[std::string(verdict.name)] = n;
  summary.cases_run = sum.cases;
  summary.findings = sum.findings;
  summary.skipped_combinations = facts.skipped_combinations;
  summary.too_large = facts.too_large;
  summary.ignored_rows = sum.ignored_rows;
  summary.visible_rows = sum.visible_rows;
  summary.wall_s = facts.wall_s;
  summary.exit_code = exit_code(sum, facts);
  summary.remarks = remarks(facts);
  return summary;
}

}  // namespace nlldiff
