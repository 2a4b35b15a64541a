// SPDX-License-Identifier: Apache-2.0
// Where this nlldiff's own files are, found from the running executable: a moved tree keeps working.
#pragma once

#include <string>

namespace nlldiff {

struct Install {
  std::string lib_dir;      ///< <exe>/../lib/nlldiff
  std::string cpu_worker;   ///< <exe>/nlldiff-worker
  std::string cuda_worker;  ///< <exe>/nlldiff-worker-cuda; may not exist
};

/// The environment variable NLLDIFF_WORKER (for tests and packagers) takes the place of both workers.
[[nodiscard]] Install find_install();

/// True where `path` is a regular file that may be executed.
[[nodiscard]] bool is_executable(const std::string& path);

}  // namespace nlldiff
