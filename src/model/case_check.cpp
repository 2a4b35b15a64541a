// SPDX-License-Identifier: Apache-2.0
#include "model/case_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "model/fields.hpp"

namespace nlldiff {

namespace {

using Sizes = std::vector<std::int64_t>;

/// a * b + add for numbers >= 0, or nothing beyond `limit`.
std::optional<std::int64_t> bounded(std::int64_t a, std::int64_t b, std::int64_t add, std::int64_t limit) {
  if (add > limit || (b != 0 && a > (limit - add) / b)) return std::nullopt;
  return a * b + add;
}

struct IntegerRange {
  std::int64_t min, max;
  [[nodiscard]] bool has(std::int64_t value) const { return value >= min && value <= max; }
};

IntegerRange range_of(Dtype dtype) {
  if (dtype == Dtype::uint8) return {0, 255};
  if (dtype == Dtype::int32)
    return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
  return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
}

/// Where one tensor lies, and the paths of the fields that say so.
struct TensorMemory {
  std::string_view group;
  Memory memory;
  const Sizes& strides;
  std::int64_t offset;
  Sizes sizes;
};

/// Whether two elements may share their memory. Sufficient, not necessary: as ATen's own quick test.
bool may_overlap(const TensorMemory& p) {
  if (std::ranges::count(p.sizes, 0) != 0) return false;
  if (p.memory == Memory::expanded) return std::ranges::any_of(p.sizes, [](std::int64_t size) { return size > 1; });
  if (p.memory != Memory::strides) return false;
  std::vector<std::pair<std::int64_t, std::int64_t>> dims;  // stride, size
  for (std::size_t i = 0; i < p.sizes.size(); ++i)
    if (p.sizes[i] > 1) dims.emplace_back(p.strides[i], p.sizes[i]);
  std::ranges::sort(dims);
  std::int64_t reach = 0;  // of the dimensions so far
  for (const auto& [stride, size] : dims) {
    if (stride <= reach) return true;
    reach += (size - 1) * stride;
  }
  return false;
}

class Checker {
 public:
  explicit Checker(const Case& c) : c_(c) {}

  std::vector<Violation> run() && {
    if (!sizes()) return std::move(found_);
    g_ = geometry_of(c_);
    layout();
    classes();
    target_type();
    given_targets();
    weight();
    input();
    grad_output();
    expectation();
    return std::move(found_);
  }

 private:
  template <class... Args>
  void violated(std::string_view path, fmt::format_string<Args...> format, Args&&... args) {
    found_.push_back({*find_field(path), fmt::format(format, std::forward<Args>(args)...)});
  }

  // Zero sizes are passed over: no partial product may overflow either, in whatever order it is taken.
  bool sizes() {
    std::int64_t product = 1;
    for (const std::int64_t size : input_sizes(c_)) {
      const auto next = size == 0 ? product : bounded(product, size, 0, kMaxCells);
      if (!next) {
        violated("shape", "the input has more than 2^62 cells; make shape or C smaller");
        return false;
      }
      product = *next;
    }
    return true;
  }

  [[nodiscard]] bool is(TargetLayout layout) const { return c_.target.layout == layout; }

  void layout() {
    if (is(TargetLayout::border) && c_.shape.size() < 2)
      violated("target.layout", "border needs spatial dimensions: a shape [N, d1, ...], or another layout");
    if (is(TargetLayout::padded) && c_.shape.empty())
      violated("target.layout", "padded needs a sequence: a shape [N] or [N, d1, ...], or another layout");
    if (is(TargetLayout::explicit_) && std::ssize(c_.target.values) != g_.rows())
      violated("target.values", "target.values has {} numbers; the shape has {} rows", c_.target.values.size(),
               g_.rows());
    if (is(TargetLayout::out_of_range) && c_.target.row >= g_.rows())
      violated("target.row", "target.row is {}; the shape has {} rows, counted from 0", c_.target.row, g_.rows());
  }

  [[nodiscard]] bool draws_classes() const {
    return !is(TargetLayout::all) && !is(TargetLayout::constant) && !is(TargetLayout::explicit_);
  }

  void classes() {
    if (!draws_classes() || g_.rows() == 0) return;
    const bool sentinel_is_class = c_.ignore_index >= 0 && c_.ignore_index < c_.C;
    if (c_.C - (sentinel_is_class ? 1 : 0) == 0)
      violated("C",
               "layout {} needs a class that is not ignore_index; C = {} leaves none (use layout all, constant or "
               "explicit)",
               name_of(c_.target.layout), c_.C);
    if (c_.C - 1 > range_of(c_.target.dtype).max)
      violated("target.dtype", "classes up to {} do not fit target.dtype {}; make C smaller or the type wider",
               c_.C - 1, name_of(c_.target.dtype));
  }

  [[nodiscard]] bool may_ignore() const {
    switch (c_.target.layout) {
      case TargetLayout::none:
      case TargetLayout::cycle:
        return false;
      case TargetLayout::uniform:
      case TargetLayout::collide:
      case TargetLayout::out_of_range:
        return c_.target.ignored > 0;
      case TargetLayout::explicit_:
      case TargetLayout::constant:  // a value that fits the type cannot be a sentinel that does not
        return false;
      default:
        return g_.rows() > 0;
    }
  }

  void target_type() {
    if (may_ignore() && !range_of(c_.target.dtype).has(c_.ignore_index))
      violated("ignore_index", "ignore_index {} does not fit target.dtype {}, and this layout ignores rows",
               c_.ignore_index, name_of(c_.target.dtype));
    place({"target", c_.target.memory, c_.target.strides, c_.target.offset, c_.shape}, one_target());
  }

  [[nodiscard]] bool one_target() const {
    return is(TargetLayout::all) || is(TargetLayout::constant) ||
           (is(TargetLayout::explicit_) && all_equal(c_.target.values));
  }

  template <class T>
  static bool all_equal(const std::vector<T>& values) {
    return std::ranges::adjacent_find(values, std::ranges::not_equal_to{}) == values.end();
  }

  [[nodiscard]] bool is_target(std::int64_t value) const {
    return value == c_.ignore_index || (value >= 0 && value < c_.C);
  }

  void given_targets() {
    const IntegerRange range = range_of(c_.target.dtype);
    if (applies_value() && !range.has(c_.target.value))
      violated("target.value", "target.value {} does not fit target.dtype {}", c_.target.value,
               name_of(c_.target.dtype));
    if (!is(TargetLayout::explicit_)) return;
    const auto misfit = std::ranges::find_if_not(c_.target.values, [&](std::int64_t v) { return range.has(v); });
    if (misfit != c_.target.values.end())
      violated("target.values", "target.values[{}] = {} does not fit target.dtype {}",
               misfit - c_.target.values.begin(), *misfit, name_of(c_.target.dtype));
  }

  [[nodiscard]] bool applies_value() const { return is(TargetLayout::constant) || is(TargetLayout::out_of_range); }

  void weight() {
    if (c_.weight.fill != WeightFill::explicit_) return;
    const std::int64_t length = c_.weight.length.value_or(c_.C);
    if (std::ssize(c_.weight.values) != length)
      violated("weight.values", "weight.values has {} numbers; the weight tensor has {} ({})", c_.weight.values.size(),
               length, c_.weight.length ? "weight.length" : "C");
  }

  void input() {
    if (c_.input.fill == InputFill::explicit_ && std::ssize(c_.input.values) != g_.cells())
      violated("input.values", "input.values has {} numbers; the input has {} cells", c_.input.values.size(),
               g_.cells());
    special_cells();
    const bool one_value =
        c_.input.special.empty() && (c_.input.fill != InputFill::explicit_ || all_equal(c_.input.values));
    place({"input", c_.input.memory, c_.input.strides, c_.input.offset, input_sizes(c_)}, one_value);
  }

  void special_cells() {
    std::vector<std::pair<std::int64_t, std::int64_t>> seen;
    for (const SpecialCell& cell : c_.input.special) {
      if (cell.row >= g_.rows() || cell.class_index >= c_.C)
        violated("input.special", "the special cell (row {}, class {}) is outside: there are {} rows and {} classes",
                 cell.row, cell.class_index, g_.rows(), c_.C);
      seen.emplace_back(cell.row, cell.class_index);
    }
    std::ranges::sort(seen);
    if (const auto twice = std::ranges::adjacent_find(seen); twice != seen.end())
      violated("input.special", "the special cell (row {}, class {}) is given twice", twice->first, twice->second);
  }

  void grad_output() {
    const bool a_row_each = c_.reduction == Reduction::none;
    const std::int64_t wanted = a_row_each ? g_.rows() : 1;
    if (c_.grad_output.fill == GradFill::explicit_ && std::ssize(c_.grad_output.values) != wanted)
      violated("grad_output.values", "grad_output.values has {} numbers; with reduction {} it needs {}",
               c_.grad_output.values.size(), name_of(c_.reduction), wanted);
    const bool one_value = c_.grad_output.fill != GradFill::explicit_ || all_equal(c_.grad_output.values);
    place({"grad_output", c_.grad_output.memory, c_.grad_output.strides, c_.grad_output.offset,
           a_row_each ? c_.shape : Sizes{}},
          one_value);
  }

  /// `one_value`: the elements may share their memory, since they are all to be equal or only hashes.
  void place(const TensorMemory& p, bool one_value) {
    if (!has_rank(p) || (p.memory == Memory::strides && !has_strides(p))) return;
    if (!one_value && may_overlap(p))
      violated(path_of(p, "memory"),
               "elements of the {} that must differ would share their memory; give them equal "
               "values, or other strides",
               p.group);
  }

  static std::string path_of(const TensorMemory& p, std::string_view key) { return fmt::format("{}.{}", p.group, key); }

  bool has_rank(const TensorMemory& p) {
    const std::size_t needed = p.memory == Memory::channels_last                            ? 3
                               : p.memory == Memory::transposed                             ? 2
                               : p.memory == Memory::sliced || p.memory == Memory::expanded ? 1
                                                                                            : 0;
    if (p.sizes.size() >= needed) return true;
    violated(path_of(p, "memory"), "{} memory needs {} or more dimensions; the {} has {} here", name_of(p.memory),
             needed, p.group, p.sizes.size());
    return false;
  }

  bool has_strides(const TensorMemory& p) {
    if (p.strides.size() != p.sizes.size()) {
      violated(path_of(p, "strides"), "{}.strides has {} numbers; the {} has {} dimensions here", p.group,
               p.strides.size(), p.group, p.sizes.size());
      return false;
    }
    std::optional<std::int64_t> last = p.offset;  // the last element's offset
    for (std::size_t i = 0; last && i < p.sizes.size(); ++i)
      if (p.sizes[i] > 1) last = bounded(p.sizes[i] - 1, p.strides[i], *last, kMaxStorage - 1);
    if (last && *last < kMaxStorage) return true;
    violated(path_of(p, "strides"), "these strides reach over more than 2^40 elements of memory; make them smaller");
    return false;
  }

  void expectation() {
    if (c_.expect == Expect::match)
      must_be_legal();
    else if (!breaks_contract())
      violated("expect",
               "\"reject\" needs something to refuse: a target outside [0, C) or a weight.length other than C");
    if (is(TargetLayout::out_of_range) && is_target(c_.target.value))
      violated("target.value",
               "layout out_of_range needs a target.value outside [0, {}) other than ignore_index; {} is "
               "legal",
               c_.C, c_.target.value);
  }

  void must_be_legal() {
    constexpr std::string_view kHint = "use another, or \"expect\": \"reject\"";
    if (is(TargetLayout::out_of_range)) violated("expect", "layout out_of_range needs \"expect\": \"reject\"");
    if (is(TargetLayout::constant) && g_.rows() > 0 && !is_target(c_.target.value))
      violated("target.value", "target.value {} is neither in [0, {}) nor ignore_index {}; {}", c_.target.value, c_.C,
               c_.ignore_index, kHint);
    if (const auto bad = first_bad_value(); bad != c_.target.values.end())
      violated("target.values", "target.values[{}] = {} is neither in [0, {}) nor ignore_index {}; {}",
               bad - c_.target.values.begin(), *bad, c_.C, c_.ignore_index, kHint);
    if (wrong_weight_length())
      violated("weight.length", "weight.length {} differs from C = {}; {}", *c_.weight.length, c_.C, kHint);
  }

  [[nodiscard]] std::vector<std::int64_t>::const_iterator first_bad_value() const {
    if (!is(TargetLayout::explicit_)) return c_.target.values.end();
    return std::ranges::find_if_not(c_.target.values, [this](std::int64_t v) { return is_target(v); });
  }

  [[nodiscard]] bool wrong_weight_length() const {
    return c_.weight.fill != WeightFill::none && c_.weight.length && *c_.weight.length != c_.C;
  }

  [[nodiscard]] bool breaks_contract() const {
    const bool bad_constant = is(TargetLayout::constant) && g_.rows() > 0 && !is_target(c_.target.value);
    return is(TargetLayout::out_of_range) || bad_constant || first_bad_value() != c_.target.values.end() ||
           wrong_weight_length();
  }

  const Case& c_;
  Geometry g_;
  std::vector<Violation> found_;
};

}  // namespace

std::vector<Violation> check_case(const Case& c) { return Checker(c).run(); }

}  // namespace nlldiff
