#include "infer/likely_table.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace shardstats::infer_detail {

LikelyTable::LikelyTable(const Inference& base, const PerfOutcome* perf, const PerfHypothesis& h, std::uint32_t t,
                         TableParts& parts)
    : base_(base),
      h_(h),
      t_(t),
      table_(base.inputs.tables[t]),
      parts_(parts),
      option_(h.outcome->tables[t].options.front()) {
  if (perf == nullptr || !perf->tables[t]) return;
  const auto codec = static_cast<std::size_t>(std::countr_zero(perf->codecs[base.perf.tables[t].sharder]));
  if (codec >= codec_table().size()) return;
  CellElements elements(base.inputs);
  const auto options = best_options(h, base.inputs, base.perf, t, codec_table()[codec], elements);
  if (!options.empty()) reading_ = PerfReading{options.front(), codec};
}

std::optional<TablePerf> LikelyTable::perf() const {
  if (!reading_) return std::nullopt;
  return option_perf(h_, base_.inputs, base_.perf, t_, reading_->option, codec_table()[reading_->codec]);
}

void LikelyTable::set(const Lookups& lookups, std::optional<RealInterval> ratio) {
  for (Parts& parts : parts_) {
    Variant variant = parts.variant;
    if (ratio) variant.ratio = *ratio;
    parts =
        make_parts(h_.outcome->setting, table_, variant, h_.outcome->rows, std::uint64_t{1} << option_.combo, &lookups);
  }
}

std::int64_t LikelyTable::contradicted_cells() const {
  const auto of_storage = infer_detail::contradicted_cells(h_.outcome->setting, table_, parts(), combo());
  const auto found = perf();
  return count(of_storage) + (found ? std::popcount(printed_perf().contradicted(found->cells)) : 0);
}

void LikelyTable::settle_ratio() {
  const Variant& variant = parts_.front().variant;
  if (!variant.free_ratio || variant.ratio.low == variant.ratio.high) return;
  const RealInterval bounds = variant.ratio;
  const std::int64_t least = contradicted_cells();
  const auto fits = [&](double ratio) {
    set(Lookups(lookups()), exactly(ratio));
    return contradicted_cells() <= least;
  };
  if (bounds.contains(kDefaultCachingRatio) && fits(kDefaultCachingRatio)) return;
  const double by_perf = ratio_by_perf(bounds);
  for (const double scale : {1e1, 1e2, 1e3, 1e4, 1e6})
    if (fits(std::clamp(std::round(by_perf * scale) / scale, bounds.low, bounds.high))) return;
  if (!fits(by_perf)) fits(middle(bounds));
}

// With which the perf is what is printed: it falls as the ratio grows.
double LikelyTable::ratio_by_perf(RealInterval bounds) {
  constexpr int kSteps = 48;  // of a bisection
  const auto printed = printed_perf()[kPerfTotal];
  if (!printed) return middle(bounds);
  double low = bounds.low, high = bounds.high;
  for (int i = 0; i < kSteps; ++i) {
    const double ratio = low + (high - low) / 2;
    set(Lookups(lookups()), exactly(ratio));
    const auto found = perf();
    (found && middle(found->cells[kPerfTotal]) > middle(*printed) ? low : high) = ratio;
  }
  return low;
}

std::vector<std::vector<ShardOnRank>> shards_by_rank(const Inference& base, const Outcome& outcome,
                                                     const std::vector<LikelyTable>& tables) {
  std::vector<std::vector<ShardOnRank>> ranks(base.plan.ranks.size());
  for (std::uint32_t t = 0; t < tables.size(); ++t) {
    const auto add = [&](std::size_t rank, std::size_t c) { ranks[rank].push_back({t, c}); };
    each_shard(outcome.setting, tables[t].inputs(), tables[t].parts(), ranks.size(), add);
  }
  return ranks;
}

}  // namespace shardstats::infer_detail
