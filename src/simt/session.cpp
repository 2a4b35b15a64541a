// SPDX-License-Identifier: Apache-2.0
#include "simt/session.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "simt/here.hpp"

namespace nlldiff::simt {

namespace {

/// The sessions of all host threads. It is here so that work on the wrong host thread is found out.
struct LiveSessions {
  std::atomic<int> count{0};
  std::mutex mutex;
  std::vector<SessionCore*> all;
};
LiveSessions& live_sessions() {
  static LiveSessions sessions;
  return sessions;
}

void note_foreign(SessionCore& session, const std::string& sentence) {
  if (session.foreign.empty()) session.foreign = sentence;
}

}  // namespace

HostThread& host_thread() {
  static thread_local const auto kThread = std::make_unique<HostThread>();
  return *kThread;
}

void report_foreign_store(std::uintptr_t at, std::size_t bytes) {
  LiveSessions& live = live_sessions();
  if (live.count.load(std::memory_order_acquire) == 0) return;
  const std::lock_guard lock(live.mutex);
  for (SessionCore* session : live.all) {
    const std::uintptr_t begin = session->options.arena_base, end = begin + session->options.arena_bytes;
    if (at < end && at + bytes > begin)
      note_foreign(*session,
                   "a host thread other than the caller's stored to the tensors, unseen; keep all work of a "
                   "call on the calling thread");
  }
}

void report_foreign_launch(const std::string& kernel) {
  LiveSessions& live = live_sessions();
  const std::lock_guard lock(live.mutex);
  for (SessionCore* session : live.all)
    note_foreign(*session, fmt::format("kernel {} was launched from a host thread other than the caller's and was not "
                                       "run; launch on the calling thread",
                                       kernel));
}

struct Session::State : SessionCore {};

Session::Session(Options options) : state_(std::make_unique<State>()) {
  HostThread& thread = host_thread();
  if (thread.session != nullptr) fail_internal("a simt session is already alive on this thread");
  state_->options = std::move(options);
  state_->recorder = std::make_unique<Recorder>(state_->options.watches);
  LiveSessions& live = live_sessions();
  const std::lock_guard lock(live.mutex);
  live.all.push_back(state_.get());
  live.count.store(static_cast<int>(live.all.size()), std::memory_order_release);
  thread.session = state_.get();
  thread.last_error = cudaSuccess;
  t_hook = {state_->options.arena_base, state_->options.arena_bytes, state_->recorder.get(), 0};
}

Session::~Session() {
  LiveSessions& live = live_sessions();
  const std::lock_guard lock(live.mutex);
  live.all.erase(std::remove(live.all.begin(), live.all.end(), state_.get()), live.all.end());
  live.count.store(static_cast<int>(live.all.size()), std::memory_order_release);
  host_thread().session = nullptr;
  t_hook = kNoSession;
}

CallTrace Session::take_trace() {
  CallTrace trace;
  t_hook = {0, 0, nullptr, 0};
  if (state_->recorder == nullptr) {
    trace.why_incomplete = "the trace was taken before";
    return trace;
  }
  if (state_->recorder->too_many_runs()) state_->fail(fmt::format("more than {} blocks ran", kMaxRuns));
  trace.launches = state_->recorder->take_launches();
  trace.tensors = state_->recorder->take_tensors();
  state_->recorder.reset();
  trace.why_incomplete = fault();
  trace.complete = trace.why_incomplete.empty();
  return trace;
}

const std::string& Session::fault() const {
  const std::lock_guard lock(live_sessions().mutex);
  if (!state_->foreign.empty()) state_->fail(state_->foreign);
  return state_->fault;
}

Session::Position Session::current_position() noexcept { return t_position; }

}  // namespace nlldiff::simt
