#include "shardstats/analysis/nearest.h"

#include <algorithm>
#include <utility>

#include "shardstats/analysis/table_names.h"
#include "shardstats/ascii.h"
#include "shardstats/vocabulary.h"

namespace shardstats {
namespace {

constexpr std::size_t kShown = 5;
constexpr std::string_view kWild = "*?";

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), to_lower);
  return out;
}

// Of a glob: "user_" of "ebc.*user_?".
std::string_view longest_literal(std::string_view glob) {
  std::string_view longest;
  while (!glob.empty()) {
    const std::string_view part = glob.substr(0, glob.find_first_of("*?."));
    if (part.size() > longest.size()) longest = part;
    glob.remove_prefix(std::min(part.size() + 1, glob.size()));
  }
  return longest;
}

std::vector<std::string> telling_ends(const PrintedPlan& printed) {
  std::vector<std::string> names;
  for (const PrintedTable& row : printed.tables.rows) names.emplace_back(telling_end(row.fqn.text));
  return names;
}

// The FQNs of tables with that last part.
std::vector<std::string> with_last_part(std::string_view name, const PrintedPlan& printed) {
  std::vector<std::uint32_t> rows = tables_named(printed, name);
  rows.resize(std::min(rows.size(), kShown));
  std::vector<std::string> fqns;
  for (const std::uint32_t row : rows) fqns.emplace_back(printed.tables.rows[row].fqn.text);
  return fqns;
}

// The tables of a module of that name, or whose names go on behind it: brand_page of ebc.brand_page.v3.
std::vector<std::string> with_inner_part(std::string_view part, const PrintedPlan& printed) {
  const std::vector<std::string_view> short_names = shortest_names(printed);
  std::vector<std::string> names;
  for (std::size_t t = 0; t < short_names.size() && names.size() < kShown; ++t) {
    const std::string fqn = "." + std::string(printed.tables.rows[t].fqn.text);
    if (fqn.find("." + std::string(part) + ".") != std::string::npos) names.emplace_back(short_names[t]);
  }
  return names;
}

}  // namespace

std::size_t edit_distance(std::string_view first, std::string_view second) {
  const std::string a = lower(first), b = lower(second);
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

std::vector<std::string> nearest_of(std::string_view wanted, const std::vector<std::string>& names) {
  std::vector<std::pair<std::size_t, std::string>> near;
  if (wanted.empty()) return {};
  // Some letters have to stay: "v3" is not near to "*".
  const std::size_t limit = std::min(std::max<std::size_t>(2, wanted.size() / 4), wanted.size() - 1);
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(wanted, name);
    const bool inside = wanted.size() > 2 && lower(name).find(lower(wanted)) != std::string::npos;
    if (inside || distance <= limit)
      near.emplace_back(inside ? std::min<std::size_t>(distance, limit) : distance, name);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  // Where only capitals differ, it is that one.
  if (!near.empty() && near.front().first == 0) std::erase_if(near, [](const auto& one) { return one.first > 0; });
  std::vector<std::string> shown;
  for (const auto& [distance, name] : near)
    if (shown.size() < kShown && std::find(shown.begin(), shown.end(), name) == shown.end()) shown.push_back(name);
  return shown;
}

std::vector<std::string> nearest_tables(std::string_view wanted, const PrintedPlan& printed) {
  const bool is_glob = wanted.find_first_of(kWild) != std::string_view::npos;
  const std::string_view last = last_part(wanted);
  if (is_glob) {
    const bool says_something = last.find_first_not_of(kWild) != std::string_view::npos;
    if (says_something && !tables_named(printed, last).empty()) return {std::string(last)};
    return nearest_of(longest_literal(wanted), telling_ends(printed));
  }
  if (last.empty()) return {};
  if (last.size() < wanted.size())
    if (auto fqns = with_last_part(last, printed); !fqns.empty()) return fqns;
  auto names = with_inner_part(wanted, printed);
  return names.empty() ? nearest_of(telling_end(wanted), telling_ends(printed)) : names;
}

std::string near_sharding(std::string_view word) {
  const auto full = std::ranges::find_if(kShardingWords, [&](auto name) { return equal_without_case(name, word); });
  if (full != kShardingWords.end())
    return did_you_mean(kShardingNames[static_cast<std::size_t>(full - kShardingWords.begin())]);
  return did_you_mean(nearest_of(word, {kShardingNames.begin(), kShardingNames.end()}));
}

std::string near_release(std::string_view word) {
  const std::string meant = "v" + std::string(word);
  return did_you_mean(parse_release(meant) ? meant : "");
}

std::string did_you_mean(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "; did you mean '" : " or '") + name + "'";
  return text.empty() ? text : text + "?";
}

std::string did_you_mean(std::string_view name) {
  return name.empty() ? "" : did_you_mean(std::vector{std::string(name)});
}

}  // namespace shardstats
