#include "infer/unit_costs.h"

#include <limits>

namespace shardstats::infer_detail {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

}  // namespace

UnitCosts::UnitCosts(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf, LikeliestOptions& options)
    : h_(h),
      plan_(plan),
      perf_(perf),
      options_(options),
      setting_(h.setting),
      used_(h.setting),
      units_(perf.tables.size()) {
  for (std::uint32_t t = 0; t < perf.tables.size(); ++t) shards_.push_back(perf.tables[t].known ? shards_of(h, t) : 0);
}

void UnitCosts::append(std::uint32_t t, std::size_t codec, RealInterval backward, RealInterval weighted_backward,
                       std::vector<BandwidthCost>& costs) {
  Units& known = units_[t][codec];
  if (!known.known) known = units(t, codec);
  setting_.backward = backward;
  setting_.weighted_backward = weighted_backward;
  for (std::uint32_t b = 0; b < known.bandwidths; ++b) {
    BandwidthCost cost = with_multipliers(parts_[known.first + b], t, known.weighted);
    for (std::uint32_t size = 1; size < known.sizes; ++size) {
      const BandwidthCost other =
          with_multipliers(parts_[known.first + size * known.bandwidths + b], t, known.weighted);
      for (std::size_t c = 0; c < kPerfCells; ++c) cost.cells[c] = hull(cost.cells[c], other.cells[c]);
    }
    costs.push_back(cost);
  }
}

UnitCosts::Units UnitCosts::units(std::uint32_t t, std::size_t codec) {
  Units all;
  all.first = static_cast<std::uint32_t>(parts_.size());
  all.known = true;
  const PerfOption* const likeliest = options_.of(t);
  if (likeliest == nullptr) return all;
  PerfOption option = *likeliest;
  all.weighted = option.weighted;
  const auto add = [&](std::uint32_t sizes) {
    each_bit(sizes, [&](int element) {
      option.element_size = kElementSizes[static_cast<std::size_t>(element)];
      all.sizes += add_parts(t, codec, option);
      if (all.sizes == 1) all.bandwidths = static_cast<std::uint8_t>(parts_.size() - all.first);
    });
  };
  if (h_.sizes) {
    add((*h_.sizes)[t]);
    return all;
  }
  all.sizes += add_parts(t, codec, option);
  all.bandwidths = static_cast<std::uint8_t>(parts_.size() - all.first);
  if (h_.any_element) add(elements_of(h_, t) | elements_by_cells(h_, plan_, t));
  return all;
}

bool UnitCosts::add_parts(std::uint32_t t, std::size_t codec, PerfOption option) {
  auto facts = perf_facts(h_, plan_, perf_, t, option, codec_table()[codec]);
  // Any but 0 and 1, which make no number of an endless bandwidth.
  if (mixes_memories(plan_.tables[t])) facts.caching_ratio = exactly(0.5);
  const auto used = used_.of(facts);
  if (!used) return false;
  const auto moved = moved_bytes(h_.setting, facts);
  PerfSetting<RealInterval> setting = h_.setting;
  for (const auto bandwidth : kBandwidths) setting.bandwidths.*bandwidth = exactly(kEndless);
  for (std::size_t k = 0; k < kUnknowns; ++k) {
    if (!(*used)[k]) continue;
    setting.bandwidths.*kBandwidths[k] = exactly(1.0);
    parts_.push_back({k, shard_perf(setting, facts, *kernel_bandwidth(setting, facts), moved).parts});
    setting.bandwidths.*kBandwidths[k] = exactly(kEndless);
  }
  return true;
}

BandwidthCost UnitCosts::with_multipliers(const Part& part, std::uint32_t t, bool weighted) const {
  const Sharding sharding = plan_.tables[t].sharding;
  const bool by_columns = perf_detail::is_by_columns(sharding);
  const bool mix = mixes_memories(plan_.tables[t]);
  auto parts = part.parts;
  if (!perf_detail::forward_only(*setting_.rules, setting_.inference, sharding)) {
    PerfFacts<RealInterval> facts;
    facts.weighted = weighted;
    parts[2] = perf_detail::backward_compute(setting_, facts, parts[0]);
  }
  BandwidthCost cost{part.bandwidth, {}};
  for (std::size_t p = 0; p < kPerfParts; ++p)
    if (!mix || p == 1 || (p == 3 && by_columns)) cost.cells[p] = parts[p];
  if (!mix) cost.cells[kPerfTotal] = total_of(parts);
  return cost;
}

}  // namespace shardstats::infer_detail
