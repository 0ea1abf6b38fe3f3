#include "shardstats/numbers/most_shared.h"

#include <algorithm>
#include <utility>

namespace shardstats {
namespace {

// Where intervals open and close, both in order.
class Ends {
 public:
  explicit Ends(const std::vector<RealInterval>& intervals) {
    for (auto [ends, end] : {std::pair{&opening_, &RealInterval::low}, std::pair{&closing_, &RealInterval::high}}) {
      ends->reserve(intervals.size());
      for (const RealInterval x : intervals) ends->push_back(x.*end);
      std::ranges::sort(*ends);
    }
  }

  // Calls f(place, how many are open behind it) for each end; at the same place those that open come first.
  template <class F>
  void each(F f) const {
    int open = 0;
    auto opening = opening_.begin();
    for (auto closing = closing_.begin(); closing != closing_.end();)
      if (opening != opening_.end() && *opening <= *closing)
        f(*opening++, ++open);
      else
        f(*closing++, --open);
  }

 private:
  std::vector<double> opening_, closing_;
};

struct MostOpen {
  int count = 0;
  double at = 0;  // the first such place
};
MostOpen most_open(const Ends& ends) {
  MostOpen most;
  ends.each([&](double at, int open) {
    if (open > most.count) most = {open, at};
  });
  return most;
}

// The places around `best` where at least `enough` are open.
RealInterval open_around(const Ends& ends, int enough, double best, RealInterval all) {
  RealInterval around = all;
  double start = all.low;
  bool before = 0 >= enough;
  ends.each([&](double at, int open) {
    const bool now = open >= enough;
    if (!before && now) start = at;
    if (before && !now && start <= best && best <= at) around = narrowed(all, {start, at});
    before = now;
  });
  return around;
}

}  // namespace

RealInterval most_shared(const std::vector<RealInterval>& intervals, RealInterval all, double preferred,
                         std::size_t wrong) {
  if (intervals.empty()) return all;
  const double low = std::ranges::max(intervals, {}, &RealInterval::low).low;
  const double high = std::ranges::min(intervals, {}, &RealInterval::high).high;
  if (wrong == 0 && low <= high) return narrowed(all, {low, high});  // all share that: no need to sort
  const Ends ends(intervals);
  const MostOpen most = most_open(ends);
  const int enough = most.count - static_cast<int>(wrong);
  const auto holds = [&](RealInterval x) { return x.contains(preferred); };
  const bool prefers = std::ranges::count_if(intervals, holds) >= enough;
  return open_around(ends, enough, prefers ? preferred : most.at, all);
}

}  // namespace shardstats
