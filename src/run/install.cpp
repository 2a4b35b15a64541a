// SPDX-License-Identifier: Apache-2.0
#include "run/install.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "core/error.hpp"

namespace nlldiff {

namespace fs = std::filesystem;

Install find_install() {
  std::error_code error;
  const fs::path exe = fs::read_symlink("/proc/self/exe", error);
  if (error) fail_internal("cannot find the running executable through /proc/self/exe: {}", error.message());
  const fs::path bin = exe.parent_path();
  Install install{(bin.parent_path() / "lib" / "nlldiff").string(), (bin / "nlldiff-worker").string(),
                  (bin / "nlldiff-worker-cuda").string()};
  if (const char* worker = std::getenv("NLLDIFF_WORKER")) install.cpu_worker = install.cuda_worker = worker;
  return install;
}

bool is_executable(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace nlldiff
