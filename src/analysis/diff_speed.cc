// What made tables faster or slower whose own inputs are the same: a bandwidth, a multiplier,
// or how many ranks a host has.
#include <algorithm>

#include "analysis/diff_parts.h"

namespace shardstats::analysis {
namespace {

struct NamedBandwidth {
  std::string_view name;  // as in --set
  RealInterval Bandwidths<RealInterval>::*bounds;
  bool Bandwidths<bool>::*used;
};
constexpr NamedBandwidth kBandwidths[] = {
    {"hbm_mem_bw", &Bandwidths<RealInterval>::hbm, &Bandwidths<bool>::hbm},
    {"ddr_mem_bw", &Bandwidths<RealInterval>::ddr, &Bandwidths<bool>::ddr},
    {"hbm_to_ddr_mem_bw", &Bandwidths<RealInterval>::hbm_to_ddr, &Bandwidths<bool>::hbm_to_ddr},
    {"ssd_mem_bw", &Bandwidths<RealInterval>::ssd, &Bandwidths<bool>::ssd},
    {"inter_host_bw", &Bandwidths<RealInterval>::inter_host, &Bandwidths<bool>::inter_host},
    {"intra_host_bw", &Bandwidths<RealInterval>::intra_host, &Bandwidths<bool>::intra_host}};
constexpr NamedBandwidth kInterHost = kBandwidths[4], kIntraHost = kBandwidths[5];

void add_bandwidths(const PlanPerfSetting& before, const PlanPerfSetting& after, WideInputs& wide) {
  for (const NamedBandwidth& bandwidth : kBandwidths) {
    const RealInterval a = before.bandwidths.*bandwidth.bounds, b = after.bandwidths.*bandwidth.bounds;
    if (!a.overlaps(b)) wide.speed.push_back({bandwidth.name, bandwidth_word(a), bandwidth_word(b)});
  }
}

void add_multipliers(const PlanPerfSetting& before, const PlanPerfSetting& after, WideInputs& wide) {
  const auto add = [&](std::string_view name, RealInterval PlanPerfSetting::*multiplier) {
    const RealInterval a = before.*multiplier, b = after.*multiplier;
    if (!a.overlaps(b)) wide.speed.push_back({name, shortest_in(a), shortest_in(b)});
  };
  add("bwd_compute_multiplier", &PlanPerfSetting::backward);
  add("weighted_feature_bwd_compute_multiplier", &PlanPerfSetting::weighted_backward);
}

bool sends_to_ranks(const PlanTable& table) { return table.perf.known && table.sharding != Sharding::dp; }

// Time after / time before of the outputs that are sent between ranks, if it is one ratio. DP tables send none, and
// what goes backward is partly copied within a rank.
Known comms_ratio(const DiffSide& base, const DiffSide& next, const std::vector<TablePair>& pairs,
                  const std::vector<TableDiff>& tables) {
  Known ratio;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (has_own_cause(tables[i])) continue;
    const PlanTable *a = base.plan.table_of_row(*pairs[i].before), *b = next.plan.table_of_row(*pairs[i].after);
    if (a == nullptr || b == nullptr || !sends_to_ranks(*a) || !sends_to_ranks(*b)) continue;
    constexpr auto kPart = static_cast<std::size_t>(PerfPart::forward_comms);
    const RealInterval before = a->perf.expected.parts[kPart], after = b->perf.expected.parts[kPart];
    if (before.low <= 0) continue;
    const auto both = ratio ? intersection(*ratio, after / before) : after / before;
    if (!both) return std::nullopt;
    ratio = both;
  }
  return ratio;
}

bool same_bandwidths(const PlanPerfSetting& a, const PlanPerfSetting& b) {
  return std::ranges::all_of(kBandwidths, [&](const NamedBandwidth& bandwidth) {
    return a.bandwidths.*bandwidth.bounds == b.bandwidths.*bandwidth.bounds;
  });
}

}  // namespace

void add_speed(const DiffSide& base, const DiffSide& next, const std::vector<TablePair>& pairs,
               const std::vector<TableDiff>& tables, WideInputs& wide) {
  const PlanPerfSetting &before = base.plan.perf, &after = next.plan.perf;
  if (!wide.storage.empty() || !before.known || !after.known) return;
  const auto other_time = [](const TableDiff& table) { return !has_own_cause(table) && table.perf.changed; };
  if (std::ranges::none_of(tables, other_time)) return;
  add_bandwidths(before, after, wide);
  add_multipliers(before, after, wide);
  const Known ratio = comms_ratio(base, next, pairs, tables);
  if (!wide.speed.empty() || !ratio || ratio->contains(1) || ratio->low <= 0) return;
  if (same_bandwidths(before, after) && before.setting.local_size != after.setting.local_size) {
    wide.speed.push_back({"local_world_size", std::to_string(before.setting.local_size),
                          std::to_string(after.setting.local_size), "or the bandwidth between ranks"});
    return;
  }
  // The bandwidth that all of it went through before.
  for (const auto& [used, other] : {std::pair(kInterHost, kIntraHost), std::pair(kIntraHost, kInterHost)}) {
    const RealInterval bandwidth = before.bandwidths.*used.bounds;
    if (before.used.*used.used && !(before.used.*other.used))
      wide.speed.push_back({used.name, bandwidth_word(bandwidth), bandwidth_word(bandwidth / *ratio),
                            "or local_world_size with another bandwidth"});
  }
}

}  // namespace shardstats::analysis
