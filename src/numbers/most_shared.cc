#include "shardstats/numbers/most_shared.h"

#include <algorithm>
#include <utility>

namespace shardstats {
namespace {

using Ends = std::vector<std::pair<double, int>>;  // -1: one opens there; 1: one closes

// Opening ends come before closing ones at the same place.
Ends ends_of(const std::vector<RealInterval>& intervals) {
  Ends ends;
  ends.reserve(2 * intervals.size());
  for (const RealInterval x : intervals) {
    ends.emplace_back(x.low, -1);
    ends.emplace_back(x.high, 1);
  }
  std::sort(ends.begin(), ends.end());
  return ends;
}

struct MostOpen {
  int count = 0;
  double at = 0;  // the first such place
};
MostOpen most_open(const Ends& ends) {
  MostOpen most;
  int open = 0;
  for (const auto& [at, end] : ends) {
    open -= end;
    if (open > most.count) most = {open, at};
  }
  return most;
}

// The places around `best` where at least `enough` are open.
RealInterval open_around(const Ends& ends, int enough, double best, RealInterval all) {
  RealInterval around = all;
  int open = 0;
  double start = all.low;
  for (const auto& [at, end] : ends) {
    const bool before = open >= enough;
    open -= end;
    if (!before && open >= enough) start = at;
    if (before && open < enough && start <= best && best <= at) around = narrowed(all, {start, at});
  }
  return around;
}

}  // namespace

RealInterval most_shared(const std::vector<RealInterval>& intervals, RealInterval all, double preferred,
                         std::size_t wrong) {
  if (intervals.empty()) return all;
  const double low = std::ranges::max(intervals, {}, &RealInterval::low).low;
  const double high = std::ranges::min(intervals, {}, &RealInterval::high).high;
  if (wrong == 0 && low <= high) return narrowed(all, {low, high});  // all share that: no need to sort
  const Ends ends = ends_of(intervals);
  const MostOpen most = most_open(ends);
  const int enough = most.count - static_cast<int>(wrong);
  const auto holds = [&](RealInterval x) { return x.contains(preferred); };
  const bool prefers = std::ranges::count_if(intervals, holds) >= enough;
  return open_around(ends, enough, prefers ? preferred : most.at, all);
}

}  // namespace shardstats
