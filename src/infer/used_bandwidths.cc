#include "infer/used_bandwidths.h"

namespace shardstats::infer_detail {
namespace {

constexpr double kAlmostEndless = 1e60, kNoTime = 1e-30;  // bytes/ms and ms

}  // namespace

std::optional<UsedBandwidths::Flags> UsedBandwidths::of(const PerfFacts<RealInterval>& table) {
  const Kind kind{table.sharding, table.kernel, table.sequence, table.prefetch_pipeline, MixEnds(table.caching_ratio)};
  const Known* const known = find(kind);
  return known != nullptr ? known->second : known_.emplace_back(kind, ask(table)).second;
}

const UsedBandwidths::Flags* UsedBandwidths::of_new_kind(const PerfHypothesis& h, const PlanInputs& plan,
                                                         const PerfInputs& perf, std::uint32_t t, PerfOption option) {
  const TableInputs& table = plan.tables[t];
  const MixEnds ends(perf_ratio(h, table, (*h.outcome->parts)[t].front()));
  const Kind kind{table.sharding, table.kernel, table.sequence, option.prefetch_pipeline, ends};
  if (find(kind) != nullptr) return nullptr;
  const auto& flags = known_.emplace_back(kind, ask(perf_facts(h, plan, perf, t, option, {}))).second;
  return flags ? &*flags : nullptr;
}

// A bandwidth is used if the table still takes time where all others are almost endless.
std::optional<UsedBandwidths::Flags> UsedBandwidths::ask(PerfFacts<RealInterval> table) {
  table.lookups = table.pooled = exactly(1.0);  // a table without any takes no time, others of its kind do
  const auto moved = moved_bytes(setting_, table);
  Flags used{};
  for (std::size_t k = 0; k < kBandwidths.size(); ++k) {
    for (const auto bandwidth : kBandwidths) setting_.bandwidths.*bandwidth = exactly(kAlmostEndless);
    setting_.bandwidths.*kBandwidths[k] = exactly(1.0);
    const auto of_kernel = kernel_bandwidth(setting_, table);
    if (!of_kernel) return std::nullopt;
    used[k] = shard_perf(setting_, table, *of_kernel, moved).total.high > kNoTime;
  }
  return used;
}

}  // namespace shardstats::infer_detail
