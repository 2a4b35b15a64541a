// SPDX-License-Identifier: Apache-2.0
// A case: one concrete input for an NLL-loss kernel. Plain values; nothing here allocates tensors.
#pragma once

#include "core/names.hpp"
#include "model/dtype.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nlldiff {

enum class Op { nll_loss };
enum class Reduction { none = 0, mean = 1, sum = 2 };
enum class Passes { both, forward, backward };
enum class Expect { match, reject };
enum class TargetLayout {
  explicit_, uniform, alternate, padded, border, all, none, constant, cycle, out_of_range, collide
};
enum class InputFill { normal, zeros, constant, explicit_ };
enum class GradFill { per_row, normal, ones, zeros, explicit_ };
enum class WeightFill { none, random, zeros, ones, negative, explicit_ };
enum class Memory { contiguous, channels_last, transposed, sliced, expanded, strides };

template <>
inline constexpr auto kNames<Op> = std::to_array<Named<Op>>({
    {Op::nll_loss, "nll_loss", "torch.nn.functional.nll_loss: nll_loss or, with spatial dimensions, nll_loss2d"},
});
template <>
inline constexpr auto kNames<Reduction> = std::to_array<Named<Reduction>>({
    {Reduction::none, "none", "one loss a row"},
    {Reduction::mean, "mean", "sum of the losses over the sum of the weights that took part"},
    {Reduction::sum, "sum", "sum of the losses"},
});
template <>
inline constexpr auto kNames<Passes> = std::to_array<Named<Passes>>({
    {Passes::both, "both", "forward and backward"},
    {Passes::forward, "forward", "forward only"},
    {Passes::backward, "backward", "backward only"},
});
template <>
inline constexpr auto kNames<Expect> = std::to_array<Named<Expect>>({
    {Expect::match, "match", "the candidate computes; its results are judged"},
    {Expect::reject, "reject", "the candidate must refuse the input; the reference is not run"},
});
template <>
inline constexpr auto kNames<TargetLayout> = std::to_array<Named<TargetLayout>>({
    {TargetLayout::explicit_, "explicit", "the numbers in target.values, in row order"},
    {TargetLayout::uniform, "uniform", "valid classes at random, each row ignored with probability target.ignored"},
    {TargetLayout::alternate, "alternate", "every second row ignored, starting with row 0; the others at random"},
    {TargetLayout::padded, "padded", "each sample is a sequence whose tail is ignored (lengths at random)"},
    {TargetLayout::border, "border", "the frame of each sample's spatial box is ignored"},
    {TargetLayout::all, "all", "every row ignored"},
    {TargetLayout::none, "none", "no row ignored; valid classes at random"},
    {TargetLayout::constant, "constant", "target.value in every row"},
    {TargetLayout::cycle, "cycle", "row r has class r mod C (the next class where that is ignore_index)"},
    {TargetLayout::out_of_range, "out_of_range", "as uniform, but row target.row holds target.value"},
    {TargetLayout::collide, "collide",
     "the row that a sentinel-built address of an ignored row would hit is valid, and its target is the hit class"},
});
template <>
inline constexpr auto kNames<InputFill> = std::to_array<Named<InputFill>>({
    {InputFill::normal, "normal", "log-probability-like: multiples of 2^-5 in [-8, 0), a hash of the index"},
    {InputFill::zeros, "zeros", "0 everywhere"},
    {InputFill::constant, "constant", "input.value everywhere"},
    {InputFill::explicit_, "explicit", "input.values, in order of the flat index n*C*D + c*D + d"},
});
template <>
inline constexpr auto kNames<GradFill> = std::to_array<Named<GradFill>>({
    {GradFill::per_row, "per_row", "a different value in neighbouring rows, never 0: no two rows can be mixed up"},
    {GradFill::normal, "normal", "both signs, multiples of 2^-5 in [-2, 2], a hash of the row"},
    {GradFill::ones, "ones", "1 everywhere"},
    {GradFill::zeros, "zeros", "0 everywhere"},
    {GradFill::explicit_, "explicit", "grad_output.values, in row order"},
});
template <>
inline constexpr auto kNames<WeightFill> = std::to_array<Named<WeightFill>>({
    {WeightFill::none, "none", "no weight tensor"},
    {WeightFill::random, "random", "multiples of 2^-4 in [2^-4, 2], a hash of the class"},
    {WeightFill::zeros, "zeros", "0 everywhere"},
    {WeightFill::ones, "ones", "1 everywhere"},
    {WeightFill::negative, "negative", "as random, with the sign of every second class turned"},
    {WeightFill::explicit_, "explicit", "weight.values"},
});
template <>
inline constexpr auto kNames<Memory> = std::to_array<Named<Memory>>({
    {Memory::contiguous, "contiguous", "row-major, no gaps"},
    {Memory::channels_last, "channels_last", "the class dimension innermost (input only)"},
    {Memory::transposed, "transposed", "the first two dimensions exchanged in memory"},
    {Memory::sliced, "sliced", "a window of a larger tensor: gaps in the last dimension and an offset"},
    {Memory::expanded, "expanded", "one element, every stride 0"},
    {Memory::strides, "strides", "the strides and offset that the case gives"},
});

struct TargetSpec {
  TargetLayout layout = TargetLayout::uniform;
  std::vector<std::int64_t> values;  ///< layout explicit: one a row
  std::int64_t value = 0;            ///< layouts constant and out_of_range
  std::int64_t row = 0;              ///< layout out_of_range: the row that holds `value`
  double ignored = 0.25;             ///< layouts uniform, collide, out_of_range: share of ignored rows, [0, 1]
  Dtype dtype = Dtype::int64;        ///< int64, int32 or uint8
  Memory memory = Memory::contiguous;
  std::vector<std::int64_t> strides;  ///< memory strides: in elements, >= 0, rank of the target
  std::int64_t offset = 0;            ///< elements before the first one
  bool operator==(const TargetSpec&) const = default;
};

struct SpecialCell {
  std::int64_t row = 0;        ///< flat row index n*D + d
  std::int64_t class_index = 0;
  double value = 0;            ///< may be NaN or infinite
};
bool operator==(const SpecialCell& a, const SpecialCell& b);  ///< NaN equals NaN

struct InputSpec {
  InputFill fill = InputFill::normal;
  std::vector<double> values;
  double value = 0;
  std::vector<SpecialCell> special;
  Memory memory = Memory::contiguous;
  std::vector<std::int64_t> strides;
  std::int64_t offset = 0;
};
bool operator==(const InputSpec& a, const InputSpec& b);  ///< NaN equals NaN

struct GradOutputSpec {
  GradFill fill = GradFill::per_row;
  std::vector<double> values;
  Memory memory = Memory::contiguous;
  std::vector<std::int64_t> strides;
  std::int64_t offset = 0;
};
bool operator==(const GradOutputSpec& a, const GradOutputSpec& b);

struct WeightSpec {
  WeightFill fill = WeightFill::none;
  std::vector<double> values;
  std::optional<std::int64_t> length;  ///< default: C; another number makes a tensor that must be refused
};
bool operator==(const WeightSpec& a, const WeightSpec& b);

struct Case {
  std::string name;  ///< unique in a run: entry, or entry/field=value,... for an entry with a matrix
  Op op = Op::nll_loss;
  std::vector<std::int64_t> shape;  ///< of the target: [], [N], [N, d1, ...]; every size >= 0
  std::int64_t C = 1;               ///< number of classes, >= 0
  std::int64_t ignore_index = -100;
  Dtype dtype = Dtype::float32;     ///< of input, weight, gradients: a floating dtype
  Reduction reduction = Reduction::mean;
  Passes passes = Passes::both;
  std::uint64_t rng_seed = 0;
  TargetSpec target;
  WeightSpec weight;
  InputSpec input;
  GradOutputSpec grad_output;
  Expect expect = Expect::match;
  std::optional<std::int64_t> tolerance;  ///< ULPs for every compared value, in place of the built-in limits
  std::int64_t repeat = 1;                ///< how often the whole job is done; every time must agree
  std::vector<std::string> tags;
  bool operator==(const Case&) const = default;
};

/// The sizes that address arithmetic needs. input is [N, C, D] when its spatial dimensions are flattened.
struct Geometry {
  std::int64_t N = 1;   ///< samples; 1 for shape []
  std::int64_t C = 1;   ///< classes
  std::int64_t D = 1;   ///< product of the spatial sizes; 1 for [] and [N]
  [[nodiscard]] std::int64_t rows() const { return N * D; }
  [[nodiscard]] std::int64_t cells() const { return N * C * D; }
  /// Row r is (n, d) = (r / D, r % D).
  [[nodiscard]] std::int64_t cell(std::int64_t row, std::int64_t class_index) const {
    return (row / D) * C * D + class_index * D + row % D;
  }
  [[nodiscard]] std::int64_t row_of(std::int64_t cell) const { return cell / (C * D) * D + cell % D; }
  [[nodiscard]] std::int64_t class_of(std::int64_t cell) const { return cell / D % C; }
};

/// No overflow: the parser has refused every case whose cell count exceeds 2^62.
[[nodiscard]] Geometry geometry_of(const Case& c);
/// Sizes of the input tensor: (C), (N, C) or (N, C, d1, ...).
[[nodiscard]] std::vector<std::int64_t> input_sizes(const Case& c);

}  // namespace nlldiff
