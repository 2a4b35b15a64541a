// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "cli/run_display.hpp"
#include "cli/select_options.hpp"
#include "cli/verbs.hpp"
#include "core/error.hpp"
#include "run/session.hpp"

namespace nlldiff {
namespace {

/// What CLI11 fills.
struct RunArguments {
  SelectOptions select;
  std::vector<std::string> candidates;
  std::string device = "auto", trace = "auto", colour = "auto", results;
  std::vector<std::string> require;
  std::optional<std::string> rng_seed;  // CLI11 2.1 would take -1 as 2^64 - 1
  std::optional<double> max_time_s;
  std::optional<int> jobs;
  double timeout_s = 20;
  bool fail_fast = false, keep_going = false, quiet = false, verbose = false, no_progress = false;
};

void add_what_options(CLI::App& app, RunArguments& a) {
  add_select_options(app, a.select);
  add_repeatable(app, "--candidate", a.candidates,
                 "nlldiff (default), aten, mutant:NAME, legal:NAME, path/lib.so or path/kernel.cu. Repeatable");
  app.add_option("--device", a.device, "auto (default: a GPU where there is one), cpu, cuda, cuda:K or cuda:all");
  app.add_option("--rng-seed", a.rng_seed, "in place of every case's own rng_seed");
  app.add_option("--trace", a.trace, "auto (default), on or off: watch every store of the candidate");
  add_repeatable(app, "--require", a.require, "trace: a case without a trace of its stores fails");
}

void add_how_options(CLI::App& app, RunArguments& a) {
  app.add_option("--results", a.results, "write every result to this file, JSON Lines");
  app.add_option("--jobs", a.jobs, "worker processes (default: one a core on the CPU, one on a GPU)");
  app.add_option("--timeout", a.timeout_s, "seconds a case (default 20)");
  app.add_option("--max-time", a.max_time_s, "seconds after which no more case is started; cases left fail the run");
  app.add_flag("--fail-fast", a.fail_fast, "start no more cases after the first that fails");
  app.add_flag("--keep-going", a.keep_going,
               fmt::format("go on with a candidate that crashed or timed out {} times in a row", kMaxCrashesInARow));
  app.add_flag("-q,--quiet", a.quiet, "print failing cases and the summary only: no table, no progress");
  app.add_flag("-v,--verbose", a.verbose, "print a line for every case, and all recorded cells of a finding");
  app.add_flag("--no-progress", a.no_progress, "no progress bar or lines");
  app.add_option("--color", a.colour, "auto (default), always or never; NO_COLOR turns auto off");
}

void check_word(const char* option, const std::string& word, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), word) == known.end())
    fail_usage("unknown {} \"{}\"{}", option, word, did_you_mean(word, known));
}

void check_numbers(const RunArguments& a) {
  constexpr double kLongest = 1e6;
  constexpr int kMostJobs = 1024;
  if (!(a.timeout_s > 0 && a.timeout_s <= kLongest)) fail_usage("--timeout {}: give seconds in (0, 1e6]", a.timeout_s);
  if (a.max_time_s && !(*a.max_time_s > 0)) fail_usage("--max-time {}: give seconds above 0", *a.max_time_s);
  if (a.jobs && (*a.jobs < 1 || *a.jobs > kMostJobs))
    fail_usage("--jobs {}: give a number in 1..{}", *a.jobs, kMostJobs);
}

void check_words(const RunArguments& a) {
  if (a.quiet && a.verbose) fail_usage("-q and -v exclude each other; give one of them");
  check_word("--trace", a.trace, {"auto", "on", "off"});
  check_word("--color", a.colour, {"auto", "always", "never"});
  for (const std::string& word : a.require) check_word("--require", word, {"trace"});
}

std::uint64_t parse_rng_seed(const std::string& text) {
  std::uint64_t seed = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, seed);
  if (error != std::errc() || stop != end) fail_usage("--rng-seed {}: give a whole number in [0, 2^64)", text);
  return seed;
}

RunOptions run_options(const RunArguments& a) {
  RunOptions options;
  options.plan = plan_options(a.select);
  if (a.rng_seed) options.plan.rng_seed = parse_rng_seed(*a.rng_seed);
  if (!a.candidates.empty()) options.candidates = a.candidates;
  options.device = a.device;
  options.jobs = a.jobs.value_or(0);
  options.timeout = std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>(a.timeout_s));
  options.max_time_s = a.max_time_s;
  options.fail_fast = a.fail_fast;
  options.keep_going = a.keep_going;
  options.require_trace = !a.require.empty();
  options.trace = a.trace;
  return options;
}

bool wants_colours(const std::string& colour) {
  if (colour != "auto") return colour == "always";
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool dumb = term == nullptr || std::string_view(term) == "dumb";
  return ::isatty(STDOUT_FILENO) == 1 && !dumb && (no_color == nullptr || *no_color == '\0');
}

DisplayOptions display_options(const RunArguments& a, Arguments arguments) {
  DisplayOptions display;
  display.quiet = a.quiet;
  display.verbose = a.verbose;
  display.jobs = a.jobs.value_or(0);
  display.progress = !a.no_progress && !a.quiet;
  display.colours = wants_colours(a.colour);
  display.require_trace = !a.require.empty();
  display.results = a.results;
  display.command_line = {"nlldiff", "run"};
  display.command_line.insert(display.command_line.end(), arguments.begin(), arguments.end());
  return display;
}

}  // namespace

int run_verb(Arguments arguments) {
  CLI::App app(
      "Runs cases with candidates, compares each result with the oracle and with PyTorch's own kernels, and "
      "says where they differ and which stores went astray.",
      "run");
  app.footer(
      "Columns of the table, which count judged cases only:\n"
      "  ignored rows  rows whose target is ignore_index\n"
      "  visible rows  ignored rows whose sentinel-built address hits another row's cell");
  RunArguments parsed;
  add_what_options(app, parsed);
  add_how_options(app, parsed);
  if (!parse_arguments(app, arguments)) return 0;
  check_words(parsed);
  check_numbers(parsed);
  const RunOptions options = run_options(parsed);
  const Install install = find_install();
  const std::vector<Target> targets = resolve_targets(options, install);
  const Plan plan = make_plan(options.plan);
  RunDisplay display(display_options(parsed, arguments),
                     plan.skipped_combinations * static_cast<std::int64_t>(targets.size()));
  return display.finish(run_session(plan, options, targets, install, display));
}

}  // namespace nlldiff
