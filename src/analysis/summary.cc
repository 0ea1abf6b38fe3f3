#include "shardstats/analysis/summary.h"

#include <algorithm>

#include "analysis/checks.h"
#include "analysis/oddities.h"
#include "analysis/shares.h"
#include "analysis/standard_changes.h"
#include "analysis/statistics.h"
#include "analysis/table_values.h"
#include "shardstats/analysis/composition.h"

namespace shardstats {
namespace {

using analysis::Quantity;
using analysis::RankValues;

constexpr double kTight = 0.9;               // share of the planning memory from which little is left
constexpr double kEven = 5, kUneven = 10;    // percent of the largest above the mean
constexpr std::size_t kHistogramSteps = 24;  // of the histogram
constexpr double kUnbounded = 1e15;          // ms or more: the log does not bound it
constexpr double kUnboundedBytes = 1e18;     // likewise

bool more(const TableShare& a, const TableShare& b) { return middle(a.value) > middle(b.value); }

void keep(std::vector<TableShare>& tables, std::size_t top) {
  std::ranges::stable_sort(tables, more);
  if (top > 0 && tables.size() > top) tables.resize(top);
}

// Ranks that must have the largest value; where bounds do not tell, those that may.
std::vector<int> largest_ranks(RankBounds values) {
  const RankList list = at_largest(values);
  const std::vector<int> must = analysis::marked(list.must);
  return must.empty() ? analysis::marked(list.may) : must;
}

// The one of `ranks` whose value is largest in the middle.
int largest_of(const std::vector<int>& ranks, RankBounds values) {
  const auto value = [&](int rank) { return middle(values[static_cast<std::size_t>(rank)]); };
  return ranks.empty() ? 0 : *std::ranges::max_element(ranks, {}, value);
}

// By the line that prints the same.
RealInterval narrowed_by(const PrintedPlan& printed, LineId line, RealInterval percent) {
  const auto bounds = analysis::printed_bounds(printed.slot(line), Format::g3, "percent");
  return bounds ? narrowed(percent, *bounds) : percent;
}

Balance balance_of(RealInterval above_mean) {
  const double percent = middle(above_mean);
  return percent < kEven ? Balance::even : percent < kUneven ? Balance::slightly_uneven : Balance::uneven;
}

// ---- memory --------------------------------------------------------------------------------------------------------

std::vector<std::int64_t> histogram_of(RankBounds values) {
  const double low = middle(smallest(values)), high = middle(largest(values));
  std::vector<std::int64_t> steps(high > low ? kHistogramSteps : 1);
  for (const RealInterval& value : values) {
    const double at = high > low ? (middle(value) - low) / (high - low) * static_cast<double>(kHistogramSteps) : 0;
    ++steps[std::min(static_cast<std::size_t>(std::max(at, 0.0)), steps.size() - 1)];
  }
  return steps;
}

void add_peak_tables(const PrintedPlan& printed, const Plan& plan, std::size_t top, MemorySummary& memory) {
  const double most = static_cast<double>(plan.ranks[static_cast<std::size_t>(memory.peak)].sparse_hbm.high);
  for (const PlanTable& table : plan.tables) {
    TableShare share{&printed.tables.rows[table.row], {}};
    for (const PlanShard& shard : plan.shards_of(table))
      if (shard.rank == memory.peak) share.value = share.value + real(shard.sizes->hbm);
    share.value = narrowed(share.value, {0, most});
    if (share.value.high > 0) memory.tables.push_back(share);
  }
  memory.tables_on_peak = memory.tables.size();
  keep(memory.tables, top);
}

void add_peak_parts(const PrintedPlan& printed, const Plan& plan, MemorySummary& memory) {
  for (const RankCause& part : compose(printed, plan).by_part)
    if (const ByteInterval bytes = part.bytes[static_cast<std::size_t>(memory.peak)]; bytes.high > 0)
      memory.parts.push_back({part.name, narrowed(real(bytes), {0, memory.largest.high})});
  std::ranges::stable_sort(memory.parts,
                           [](const MemoryPart& a, const MemoryPart& b) { return middle(a.bytes) > middle(b.bytes); });
}

// What whatif gives for some changes.
void add_changes(const PrintedPlan& printed, const Plan& plan, const WhatIf& what_if, RankBounds before,
                 MemorySummary& memory) {
  for (const Change& change : analysis::standard_changes(printed, plan, memory.peak)) {
    const auto outcome = what_if.with({&change, 1}, Answer::memory);
    const auto* changed = std::get_if<ChangedPlan>(&outcome);
    if (changed == nullptr || changed->growth.ranks.size() != plan.ranks.size()) continue;
    std::vector<RealInterval> after, growths;
    for (const PlanRank& rank : changed->plan.ranks) after.push_back(real(rank.hbm));
    for (const PlanGrowth::OfRank& of_rank : changed->growth.ranks) growths.push_back(of_rank.hbm);
    const RealInterval growth = analysis::change_of_largest(at_largest(before).may, at_largest(after).may, growths);
    ChangeEffect effect{change.text, largest(after), {}};
    effect.largest = narrowed(effect.largest, memory.largest + growth);
    effect.largest.low = std::max(effect.largest.low, 0.0);
    effect.fall = narrowed(memory.largest - effect.largest, RealInterval{} - growth);
    if (effect.fall.low > 0) memory.changes.push_back(std::move(effect));
  }
  std::ranges::stable_sort(
      memory.changes, [](const ChangeEffect& a, const ChangeEffect& b) { return middle(a.fall) > middle(b.fall); });
}

Fit fit_of(RealInterval share) {
  return share.low > 1 ? Fit::too_large : share.high >= kTight ? Fit::tight : Fit::roomy;
}

// Where devices differ, another rank than the one with the most HBM may have the least room. Gives its share.
RealInterval find_smaller_device(const analysis::MemoryShares& shares, MemorySummary& memory) {
  const auto by_share = [](const analysis::Share& share) { return share.printed.high; };
  const analysis::Share& most = *std::ranges::max_element(shares.ranks, {}, by_share);
  if (most.printed.high <= memory.share.high) return memory.share;
  memory.smaller = most.rank;
  memory.smaller_cell = most.row->hbm_percent;
  return most.printed;
}

// Where no planning memory is that of all devices.
Fit fit_by_printed_shares(const PrintedPlan& printed, const Plan& plan, MemorySummary& memory) {
  const analysis::MemoryShares shares = analysis::hbm_shares(printed, plan);
  const Fit fit = fit_of(memory.share);
  if (!shares.counted || analysis::common_capacity(shares.ranks)) return fit;
  if (analysis::capacities_differ(printed, plan)) return fit_of(find_smaller_device(shares, memory));
  if (!shares.planning) return fit;
  // One share is printed wrong. If it is this one, the planning memory may say otherwise.
  const auto own = std::ranges::find(shares.ranks, memory.peak, &analysis::Share::rank);
  return own == shares.ranks.end() || fit_of(own->expected) == fit ? fit : Fit::unknown;
}

void set_planning(const PrintedPlan& printed, const Plan& plan, MemorySummary& memory) {
  const auto share = values_printed_as(memory.share_cell.text, Format::p0);
  memory.share_of_all = shares_are_of_all_memory(printed.releases.front());
  if (share && share->high > 0) memory.share = *share;
  const auto planning = analysis::planning_of_all(printed, plan);
  const bool of_all = planning && planning->low > 0;
  if (of_all) {
    memory.planning_cell = printed.slot(LineId::planning_memory, 0);
    memory.planning = real(*planning);
    memory.share = memory.largest / *memory.planning;
    memory.headroom = *memory.planning - memory.largest;
  }
  const Fit fit = of_all ? fit_of(memory.share) : fit_by_printed_shares(printed, plan, memory);
  const bool filled = memory.share.high > 0 || memory.smaller;
  if (filled && memory.largest.high > 0 && memory.complete) memory.fit = fit;
}

MemorySummary summarize_memory(const PrintedPlan& printed, const Plan& plan, const WhatIf* what_if,
                               const RankValues& values, std::size_t top) {
  MemorySummary memory;
  if (!values.known) return memory;
  const auto& hbm = values[Quantity::hbm];
  memory.known = largest(hbm).high < kUnboundedBytes;
  if (!memory.known) return memory;
  memory.counts_reservation = plan.setting.rules != nullptr && plan.setting.rules->counts_reservation;
  memory.complete = analysis::has_all_ranks(printed);
  memory.largest = largest(hbm);
  memory.mean = mean_of(hbm);
  memory.smallest = smallest(hbm);
  memory.fullest = largest_ranks(hbm);
  memory.peak = largest_of(memory.fullest, hbm);
  const PrintedRank& row = printed.ranks.rows[static_cast<std::size_t>(memory.peak)];
  memory.peak_cell = row.hbm;
  memory.share_cell = row.hbm_percent;
  memory.histogram = histogram_of(hbm);
  set_planning(printed, plan, memory);
  if (!plan.sized || plan.missing || !memory.complete || memory.largest.high <= 0) return memory;
  add_peak_tables(printed, plan, top, memory);
  add_peak_parts(printed, plan, memory);
  if (what_if != nullptr) add_changes(printed, plan, *what_if, hbm, memory);
  return memory;
}

// ---- perf ----------------------------------------------------------------------------------------------------------

void add_slow_tables(const PrintedPlan& printed, const Plan& plan, std::size_t top, PerfSummary& perf) {
  if (!plan.perf.known || plan.missing) return;
  for (const PlanTable& table : plan.tables) {
    const auto here = static_cast<double>(plan.shards_on(table, perf.rank));
    if (here > 0 && table.perf.known)
      perf.tables.push_back({&printed.tables.rows[table.row], table.shard_perf.total * exactly(here)});
  }
  keep(perf.tables, top);
}

PerfSummary summarize_perf(const PrintedPlan& printed, const Plan& plan, const RankValues& values, std::size_t top) {
  PerfSummary perf;
  perf.critical_comms = printed.slot(LineId::critical_path_comms);
  perf.critical_compute = printed.slot(LineId::critical_path_compute);
  perf.critical = printed.slot(LineId::critical_path_sum);
  perf.in_ms = prints_perf_in_ms(printed.releases.front());
  if (!values.known || !perf.in_ms) return perf;
  perf.complete = analysis::has_all_ranks(printed);
  const auto& total = values[Quantity::perf];
  perf.largest = largest(total);
  perf.known = perf.largest.high < kUnbounded && perf.largest.high > 0;
  if (!perf.known) return perf;
  perf.mean = mean_of(total);
  perf.percent_above_mean = narrowed_by(printed, LineId::max_total_perf_percent, percent_above_mean(total));
  perf.balance = balance_of(perf.percent_above_mean);
  perf.slowest = largest_ranks(total);
  perf.rank = largest_of(perf.slowest, total);
  const auto rank = static_cast<std::size_t>(perf.rank);
  perf.cell = printed.ranks.rows[rank].perf.total;
  perf.parts_known = printed.ranks.rows[rank].perf.count > 0;
  for (std::size_t p = 0; p < kPerfParts && perf.parts_known; ++p) {
    const auto part = static_cast<PerfPart>(p);
    RealInterval value = values[analysis::quantity_of(part)][rank];
    if (value.high >= kUnbounded) value = {};  // not among the components of the release
    perf.parts[p] = value;
    const bool comms = part == PerfPart::forward_comms || part == PerfPart::backward_comms;
    (comms ? perf.comms : perf.compute) = (comms ? perf.comms : perf.compute) + value;
  }
  add_slow_tables(printed, plan, top, perf);
  return perf;
}

// ---- shape ---------------------------------------------------------------------------------------------------------

TableGroup& group_named(std::string_view name, std::vector<TableGroup>& groups) {
  const auto found = std::ranges::find(groups, name, &TableGroup::name);
  return found != groups.end() ? *found : groups.emplace_back(TableGroup{name});
}

// A sum is known if every part is.
template <class T>
void add_to(std::optional<T>& sum, const std::optional<T>& part) {
  sum = sum && part ? std::optional(*sum + *part) : std::nullopt;
}

ShapeSummary summarize_shape(const PrintedPlan& printed, const Plan& plan, std::size_t top) {
  ShapeSummary shape;
  shape.complete = analysis::has_all_tables(printed, plan);
  for (const TableRow& table : reconstruct(printed, plan, Filter(), {}).tables) {
    const PrintedTable& row = *table.printed;
    const auto hbm = analysis::storage_of(printed, row.hbm, &table, &TableRow::hbm);
    const auto ddr = analysis::storage_of(printed, row.ddr, &table, &TableRow::ddr);
    for (const auto& [name, groups] :
         {std::pair{row.sharding.text, &shape.shardings}, {row.kernel.text, &shape.kernels}}) {
      if (name.empty()) {  // its column was cut off
        shape.complete = false;
        continue;
      }
      TableGroup& group = group_named(name, *groups);
      ++group.tables;
      add_to(group.shards, analysis::shard_count_of(row, &table));
      add_to(group.hbm, hbm);
      add_to(group.ddr, ddr);
    }
    if (hbm && hbm->high > 0) shape.largest.push_back({&row, *hbm});
  }
  const auto hbm_of = [](const TableGroup& group) { return middle(group.hbm.value_or(RealInterval{})); };
  for (auto* groups : {&shape.shardings, &shape.kernels})
    std::ranges::stable_sort(*groups, std::ranges::greater{}, hbm_of);
  keep(shape.largest, top);
  return shape;
}

}  // namespace

Summary summarize(const PrintedPlan& printed, const Plan& plan, const SummaryOptions& options, const WhatIf* what_if) {
  Summary summary;
  summary.empty_plan = plan.empty;
  const RankValues values = analysis::rank_values(printed, plan);
  summary.memory = summarize_memory(printed, plan, what_if, values, options.top);
  if (summary.memory.known) {
    summary.memory_above_mean =
        narrowed_by(printed, LineId::max_hbm_percent, percent_above_mean(values[Quantity::hbm]));
    summary.memory_balance = balance_of(summary.memory_above_mean);
  }
  summary.perf = summarize_perf(printed, plan, values, options.top);
  summary.shape = summarize_shape(printed, plan, options.top);
  summary.oddities = analysis::find_oddities(printed, plan, summary.memory);
  return summary;
}

}  // namespace shardstats
