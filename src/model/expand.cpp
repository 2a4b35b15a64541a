// SPDX-License-Identifier: Apache-2.0
#include "model/expand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "model/case_check.hpp"
#include "model/case_file.hpp"

namespace nlldiff {

namespace {

constexpr std::size_t kLongestToken = 24;

std::string index_token(std::size_t index) { return fmt::format("#{}", index); }

std::string plain_token(std::int64_t value) { return fmt::to_string(value); }
std::string plain_token(std::uint64_t value) { return fmt::to_string(value); }
std::string plain_token(double value) { return fmt::format("{}", value); }
std::string plain_token(const std::optional<std::int64_t>& value) { return value ? fmt::to_string(*value) : ""; }
std::string plain_token(const std::vector<std::int64_t>& sizes) {
  return sizes.empty() ? "scalar" : fmt::format("{}", fmt::join(sizes, "x"));
}
template <class T>
std::string plain_token(const T& value) {
  if constexpr (std::is_enum_v<T>)
    return std::string(name_of(value));
  else
    return "";  // lists of floats, cells, words: no plain form
}

std::string no_meaning(std::size_t field) {
  const Field& f = fields()[field];
  return fmt::format("{} has a meaning only with {} {}", f.path, f.condition.controller,
                     fmt::join(condition_names(f), ", "));
}

std::int64_t explicit_numbers(const Case& c) {
  return std::ssize(c.target.values) + std::ssize(c.input.values) + std::ssize(c.grad_output.values) +
         std::ssize(c.weight.values) + std::ssize(c.input.special);
}

/// One axis while it is walked: what its values look like in a name, and which of them came through.
struct Walk {
  const Axis* axis;
  std::vector<std::string> tokens;
  std::vector<char> survived;
  std::vector<std::string> reasons;  ///< the first one for which a value's combination was impossible
  std::size_t at = 0;
};

class Expander {
 public:
  Expander(const Entry& entry, std::span<const SetField> overrides, Expansion& out, JsonErrors& errors)
      : entry_(entry), overrides_(overrides), out_(out), errors_(errors) {
    for (const Axis& axis : entry.axes) {
      Walk walk{.axis = &axis,
                .tokens = {},
                .survived = std::vector<char>(axis.values.size()),
                .reasons = std::vector<std::string>(axis.values.size())};
      for (std::size_t i = 0; i < axis.values.size(); ++i) walk.tokens.push_back(name_token(axis.values[i], i));
      walks_.push_back(std::move(walk));
      swept_[axis.field] = true;
    }
    for (const SetField& override_ : overrides) swept_[override_.field] = true;
  }

  void run() {
    if (!fits_limits()) return;
    const std::size_t before = out_.cases.size();
    do combination();
    while (!out_.exhausted && advance());
    if (!overrides_.empty() || out_.exhausted || plain()) return;
    if (out_.cases.size() == before)
      errors_.add(entry_.node,
                  fmt::format("not one combination of this matrix can exist; the first: {}", first_reason()));
    else
      report_dead_values();
  }

 private:
  /// No matrix and no override: whatever is wrong is the entry's own error.
  [[nodiscard]] bool plain() const { return walks_.empty() && overrides_.empty(); }

  bool fits_limits() {
    std::int64_t combinations = 1;
    for (const Walk& walk : walks_) {
      combinations *= std::ssize(walk.axis->values);  // each factor is at most kMaxJsonValues
      if (combinations > kMaxCasesPerFile) break;
    }
    if (out_.tried + combinations <= kMaxCasesPerFile) {
      out_.tried += combinations;
      return true;
    }
    out_.exhausted = true;
    errors_.add(entry_.node,
                fmt::format("the file expands to more than {} cases here; make the matrix smaller", kMaxCasesPerFile));
    return false;
  }

  bool advance() {
    for (auto walk = walks_.rbegin(); walk != walks_.rend(); ++walk) {
      if (++walk->at < walk->axis->values.size()) return true;
      walk->at = 0;
    }
    return false;
  }

  void combination() {
    Case c = entry_.base;
    for (const Walk& walk : walks_) set_field(walk.axis->field, c, walk.axis->values[walk.at]);
    for (const SetField& override_ : overrides_) set_field(override_.field, c, override_.value);
    out_.numbers += explicit_numbers(c);
    if (out_.numbers > kMaxExplicitNumbers) return too_many_numbers();

    std::vector<Violation> violations = settle(c);
    if (violations.empty()) violations = check_case(c);
    if (!violations.empty()) return plain() ? report(violations) : skip(violations.front());
    for (Walk& walk : walks_) walk.survived[walk.at] = 1;
    for (std::size_t i = 0; i < kFieldCount; ++i)
      if (entry_.own[i] && applies(i, c)) used_[i] = true;
    if (!walks_.empty()) c.name = name();
    out_.cases.push_back(std::move(c));
  }

  /// Takes fields without a meaning out: those from defaults, and in a matrix the entry's own too, silently (a value
  /// that applies to no combination is reported at the end). What an axis or --set sets must have a meaning.
  std::vector<Violation> settle(Case& c) const {
    std::vector<Violation> violations;
    for (std::size_t i = 0; i < kFieldCount; ++i) {
      if ((entry_.given[i] == 0 && !swept_[i]) || applies(i, c)) continue;
      if (swept_[i] || (plain() && entry_.own[i]))
        violations.push_back({i, no_meaning(i)});
      else
        reset_field(i, c);
    }
    return violations;
  }

  void report(const std::vector<Violation>& violations) {
    for (const Violation& v : violations)
      errors_.add(entry_.own[v.field] ? entry_.given[v.field] : entry_.node, v.message);
  }

  void skip(const Violation& violation) {
    ++out_.skipped;
    for (Walk& walk : walks_)
      if (!walk.survived[walk.at] && walk.reasons[walk.at].empty()) walk.reasons[walk.at] = violation.message;
  }

  [[nodiscard]] std::string first_reason() const { return walks_.front().reasons.front(); }

  void report_dead_values() {
    for (const Walk& walk : walks_)
      for (std::size_t i = 0; i < walk.survived.size(); ++i)
        if (!walk.survived[i])
          errors_.add(walk.axis->nodes[i], fmt::format("no combination with this {} can exist; the first: {}",
                                                       fields()[walk.axis->field].path, walk.reasons[i]));
    for (std::size_t i = 0; i < kFieldCount; ++i)
      if (entry_.own[i] && !used_[i])
        errors_.add(entry_.given[i], fmt::format("{}, which no combination here has", no_meaning(i)));
  }

  [[nodiscard]] std::string name() const {
    std::string suffix = suffix_of([](const Walk& walk) { return walk.tokens[walk.at]; });
    if (suffix.size() > kMaxNameSuffix) suffix = suffix_of([](const Walk& walk) { return index_token(walk.at); });
    return fmt::format("{}/{}", entry_.base.name, suffix);
  }

  template <class Token>
  [[nodiscard]] std::string suffix_of(Token token) const {
    std::string suffix;
    for (const Walk& walk : walks_) {
      if (!suffix.empty()) suffix += ',';
      suffix += fields()[walk.axis->field].path;
      suffix += '=';
      suffix += token(walk);
    }
    return suffix;
  }

  void too_many_numbers() {
    out_.exhausted = true;
    errors_.add(entry_.node, fmt::format("the cases of this file hold more than {} explicit numbers; make the lists or "
                                         "the matrix smaller",
                                         kMaxExplicitNumbers));
  }

  const Entry& entry_;
  std::span<const SetField> overrides_;
  Expansion& out_;
  JsonErrors& errors_;
  std::vector<Walk> walks_;
  std::array<bool, kFieldCount> swept_{};  ///< set by an axis or an override
  std::array<bool, kFieldCount> used_{};   ///< own fields that had a meaning in a case
};

}  // namespace

void expand_entry(const Entry& entry, std::span<const SetField> overrides, Expansion& out, JsonErrors& errors) {
  if (out.exhausted) return;
  Entry shrunk = entry;
  for (Axis& axis : shrunk.axes)
    for (const SetField& override_ : overrides)
      if (axis.field == override_.field) {
        axis.values = {override_.value};
        axis.nodes = {axis.node};
      }
  Expander(shrunk, overrides, out, errors).run();
}

std::string name_token(const FieldValue& value, std::size_t index_in_axis) {
  std::string token = std::visit([](const auto& v) { return plain_token(v); }, value);
  return token.empty() || token.size() > kLongestToken ? index_token(index_in_axis) : token;
}

}  // namespace nlldiff
