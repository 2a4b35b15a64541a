// SPDX-License-Identifier: Apache-2.0
#include "cli/parse.hpp"

#include <algorithm>

#include "cli/output.hpp"
#include "core/error.hpp"
#include "core/names.hpp"

namespace nlldiff {
namespace {

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

void refuse_extras(const CLI::App& app) {
  const std::vector<std::string> extras = app.remaining();
  if (extras.empty()) return;
  const std::string& word = extras.front();
  if (!word.starts_with("-")) fail_usage("unexpected argument \"{}\" ({} --help)", word, app.get_name());
  const std::string name = word.substr(0, word.find('='));
  fail_usage("unknown option \"{}\"{}", name, did_you_mean(name, option_names(app)));
}

std::string one_line_of(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

}  // namespace

bool parse_arguments(CLI::App& app, Arguments arguments) {
  app.name("nlldiff " + app.get_name());
  app.allow_extras();
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // CLI11 takes them from the back
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    print_out(app.help());
    return false;
  } catch (const CLI::ParseError& error) {
    refuse_extras(app);
    fail_usage("{} ({} --help)", one_line_of(error.what()), app.get_name());
  }
  refuse_extras(app);
  return true;
}

CLI::Option* add_repeatable(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                            const std::string& help) {
  return app.add_option(name, values, help)->allow_extra_args(false);
}

}  // namespace nlldiff
