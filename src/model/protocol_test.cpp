// SPDX-License-Identifier: Apache-2.0
#include "model/protocol.hpp"

#include <gmock/gmock.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/error.hpp"

namespace nlldiff {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// Both ends of a channel, closed at the end.
class Channel {
 public:
  enum class Kind { socket, pipe };
  explicit Channel(Kind kind) {
    const int failed =
        kind == Kind::socket ? ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()) : ::pipe(ends_.data());
    EXPECT_EQ(failed, 0);
  }
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  ~Channel() {
    close_reader();
    close_writer();
  }
  [[nodiscard]] int reader() const { return ends_[0]; }
  [[nodiscard]] int writer() const { return ends_[1]; }
  void close_reader() { close_end(ends_[0]); }
  void close_writer() { close_end(ends_[1]); }

 private:
  static void close_end(int& fd) {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }
  std::array<int, 2> ends_{-1, -1};
};

template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::internal);
    return error.what();
  }
  return "";
}

void write_raw(int fd, std::string_view bytes) {
  ASSERT_EQ(::write(fd, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
}

class Frames : public testing::TestWithParam<Channel::Kind> {};
INSTANTIATE_TEST_SUITE_P(Over, Frames, testing::Values(Channel::Kind::socket, Channel::Kind::pipe),
                         [](const auto& param_info) {
                           return param_info.param == Channel::Kind::socket ? "socket" : "pipe";
                         });

TEST_P(Frames, ArriveWholeAndInOrderThenEndOfFile) {
  Channel channel(GetParam());
  const std::string large(3 << 20, 'x');  // larger than any socket or pipe buffer
  std::thread writer([&] {
    for (const std::string& body : {std::string("{}"), std::string(), large, std::string("\0\xFF", 2)}) {
      write_frame(channel.writer(), body);
    }
    channel.close_writer();
  });
  EXPECT_EQ(read_frame(channel.reader()), "{}");
  EXPECT_EQ(read_frame(channel.reader()), "");
  EXPECT_EQ(read_frame(channel.reader()), large);
  EXPECT_EQ(read_frame(channel.reader()), std::string("\0\xFF", 2));
  EXPECT_EQ(read_frame(channel.reader()), std::nullopt);
  writer.join();
}

TEST_P(Frames, WritingToADeadPeerIsAnErrorAndNoSignal) {
  Channel channel(GetParam());
  channel.close_reader();
  EXPECT_THAT(error_of([&] { write_frame(channel.writer(), "{}"); }), HasSubstr("cannot send"));
  EXPECT_THAT(error_of([&] { write_frame(channel.writer(), "{}"); }), HasSubstr("cannot send"));
}

TEST_P(Frames, CutShortAreErrorsNotResults) {
  Channel in_length(GetParam());
  write_raw(in_length.writer(), std::string_view("\x05\0", 2));
  in_length.close_writer();
  EXPECT_THAT(error_of([&] { (void)read_frame(in_length.reader()); }), HasSubstr("within a message's length"));
  Channel in_body(GetParam());
  write_raw(in_body.writer(), std::string_view("\x05\0\0\0ab", 6));
  in_body.close_writer();
  EXPECT_THAT(error_of([&] { (void)read_frame(in_body.reader()); }), HasSubstr("ended after 2 of a message's 5 bytes"));
}

TEST_P(Frames, LongerThanTheLimitAreRefusedUnread) {
  Channel channel(GetParam());
  write_raw(channel.writer(), "HTTP/1.1");
  EXPECT_THAT(error_of([&] { (void)read_frame(channel.reader()); }), HasSubstr("something else wrote to the channel"));
  EXPECT_THAT(error_of([&] { write_frame(channel.writer(), std::string(std::size_t{kMaxFrame} + 1, 'x')); }),
              HasSubstr("longer than"));
}

TEST(Frame, SurvivesSignalsInTheMiddle) {
  struct sigaction action {};
  action.sa_handler = [](int) {};  // no SA_RESTART: reads and writes return EINTR
  struct sigaction before {};
  ASSERT_EQ(::sigaction(SIGUSR1, &action, &before), 0);
  Channel channel(Channel::Kind::socket);
  const std::string large(8 << 20, 'y');
  std::atomic<bool> done = false;
  std::thread writer([&] { write_frame(channel.writer(), large); });
  const pthread_t reader = ::pthread_self();
  std::thread interrupter([&] {
    while (!done) {
      ::pthread_kill(reader, SIGUSR1);
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_EQ(read_frame(channel.reader()), large);
  done = true;
  writer.join();
  interrupter.join();
  ::sigaction(SIGUSR1, &before, nullptr);
}

TEST(Frame, LengthIsLittleEndian) {
  Channel channel(Channel::Kind::pipe);
  write_frame(channel.writer(), std::string(0x0102, 'z'));
  std::array<unsigned char, 4> header{};
  ASSERT_EQ(::read(channel.reader(), header.data(), 4), 4);
  EXPECT_THAT(header, testing::ElementsAre(0x02, 0x01, 0, 0));
}

TEST(Messages, RoundTripHelloRequestAndReply) {
  const WorkerHello hello{
      .error = "no torch", .error_exit_code = 3, .environment = {{"torch.version", "2.11.0"}}, .traces = true};
  const auto hello_again = json::parse(json(hello).dump()).get<WorkerHello>();
  EXPECT_EQ(hello_again.error, "no torch");
  EXPECT_EQ(hello_again.error_exit_code, 3);
  EXPECT_EQ(hello_again.environment, hello.environment);
  EXPECT_TRUE(hello_again.traces);

  JobRequest request{.id = std::numeric_limits<std::uint64_t>::max(), .c = {}, .trace = "off"};
  request.c.name = "case";
  request.c.shape = {2, 3};
  const auto request_again = json::parse(json(request).dump()).get<JobRequest>();
  EXPECT_EQ(request_again.id, request.id);
  EXPECT_EQ(request_again.c, request.c);
  EXPECT_EQ(request_again.trace, "off");

  JobReply reply{.id = 5, .result = {}};
  reply.result.c = request.c;
  reply.result.verdict = Verdict::crash;
  reply.result.reason = "signal 11";
  const auto reply_again = json::parse(json(reply).dump()).get<JobReply>();
  EXPECT_EQ(reply_again.id, 5u);
  EXPECT_EQ(reply_again.result.verdict, Verdict::crash);
  EXPECT_EQ(reply_again.result.reason, "signal 11");
  EXPECT_EQ(reply_again.result.c, request.c);
}

TEST(Messages, MissingMembersTakeTheirDefaults) {
  const auto hello = json::parse("{}").get<WorkerHello>();
  EXPECT_EQ(hello.error, "");
  EXPECT_EQ(hello.error_exit_code, 2);
  EXPECT_EQ(json::parse(R"({"id": 1})").get<JobRequest>().trace, "auto");
}

}  // namespace
}  // namespace nlldiff
