#include "shardstats/analysis/table_names.h"

#include <algorithm>
#include <utility>

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

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view last_part(std::string_view fqn) { return fqn.substr(fqn.rfind('.') + 1); }

std::vector<std::uint32_t> tables_named(const PrintedPlan& printed, std::string_view name) {
  std::vector<std::uint32_t> exact, last, globbed;
  const bool glob = name.find_first_of("*?") != std::string_view::npos;
  for (std::uint32_t t = 0; t < printed.tables.rows.size(); ++t) {
    const std::string_view fqn = printed.tables.rows[t].fqn.text;
    if (fqn == name)
      exact.push_back(t);
    else if (last_part(fqn) == name)
      last.push_back(t);
    else if (glob && (matches(name, fqn) || matches(name, last_part(fqn))))
      globbed.push_back(t);
  }
  return !exact.empty() ? exact : !last.empty() ? last : globbed;
}

std::vector<std::string> nearest_names(std::string_view wanted, const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 5;
  std::vector<std::pair<std::size_t, std::string>> near;
  const std::size_t limit = std::max<std::size_t>(2, wanted.size() / 4);
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(wanted, name);
    const bool inside = wanted.size() > 2 && name.find(wanted) != std::string::npos;
    if (inside || distance <= limit)
      near.emplace_back(inside ? std::min<std::size_t>(distance, limit) : distance, name);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> shown;
  for (const auto& [distance, name] : near)
    if (shown.size() < kShown && std::find(shown.begin(), shown.end(), name) == shown.end()) shown.push_back(name);
  return shown;
}

std::string did_you_mean(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "; did you mean " : " or ") + name;
  return text.empty() ? text : text + "?";
}

}  // namespace shardstats
