// SPDX-License-Identifier: Apache-2.0
#include "run/results_file.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/error.hpp"

namespace nlldiff {
namespace {

[[noreturn]] void fail_write(const std::string& path) {
  fail_usage("cannot write the results file {}: {}", path, std::strerror(errno));
}

/// An existing file is cut only where it is an earlier run's results: a mistyped --results must not cost a case file.
void refuse_foreign_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) || std::filesystem::file_size(path, error) == 0) return;
  std::string line;
  std::getline(std::ifstream(path), line);
  const auto header = nlohmann::json::parse(line, nullptr, false);
  if (!header.is_object() || !header.contains("schema_version"))
    fail_usage("{} exists and is no results file of nlldiff: it is left alone; give another --results", path);
}

}  // namespace

ResultsFile::ResultsFile(const std::string& path) : path_(path) {
  constexpr int kFlags = O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;  // a pipe without a reader is an error at once
  fd_ = UniqueFd(::open(path.c_str(), kFlags | O_CREAT | O_EXCL, 0666));
  made_ = fd_.open();
  if (!made_ && errno == EEXIST) {
    refuse_foreign_file(path);
    errno = EEXIST;
  }
  if (!made_) fd_ = UniqueFd(::open(path.c_str(), kFlags | (errno == EEXIST ? 0 : O_CREAT), 0666));
  if (!fd_.open()) fail_write(path);
  ::fcntl(fd_.get(), F_SETFL, 0);
  if (::flock(fd_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    fail_usage("another run is writing the results file {}; give another --results", path);
}

ResultsFile::~ResultsFile() {
  if (made_ && !begun_) ::unlink(path_.c_str());
}

void ResultsFile::begin(const RunHeader& header) {
  // A device or a pipe cannot be cut, and needs it not.
  if (::ftruncate(fd_.get(), 0) != 0 && errno != EINVAL) fail_write(path_);
  write_line(nlohmann::json(header).dump());
  begun_ = true;
}

void ResultsFile::add(const CaseResult& result) { write_line(nlohmann::json(result).dump()); }

void ResultsFile::end(const RunSummary& summary) { write_line(nlohmann::json(summary).dump()); }

void ResultsFile::write_line(std::string line) {
  line += '\n';
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t wrote = ::write(fd_.get(), line.data() + done, line.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0 && !begun_) fail_write(path_);
    if (wrote < 0) fail_internal("the results file {} can take no more: {}", path_, std::strerror(errno));
    done += static_cast<std::size_t>(wrote);
  }
}

}  // namespace nlldiff
