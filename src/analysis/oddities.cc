#include "analysis/oddities.h"

#include <algorithm>

#include "analysis/shares.h"

namespace shardstats::analysis {
namespace {

constexpr double kDominates = 0.3;  // share of the embedding memory of a rank

std::string count_text(std::int64_t n, std::string_view one, std::string_view many) {
  return std::to_string(n) + " " + std::string(n == 1 ? one : many);
}

struct Matches {
  std::int64_t tables = 0;
  const PrintedTable* first = nullptr;
};

template <class Matching>
Matches matches(const PrintedPlan& printed, const Plan& plan, Matching matching) {
  Matches found;
  for (const PlanTable& table : plan.tables) {
    const PrintedTable& row = printed.tables.rows[table.row];
    if (!matching(table, row)) continue;
    ++found.tables;
    if (found.first == nullptr) found.first = &row;
  }
  return found;
}

bool is_twice_on_a_rank(const Plan& plan, const PlanTable& table) {
  std::vector<int> ranks = plan.ranks_of(table);
  std::ranges::sort(ranks);
  return std::ranges::adjacent_find(ranks) != ranks.end();
}

void find_twice(const PrintedPlan& printed, const Plan& plan, std::vector<Oddity>& oddities) {
  const Matches found = matches(
      printed, plan, [&](const PlanTable& table, const PrintedTable&) { return is_twice_on_a_rank(plan, table); });
  if (found.tables == 0) return;
  oddities.push_back({"same_rank_twice",
                      count_text(found.tables, "table has", "tables have") +
                          " two or more shards on one rank; the first is " + std::string(found.first->fqn.text) +
                          " on ranks " + std::string(found.first->ranks.text),
                      found.tables});
}

void find_default_ratios(const PrintedPlan& printed, const Plan& plan, std::vector<Oddity>& oddities) {
  const Matches found = matches(printed, plan, [&](const PlanTable& table, const PrintedTable& row) {
    return table.kernel != nullptr && plan.setting.rules != nullptr &&
           is_cached(*table.kernel, plan.setting.rules->release) && row.cache_load_factor.text == "None";
  });
  if (found.tables == 0) return;
  oddities.push_back({"default_cache_ratio",
                      count_text(found.tables, "cached table leaves", "cached tables leave") +
                          " the cache load factor at its default (None is printed); the first is " +
                          std::string(found.first->fqn.text),
                      found.tables});
}

void find_uncached(const PrintedPlan& printed, const Plan& plan, std::vector<Oddity>& oddities) {
  const Matches found = matches(printed, plan, [](const PlanTable& table, const PrintedTable&) {
    return table.kernel != nullptr && table.kernel->speed == KernelSpeed::uvm;
  });
  if (found.tables == 0) return;
  oddities.push_back({"uncached_host_memory",
                      count_text(found.tables, "table is", "tables are") +
                          " read from host memory without a cache; the first is " + std::string(found.first->fqn.text),
                      found.tables});
}

// What the storage estimator adds for the output of a shard.
RealInterval stored_output(const Plan& plan, const PlanTable& table, const PlanShard& shard) {
  const ShardSizes& sizes = *shard.sizes;
  return shard_storage(plan.setting, table.facts.front(), {real(sizes.rows), real(sizes.cols), sizes.emptiness()})
      .io.output;
}

void find_sequence_outputs(const PrintedPlan& printed, const Plan& plan, const MemorySummary& memory,
                           std::vector<Oddity>& oddities) {
  if (memory.parts.empty()) return;
  RealInterval outputs{}, all{};
  std::int64_t tables = 0;
  const PrintedTable* example = nullptr;
  double most = 0;
  for (const PlanTable& table : plan.tables) {
    RealInterval here{};
    for (const PlanShard& shard : plan.shards_of(table)) {
      if (shard.rank != memory.peak) continue;
      all = all + real(shard.sizes->hbm);
      if (table.sequence) here = here + stored_output(plan, table, shard);
    }
    if (here.high <= 0) continue;
    outputs = outputs + here;
    ++tables;
    if (middle(here) > most) most = middle(here), example = &printed.tables.rows[table.row];
  }
  if (example == nullptr || all.high <= 0 || outputs.low < kDominates * all.high) return;
  const auto percent = static_cast<std::int64_t>(middle(outputs) / middle(all) * 100);
  oddities.push_back({"sequence_outputs",
                      "outputs of " + count_text(tables, "sequence table", "sequence tables") + " take " +
                          std::to_string(percent) + "% of the embedding memory of rank " + std::to_string(memory.peak) +
                          ", most of it " + std::string(example->fqn.text),
                      tables});
}

// By the printed shares, unless the printed memory denies them.
void find_full_ddr(const PrintedPlan& printed, std::vector<Oddity>& oddities) {
  constexpr std::int64_t kAll = 100;
  if (!prints_all_ddr(printed.releases.front())) return;
  const auto planning = printed.bytes_in(LineId::planning_memory, 1);
  const Format form = printed.format_of(RoundedNumbers::rank_memory);
  std::int64_t ranks = 0, most = 0;
  const PrintedRank* fullest = nullptr;
  for (const PrintedRank& row : printed.ranks.rows) {
    const std::int64_t share = parse_integer(row.ddr_percent.text).value_or(0);
    const auto ddr = bytes_printed_as(row.ddr.text, form, kGiB);
    if (share <= kAll || (planning && ddr && ddr->high < planning->low)) continue;
    ++ranks;
    if (share > most) most = share, fullest = &row;
  }
  if (fullest == nullptr) return;
  oddities.push_back({kFullDdr,
                      "DDR of " + count_text(ranks, "rank is", "ranks is") +
                          " more than the planner may fill; the fullest is rank " + std::string(fullest->rank.text) +
                          " with " + std::string(fullest->ddr.text) + " GiB, " + std::to_string(most) + "% of that",
                      0});
}

// "CW: 0 TW: 0", or nothing where the plan has no type at all.
bool has_no_shard(const PrintedRank& row) {
  const auto is_zero = [](const ShardCount& of_type) { return of_type.count.text == "0"; };
  const std::vector<ShardCount> counts = shard_counts(row.shards);
  return row.shards.text.empty() || (!counts.empty() && std::ranges::all_of(counts, is_zero));
}

void find_idle_ranks(const PrintedPlan& printed, std::vector<Oddity>& oddities) {
  if (!printed.ranks.has(ColumnId::shards)) return;  // cut off
  const auto idle = std::ranges::count_if(
      printed.ranks.rows, [](const PrintedRank& row) { return row.rank && row.hbm && has_no_shard(row); });
  if (idle > 0) oddities.push_back({"idle_ranks", count_text(idle, "rank has", "ranks have") + " no shard at all", 0});
}

}  // namespace

std::vector<Oddity> find_oddities(const PrintedPlan& printed, const Plan& plan, const MemorySummary& memory) {
  std::vector<Oddity> oddities;
  find_full_ddr(printed, oddities);
  find_twice(printed, plan, oddities);
  find_sequence_outputs(printed, plan, memory, oddities);
  find_default_ratios(printed, plan, oddities);
  find_uncached(printed, plan, oddities);
  find_idle_ranks(printed, oddities);
  return oddities;
}

}  // namespace shardstats::analysis
