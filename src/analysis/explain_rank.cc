// explain rank:N: the memory and perf of a rank, shard by shard.
#include <algorithm>
#include <iterator>

#include "analysis/explain_parts.h"

namespace shardstats::explain_detail {
namespace {

struct RankMemory {
  std::string_view name;
  const Memory& memory;
  Cell cell, percent;
  const Expectation& expected;
  ByteInterval known;
  int slot;
};

// The shards of a table on the rank, each a step.
void add_shards(const Context& context, std::uint32_t t, int rank, const Memory& memory, std::vector<Step>& steps,
                Components& components) {
  const PlanTable& table = context.plan.tables[t];
  if (context.plan.shards_on(table, rank) == 0) return;
  const TracedTable shards = traced(context, t);
  for (const ShardClass& c : shards.classes) {
    double here = 0;
    for (const PlanShard* shard : c.shards) {
      if (shard->rank != rank) continue;
      ++here;
      const RealInterval bounds = real(shard->sizes->*memory.shard);
      const double nominal = std::clamp((c.storage.*memory.storage).nominal, bounds.low, bounds.high);
      if (nominal == 0 && bounds.high == 0) continue;
      Step step = value_step(name_of(context, t), nominal, bounds);
      step.formula = form_of(memory.formula).name;
      step.note = std::string(context.printed.tables.rows[table.row].sharding.text) + " shard " +
                  std::to_string(shard->index) + ", " + shape_text(*shard->sizes);
      steps.push_back(std::move(step));
    }
    if (here > 0) components.add(c.storage.*memory.storage, memory.name, here, false);
  }
}

CellForm rank_form(const Context& context) { return {context.printed.format_of(RoundedNumbers::rank_memory)}; }

// Percent of the planning memory, and what it leaves.
void add_headroom(const Context& context, const RankMemory& m, const Step& used, std::vector<Step>& steps) {
  const Cell planning = context.printed.slot(LineId::planning_memory, static_cast<std::size_t>(m.slot));
  if (!planning || number_of(planning.text) <= 0) return;
  Step whole = printed_step("planning memory", planning, "");
  whole.note.clear();
  const Amount a = used.narrowed.value_or(used.value), b = whole.value;
  Step percent = value_step("share of the planning memory", a.nominal / b.nominal * 100,
                            {a.bounds.low / b.bounds.high * 100, a.bounds.high / b.bounds.low * 100}, "percent");
  percent.formula = form_of(FormulaId::percent).name;
  percent.expression = std::string(m.name) + " / planning memory * 100";
  percent.substituted = number_text(a.nominal) + " / " + number_text(b.nominal) + " * 100";
  if (m.percent) percent.printed = m.percent;
  Step left = value_step("left of the planning memory", b.nominal - a.nominal, b.bounds - a.bounds);
  left.expression = "planning memory - " + std::string(m.name);
  left.substituted = number_text(b.nominal) + " - " + number_text(a.nominal);
  steps.push_back(std::move(whole));
  steps.push_back(std::move(percent));
  steps.push_back(std::move(left));
}

// Without rebuilt shards the printed cell is all there is.
void add_printed_rank(const Context& context, int rank, const RankMemory& m, std::vector<Step>& steps) {
  if (!m.cell) return;
  Step printed = printed_step(std::string(m.name) + " of rank " + std::to_string(rank), m.cell,
                              "as printed, not rebuilt", rank_form(context));
  steps.push_back(printed);
  add_headroom(context, m, printed, steps);
}

void add_rank_memory(const Context& context, int rank, const RankMemory& m, Explained& explained,
                     Components& components) {
  if (!context.plan.sized || !m.expected.known) return add_printed_rank(context, rank, m, explained.steps);
  std::vector<Step> children;
  for (std::uint32_t t = 0; t < context.plan.tables.size(); ++t)
    add_shards(context, t, rank, m.memory, children, components);
  sort_by_size(children);
  const std::size_t shards = children.size();
  std::ranges::move(reserved(context, m.memory), std::back_inserter(children));
  Step sum = sum_of(std::string(m.name) + " of rank " + std::to_string(rank), FormulaId::rank_sum, std::move(children));
  sum.note =
      plural(static_cast<double>(shards), "shard") + (sum.children.size() > shards ? ", dense modules and KJT" : "");
  if (sum.value.nominal <= 0 && !m.expected.contradicted && m.name != "HBM") return;
  const std::size_t first = explained.steps.size();
  add_with_cell(std::move(sum), m.expected.contradicted, real(m.known), m.cell, explained.steps, rank_form(context));
  const Step root = explained.steps[first];
  for (std::size_t i = shards; i < root.children.size(); ++i)
    for (const std::string_view label : {kDense, kKjt})
      if (root.children[i].label == label) components.add(label, m.name, 0, root.children[i].value.nominal);
  components.add_rest(root, m.name);
  add_headroom(context, m, root, explained.steps);
}

}  // namespace

Explained explain_rank(const Context& context, int rank) {
  Explained explained{"rank:" + std::to_string(rank), "rank"};
  const Plan& plan = context.plan;
  const auto found = std::ranges::find(plan.ranks, rank, &PlanRank::rank);
  const auto index = static_cast<std::size_t>(found - plan.ranks.begin());
  static const PrintedRank kNone{};
  const PrintedRank& row = index < context.printed.ranks.rows.size() ? context.printed.ranks.rows[index] : kNone;
  if (!plan.sized) explained.notes.push_back(not_sized(plan));
  if (row.shards) explained.facts.push_back("Shards as printed: " + std::string(row.shards.text));
  Components components;
  const RankMemory hbm{"HBM", memories()[0], row.hbm, row.hbm_percent, found->expected_hbm, found->hbm, 0};
  const RankMemory ddr{"DDR", memories()[1], row.ddr, row.ddr_percent, found->expected_ddr, found->ddr, 1};
  add_rank_memory(context, rank, hbm, explained, components);
  add_rank_memory(context, rank, ddr, explained, components);
  add_rank_perf(context, rank, explained);
  explained.components = components.rows();
  return explained;
}

}  // namespace shardstats::explain_detail
