// SPDX-License-Identifier: Apache-2.0
// One job: a case from its fields to its result. Inputs, oracle, reference, the candidate's four runs, detectors,
// verdict.
#pragma once

#include "candidate/candidate.hpp"
#include "device/device.hpp"
#include "device/tracer.hpp"
#include "model/protocol.hpp"
#include "model/result.hpp"

namespace nlldiff {

/// What a worker holds for all of its jobs.
struct Bench {
  Device& device;
  Candidate& candidate;
  Candidate& reference;
  Tracer& tracer;    ///< for trace = auto and on
  Tracer& untraced;  ///< for trace = off
};

/// Never throws for what the case or the candidate does; Error(internal) where the tester itself cannot work.
[[nodiscard]] CaseResult run_job(const JobRequest& job, const Bench& bench);

}  // namespace nlldiff
