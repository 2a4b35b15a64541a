// SPDX-License-Identifier: Apache-2.0
// Target layouts: which rows are ignored, and which class each other row has.
#include <algorithm>
#include <limits>

#include "core/error.hpp"
#include "model/hash.hpp"
#include "model/inputs.hpp"
#include "model/memory.hpp"

namespace nlldiff {
namespace {

using Targets = std::vector<std::int64_t>;

std::size_t index_of(std::int64_t i) { return static_cast<std::size_t>(i); }

bool fits(Dtype dtype, std::int64_t value) {
  switch (dtype) {
    case Dtype::uint8:
      return value >= 0 && value <= std::numeric_limits<std::uint8_t>::max();
    case Dtype::int32:
      return value >= std::numeric_limits<std::int32_t>::min() && value <= std::numeric_limits<std::int32_t>::max();
    default:
      return true;
  }
}

/// Classes that the target's dtype can name: [0, classes()).
std::int64_t classes_of(const Case& c) {
  switch (c.target.dtype) {
    case Dtype::uint8:
      return std::min<std::int64_t>(c.C, 256);
    case Dtype::int32:
      return std::min<std::int64_t>(c.C, std::int64_t{1} << 31);
    default:
      return c.C;
  }
}

/// Gives rows valid classes at random and ignored rows ignore_index, as far as the case has either.
class Classes {
 public:
  explicit Classes(const Case& c)
      : hash_(c.rng_seed, Stream::target_class),
        ignore_index_(c.ignore_index),
        classes_(classes_of(c)),
        sentinel_fits_(fits(c.target.dtype, c.ignore_index)),
        sentinel_is_class_(c.ignore_index >= 0 && c.ignore_index < classes_) {}

  /// A valid class other than ignore_index. Where there is none (C = 0; C = 1 with ignore_index 0) the only legal
  /// target is ignore_index; where that does not fit the dtype either, 0.
  [[nodiscard]] std::int64_t valid(std::int64_t row) const {
    const std::int64_t choices = classes_ - (sentinel_is_class_ ? 1 : 0);
    if (choices <= 0) return sentinel_fits_ ? ignore_index_ : 0;
    const std::int64_t choice = hash_.pick(static_cast<std::uint64_t>(row), choices);
    return sentinel_is_class_ && choice >= ignore_index_ ? choice + 1 : choice;
  }
  /// ignore_index; a valid class where the dtype cannot hold it, for then no row can be ignored.
  [[nodiscard]] std::int64_t ignored(std::int64_t row) const { return sentinel_fits_ ? ignore_index_ : valid(row); }
  /// Row r's class when classes are dealt out in turn.
  [[nodiscard]] std::int64_t in_turn(std::int64_t row) const {
    if (classes_ <= (sentinel_is_class_ ? 1 : 0)) return valid(row);
    const std::int64_t turn = row % classes_;
    return turn == ignore_index_ ? (turn + 1) % classes_ : turn;
  }
  [[nodiscard]] bool has_class(std::int64_t class_index) const { return class_index >= 0 && class_index < classes_; }

 private:
  IndexHash hash_;
  std::int64_t ignore_index_;
  std::int64_t classes_;
  bool sentinel_fits_;
  bool sentinel_is_class_;
};

std::int64_t checked_value(const Case& c, std::int64_t value, std::string_view field) {
  if (!fits(c.target.dtype, value)) {
    fail_usage("case \"{}\": {} {} does not fit target.dtype {}; use int64 or another value", c.name, field, value,
               name_of(c.target.dtype));
  }
  return value;
}

Targets explicit_targets(const Case& c, std::int64_t rows) {
  if (static_cast<std::int64_t>(c.target.values.size()) != rows) {
    fail_usage("case \"{}\": target.values has {} numbers for {} rows; give one a row", c.name, c.target.values.size(),
               rows);
  }
  for (const std::int64_t value : c.target.values) checked_value(c, value, "target.values:");
  return c.target.values;
}

/// Ignored by chance, but at least one row is, and at least one of several is not: chance must not make a case vacuous.
/// target.ignored = 0 and = 1 mean what they say.
Targets uniform_targets(const Case& c, std::int64_t rows) {
  const Classes classes(c);
  const IndexHash chance(c.rng_seed, Stream::target_ignored);
  Targets targets(index_of(rows));
  std::int64_t ignored = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    const bool is_ignored = chance.happens(static_cast<std::uint64_t>(r), c.target.ignored);
    targets[index_of(r)] = is_ignored ? classes.ignored(r) : classes.valid(r);
    ignored += is_ignored ? 1 : 0;
  }
  if (rows == 0) return targets;
  const std::int64_t forced = IndexHash(c.rng_seed, Stream::target_forced).pick(0, rows);
  if (ignored == 0 && c.target.ignored > 0) targets[index_of(forced)] = classes.ignored(forced);
  if (ignored == rows && rows > 1 && c.target.ignored < 1) targets[index_of(forced)] = classes.valid(forced);
  return targets;
}

Targets out_of_range_targets(const Case& c, std::int64_t rows) {
  Targets targets = uniform_targets(c, rows);
  if (c.target.row < 0 || c.target.row >= rows) {
    fail_usage("case \"{}\": target.row {} is not a row of the case; it has {}", c.name, c.target.row, rows);
  }
  targets[index_of(c.target.row)] = checked_value(c, c.target.value, "target.value");
  return targets;
}

/// A target row by row from a rule (classes, row).
template <class Rule>
Targets by_rule(const Case& c, std::int64_t rows, Rule rule) {
  const Classes classes(c);
  Targets targets(index_of(rows));
  for (std::int64_t r = 0; r < rows; ++r) targets[index_of(r)] = rule(classes, r);
  return targets;
}

/// A sequence is the D rows of a sample, or, without spatial dimensions, all rows. Each keeps a row at least; one,
/// chosen by hash, has a tail for certain.
Targets padded_targets(const Case& c, const Geometry& g) {
  const std::int64_t sequences = g.D > 1 ? g.N : 1;
  const std::int64_t length = g.D > 1 ? g.D : g.N;
  Targets targets;
  if (g.rows() == 0) return targets;
  const Classes classes(c);
  const IndexHash lengths(c.rng_seed, Stream::target_length);
  const std::int64_t shortened = IndexHash(c.rng_seed, Stream::target_forced).pick(0, sequences);
  targets.reserve(index_of(g.rows()));
  for (std::int64_t s = 0; s < sequences; ++s) {
    const std::int64_t longest = s == shortened ? std::max<std::int64_t>(length - 1, 1) : length;
    const std::int64_t kept = 1 + lengths.pick(static_cast<std::uint64_t>(s), longest);
    for (std::int64_t d = 0; d < length; ++d) {
      const std::int64_t row = s * length + d;
      targets.push_back(d < kept ? classes.valid(row) : classes.ignored(row));
    }
  }
  return targets;
}

/// Which rows of one sample lie on the frame of the box: the first or last index of any of its dimensions.
std::vector<bool> frame_of(const std::vector<std::int64_t>& box) {
  std::int64_t rows = 1;
  for (const std::int64_t size : box) rows *= size;
  std::vector<bool> frame(index_of(rows), false);
  std::int64_t inner = rows;
  for (const std::int64_t size : box) {
    inner = size == 0 ? 0 : inner / size;
    for (std::int64_t r = 0; r < rows; ++r) {
      const std::int64_t i = r / inner % size;
      if (i == 0 || i == size - 1) frame[index_of(r)] = true;
    }
  }
  return frame;
}

/// Without spatial dimensions the batch is the box: its first and last row are ignored.
Targets border_targets(const Case& c, const Geometry& g) {
  const auto begin = c.shape.size() > 1 ? c.shape.begin() + 1 : c.shape.begin();
  const std::vector<bool> frame = frame_of({begin, c.shape.end()});
  const std::int64_t rows = static_cast<std::int64_t>(frame.size());
  const Classes classes(c);
  Targets targets;
  targets.reserve(index_of(g.rows()));
  std::int64_t in_box = 0;
  for (std::int64_t r = 0; r < g.rows(); ++r) {
    targets.push_back(frame[index_of(in_box)] ? classes.ignored(r) : classes.valid(r));
    if (++in_box == rows) in_box = 0;
  }
  return targets;
}

/// n*C*D + ignore_index*D + d = (n + samples)*C*D + class_index*D + d, with 0 <= class_index < C: every sentinel-built
/// address of a case lies the same number of samples away, in the same class. So each row is the victim of one row at
/// most.
struct SentinelShift {
  std::int64_t samples = 0;
  std::int64_t class_index = 0;
  explicit SentinelShift(const Case& c) : samples(c.ignore_index / c.C), class_index(c.ignore_index % c.C) {
    if (class_index < 0) {
      class_index += c.C;
      --samples;
    }
  }
};

/// Ignored rows whose victim exists make it valid, with the hit class as its target; a victim is never ignored itself.
/// One such pair is chosen first, by hash, so that chance cannot leave the case blind. O(rows).
Targets collide_targets(const Case& c, const Geometry& g) {
  if (c.C == 0) return uniform_targets(c, g.rows());
  const SentinelShift shift(c);
  const Classes classes(c);
  const std::int64_t samples = std::clamp(shift.samples, -g.N, g.N);  // farther away is outside as well
  const std::int64_t first = std::max<std::int64_t>(0, -samples);     // samples that have a victim: [first, last)
  const std::int64_t last = std::min(g.N, g.N - samples);
  const bool sentinel_fits = fits(c.target.dtype, c.ignore_index);
  if (samples == 0 || first >= last || g.rows() == 0 || !sentinel_fits || !classes.has_class(shift.class_index)) {
    return uniform_targets(c, g.rows());
  }
  enum class Role : std::uint8_t { free, ignored, victim };
  std::vector<Role> roles(index_of(g.rows()), Role::free);
  const std::int64_t distance = samples * g.D;
  const auto make_ignored = [&](std::int64_t row) {
    roles[index_of(row)] = Role::ignored;
    if (row >= first * g.D && row < last * g.D) roles[index_of(row + distance)] = Role::victim;
  };
  const auto victim_is_ignored = [&](std::int64_t row) {
    return row >= first * g.D && row < last * g.D && roles[index_of(row + distance)] == Role::ignored;
  };
  if (c.target.ignored > 0) {
    make_ignored(first * g.D + IndexHash(c.rng_seed, Stream::target_forced).pick(0, (last - first) * g.D));
  }
  const IndexHash chance(c.rng_seed, Stream::target_ignored);
  for (std::int64_t r = 0; r < g.rows(); ++r) {
    if (roles[index_of(r)] != Role::free || victim_is_ignored(r)) continue;
    if (chance.happens(static_cast<std::uint64_t>(r), c.target.ignored)) make_ignored(r);
  }
  Targets targets(index_of(g.rows()));
  for (std::int64_t r = 0; r < g.rows(); ++r) {
    const Role role = roles[index_of(r)];
    targets[index_of(r)] = role == Role::free      ? classes.valid(r)
                           : role == Role::ignored ? c.ignore_index
                                                   : shift.class_index;
  }
  return targets;
}

Targets generate(const Case& c, const Geometry& g) {
  const std::int64_t rows = g.rows();
  switch (c.target.layout) {
    case TargetLayout::explicit_:
      return explicit_targets(c, rows);
    case TargetLayout::uniform:
      return uniform_targets(c, rows);
    case TargetLayout::alternate:
      return by_rule(c, rows, [](const Classes& k, std::int64_t r) { return r % 2 == 0 ? k.ignored(r) : k.valid(r); });
    case TargetLayout::padded:
      return padded_targets(c, g);
    case TargetLayout::border:
      return border_targets(c, g);
    case TargetLayout::all:
      return by_rule(c, rows, [](const Classes& k, std::int64_t r) { return k.ignored(r); });
    case TargetLayout::none:
      return by_rule(c, rows, [](const Classes& k, std::int64_t r) { return k.valid(r); });
    case TargetLayout::constant:
      return Targets(index_of(rows), checked_value(c, c.target.value, "target.value"));
    case TargetLayout::cycle:
      return by_rule(c, rows, [](const Classes& k, std::int64_t r) { return k.in_turn(r); });
    case TargetLayout::out_of_range:
      return out_of_range_targets(c, rows);
    case TargetLayout::collide:
      return collide_targets(c, g);
  }
  fail_internal("case \"{}\": a target layout without a generator", c.name);
}

MemorySpec target_memory(const Case& c) {
  return {.what = "target", .memory = c.target.memory, .strides = &c.target.strides, .offset = c.target.offset};
}

bool may_overlap(Memory memory) { return memory == Memory::expanded || memory == Memory::strides; }

template <class Word>
void write_targets(HostTensor& tensor, std::span<const std::int64_t> targets) {
  fill_words<Word>(tensor, [next = targets.begin()]() mutable { return static_cast<Word>(*next++); });
}

HostTensor write(const Case& c, std::span<const std::int64_t> targets, const MemorySpec& memory) {
  HostTensor tensor = allocate(c.target.dtype, place(c.shape, memory), memory);
  if (static_cast<std::int64_t>(targets.size()) != tensor.numel()) {
    fail_internal("case \"{}\": {} targets for {} rows", c.name, targets.size(), tensor.numel());
  }
  if (c.target.dtype == Dtype::int64) write_targets<std::int64_t>(tensor, targets);
  if (c.target.dtype == Dtype::int32) write_targets<std::int32_t>(tensor, targets);
  if (c.target.dtype == Dtype::uint8) write_targets<std::uint8_t>(tensor, targets);
  return tensor;
}

Targets read(const HostTensor& tensor) {
  Targets targets;
  targets.reserve(index_of(tensor.numel()));
  const std::int64_t bytes = bytes_of(tensor.dtype);
  for_each_run(tensor, [&](std::int64_t element, std::int64_t count, std::int64_t stride) {
    for (std::int64_t i = 0; i < count; ++i) {
      targets.push_back(load_int(tensor.dtype, tensor.storage.data() + (element + i * stride) * bytes));
    }
  });
  return targets;
}

/// Rows that share an element of storage have one target: the last one's, or the row's that out_of_range is about.
Targets settle(const Case& c, Targets targets) {
  if (!may_overlap(c.target.memory) || targets.empty()) return targets;
  HostTensor tensor = write(c, targets, target_memory(c));
  if (c.target.layout == TargetLayout::out_of_range) {
    store_int(tensor.dtype, tensor.at(c.target.row), targets[index_of(c.target.row)]);
  }
  Targets settled = read(tensor);
  if (c.target.layout == TargetLayout::explicit_ && settled != targets) {
    fail_usage("case \"{}\": rows that share an element by target.memory differ in target.values; make them equal",
               c.name);
  }
  return settled;
}

}  // namespace

std::vector<std::int64_t> make_targets(const Case& c) { return settle(c, generate(c, geometry_of(c))); }

HostTensor lay_out_target(const Case& c, std::span<const std::int64_t> targets) {
  HostTensor tensor = write(c, targets, target_memory(c));
  if (may_overlap(c.target.memory) && !std::ranges::equal(read(tensor), targets)) {
    return write(c, targets, {.what = "target"});
  }
  return tensor;
}

}  // namespace nlldiff
