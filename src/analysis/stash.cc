#include "shardstats/analysis/stash.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/checks.h"
#include "analysis/shares.h"
#include "analysis/statistics.h"
#include "analysis/subset.h"
#include "shardstats/analysis/composition.h"
#include "shardstats/analysis/table_names.h"

namespace shardstats {
namespace {

// Steps of the search for the best tables: of all ranks together, and of one.
constexpr std::size_t kSteps = 500'000, kLeastSteps = 1'000, kMostSteps = 20'000;

bool is_dense(Phase phase) { return phase == Phase::dense_forward || phase == Phase::dense_backward; }

// The upper bound of the peak in the dense phases, or in all others.
std::int64_t largest(const RankTimeline& rank, bool dense) {
  std::int64_t most = 0;
  for (std::size_t p = 0; p < kPhases; ++p)
    if (is_dense(static_cast<Phase>(p)) == dense) most = std::max(most, rank.phases[p].held.high);
  return most;
}

// By how much the dense phases have to fall; below the other phases a further fall is of no use.
std::int64_t need_of(const RankTimeline& rank, std::optional<std::int64_t> target) {
  const std::int64_t others = largest(rank, false);
  return std::max<std::int64_t>(largest(rank, true) - std::max(others, target.value_or(others)), 0);
}

Fits fits_of(const RankTimeline& after, std::int64_t target) {
  return after.peak.high <= target ? Fits::yes : after.peak.low > target ? Fits::no : Fits::undecided;
}

// Weights that are in HBM as a whole, read by a fused kernel and updated by it in the backward pass.
bool is_fused(const KernelTraits& kernel) {
  return kernel.speed == KernelSpeed::fused && !kernel.quant && !kernel.uvm && !kernel.key_value && !kernel.cached;
}

struct RanksPerHost {
  std::int64_t ranks = 0;  // 0: not known
  bool shown = false;      // by the log
};
RanksPerHost ranks_per_host(const Plan& plan) {
  const auto found = std::ranges::find(plan.assumptions, "local_world_size", &Assumption::name);
  if (found == plan.assumptions.end() || !found->alternatives.empty()) return {};
  const double* ranks = std::get_if<double>(&found->value);
  return ranks == nullptr ? RanksPerHost{} : RanksPerHost{capped(*ranks), found->origin != Origin::flag};
}

class Planner {
 public:
  Planner(const PrintedPlan& printed, const Plan& plan, const Filter& filter, const StashOptions& options)
      : printed_(printed), plan_(plan), filter_(filter), options_(options) {}

  StashPlan decide(std::vector<RankTimeline> timelines, std::int64_t activations) {
    result_.options = options_;
    result_.activations = activations;
    if (!options_.window && !has_perf()) {
      result_.unknown = "the log does not tell how long output and gradient dist take: give --window";
      return std::move(result_);
    }
    find_candidates();
    const std::size_t steps = std::clamp(kSteps / timelines.size(), kLeastSteps, kMostSteps);
    for (std::size_t r = 0; r < timelines.size(); ++r)
      result_.ranks.push_back(decide(plan_.ranks[r], std::move(timelines[r]), steps));
    add_hosts();
    std::erase_if(result_.ranks, [&](const RankStash& rank) { return !filter_.keeps_rank(rank.rank); });
    add_totals();
    add_risks();
    return std::move(result_);
  }

 private:
  static bool has_perf(const PlanRank& rank) { return rank.expected_perf.known; }
  bool has_perf() const {
    return std::ranges::all_of(plan_.ranks, [](const PlanRank& rank) { return has_perf(rank); });
  }

  std::optional<NotStashed> why_not(const PlanTable& table, const PrintedTable& row, ByteInterval weights) const {
    if (!filter_.keeps_row(row)) return NotStashed::not_asked_for;
    if (table.sharding == Sharding::dp || !is_fused(*table.kernel)) return NotStashed::kernel;
    if (table.sequence && !options_.sequence) return NotStashed::sequence;
    if (weights.high == 0) return NotStashed::not_in_hbm;
    return std::nullopt;
  }

  void leave_out(NotStashed reason, std::string_view kernel) {
    const std::string_view named = reason == NotStashed::kernel ? kernel : "";
    for (LeftOut& group : result_.left_out)
      if (group.reason == reason && group.kernel == named) {
        ++group.tables;
        return;
      }
    result_.left_out.push_back({reason, named, 1});
  }

  void find_candidates() {
    for (std::uint32_t t = 0; t < plan_.tables.size(); ++t) {
      const PlanTable& table = plan_.tables[t];
      const PrintedTable& row = printed_.tables.rows[table.row];
      std::map<int, ByteInterval> by_rank;
      ByteInterval all{};
      for (const PlanShard& shard : plan_.shards_of(table)) {
        const ByteInterval weights = hbm_parts(*shard.sizes).weights;
        all = all + weights;
        if (shard.rank) by_rank[*shard.rank] = by_rank[*shard.rank] + weights;
      }
      if (const auto reason = why_not(table, row, all)) {
        leave_out(*reason, row.kernel.text);
        continue;
      }
      for (const auto& [rank, bytes] : by_rank)
        if (bytes.high > 0) candidates_[rank].push_back({t, row.fqn.text, bytes});
    }
  }

  RankStash decide(const PlanRank& rank, RankTimeline before, std::size_t steps) {
    RankStash stash;
    stash.rank = rank.rank;
    if (has_perf(rank)) {
      stash.output_dist = rank.perf.parts[static_cast<std::size_t>(PerfPart::forward_comms)];
      stash.gradient_dist = rank.perf.parts[static_cast<std::size_t>(PerfPart::backward_comms)];
    }
    stash.window = options_.window ? *options_.window : std::min(stash.output_dist->low, stash.gradient_dist->low);
    const std::vector<StashedTable>& candidates = candidates_[rank.rank];
    std::vector<ByteInterval> amounts;
    for (const StashedTable& table : candidates) {
      amounts.push_back(table.bytes);
      stash.candidate_bytes = stash.candidate_bytes + table.bytes;
    }
    stash.candidates = static_cast<std::int64_t>(candidates.size());
    const std::int64_t need = need_of(before, options_.target);
    const std::int64_t room = capped(std::floor(stash.window * options_.bandwidth));
    const auto chosen = analysis::best_subset(amounts, need, room, steps);
    for (const std::size_t i : chosen.items) stash.tables.push_back(candidates[i]);
    std::ranges::stable_sort(stash.tables, std::ranges::greater{}, [](const auto& table) { return table.bytes.high; });
    if (chosen.bytes.low < need) stash.may_fit = may_fit(candidates, chosen, room);
    stash.bytes = chosen.bytes;
    stash.exact = chosen.exact;
    stash.off_by = chosen.off_by;
    stash.copy_ms = real(chosen.bytes) / exactly(options_.bandwidth);
    stash.after = with_stash(before, chosen.bytes);
    stash.before = std::move(before);
    if (options_.target) stash.fits = fits_of(stash.after, *options_.target);
    return stash;
  }

  bool has_open_element_size(std::uint32_t t) const {
    const PlanTable& table = plan_.tables[t];
    return std::ranges::any_of(table.alternatives,
                               [&](const Choice& choice) { return choice.element_size != table.choice.element_size; });
  }

  std::vector<MayFit> may_fit(const std::vector<StashedTable>& candidates, const analysis::Subset& chosen,
                              std::int64_t room) {
    std::vector<MayFit> tables;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const ByteInterval with = chosen.bytes + candidates[i].bytes;
      if (std::ranges::binary_search(chosen.items, i) || with.low > room || with.high <= room) continue;
      if (names_.empty()) names_ = shortest_names(printed_);
      const std::uint32_t t = candidates[i].table;
      tables.push_back({candidates[i], names_[plan_.tables[t].row], has_open_element_size(t)});
    }
    std::ranges::stable_sort(tables, std::ranges::greater{}, [](const MayFit& one) { return one.table.bytes.high; });
    return tables;
  }

  void add_hosts() {
    const RanksPerHost inferred = ranks_per_host(plan_);
    const std::int64_t size = options_.ranks_per_host > 0 ? options_.ranks_per_host : inferred.ranks;
    if (size <= 0) return;
    if (inferred.shown && size != inferred.ranks) result_.shown_ranks_per_host = inferred.ranks;
    const Cell cell =
        analysis::prints_all_ddr(printed_.releases.front()) ? printed_.slot(LineId::planning_memory, 1) : Cell{};
    const auto ddr = analysis::printed_bounds(cell, rank_memory_format(Release::v0_8_0), "bytes");
    for (std::size_t r = 0; r < result_.ranks.size(); ++r) {
      const RankStash& rank = result_.ranks[r];
      const auto host = static_cast<int>(rank.rank / size);
      const auto found = std::ranges::find(result_.hosts, host, &HostMemory::host);
      HostMemory& memory =
          found != result_.hosts.end() ? *found : result_.hosts.emplace_back(HostMemory{host, {}, std::nullopt});
      memory.pinned = memory.pinned + rank.bytes;
      if (!ddr) continue;
      const ByteInterval own =
          ByteInterval{capped(std::ceil(ddr->low)), capped(std::floor(ddr->high))} - plan_.ranks[r].ddr;
      memory.free = memory.free.value_or(ByteInterval{}) + own;
    }
  }

  void add_totals() {
    const auto largest_of = [](ByteInterval a, ByteInterval b) {
      return ByteInterval{std::max(a.low, b.low), std::max(a.high, b.high)};
    };
    for (const RankStash& rank : result_.ranks) {
      result_.peak_before = largest_of(result_.peak_before, rank.before.peak);
      result_.peak_after = largest_of(result_.peak_after, rank.after.peak);
      if (rank.fits) ++result_.fits[static_cast<std::size_t>(*rank.fits)];
    }
  }

  // The worst of those that are at risk: the one whose value exceeds its limit most.
  static void count(RiskFound& risk, int number, RealInterval value, RealInterval limit) {
    if (risk.count++ == 0 || value.high - limit.low > risk.value.high - risk.limit.low) {
      risk.worst = number;
      risk.value = value;
      risk.limit = limit;
    }
  }

  void add_risks() {
    RiskFound output{StashRisk::short_output_dist}, gradient{StashRisk::short_gradient_dist},
        pinned{StashRisk::pinned_memory}, bandwidth{StashRisk::bandwidth};
    for (const RankStash& rank : result_.ranks) {
      if (rank.tables.empty()) continue;
      if (rank.output_dist && rank.copy_ms.high > rank.output_dist->low)
        count(output, rank.rank, rank.copy_ms, *rank.output_dist);
      if (rank.gradient_dist && rank.copy_ms.high > rank.gradient_dist->low)
        count(gradient, rank.rank, rank.copy_ms, *rank.gradient_dist);
      count(bandwidth, rank.rank, real(rank.bytes) / exactly(rank.window), exactly(options_.bandwidth));
    }
    if (bandwidth.count == 0) return;  // nothing is stashed
    for (const HostMemory& host : result_.hosts)
      if (host.free && host.pinned.high > host.free->low) count(pinned, host.host, real(host.pinned), real(*host.free));
    for (const RiskFound& risk : {output, gradient, pinned, bandwidth})
      if (risk.count > 0) result_.risks.push_back(risk);
    if (!options_.window) result_.risks.push_back({StashRisk::modelled_window});
    if (result_.hosts.empty()) result_.risks.push_back({StashRisk::unknown_hosts});
  }

  const PrintedPlan& printed_;
  const Plan& plan_;
  const Filter& filter_;
  const StashOptions& options_;
  std::map<int, std::vector<StashedTable>> candidates_;  // by rank
  std::vector<std::string_view> names_;                  // shortest_names(), once they are needed
  StashPlan result_;
};

}  // namespace

bool may_be_on_hosts(const PrintedPlan& printed, std::int64_t ranks_per_host) {
  const std::int64_t ranks = std::ssize(printed.ranks.rows);
  return ranks <= ranks_per_host || ranks % ranks_per_host == 0 || !analysis::has_all_ranks(printed);
}

StashPlan stash_of(const PrintedPlan& printed, const Plan& plan, const Filter& filter, const TimelineOptions& timeline,
                   const StashOptions& options) {
  Timeline before = timeline_of(plan, Filter(), timeline);
  if (before.unknown.empty())
    return Planner(printed, plan, filter, options).decide(std::move(before.ranks), timeline.activations);
  StashPlan stash;
  stash.unknown = before.unknown;
  stash.options = options;
  stash.activations = timeline.activations;
  return stash;
}

std::vector<const RankStash*> by_peak(const std::vector<RankStash>& ranks) {
  std::vector<const RankStash*> sorted;
  for (const RankStash& rank : ranks) sorted.push_back(&rank);
  std::ranges::stable_sort(sorted, std::ranges::greater{}, [](const RankStash* rank) { return rank->after.peak.high; });
  return sorted;
}

}  // namespace shardstats
