// SPDX-License-Identifier: Apache-2.0
#include "model/case_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <optional>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "core/text.hpp"
#include "model/expand.hpp"
#include "model/field_reader.hpp"
#include "model/field_writer.hpp"
#include "model/fields.hpp"
#include "model/json_reader.hpp"

namespace nlldiff {

namespace {

// ---- the document: text -> entries ----

std::vector<std::string> keys_of_group(std::string_view group) {
  std::vector<std::string> keys;
  for (const Field& field : fields())
    if (field.group() == group && field.path != "name") keys.emplace_back(field.key());
  return keys;
}

std::vector<std::string> entry_keys() {
  std::vector<std::string> keys{"name"};
  std::ranges::move(keys_of_group(""), std::back_inserter(keys));
  for (const std::string_view group : field_groups()) keys.emplace_back(group);
  keys.insert(keys.end(), {"matrix", "comment", "origin"});
  return keys;
}

class DocumentReader {
 public:
  DocumentReader(const JsonTree& tree, JsonErrors& errors) : tree_(tree), errors_(errors) {}

  /// The entries; they are to be used only where no error was added.
  std::vector<Entry> read() {
    if (!is_a(0, JsonKind::object, "a case file")) return {};
    std::optional<std::uint32_t> list;
    tree_.for_each_member(0, [&](std::uint32_t key, std::uint32_t value) {
      const std::string_view name = tree_.string(key);
      if (name == "cases")
        list = value;
      else if (name == "defaults")
        defaults_node_ = value;
      else if (name == "$schema" || name == "comment" || name == "origin")
        is_a(value, JsonKind::string, name);
      else
        unknown(key, {"$schema", "comment", "origin", "defaults", "cases"});
    });
    if (defaults_node_) read_defaults(*defaults_node_);
    if (!list)
      errors_.add(0, "\"cases\" is missing: a list of cases");
    else if (is_a(*list, JsonKind::array, "cases"))
      read_entries(*list);
    return std::move(entries_);
  }

 private:
  void read_defaults(std::uint32_t node) {
    if (!is_a(node, JsonKind::object, "defaults")) return;
    tree_.for_each_member(node, [&](std::uint32_t key, std::uint32_t value) {
      const std::string_view name = tree_.string(key);
      if (name == "name" || name == "matrix" || name == "comment" || name == "origin")
        errors_.add(key, fmt::format("\"{}\" belongs to a case, not to defaults; move it there", name));
      else
        read_member(key, value, defaults_);
    });
    defaults_.own = {};
  }

  void read_entries(std::uint32_t list) {
    if (tree_.nodes[list].size == 0) errors_.add(list, "\"cases\" is empty; a case file needs at least one case");
    tree_.for_each_element(list, [&](std::uint32_t node) {
      if (is_a(node, JsonKind::object, "a case")) read_entry(node);
    });
  }

  void read_entry(std::uint32_t node) {
    Entry entry = defaults_;
    entry.node = node;
    std::optional<std::uint32_t> matrix;
    tree_.for_each_member(node, [&](std::uint32_t key, std::uint32_t value) {
      const std::string_view name = tree_.string(key);
      if (name == "matrix")
        matrix = value;
      else if (name == "comment" || name == "origin")
        is_a(value, JsonKind::string, name);
      else
        read_member(key, value, entry);
    });
    if (matrix && is_a(*matrix, JsonKind::object, "matrix")) read_matrix(*matrix, entry);
    require(entry);
    entries_.push_back(std::move(entry));
  }

  void require(const Entry& entry) {
    const auto has = [&](std::string_view path) {
      const std::size_t field = *find_field(path);
      return entry.given[field] != 0 || std::ranges::count(entry.axes, field, &Axis::field) != 0;
    };
    if (!has("name")) errors_.add(entry.node, "\"name\" is missing: each case of a file needs its own");
    if (!has("shape")) errors_.add(entry.node, "\"shape\" is missing here, in matrix and in defaults");
    if (!has("C")) errors_.add(entry.node, "\"C\" is missing here, in matrix and in defaults");
    const std::size_t name = *find_field("name");
    if (entry.given[name] != 0 && entry.base.name.find('/') != std::string::npos && !entry.axes.empty())
      errors_.add(entry.given[name], "the name of a case with a matrix must not have a \"/\"; the matrix adds one");
  }

  /// One key of an entry or of defaults: a field at the top, or a group of fields.
  void read_member(std::uint32_t key, std::uint32_t value, Entry& into) {
    const std::string_view name = tree_.string(key);
    if (std::ranges::count(field_groups(), name) != 0)
      read_group(name, value, into);
    else if (const auto field = find_field("", name))
      read_value(*field, value, into);
    else
      unknown(key, entry_keys());
  }

  void read_group(std::string_view group, std::uint32_t node, Entry& into) {
    if (!is_a(node, JsonKind::object, group)) return;
    tree_.for_each_member(node, [&](std::uint32_t key, std::uint32_t value) {
      if (const auto field = find_field(group, tree_.string(key)))
        read_value(*field, value, into);
      else
        unknown(key, keys_of_group(group));
    });
  }

  void read_value(std::size_t field, std::uint32_t node, Entry& into) {
    into.given[field] = node;
    into.own[field] = true;
    if (const auto value = read_field(tree_, node, field, errors_)) set_field(field, into.base, *value);
  }

  void read_matrix(std::uint32_t node, Entry& entry) {
    if (tree_.nodes[node].size == 0) errors_.add(node, "matrix is empty; give it a field, or leave it out");
    tree_.for_each_member(node, [&](std::uint32_t key, std::uint32_t value) {
      const auto field = find_field(tree_.string(key));
      if (!field || fields()[*field].path == "name")
        errors_.add(key, fmt::format("matrix knows no field {}{}", in_quotes(tree_.string(key)),
                                     did_you_mean(tree_.string(key), settable_paths())));
      else
        read_axis(*field, key, value, entry);
    });
  }

  void read_axis(std::size_t field, std::uint32_t key, std::uint32_t list, Entry& entry) {
    const std::string_view path = fields()[field].path;
    if (entry.own[field]) errors_.add(key, fmt::format("{} is given beside the matrix too; keep one of them", path));
    if (tree_.nodes[list].kind != JsonKind::array || tree_.nodes[list].size == 0) {
      errors_.add(list,
                  fmt::format("{} in a matrix must be a list of one or more values, not {}", path,
                              tree_.nodes[list].kind == JsonKind::array ? "an empty one" : describe(tree_, list)));
      return;
    }
    Axis axis{.field = field, .node = list, .values = {}, .nodes = {}};
    tree_.for_each_element(list, [&](std::uint32_t node) {
      auto value = read_field(tree_, node, field, errors_);
      if (!value) return;
      axis.values.push_back(std::move(*value));
      axis.nodes.push_back(node);
    });
    refuse_repeated(axis);
    entry.axes.push_back(std::move(axis));
  }

  void refuse_repeated(const Axis& axis) {
    std::unordered_set<std::string> seen;
    for (std::size_t i = 0; i < axis.values.size(); ++i)
      if (!seen.insert(write_value<nlohmann::json>(axis.values[i]).dump()).second)
        errors_.add(axis.nodes[i], "this value is in the list already; each may be there once");
  }

  void unknown(std::uint32_t key, const std::vector<std::string>& known) {
    errors_.add(key,
                fmt::format("unknown key {}{}", in_quotes(tree_.string(key)), did_you_mean(tree_.string(key), known)));
  }

  bool is_a(std::uint32_t node, JsonKind kind, std::string_view what) {
    if (tree_.nodes[node].kind == kind) return true;
    errors_.add(node, fmt::format("{} must be {}, not {}", what, kind_phrase(kind), describe(tree_, node)));
    return false;
  }

  const JsonTree& tree_;
  JsonErrors& errors_;
  std::optional<std::uint32_t> defaults_node_;
  Entry defaults_;
  std::vector<Entry> entries_;
};

// ---- names, overrides, errors ----

void refuse_repeated_names(const std::vector<Entry>& entries, JsonErrors& errors) {
  const std::size_t name = *find_field("name");
  std::unordered_set<std::string_view> seen;
  for (const Entry& entry : entries)
    if (entry.given[name] != 0 && !seen.insert(entry.base.name).second)
      errors.add(entry.given[name],
                 fmt::format("the name {} is taken by another case of this file; choose one of its own",
                             in_quotes(entry.base.name)));
}

// An entry may bear the name of an expanded case ("a/C=4"), which a matrix of entry "a" may make too.
void refuse_repeated_expanded_names(const std::vector<Entry>& entries, const Expansion& expansion, JsonErrors& errors) {
  const auto has_slash = [](const Entry& entry) { return entry.base.name.find('/') != std::string::npos; };
  if (std::ranges::none_of(entries, has_slash)) return;
  std::unordered_set<std::string_view> seen;
  for (const Case& c : expansion.cases)
    if (!seen.insert(c.name).second)
      errors.add(0, fmt::format("two cases of this file expand to the name {}; rename one", in_quotes(c.name)));
}

std::vector<Entry> read_entries(const JsonTree& tree, JsonErrors& errors) {
  std::vector<Entry> entries = DocumentReader(tree, errors).read();
  refuse_repeated_names(entries, errors);
  return entries;
}

Diagnostic to_diagnostic(const JsonTree& tree, const JsonError& error, const std::string& file) {
  const JsonPosition position = tree.position(error.offset);
  return {file, position.line, position.column, error.pointer, error.message};
}

std::vector<Diagnostic> to_diagnostics(const JsonTree& tree, const JsonErrors& errors, const std::string& file) {
  std::vector<JsonError> all = tree.errors;
  all.insert(all.end(), errors.list().begin(), errors.list().end());
  std::ranges::stable_sort(all, {}, &JsonError::offset);
  std::vector<Diagnostic> diagnostics;
  for (const JsonError& error : all) diagnostics.push_back(to_diagnostic(tree, error, file));
  if (const std::size_t hidden = errors.count() - errors.list().size(); hidden > 0)
    diagnostics.push_back({file, 0, 0, "", fmt::format("{} more errors are not shown; mend these first", hidden)});
  return diagnostics;
}

std::string word_as_json(std::string_view word) { return '"' + std::string(word) + '"'; }

/// The value of one --set: JSON, or else a bare word that is a string.
std::optional<SetField> read_override(const Override& given, std::vector<Diagnostic>& errors) {
  const std::string source = fmt::format("--set {}={}", one_line(given.field, 40), one_line(given.value, 40));
  const auto field = find_field(given.field);
  if (!field || fields()[*field].path == "name") {
    errors.push_back(
        {source, 0, 0, "",
         fmt::format("no field {} can be set{}", in_quotes(given.field), did_you_mean(given.field, settable_paths()))});
    return std::nullopt;
  }
  std::string text = given.value;
  JsonTree tree = parse_json(text, kMaxNesting);
  if (!tree.complete) {
    text = word_as_json(given.value);
    tree = parse_json(text, kMaxNesting);
  }
  JsonErrors problems(tree);
  std::optional<FieldValue> value = tree.complete ? read_field(tree, 0, *field, problems) : std::nullopt;
  for (Diagnostic& d : to_diagnostics(tree, problems, source))
    errors.push_back({source, 0, 0, "", std::move(d.message)});
  if (!value) return std::nullopt;
  return SetField{*field, std::move(*value)};
}

std::vector<SetField> read_overrides(const std::vector<Override>& overrides, std::vector<Diagnostic>& errors) {
  std::vector<SetField> out;
  for (const Override& given : overrides)
    if (auto set = read_override(given, errors)) out.push_back(std::move(*set));
  return out;
}

// ---- the disk ----

CaseFile refused(const std::string& path, std::string message) {
  CaseFile out;
  out.errors.push_back({path, 0, 0, "", std::move(message)});
  return out;
}

/// Why a file is not even opened: "" where it may be. A pipe or a device could hang the reader.
std::string why_unreadable(const std::string& path) {
  struct stat status {};
  if (path.find('\0') != std::string::npos) return "a path cannot hold a zero byte";
  if (stat(path.c_str(), &status) != 0)
    return fmt::format("cannot be read ({}); check the path", std::generic_category().message(errno));
  if (S_ISDIR(status.st_mode)) return "is a folder, not a case file; name a .json file in it";
  if (!S_ISREG(status.st_mode)) return "is no regular file; save the cases in a .json file first";
  if (status.st_size > kMaxCaseFileBytes)
    return fmt::format("has {} bytes; a case file may have {}: split it", status.st_size, kMaxCaseFileBytes);
  return "";
}

/// The bytes, or nothing where the disk fails. One byte more than allowed is enough to refuse a file that grows.
std::optional<std::string> read_bytes(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"), &std::fclose);
  if (!file) return std::nullopt;
  std::string text;
  std::vector<char> block(1 << 16);
  std::size_t got = 0;
  while ((got = std::fread(block.data(), 1, block.size(), file.get())) > 0 && std::ssize(text) <= kMaxCaseFileBytes)
    text.append(block.data(), got);
  return std::ferror(file.get()) != 0 ? std::nullopt : std::optional(std::move(text));
}

}  // namespace

std::string format(const Diagnostic& d) {
  const std::string place = d.line == 0 ? "" : fmt::format(":{}:{}", d.line, d.column);
  const std::string pointer = d.pointer.empty() ? "" : fmt::format(" (at {})", one_line(d.pointer, 200));
  return fmt::format("{}{}: {}{}", d.file, place, d.message, pointer);
}

CaseFile parse_case_file(std::string_view text, const std::string& file, const std::vector<Override>& overrides) {
  CaseFile out;
  const std::vector<SetField> sets = read_overrides(overrides, out.errors);
  if (!out.errors.empty()) return out;
  if (std::ssize(text) > kMaxCaseFileBytes)
    return refused(file, fmt::format("more than {} bytes; split it", kMaxCaseFileBytes));

  const JsonTree tree = parse_json(text, kMaxNesting);
  JsonErrors errors(tree);
  Expansion expansion;
  std::vector<Entry> entries;
  if (tree.complete) entries = read_entries(tree, errors);
  if (errors.count() == 0 && tree.errors.empty()) {
    for (const Entry& entry : entries) expand_entry(entry, {}, expansion, errors);
    refuse_repeated_expanded_names(entries, expansion, errors);
  }
  if (errors.count() == 0 && tree.errors.empty() && !sets.empty()) {
    expansion = {};
    for (const Entry& entry : entries) expand_entry(entry, sets, expansion, errors);
  }
  out.errors = to_diagnostics(tree, errors, file);
  if (!out.errors.empty()) return out;
  out.cases = std::move(expansion.cases);
  out.skipped_combinations = expansion.skipped;
  return out;
}

CaseFile load_case_file(const std::string& path, const std::vector<Override>& overrides) {
  if (std::string why = why_unreadable(path); !why.empty()) return refused(path, std::move(why));
  const std::optional<std::string> text = read_bytes(path);
  if (!text) return refused(path, fmt::format("cannot be read ({})", std::generic_category().message(errno)));
  return parse_case_file(*text, path, overrides);
}

}  // namespace nlldiff
