// SPDX-License-Identifier: Apache-2.0
// nlldiff-translate: compiles one .cu file for the host; the build of our own kernels calls it.
#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "simt/translate.hpp"

namespace {

constexpr const char* kUsage =
    "usage: nlldiff-translate SOURCE.cu --output LIB.so --include-dir DIR --runtime libnlldiff_simt.so\n"
    "         [--compiler g++] [--abi-include-dir DIR] [--run-path DIR] [--depfile FILE] [--flag=FLAG]... [--blind]\n";

struct Arguments {
  std::string source, output;
  nlldiff::simt::CompileOptions options;
};

struct TextOption {
  std::string_view name;
  std::string* value;
};

bool parse(const std::vector<std::string>& words, Arguments& arguments) {
  auto& options = arguments.options;
  const std::array<TextOption, 7> texts{{{"--output", &arguments.output},
                                         {"--compiler", &options.compiler},
                                         {"--include-dir", &options.include_dir},
                                         {"--abi-include-dir", &options.abi_include_dir},
                                         {"--runtime", &options.runtime_library},
                                         {"--run-path", &options.run_path},
                                         {"--depfile", &options.depfile}}};
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string* value = nullptr;
    for (const TextOption& text : texts)
      if (words[i] == text.name) value = text.value;
    if (value != nullptr && i + 1 < words.size())
      *value = words[++i];
    else if (words[i].starts_with("--flag="))
      options.extra_flags.push_back(words[i].substr(7));
    else if (words[i] == "--blind")
      options.instrument = false;
    else if (!words[i].starts_with("-") && arguments.source.empty())
      arguments.source = words[i];
    else
      return false;
  }
  return !arguments.source.empty() && !arguments.output.empty() && !options.include_dir.empty() &&
         !options.runtime_library.empty();
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!parse(std::vector<std::string>(argv + 1, argv + argc), arguments)) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  try {
    nlldiff::simt::compile_for_host(arguments.source, arguments.output, arguments.options);
    return 0;
  } catch (const nlldiff::Error& error) {
    std::fprintf(stderr, "nlldiff-translate: %s\n", error.what());
    return error.exit_code();
  }
}
