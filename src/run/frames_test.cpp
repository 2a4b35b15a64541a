// SPDX-License-Identifier: Apache-2.0
#include "run/frames.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "model/protocol.hpp"

namespace nlldiff {
namespace {

TEST(FrameReader, GivesFramesHoweverTheBytesCome) {
  const std::string bytes = encode_frame("first") + encode_frame("") + encode_frame(std::string(300, 'x'));
  FrameReader reader;
  std::vector<std::string> frames;
  for (const char byte : bytes) {
    reader.append({&byte, 1});
    while (const auto frame = reader.next()) frames.push_back(*frame);
  }
  EXPECT_EQ(frames, (std::vector<std::string>{"first", "", std::string(300, 'x')}));
}

TEST(FrameReader, TakesALengthAtTheLimitAndRefusesOneByteMore) {
  const auto prefix = [](std::uint32_t length) {
    std::string text;
    for (int i = 0; i < 4; ++i) text += static_cast<char>(length >> (8 * i) & 0xff);
    return text;
  };
  FrameReader good, bad;
  good.append(prefix(kMaxFrame));
  EXPECT_EQ(good.next(), std::nullopt);
  bad.append(prefix(kMaxFrame + 1));
  EXPECT_THROW(static_cast<void>(bad.next()), Error);
}

}  // namespace
}  // namespace nlldiff
