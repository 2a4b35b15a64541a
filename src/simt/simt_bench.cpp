// SPDX-License-Identifier: Apache-2.0
// Traced CUDA threads a second on one core; one line of JSON. The median of several sessions, their set-up not counted.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <vector>

#include "simt/simt.hpp"

namespace {

using Kernel = void (*)(float*, const float*, const long long*, int, int);

constexpr int kRows = 1 << 20, kClasses = 4, kSessions = 9;

struct Memory {
  std::vector<float> grad_input = std::vector<float>(std::size_t{kRows} * kClasses);
  std::vector<float> grad_output = std::vector<float>(kRows, 1.0f);
  std::vector<long long> target = std::vector<long long>(kRows);
};

/// CPU time: the machine may be shared.
double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double threads_per_second(Kernel kernel, Memory& memory, bool traced) {
  std::vector<double> speeds;
  for (int i = 0; i < kSessions; ++i) {
    nlldiff::simt::Options options;
    options.arena_base = reinterpret_cast<std::uintptr_t>(memory.grad_input.data());
    options.arena_bytes = traced ? memory.grad_input.size() * sizeof(float) : 0;
    if (traced)
      options.watches.push_back({.tensor = "grad_input",
                                 .base = options.arena_base,
                                 .cells = static_cast<std::int64_t>(memory.grad_input.size()),
                                 .cell_bytes = sizeof(float),
                                 .log = {}});
    nlldiff::simt::Session session(options);
    const double begin = cpu_seconds();
    kernel(memory.grad_input.data(), memory.grad_output.data(), memory.target.data(), kRows, kClasses);
    speeds.push_back(kRows / (cpu_seconds() - begin));
  }
  std::nth_element(speeds.begin(), speeds.begin() + kSessions / 2, speeds.end());
  return speeds[kSessions / 2];
}

}  // namespace

int main() {
  void* library = ::dlopen(NLLDIFF_BENCH_KERNELS, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    fmt::print(stderr, "{}\n", ::dlerror());
    return 3;
  }
  Memory memory;
  for (int row = 0; row < kRows; ++row) memory.target[static_cast<std::size_t>(row)] = row % kClasses;
  const auto plain = reinterpret_cast<Kernel>(::dlsym(library, "run_scatter"));
  const auto barrier = reinterpret_cast<Kernel>(::dlsym(library, "run_scatter_after_barrier"));
  fmt::print(
      "{{\"threads\": {}, \"traced_threads_per_second\": {:.3e}, \"untraced_threads_per_second\": {:.3e}, "
      "\"traced_threads_per_second_with_barrier\": {:.3e}}}\n",
      kRows, threads_per_second(plain, memory, true), threads_per_second(plain, memory, false),
      threads_per_second(barrier, memory, true));
  return 0;
}
