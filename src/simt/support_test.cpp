// SPDX-License-Identifier: Apache-2.0
// Where the build put the test kernels' library: only a source file can be told.
#include "simt/test_support.hpp"

namespace nlldiff::simt {

const Library& test_kernels() {
  const char* other = std::getenv("NLLDIFF_TEST_KERNELS");
  static const Library library(other == nullptr ? NLLDIFF_TEST_KERNELS : other);
  return library;
}

}  // namespace nlldiff::simt
