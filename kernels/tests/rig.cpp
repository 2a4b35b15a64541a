// SPDX-License-Identifier: Apache-2.0
#include "rig.hpp"

#include <dlfcn.h>
#include <fmt/core.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "model/oracle.hpp"

namespace nlldiff::kernels {
namespace {

constexpr std::byte kRedZoneByte{0x5a};
constexpr std::size_t kAlignment = 256;

void* allocate_scratch(void* arena, std::size_t bytes) { return static_cast<Arena*>(arena)->allocate(bytes); }

nlldiff_tensor describe(Dtype dtype, const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& strides) {
  nlldiff_tensor t{};
  t.dtype = static_cast<std::int32_t>(dtype);
  t.rank = static_cast<std::int32_t>(sizes.size());
  std::copy(sizes.begin(), sizes.end(), std::begin(t.sizes));
  std::copy(strides.begin(), strides.end(), std::begin(t.strides));
  return t;
}

nlldiff_tensor place_input(Arena& arena, const HostTensor& host) {
  nlldiff_tensor t = describe(host.dtype, host.sizes, host.strides);
  if (host.numel() == 0) return t;
  std::byte* block = arena.allocate(host.storage.size());
  std::memcpy(block, host.storage.data(), host.storage.size());
  t.data = block + host.offset * bytes_of(host.dtype);
  return t;
}

std::int64_t numel(const std::vector<std::int64_t>& sizes) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  return count;
}

nlldiff_tensor place_output(Arena& arena, Dtype dtype, const std::vector<std::int64_t>& sizes) {
  nlldiff_tensor t = describe(dtype, sizes, contiguous_strides(sizes));
  const std::int64_t count = numel(sizes);
  if (count > 0) t.data = arena.allocate(static_cast<std::size_t>(count * bytes_of(dtype)));
  return t;
}

std::vector<double> values_of(const nlldiff_tensor& t, std::int64_t count) {
  const auto dtype = static_cast<Dtype>(t.dtype);
  std::vector<double> values(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i)
    values[static_cast<std::size_t>(i)] =
        load_float(dtype, static_cast<const std::byte*>(t.data) + i * bytes_of(dtype));
  return values;
}

std::vector<std::int64_t> output_sizes(const Case& c) {
  return c.reduction == Reduction::none ? c.shape : std::vector<std::int64_t>{};
}

simt::Watch watch(const char* name, const nlldiff_tensor& t, std::int64_t cells) {
  return {.tensor = name,
          .base = reinterpret_cast<std::uintptr_t>(t.data),
          .cells = cells,
          .cell_bytes = static_cast<std::uint32_t>(bytes_of(static_cast<Dtype>(t.dtype))),
          .log = {}};
}

/// Inputs, scratch of 32 bytes a row, outputs, and a red zone for each.
std::size_t arena_bytes(const Case& c) {
  const Geometry g = geometry_of(c);
  return static_cast<std::size_t>(2 * input_bytes(c) + 32 * g.rows() + 8 * g.cells()) + (std::size_t{8} << 20);
}

struct Prepared {
  std::vector<std::int64_t> targets;
  Inputs inputs;
};

Prepared prepare(const Case& c) {
  Prepared prepared{make_targets(c), {}};
  prepared.inputs = make_inputs(c, prepared.targets);
  return prepared;
}

nlldiff_call shared_call(Arena& arena, std::span<char> error, const Case& c, const Inputs& in, const RunOptions& run) {
  nlldiff_call call = make_call(arena, error);
  call.reduction = static_cast<std::int32_t>(c.reduction);
  call.ignore_index = c.ignore_index;
  call.input = place_input(arena, in.input);
  call.target = place_input(arena, in.target);
  if (in.weight) call.weight = place_input(arena, *in.weight);
  if (run.weight_dtype) call.weight.dtype = static_cast<std::int32_t>(*run.weight_dtype);
  call.total_weight = place_output(arena, c.dtype, {});
  return call;
}

Outcome outcome_of(Called called, const Arena& arena, const std::array<char, 512>& error) {
  Outcome outcome;
  outcome.status = called.status;
  outcome.error = error.data();
  outcome.fault = std::move(called.fault);
  outcome.trace = std::move(called.trace);
  outcome.red_zones_intact = arena.red_zones_intact();
  return outcome;
}

double exact_total_weight(const Case& c, const Prepared& prepared) {
  if (c.reduction == Reduction::none || first_bad_row(c, prepared.targets)) return 0;
  if (prepared.inputs.weight && prepared.inputs.weight->numel() != c.C) return 0;
  return oracle_forward(c, prepared.inputs, prepared.targets).total_weight;
}

/// The value must be `wanted` rounded to the dtype, `ulps` off at most, or differ by no more than `slack`.
std::string error_of_value(Dtype dtype, double got, double wanted, std::uint64_t ulps, double slack) {
  if (got == wanted) return "";  // nearly all cells: the rest costs time
  const double rounded = round_to(dtype, wanted);
  if (std::isnan(rounded) && std::isnan(got)) return "";
  if (!std::isnan(rounded) && !std::isnan(got) && ulp_distance(dtype, got, rounded) <= ulps) return "";
  if (std::abs(got - wanted) <= slack) return "";
  return fmt::format("{} for {}", got, rounded);
}

/// Float64 sums are rounded at every addition: depth of the tree times 2^-53 times the sum of |terms|, generously.
double sum_slack(const Case& c, double abs_sum) { return c.dtype == Dtype::float64 ? 32 * abs_sum * 0x1p-53 : 0; }

std::string errors_of_call(const Outcome& outcome, const char* pass) {
  std::string errors;
  if (outcome.status != NLLDIFF_OK) errors += fmt::format("{}: status {}: {}\n", pass, outcome.status, outcome.error);
  if (!outcome.fault.empty()) errors += fmt::format("{}: fault: {}\n", pass, outcome.fault);
  if (!outcome.red_zones_intact) errors += fmt::format("{}: stored outside its tensors\n", pass);
  return errors;
}

}  // namespace

Arena::Arena(std::size_t bytes) : bytes_(bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error("no address space for the arena");
  base_ = static_cast<std::byte*>(memory);
}

Arena::~Arena() { munmap(base_, bytes_); }

std::byte* Arena::reserve(std::size_t bytes) {
  const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (bytes_ - used_ < rounded + 2 * kRedZoneBytes) return nullptr;
  std::byte* block = base_ + used_ + kRedZoneBytes;
  // The gap up to the next boundary belongs to the red zone: no slack behind a block.
  std::memset(block - kRedZoneBytes, std::to_integer<int>(kRedZoneByte), kRedZoneBytes);
  std::memset(block + bytes, std::to_integer<int>(kRedZoneByte), rounded - bytes + kRedZoneBytes);
  red_zones_.push_back(block - kRedZoneBytes);
  red_zones_.push_back(block + bytes);
  used_ += rounded + 2 * kRedZoneBytes;
  return block;
}

std::byte* Arena::allocate(std::size_t bytes) {
  std::byte* block = reserve(bytes);
  if (block != nullptr) std::memset(block, 0xff, bytes);
  return block;
}

std::byte* Arena::allocate_untouched(std::size_t bytes) { return reserve(bytes); }

bool Arena::red_zones_intact() const {
  return std::all_of(red_zones_.begin(), red_zones_.end(), [](const std::byte* zone) {
    return std::all_of(zone, zone + kRedZoneBytes, [](std::byte b) { return b == kRedZoneByte; });
  });
}

const TensorTrace& Outcome::trace_of(std::string_view tensor) const {
  for (const TensorTrace& t : trace.tensors)
    if (t.tensor == tensor) return t;
  throw std::runtime_error(fmt::format("{} was not watched", tensor));
}

const nlldiff_kernel& load_kernel(const std::string& file) {
  const std::string path = fmt::format("{}/cpu/{}.so", NLLDIFF_CANDIDATES_DIR, file);
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  using Get = const nlldiff_kernel* (*)();
  const auto get = reinterpret_cast<Get>(dlsym(library, "nlldiff_get_kernel"));
  if (get == nullptr) throw std::runtime_error(path + " has no nlldiff_get_kernel");
  return *get();
}

nlldiff_call make_call(Arena& arena, std::span<char> error) {
  nlldiff_call call{};
  call.struct_size = sizeof(nlldiff_call);
  call.allocate = allocate_scratch;
  call.allocate_context = &arena;
  call.error = error.data();
  call.error_bytes = error.size();
  return call;
}

Called call_entry(nlldiff_entry entry, nlldiff_call& call, const Arena& arena, const RunOptions& run,
                  std::vector<simt::Watch> watches) {
  simt::Options options;
  options.order = run.order;
  options.seed = run.seed;
  options.arena_base = reinterpret_cast<std::uintptr_t>(arena.base());
  options.arena_bytes = arena.bytes();
  options.watches = std::move(watches);
  options.allocate = call.allocate;
  options.allocate_context = call.allocate_context;
  simt::Session session(std::move(options));
  Called called;
  called.status = entry(&call);
  called.fault = session.fault();
  called.trace = session.take_trace();
  return called;
}

Outcome run_forward(const nlldiff_kernel& kernel, const Case& c, const RunOptions& run) {
  const Prepared prepared = prepare(c);
  Arena arena(arena_bytes(c));
  std::array<char, 512> error{};
  nlldiff_call call = shared_call(arena, error, c, prepared.inputs, run);
  call.output = place_output(arena, c.dtype, output_sizes(c));
  const std::int64_t cells = numel(output_sizes(c));
  std::vector<simt::Watch> watches;
  if (run.watch) watches.push_back(watch("total_weight", call.total_weight, 1));
  if (run.watch && cells > 0) watches.push_back(watch("output", call.output, cells));
  Outcome outcome = outcome_of(call_entry(kernel.forward, call, arena, run, std::move(watches)), arena, error);
  outcome.output = values_of(call.output, cells);
  outcome.total_weight = values_of(call.total_weight, 1)[0];
  return outcome;
}

Outcome run_backward(const nlldiff_kernel& kernel, const Case& c, const RunOptions& run) {
  const Prepared prepared = prepare(c);
  Arena arena(arena_bytes(c));
  std::array<char, 512> error{};
  nlldiff_call call = shared_call(arena, error, c, prepared.inputs, run);
  store_float(c.dtype, call.total_weight.data, exact_total_weight(c, prepared));
  call.grad_output = place_input(arena, prepared.inputs.grad_output);
  call.grad_input = place_output(arena, c.dtype, input_sizes(c));
  const std::int64_t cells = numel(input_sizes(c));
  std::vector<simt::Watch> watches;
  if (run.watch && cells > 0) watches.push_back(watch("grad_input", call.grad_input, cells));
  Outcome outcome = outcome_of(call_entry(kernel.backward, call, arena, run, std::move(watches)), arena, error);
  outcome.grad_input = values_of(call.grad_input, cells);
  return outcome;
}

std::string errors_of_forward(const Case& c, const Outcome& outcome) {
  std::string errors = errors_of_call(outcome, "forward");
  const Prepared prepared = prepare(c);
  const OracleForward right = oracle_forward(c, prepared.inputs, prepared.targets);
  const bool none = c.reduction == Reduction::none;
  const double scale = c.reduction == Reduction::mean ? std::abs(right.total_weight) : 1;
  const double slack = none ? 0 : sum_slack(c, right.abs_loss_sum / scale);
  for (std::size_t i = 0; i < outcome.output.size(); ++i)
    if (const std::string e = error_of_value(c.dtype, outcome.output[i], right.output[i], none ? 0 : 1, slack);
        !e.empty())
      errors += fmt::format("output[{}] = {}\n", i, e);
  const double weight_slack = sum_slack(c, right.abs_weight_sum);
  if (const std::string e =
          error_of_value(c.dtype, outcome.total_weight, right.total_weight, none ? 0 : 1, weight_slack);
      !e.empty())
    errors += fmt::format("total_weight = {}\n", e);
  return errors;
}

std::string errors_of_backward(const Case& c, const Outcome& outcome) {
  std::string errors = errors_of_call(outcome, "backward");
  const Prepared prepared = prepare(c);
  const double total_weight = round_to(c.dtype, exact_total_weight(c, prepared));
  const OracleBackward right = oracle_backward(c, prepared.inputs, prepared.targets, total_weight);
  const Geometry g = geometry_of(c);
  for (std::size_t i = 0; i < outcome.grad_input.size(); ++i) {
    const auto cell = static_cast<std::int64_t>(i);
    const auto row = static_cast<std::size_t>(g.row_of(cell));
    const bool hit = g.class_of(cell) == prepared.targets[row] && prepared.targets[row] != c.ignore_index;
    const std::uint64_t ulps = hit && c.reduction == Reduction::mean ? 1 : 0;
    if (const std::string e = error_of_value(c.dtype, outcome.grad_input[i], hit ? right.gradient[row] : 0, ulps, 0);
        !e.empty())
      errors += fmt::format("grad_input[row {}, class {}] = {}\n", row, g.class_of(cell), e);
  }
  return errors;
}

std::string errors_of(const nlldiff_kernel& kernel, const Case& c, const RunOptions& run) {
  return errors_of_forward(c, run_forward(kernel, c, run)) + errors_of_backward(c, run_backward(kernel, c, run));
}

}  // namespace nlldiff::kernels
