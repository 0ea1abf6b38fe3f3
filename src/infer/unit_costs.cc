#include "infer/unit_costs.h"

namespace shardstats::infer_detail {
namespace {

std::size_t count_of(std::uint8_t sizes, std::uint8_t bandwidths) { return std::size_t{sizes} * bandwidths; }

}  // namespace

UnitCosts::UnitCosts(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf, LikeliestOptions& options)
    : h_(h),
      plan_(plan),
      perf_(perf),
      options_(options),
      setting_(h.setting),
      used_(h.setting),
      shards_(perf.tables.size()) {
  constexpr std::size_t kUsed = 3;  // bandwidths of most tables
  for (const auto bandwidth : kBandwidths) setting_.bandwidths.*bandwidth = exactly(kEndless);
  for (std::uint32_t t = 0; t < perf.tables.size(); ++t)
    if (perf.tables[t].known) shards_[t] = shards_of(h, t);
  costs_.reserve(kUsed * perf.tables.size());
}

std::span<const BandwidthCost> UnitCosts::of(std::uint32_t t, std::size_t codec, RealInterval backward,
                                             RealInterval weighted_backward) {
  take_multipliers(backward, weighted_backward);
  if (units_[codec].empty()) units_[codec].resize(shards_.size());
  Units& known = units_[codec][t];
  if (known.multipliers == 0)
    known = units(t, codec);
  else if (known.multipliers != multipliers_)
    update(t, known);
  const std::size_t united = known.sizes > 1 ? count_of(known.sizes, known.bandwidths) : 0;
  return std::span(costs_).subspan(known.first + united, known.bandwidths);
}

void UnitCosts::take_multipliers(RealInterval backward, RealInterval weighted_backward) {
  if (backward == setting_.backward && weighted_backward == setting_.weighted_backward) return;
  setting_.backward = backward;
  setting_.weighted_backward = weighted_backward;
  ++multipliers_;
}

UnitCosts::Units UnitCosts::units(std::uint32_t t, std::size_t codec) {
  Units all;
  all.first = static_cast<std::uint32_t>(costs_.size());
  all.multipliers = multipliers_;
  const PerfOption* const likeliest = options_.of(t);
  if (likeliest == nullptr) return all;
  PerfOption option = *likeliest;
  all.weighted = option.weighted;
  const auto add = [&] {
    all.sizes += add_costs(t, codec, option);
    if (all.sizes == 1) all.bandwidths = static_cast<std::uint8_t>(costs_.size() - all.first);
  };
  const auto add_each = [&](std::uint32_t sizes) {
    each_bit(sizes, [&](int element) {
      option.element_size = element_bytes(element);
      add();
    });
  };
  if (h_.sizes) {
    add_each((*h_.sizes)[t]);
  } else {
    add();
    if (h_.any_element) add_each(elements_of(h_, t) | elements_by_cells(h_, plan_, t));
  }
  if (all.sizes > 1) {
    costs_.resize(costs_.size() + all.bandwidths);
    unite_sizes(all);
  }
  return all;
}

bool UnitCosts::add_costs(std::uint32_t t, std::size_t codec, PerfOption option) {
  auto facts = perf_facts(h_, plan_, perf_, t, option, codec_table()[codec]);
  const bool mix = mixes_memories(plan_.tables[t]);
  // Any but 0 and 1, which make no number of an endless bandwidth.
  if (mix) facts.caching_ratio = exactly(0.5);
  const auto used = used_.of(facts);
  if (!used) return false;
  const auto moved = moved_bytes(setting_, facts);
  const bool by_columns = perf_detail::is_by_columns(facts.sharding);
  for (std::size_t k = 0; k < kUnknowns; ++k) {
    if (!(*used)[k]) continue;
    RealInterval& bandwidth = setting_.bandwidths.*kBandwidths[k];
    bandwidth = exactly(1.0);
    const auto perf = shard_perf(setting_, facts, *kernel_bandwidth(setting_, facts), moved);
    bandwidth = exactly(kEndless);
    BandwidthCost& cost = costs_.emplace_back();
    cost.bandwidth = k;
    for (std::size_t p = 0; p < kPerfParts; ++p) {
      const bool is_comms = p == at(PerfPart::forward_comms) || (p == at(PerfPart::backward_comms) && by_columns);
      if (!mix || is_comms) cost.cells[p] = perf.parts[p];
    }
    if (!mix) cost.cells[kPerfTotal] = perf.total;
  }
  return true;
}

// Brings them to the multipliers asked for.
void UnitCosts::update(std::uint32_t t, Units& units) {
  units.multipliers = multipliers_;
  const Sharding sharding = plan_.tables[t].sharding;
  if (mixes_memories(plan_.tables[t])) return;
  if (perf_detail::forward_only(*setting_.rules, setting_.inference, sharding)) return;
  PerfFacts<RealInterval> facts;
  facts.weighted = units.weighted;
  const std::size_t count = count_of(units.sizes, units.bandwidths);
  for (BandwidthCost& cost : std::span(costs_).subspan(units.first, count)) {
    std::array<RealInterval, kPerfParts> parts;
    std::copy_n(cost.cells.begin(), kPerfParts, parts.begin());
    constexpr std::size_t kForward = at(PerfPart::forward_compute), kBackward = at(PerfPart::backward_compute);
    cost.cells[kBackward] = parts[kBackward] = perf_detail::backward_compute(setting_, facts, parts[kForward]);
    cost.cells[kPerfTotal] = total_of(parts);
  }
  if (units.sizes > 1) unite_sizes(units);
}

void UnitCosts::unite_sizes(const Units& units) {
  const std::size_t count = count_of(units.sizes, units.bandwidths);
  for (std::size_t b = 0; b < units.bandwidths; ++b) {
    BandwidthCost& all = costs_[units.first + count + b];
    all = costs_[units.first + b];
    for (std::size_t other = b + units.bandwidths; other < count; other += units.bandwidths)
      all.cells = hull(all.cells, costs_[units.first + other].cells);
  }
}

}  // namespace shardstats::infer_detail
