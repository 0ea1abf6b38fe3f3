#include "shardstats/analysis/changes.h"

#include <map>
#include <string_view>

namespace shardstats {
namespace {

template <class T>
BeforeAfter<T> between(const std::optional<Interval<T>>& before, const std::optional<Interval<T>>& after) {
  BeforeAfter<T> both{before, after, std::nullopt};
  if (before && after) both.change = *after - *before;
  return both;
}

}  // namespace

Measures measure(const Reconstruction& plan) {
  Measures all;
  for (const TableRow& row : plan.tables) {
    Measured& one = all.tables.emplace_back();
    one.name = row.printed->fqn.text;
    if (row.table->sized) one.hbm = row.hbm;
    if (row.table->perf.known) one.perf = row.table->perf.expected.total;
  }
  for (const PlanRank* rank : plan.ranks) {
    Measured& one = all.ranks.emplace_back();
    one.name = "rank " + std::to_string(rank->rank);
    one.hbm = rank->hbm;
    if (rank->expected_perf.known) one.perf = rank->perf.total;
  }
  return all;
}

std::vector<Change> changes(const std::vector<Measured>& before, const std::vector<Measured>& after) {
  using Key = std::pair<std::string_view, std::size_t>;  // a name and which of its occurrences
  std::map<std::string_view, std::size_t> seen;
  std::map<Key, const Measured*> second;
  for (const Measured& one : after) second.emplace(Key(one.name, seen[one.name]++), &one);
  const Measured absent;  // nothing is known of it to compare with
  std::vector<Change> all;
  const auto add = [&](const Measured& first, const Measured& other, std::string_view name) -> Change& {
    Change& change = all.emplace_back();
    change.name = name;
    change.hbm = between(first.hbm, other.hbm);
    change.perf = between(first.perf, other.perf);
    return change;
  };
  seen.clear();
  for (const Measured& one : before) {
    const auto match = second.find(Key(one.name, seen[one.name]++));
    if (match == second.end()) {
      add(one, absent, one.name).removed = true;
    } else {
      add(one, *match->second, one.name);
      match->second = nullptr;
    }
  }
  seen.clear();
  for (const Measured& one : after)
    if (second.at(Key(one.name, seen[one.name]++)) != nullptr) add(absent, one, one.name).added = true;
  return all;
}

}  // namespace shardstats
