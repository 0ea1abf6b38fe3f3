#include "shardstats/numbers/most_shared.h"

#include <algorithm>
#include <utility>

namespace shardstats {
namespace {

std::vector<double> ends_of(const std::vector<RealInterval>& intervals, double RealInterval::*end) {
  std::vector<double> ends(intervals.size());
  std::ranges::transform(intervals, ends.begin(), end);
  return ends;
}

// Where intervals open and close, both in order.
class Ends {
 public:
  explicit Ends(const std::vector<RealInterval>& intervals) {
    for (auto [ends, end] : {std::pair{&opening_, &RealInterval::low}, std::pair{&closing_, &RealInterval::high}}) {
      *ends = ends_of(intervals, end);
      std::ranges::sort(*ends);
    }
  }

  const std::vector<double>& opening() const { return opening_; }
  const std::vector<double>& closing() const { return closing_; }

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

// Where most intervals are open: the first such place, and where the first of them closes.
struct MostOpen {
  std::size_t count = 0;
  RealInterval place;
};
MostOpen most_open(const Ends& ends) {
  MostOpen most;
  std::size_t opened = 0, closed = 0;
  for (const double at : ends.opening()) {
    while (closed < opened && ends.closing()[closed] < at) ++closed;
    if (++opened - closed > most.count) most = {opened - closed, {at, ends.closing()[closed]}};
  }
  return most;
}

// What all but `wrong` of intervals that have a place in common share around it: none closes before all are open.
RealInterval shared_by_most(const std::vector<RealInterval>& intervals, std::size_t wrong) {
  std::vector<double> opening = ends_of(intervals, &RealInterval::low),
                      closing = ends_of(intervals, &RealInterval::high);
  const auto last = opening.end() - static_cast<std::ptrdiff_t>(wrong) - 1;
  const auto first = closing.begin() + static_cast<std::ptrdiff_t>(wrong);
  std::ranges::nth_element(opening, last);
  std::ranges::nth_element(closing, first);
  return {*last, *first};
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
  // All share that: no need to sort.
  if (low <= high && wrong < intervals.size())
    return narrowed(all, wrong == 0 ? RealInterval{low, high} : shared_by_most(intervals, wrong));
  const Ends ends(intervals);
  const MostOpen most = most_open(ends);
  const int enough = static_cast<int>(most.count) - static_cast<int>(wrong);
  const auto holds = [&](RealInterval x) { return x.contains(preferred); };
  const bool prefers = std::ranges::count_if(intervals, holds) >= enough;
  if (wrong == 0 && !prefers) return narrowed(all, most.place);
  return open_around(ends, enough, prefers ? preferred : most.place.low, all);
}

}  // namespace shardstats
