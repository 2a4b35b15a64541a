// SPDX-License-Identifier: Apache-2.0
#include "run/build_info.hpp"

namespace nlldiff {

std::string_view build_version() { return NLLDIFF_VERSION; }
std::string_view build_git_commit() { return NLLDIFF_GIT_COMMIT; }
std::string_view build_compiler() { return NLLDIFF_COMPILER; }

}  // namespace nlldiff
