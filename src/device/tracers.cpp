// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "device/device.hpp"
#include "device/tracer.hpp"
#include "simt/simt.hpp"

namespace nlldiff {
namespace {

simt::Order simt_order(RunOrder order) {
  switch (order) {
    case RunOrder::forward:
      return simt::Order::forward;
    case RunOrder::reverse:
      return simt::Order::reverse;
    case RunOrder::seeded:
      return simt::Order::seeded;
  }
  return simt::Order::forward;
}

class SimtTracer final : public Tracer {
 public:
  SimtTracer(const Device& device, bool counts) : device_(device), counts_(counts) {}
  bool sees() const override { return counts_; }

  CallTrace trace(const TraceRequest& request, const std::function<void()>& call) override {
    simt::Session session(options_for(request));
    call();
    CallTrace trace = session.take_trace();
    if (!session.fault().empty()) {
      trace.complete = false;
      trace.why_incomplete = session.fault();
    } else if (!counts_) {
      trace.complete = false;
      trace.why_incomplete = "tracing is off";
    }
    return trace;
  }

 private:
  simt::Options options_for(const TraceRequest& request) const {
    simt::Options options;
    options.order = simt_order(request.order);
    options.seed = request.seed;
    options.arena_base = device_.arena_base();
    options.arena_bytes = device_.arena_bytes();
    options.allocate = request.allocate;
    options.allocate_context = request.allocate_context;
    if (!counts_) return options;
    for (const auto& w : request.watched)
      options.watches.push_back({w.tensor, reinterpret_cast<std::uintptr_t>(w.data), w.cells, w.cell_bytes, w.log});
    return options;
  }

  const Device& device_;
  bool counts_;
};

class BlindTracer final : public Tracer {
 public:
  explicit BlindTracer(std::string why) : why_(std::move(why)) {}
  bool sees() const override { return false; }
  CallTrace trace(const TraceRequest&, const std::function<void()>& call) override {
    call();
    CallTrace trace;
    trace.why_incomplete = why_;
    return trace;
  }

 private:
  std::string why_;
};

}  // namespace

std::unique_ptr<Tracer> make_simt_tracer(const Device& device, const std::string& probe_library) {
  if (const auto unseen = simt::self_test(probe_library); !unseen.empty())
    fail_internal("the host tracer does not see every store on this machine ({}); rebuild, or run with --trace off",
                  fmt::join(unseen, "; "));
  return std::make_unique<SimtTracer>(device, true);
}
std::unique_ptr<Tracer> make_untraced_simt(const Device& device) { return std::make_unique<SimtTracer>(device, false); }
std::unique_ptr<Tracer> make_blind_tracer(std::string why) { return std::make_unique<BlindTracer>(std::move(why)); }

}  // namespace nlldiff
