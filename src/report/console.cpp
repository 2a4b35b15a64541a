// SPDX-License-Identifier: Apache-2.0
#include "report/console.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/text.hpp"
#include "model/case_file.hpp"
#include "report/counted.hpp"

namespace nlldiff {
namespace {

constexpr std::size_t kMaxCapturedLines = 12;
constexpr std::size_t kMaxBriefCells = 4;

Colour colour_of(Verdict verdict) {
  if (exit_code_of(verdict, false) != 0) return Colour::red;
  return verdict == Verdict::pass ? Colour::green : Colour::yellow;
}

std::string number(const std::optional<double>& value) { return value ? fmt::format("{}", *value) : "-"; }

std::string cell_values(const FindingCell& cell) {
  std::string text;
  if (cell.candidate) text += fmt::format(", candidate {}", number(cell.candidate));
  if (cell.oracle) text += fmt::format(", right {}", number(cell.oracle));
  if (cell.reference && !(cell.oracle && number(cell.oracle) == number(cell.reference)))
    text += fmt::format(", ATen {}", number(cell.reference));
  constexpr std::uint64_t kTellingUlps = 1'000'000;  // beyond that the values have nothing to do with each other
  if (cell.ulps && *cell.ulps <= kTellingUlps) text += fmt::format(", {} ULP", *cell.ulps);
  return text;
}

/// A cell with a sentence of its own speaks by it; another by its numbers.
std::string cell_text(const FindingCell& cell) {
  if (!cell.note.empty()) return fmt::format("      {}\n", cell.note);
  std::string place = fmt::format("cell {}", cell.cell);
  if (cell.row) place += fmt::format(" = row {}", *cell.row);
  if (cell.class_index) place += fmt::format(", class {}", *cell.class_index);
  return fmt::format("      {}{}\n", place, cell_values(cell));
}

std::string place_text(const Finding& finding) {
  std::string text;
  if (!finding.kernel.empty()) text += fmt::format("      kernel {}", finding.kernel);
  if (!finding.where.empty()) text += fmt::format("{}{}", text.empty() ? "      at " : " at ", finding.where);
  return text.empty() ? text : text + "\n";
}

std::string finding_head(const Finding& finding, const Style& style) {
  const char* comma = finding.pass.empty() || finding.tensor.empty() ? "" : ", ";
  const std::string tag = fmt::format("[{}{}{}]", finding.pass, comma, finding.tensor);
  return fmt::format("    {} {}: {}\n", style.paint(Colour::red, name_of(finding.kind)), tag, finding.message);
}

std::string cells_text(const Finding& finding, bool verbose) {
  const std::size_t shown = std::min(finding.cells.size(), verbose ? kMaxFindingCells : kMaxBriefCells);
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) text += cell_text(finding.cells[i]);
  const auto all = std::max(finding.count, std::ssize(finding.cells));
  const auto more = all - static_cast<std::int64_t>(shown);
  if (shown == 0 || more == 0) return text;
  const char* where = shown < finding.cells.size() ? " (-v or --results shows more)" : "";
  return text + fmt::format("      and {}{}\n", counted(more, "more cell"), where);
}

std::string finding_text(const Finding& finding, const Style& style, bool verbose) {
  std::string text = finding_head(finding, style) + cells_text(finding, verbose) + place_text(finding);
  if (!finding.cure.empty()) text += fmt::format("      {} {}\n", style.paint(Colour::bold, "cure:"), finding.cure);
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// Captured text may hold escape sequences that would change the terminal.
std::string printable(const std::string& line) {
  constexpr std::size_t kLongest = 400;
  std::string text;
  for (const char c : line.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == '\t' || (byte >= 0x20 && byte != 0x7f))
      text += c;
    else
      text += fmt::format("\\x{:02X}", byte);
  }
  return line.size() > kLongest ? text + "..." : text;
}

std::string captured_text(const char* stream, const std::string& captured) {
  const std::vector<std::string> lines = lines_of(captured);
  if (lines.empty()) return "";
  const std::size_t first = lines.size() - std::min(lines.size(), kMaxCapturedLines);
  std::string text = fmt::format("    the worker's {}:\n", stream);
  if (first > 0) text += fmt::format("      ... {} before\n", counted(static_cast<std::int64_t>(first), "line"));
  for (std::size_t i = first; i < lines.size(); ++i) text += fmt::format("      | {}\n", printable(lines[i]));
  return text;
}

// ---- the table ----

using Row = std::vector<std::string>;

std::vector<Verdict> verdicts_seen(const std::vector<Group>& groups) {
  std::vector<Verdict> seen;
  for (const auto& verdict : kNames<Verdict>) {
    const auto has = [&](const Group& g) { return g.verdicts[static_cast<std::size_t>(verdict.value)] > 0; };
    if (verdict.value == Verdict::pass || verdict.value == Verdict::fail ||
        std::any_of(groups.begin(), groups.end(), has))
      seen.push_back(verdict.value);
  }
  return seen;
}

Row table_head(const std::vector<Verdict>& verdicts) {
  Row row{"file", "candidate", "device", "cases"};
  for (const Verdict verdict : verdicts) row.emplace_back(name_of(verdict));
  row.insert(row.end(), {"ignored rows", "visible rows", "worst ULP"});
  return row;
}

Row table_row(const Group& group, const std::vector<Verdict>& verdicts) {
  Row row{group.file, group.candidate, group.device, std::to_string(group.cases)};
  for (const Verdict verdict : verdicts)
    row.push_back(std::to_string(group.verdicts[static_cast<std::size_t>(verdict)]));
  row.push_back(std::to_string(group.ignored_rows));
  row.push_back(std::to_string(group.visible_rows));
  row.push_back(group.worst_ulps ? std::to_string(*group.worst_ulps) : "-");
  return row;
}

std::vector<std::size_t> column_widths(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  return widths;
}

std::string table_line(const Row& row, const std::vector<std::size_t>& widths) {
  constexpr std::size_t kLeftAligned = 3;
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::string space = i == 0 ? "" : "  ";
    line += space +
            (i < kLeftAligned ? fmt::format("{:<{}}", row[i], widths[i]) : fmt::format("{:>{}}", row[i], widths[i]));
  }
  return line + "\n";
}

bool has_failures(const Group& group) {
  for (const auto& verdict : kNames<Verdict>)
    if (group.verdicts[static_cast<std::size_t>(verdict.value)] > 0 && exit_code_of(verdict.value, false) != 0)
      return true;
  return false;
}

std::string duration(double s) {
  const auto whole = static_cast<std::int64_t>(s + 0.5);
  return whole < 60 ? fmt::format("{} s", whole) : fmt::format("{} min {:02} s", whole / 60, whole % 60);
}

std::string progress_figures(const Progress& p) {
  std::string text = fmt::format("{}/{}", p.done, p.total);
  if (p.done > 0 && p.elapsed_s > 0.5) {
    const double rate = static_cast<double>(p.done) / p.elapsed_s;
    text += fmt::format("  {:.{}f}/s", rate, rate < 10 ? 1 : 0);
    if (p.done < p.total) text += fmt::format("  {} left", duration(static_cast<double>(p.total - p.done) / rate));
  }
  if (p.failed > 0) text += fmt::format("  {} failed", p.failed);
  return text;
}

std::string verdict_list(const RunSummary& summary) {
  std::string text;
  for (const auto& verdict : kNames<Verdict>)
    if (const auto it = summary.verdicts.find(std::string(verdict.name)); it != summary.verdicts.end())
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", it->second, verdict.name);
  return text.empty() ? "nothing ran" : text;
}

/// The case's fields but its name, which stands in the line above; defaults left out.
std::string case_text(const Case& c) {
  constexpr std::size_t kLongest = 200;
  auto entry = nlohmann::ordered_json::parse(case_entry(c));
  entry.erase("name");
  return one_line(entry.dump(), kLongest);
}

std::string case_head(const CaseResult& result, const Style& style) {
  return fmt::format("{}  {}: {}  [{}, {}]", style.paint(colour_of(result.verdict), name_of(result.verdict)),
                     result.file, result.c.name, result.candidate, result.device);
}

}  // namespace

std::string case_line(const CaseResult& result, const Style& style) {
  const std::string head = case_head(result, style);
  return result.reason.empty() ? head + "\n" : fmt::format("{}  {}\n", head, result.reason);
}

bool FailurePrinter::is_news(const CaseResult& result, const Finding& finding) {
  const std::string key =
      fmt::format("{}\n{}\n{}\n{}", result.candidate, name_of(finding.kind), finding.kernel, finding.where);
  return ++shown_[key] <= kMaxSameFindings;
}

std::string FailurePrinter::text(const CaseResult& result) {
  std::string findings;
  bool news = result.findings.empty();
  for (const Finding& finding : result.findings) {
    const bool in_full = is_news(result, finding);
    findings += in_full ? finding_text(finding, style_, verbose_) : finding_head(finding, style_);
    news = news || in_full;
  }
  // With findings the reason is the first one's sentence, which stands in the next line anyway.
  if (!news) return case_head(result, style_) + "\n" + findings;
  std::string text = result.findings.empty() ? case_line(result, style_) : case_head(result, style_) + "\n";
  text += fmt::format("    case: {}\n", case_text(result.c)) + findings;
  for (const std::string& note : result.notes) text += fmt::format("    note: {}\n", note);
  text += captured_text("stdout", result.captured_stdout) + captured_text("stderr", result.captured_stderr);
  return text + fmt::format("    {} {}\n", style_.paint(Colour::dim, "again:"), result.repro);
}

std::string kinds_text(const std::map<FindingKind, std::int64_t>& kinds) {
  std::vector<std::pair<FindingKind, std::int64_t>> sorted(kinds.begin(), kinds.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [kind, n] : sorted) text += fmt::format("{} {} {}", text.empty() ? "" : ",", name_of(kind), n);
  return text.empty() ? "" : "findings by kind:" + text + "\n";
}

std::string group_table(const std::vector<Group>& groups, const Style& style) {
  if (groups.empty()) return "";
  const std::vector<Verdict> verdicts = verdicts_seen(groups);
  std::vector<Row> rows{table_head(verdicts)};
  for (const Group& group : groups) rows.push_back(table_row(group, verdicts));
  const std::vector<std::size_t> widths = column_widths(rows);
  std::string text = style.paint(Colour::bold, table_line(rows[0], widths));
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::string line = table_line(rows[i + 1], widths);
    text += has_failures(groups[i]) ? style.paint(Colour::red, line) : line;
  }
  return text;
}

std::string summary_text(const RunSummary& summary, const Style& style) {
  std::string text;
  for (const std::string& remark : summary.remarks)
    text += remark.starts_with("  ") ? remark + "\n" : fmt::format("{} {}\n", style.paint(Colour::yellow, "!"), remark);
  const bool good = summary.exit_code == 0;
  text += fmt::format(
      "{}: {} in {:.1f} s: {}; {}\n", style.paint(good ? Colour::green : Colour::red, good ? "passed" : "FAILED"),
      counted(summary.cases_run, "case"), summary.wall_s, verdict_list(summary), counted(summary.findings, "finding"));
  return text;
}

std::string progress_bar(const Progress& progress, std::size_t width) {
  const std::string figures = progress_figures(progress);
  constexpr std::size_t kFrame = 4;  // "[", "]" and two spaces
  if (width < figures.size() + kFrame + 5) return figures.substr(0, width);
  const std::size_t room = std::min<std::size_t>(40, width - figures.size() - kFrame);
  const double share =
      progress.total > 0 ? static_cast<double>(progress.done) / static_cast<double>(progress.total) : 1;
  const auto filled = std::min(room, static_cast<std::size_t>(share * static_cast<double>(room)));
  return fmt::format("[{}{}]  {}", std::string(filled, '='), std::string(room - filled, ' '), figures);
}

std::string progress_line(const Progress& progress) { return "nlldiff: " + progress_figures(progress) + "\n"; }

}  // namespace nlldiff
