// SPDX-License-Identifier: Apache-2.0
#include "run/memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

#include "model/inputs.hpp"

namespace nlldiff {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kMiB = 1024.0 * 1024.0;
constexpr double kSmallestCase = 64 * kMiB;

/// A file that holds one number; nothing for "max" or where it cannot be read.
std::optional<double> read_number(const std::string& path) {
  std::ifstream file(path);
  double value = 0;
  if (file >> value) return value;
  return std::nullopt;
}

/// The number after `key` in a file of "key value" lines.
std::optional<double> read_field(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  std::string line, word;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    double value = 0;
    if (words >> word && word == key && words >> value) return value;
  }
  return std::nullopt;
}

/// A control group's free memory. The page cache that it holds can be given back, so it does not count as used.
double group_free(const std::string& folder, const std::string& limit, const std::string& usage,
                  const std::string& cache_key) {
  const auto max = read_number(folder + limit);
  const auto current = read_number(folder + usage);
  if (!max || !current) return kInfinite;
  const double cache = read_field(folder + "memory.stat", cache_key).value_or(0);
  return std::max(0.0, *max - std::max(0.0, *current - cache));
}

/// "0::/a/b" and "5:memory:/a/b" of /proc/self/cgroup -> "a/b/"; "" where there is none.
std::string group_path(const std::string& root, const std::string& controller) {
  std::ifstream file(root + "proc/self/cgroup");
  std::string line;
  while (std::getline(file, line)) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    if (line.substr(first + 1, second - first - 1) != controller) continue;
    const std::string path = line.substr(second + 1);
    return path.size() > 1 ? path.substr(1) + "/" : "";
  }
  return "";
}

double groups_free(const std::string& root) {
  double free = kInfinite;
  for (const std::string& below : {std::string(), group_path(root, "")})
    free = std::min(free, group_free(root + "sys/fs/cgroup/" + below, "memory.max", "memory.current", "inactive_file"));
  for (const std::string& below : {std::string(), group_path(root, "memory")})
    free = std::min(free, group_free(root + "sys/fs/cgroup/memory/" + below, "memory.limit_in_bytes",
                                     "memory.usage_in_bytes", "total_inactive_file"));
  return free;
}

}  // namespace

double estimated_bytes(const Case& c) {
  constexpr double kBeyondAnyMachine = 1e15;  // input_bytes counts in int64, which larger cases would overflow
  const auto cells = static_cast<double>(geometry_of(c).cells());
  const double of_cells = cells * (5.0 * bytes_of(c.dtype) + 9.0);
  if (of_cells > kBeyondAnyMachine) return of_cells;
  return static_cast<double>(input_bytes(c)) * 3.0 + of_cells + kSmallestCase;
}

double available_bytes(const std::string& root) {
  const auto kib = read_field(root + "proc/meminfo", "MemAvailable:");
  return std::min(kib ? *kib * 1024.0 : kInfinite, groups_free(root));
}

double case_budget(double available, int workers) {
  constexpr double kWorkerBytes = 400 * kMiB;  // LibTorch's own pages, measured, with some room
  return std::max(0.0, 0.9 * available - workers * kWorkerBytes);
}

int workers_that_fit(double available, int wanted, double largest) {
  int workers = wanted;
  while (workers > 1 && case_budget(available, workers) < std::max(largest, workers * kSmallestCase)) --workers;
  return workers;
}

}  // namespace nlldiff
