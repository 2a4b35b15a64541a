// SPDX-License-Identifier: Apache-2.0
#include "run/capture.hpp"

#include <gmock/gmock.h>

namespace nlldiff {
namespace {

TEST(Capture, ShortOutputIsKeptAsItIsAndTakingEmpties) {
  Capture capture;
  capture.append("a\n");
  capture.append("b\n");
  EXPECT_EQ(capture.take(), "a\nb\n");
  EXPECT_EQ(capture.take(), "");
}

TEST(Capture, OutputOfExactlyTheLimitLosesNothing) {
  Capture capture;
  const std::string text = std::string(Capture::kHalf, 'h') + std::string(Capture::kHalf, 't');
  for (std::size_t at = 0; at < text.size(); at += 1000) capture.append(std::string_view(text).substr(at, 1000));
  EXPECT_EQ(capture.take(), text);
}

TEST(Capture, OneByteMoreIsCountedAsLeftOut) {
  Capture capture;
  capture.append(std::string(Capture::kHalf, 'h') + "!" + std::string(Capture::kHalf, 't'));
  EXPECT_EQ(capture.take(),
            std::string(Capture::kHalf, 'h') + "\n... 1 bytes left out ...\n" + std::string(Capture::kHalf, 't'));
}

TEST(Capture, LongOutputInManyPiecesKeepsHeadAndTailAndTheCount) {
  Capture capture;
  for (int i = 0; i < 1000; ++i) capture.append(std::string(1000, static_cast<char>('a' + i % 26)));
  const std::string text = capture.take();
  EXPECT_THAT(text, ::testing::StartsWith("aaa"));
  EXPECT_THAT(text, ::testing::HasSubstr("... 934464 bytes left out ..."));
  EXPECT_LT(text.size(), 2 * Capture::kHalf + 100);
}

}  // namespace
}  // namespace nlldiff
