// SPDX-License-Identifier: Apache-2.0
// The kernels under test, whoever wrote them, behind one call: the arguments of include/nlldiff/kernel.h.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "model/call.hpp"
#include "nlldiff/kernel.h"

namespace nlldiff {

class Candidate {
 public:
  virtual ~Candidate() = default;
  /// How it executes: "simt" (CUDA C++ on the host), "native" (a host library as it is), "cuda".
  [[nodiscard]] virtual std::string execution() const = 0;
  /// Whether grad_input must be filled with zeros before backward.
  [[nodiscard]] virtual bool needs_zeroed_grad_input() const { return false; }
  /// Runs one pass; returns after the work was handed to the stream. Never throws for what the candidate does.
  [[nodiscard]] virtual CallOutcome call(Pass pass, nlldiff_call& call) = 0;
  /// What a results file should say of it: candidate.name, candidate.library, candidate.fnv1a.
  [[nodiscard]] virtual std::map<std::string, std::string> environment() const = 0;
};

/// Where candidates are looked for and where they run.
struct CandidateSite {
  std::string lib_dir;  ///< <prefix>/lib/nlldiff
  std::string device;   ///< "cpu", "cuda:k"
};

/// SPEC -> a loaded candidate. Throws Error(usage) with what to do.
[[nodiscard]] std::unique_ptr<Candidate> load_candidate(const std::string& spec, const CandidateSite& site);

/// A library with nlldiff_get_kernel. Throws Error(usage): not loadable, no such symbol, another ABI version or device.
/// `shown` is how messages and results name it: the path that the user gave.
[[nodiscard]] std::unique_ptr<Candidate> load_c_abi(const std::string& path, const std::string& shown,
                                                    const CandidateSite& site);

/// ATen itself, called as at::cpu::nll_loss* or at::cuda::nll_loss*, so that no override can stand in for it. Serves as
/// the reference and as the candidate "aten". int32 targets, which ATen refuses, are `unsupported`.
[[nodiscard]] std::unique_ptr<Candidate> make_aten(const std::string& device);

}  // namespace nlldiff
