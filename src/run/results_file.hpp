// SPDX-License-Identifier: Apache-2.0
// The results file of a run: JSON Lines, each line whole on disk before the next case is reported.
#pragma once

#include <string>

#include "model/result.hpp"
#include "run/unique_fd.hpp"

namespace nlldiff {

class ResultsFile {
 public:
  /// Opens for writing, and keeps what is in the file until begin(). Throws Error(usage) where the file cannot be
  /// written or another run is writing it.
  explicit ResultsFile(const std::string& path);
  /// Removes the file where this object made it and nothing was written.
  ~ResultsFile();
  ResultsFile(const ResultsFile&) = delete;
  ResultsFile& operator=(const ResultsFile&) = delete;

  /// The run starts: an earlier run's lines give way to this header. Throws Error(usage), as all below, where the
  /// disk takes no more.
  void begin(const RunHeader& header);
  void add(const CaseResult& result);
  void end(const RunSummary& summary);

 private:
  void write_line(std::string line);
  std::string path_;
  UniqueFd fd_;
  bool made_ = false, begun_ = false;
};

}  // namespace nlldiff
