#include "infer/equal_ranks.h"

#include <algorithm>
#include <array>
#include <compare>
#include <iterator>
#include <span>
#include <utility>

#include "infer/sum_lines.h"
#include "shardstats/numbers/most_shared.h"

namespace shardstats::infer_detail {
namespace {

using Group = std::vector<std::uint32_t>;  // lines of one quantity of ranks with the same shards

// Without those in common: they are alike where SumLine::common is.
std::span<const SumLines::Entry> own_shards_of(const SumLines& sums, const SumLine& line) {
  return sums.entries(SumLines::own(line));
}

bool are_alike(const SumLines::Entry& a, const SumLines::Entry& b) {
  return a.table == b.table && a.cls == b.cls && a.count == b.count;
}

// Of the tables and classes; counts are compared where it matters.
std::uint64_t hash_of(std::uint32_t common, std::span<const SumLines::Entry> own_shards) {
  std::uint64_t hash = common;
  for (const SumLines::Entry& entry : own_shards)
    hash = (hash ^ (entry.values + 1)) * 0x9e3779b97f4a7c15u;  // where the values of table and class start
  return hash ^ hash >> 32;
}

struct Rank {
  std::uint64_t hash = 0;                      // of the shards
  std::uint32_t first_line = 0, end_line = 0;  // of all its quantities
  auto operator<=>(const Rank&) const = default;
};

// Those that may have the same shards stand together.
std::vector<Rank> ranks_of(const SumLines& sums) {
  std::vector<Rank> ranks;
  const std::vector<SumLine>& lines = sums.lines();
  for (std::uint32_t l = 0; l < lines.size(); ++l) {
    if (lines[l].of != SumOf::rank) continue;
    const bool same = !ranks.empty() && lines[l].index == lines[ranks.back().first_line].index;
    if (same)
      ranks.back().end_line = l + 1;
    else
      ranks.push_back({hash_of(lines[l].common, own_shards_of(sums, lines[l])), l, l + 1});
  }
  std::ranges::sort(ranks);
  return ranks;
}

void compare(const std::vector<SumLine>& lines, const Group& group, std::vector<UnequalRank>& found) {
  std::vector<RealInterval> printed;
  RealInterval any = lines[group.front()].printed;
  for (const std::uint32_t l : group) {
    printed.push_back(lines[l].printed);
    any = hull(any, lines[l].printed);
  }
  const RealInterval shared = most_shared(printed, any, middle(any), 0);
  const auto agrees = [&](std::uint32_t l) { return lines[l].printed.overlaps(shared); };
  Group equals;
  std::ranges::copy_if(group, std::back_inserter(equals), agrees);
  const auto add = [&](std::uint32_t line, RealInterval others, std::shared_ptr<const Group> of) {
    found.push_back({line, others, std::move(of)});
  };
  if (equals.size() > 1) {
    const auto all = std::make_shared<const Group>(std::move(equals));
    for (const std::uint32_t l : group)
      if (!agrees(l)) add(l, shared, all);
  } else if (group.size() == 2) {
    add(group[0], printed[1], std::make_shared<const Group>(1, group[1]));
    add(group[1], printed[0], std::make_shared<const Group>(1, group[0]));
  }
}

using Groups = std::array<Group, kQuantities>;

// Of ranks with the same shards: quantity by quantity. `groups`: memory to use.
void compare_lines(const std::vector<SumLine>& lines, std::span<const Rank> ranks, Groups& groups,
                   std::vector<UnequalRank>& found) {
  for (Group& group : groups) group.clear();
  for (const Rank& rank : ranks)
    for (std::uint32_t l = rank.first_line; l < rank.end_line; ++l) groups[at(lines[l].quantity)].push_back(l);
  for (const Group& group : groups) {
    const auto prints_the_same = [&](std::uint32_t l) { return lines[l].printed == lines[group.front()].printed; };
    if (!std::ranges::all_of(group, prints_the_same)) compare(lines, group, found);
  }
}

}  // namespace

std::vector<UnequalRank> unequal_ranks(const SumLines& sums) {
  const std::vector<SumLine>& lines = sums.lines();
  std::vector<Rank> ranks = ranks_of(sums);
  const auto have_same_shards = [&](const SumLine& a, const SumLine& b) {
    return a.common == b.common && std::ranges::equal(own_shards_of(sums, a), own_shards_of(sums, b), are_alike);
  };
  std::vector<UnequalRank> found;
  Groups groups;
  for (auto begin = ranks.begin(), end = begin; begin != ranks.end(); begin = end) {
    end = std::find_if(begin, ranks.end(), [&](const Rank& rank) { return rank.hash != begin->hash; });
    // Others may have the same hash.
    while (end - begin > 1) {
      const SumLine& line = lines[begin->first_line];
      const auto rest = std::stable_partition(
          begin, end, [&](const Rank& rank) { return have_same_shards(line, lines[rank.first_line]); });
      compare_lines(lines, {begin, rest}, groups, found);
      begin = rest;
    }
  }
  return found;
}

}  // namespace shardstats::infer_detail
