// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <memory>
#include <span>

#include "core/error.hpp"
#include "simt/probe.h"
#include "simt/simt.hpp"

namespace nlldiff::simt {

namespace {

struct CloseLibrary {
  void operator()(void* library) const { ::dlclose(library); }
};
using Library = std::unique_ptr<void, CloseLibrary>;

struct alignas(16) ProbeMemory {
  unsigned char cells[NLLDIFF_PROBE_BYTES] = {};
  unsigned char source[NLLDIFF_PROBE_BYTES] = {};
};

/// What is wrong with the bytes that were seen; empty: each of [begin, end) once, and no other.
std::string complaint(const nlldiff_simt_probe& probe, const CellCounts& seen) {
  std::size_t missed = 0, twice = 0, elsewhere = 0;
  for (std::size_t byte = 0; byte < NLLDIFF_PROBE_BYTES; ++byte) {
    const std::uint32_t count = seen.at(static_cast<std::int64_t>(byte));
    if (byte < probe.begin || byte >= probe.end)
      elsewhere += count != 0 ? 1 : 0;
    else if (count == 0)
      ++missed;
    else if (count > 1)
      ++twice;
  }
  if (missed + twice + elsewhere == 0) return {};
  return fmt::format("{}: of {} bytes, {} were not seen and {} were seen more than once; {} other bytes were seen",
                     probe.form, probe.end - probe.begin, missed, twice, elsewhere);
}

std::string run_probe(const nlldiff_simt_probe& probe) {
  ProbeMemory memory;
  Options options;
  options.arena_base = reinterpret_cast<std::uintptr_t>(&memory);
  options.arena_bytes = sizeof memory;
  options.watches.push_back({.tensor = "cells",
                             .base = reinterpret_cast<std::uintptr_t>(memory.cells),
                             .cells = NLLDIFF_PROBE_BYTES,
                             .cell_bytes = 1,
                             .log = {}});
  Session session(std::move(options));
  probe.run(memory.cells, memory.source);
  const CallTrace trace = session.take_trace();
  if (!trace.complete) return fmt::format("{}: {}", probe.form, trace.why_incomplete);
  return complaint(probe, trace.tensors.front().stores);
}

}  // namespace

std::vector<std::string> self_test(const std::string& library) {
  const Library handle(::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!handle) return {fmt::format("the probe library cannot be loaded: {}", ::dlerror())};
  const auto probes = reinterpret_cast<nlldiff_simt_probes_function>(::dlsym(handle.get(), "nlldiff_simt_probes"));
  if (probes == nullptr) return {fmt::format("{} is not the probe library", library)};
  std::size_t count = 0;
  const nlldiff_simt_probe* first = probes(&count);
  std::vector<std::string> unseen;
  for (const nlldiff_simt_probe& probe : std::span(first, count)) {
    std::string sentence = run_probe(probe);
    if (!sentence.empty()) unseen.push_back(std::move(sentence));
  }
  return unseen;
}

}  // namespace nlldiff::simt
