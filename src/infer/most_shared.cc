#include "infer/most_shared.h"

#include <algorithm>
#include <utility>

namespace shardstats::infer_detail {

RealInterval most_shared(const std::vector<RealInterval>& intervals, RealInterval all, double preferred,
                         std::size_t wrong) {
  if (intervals.empty()) return all;
  std::vector<std::pair<double, int>> ends;  // opening ends sort before closing ones at the same place
  for (const RealInterval x : intervals) {
    ends.emplace_back(x.low, -1);
    ends.emplace_back(x.high, 1);
  }
  std::sort(ends.begin(), ends.end());
  int open = 0, most = 0;
  double best = preferred;
  for (const auto& [at, end] : ends) {
    open -= end;
    if (open > most) most = open, best = at;
  }
  const int enough = most - static_cast<int>(wrong);
  const auto holds = [](double at) { return [at](RealInterval x) { return x.contains(at); }; };
  if (std::count_if(intervals.begin(), intervals.end(), holds(preferred)) >= enough) best = preferred;
  RealInterval around = all;
  open = 0;
  double start = all.low;
  for (const auto& [at, end] : ends) {
    const bool before = open >= enough;
    open -= end;
    if (!before && open >= enough) start = at;
    if (before && open < enough && start <= best && best <= at) around = narrowed(all, {start, at});
  }
  return around;
}

}  // namespace shardstats::infer_detail
