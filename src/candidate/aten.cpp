// SPDX-License-Identifier: Apache-2.0
// ATen's NLL loss behind the call of kernel.h. The only file that includes ATen besides its CUDA twin's few lines.
#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/nll_loss2d_backward_cpu_dispatch.h>
#include <ATen/ops/nll_loss2d_forward_cpu_dispatch.h>
#include <ATen/ops/nll_loss_backward_cpu_dispatch.h>
#include <ATen/ops/nll_loss_forward_cpu_dispatch.h>

#include "candidate/candidate.hpp"
#include "core/error.hpp"
#ifdef NLLDIFF_WITH_CUDA
#include <ATen/ops/nll_loss2d_backward_cuda_dispatch.h>
#include <ATen/ops/nll_loss2d_forward_cuda_dispatch.h>
#include <ATen/ops/nll_loss_backward_cuda_dispatch.h>
#include <ATen/ops/nll_loss_forward_cuda_dispatch.h>
#include <c10/cuda/CUDAGuard.h>
#endif

#include <fmt/format.h>

#include <array>
#include <tuple>

namespace nlldiff {
namespace {

constexpr std::array kScalarTypes{at::kDouble, at::kFloat, at::kHalf, at::kBFloat16, at::kLong, at::kInt, at::kByte};

std::vector<std::int64_t> list(const std::int64_t* values, int count) { return {values, values + count}; }

/// The four operators of one device.
struct Operators {
  std::tuple<at::Tensor, at::Tensor> (*forward)(const at::Tensor&, const at::Tensor&, const std::optional<at::Tensor>&,
                                                std::int64_t, std::int64_t);
  std::tuple<at::Tensor, at::Tensor> (*forward2d)(const at::Tensor&, const at::Tensor&,
                                                  const std::optional<at::Tensor>&, std::int64_t, std::int64_t);
  at::Tensor (*backward)(const at::Tensor&, const at::Tensor&, const at::Tensor&, const std::optional<at::Tensor>&,
                         std::int64_t, std::int64_t, const at::Tensor&);
  at::Tensor (*backward2d)(const at::Tensor&, const at::Tensor&, const at::Tensor&, const std::optional<at::Tensor>&,
                           std::int64_t, std::int64_t, const at::Tensor&);
};

Operators operators_of(const at::Device& device) {
#ifdef NLLDIFF_WITH_CUDA
  if (device.is_cuda())
    return {at::cuda::nll_loss_forward, at::cuda::nll_loss2d_forward, at::cuda::nll_loss_backward,
            at::cuda::nll_loss2d_backward};
#endif
  if (!device.is_cpu()) fail_usage("this worker has no ATen for {}", device.str());
  return {at::cpu::nll_loss_forward, at::cpu::nll_loss2d_forward, at::cpu::nll_loss_backward,
          at::cpu::nll_loss2d_backward};
}

/// As torch.nn.functional.nll_loss brings K-dimensional inputs to nll_loss2d: [N, C, 1, D] for other K than 0 and 2.
at::Tensor as_input2d(const at::Tensor& input) {
  if (input.dim() == 4) return input;
  const std::int64_t n = input.size(0), c = input.size(1);
  return input.numel() > 0 ? input.reshape({n, c, 1, -1}) : input.reshape({n, c, 0, 0});
}
at::Tensor as_target2d(const at::Tensor& target, std::int64_t input_rank) {
  if (input_rank == 4) return target;
  return target.numel() > 0 ? target.reshape({target.size(0), 1, -1}) : target.reshape({target.size(0), 0, 0});
}

class AtenCandidate final : public Candidate {
 public:
  explicit AtenCandidate(const std::string& device) : device_(device), operators_(operators_of(device_)) {
    // Workers stand beside each other, one a core. More threads in each would only wait for each other: the reference
    // took ten times the candidate's time when they did.
    at::set_num_threads(1);
  }

  std::string execution() const override { return device_.is_cpu() ? "native" : "cuda"; }

  CallOutcome call(Pass pass, nlldiff_call& call) override {
    if (call.target.dtype == NLLDIFF_INT32) return {CallStatus::unsupported, "ATen takes no int32 targets"};
#ifdef NLLDIFF_WITH_CUDA
    c10::cuda::OptionalCUDAStreamGuard guard;
    if (device_.is_cuda())
      guard.reset_stream(c10::cuda::getStreamFromExternal(static_cast<cudaStream_t>(call.stream), device_.index()));
#endif
    try {
      pass == Pass::forward ? forward(call) : backward(call);
      return {CallStatus::ok, ""};
    } catch (const c10::NotImplementedError& error) {
      return {CallStatus::unsupported, error.what_without_backtrace()};
    } catch (const c10::Error& error) {
      // ATen takes int64 targets everywhere and uint8 in some of its kernels: what it refuses there is the type.
      const bool other_type = call.target.dtype != NLLDIFF_INT64;
      return {other_type ? CallStatus::unsupported : CallStatus::rejected, error.what_without_backtrace()};
    }
  }

  std::map<std::string, std::string> environment() const override { return {{"candidate.name", "aten"}}; }

 private:
  at::Tensor tensor(const nlldiff_tensor& t) const {
    const auto options = at::TensorOptions().dtype(kScalarTypes.at(static_cast<std::size_t>(t.dtype))).device(device_);
    const auto sizes = list(t.sizes, t.rank);
    if (t.data == nullptr) return at::empty(sizes, options);
    return at::from_blob(t.data, sizes, list(t.strides, t.rank), nullptr, options, device_);
  }
  std::optional<at::Tensor> weight(const nlldiff_call& call) const {
    if (call.weight.data == nullptr && call.weight.rank == 0) return std::nullopt;
    return tensor(call.weight);
  }

  void forward(const nlldiff_call& call) const {
    const at::Tensor input = tensor(call.input), target = tensor(call.target);
    const auto [output, total_weight] =
        input.dim() <= 2 ? operators_.forward(input, target, weight(call), call.reduction, call.ignore_index)
                         : operators_.forward2d(as_input2d(input), as_target2d(target, input.dim()), weight(call),
                                                call.reduction, call.ignore_index);
    give(call.output, output);
    give(call.total_weight, total_weight);
  }

  void backward(const nlldiff_call& call) const {
    const at::Tensor grad = tensor(call.grad_output), input = tensor(call.input), target = tensor(call.target);
    const at::Tensor total_weight = tensor(call.total_weight);
    if (input.dim() <= 2) {
      give(call.grad_input,
           operators_.backward(grad, input, target, weight(call), call.reduction, call.ignore_index, total_weight));
      return;
    }
    const at::Tensor grad2d = call.reduction == NLLDIFF_NONE ? as_target2d(grad, input.dim()) : grad;
    give(call.grad_input, operators_.backward2d(grad2d, as_input2d(input), as_target2d(target, input.dim()),
                                                weight(call), call.reduction, call.ignore_index, total_weight));
  }

  /// ATen allocates its results; the caller's buffer gets a copy.
  void give(const nlldiff_tensor& to, const at::Tensor& result) const {
    if (to.data == nullptr) return;
    tensor(to).copy_(result.reshape(list(to.sizes, to.rank)));
  }

  at::Device device_;
  Operators operators_;
};

}  // namespace

std::unique_ptr<Candidate> make_aten(const std::string& device) { return std::make_unique<AtenCandidate>(device); }

}  // namespace nlldiff
