#include "cli/assignments.h"

#include <algorithm>
#include <fstream>

#include "cli/commands.h"
#include "cli/sizes.h"
#include "cli/split.h"
#include "report/words.h"
#include "shardstats/analysis/nearest.h"
#include "shardstats/analysis/table_names.h"
#include "shardstats/infer/overrides.h"
#include "shardstats/limits.h"
#include "shardstats/numbers/printed.h"
#include "shardstats/planner/perf.h"
#include "shardstats/report/units.h"
#include "shardstats/utf8.h"

namespace shardstats::cli {
namespace {

constexpr std::size_t kMostPoints = 1000;          // of one sweep
constexpr std::int64_t kLeastBytes = kMiB;         // of a device's memory
constexpr std::string_view kBetweenValues = ", ";  // of AttributeForm

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// What stands behind the comma of "1,024" is no value of a sweep.
bool is_padded(std::string_view number) {
  return number.size() > 1 && number[0] == '0' && number[1] >= '0' && number[1] <= '9';
}

std::optional<double> number_of(std::string_view text) {
  const auto value = parse_real(text);
  return value && *value >= 0 && !is_padded(text) ? value : std::nullopt;
}

std::int64_t most_of(const AttributeForm& form) {
  const bool is_ranks = form.attribute == Attribute::world_size || form.attribute == Attribute::local_world_size;
  return is_ranks ? kMostRanks : std::int64_t{1} << 40;
}

// Reads one value; false: it is no such value.
bool read_value(const AttributeForm& form, std::string_view text, Change& change) {
  switch (form.kind) {
    case ValueKind::count: {
      const auto number = parse_integer(text, most_of(form));
      change.number = static_cast<double>(number.value_or(0));
      return number && *number > 0 && !is_padded(text);
    }
    case ValueKind::number: {
      const auto number = number_of(text);
      change.number = number.value_or(0);
      return number && (form.attribute != Attribute::cache_load_factor || *number <= 1);
    }
    case ValueKind::multiplier: {
      const auto number = number_of(text);
      change.number = number.value_or(0);
      return number && *number > 0;
    }
    case ValueKind::bytes: {
      const auto bytes = parse_size(text);
      change.number = static_cast<double>(bytes.value_or(0));
      return bytes && *bytes >= kLeastBytes;
    }
    case ValueKind::bandwidth: {
      const auto bandwidth = parse_rate(text);
      change.number = bandwidth.value_or(0);
      return bandwidth.has_value();
    }
    case ValueKind::flag:
      change.number = text == "true";
      return text == "true" || text == "false";
    case ValueKind::ranks:
      return parse_ranks(text, change.ranks) && !change.ranks.empty();
    case ValueKind::word:
      change.word = text;
      if (form.attribute == Attribute::kernel) return find_kernel(text) != nullptr;
      if (form.attribute == Attribute::release) return parse_release(text).has_value();
      if (form.attribute == Attribute::dtype) return is_dtype(text);
      return std::ranges::count(split(form.values, kBetweenValues), text) > 0;
    case ValueKind::none:
      return text.empty();
  }
  return false;
}

// "a number of samples from 1 to 1,099,511,627,776", "one of fp32, fp16, bf16, int8"
std::string what_is(const AttributeForm& form) {
  const std::string values(form.values);
  if (form.kind == ValueKind::count) return values + " from 1 to " + with_commas(most_of(form));
  if (values.starts_with("a ")) return values;
  return form.kind == ValueKind::number ? "a number: " + values : "one of " + values;
}

constexpr std::size_t kGroup = 3;  // digits between two commas of a number

bool is_group(std::string_view text) { return text.size() == kGroup && parse_integer(text); }

// "1024" of "1,024", whose padded part is at `at`; empty: what belongs together is not certain.
std::string without_separators(std::span<const std::string> parts, std::size_t at) {
  if (at == 0 || !is_group(parts[at])) return {};
  std::string number = parts[at - 1];
  const bool may_have_begun_before = at > 1 && is_group(number);
  if (may_have_begun_before || number.size() > kGroup || number.starts_with('0')) return {};
  while (at < parts.size() && is_group(parts[at]) && is_padded(parts[at])) number += parts[at++];
  const bool may_go_on = at < parts.size() && is_group(parts[at]);
  return may_go_on || !parse_integer(number) ? "" : number;
}

// "512" of "0512"; empty: the text is another one.
std::string without_zeros(std::string_view text) {
  const std::string_view digits = text.substr(std::min(text.find_first_not_of('0'), text.size()));
  return parse_integer(digits) ? std::string(digits) : "";
}

// "; did you mean 'v1.8.0'?" of "1.8.0", or nothing, for the value at `at` of a sweep.
std::string near_value(const AttributeForm& form, std::span<const std::string> values, std::size_t at) {
  const std::string& text = values[at];
  const bool is_amount =
      form.kind == ValueKind::count || form.kind == ValueKind::number || form.kind == ValueKind::multiplier;
  if (is_amount && is_padded(text))
    return did_you_mean(values.size() == 1 ? without_zeros(text) : without_separators(values, at));
  if (form.kind == ValueKind::bytes) return near_size(text);
  if (form.kind == ValueKind::bandwidth) return did_you_mean(rate_meant(text));
  if (form.kind != ValueKind::word) return {};
  if (form.attribute == Attribute::sharding) return near_sharding(text);
  if (form.attribute == Attribute::release) return near_release(text);
  if (form.attribute != Attribute::kernel) return did_you_mean(nearest_of(text, split(form.values, kBetweenValues)));
  std::vector<std::string> kernels;
  for (const KernelName& kernel : kKernelNames) kernels.emplace_back(kernel.name);
  return did_you_mean(nearest_of(text, kernels));
}

std::string not_a_value(const AttributeForm& form, std::span<const std::string> values, std::size_t at) {
  const std::string& text = values[at];
  if (form.kind == ValueKind::bytes && parse_size(text))
    return "'" + text + "' is too small; it has to be at least 1MiB";
  return "'" + text + "' is not " + what_is(form) + near_value(form, values, at);
}

// Two assignments of which only one can hold.
struct Contradiction {
  std::size_t first, second;
  std::string message;
};

// What is dropped has no other attributes.
std::optional<Contradiction> dropped_and_changed(std::span<const Assignment> assignments,
                                                 const std::vector<Change>& changes) {
  for (std::size_t d = 0; d < changes.size(); ++d) {
    const Change& drop = changes[d];
    if (drop.attribute != Attribute::drop) continue;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const auto is_dropped = [&](std::uint32_t t) { return std::ranges::find(*drop.tables, t) != drop.tables->end(); };
      const bool is_other = changes[i].attribute != Attribute::drop && !assignments[i].table.empty();
      if (is_other && std::ranges::all_of(*changes[i].tables, is_dropped))
        return Contradiction{d, i, "'" + drop.text + "' leaves nothing for '" + changes[i].text + "'"};
    }
  }
  return std::nullopt;
}

// Names that are spelt in two ways; a glob may give all tables what one table then gets differently.
std::optional<Contradiction> set_twice(std::span<const Assignment> assignments, const std::vector<Change>& changes) {
  const auto is_name = [](const Assignment& a) {
    return !a.table.empty() && a.table.find_first_of("*?") == a.table.npos;
  };
  for (std::size_t i = 0; i < changes.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (is_name(assignments[i]) && is_name(assignments[j]) && changes[i].attribute == changes[j].attribute &&
          changes[i].attribute != Attribute::drop && changes[i].tables == changes[j].tables)
        return Contradiction{
            j, i, "'" + changes[j].text + "' and '" + changes[i].text + "' set the same attribute of the same table"};
  return std::nullopt;
}

std::optional<Contradiction> contradiction(std::span<const Assignment> assignments,
                                           const std::vector<Change>& changes) {
  auto found = dropped_and_changed(assignments, changes);
  return found ? found : set_twice(assignments, changes);
}

// Is it a drop of tables of which the command line does not change all? The others would be back without a word.
bool drops_others(std::size_t overruled, std::span<const Assignment> assignments, const std::vector<Change>& changes) {
  if (changes[overruled].attribute != Attribute::drop) return false;
  return std::ranges::any_of(*changes[overruled].tables, [&](std::uint32_t table) {
    for (std::size_t i = 0; i < changes.size(); ++i)
      if (!assignments[i].of_settings && changes[i].tables &&
          std::ranges::find(*changes[i].tables, table) != changes[i].tables->end())
        return false;
    return true;
  });
}

// The header of answers in CSV, which is of all blocks, names it.
bool has_column(const Assignment& assignment) { return assignment.values.size() > 1 || assignment.is_asked; }

// resolve(), whether or not they contradict each other.
std::variant<std::vector<Change>, std::string> named(std::span<const Assignment> assignments,
                                                     std::span<const std::size_t> chosen, const PrintedPlan& printed) {
  std::vector<Change> changes;
  for (std::size_t i = 0; i < assignments.size(); ++i) {
    const Assignment& assignment = assignments[i];
    Change change = assignment.values[chosen[i]];
    if (!assignment.table.empty()) {
      change.tables = tables_named(printed, assignment.table);
      if (change.tables->empty())
        return "no table '" + assignment.table + "' in this block" +
               did_you_mean(nearest_tables(assignment.table, printed));
    }
    changes.push_back(std::move(change));
  }
  return changes;
}

// The texts that "64,96" and "1024..16384*2" stand for.
std::variant<std::vector<std::string>, std::string> points_of(std::string_view text, const AttributeForm& form) {
  std::vector<std::string> points;
  const std::size_t dots = text.find("..");
  if (dots != std::string_view::npos && form.kind == ValueKind::count) {
    const std::size_t step = text.find_first_of("*+", dots);
    const auto first = parse_integer(text.substr(0, dots));
    const auto last = parse_integer(text.substr(dots + 2, std::min(step, text.size()) - dots - 2));
    const auto by =
        step == std::string_view::npos ? std::optional<std::int64_t>(1) : parse_integer(text.substr(step + 1));
    const bool times = step != std::string_view::npos && text[step] == '*';
    if (!first || !last || !by || *first < 1 || *last < *first || *by < (times ? 2 : 1))
      return "'" + std::string(text) + "' is not a range; write FROM..TO*FACTOR or FROM..TO+STEP";
    for (std::int64_t value = *first; value <= *last;
         value = times ? capped_product(value, *by) : capped_sum(value, *by)) {
      points.push_back(std::to_string(value));
      if (points.size() > kMostPoints) return "more than " + std::to_string(kMostPoints) + " values";
    }
    return points;
  }
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t end = std::min(form.kind == ValueKind::ranks ? text.size() : text.find(',', start), text.size());
    points.emplace_back(trimmed(text.substr(start, end - start)));
    start = end + 1;
  }
  return points;
}

std::string unknown_attribute(const std::string& key, std::string_view name, bool of_table) {
  if (name == "drop") return key + ": a table is taken out with 'drop NAME'";
  std::vector<std::string> names;
  for (const AttributeForm& form : attribute_table())
    if (form.kind != ValueKind::none && (of_table ? form.of_tables : form.of_run)) names.emplace_back(form.name);
  const std::string near = did_you_mean(nearest(name, names));
  return key + ": " + (of_table ? "a table" : "the run") + " has no such attribute" +
         (near.empty() ? "; there are " + listed(names, "") : near);
}

std::variant<Assignment, std::string> dropped(std::string_view text) {
  Assignment assignment;
  assignment.table = trimmed(text.substr(5));
  assignment.key = "drop";
  Change change;
  change.attribute = Attribute::drop;
  change.text = "drop " + assignment.table;
  assignment.values.push_back(std::move(change));
  if (assignment.table.empty()) return "drop: the name of a table is missing";
  return assignment;
}

}  // namespace

std::variant<Assignment, std::string> parse_assignment(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with("drop ")) return dropped(text);
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    return "'" + std::string(text) + "': expected KEY=VALUE or drop NAME, for example batch_size=4096";
  Assignment assignment;
  assignment.key = trimmed(text.substr(0, equals));
  const std::size_t dot = assignment.key.rfind('.');
  const bool of_table = dot != std::string::npos;
  if (of_table) assignment.table = assignment.key.substr(0, dot);
  if (of_table && assignment.table.empty()) return "'" + assignment.key + "': the name of a table is missing";
  const std::string name = of_table ? assignment.key.substr(dot + 1) : assignment.key;
  const auto table = attribute_table();
  const auto form = std::ranges::find_if(table, [&](const AttributeForm& f) {
    return f.name == name && f.kind != ValueKind::none && (of_table ? f.of_tables : f.of_run);
  });
  if (form == table.end()) return unknown_attribute(assignment.key, name, of_table);
  const auto points = points_of(trimmed(text.substr(equals + 1)), *form);
  if (auto* wrong = std::get_if<std::string>(&points)) return assignment.key + ": " + *wrong;
  const auto& values = std::get<std::vector<std::string>>(points);
  for (std::size_t i = 0; i < values.size(); ++i) {
    Change change;
    change.attribute = form->attribute;
    change.text = assignment.key + "=" + values[i];
    if (!read_value(*form, values[i], change)) return assignment.key + ": " + not_a_value(*form, values, i);
    assignment.values.push_back(std::move(change));
  }
  return assignment;
}

std::variant<std::vector<Assignment>, std::string> read_assignments(const std::string& path) {
  std::ifstream file(path);
  if (!file) return "--changes " + path + ": cannot be opened";
  std::vector<Assignment> all;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    std::string_view text = line;
    if (number == 1 && text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    text = trimmed(text.substr(0, text.find('#')));
    if (text.empty()) continue;
    auto parsed = parse_assignment(text);
    if (auto* wrong = std::get_if<std::string>(&parsed)) return path + ":" + std::to_string(number) + ": " + *wrong;
    all.push_back(std::get<Assignment>(std::move(parsed)));
  }
  if (file.bad()) return "--changes " + path + ": cannot be read";
  return all;
}

std::optional<std::string> key_set_twice(std::span<const Assignment> assignments) {
  for (std::size_t i = 0; i < assignments.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (assignments[i].key == assignments[j].key && assignments[i].key != "drop") return assignments[i].key;
  return std::nullopt;
}

std::vector<Assignment> without_overruled(std::vector<Assignment> assignments, const PrintedPlan& printed) {
  while (true) {
    const auto changes = named(assignments, std::vector<std::size_t>(assignments.size(), 0), printed);
    const auto* resolved = std::get_if<std::vector<Change>>(&changes);
    const auto found = resolved ? contradiction(assignments, *resolved) : std::nullopt;
    if (!found || assignments[found->first].of_settings == assignments[found->second].of_settings) return assignments;
    const std::size_t overruled = assignments[found->first].of_settings ? found->first : found->second;
    if (has_column(assignments[overruled]) || drops_others(overruled, assignments, *resolved)) return assignments;
    assignments.erase(assignments.begin() + static_cast<std::ptrdiff_t>(overruled));
  }
}

std::variant<std::vector<Change>, std::string> resolve(std::span<const Assignment> assignments,
                                                       std::span<const std::size_t> chosen,
                                                       const PrintedPlan& printed) {
  auto changes = named(assignments, chosen, printed);
  if (const auto* all = std::get_if<std::vector<Change>>(&changes))
    if (auto wrong = contradiction(assignments, *all)) return std::move(wrong->message);
  return changes;
}

}  // namespace shardstats::cli
