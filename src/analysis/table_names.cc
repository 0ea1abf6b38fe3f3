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

std::string did_you_mean(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "; did you mean " : " or ") + name;
  return text.empty() ? text : text + "?";
}

}  // namespace shardstats
