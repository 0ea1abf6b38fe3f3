// Counts every printed number of a block once: derived, input or unchecked (contract.md, "coverage").
#include <algorithm>

#include "analysis/checks.h"

namespace shardstats::analysis {
namespace {

enum class Nature : std::uint8_t {
  none,       // no number: names, tier numbers (part of the label)
  input,      // nothing else in any block determines it
  unchecked,  // could be derived; no rule does so yet
  storage,    // derived where the plan was rebuilt, else an input
  table,      // derived where the parameter table is there
  planning_hbm,
  planning_ddr,
  planning_percent,
  kjt,
  ranks,     // derived from the rank table where its rows are there
  critical,  // comms of the critical path: from every table's perf
  top,       // of the top lists
};

// The slots of a line form, in order; a form that is not listed has only unchecked numbers.
struct LineNature {
  LineId id;
  std::array<Nature, 4> slots;
};
using enum Nature;
constexpr std::array<LineNature, 46> kLineNatures = {{
    {LineId::summary, {input, input, input}},
    {LineId::batch_size, {input}},
    {LineId::world_size, {input}},
    {LineId::kernel_count, {none, table}},
    {LineId::kernel_weights, {none, storage}},
    {LineId::kernel_optimizer, {none, storage}},
    {LineId::kernel_storage, {none, storage, storage, storage}},
    {LineId::kernel_constraints, {table, table}},
    {LineId::kernel_constraint, {none, table}},
    {LineId::tier, {none, ranks, ranks}},
    {LineId::total_variation, {ranks}},
    {LineId::total_distance, {ranks}},
    {LineId::chi_divergence, {ranks}},
    {LineId::kl_divergence, {ranks}},
    {LineId::range_chi_divergence, {ranks}},
    {LineId::range_kl_divergence, {ranks}},
    {LineId::max_total_perf, {ranks, ranks}},
    {LineId::max_fwd_compute, {ranks, ranks}},
    {LineId::max_fwd_comms, {ranks, ranks}},
    {LineId::max_bwd_compute, {ranks, ranks}},
    {LineId::max_bwd_comms, {ranks, ranks}},
    {LineId::max_prefetch_compute, {ranks, ranks}},
    {LineId::mean_total_perf, {ranks}},
    {LineId::max_total_perf_percent, {ranks}},
    {LineId::sum_of_maxima, {ranks}},
    {LineId::peak_memory_pressure, {ranks, ranks}},
    {LineId::sparse_max_hbm, {storage, storage}},
    {LineId::sparse_min_hbm, {storage, storage}},
    {LineId::max_hbm, {ranks, ranks}},
    {LineId::min_hbm, {ranks, ranks}},
    {LineId::mean_hbm, {ranks, ranks}},
    {LineId::low_median_hbm, {ranks, ranks}},
    {LineId::high_median_hbm, {ranks, ranks}},
    {LineId::critical_path_comms, {critical}},
    {LineId::critical_path_compute, {ranks}},
    {LineId::critical_path_sum, {critical}},
    {LineId::max_hbm_percent, {ranks}},
    {LineId::top_hbm, {ranks}},
    {LineId::top_hbm_table, {none, top, top}},
    {LineId::reserved_hbm, {input}},
    {LineId::reserved_percent, {planning_percent}},
    {LineId::planning_memory, {planning_hbm, planning_ddr}},
    {LineId::planning_percent, {planning_percent}},
    {LineId::dense_storage, {input, input}},
    {LineId::kjt_storage, {kjt, kjt}},
    {LineId::top_perf_table, {none}},
}};

class Counter {
 public:
  explicit Counter(const Checks& checks) : checks_(checks) {}

  Coverage count() {
    for (const PrintedLine& line : checks_.printed.lines) add_line(line);
    for (const PrintedRank& row : checks_.printed.ranks.rows) add_rank(row);
    for (std::size_t i = 0; i < checks_.printed.tables.rows.size(); ++i) add_table(i);
    return coverage_;
  }

 private:
  void add(const Cell& cell, Nature nature) {
    if (!cell || nature == none || cell.text == "[]") return;
    switch (nature) {
      case input:
        ++coverage_.inputs;
        break;
      case unchecked:
        ++coverage_.unchecked;
        break;
      case storage:
        add_if(checks_.plan.sized);
        break;
      case table:
        add_if(checks_.rows_complete);
        break;
      case planning_hbm:
        add_if(checks_.compared.planning_hbm);
        break;
      case planning_ddr:
        add_if(checks_.compared.planning_ddr);
        break;
      case planning_percent:
        add_if(checks_.compared.planning_percent);
        break;
      case kjt:
        add_if(checks_.plan.kjt.known);
        break;
      case ranks:
        add_if(checks_.compared.ranks);
        break;
      case critical:
        add_if(checks_.compared.critical_path);
        break;
      case top:
        add_if(checks_.compared.top_hbm);
        break;
      case none:
        break;
    }
  }
  void add_if(bool derived) { ++(derived ? coverage_.derived : coverage_.inputs); }

  void add_line(const PrintedLine& line) {
    const auto slots = checks_.printed.slots_of(line);
    const auto listed = std::ranges::find(kLineNatures, line.id, &LineNature::id);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (listed != kLineNatures.end())
        add(slots[i], listed->slots[i]);
      else if (is_number(slots[i].text) || (!slots[i].text.empty() && is_list(slots[i])))
        add(slots[i], unchecked);
    }
  }

  static bool is_list(const Cell& cell) {
    std::vector<int> ranks;
    return parse_ranks(cell.text, ranks);
  }

  void add_perf(const PrintedPerf& perf, bool derived) {
    if (perf.total) add_if(derived);
    for (std::size_t i = 0; i < perf.count; ++i)
      if (perf.components[i]) add_if(derived);
  }

  void add_rank(const PrintedRank& row) {
    const PlanRank* plan = checks_.plan_rank(rank_number(row));
    const auto derived = [&](const Cell& cell, Expectation PlanRank::*expected) {
      if (cell) add_if(plan != nullptr && (plan->*expected).known);
    };
    add(row.rank, input);
    derived(row.hbm, &PlanRank::expected_hbm);
    derived(row.ddr, &PlanRank::expected_ddr);
    derived(row.input, &PlanRank::expected_input);
    derived(row.output, &PlanRank::expected_output);
    if (row.hbm_percent) add_if(checks_.compared.hbm_percent);
    if (row.ddr_percent) add_if(checks_.compared.ddr_percent);
    add_perf(row.perf, plan != nullptr && plan->expected_perf.known);
    for (std::size_t i = 0; i < shard_counts(row.shards).size(); ++i) add_if(checks_.compared.shards);
  }

  void add_table(std::size_t i) {
    const PrintedTable& row = checks_.printed.tables.rows[i];
    const PlanTable* plan = checks_.plan.table_of_row(static_cast<std::uint32_t>(i));
    const auto derived = [&](const Cell& cell, Expectation PlanTable::*expected) {
      if (cell) add_if(plan != nullptr && (plan->*expected).known);
    };
    add_perf(row.perf, plan != nullptr && plan->perf.known);
    derived(row.hbm, &PlanTable::hbm);
    derived(row.ddr, &PlanTable::ddr);
    derived(row.ssd, &PlanTable::ssd);
    for (const Cell* cell : {&row.pooling_factor, &row.num_poolings, &row.features, &row.emb_dim, &row.hash_size})
      add(*cell, input);
    if (is_number(row.cache_load_factor.text)) add(row.cache_load_factor, input);
    if (row.batch_sizes.text != "n/a") add(row.batch_sizes, input);
    add(row.num_indices, table);
    add(row.cw_dim, table);
    if (row.ranks.text != "None") add(row.ranks, table);
  }

  const Checks& checks_;
  Coverage coverage_;
};

}  // namespace

Coverage cover(const Checks& checks) { return Counter(checks).count(); }

}  // namespace shardstats::analysis
