// SPDX-License-Identifier: Apache-2.0
#include "cli/process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

extern char** environ;

namespace nlldiff::test {
namespace {

/// An unlinked file that takes an output of any length.
class OutputFile {
 public:
  OutputFile() {
    char name[] = "/tmp/nlldiff_test_XXXXXX";
    fd_ = ::mkstemp(name);
    if (fd_ < 0) throw std::runtime_error("mkstemp failed");
    ::fcntl(fd_, F_SETFD, FD_CLOEXEC);
    ::unlink(name);
  }
  ~OutputFile() { ::close(fd_); }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] std::string text() const {
    std::string text(static_cast<std::size_t>(::lseek(fd_, 0, SEEK_END)), '\0');
    if (::pread(fd_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
      throw std::runtime_error("pread failed");
    return text;
  }

 private:
  int fd_;
};

std::vector<std::string> environment_of(const Program& program) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) variables.emplace_back(*variable);
  for (const auto& [name, value] : program.environment) variables.push_back(name + "=" + value);
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

int exit_code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

}  // namespace

Outcome run_program(const Program& program) {
  const OutputFile out, err;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  if (program.out_path.empty())
    ::posix_spawn_file_actions_adddup2(&actions, out.fd(), 1);
  else
    ::posix_spawn_file_actions_addopen(&actions, 1, program.out_path.c_str(), O_WRONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, err.fd(), 2);
  std::vector<std::string> argv = program.argv, variables = environment_of(program);
  pid_t pid = -1;
  const int error =
      ::posix_spawn(&pid, argv[0].c_str(), &actions, nullptr, pointers(argv).data(), pointers(variables).data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("cannot start " + argv[0]);
  if (program.interrupt_after_ms > 0) {
    ::usleep(static_cast<useconds_t>(program.interrupt_after_ms) * 1000);
    ::kill(pid, SIGINT);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return {exit_code_of(status), out.text(), err.text()};
}

}  // namespace nlldiff::test
