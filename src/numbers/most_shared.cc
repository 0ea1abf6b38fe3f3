#include "shardstats/numbers/most_shared.h"

#include <algorithm>
#include <array>
#include <utility>

namespace shardstats {
namespace {

std::vector<double> ends_of(const std::vector<RealInterval>& intervals, double RealInterval::*end) {
  std::vector<double> ends(intervals.size());
  std::ranges::transform(intervals, ends.begin(), end);
  return ends;
}

// Intervals around a place that most have in common. Elsewhere too few are open to matter, and of those that reach
// across all of it only the number does.
struct Crowd {
  std::vector<RealInterval> intervals;  // the others, what lies in it
  int across = 0;
};

constexpr std::size_t kFew = 32;  // as many are sorted faster than chosen from

// A place that most have in common, if there is one, by some of them.
double likely_place(const std::vector<RealInterval>& intervals, double preferred) {
  const auto count = std::ranges::count_if(intervals, [&](RealInterval x) { return x.contains(preferred); });
  if (4 * static_cast<std::size_t>(count) > 3 * intervals.size()) return preferred;
  std::array<double, kFew> opening, closing;
  for (std::size_t i = 0; i < kFew; ++i) {
    opening[i] = intervals[i * intervals.size() / kFew].low;
    closing[i] = intervals[i * intervals.size() / kFew].high;
  }
  constexpr std::size_t kWrong = kFew / 8;  // that are put up with
  std::ranges::sort(opening);
  std::ranges::sort(closing);
  return middle({opening[kFew - 1 - kWrong], closing[kWrong]});
}

// Loses no place where as many are open as anywhere but for `wrong`: each of those open at a place in common that
// closes before another place counts one less there, and the rest, which may count one more, are few.
Crowd crowd_of(const std::vector<RealInterval>& intervals, double preferred, std::size_t wrong) {
  if (intervals.size() <= kFew) return {intervals, 0};
  const double place = likely_place(intervals, preferred);
  std::vector<double> opening, closing;
  opening.reserve(intervals.size());
  closing.reserve(intervals.size());
  for (const RealInterval x : intervals) {
    if (!x.contains(place)) continue;
    opening.push_back(x.low);
    closing.push_back(x.high);
  }
  const std::size_t spare = intervals.size() - opening.size() + wrong;
  if (2 * spare >= opening.size()) return {intervals, 0};
  const auto first = closing.begin() + static_cast<std::ptrdiff_t>(spare);
  const auto last = opening.end() - static_cast<std::ptrdiff_t>(spare) - 1;
  std::ranges::nth_element(closing, first);
  std::ranges::nth_element(opening, last);
  const RealInterval around{*last, *first};
  Crowd crowd;
  for (const RealInterval x : intervals)
    if (x.low < around.low && x.high > around.high)
      ++crowd.across;
    else if (x.overlaps(around))
      crowd.intervals.push_back(narrowed(x, around));
  return crowd;
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
  const Crowd crowd = crowd_of(intervals, preferred, wrong);
  const Ends ends(crowd.intervals);
  const MostOpen most = most_open(ends);
  const int enough = static_cast<int>(most.count) + crowd.across - static_cast<int>(wrong);
  const auto holds = [&](RealInterval x) { return x.contains(preferred); };
  const bool prefers = std::ranges::count_if(intervals, holds) >= enough;
  if (wrong == 0 && !prefers) return narrowed(all, most.place);
  // Across nothing but the crowd: where none of it is open, those are not either.
  const int enough_of_crowd = crowd.across > 0 ? std::max(enough - crowd.across, 1) : enough;
  return open_around(ends, enough_of_crowd, prefers ? preferred : most.place.low, all);
}

}  // namespace shardstats
