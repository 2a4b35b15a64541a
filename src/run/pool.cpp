// SPDX-License-Identifier: Apache-2.0
#include "run/pool.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.hpp"

namespace nlldiff {
namespace {

using namespace std::chrono_literals;
constexpr auto kTick = 200ms;
constexpr auto kHangUpGrace = 3s;  // a worker's own way out, static destructors included
constexpr auto kClosedGrace = 1s;  // between the end of a channel and the death that it announces

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// The last lines of a worker's output, for an error sentence.
std::string tail_of(WorkerProcess& worker) {
  std::string text = worker.err.take() + worker.out.take();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (text.size() > 2000) text = "... " + text.substr(text.size() - 2000);
  return text.empty() ? "it printed nothing" : "it printed:\n" + text;
}

/// " at address 0x10 (grad_input, row 3)".
std::string place_of(const std::optional<CrashNote>& note) {
  if (!note) return "";
  std::string place;
  if (note->address != 0) place += fmt::format(" at address {:#x}", note->address);
  if (!note->decoded.empty()) place += fmt::format(" ({})", note->decoded);
  return place;
}

std::string crash_reason(const Death& death, const std::optional<CrashNote>& note) {
  std::string reason = "the worker " + describe(death) + place_of(note);
  if (death.signal == 0) return reason + " before it answered";
  if (death.signal == SIGKILL) return reason + "; perhaps the system ran out of memory";
  return reason;
}

std::string unreadable(const std::exception& error) {
  return fmt::format("the worker's answer cannot be read: {}", error.what());
}

void add(std::vector<pollfd>& fds, int fd, short events) {
  if (fd >= 0) fds.push_back({fd, events, 0});
}

}  // namespace

Pool::Pool(PoolOptions options, SignalQueue& signals) : options_(std::move(options)), signals_(signals) {}
Pool::~Pool() = default;

std::optional<WorkerHello> Pool::start() {
  while (!hello_ && !signals_.interrupted()) {
    if (workers_.empty()) spawn();
    wait();
  }
  return hello_;
}

PoolEnd Pool::run(JobQueue& queue, const PoolEvents& events) {
  queue_ = &queue;
  events_ = &events;
  const auto busy = [](const auto& worker) { return worker->state == WorkerProcess::State::busy; };
  while (!signals_.interrupted()) {
    staff(queue);
    assign(queue);
    if (queue.exhausted() && std::none_of(workers_.begin(), workers_.end(), busy)) break;
    wait();
    events.on_tick();
  }
  end_.interrupted = signals_.interrupted();
  shut_down();
  return end_;
}

void Pool::spawn() {
  workers_.push_back(std::make_unique<WorkerProcess>(options_.command, Clock::now() + options_.start_limit));
}

/// As many workers as there is work for, and no more than allowed.
void Pool::staff(const JobQueue& queue) {
  const auto wanted = std::min(static_cast<std::size_t>(options_.workers), queue.waiting());
  const auto free = [](const auto& worker) { return worker->state != WorkerProcess::State::busy; };
  auto available = static_cast<std::size_t>(std::count_if(workers_.begin(), workers_.end(), free));
  for (; available < wanted && workers_.size() < static_cast<std::size_t>(options_.workers); ++available) spawn();
}

void Pool::assign(JobQueue& queue) {
  for (const auto& worker : workers_) {
    if (worker->state != WorkerProcess::State::idle) continue;
    const PlannedCase* job = queue.take();
    if (job == nullptr) return;
    worker->assign(*job, next_id_++, options_.trace, Clock::now() + options_.case_limit);
  }
}

/// One turn of the loop: sleeps until something happens, then looks at every worker.
void Pool::wait() {
  std::vector<pollfd> fds;
  add(fds, signals_.fd(), POLLIN);
  auto until = Clock::now() + kTick;
  for (const auto& worker : workers_) {
    add(fds, worker->channel_fd(), static_cast<short>(POLLIN | (worker->wants_to_send() ? POLLOUT : 0)));
    add(fds, worker->out_fd(), POLLIN);
    add(fds, worker->err_fd(), POLLIN);
    until = std::min(until, worker->deadline);
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
  ::poll(fds.data(), fds.size(), static_cast<int>(std::max<std::int64_t>(0, left.count())));
  signals_.drain();
  for (const auto& worker : workers_) serve(*worker);
  remove_gone();
}

void Pool::serve(WorkerProcess& worker) {
  worker.send_more();
  const bool dead = worker.check_death().has_value();  // before reading: what it wrote last is then there in full
  bool more = true;
  while (more) {
    worker.read_output();
    more = worker.read_channel() && dead;
    take_frames(worker);
  }
  if (!is_gone(worker)) check_end(worker);
}

void Pool::take_frames(WorkerProcess& worker) {
  while (!is_gone(worker)) {
    std::optional<std::string> frame;
    try {
      frame = worker.next_frame();
    } catch (const Error& error) {
      return lost(worker, unreadable(error));
    }
    if (!frame) return;
    if (worker.state == WorkerProcess::State::starting)
      take_hello(worker, *frame);
    else
      take_reply(worker, *frame);
  }
}

void Pool::take_hello(WorkerProcess& worker, const std::string& frame) {
  WorkerHello hello;
  try {
    hello = nlohmann::json::parse(frame).get<WorkerHello>();
  } catch (const std::exception& error) {
    return lost(worker, unreadable(error));
  }
  if (!hello.error.empty())
    throw Error(hello.error_exit_code == 3 ? ErrorKind::internal : ErrorKind::usage, hello.error);
  worker.become_idle();
  failed_starts_ = 0;
  if (!hello_) hello_ = std::move(hello);
}

void Pool::take_reply(WorkerProcess& worker, const std::string& frame) {
  JobReply reply;
  try {
    reply = nlohmann::json::parse(frame).get<JobReply>();
  } catch (const std::exception& error) {
    return lost(worker, unreadable(error));
  }
  if (worker.state != WorkerProcess::State::busy || reply.id != worker.job_id)
    return lost(worker, fmt::format("the worker answered job {}, which was not asked for", reply.id));
  finish(worker, std::move(reply.result));
  if (!reply.retiring) return;
  worker.kill();
  gone_.push_back(&worker);
}

bool Pool::is_gone(const WorkerProcess& worker) const {
  return std::find(gone_.begin(), gone_.end(), &worker) != gone_.end();
}

/// Death, the end of the channel, or time over.
void Pool::check_end(WorkerProcess& worker) {
  if (const auto& death = worker.check_death()) return lost(worker, crash_reason(*death, worker.crash_note()));
  if (Clock::now() >= worker.deadline) {
    if (worker.channel_ended) return lost(worker, "the worker closed its channel before it answered");
    if (worker.state == WorkerProcess::State::starting)
      return failed_start(worker, fmt::format("was not ready within {} s", options_.start_limit / 1s));
    const double seconds = std::chrono::duration<double>(options_.case_limit).count();
    return give_up(worker, Verdict::timeout, fmt::format("no answer within {} s (--timeout); killed", seconds));
  }
  if (worker.channel_ended) worker.deadline = std::min(worker.deadline, Clock::now() + kClosedGrace);
}

/// The worker is of no more use: what that means depends on what it was doing.
void Pool::lost(WorkerProcess& worker, const std::string& how) {
  if (worker.state == WorkerProcess::State::starting) return failed_start(worker, how);
  if (worker.state == WorkerProcess::State::busy) return give_up(worker, Verdict::crash, how);
  end_.remarks.push_back("between two cases, " + how);
  worker.kill();
  gone_.push_back(&worker);
}

void Pool::failed_start(WorkerProcess& worker, const std::string& how) {
  worker.kill();
  worker.read_output();
  gone_.push_back(&worker);
  if (++failed_starts_ >= kMaxFailedStarts)
    fail_internal("{} could not be started {} times: {}; {}", options_.command.front(), failed_starts_, how,
                  tail_of(worker));
}

void Pool::give_up(WorkerProcess& worker, Verdict verdict, const std::string& reason) {
  worker.kill();
  gone_.push_back(&worker);
  CaseResult result;
  result.verdict = verdict;
  result.reason = reason;
  result.rows = geometry_of(worker.job->c).rows();
  finish(worker, std::move(result));
}

void Pool::finish(WorkerProcess& worker, CaseResult result) {
  const PlannedCase& job = *worker.job;
  worker.read_output();
  result.c = job.c;
  result.captured_stdout = worker.out.take();
  result.captured_stderr = worker.err.take();
  result.times_ms["job"] = milliseconds_since(worker.started_job);
  worker.become_idle();
  queue_->finished(job);
  events_->on_result(job, std::move(result));
}

void Pool::remove_gone() {
  if (gone_.empty()) return;
  std::erase_if(workers_, [&](const auto& worker) { return is_gone(*worker); });
  gone_.clear();
}

/// Closes every channel and waits a little for workers to end by themselves; a signal on that way is reported.
void Pool::shut_down() {
  if (end_.interrupted) {
    for (const auto& worker : workers_) worker->kill();
    return workers_.clear();
  }
  std::erase_if(workers_, [](const auto& w) { return w->state != WorkerProcess::State::idle; });
  for (const auto& worker : workers_) worker->hang_up();
  const auto until = Clock::now() + kHangUpGrace;
  while (!workers_.empty() && Clock::now() < until && !signals_.interrupted()) {
    pollfd wake{signals_.fd(), POLLIN, 0};
    ::poll(&wake, 1, 50);
    signals_.drain();
    std::erase_if(workers_, [&](const auto& worker) {
      worker->read_output();
      const auto& death = worker->check_death();
      if (death && death->signal != 0)
        end_.remarks.push_back("after its last case, " + crash_reason(*death, worker->crash_note()));
      return death.has_value();
    });
  }
  workers_.clear();
}

}  // namespace nlldiff
