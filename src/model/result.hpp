// SPDX-License-Identifier: Apache-2.0
// What a run found: findings, a result a case, the header and the summary of a results file. Plain values,
// JSON both ways (unknown keys are kept out, missing ones take their defaults).
#pragma once

#include "core/names.hpp"
#include "model/case.hpp"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nlldiff {

inline constexpr int kResultSchemaVersion = 1;

/// In order of badness: the worst of a run decides its exit code.
enum class Verdict { pass, limited, unsupported, vacuous, inconclusive, fail, timeout, crash };
template <>
inline constexpr auto kNames<Verdict> = std::to_array<Named<Verdict>>({
    {Verdict::pass, "pass", "every detector that could look found nothing"},
    {Verdict::limited, "limited", "pass, but a detector could not look"},
    {Verdict::unsupported, "unsupported", "the candidate says that it does not do this"},
    {Verdict::vacuous, "vacuous", "every control passed: the case cannot fail"},
    {Verdict::inconclusive, "inconclusive", "runs disagree about themselves, or the trace was incomplete"},
    {Verdict::fail, "fail", "a finding"},
    {Verdict::timeout, "timeout", "the time limit of the case was over"},
    {Verdict::crash, "crash", "a signal or an early exit"},
});

/// The kinds of findings; a detector owns each. The name is what reports, baselines and rules use.
enum class FindingKind {
  wrong, lost_gradient, off_support, nonfinite, unwritten,   // value
  foreign_store,                                             // alias
  conflict,                                                  // conflict
  input_changed,                                             // input
  raised, not_raised,                                        // error
};
template <>
inline constexpr auto kNames<FindingKind> = std::to_array<Named<FindingKind>>({
    {FindingKind::wrong, "wrong", "a value outside its limit"},
    {FindingKind::lost_gradient, "lost_gradient", "0 where a row's gradient belongs"},
    {FindingKind::off_support, "off_support", "a nonzero gradient in a cell that must be 0"},
    {FindingKind::nonfinite, "nonfinite", "NaN or infinity where the oracle has none, or the other way round"},
    {FindingKind::unwritten, "unwritten", "a cell that the kernel left as it was"},
    {FindingKind::foreign_store, "foreign_store", "a store to a cell that belongs to another row"},
    {FindingKind::conflict, "conflict", "unordered stores to one cell in one launch"},
    {FindingKind::input_changed, "input_changed", "the kernel changed an input"},
    {FindingKind::raised, "raised", "an error where the contract wants a result"},
    {FindingKind::not_raised, "not_raised", "a result where the contract wants an error"},
});

/// One cell in a finding. `cell` is the flat index in `tensor`; row and class only where the tensor has them.
struct FindingCell {
  std::int64_t cell = 0;
  std::optional<std::int64_t> row;
  std::optional<std::int64_t> class_index;
  std::optional<double> candidate, reference, oracle;  ///< NaN and Inf travel as strings in JSON
  std::optional<std::uint64_t> ulps;                   ///< absent where it has no meaning
  std::string note;                                    ///< one cell's own sentence: the address arithmetic
};
inline constexpr std::size_t kMaxFindingCells = 16;    ///< `count` has the true number

struct Finding {
  FindingKind kind = FindingKind::wrong;
  std::string detector;                ///< "value", "alias", ...
  std::string pass;                    ///< "forward" or "backward"
  std::string tensor;                  ///< "grad_input", "output", "total_weight", "input", ...
  std::string kernel;                  ///< the kernel that did it, where known
  std::string where;                   ///< its source file:line, where known
  std::string message;                 ///< one sentence, with the arithmetic in numbers
  std::string cure;                    ///< a few words; may be empty
  std::string address_form;            ///< e.g. "n*C*D + ignore_index*D + d"; alias only
  std::int64_t count = 0;              ///< cells affected
  std::vector<FindingCell> cells;      ///< the worst or first kMaxFindingCells
};

/// What a detector said of a case.
struct DetectorStatus {
  std::string detector;
  bool judged = true;
  std::string why_not;                 ///< where it did not judge
  std::string note;                    ///< e.g. "the reference is wrong alone"
};

/// How close one compared tensor came. Histogram buckets: 0, 1, 2, 3-4, 5-8, ..., see kUlpBuckets.
inline constexpr std::size_t kUlpBuckets = 12;
struct TensorComparison {
  std::string pass, tensor;
  std::int64_t compared = 0;           ///< equals the tensor's element count, asserted
  std::int64_t mismatches = 0;         ///< outside the limit
  std::string limit;                   ///< the limit applied, in words and numbers: "0 ULP", "2 ULP", "|x-y| <= 3.1e-05 (...)"
  std::optional<std::uint64_t> max_ulps;  ///< over finite pairs
  std::optional<FindingCell> worst;
  std::array<std::int64_t, kUlpBuckets> ulp_histogram{};
  std::int64_t reference_mismatches = 0;  ///< cells in which the reference itself is outside the limit
};

struct CaseResult {
  Case c;                              ///< the concrete case
  std::string file;                    ///< where it came from
  std::string candidate;               ///< SPEC as given
  std::string device;                  ///< "cpu", "cuda:0"
  Verdict verdict = Verdict::pass;
  std::string reason;                  ///< one line, for every verdict but pass
  std::vector<Finding> findings;
  std::vector<DetectorStatus> detectors;
  std::vector<TensorComparison> comparisons;
  std::int64_t rows = 0, ignored_rows = 0;
  std::map<std::string, std::int64_t> visibility;  ///< visibility name -> ignored rows
  std::string execution;               ///< "simt", "native", "cuda", "interpreted"
  std::map<std::string, double> times_ms;          ///< "inputs", "reference", "oracle", "candidate", "detectors"
  std::string repro;                   ///< a command line that runs this case alone
  std::string captured_stdout, captured_stderr;    ///< valid UTF-8; bytes that were not are escaped \xNN
  std::vector<std::string> notes;
};

/// First line of a results file.
struct RunHeader {
  int schema_version = kResultSchemaVersion;
  std::string nlldiff_version, git_commit, started_at;  ///< started_at: ISO 8601, UTC
  std::vector<std::string> command_line;
  std::map<std::string, std::string> environment;       ///< torch, cuda, gpu, driver, compiler, host, candidate.<spec>.fnv1a, ...
  std::int64_t cases_planned = 0;
};

/// Last line of a results file; a file without one was cut short.
struct RunSummary {
  std::map<std::string, std::int64_t> verdicts;         ///< verdict name -> cases
  std::int64_t cases_run = 0, findings = 0;
  std::int64_t skipped_combinations = 0;                ///< impossible matrix combinations
  std::int64_t too_large = 0;                           ///< cases that this machine has no memory for
  std::int64_t ignored_rows = 0, visible_rows = 0;      ///< visible: visibility target_cell or other_cell
  double wall_s = 0;
  int exit_code = 0;
  std::vector<std::string> remarks;                     ///< what the reader must know: skipped, blind, limited
};

void to_json(nlohmann::json&, const Finding&);
void from_json(const nlohmann::json&, Finding&);
void to_json(nlohmann::json&, const CaseResult&);
void from_json(const nlohmann::json&, CaseResult&);
void to_json(nlohmann::json&, const RunHeader&);
void from_json(const nlohmann::json&, RunHeader&);
void to_json(nlohmann::json&, const RunSummary&);
void from_json(const nlohmann::json&, RunSummary&);

/// 1 for anything that must fail a gate, 0 else. `require_trace`: limited fails too.
[[nodiscard]] int exit_code_of(Verdict verdict, bool require_trace);

}  // namespace nlldiff
