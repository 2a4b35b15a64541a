// SPDX-License-Identifier: Apache-2.0
// One call of a candidate, in words that the candidate, the tracer and the detectors share.
#pragma once

#include "core/names.hpp"

#include <array>
#include <string>

namespace nlldiff {

enum class Pass { forward, backward };
template <>
inline constexpr auto kNames<Pass> = std::to_array<Named<Pass>>({
    {Pass::forward, "forward", "nll_loss_forward: output and total_weight"},
    {Pass::backward, "backward", "nll_loss_backward: grad_input"},
});

/// How a call ended. The order and the meaning of the first four are those of nlldiff_status in kernel.h.
enum class CallStatus { ok, rejected, unsupported, failed, not_called };

struct CallOutcome {
  CallStatus status = CallStatus::not_called;
  std::string error;  ///< the candidate's own sentence, for every status but ok
};

}  // namespace nlldiff
