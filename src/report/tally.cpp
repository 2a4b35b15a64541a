// SPDX-License-Identifier: Apache-2.0
#include "report/tally.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "report/counted.hpp"

namespace nlldiff {
namespace {

constexpr std::size_t kMaxReasons = 5;         // listed one by one
constexpr std::size_t kMaxKnownReasons = 100;  // kept apart at all
constexpr std::size_t kMaxNamedCases = 3;

std::int64_t count_of(const VerdictCounts& counts, Verdict verdict) {
  return counts[static_cast<std::size_t>(verdict)];
}

std::int64_t visible_rows_of(const CaseResult& result) {
  std::int64_t rows = 0;
  for (const char* kind : {"target_cell", "other_cell"})
    if (const auto it = result.visibility.find(kind); it != result.visibility.end()) rows += it->second;
  return rows;
}

std::string cases_word(std::int64_t n) { return counted(n, "case"); }

std::string size_word(double bytes) {
  constexpr double kMiB = 1 << 20;
  return bytes < 1024 * kMiB ? fmt::format("{:.0f} MiB", bytes / kMiB) : fmt::format("{:.1f} GiB", bytes / 1024 / kMiB);
}

void count_reason(std::map<std::string, std::int64_t>& reasons, const std::string& reason) {
  if (reasons.size() < kMaxKnownReasons || reasons.contains(reason)) ++reasons[reason];
}

/// The most frequent first, one a line.
void list_reasons(std::vector<std::string>& out, const std::map<std::string, std::int64_t>& reasons) {
  std::vector<std::pair<std::string, std::int64_t>> sorted(reasons.begin(), reasons.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  for (std::size_t i = 0; i < std::min(sorted.size(), kMaxReasons); ++i)
    out.push_back(fmt::format("  {} ({})", sorted[i].first, cases_word(sorted[i].second)));
  if (sorted.size() > kMaxReasons)
    out.push_back(
        fmt::format("  and {}", counted(std::ssize(sorted) - static_cast<std::ptrdiff_t>(kMaxReasons), "more reason")));
}

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
    out.push_back(counted(facts.skipped_combinations, "impossible matrix combination") + " left out");
  if (facts.too_large > 0)
    out.push_back(fmt::format("{} too large for this machine's memory: not run; {} needs {}, {} are available",
                              cases_word(facts.too_large), facts.too_large == 1 ? "it" : "the smallest",
                              size_word(facts.needed_bytes), size_word(facts.budget_bytes)));
  if (facts.workers > 0)
    out.push_back(fmt::format("--jobs {}: the memory holds {} at once", facts.jobs, counted(facts.workers, "worker")));
  for (const std::string& remark : facts.worker_remarks) out.push_back(remark + "; that fails the run");
}

int exit_code(const Group& total, const RunFacts& facts, bool nothing_computed) {
  if (facts.interrupted) return kExitInterrupted;
  if (total.cases == 0 || nothing_computed || facts.out_of_time || !facts.worker_remarks.empty()) return 1;
  int worst = 0;
  for (const auto& verdict : kNames<Verdict>)
    if (count_of(total.verdicts, verdict.value) > 0)
      worst = std::max(worst, exit_code_of(verdict.value, facts.require_trace));
  return worst;
}

}  // namespace

bool was_judged(Verdict verdict) {
  return verdict == Verdict::pass || verdict == Verdict::limited || verdict == Verdict::fail ||
         verdict == Verdict::inconclusive;
}

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
  note_reference(result);
  note_reasons(result);
}

void Tally::add_counts(Group& group, const CaseResult& result) {
  ++group.cases;
  ++group.verdicts[static_cast<std::size_t>(result.verdict)];
  group.findings += static_cast<std::int64_t>(result.findings.size());
  for (const Finding& finding : result.findings) ++kinds_[finding.kind];
  for (const TensorComparison& comparison : result.comparisons)
    if (comparison.max_ulps) group.worst_ulps = std::max(group.worst_ulps.value_or(0), *comparison.max_ulps);
  add_rows(group, result);
  if (result.c.expect != Expect::reject) {
    match_judged_ += was_judged(result.verdict) ? 1 : 0;
    match_unsupported_ += result.verdict == Verdict::unsupported ? 1 : 0;
    return;
  }
  reject_judged_ += was_judged(result.verdict) ? 1 : 0;
  reject_passed_ += was_judged(result.verdict) && exit_code_of(result.verdict, false) == 0 ? 1 : 0;
  reject_unsupported_ += result.verdict == Verdict::unsupported ? 1 : 0;
}

void Tally::add_rows(Group& group, const CaseResult& result) {
  group.rows += result.rows;
  if (!was_judged(result.verdict)) return;
  group.ignored_rows += result.ignored_rows;
  group.visible_rows += visible_rows_of(result);
  backward_judged_ += result.c.expect != Expect::reject && result.c.passes != Passes::forward ? 1 : 0;
}

void Tally::note_reference(const CaseResult& result) {
  const auto wrong = [](const TensorComparison& comparison) { return comparison.reference_mismatches > 0; };
  if (std::none_of(result.comparisons.begin(), result.comparisons.end(), wrong)) return;
  ++reference_wrong_;
  const std::string name = result.file + ":" + result.c.name;
  const auto& known = reference_wrong_in_;
  if (known.size() < kMaxNamedCases && std::find(known.begin(), known.end(), name) == known.end())
    reference_wrong_in_.push_back(name);
}

void Tally::note_reasons(const CaseResult& result) {
  if (result.verdict == Verdict::unsupported) return count_reason(unsupported_, result.reason);
  if (result.verdict != Verdict::limited) return;
  bool known = false;
  for (const DetectorStatus& status : result.detectors) {
    if (status.judged) continue;
    count_reason(unjudged_, status.detector + ": " + status.why_not);
    known = true;
  }
  if (!known) count_reason(unjudged_, result.reason);
}

/// A candidate that only refuses has shown nothing: refusing is what a kernel does that computes nothing.
bool Tally::nothing_computed() const {
  return match_judged_ == 0 && (match_unsupported_ > 0 || (reject_judged_ == 0 && reject_unsupported_ > 0));
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
  if (nothing_computed())
    out.push_back("every case that asks for a result is unsupported: nothing was tested; that fails the run");
  if (const auto limited = count_of(sum.verdicts, Verdict::limited); limited > 0)
    out.push_back(fmt::format("{} limited: passed, but a detector could not look{}", cases_word(limited),
                              facts.require_trace ? "; --require trace fails the run" : ""));
  list_reasons(out, unjudged_);
  if (const auto unsupported = count_of(sum.verdicts, Verdict::unsupported); unsupported > 0)
    out.push_back(fmt::format("{} unsupported: not judged", cases_word(unsupported)));
  list_reasons(out, unsupported_);
  remark_refusals(out);
  remark_reference(out);
  if (backward_judged_ > 0 && sum.visible_rows == 0)
    out.push_back(
        "blind: in no judged case does a sentinel-built address hit another row, so this run cannot see a store "
        "that an ignored row makes there; add a case with layout collide");
  return out;
}

void Tally::remark_refusals(std::vector<std::string>& out) const {
  if (reject_judged_ + reject_unsupported_ == 0) return;
  const std::string rest = reject_unsupported_ > 0 ? fmt::format(" ({} unsupported)", reject_unsupported_) : "";
  out.push_back(fmt::format("{} had to be refused; {} {}{}", cases_word(reject_judged_), reject_passed_,
                            reject_passed_ == 1 ? "was" : "were", rest));
}

void Tally::remark_reference(std::vector<std::string>& out) const {
  if (reference_wrong_ == 0) return;
  const std::int64_t more = reference_wrong_ - std::ssize(reference_wrong_in_);
  out.push_back(
      fmt::format("the reference itself is outside the limits in {} ({}{}): ATen is less exact than the "
                  "limits there; the candidate is judged against the oracle, so no verdict depends on it",
                  cases_word(reference_wrong_), fmt::join(reference_wrong_in_, ", "),
                  more > 0 ? fmt::format(" and {} more", more) : ""));
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
  summary.exit_code = exit_code(sum, facts, nothing_computed());
  summary.remarks = remarks(facts);
  return summary;
}

}  // namespace nlldiff
