// SPDX-License-Identifier: Apache-2.0
#include "run/discover.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/error.hpp"

namespace nlldiff {
namespace {

namespace fs = std::filesystem;

bool is_heavy(const std::string& folder) { return folder == "full" || folder == "bench"; }

/// What the search below one given folder takes.
struct Search {
  Tier tier;
  bool heavy_named;  ///< the given folder is itself full or bench
  std::vector<fs::path> found;
};

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> entries;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    entries.push_back(it->path());
  if (error) fail_usage("cannot read the folder {}: {}", folder.string(), error.message());
  std::sort(entries.begin(), entries.end());
  return entries;
}

bool enters(const Search& search, const fs::path& folder) {
  const std::string name = folder.filename().string();
  if (name == "schema" || fs::is_symlink(folder)) return false;
  return search.tier == Tier::full || search.heavy_named || !is_heavy(name);
}

void search_folder(Search& search, const fs::path& folder, bool in_smoke) {
  for (const fs::path& entry : sorted_entries(folder)) {
    const std::string name = entry.filename().string();
    if (name.starts_with(".")) continue;
    std::error_code ignored;
    if (fs::is_directory(entry, ignored)) {
      if (enters(search, entry)) search_folder(search, entry, in_smoke || name == "smoke");
    } else if (entry.extension() == ".json" && (search.tier != Tier::smoke || in_smoke)) {
      search.found.push_back(entry);
    }
  }
}

std::string folder_name(const fs::path& path) {
  std::error_code ignored;
  return fs::weakly_canonical(path, ignored).filename().string();
}

std::vector<fs::path> files_below(const fs::path& folder, Tier tier) {
  const std::string name = folder_name(folder);
  Search search{tier, is_heavy(name), {}};
  if (name != "schema") search_folder(search, folder, name == "smoke");
  if (search.found.empty())
    fail_usage("no case file (*.json) of tier {} in the folder {}; name a file, another folder or another --tier",
               name_of(tier), folder.string());
  return search.found;
}

std::vector<fs::path> files_of(const std::string& given, Tier tier) {
  std::error_code error;
  const fs::file_status status = fs::status(given, error);
  if (!fs::exists(status)) {
    if (error && error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory)
      fail_usage("cannot read {}: {}", given, error.message());
    fail_usage("no such file or folder: {}", given);
  }
  if (fs::is_directory(status)) return files_below(given, tier);
  if (!fs::is_regular_file(status)) fail_usage("not a regular file: {}; give a case file (*.json) or a folder", given);
  return {given};
}

}  // namespace

std::vector<CaseFilePath> find_case_files(const std::vector<std::string>& paths, Tier tier) {
  std::vector<CaseFilePath> files;
  std::set<fs::path> seen;
  for (const std::string& given : paths) {
    for (const fs::path& file : files_of(given, tier)) {
      std::error_code ignored;
      if (seen.insert(fs::weakly_canonical(file, ignored)).second)
        files.push_back({file.string(), file.stem().string()});
    }
  }
  return files;
}

}  // namespace nlldiff
