// SPDX-License-Identifier: Apache-2.0
// .cu -> preprocessed -> translated -> object -> shared library. All flags are here, for the build of our own
// kernels as for a user's.
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/error.hpp"
#include "simt/process.hpp"
#include "simt/translate.hpp"

namespace nlldiff::simt {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

void append(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

bool is_clang(const std::string& compiler) {
  return fs::path(compiler).filename().string().find("clang") != std::string::npos;
}

Words preprocess_flags(const CompileOptions& options) {
  Words flags{"-x",       "c++",           "-std=gnu++17", "-DNLLDIFF_SIMT_BUILD=1", "-isystem", options.include_dir,
              "-include", "cuda_runtime.h"};
  if (!options.abi_include_dir.empty()) append(flags, {"-I", options.abi_include_dir});
  append(flags, options.extra_flags);
  return flags;
}

/// Each access is to call a hook, function entries are not; a hook knows its caller by the return address, which a tail
/// call would lose. g++ would expand short memory functions in line, unseen.
Words instrument_flags(const std::string& compiler) {
  Words flags{"-fsanitize=thread", "-fno-optimize-sibling-calls", "-fno-builtin-memset", "-fno-builtin-memcpy",
              "-fno-builtin-memmove"};
  if (is_clang(compiler))
    append(flags, {"-mllvm", "-tsan-instrument-func-entry-exit=0"});
  else
    append(flags, {"--param=tsan-instrument-func-entry-exit=0", "-fno-tree-loop-distribute-patterns"});
  return flags;
}

/// Strict floating point: the host contracts nothing, so that a value depends on the source alone. Hidden symbols
/// and no unique ones: an instrumented inline function must not stand in for somebody else's, or the reverse.
Words compile_flags(const CompileOptions& options) {
  Words flags{"-x",
              "c++-cpp-output",
              "-std=gnu++17",
              "-O2",
              "-g1",
              "-fPIC",
              "-w",
              "-fvisibility=hidden",
              "-fvisibility-inlines-hidden",
              "-ffp-contract=off",
              "-fno-fast-math",
              "-fno-strict-aliasing",
              "-fno-plt"};
  if (!is_clang(options.compiler)) append(flags, {"-fno-gnu-unique"});
  if (options.instrument) append(flags, instrument_flags(options.compiler));
  append(flags, options.extra_flags);
  return flags;
}

Words link_flags(const CompileOptions& options) {
  const std::string run_path =
      options.run_path.empty() ? fs::absolute(options.runtime_library).parent_path().string() : options.run_path;
  Words flags{"-shared",     "-Wl,-Bsymbolic",           "-Wl,-z,now",
              "-Wl,-z,defs", "-Wl,--wrap=__assert_fail", "-Wl,-rpath," + run_path};
  if (options.instrument) append(flags, {"-Wl,--wrap=memset", "-Wl,--wrap=memcpy", "-Wl,--wrap=memmove"});
  return flags;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.flush();
  if (!out) fail_usage("{}: cannot be written; is there room on the disk?", path);
}

/// A folder of its own beside `output`, gone with the object.
class WorkFolder {
 public:
  explicit WorkFolder(const std::string& output) : path_(output + ".XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr)
      fail_usage("{}: cannot be written; choose a folder that exists and is writable", output);
  }
  ~WorkFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  [[nodiscard]] std::string file(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

void run_step(const std::string& source, const char* step, const Words& command) {
  const auto result = run_program(command, true);
  if (!result) fail_usage("{}: the compiler {} cannot be started; is it installed?", source, command.front());
  if (result->exit_code != 0)
    fail_usage("{}: {} refuses to {} it for the host (exit {}):\n{}", source, command.front(), step, result->exit_code,
               result->output);
}

}  // namespace

void compile_for_host(const std::string& source, const std::string& output, const CompileOptions& options) {
  if (!fs::is_regular_file(source)) fail_usage("{}: no such file", source);
  const WorkFolder work(output);
  const std::string preprocessed = work.file("preprocessed.ii"), translated = work.file("translated.ii");
  const std::string object = work.file("kernel.o"), library = work.file("kernel.so");

  Words command{options.compiler, "-E"};
  append(command, preprocess_flags(options));
  if (!options.depfile.empty()) append(command, {"-MD", "-MF", options.depfile, "-MT", output});
  append(command, {source, "-o", preprocessed});
  run_step(source, "preprocess", command);

  write_file(translated, translate(read_file(preprocessed)));

  command = {options.compiler, "-c"};
  append(command, compile_flags(options));
  append(command, {translated, "-o", object});
  run_step(source, "compile", command);

  command = {options.compiler, object, options.runtime_library, "-o", library};
  append(command, link_flags(options));
  run_step(source, "link", command);

  std::error_code failed;
  fs::rename(library, output, failed);
  if (failed) fail_usage("{}: cannot be written: {}", output, failed.message());
}

std::string compile_fingerprint(const CompileOptions& options) {
  const auto version = run_program({options.compiler, "--version"}, false);
  return fmt::format("{}\n{}\n{}\n{}", version ? version->output : options.compiler,
                     fmt::join(preprocess_flags(options), " "), fmt::join(compile_flags(options), " "),
                     fmt::join(link_flags(options), " "));
}

}  // namespace nlldiff::simt
