// SPDX-License-Identifier: Apache-2.0
#include "worker/pass_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/error.hpp"
#include "worker/crash.hpp"

namespace nlldiff {
namespace {

std::int64_t product(const std::vector<std::int64_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

nlldiff_tensor describe(std::byte* data, Dtype dtype, const std::vector<std::int64_t>& sizes,
                        const std::vector<std::int64_t>& strides) {
  nlldiff_tensor t{};
  t.data = product(sizes) == 0 ? nullptr : data;
  t.dtype = static_cast<std::int32_t>(dtype);
  t.rank = static_cast<std::int32_t>(sizes.size());
  std::copy(sizes.begin(), sizes.end(), t.sizes);
  std::copy(strides.begin(), strides.end(), t.strides);
  return t;
}

HostTensor scalar(Dtype dtype, double value) {
  HostTensor t;
  t.dtype = dtype;
  t.storage.resize(static_cast<std::size_t>(bytes_of(dtype)));
  store_float(dtype, t.storage.data(), value);
  return t;
}

}  // namespace

/// One call's arguments, and where its tensors lie.
struct PassRunner::Placed {
  nlldiff_call call{};
  struct Copy {
    std::byte* data;
    std::size_t image;  ///< index into PassRun::inputs
  };
  std::vector<Copy> copies;
  struct Output {
    std::string tensor;
    Dtype dtype;
    std::byte* data;
    std::int64_t cells;
  };
  std::vector<Output> outputs;
  Device* device = nullptr;
  std::uint8_t poison = 0;
};

namespace {

/// Scratch holds the run's poison: a kernel that reads what it never wrote shows.
template <class Placed>
void* scratch_of(Placed& placed, std::size_t bytes) {
  try {
    std::byte* at = placed.device->allocate(bytes);
    placed.device->fill(at, placed.poison, bytes);
    return at;
  } catch (const Error&) {
    return nullptr;  // the ABI's "none left"
  }
}

}  // namespace

std::byte* PassRunner::place(const HostTensor& tensor, const std::string& name, PassRun& run, Placed& placed) {
  const std::size_t bytes = tensor.storage.size();
  std::byte* data = device_.allocate(bytes);
  device_.upload(data, tensor.storage.data(), bytes);
  placed.copies.push_back({data, run.inputs.size()});
  run.inputs.push_back({name, tensor.storage.data(), nullptr, bytes, tensor.dtype});
  watch_for_crash(name, data, bytes);
  return data + tensor.offset * bytes_of(tensor.dtype);
}

PassRunner::Placed PassRunner::place_inputs(Pass pass, const PassInputs& given, const RunSetup& setup, PassRun& run) {
  Placed placed;
  const Inputs& in = *given.inputs;
  const auto put = [&](const HostTensor& t, const std::string& name) {
    return describe(place(t, name, run, placed), t.dtype, t.sizes, t.strides);
  };
  placed.device = &device_;
  placed.poison = setup.poison;
  placed.call.struct_size = sizeof(nlldiff_call);
  placed.call.reduction = static_cast<std::int32_t>(given.c->reduction);
  placed.call.ignore_index = given.c->ignore_index;
  placed.call.stream = device_.stream();
  placed.call.input = put(in.input, "input");
  placed.call.target = put(*setup.target, "target");
  if (in.weight) placed.call.weight = put(*in.weight, "weight");
  if (pass == Pass::backward) {
    placed.call.grad_output = put(in.grad_output, "grad_output");
    placed.call.total_weight = put(scalars_.emplace_back(scalar(given.c->dtype, given.total_weight)), "total_weight");
  }
  return placed;
}

void PassRunner::place_outputs(Pass pass, const PassInputs& given, const RunSetup& setup, Placed& placed) {
  const Case& c = *given.c;
  const auto put = [&](const std::string& name, const std::vector<std::int64_t>& sizes, bool zeroed) {
    const std::int64_t cells = product(sizes);
    const auto bytes = static_cast<std::size_t>(cells * bytes_of(c.dtype));
    std::byte* data = device_.allocate(bytes);
    device_.fill(data, zeroed ? std::uint8_t{0} : setup.poison, bytes);
    placed.outputs.push_back({name, c.dtype, data, cells});
    watch_for_crash(name, data, bytes);
    return describe(data, c.dtype, sizes, contiguous_strides(sizes));
  };
  if (pass == Pass::backward) {
    placed.call.grad_input = put("grad_input", input_sizes(c), candidate_.needs_zeroed_grad_input());
    return;
  }
  placed.call.output = put("output", c.reduction == Reduction::none ? c.shape : std::vector<std::int64_t>{}, false);
  placed.call.total_weight = put("total_weight", {}, false);
}

const std::byte* PassRunner::view(const std::byte* at, std::size_t bytes) {
  return device_.host_view(at, bytes, buffers_.emplace_back());
}

void PassRunner::collect_inputs(const Placed& placed, PassRun& run) {
  for (const auto& copy : placed.copies) {
    InputImage& image = run.inputs.at(copy.image);
    image.after = view(copy.data, image.bytes);
  }
}

void PassRunner::collect_outputs(Pass pass, const Placed& placed, PassRun& run) {
  for (const auto& output : placed.outputs) {
    const auto bytes = static_cast<std::size_t>(output.cells * bytes_of(output.dtype));
    const TensorView seen{output.dtype, view(output.data, bytes), output.cells};
    if (pass == Pass::backward)
      run.grad_input = seen;
    else if (output.tensor == "output")
      run.output = seen;
    else
      run.total_weight = seen;
  }
}

PassRun PassRunner::run(Pass pass, const PassInputs& given, const RunSetup& setup, const LogRequest& log) {
  PassRun run;
  run.trace.why_incomplete = "the call was not made";
  if (!device_.usable()) {
    run.outcome.error = "not called: an earlier call left the device unusable";
    return run;
  }
  forget_crash_watches();
  Placed placed = place_inputs(pass, given, setup, run);
  place_outputs(pass, given, setup, placed);
  placed.call.allocate = [](void* context, std::size_t bytes) {
    return scratch_of(*static_cast<Placed*>(context), bytes);
  };
  placed.call.allocate_context = &placed;
  device_.synchronize();

  const auto work = [&] {
    run.outcome = candidate_.call(pass, placed.call);
    // What the device says counts more than what the call returned before its work was done.
    if (CallOutcome finished = device_.finish(); finished.status != CallStatus::ok) run.outcome = std::move(finished);
  };
  if (tracer_ == nullptr) {
    work();
  } else {
    TraceRequest request;
    request.order = setup.order;
    request.seed = setup.seed;
    request.allocate = placed.call.allocate;
    request.allocate_context = placed.call.allocate_context;
    for (const auto& o : placed.outputs) {
      if (!log.tensor.empty() && o.tensor != log.tensor) continue;
      request.watched.push_back({o.tensor, o.data, o.cells, static_cast<std::uint32_t>(bytes_of(o.dtype)), log.cells});
    }
    run.trace = tracer_->trace(request, work);
  }
  if (run.outcome.status == CallStatus::ok) collect_outputs(pass, placed, run);
  // After a refusal, too, the inputs must be as they were; a broken device cannot be asked.
  if (device_.usable()) collect_inputs(placed, run);
  return run;
}

}  // namespace nlldiff
