// explain TABLE and table:NAME@rank:N: the shards of one table.
#include <algorithm>

#include "analysis/explain_parts.h"
#include "shardstats/log/lost_columns.h"

namespace shardstats::explain_detail {
namespace {

// The tree of one shard; an amount of zero has no tree.
Step shard_step(const Context& context, const Memory& memory, const TracedTable& table, const ShardClass& c) {
  const Traced& storage = c.storage.*memory.storage;
  if (storage.node) return step_of(context, *storage.node, table.operands);
  return empty_step(memory.formula);
}

// "ranks 0-94: 833,334 x 128"
std::string ranks_and_shape(const Context& context, const PlanTable& table, const ShardClass& c) {
  std::vector<const PlanShard*> shards = c.shards;
  const bool any = table.row_split == RowSplitKind::in_any_order;
  if (any) {
    shards.clear();
    for (const PlanShard& shard : context.plan.shards_of(table)) shards.push_back(&shard);
  }
  return (any ? "any of " : "") + rank_list(shards) + ": " + shape_text(with_rows(*c.shards.front()->sizes, c.rows));
}

Step sum_of_classes(const Context& context, std::uint32_t t, const Memory& memory, const TracedTable& table) {
  std::vector<Step> classes;
  std::size_t shards = 0;
  for (const ShardClass& c : table.classes) {
    shards += c.shards.size();
    classes.push_back(class_step(memory.name, shard_step(context, memory, table, c), c.shards.size(),
                                 ranks_and_shape(context, context.plan.tables[t], c), table.classes.size() == 1));
  }
  return sum_of_shards(memory.name, FormulaId::table_sum, std::move(classes), shards);
}

void add_facts(const Context& context, std::uint32_t t, Explained& explained) {
  const PlanTable& table = context.plan.tables[t];
  const PrintedTable& row = context.printed.tables.rows[table.row];
  std::string line = std::string(row.sharding.text) + ", " + std::string(row.kernel.text);
  if (table.rows > 0)
    line += ", " + number_text(static_cast<double>(table.rows)) + " rows x " +
            number_text(static_cast<double>(table.cols)) + " columns";
  if (row.output) line += ", " + std::string(row.output.text);
  if (table.shard_count > 0) line += ", " + plural(table.shard_count, "shard");
  explained.facts.push_back(std::move(line));
  if (!table.explained)
    explained.facts.emplace_back("No choice of hidden inputs gives the printed storage; the nearest one is shown.");
}

bool is_used(const TracedTable& table, const Memory& memory, const Expectation& e) {
  return e.contradicted || largest_nominal(table, memory) > 0;
}

void add_components(const TracedTable& table, const Memory& memory, Components& components) {
  const double most = largest_nominal(table, memory);
  bool found = false;
  for (const ShardClass& c : table.classes) {
    const Traced& storage = c.storage.*memory.storage;
    const bool largest = !found && storage.nominal == most;
    found = found || largest;
    components.add(storage, memory.name, c.count(), largest);
  }
}

CellForm storage_form(const Context& context) { return {context.printed.format_of(RoundedNumbers::table_storage)}; }

// Without sizes only the printed cells can be shown.
void add_printed_only(const Context& context, const PrintedTable& row, Explained& explained) {
  for (const Memory& memory : memories())
    if (const Cell& cell = row.*memory.cell)
      explained.steps.push_back(
          printed_step(std::string(memory.name) + " of all shards", cell, "not rebuilt", storage_form(context)));
  explained.notes.emplace_back(
      "The log does not print everything the formulas need for this table, so its shards were not rebuilt.");
  if (const ColumnForm* lost = lost_column_of_sizes(context.printed))
    explained.notes.push_back("The column \"" + std::string(lost->header) + "\" is lost.");
}

}  // namespace

Explained explain_table(const Context& context, std::uint32_t t) {
  const PlanTable& table = context.plan.tables[t];
  const PrintedTable& row = context.printed.tables.rows[table.row];
  Explained explained{std::string(row.fqn.text), "table"};
  add_facts(context, t, explained);
  const TracedTable shards = traced(context, t);
  if (shards.classes.empty()) {
    add_printed_only(context, row, explained);
    return explained;
  }
  Components components;
  for (const Memory& memory : memories()) {
    const Expectation& e = table.*memory.table;
    if (!is_used(shards, memory, e) && memory.name != "HBM") continue;
    const std::size_t first = explained.steps.size();
    Step sum = sum_of_classes(context, t, memory, shards);
    const RealInterval known = real(context.plan.total_of(table, memory.shard, e));  // whatever explains them
    add_other_explanations(known, sum);
    add_with_cell(std::move(sum), e.contradicted, known, row.*memory.cell, explained.steps, storage_form(context));
    add_components(shards, memory, components);
    components.add_rest(explained.steps[first], memory.name);
  }
  add_table_perf(context, t, explained);
  explained.components = components.rows();
  explained.notes = notes_on(context, t, shards);
  return explained;
}

Explained explain_shard(const Context& context, std::uint32_t t, int rank) {
  Explained explained{"table:" + std::string(fqn_of(context, t)) + "@rank:" + std::to_string(rank), "table@rank"};
  add_facts(context, t, explained);
  const TracedTable shards = traced(context, t);
  Components components;
  for (const ShardClass& c : shards.classes) {
    double here = 0;
    const PlanShard* shown = nullptr;
    for (const PlanShard* shard : c.shards)
      if (shard->rank == rank) ++here, shown = shard;
    if (shown == nullptr) continue;
    for (const Memory& memory : memories()) {
      if ((c.storage.*memory.storage).nominal == 0 && memory.name != "HBM") continue;
      Step step = shard_step(context, memory, shards, c);
      step.label =
          std::string(memory.name) + " of shard " + std::to_string(shown->index) + ", " + shape_text(*shown->sizes);
      if (here > 1) step.label += " (" + number_text(here) + " such shards on the rank)";
      add_other_explanations(real(shown->sizes->*memory.shard), step);
      narrow_step(real(shown->sizes->*memory.shard), step);
      set_shares(step);
      explained.steps.push_back(std::move(step));
      components.add(c.storage.*memory.storage, memory.name, here, true);
    }
  }
  add_shard_perf(context, t, rank, explained);
  explained.components = components.rows();
  if (shards.classes.empty())
    add_printed_only(context, context.printed.tables.rows[context.plan.tables[t].row], explained);
  else
    explained.notes = notes_on(context, t, shards);
  return explained;
}

}  // namespace shardstats::explain_detail
