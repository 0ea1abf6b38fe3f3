#include "analysis/subset.h"

#include <algorithm>
#include <compare>
#include <numeric>
#include <utility>

namespace shardstats::analysis {
namespace {

class Search {
 public:
  Search(std::span<const ByteInterval> amounts, std::int64_t need, std::int64_t most, std::size_t steps)
      : amounts_(amounts), need_(need), most_(most), steps_(steps), order_(amounts.size()), left_(amounts.size() + 1) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::stable_sort(order_, [&](std::size_t a, std::size_t b) { return key(amounts[a]) > key(amounts[b]); });
    for (std::size_t i = order_.size(); i-- > 0;) left_[i] = capped_sum(left_[i + 1], at(i).low);
  }

  Subset run() {
    best_ = score({}, 0);
    const ByteInterval all = std::accumulate(amounts_.begin(), amounts_.end(), ByteInterval{});
    if (all.high <= most_ && all.low <= need_)
      take_all();
    else
      visit(0, {});
    Subset found;
    for (const std::size_t i : best_chosen_) found.items.push_back(order_[i]);
    std::ranges::sort(found.items);
    for (const std::size_t item : found.items) found.bytes = found.bytes + amounts_[item];
    found.exact = steps_ > 0;
    if (!found.exact) found.off_by = best_.missing > 0 ? best_.missing - least_missing({}, 0) : best_.bytes - need_;
    return found;
  }

 private:
  struct Score {
    std::int64_t missing = 0, bytes = 0;  // of the need; upper bound
    std::size_t items = 0;
    friend auto operator<=>(const Score&, const Score&) = default;
  };

  // What surely helps nothing stays out.
  void take_all() {
    for (std::size_t i = 0; i < order_.size(); ++i)
      if (at(i).low > 0) best_chosen_.push_back(i);
  }

  static std::pair<std::int64_t, std::int64_t> key(ByteInterval x) { return {x.high, x.low}; }
  ByteInterval at(std::size_t i) const { return amounts_[order_[i]]; }
  Score score(ByteInterval sum, std::size_t items) const {
    return {std::max<std::int64_t>(need_ - sum.low, 0), sum.high, items};
  }
  // Of `sum` with the items from `i` on, as far as there is room for them.
  std::int64_t least_missing(ByteInterval sum, std::size_t i) const {
    const std::int64_t room = std::max<std::int64_t>(most_ - sum.high, 0);
    return std::max<std::int64_t>(need_ - sum.low - std::min(left_[i], room), 0);
  }

  // Can a larger subset, with items from `i` on, still be better?
  bool may_improve(ByteInterval sum, std::size_t i) const {
    const std::int64_t missing = least_missing(sum, i);
    if (missing != best_.missing) return missing < best_.missing;
    const std::int64_t bytes = missing > 0 ? sum.high : std::max(need_, sum.high);
    return Score{missing, bytes, chosen_.size() + 1} < best_;
  }

  void visit(std::size_t first, ByteInterval sum) {
    if (const Score now = score(sum, chosen_.size()); now < best_) {
      best_ = now;
      best_chosen_ = chosen_;
    }
    if (sum.low >= need_) return;
    for (std::size_t i = first; i < order_.size() && steps_ > 0 && may_improve(sum, i); ++i) {
      if (i > first && at(i) == at(i - 1)) continue;  // as good as the one that was left
      const ByteInterval with = sum + at(i);
      if (with.high > most_) continue;
      --steps_;
      chosen_.push_back(i);
      visit(i + 1, with);
      chosen_.pop_back();
    }
  }

  std::span<const ByteInterval> amounts_;
  std::int64_t need_, most_;
  std::size_t steps_;                              // left
  std::vector<std::size_t> order_;                 // the largest first
  std::vector<std::int64_t> left_;                 // sum of the lower bounds from here on
  std::vector<std::size_t> chosen_, best_chosen_;  // positions in `order_`
  Score best_;
};

}  // namespace

Subset best_subset(std::span<const ByteInterval> amounts, std::int64_t need, std::int64_t most, std::size_t steps) {
  return Search(amounts, need, most, steps).run();
}

}  // namespace shardstats::analysis
