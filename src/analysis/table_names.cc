#include "shardstats/analysis/table_names.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "shardstats/ascii.h"
#include "shardstats/infer/overrides.h"

namespace shardstats {
namespace {

// * and ? as in file names.
bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, retry = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++retry;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

// The whole name, or what stands behind one of its dots.
bool matches_last_parts(std::string_view pattern, std::string_view fqn) {
  while (!matches(pattern, fqn)) {
    const std::size_t dot = fqn.find('.');
    if (dot == std::string_view::npos) return false;
    fqn.remove_prefix(dot + 1);
  }
  return true;
}

// Is it a version, or a letter: "v2", "17", "a"? It tells a table from others, but not what it is.
bool says_little(std::string_view part) {
  if (!part.empty() && !is_digit(part.front())) part.remove_prefix(1);
  return std::ranges::all_of(part, is_digit);
}

std::string_view with_part_before(std::string_view name, std::string_view fqn) {
  const std::string_view head = fqn.substr(0, fqn.size() - name.size() - 1);
  return fqn.substr(fqn.size() - name.size() - 1 - last_part(head).size());
}

}  // namespace

std::string_view last_part(std::string_view fqn) { return fqn.substr(fqn.rfind('.') + 1); }

std::string_view telling_end(std::string_view fqn) {
  std::string_view name = last_part(fqn);
  while (says_little(name.substr(0, name.find('.'))) && name.size() < fqn.size()) name = with_part_before(name, fqn);
  return name;
}

std::vector<std::string_view> shortest_names(const PrintedPlan& printed) {
  std::vector<std::string_view> names;
  for (const PrintedTable& row : printed.tables.rows) names.push_back(telling_end(row.fqn.text));
  constexpr int kMostParts = 8;  // beyond, it is all of them
  bool has_changed = true;
  for (int parts = 2; has_changed; ++parts) {
    has_changed = false;
    std::unordered_map<std::string_view, std::size_t> tables;
    for (const std::string_view name : names) ++tables[name];
    for (std::size_t t = 0; t < names.size(); ++t) {
      const std::string_view fqn = printed.tables.rows[t].fqn.text;
      if (tables[names[t]] == 1 || names[t].size() == fqn.size()) continue;
      names[t] = parts > kMostParts ? fqn : with_part_before(names[t], fqn);
      has_changed = true;
    }
  }
  return names;
}

std::vector<std::uint32_t> tables_named(const PrintedPlan& printed, std::string_view name) {
  std::vector<std::uint32_t> exact, last, globbed;
  const bool glob = name.find_first_of("*?") != std::string_view::npos;
  for (std::uint32_t t = 0; t < printed.tables.rows.size(); ++t) {
    const std::string_view fqn = printed.tables.rows[t].fqn.text;
    if (fqn == name)
      exact.push_back(t);
    else if (is_named(fqn, name))
      last.push_back(t);
    else if (glob && matches_last_parts(name, fqn))
      globbed.push_back(t);
  }
  return !exact.empty() ? exact : !last.empty() ? last : globbed;
}

}  // namespace shardstats
