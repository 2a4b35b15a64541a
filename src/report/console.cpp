// SPDX-License-Identifier: Apache-2.0
#include "report/console.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace nlldiff {
namespace {

constexpr std::size_t kMaxCapturedLines = 12;

Colour colour_of(Verdict verdict) {
  if (exit_code_of(verdict, false) != 0) return Colour::red;
  return verdict == Verdict::pass ? Colour::green : Colour::yellow;
}

std::string number(const std::optional<double>& value) { return value ? fmt::format("{}", *value) : "-"; }

std::string cell_values(const FindingCell& cell) {
  std::string text;
  if (cell.candidate) text += fmt::format(", candidate {}", number(cell.candidate));
  if (cell.reference) text += fmt::format(", reference {}", number(cell.reference));
  if (cell.oracle) text += fmt::format(", oracle {}", number(cell.oracle));
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

std::string finding_text(const Finding& finding, const Style& style) {
  std::string text = fmt::format(
      "    {} {}: {}\n", style.paint(Colour::red, name_of(finding.kind)),
      fmt::format("[{}{}{}]", finding.pass, finding.pass.empty() ? "" : ", ", finding.tensor), finding.message);
  for (const FindingCell& cell : finding.cells) text += cell_text(cell);
  if (const auto shown = static_cast<std::int64_t>(finding.cells.size()); shown > 0 && finding.count > shown)
    text += fmt::format("      and {} more cells\n", finding.count - shown);
  text += place_text(finding);
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
  if (first > 0) text += fmt::format("      ... {} lines before\n", first);
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

std::string case_head(const CaseResult& result, const Style& style) {
  return fmt::format("{}  {}: {}  [{}, {}]", style.paint(colour_of(result.verdict), name_of(result.verdict)),
                     result.file, result.c.name, result.candidate, result.device);
}

}  // namespace

std::string case_line(const CaseResult& result, const Style& style) {
  const std::string head = case_head(result, style);
  return result.reason.empty() ? head + "\n" : fmt::format("{}  {}\n", head, result.reason);
}

std::string failure_text(const CaseResult& result, const Style& style) {
  // With findings the reason is the first one's sentence, which stands in the next line anyway.
  std::string text = result.findings.empty() ? case_line(result, style) : case_head(result, style) + "\n";
  for (const Finding& finding : result.findings) text += finding_text(finding, style);
  for (const std::string& note : result.notes) text += fmt::format("    note: {}\n", note);
  text += captured_text("stdout", result.captured_stdout) + captured_text("stderr", result.captured_stderr);
  return text + fmt::format("    {} {}\n", style.paint(Colour::dim, "again:"), result.repro);
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
  text += fmt::format("{}: {} cases in {:.1f} s: {}; {} findings\n",
                      style.paint(good ? Colour::green : Colour::red, good ? "passed" : "FAILED"), summary.cases_run,
                      summary.wall_s, verdict_list(summary), summary.findings);
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
