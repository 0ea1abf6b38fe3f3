#include "infer/likely_speed.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "infer/feasible_point.h"
#include "infer/fitted_values.h"

namespace shardstats::infer_detail {
namespace {

class LikelySpeed {
 public:
  LikelySpeed(const Inference& base, const PerfOutcome& outcome, PerfHypothesis& h)
      : h_(h), evaluation_(base.inputs, base.perf, false) {
    for (const std::uint64_t codecs : outcome.codecs) codecs_.push_back(likeliest(codecs));
    set_values(outcome.values, h_.setting);
    least_ = contradictions();
    if (outcome.fits) estimate_ = outcome.fits->fit.estimate;
  }

  void settle() {
    const FittedValues usual;
    for (std::size_t i = 0; i < kFittedValues; ++i) {
      std::vector<double> values = {fitted_value(usual, i).low};
      if (estimate_ && i < estimate_->size()) values.push_back(1 / middle((*estimate_)[i]));
      settle(fitted_value(h_.setting, i), std::move(values));
    }
  }

 private:
  std::int64_t contradictions() {
    const PerfOutcome outcome = evaluation_.run(h_, codecs_);
    return outcome.contradictions + outcome.statistics;
  }

  // Of the values in the bounds the first with which the least is contradicted; the middle and others besides.
  void settle(RealInterval& value, std::vector<double> values) {
    if (value.low == value.high) return;
    constexpr int kOthers = 16;
    const RealInterval bounds = value;
    values.push_back(middle(bounds));
    for (int i = 0; i < kOthers; ++i) values.push_back(bounds.low + (i + 0.5) / kOthers * bounds.width());
    std::erase_if(values, [&](double x) { return !bounds.contains(x); });
    double best = middle(bounds);
    std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
    for (const double x : values) {
      value = exactly(x);
      const std::int64_t found = contradictions();
      if (found < fewest) best = x, fewest = found;
      if (found <= least_) break;
    }
    value = exactly(best);
  }

  PerfHypothesis& h_;
  PerfEvaluation evaluation_;
  std::vector<std::uint64_t> codecs_;  // the likeliest of each sharder
  std::optional<Box> estimate_;
  std::int64_t least_ = 0;
};

// Perf is linear in the reciprocals of bandwidths.
class LikelyBandwidths {
 public:
  LikelyBandwidths(const Inference& base, const PerfOutcome& perf, const std::vector<LikelyTable>& tables,
                   PerfHypothesis& h)
      : base_(base), tables_(tables), h_(h) {
    for (const auto bandwidth : kBandwidths) {
      const RealInterval bounds = perf.values.bandwidths.*bandwidth, value = h.setting.bandwidths.*bandwidth;
      if (bounds.low == bounds.high || bounds.low <= 0 || bounds.high == kEndless) continue;
      unknowns_.push_back({bandwidth, point_.add_unknown({1 / bounds.high, 1 / bounds.low}, 1 / value.low)});
    }
  }

  void settle() {
    if (unknowns_.empty()) return;
    std::vector<TablePerf> now;
    if (!find(now)) return;
    std::vector<std::vector<TablePerf>> twice(unknowns_.size());  // with half of one bandwidth
    for (std::size_t u = 0; u < unknowns_.size(); ++u) {
      RealInterval& bandwidth = h_.setting.bandwidths.*unknowns_[u].bandwidth;
      const RealInterval before = std::exchange(bandwidth, exactly(bandwidth.low / 2));
      if (!find(twice[u])) twice[u] = now;
      bandwidth = before;
    }
    add_sums(now, twice);
    point_.solve();
    for (const Unknown& unknown : unknowns_)
      h_.setting.bandwidths.*unknown.bandwidth = exactly(1 / point_[unknown.reciprocal]);
  }

 private:
  struct Unknown {
    RealInterval Bandwidths<RealInterval>::*bandwidth;
    std::uint32_t reciprocal;
  };

  bool find(std::vector<TablePerf>& all) const {
    for (const LikelyTable& table : tables_) {
      const auto perf = table.perf();
      if (!perf) return false;
      all.push_back(*perf);
    }
    return true;
  }

  void add(const std::vector<TablePerf>& now, const std::vector<std::vector<TablePerf>>& twice, std::size_t t,
           std::size_t cell, PerfCells TablePerf::*of) {
    const double value = middle((now[t].*of)[cell]);
    point_.add(value);
    for (std::size_t u = 0; u < unknowns_.size(); ++u) {
      // Twice the reciprocal adds as much again as is due to it.
      const double due = middle((twice[u][t].*of)[cell]) - value, reciprocal = point_[unknowns_[u].reciprocal];
      if (due <= 0) continue;
      point_.add(-due);
      point_.add(due / reciprocal, unknowns_[u].reciprocal);
    }
  }

  void add_sums(const std::vector<TablePerf>& now, const std::vector<std::vector<TablePerf>>& twice) {
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      add_printed_perf(tables_[t], point_, [&](std::size_t c) { add(now, twice, t, c, &TablePerf::cells); });
    }
    const auto ranks = shards_by_rank(base_, *h_.outcome, tables_);
    for (std::size_t r = 0; r < ranks.size(); ++r)
      add_rank_perf(base_.plan.ranks[r].perf, ranks[r], point_, [&](const ShardOnRank& shard, std::size_t c) {
        add(now, twice, shard.table, c, &TablePerf::shard);
      });
  }

  const Inference& base_;
  const std::vector<LikelyTable>& tables_;
  PerfHypothesis& h_;
  std::vector<Unknown> unknowns_;
  FeasiblePoint point_;
};

}  // namespace

void settle_speed(const Inference& base, const PerfOutcome& outcome, PerfHypothesis& h) {
  LikelySpeed(base, outcome, h).settle();
}

void settle_bandwidths(const Inference& base, const PerfOutcome& outcome, const std::vector<LikelyTable>& tables,
                       PerfHypothesis& h) {
  LikelyBandwidths(base, outcome, tables, h).settle();
}

}  // namespace shardstats::infer_detail
