#include "shardstats/analysis/nearest.h"

#include <algorithm>
#include <utility>

namespace shardstats {

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

std::vector<std::string> nearest_of(std::string_view wanted, const std::vector<std::string>& names) {
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

}  // namespace shardstats
