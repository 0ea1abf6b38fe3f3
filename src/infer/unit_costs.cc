#include "infer/unit_costs.h"

#include <limits>

#include "infer/fit_tables.h"

namespace shardstats::infer_detail {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

CellCoefficients hulls(const CellCoefficients& a, const CellCoefficients& b) {
  CellCoefficients both{};
  for (std::size_t c = 0; c < kPerfCells; ++c)
    for (std::size_t k = 0; k < kUnknowns; ++k) both[c][k] = hull(a[c][k], b[c][k]);
  return both;
}

}  // namespace

UnitCosts::UnitCosts(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf)
    : h_(h), plan_(plan), perf_(perf), used_(h.setting), units_(perf.tables.size()) {
  for (std::uint32_t t = 0; t < perf.tables.size(); ++t) shards_.push_back(perf.tables[t].known ? shards_of(h, t) : 0);
}

std::optional<CellCoefficients> UnitCosts::of(std::uint32_t t, std::size_t codec, RealInterval backward,
                                              RealInterval weighted_backward) {
  Units& known = units_[t][codec];
  if (!known.known) known = units(t, codec);
  std::optional<CellCoefficients> all;
  if (known.count == 0) return all;
  PerfSetting<RealInterval> setting = h_.setting;
  setting.backward = backward;
  setting.weighted_backward = weighted_backward;
  add_multipliers(all_units_[known.first], t, setting, all.emplace());
  for (std::uint32_t i = 1; i < known.count; ++i) {
    CellCoefficients other{};
    add_multipliers(all_units_[known.first + i], t, setting, other);
    all = hulls(*all, other);
  }
  return all;
}

UnitCosts::Units UnitCosts::units(std::uint32_t t, std::size_t codec) {
  Units all{static_cast<std::uint32_t>(all_units_.size()), 0, true};
  const auto options = perf_options(h_, plan_, perf_, t);
  if (options.count == 0) return all;
  PerfOption option = *options.begin();
  const auto add = [&] {
    if (set_unit(t, codec, option, all_units_.emplace_back()))
      ++all.count;
    else
      all_units_.pop_back();
  };
  add();
  if (!h_.any_element) return all;
  each_bit(elements_of(h_, t) | elements_by_cells(h_, plan_, t), [&](int element) {
    option.element_size = kElementSizes[static_cast<std::size_t>(element)];
    add();
  });
  return all;
}

bool UnitCosts::set_unit(std::uint32_t t, std::size_t codec, PerfOption option, Unit& unit) {
  auto facts = perf_facts(h_, plan_, perf_, t, option, codec_table()[codec]);
  // Any but 0 and 1, which make no number of an endless bandwidth.
  if (mixes_memories(plan_.tables[t])) facts.caching_ratio = exactly(0.5);
  PerfSetting<RealInterval> setting = h_.setting;
  unit.weighted = facts.weighted;
  const auto used = used_.of(facts);
  if (!used) return false;
  for (const auto bandwidth : kBandwidths) setting.bandwidths.*bandwidth = exactly(kEndless);
  for (std::size_t k = 0; k < kUnknowns; ++k) {
    if (!(*used)[k]) continue;
    setting.bandwidths.*kBandwidths[k] = exactly(1.0);
    unit.parts[k] = shard_perf(setting, facts)->parts;
    setting.bandwidths.*kBandwidths[k] = exactly(kEndless);
  }
  return true;
}

void UnitCosts::add_multipliers(const Unit& unit, std::uint32_t t, const PerfSetting<RealInterval>& setting,
                                CellCoefficients& all) const {
  const Sharding sharding = plan_.tables[t].sharding;
  const bool by_columns = sharding == Sharding::tw || sharding == Sharding::cw || sharding == Sharding::twcw;
  const bool has_backward = !perf_detail::forward_only(*setting.rules, setting.inference, sharding);
  const bool mix = mixes_memories(plan_.tables[t]);
  PerfFacts<RealInterval> facts;
  facts.weighted = unit.weighted;
  for (std::size_t k = 0; k < kUnknowns; ++k) {
    auto parts = unit.parts[k];
    if (has_backward) parts[2] = perf_detail::backward_compute(setting, facts, parts[0]);
    for (std::size_t p = 0; p < kPerfParts; ++p)
      if (!mix || p == 1 || (p == 3 && by_columns)) all[p][k] = parts[p];
    if (!mix) all[kPerfTotal][k] = total_of(parts);
  }
}

}  // namespace shardstats::infer_detail
