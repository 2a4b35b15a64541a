// SPDX-License-Identifier: Apache-2.0
#include "run/job_queue.hpp"

#include <algorithm>

#include "run/memory.hpp"

namespace nlldiff {

JobQueue::JobQueue(std::span<const PlannedCase> cases, double budget_bytes) : cases_(cases), budget_(budget_bytes) {
  skip_too_large();
}

void JobQueue::skip_too_large() {
  for (; next_ < cases_.size(); ++next_) {
    const double bytes = estimated_bytes(cases_[next_].c);
    if (bytes <= budget_) return;
    least_too_large_ = too_large_ == 0 ? bytes : std::min(least_too_large_, bytes);
    ++too_large_;
  }
}

const PlannedCase* JobQueue::take() {
  if (exhausted()) return nullptr;
  const PlannedCase& planned = cases_[next_];
  const double bytes = estimated_bytes(planned.c);
  if (in_use_ > 0 && in_use_ + bytes > budget_) return nullptr;
  in_use_ += bytes;
  ++next_;
  skip_too_large();
  return &planned;
}

void JobQueue::finished(const PlannedCase& planned) { in_use_ -= estimated_bytes(planned.c); }

void JobQueue::stop() { stopped_ = true; }

}  // namespace nlldiff
