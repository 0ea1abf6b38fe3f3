// Counts every printed number of a block once: derived, input or unchecked (contract.md, "coverage").
#include <algorithm>

#include "analysis/byte_columns.h"
#include "analysis/checks.h"

namespace shardstats::analysis {
namespace {

enum class Nature : std::uint8_t {
  none,       // no number: names, tier numbers (part of the label)
  input,      // nothing else in any block determines it
  unchecked,  // could be derived; no rule does so yet
  storage,    // derived where the plan was rebuilt, else an input
  kernel,     // derived where the kernel's tables were rebuilt or print it
  table,      // derived where the parameter table is there
  planning_hbm,
  planning_ddr,  // by the shares of it
  planning_percent,
  kjt,
  ranks,     // derived from the rank table where its rows are there
  critical,  // comms of the critical path: from every table's perf
  top,       // of the top lists
};

// The slots of a line form, in order, and the rules that compare them; a form that is not listed has only unchecked
// numbers. Of the three imbalance sections the rule of the first stands here.
struct LineNature {
  LineId id;
  std::array<Nature, 4> slots;
  std::array<RuleId, 4> rules{};
};
using enum Nature;
using enum RuleId;
constexpr RuleId kNoRule{};  // of a slot that is no number
constexpr std::array<LineNature, 46> kLineNatures = {{
    {LineId::summary, {input, input, input}},
    {LineId::batch_size, {input}},
    {LineId::world_size, {input}},
    {LineId::kernel_count, {none, table}, {kNoRule, RuleId::kernel_count}},
    {LineId::kernel_weights, {none, kernel}, {kNoRule, RuleId::kernel_weights}},
    {LineId::kernel_optimizer, {none, kernel}, {kNoRule, RuleId::kernel_optimizer}},
    {LineId::kernel_storage,
     {none, kernel, kernel, kernel},
     {kNoRule, kernel_storage_hbm, kernel_storage_ddr, kernel_storage_ssd}},
    {LineId::kernel_constraints, {table, table}, {RuleId::kernel_constraints, RuleId::kernel_constraints}},
    {LineId::kernel_constraint, {none, table}, {kNoRule, RuleId::kernel_constraints}},
    {LineId::tier, {none, ranks, ranks}, {kNoRule, tiers_value, tiers_ranks}},
    {LineId::total_variation, {ranks}, {imbalance_perf}},
    {LineId::total_distance, {ranks}, {imbalance_perf}},
    {LineId::chi_divergence, {ranks}, {imbalance_perf}},
    {LineId::kl_divergence, {ranks}, {imbalance_perf}},
    {LineId::range_chi_divergence, {ranks}, {imbalance_range}},
    {LineId::range_kl_divergence, {ranks}, {imbalance_range}},
    {LineId::max_total_perf, {ranks, ranks}, {maxima_value, maxima_ranks}},
    {LineId::max_fwd_compute, {ranks, ranks}, {maxima_value, maxima_ranks}},
    {LineId::max_fwd_comms, {ranks, ranks}, {maxima_value, maxima_ranks}},
    {LineId::max_bwd_compute, {ranks, ranks}, {maxima_value, maxima_ranks}},
    {LineId::max_bwd_comms, {ranks, ranks}, {maxima_value, maxima_ranks}},
    {LineId::max_prefetch_compute, {ranks, ranks}, {maxima_value, maxima_ranks}},
    {LineId::mean_total_perf, {ranks}, {maxima_mean}},
    {LineId::max_total_perf_percent, {ranks}, {maxima_percent}},
    {LineId::sum_of_maxima, {ranks}, {maxima_sum}},
    {LineId::peak_memory_pressure, {ranks, ranks}, {maxima_hbm, maxima_ranks}},
    {LineId::sparse_max_hbm, {storage, storage}, {distribution_value, distribution_ranks}},
    {LineId::sparse_min_hbm, {storage, storage}, {distribution_value, distribution_ranks}},
    {LineId::max_hbm, {ranks, ranks}, {distribution_value, distribution_ranks}},
    {LineId::min_hbm, {ranks, ranks}, {distribution_value, distribution_ranks}},
    {LineId::mean_hbm, {ranks, ranks}, {distribution_value, distribution_ranks}},
    {LineId::low_median_hbm, {ranks, ranks}, {distribution_value, distribution_ranks}},
    {LineId::high_median_hbm, {ranks, ranks}, {distribution_value, distribution_ranks}},
    {LineId::critical_path_comms, {critical}, {RuleId::critical_path_comms}},
    {LineId::critical_path_compute, {ranks}, {RuleId::critical_path_compute}},
    {LineId::critical_path_sum, {critical}, {RuleId::critical_path_sum}},
    {LineId::max_hbm_percent, {ranks}, {distribution_percent}},
    {LineId::top_hbm, {ranks}, {tiers_value}},
    {LineId::top_hbm_table, {none, top, top}, {kNoRule, top_tables_hbm, top_tables_hbm}},
    {LineId::reserved_hbm, {input}},
    {LineId::reserved_percent, {planning_percent}, {reservation_percent}},
    {LineId::planning_memory, {planning_hbm, planning_ddr}, {reservation_capacity, reservation_capacity}},
    {LineId::planning_percent, {planning_percent}, {reservation_percent}},
    {LineId::dense_storage, {input, input}},
    {LineId::kjt_storage, {kjt, kjt}, {reservation_kjt, reservation_kjt}},
    {LineId::top_perf_table, {none}},
}};

// `rule_of_part`: of a component by its number, or of the total.
template <class RuleOfPart>
void add_perf(const PrintedPerf& perf, bool derived, const RuleOfPart& rule_of_part, NumberCounts& numbers) {
  numbers.add(derived, rule_of_part(kPerfParts), perf.total);
  for (std::size_t i = 0; i < perf.count; ++i) numbers.add(derived, rule_of_part(i), perf.components[i]);
}

class Counter {
 public:
  explicit Counter(const Checks& checks) : checks_(checks), numbers_(checks.numbers_of_tables) {}

  Coverage count() {
    for (const PrintedLine& line : checks_.printed.lines) add_line(line);
    if (checks_.compared.top_perf && checks_.printed.find(LineId::top_perf_table) != nullptr)
      numbers_.mark(top_tables_perf);
    for (const PrintedRank& row : checks_.printed.ranks.rows) add_rank(row);
    numbers_.add(checks_.compared.shards, rank_shards, checks_.printed_shard_counts);
    return numbers_.coverage();
  }

 private:
  void add(const Cell& cell, Nature nature, RuleId rule = {}) {
    if (!cell || nature == none || cell.text == "[]") return;
    if (nature == input)
      numbers_.add_input(cell);
    else if (nature == unchecked)
      numbers_.add_unchecked();
    else
      numbers_.add(is_derived(cell, nature), rule);
  }

  bool is_derived(const Cell& cell, Nature nature) const {
    const auto& compared = checks_.compared;
    switch (nature) {
      case storage:
        return checks_.plan.sized;
      case kernel:
        return std::ranges::binary_search(checks_.compared_kernel_sums, &cell);
      case table:
        return checks_.rows_complete;
      case planning_hbm:
        return compared.planning_hbm;
      case planning_ddr:
        return compared.ddr_percent;
      case planning_percent:
        return compared.planning_percent;
      case kjt:
        return checks_.plan.kjt.known;
      case ranks:
        return compared.ranks;
      case critical:
        return compared.critical_path;
      case top:
        return compared.top_hbm;
      case none:
      case input:
      case unchecked:
        break;
    }
    return false;
  }

  RuleId in_section(RuleId rule) const { return rule == imbalance_perf ? imbalance_ : rule; }

  void add_line(const PrintedLine& line) {
    if (line.id == LineId::perf_imbalance_heading) imbalance_ = imbalance_perf;
    if (line.id == LineId::hbm_imbalance_heading) imbalance_ = imbalance_hbm;
    if (line.id == LineId::ddr_imbalance_heading) imbalance_ = imbalance_ddr;
    const auto slots = checks_.printed.slots_of(line);
    const auto listed = std::ranges::find(kLineNatures, line.id, &LineNature::id);
    const bool is_extra_tier =
        line.id == LineId::tier && parse_integer(slots[0].text).value_or(0) > checks_.compared.tiers;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (is_unread(line, i))
        add(slots[i], unchecked);
      else if (is_extra_tier)
        add(slots[i], i == 0 ? none : unchecked);
      else if (listed != kLineNatures.end())
        add(slots[i], listed->slots[i], in_section(listed->rules[i]));
      else if (is_number(slots[i].text) || (!slots[i].text.empty() && is_list(slots[i])))
        add(slots[i], unchecked);
    }
  }

  // Is the number in a form of no known release?
  bool is_unread(const PrintedLine& line, std::size_t i) const {
    if (!checks_.lines_unread && !checks_.measures_unread) return false;
    bool unread = false;
    const Cell& cell = checks_.printed.slots_of(line)[i];
    each_slot(line_forms()[line.form].pattern, [&](std::size_t slot, std::string_view kind) {
      const auto is_of = [&](RoundedNumbers numbers) {
        return slot == i && !values_printed_as(cell.text, checks_.printed.format_of(numbers));
      };
      unread = unread || (checks_.lines_unread && kind == "r3" && is_of(RoundedNumbers::lines)) ||
               (checks_.measures_unread && kind == "f3" && is_of(RoundedNumbers::measures));
    });
    return unread;
  }

  static bool is_list(const Cell& cell) {
    std::vector<int> ranks;
    return parse_ranks(cell.text, ranks);
  }

  void add_rank(const PrintedRank& row) {
    const PlanRank* plan = checks_.plan_rank(rank_number(row));
    numbers_.add_input(row.rank);
    for (const ByteColumn& column : kByteColumns)
      numbers_.add(plan != nullptr && (plan->*column.expected).known, column.rule, row.*column.cell);
    numbers_.add(checks_.compared.hbm_percent, rank_hbm_percent, row.hbm_percent);
    numbers_.add(checks_.compared.ddr_percent, rank_ddr_percent, row.ddr_percent);
    add_perf(
        row.perf, plan != nullptr && plan->expected_perf.known, [](std::size_t) { return rank_perf; }, numbers_);
  }

  const Checks& checks_;
  NumberCounts numbers_;
  RuleId imbalance_ = imbalance_perf;  // of the section that lines are in
};

}  // namespace

Coverage NumberCounts::coverage() const {
  Coverage all = others_;
  for (std::size_t rule = 0; rule < by_rule_.size(); ++rule) {
    const auto [inputs, derived] = by_rule_[rule];
    all.inputs += inputs;
    all.derived += derived;
    if (derived > 0) all.rules.set(rule);
  }
  return all;
}

void count_numbers_of_table(Checks& checks, const PrintedTable& row, const PlanTable* plan) {
  NumberCounts& numbers = checks.numbers_of_tables;
  const auto derived = [&](const Cell& cell, Expectation PlanTable::*expected, RuleId rule) {
    numbers.add(plan != nullptr && (plan->*expected).known, rule, cell);
  };
  const auto rule_of_part = [](std::size_t part) {
    return static_cast<RuleId>(static_cast<std::size_t>(table_perf_fwd_compute) + part);  // as in check_perf_of_table
  };
  add_perf(row.perf, plan != nullptr && plan->perf.known, rule_of_part, numbers);
  derived(row.hbm, &PlanTable::hbm, table_storage_hbm);
  derived(row.ddr, &PlanTable::ddr, table_storage_ddr);
  derived(row.ssd, &PlanTable::ssd, table_storage_ssd);
  for (const Cell* cell : {&row.pooling_factor, &row.num_poolings, &row.features, &row.emb_dim, &row.hash_size})
    numbers.add_input(*cell);
  if (row.cache_load_factor.text != "None" && is_number(row.cache_load_factor.text))
    numbers.add_input(row.cache_load_factor);
  if (row.batch_sizes.text != "n/a") numbers.add_input(row.batch_sizes);
  if (row.batch_sizes && row.features) numbers.mark(table_batch_sizes);
  numbers.add(checks.rows_complete, table_num_indices, row.num_indices);
  numbers.add(checks.rows_complete, table_cw_dim, row.cw_dim);
  if (row.ranks.text != "None" && row.ranks.text != "[]") numbers.add(checks.rows_complete, table_ranks, row.ranks);
}

Coverage cover(const Checks& checks) { return Counter(checks).count(); }

}  // namespace shardstats::analysis
