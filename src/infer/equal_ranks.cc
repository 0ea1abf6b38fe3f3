#include "infer/equal_ranks.h"

#include <algorithm>
#include <compare>
#include <iterator>
#include <span>

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

struct Place {
  Quantity quantity{};
  std::uint64_t hash = 0;  // of the shards
  std::uint32_t line = 0;
  auto operator<=>(const Place&) const = default;
};

// The lines of ranks: those that may belong to one group stand together.
std::vector<Place> places_of(const SumLines& sums) {
  std::vector<Place> places;
  const std::vector<SumLine>& lines = sums.lines();
  std::uint64_t hash = 0;
  for (std::uint32_t l = 0; l < lines.size(); ++l) {
    if (lines[l].of != SumOf::rank) continue;
    const bool same = !places.empty() && lines[l].index == lines[places.back().line].index;
    if (!same) hash = hash_of(lines[l].common, own_shards_of(sums, lines[l]));
    places.push_back({lines[l].quantity, hash, l});
  }
  std::ranges::sort(places);
  return places;
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
  if (equals.size() > 1) {
    for (const std::uint32_t l : group)
      if (!agrees(l)) found.push_back({l, shared, equals});
  } else if (group.size() == 2) {
    found.push_back({group[0], printed[1], {group[1]}});
    found.push_back({group[1], printed[0], {group[0]}});
  }
}

}  // namespace

std::vector<UnequalRank> unequal_ranks(const SumLines& sums) {
  const std::vector<SumLine>& lines = sums.lines();
  std::vector<Place> places = places_of(sums);
  const auto have_same_shards = [&](const SumLine& a, const SumLine& b) {
    return a.common == b.common && std::ranges::equal(own_shards_of(sums, a), own_shards_of(sums, b), are_alike);
  };
  std::vector<UnequalRank> found;
  for (auto begin = places.begin(), end = begin; begin != places.end(); begin = end) {
    end = std::find_if(begin, places.end(),
                       [&](const Place& p) { return p.quantity != begin->quantity || p.hash != begin->hash; });
    const SumLine& first = lines[begin->line];
    if (std::all_of(begin, end, [&](const Place& p) { return lines[p.line].printed == first.printed; })) continue;
    // Others may have the same hash.
    while (begin != end) {
      const SumLine& line = lines[begin->line];
      const auto rest =
          std::stable_partition(begin, end, [&](const Place& p) { return have_same_shards(line, lines[p.line]); });
      Group group;
      for (; begin != rest; ++begin) group.push_back(begin->line);
      compare(lines, group, found);
    }
  }
  return found;
}

}  // namespace shardstats::infer_detail
