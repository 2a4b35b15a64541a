// SPDX-License-Identifier: Apache-2.0
// Counts results as they come, so that a run's memory does not grow with its cases.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/result.hpp"

namespace nlldiff {

/// Indexed by Verdict.
using VerdictCounts = std::array<std::int64_t, std::size(kNames<Verdict>)>;

/// The results of one case file with one candidate on one device.
struct Group {
  std::string file, candidate, device;
  VerdictCounts verdicts{};
  std::int64_t cases = 0, findings = 0, rows = 0;
  std::int64_t ignored_rows = 0, visible_rows = 0;  ///< of judged cases
  std::optional<std::uint64_t> worst_ulps;          ///< over all compared tensors; nothing where none had a distance
};

/// What happened besides the results: what the caller knows of a run.
struct RunFacts {
  std::int64_t skipped_combinations = 0, too_large = 0, not_run = 0;
  bool out_of_time = false, stopped_early = false, interrupted = false, require_trace = false;
  std::vector<std::string> worker_remarks;  ///< workers that died without a case to blame; each fails the run
  double wall_s = 0;
  double needed_bytes = 0,
         budget_bytes = 0;    ///< where cases are too large: the smallest one's need, and what there was
  int jobs = 0, workers = 0;  ///< --jobs, and how many the memory held; workers 0: as many as asked for
};

/// True where a case came to an end that says something about the candidate: pass, limited, fail, inconclusive.
[[nodiscard]] bool was_judged(Verdict verdict);

class Tally {
 public:
  void add(const CaseResult& result);
  [[nodiscard]] const std::vector<Group>& groups() const { return groups_; }  ///< in order of first result
  [[nodiscard]] Group total() const;
  [[nodiscard]] const std::map<FindingKind, std::int64_t>& findings_by_kind() const { return kinds_; }
  [[nodiscard]] std::int64_t failed() const;  ///< cases whose verdict alone fails a gate
  /// The last line of a results file: counts, exit code and everything that a reader must be told.
  [[nodiscard]] RunSummary summarise(const RunFacts& facts) const;

 private:
  void add_counts(Group& group, const CaseResult& result);
  void add_rows(Group& group, const CaseResult& result);
  void note_reference(const CaseResult& result);
  void note_reasons(const CaseResult& result);
  void remark_refusals(std::vector<std::string>& out) const;
  void remark_reference(std::vector<std::string>& out) const;
  [[nodiscard]] std::vector<std::string> remarks(const RunFacts& facts) const;
  [[nodiscard]] bool nothing_computed() const;
  std::vector<Group> groups_;
  std::map<FindingKind, std::int64_t> kinds_;
  std::map<std::string, std::int64_t> unjudged_;     ///< "detector: why" of limited cases -> cases
  std::map<std::string, std::int64_t> unsupported_;  ///< reason -> cases
  std::vector<std::string> reference_wrong_in_;      ///< the first cases in which the reference itself is wrong
  std::int64_t match_judged_ = 0, match_unsupported_ = 0;
  std::int64_t reject_judged_ = 0, reject_passed_ = 0, reject_unsupported_ = 0;
  std::int64_t reference_wrong_ = 0, backward_judged_ = 0;
};

inline constexpr int kExitInterrupted = 130;  ///< 128 + SIGINT, as shells report it

}  // namespace nlldiff
