// SPDX-License-Identifier: Apache-2.0
// A worker that does what the case's name says: `pass`, `crash/2` and so on; what stands after the first `/` or `.`
// only keeps names apart. FAKE_WORKER_START chooses what it does before its hello.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "model/protocol.hpp"

namespace {

using nlldiff::CaseResult;
using nlldiff::Verdict;

struct Fds {
  int channel = 3, crash = 4;
};

void say(int fd, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = ::write(fd, text.data() + done, text.size() - done);
    if (wrote < 0) ::_exit(9);
    done += static_cast<std::size_t>(wrote);
  }
}

[[noreturn]] void print_for_ever() {
  const std::string line(1000, 'x');
  for (;;) say(1, line + "\n");
}

/// A child that outlives its parent unless somebody kills it; its id goes to stdout.
void leave_a_child_behind() {
  const pid_t child = ::fork();
  if (child == 0)
    for (;;) ::pause();
  say(1, "child " + std::to_string(child) + "\n");
}

CaseResult failing() {
  CaseResult result;
  result.verdict = Verdict::fail;
  result.reason = "1 finding";
  nlldiff::Finding finding;
  finding.kind = nlldiff::FindingKind::foreign_store;
  finding.detector = "alias";
  finding.pass = "backward";
  finding.tensor = "grad_input";
  finding.kernel = "fake_kernel";
  finding.where = "fake.cu:7";
  finding.message = "row 0 stored to row 1";
  finding.cure = "mask the store";
  finding.count = 1;
  finding.cells.push_back({4, 1, 0, 0.0, -1.0, -1.0, {}, "block 0 thread 0 stored 0 to cell 4"});
  result.findings.push_back(finding);
  return result;
}

CaseResult verdict_only(Verdict verdict) {
  CaseResult result;
  result.verdict = verdict;
  result.reason = "as the name says";
  return result;
}

CaseResult passing() {
  CaseResult result;
  result.rows = 6;
  result.ignored_rows = 2;
  result.visibility = {{"target_cell", 2}};
  return result;
}

void noisy() {
  say(1, "to stdout\n");
  say(2, "not utf-8: \xff\xfe.\n");
}

/// What a case does before its result; some never return.
void act(const std::string& what, const Fds& fds) {
  if (what == "crash") ::raise(SIGSEGV);
  if (what == "noted") {
    say(fds.crash, R"({"signal":11,"address":4096,"decoded":"grad_input, row 3, class 1"})"
                   "\n");
    ::raise(SIGSEGV);
  }
  if (what == "badnote") {
    say(fds.crash, "{nonsense");
    ::raise(SIGBUS);
  }
  if (what == "abort") std::abort();
  if (what == "exit0") ::_exit(0);
  if (what == "exit5") ::_exit(5);
  if (what == "hang")
    for (;;) ::pause();
  if (what == "slow") ::usleep(300'000);
  if (what == "endless") print_for_ever();
  if (what == "noisy") noisy();
  if (what == "flood") say(1, std::string(1 << 20, 'y') + "end\n");
  if (what == "orphan") {
    leave_a_child_behind();
    ::_exit(0);
  }
  if (what == "garbage") say(fds.channel, std::string("\xff\xff\xff\xff garbage", 12));
  if (what == "nojson") nlldiff::write_frame(fds.channel, "not json");
  if (what == "wrongid") nlldiff::write_frame(fds.channel, R"({"id":999999,"result":{}})");
  if (what == "close") {
    ::close(fds.channel);
    for (;;) ::pause();
  }
}

CaseResult result_of(const std::string& what) {
  const std::map<std::string, Verdict> verdicts{{"limited", Verdict::limited},
                                                {"unsupported", Verdict::unsupported},
                                                {"inconclusive", Verdict::inconclusive},
                                                {"vacuous", Verdict::vacuous}};
  if (what == "fail") return failing();
  if (const auto it = verdicts.find(what); it != verdicts.end()) return verdict_only(it->second);
  return passing();
}

void answer(const std::string& body, const Fds& fds) {
  const auto request = nlohmann::json::parse(body).get<nlldiff::JobRequest>();
  const std::string what = request.c.name.substr(0, request.c.name.find_first_of("/."));
  act(what, fds);
  nlldiff::JobReply reply{request.id, result_of(what)};
  reply.result.c = request.c;
  nlldiff::write_frame(fds.channel, nlohmann::json(reply).dump());
  if (what == "dieafter") ::raise(SIGSEGV);
}

nlldiff::WorkerHello hello_of(const std::string& start, const std::string& arguments) {
  nlldiff::WorkerHello hello;
  hello.environment = {{"torch.version", "fake"}, {"candidate.sha256", "abc"}, {"worker.arguments", arguments}};
  if (start == "refuse2") hello.error = "the candidate is not for me";
  if (start == "refuse3") hello.error = "the tester is broken";
  if (start == "refuse3") hello.error_exit_code = 3;
  return hello;
}

}  // namespace

int main(int argc, char** argv) {
  ::prctl(PR_SET_DUMPABLE, 0);  // no core files of deaths on purpose
  Fds fds;
  std::string arguments;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i - 1], "--channel-fd") == 0) fds.channel = std::atoi(argv[i]);
    if (std::strcmp(argv[i - 1], "--crash-fd") == 0) fds.crash = std::atoi(argv[i]);
    arguments += std::string(i == 1 ? "" : " ") + argv[i];
  }
  const char* variable = std::getenv("FAKE_WORKER_START");
  const std::string start = variable == nullptr ? "" : variable;
  if (start == "die") {
    say(2, "no library here\n");
    return 7;
  }
  nlldiff::write_frame(fds.channel, nlohmann::json(hello_of(start, arguments)).dump());
  while (const auto body = nlldiff::read_frame(fds.channel)) answer(*body, fds);
  return 0;
}
