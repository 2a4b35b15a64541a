// SPDX-License-Identifier: Apache-2.0
// Fills: the values of input, weight and grad_output. Every value is exact in every floating dtype.
#include "model/inputs.hpp"

#include <algorithm>
#include <limits>

#include "core/error.hpp"
#include "model/hash.hpp"
#include "model/memory.hpp"

namespace nlldiff {
namespace {

MemorySpec input_memory(const Case& c) {
  return {.what = "input", .memory = c.input.memory, .strides = &c.input.strides, .offset = c.input.offset};
}
MemorySpec grad_output_memory(const Case& c) {
  const auto& spec = c.grad_output;
  return {.what = "grad_output", .memory = spec.memory, .strides = &spec.strides, .offset = spec.offset};
}
MemorySpec target_memory(const Case& c) {
  return {.what = "target", .memory = c.target.memory, .strides = &c.target.strides, .offset = c.target.offset};
}
std::vector<std::int64_t> output_sizes(const Case& c) {
  return c.reduction == Reduction::none ? c.shape : std::vector<std::int64_t>{};
}

/// The element's bits in its dtype.
template <class Word>
Word encode(Dtype dtype, double value) {
  Word word{};
  store_float(dtype, &word, value);
  return word;
}

/// Calls fill.operator()<Word>() with the unsigned type of the dtype's size.
template <class Fill>
void with_word(Dtype dtype, Fill fill) {
  switch (bytes_of(dtype)) {
    case 8:
      return fill.template operator()<std::uint64_t>();
    case 4:
      return fill.template operator()<std::uint32_t>();
    default:
      return fill.template operator()<std::uint16_t>();
  }
}

void fill_constant(HostTensor& tensor, double value) {
  with_word(tensor.dtype, [&]<class Word>() {
    const Word word = encode<Word>(tensor.dtype, value);
    fill_words<Word>(tensor, [word] { return word; });
  });
}

void fill_explicit(HostTensor& tensor, const std::vector<double>& values, const Case& c, std::string_view field) {
  if (static_cast<std::int64_t>(values.size()) != tensor.numel()) {
    fail_usage("case \"{}\": {} has {} numbers for {} elements; give one an element", c.name, field, values.size(),
               tensor.numel());
  }
  with_word(tensor.dtype, [&]<class Word>() {
    fill_words<Word>(tensor, [&, next = values.begin()]() mutable { return encode<Word>(tensor.dtype, *next++); });
  });
}

/// Element i gets value_of(byte i % 8 of hash(i / 8)): one hash serves eight elements, 256 values are encoded once.
template <class ValueOf>
void fill_from_bytes(HostTensor& tensor, IndexHash hash, ValueOf value_of_byte) {
  with_word(tensor.dtype, [&]<class Word>() {
    std::array<Word, 256> table{};
    for (std::size_t byte = 0; byte < table.size(); ++byte) {
      table[byte] = encode<Word>(tensor.dtype, value_of_byte(static_cast<int>(byte)));
    }
    fill_words<Word>(tensor, [&table, hash, i = std::uint64_t{0}, bytes = std::uint64_t{0}]() mutable {
      bytes = i % 8 == 0 ? hash(i / 8) : bytes >> 8;
      ++i;
      return table[bytes & 0xff];
    });
  });
}

/// The bits of i in reverse order, as a fraction of `bits` bits: 1/2, 1/4, 3/4, 1/8, ... for i = 1, 2, 3, 4, ...
std::uint64_t reversed(std::uint64_t i, int bits) {
  i = (i & 0x5555555555555555u) << 1 | (i >> 1 & 0x5555555555555555u);
  i = (i & 0x3333333333333333u) << 2 | (i >> 2 & 0x3333333333333333u);
  i = (i & 0x0f0f0f0f0f0f0f0fu) << 4 | (i >> 4 & 0x0f0f0f0f0f0f0f0fu);
  return __builtin_bswap64(i) >> (64 - bits);
}

/// 1.5, -1.5, 3, -3, 1.25, -1.25, 2.5, ...: all different within a period, never 0, 1 or a power of two. The period is
/// a prime, so that rows a power of two, or a multiple of D, apart differ as well.
class PerRow {
 public:
  explicit PerRow(Dtype dtype) : bits_(std::min(significand_bits(dtype) - 1, 23)) {
    period_ = bits_ == 7 ? 503 : bits_ == 10 ? 4091 : 33554393;  // the largest primes <= 4 * (2^bits - 1)
  }
  double next() {
    const std::uint64_t i = i_;
    if (++i_ == period_) i_ = 0;
    const double one = static_cast<double>(std::uint64_t{1} << bits_);
    const double magnitude = 1.0 + static_cast<double>(reversed((i >> 2) + 1, bits_)) / one;
    return (i & 1 ? -1.0 : 1.0) * (i & 2 ? 2.0 : 1.0) * magnitude;
  }

 private:
  int bits_;
  std::uint64_t period_;
  std::uint64_t i_ = 0;
};

void fill_per_row(HostTensor& tensor) {
  with_word(tensor.dtype, [&]<class Word>() {
    fill_words<Word>(tensor, [dtype = tensor.dtype, values = PerRow(tensor.dtype)]() mutable {
      return encode<Word>(dtype, values.next());
    });
  });
}

double normal_grad(int byte) { return ((byte * 129 >> 8) - 64) / 32.0; }

/// As a single upstream gradient, 0 would hide everything and 1 a kernel that does not read it.
double normal_scalar(const Case& c) {
  const IndexHash hash(c.rng_seed, Stream::grad_output);
  for (std::uint64_t i = 0;; ++i) {
    const double value = normal_grad(static_cast<int>(hash(i) & 0xff));
    if (value != 0 && value != 1) return value;
  }
}

HostTensor make_input(const Case& c) {
  HostTensor input = allocate(c.dtype, place(input_sizes(c), input_memory(c)), input_memory(c));
  switch (c.input.fill) {
    case InputFill::normal:
      fill_from_bytes(input, IndexHash(c.rng_seed, Stream::input), [](int byte) { return (byte - 256) / 32.0; });
      break;
    case InputFill::zeros:
      fill_constant(input, 0);
      break;
    case InputFill::constant:
      fill_constant(input, c.input.value);
      break;
    case InputFill::explicit_:
      fill_explicit(input, c.input.values, c, "input.values");
      break;
  }
  const Geometry g = geometry_of(c);
  for (const SpecialCell& cell : c.input.special) {
    if (cell.row < 0 || cell.row >= g.rows() || cell.class_index < 0 || cell.class_index >= g.C) {
      fail_usage("case \"{}\": input.special names row {}, class {}; the case has {} rows and {} classes", c.name,
                 cell.row, cell.class_index, g.rows(), g.C);
    }
    store_float(c.dtype, input.at(g.cell(cell.row, cell.class_index)), cell.value);
  }
  return input;
}

std::optional<HostTensor> make_weight(const Case& c) {
  if (c.weight.fill == WeightFill::none) return std::nullopt;
  const MemorySpec memory{.what = "weight"};
  HostTensor weight = allocate(c.dtype, place({c.weight.length.value_or(c.C)}, memory), memory);
  const IndexHash hash(c.rng_seed, Stream::weight);
  const auto random = [](int byte) { return (1 + byte % 32) / 16.0; };
  switch (c.weight.fill) {
    case WeightFill::none:
      break;
    case WeightFill::random:
      fill_from_bytes(weight, hash, random);
      break;
    case WeightFill::negative:
      fill_from_bytes(weight, hash, random);
      for (std::int64_t k = 1; k < weight.numel(); k += 2) store_float(c.dtype, weight.at(k), -weight.value(k));
      break;
    case WeightFill::zeros:
      fill_constant(weight, 0);
      break;
    case WeightFill::ones:
      fill_constant(weight, 1);
      break;
    case WeightFill::explicit_:
      fill_explicit(weight, c.weight.values, c, "weight.values");
      break;
  }
  return weight;
}

HostTensor make_grad_output(const Case& c) {
  HostTensor grad_output = allocate(c.dtype, place(output_sizes(c), grad_output_memory(c)), grad_output_memory(c));
  switch (c.grad_output.fill) {
    case GradFill::per_row:
      fill_per_row(grad_output);
      break;
    case GradFill::normal:
      if (c.reduction == Reduction::none) {
        fill_from_bytes(grad_output, IndexHash(c.rng_seed, Stream::grad_output), normal_grad);
      } else {
        fill_constant(grad_output, normal_scalar(c));
      }
      break;
    case GradFill::ones:
      fill_constant(grad_output, 1);
      break;
    case GradFill::zeros:
      fill_constant(grad_output, 0);
      break;
    case GradFill::explicit_:
      fill_explicit(grad_output, c.grad_output.values, c, "grad_output.values");
      break;
  }
  return grad_output;
}

}  // namespace

std::uint64_t hash_index(std::uint64_t rng_seed, std::uint64_t stream, std::uint64_t index) {
  return IndexHash(rng_seed, stream)(index);
}

Inputs make_inputs(const Case& c, std::span<const std::int64_t> targets) {
  return {.input = make_input(c),
          .target = lay_out_target(c, targets),
          .weight = make_weight(c),
          .grad_output = make_grad_output(c)};
}

std::int64_t input_bytes(const Case& c) {
  std::int64_t total = 0;
  const auto add = [&total](const std::vector<std::int64_t>& sizes, Dtype dtype, const MemorySpec& memory) {
    std::int64_t bytes = 0;
    const bool too_many = __builtin_mul_overflow(place(sizes, memory).storage_elements, bytes_of(dtype), &bytes) ||
                          __builtin_add_overflow(total, bytes, &total);
    if (too_many) total = std::numeric_limits<std::int64_t>::max();
  };
  add(input_sizes(c), c.dtype, input_memory(c));
  add(c.shape, c.target.dtype, target_memory(c));
  add(output_sizes(c), c.dtype, grad_output_memory(c));
  if (c.weight.fill != WeightFill::none) add({c.weight.length.value_or(c.C)}, c.dtype, {.what = "weight"});
  return total;
}

}  // namespace nlldiff
