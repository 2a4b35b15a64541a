// SPDX-License-Identifier: Apache-2.0
#include "simt/source_lines.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <string_view>

#include "simt/process.hpp"

namespace nlldiff::simt {

namespace {

/// Library -> offsets in it. An offset is that of the call's last byte: a return address may belong to the next line.
using OffsetsByLibrary = std::map<std::string, std::set<std::uintptr_t>>;
using Lines = std::map<std::uintptr_t, std::string>;

std::uintptr_t offset_in(const Dl_info& library, const void* return_address) {
  return reinterpret_cast<std::uintptr_t>(return_address) - reinterpret_cast<std::uintptr_t>(library.dli_fbase) - 1;
}

bool is_ours(std::string_view line) {
  return line.find("/nlldiff_simt/") != std::string_view::npos || line.find("/cuda_fp16.h") != std::string_view::npos ||
         line.find("/cuda_bf16.h") != std::string_view::npos;
}

/// addr2line -a -i prints each address, then its frames from the innermost outwards.
Lines parse(const std::string& output) {
  Lines lines;
  std::uintptr_t offset = 0;
  std::istringstream text(output);
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("0x")) {
      offset = std::stoull(line, nullptr, 16);
      continue;
    }
    const std::string where = line.substr(0, line.find(" (discriminator"));
    if (!where.starts_with("??") && !where.ends_with(":?") && !is_ours(where)) lines.try_emplace(offset, where);
  }
  return lines;
}

Lines lines_of(const std::string& library, const std::set<std::uintptr_t>& offsets) {
  std::vector<std::string> command{"addr2line", "-a", "-i", "-e", library};
  for (const std::uintptr_t offset : offsets) command.push_back(fmt::format("{:#x}", offset));
  const auto result = run_program(command, false);
  return result && result->exit_code == 0 ? parse(result->output) : Lines{};
}

}  // namespace

std::vector<std::string> source_lines(const std::vector<const void*>& return_addresses) {
  OffsetsByLibrary wanted;
  Dl_info library{};
  for (const void* address : return_addresses)
    if (::dladdr(address, &library) != 0) wanted[library.dli_fname].insert(offset_in(library, address));
  std::map<std::string, Lines> found;
  for (const auto& [name, offsets] : wanted) found[name] = lines_of(name, offsets);

  std::vector<std::string> lines;
  for (const void* address : return_addresses)
    lines.push_back(::dladdr(address, &library) == 0 ? std::string{}
                                                     : found[library.dli_fname][offset_in(library, address)]);
  return lines;
}

}  // namespace nlldiff::simt
