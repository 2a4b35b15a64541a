// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "simt/simt.hpp"

namespace nlldiff::simt {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(SelfTest, ThisBuildSeesEveryFormOfStore) { EXPECT_THAT(self_test(NLLDIFF_PROBE), IsEmpty()); }

#ifdef NLLDIFF_OTHER_PROBE
TEST(SelfTest, TheOtherCompilersBuildSeesEveryFormOfStore) { EXPECT_THAT(self_test(NLLDIFF_OTHER_PROBE), IsEmpty()); }
#endif

TEST(SelfTest, ABuildWithoutHooksIsFoundBlind) {
  const auto unseen = self_test(NLLDIFF_BLIND_PROBE);
  EXPECT_THAT(unseen, testing::Contains(HasSubstr("a store of 4 bytes: of 4 bytes, 4 were not seen")));
  EXPECT_THAT(unseen, testing::Contains(HasSubstr("memset of any size: of 77 bytes, 77 were not seen")));
  EXPECT_GE(unseen.size(), 30u);
}

TEST(SelfTest, AMissingLibraryIsSaid) {
  EXPECT_THAT(self_test("/nowhere/probe.so"), testing::ElementsAre(HasSubstr("cannot be loaded")));
}

TEST(SelfTest, AnotherLibraryIsNotTakenForTheProbe) {
  EXPECT_THAT(self_test(NLLDIFF_TEST_KERNELS), testing::ElementsAre(HasSubstr("is not the probe library")));
}

}  // namespace
}  // namespace nlldiff::simt
