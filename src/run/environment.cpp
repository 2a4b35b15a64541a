// SPDX-License-Identifier: Apache-2.0
#include "run/environment.hpp"

#include <fmt/chrono.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <thread>

#include "run/build_info.hpp"

namespace nlldiff {
namespace {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name") && line.find(": ") != std::string::npos) return line.substr(line.find(": ") + 2);
  return "unknown";
}

}  // namespace

Environment host_environment() {
  utsname names{};
  ::uname(&names);
  const auto memory = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGE_SIZE);
  return {{"host", names.nodename},
          {"kernel", std::string(names.sysname) + " " + names.release + " " + names.machine},
          {"cpu", cpu_model()},
          {"cores", std::to_string(std::thread::hardware_concurrency())},
          {"memory_bytes", std::to_string(memory)},
          {"compiler", std::string(build_compiler())}};
}

void merge_environment(Environment& into, const Environment& of_worker, const std::string& spec,
                       const std::string& device) {
  const std::string prefix = "candidate.";
  for (const auto& [key, value] : of_worker) {
    const std::string name = key.starts_with(prefix) ? prefix + spec + "." + key.substr(prefix.size()) : key;
    const auto [place, is_new] = into.emplace(name, value);
    if (!is_new && place->second != value) into[name + "@" + device] = value;
  }
}

std::string timestamp() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

}  // namespace nlldiff
