// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.hpp"

#include <fmt/format.h>

#include <vector>

#include "cli/output.hpp"
#include "core/error.hpp"
#include "core/names.hpp"
#include "run/build_info.hpp"

namespace nlldiff {
namespace {

std::string help_text() {
  std::string text =
      "nlldiff: differential tester for NLL-loss kernels. It runs a candidate and PyTorch's own kernels on the same\n"
      "cases and says where gradients differ and which stores went to a cell that was not theirs.\n\n"
      "Usage: nlldiff VERB [options]\n\nVerbs:\n";
  for (const Verb& verb : kVerbs) text += fmt::format("  {:<12}{}\n", verb.name, verb.help);
  return text +
         "\nOptions:\n  -h, --help  this text; nlldiff VERB --help for a verb's options\n  --version   version and "
         "git commit\n\nExit codes: 0 all passed; 1 a finding, crash, timeout, or nothing was really tested;\n2 bad "
         "command line or case file, nothing was run; 3 the tester itself could not work; 130 interrupted\n";
}

[[noreturn]] void fail_unknown(const std::string& word) {
  std::vector<std::string> known;
  for (const Verb& verb : kVerbs) known.emplace_back(verb.name);
  fail_usage("unknown {} \"{}\"{}", word.starts_with("-") ? "option" : "verb", word, did_you_mean(word, known));
}

}  // namespace

int dispatch(Arguments arguments) {
  if (arguments.empty()) fail_usage("no verb given; nlldiff --help lists them");
  const std::string& word = arguments.front();
  for (const Verb& verb : kVerbs)
    if (verb.name == word) return verb.function(arguments.subspan(1));
  if (word == "-h" || word == "--help")
    print_out(help_text());
  else if (word == "--version")
    print_out(fmt::format("nlldiff {} ({})\n", build_version(), build_git_commit()));
  else
    fail_unknown(word);
  return 0;
}

}  // namespace nlldiff
