// The shards of a table, read through the formulas.
#include <algorithm>

#include "analysis/explain_facts.h"
#include "shardstats/numbers/printed.h"
#include "shardstats/planner/shapes.h"

namespace shardstats::explain_detail {

namespace {

// By shard, as they are shown: where any may have any part, those of the order of the ranks.
std::vector<ByteInterval> rows_of_shards(const Plan& plan, const PlanTable& table) {
  std::vector<ByteInterval> rows;
  if (table.row_split == RowSplitKind::in_any_order)
    for (const ShapeRun& run : even_row_runs({table.rows, table.cols}, table.shard_count))
      rows.insert(rows.end(), static_cast<std::size_t>(run.count), exactly(run.shape.rows));
  else
    for (const PlanShard& shard : plan.shards_of(table)) rows.push_back(shard.sizes->rows);
  return rows;
}

TracedTable traced_with(const Context& context, std::uint32_t t, const Choice& choice) {
  TracedTable result;
  const PlanTable& table = context.plan.tables[t];
  Facts facts(context, t, choice, result.operands);
  const TableFacts<Traced> inputs = facts.table();
  const std::vector<ByteInterval> rows = rows_of_shards(context.plan, table);
  for (std::uint32_t i = 0; i < table.shard_count; ++i) {
    const PlanShard& shard = context.plan.shards[table.first_shard + i];
    const auto same = [&](const ShardClass& c) {
      return c.rows == rows[i] && c.shards.front()->sizes->cols == shard.sizes->cols;
    };
    const auto found = std::find_if(result.classes.begin(), result.classes.end(), same);
    if (found != result.classes.end()) {
      found->shards.push_back(&shard);
      continue;
    }
    const ShardSizes sizes = with_rows(*shard.sizes, rows[i]);
    const PlanShard shown{shard.index, shard.rank, &sizes};
    result.classes.push_back({{&shard}, rows[i], shard_storage(context.plan.setting, inputs, facts.shard(shown))});
  }
  return result;
}

bool agrees_with_cells(const Context& context, std::uint32_t t, const TracedTable& shards) {
  const PlanTable& table = context.plan.tables[t];
  for (const Memory& memory : memories()) {
    const auto printed = bytes_printed_as((context.printed.tables.rows[table.row].*memory.cell).text,
                                          context.printed.format_of(RoundedNumbers::table_storage), kGiB);
    if (!printed || (table.*memory.table).contradicted) continue;
    RealInterval sum{};
    for (const ShardClass& c : shards.classes) sum = sum + (c.storage.*memory.storage).value * exactly(c.count());
    if (!sum.overlaps(real(*printed))) return false;
  }
  return true;
}

}  // namespace

std::span<const Memory> memories() {
  using S = ShardStorage<Traced>;
  static constexpr Memory kMemories[] = {
      {"HBM", FormulaId::shard_hbm, &S::hbm, &ShardSizes::hbm, &PlanTable::hbm, &PlanKernel::hbm, &PrintedTable::hbm,
       1},
      {"DDR", FormulaId::shard_ddr, &S::ddr, &ShardSizes::ddr, &PlanTable::ddr, &PlanKernel::ddr, &PrintedTable::ddr,
       2},
      {"SSD", FormulaId::shard_ssd, &S::ssd, &ShardSizes::ssd, &PlanTable::ssd, &PlanKernel::ssd, &PrintedTable::ssd,
       3},
  };
  return kMemories;
}

Context context_of(const PrintedPlan& printed, const Plan& plan, const InferOptions& options) {
  const auto none = static_cast<std::uint32_t>(plan.assumptions.size());
  Context context{printed, plan, options, std::vector<std::uint32_t>(plan.tables.size(), none),
                  shortest_names(printed)};
  for (std::uint32_t i = 0; i < none; ++i)
    if (const auto t = plan.assumptions[i].table; t && context.first_assumption[*t] == none)
      context.first_assumption[*t] = i;
  return context;
}

// With the preferred choice, or, if its printed cells speak against it, with the first alternative they allow.
TracedTable traced(const Context& context, std::uint32_t t) {
  const PlanTable& table = context.plan.tables[t];
  if (!context.plan.sized || !table.sized || table.kernel == nullptr || table.shard_count == 0) return {};
  TracedTable preferred = traced_with(context, t, table.choice);
  if (agrees_with_cells(context, t, preferred)) return preferred;
  for (const Choice& choice : table.alternatives)
    if (TracedTable other = traced_with(context, t, choice); agrees_with_cells(context, t, other)) return other;
  return preferred;
}

double largest_nominal(const TracedTable& table, const Memory& memory) {
  double most = 0;
  for (const ShardClass& c : table.classes) most = std::max(most, (c.storage.*memory.storage).nominal);
  return most;
}

TracedPerf traced_perf(const Context& context, std::uint32_t t) {
  TracedPerf result;
  const PlanTable& table = context.plan.tables[t];
  if (!context.plan.perf.known || !table.perf.known || table.shard_count == 0) return result;
  Facts facts(context, t, table.choice, result.operands);
  const PerfSetting<Traced> setting = facts.perf_setting();
  PerfFacts<Traced> inputs = facts.perf_table();
  for (std::uint32_t i = 0; i < table.shard_count; ++i) {
    const PlanShard& shard = context.plan.shards[table.first_shard + i];
    const auto same = [&](const PerfClass& c) { return c.shards.front()->sizes->cols == shard.sizes->cols; };
    const auto found = std::find_if(result.classes.begin(), result.classes.end(), same);
    if (found != result.classes.end()) {
      found->shards.push_back(&shard);
      continue;
    }
    inputs.cols = facts.columns(shard);
    auto perf = shard_perf(setting, inputs);
    if (!perf) return {};
    if (table.perf_choice.prefetch_hidden) {
      (*perf)[PerfPart::prefetch_compute] = named(FormulaId::prefetch_compute, facts.hidden_prefetch());
      perf->total = named(FormulaId::perf_total, total_of(perf->parts));
    }
    result.classes.push_back({{&shard}, *std::move(perf)});
  }
  return result;
}

std::optional<TracedIds> traced_ids(const Context& context, std::uint32_t t) {
  const PlanTable& table = context.plan.tables[t];
  if (!table.sized || table.kernel == nullptr) return std::nullopt;
  TracedIds result;
  auto ids = Facts(context, t, table.choice, result.operands).ids();
  if (!ids) return std::nullopt;
  result.ids = *std::move(ids);
  return result;
}

}  // namespace shardstats::explain_detail
