// explain kernel:NAME and plan: sums over many tables.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "analysis/checks.h"
#include "analysis/explain_parts.h"
#include "analysis/kernel_sums.h"
#include "analysis/lines.h"
#include "analysis/statistics.h"

namespace shardstats::explain_detail {
namespace {

// "4 tables on 2 ranks"
std::string shape_of(const PrintedPlan& printed, const Plan& plan) {
  std::string shape = !plan.tables.empty() || plan.empty ? plural(static_cast<double>(plan.tables.size()), "table")
                                                         : "tables that are not printed";
  if (printed.ranks.printed || plan.empty)
    shape += " on " + plural(static_cast<double>(plan.setting.world_size), "rank");
  return shape;
}

// Sum over all shards of a table. Bounds are the plan's: over every choice that the log allows, not only the shown one.
Step table_step(const Context& context, std::uint32_t t, const Memory& memory, const TracedTable& shards) {
  const PlanTable& table = context.plan.tables[t];
  double nominal = 0;
  for (const ShardClass& c : shards.classes) nominal += (c.storage.*memory.storage).nominal * c.count();
  const RealInterval bounds = real(context.plan.total_of(table, memory.shard, table.*memory.table));
  Step step = value_step(name_of(context, t), std::clamp(nominal, bounds.low, bounds.high), bounds);
  step.formula = form_of(FormulaId::table_sum).name;
  const PrintedTable& row = context.printed.tables.rows[table.row];
  step.note = std::string(row.sharding.text) + ", " + plural(static_cast<double>(table.shard_count), "shard");
  if (const Cell& cell = row.*memory.cell) step.printed = cell;
  return step;
}

Cell kernel_cell(const Context& context, std::string_view kernel, const Memory& memory) {
  for (const auto slots : analysis::lines_of(context.printed, LineId::kernel_storage))
    if (slots[0].text == kernel && static_cast<std::size_t>(memory.slot) < slots.size())
      return slots[static_cast<std::size_t>(memory.slot)];
  return {};
}

Expectation expected_of(const Context& context, std::string_view kernel, const Memory& memory) {
  const PlanKernel* rebuilt = analysis::kernel_of(context.plan, kernel);
  return rebuilt != nullptr ? rebuilt->*memory.kernel : Expectation{};
}

// Tables of the plan summed by a word of their printed row.
class Groups {
 public:
  void add(std::string_view name, const Step& table) {
    auto found = std::find_if(groups_.begin(), groups_.end(), [&](const Step& s) { return s.label == name; });
    if (found == groups_.end()) {
      groups_.push_back(value_step(std::string(name), 0, {}));
      counts_.push_back(0);
      found = groups_.end() - 1;
    }
    found->value.nominal += table.value.nominal;
    found->value.bounds = found->value.bounds + table.value.bounds;
    ++counts_[static_cast<std::size_t>(found - groups_.begin())];
  }
  std::vector<Step> steps() {
    for (std::size_t i = 0; i < groups_.size(); ++i) groups_[i].note = plural(static_cast<double>(counts_[i]), "table");
    sort_by_size(groups_);
    return std::move(groups_);
  }

 private:
  std::vector<Step> groups_;
  std::vector<std::int64_t> counts_;
};

// What all ranks hold, by what is known of each of them.
struct AllRanks {
  RealInterval all = kUnknown, sparse = kUnknown;
  static constexpr RealInterval kUnknown{0, std::numeric_limits<double>::infinity()};
};

RealInterval added_up(const std::vector<RealInterval>& ranks) {
  return std::accumulate(ranks.begin(), ranks.end(), RealInterval{});
}

// Of shards alone, unless the sum of a rank is in doubt.
RealInterval sparse_of_ranks(const Plan& plan, ByteInterval PlanRank::*sparse, Expectation PlanRank::*whole) {
  RealInterval sum{};
  for (const PlanRank& rank : plan.ranks) {
    if (!(rank.*whole).known || (rank.*whole).contradicted) return AllRanks::kUnknown;
    sum = sum + real(rank.*sparse);
  }
  return sum;
}

AllRanks all_ranks(const Context& context, const Memory& memory) {
  if (memory.name == "SSD" || !analysis::has_all_ranks(context.printed)) return {};
  const analysis::RankValues values = analysis::rank_values(context.printed, context.plan);
  if (!values.known || values.ranks() == 0) return {};
  if (memory.name == "HBM")
    return {added_up(values[analysis::Quantity::hbm]),
            sparse_of_ranks(context.plan, &PlanRank::sparse_hbm, &PlanRank::expected_hbm)};
  return {added_up(values[analysis::Quantity::ddr]),
          sparse_of_ranks(context.plan, &PlanRank::sparse_ddr, &PlanRank::expected_ddr)};
}

// So that the sum over the tables is one over the ranks.
bool knows_all_tables(const Context& context) {
  return analysis::has_all_tables(context.printed, context.plan) &&
         std::ranges::all_of(context.plan.tables, &PlanTable::sized);
}

// The ranks hold as much, whatever the parts add up to.
void match_ranks(const Context& context, RealInterval ranks, Step& sum) {
  if (!std::isfinite(ranks.high)) return;
  const Amount whole{std::round(middle(ranks)), ranks, sum.value.unit};
  if (!knows_all_tables(context))
    add_unexplained(whole, "tables that are lost or were not rebuilt", sum);
  else if (!ranks.overlaps(sum.value.bounds))
    add_unexplained(whole, "the ranks add up to something else", sum);
  else
    narrow_step(ranks, sum);
}

// The sum over the ranks is the last of `steps` then. Returns what the shards have of it.
Amount add_total(const Context& context, const Memory& memory, RealInterval ranks, const Amount& sparse,
                 std::vector<Step>& steps) {
  const auto world = static_cast<double>(context.plan.setting.world_size);
  const bool hbm = memory.name == "HBM";
  std::vector<Step> children = {value_step("shards", sparse.nominal, sparse.bounds)};
  const bool is_told = std::ranges::any_of(
      context.printed.ranks.rows, [=](const PrintedRank& row) { return static_cast<bool>(hbm ? row.hbm : row.ddr); });
  bool is_hidden = false;
  for (Step& one : reserved(context, memory)) {
    if (!one.printed && !is_told) {  // bounds are all that the memory holds
      is_hidden = true;
      continue;
    }
    one.value.nominal *= world;
    one.value.bounds = one.value.bounds * exactly(world);
    one.label += ", all ranks";
    one.formula = {};
    one.note.clear();
    children.push_back(std::move(one));
  }
  Step sum = sum_of(std::string(memory.name) + " of all ranks", FormulaId::total, std::move(children));
  if (is_hidden) sum.note = "without dense modules and KJT: there is no memory of ranks that would tell them";
  match_ranks(context, ranks, sum);
  for (Step& child : sum.children)
    for (const std::string_view label : {kDense, kKjt})
      if (child.label == std::string(label) + ", all ranks") {
        child.expression = std::string(label) + " * W";
        child.substituted = number_text(child.value.nominal / world) + " * " + number_text(world);
      }
  set_shares(sum);
  steps.push_back(std::move(sum));
  return steps.back().children.front().value;
}

// As `explain kernel:NAME` has it.
void use_cell_of_kernel(const Context& context, const Memory& memory, Step& kernel) {
  kernel.formula = form_of(FormulaId::kernel_sum).name;
  const Cell cell = kernel_cell(context, kernel.label, memory);
  if (!cell) return;
  kernel.printed = cell;
  const auto printed = analysis::printed_bounds(cell, CellForm{}.format, CellForm{}.unit);
  const Expectation expected = expected_of(context, kernel.label, memory);
  if (printed && expected.known && !expected.contradicted) narrow_part(*printed, kernel);
}

// A memory of the whole plan, by kernel and by sharding type.
struct MemoryOfPlan {
  Groups kernels, shardings;
  Step sparse;  // of all shards
  double largest_shard = 0;
  std::uint32_t table_of_largest = 0;

  void add(const Context& context, std::uint32_t t, const Memory& memory, const TracedTable& shards) {
    const PrintedTable& row = context.printed.tables.rows[context.plan.tables[t].row];
    const Step step = table_step(context, t, memory, shards);
    kernels.add(row.kernel.text, step);
    shardings.add(row.sharding.text, step);
    sparse.value.nominal += step.value.nominal;
    sparse.value.bounds = sparse.value.bounds + step.value.bounds;
    if (const double bytes = largest_nominal(shards, memory); bytes > largest_shard)
      largest_shard = bytes, table_of_largest = t;
  }

  void explain(const Context& context, const Memory& memory, Explained& explained) {
    const AllRanks ranks = all_ranks(context, memory);
    const std::string all = std::string(memory.name) + " of all shards by ";
    std::vector<Step> parts = kernels.steps();
    for (Step& kernel : parts) use_cell_of_kernel(context, memory, kernel);
    Step by_kernel = sum_of(all + "kernel", FormulaId::total, std::move(parts));
    Step by_sharding = sum_of(all + "sharding type", FormulaId::total, shardings.steps());
    narrow_part(by_kernel.value.bounds, sparse);
    if (knows_all_tables(context)) narrow_part(ranks.sparse, sparse);
    sparse.value = add_total(context, memory, ranks.all, sparse.value, explained.steps);
    for (Step* sum : {&by_kernel, &by_sharding}) {
      narrow_step(sparse.value.bounds, *sum, sparse.value.nominal);
      set_shares(*sum);
      explained.steps.push_back(std::move(*sum));
    }
    if (largest_shard > 0)
      explained.facts.push_back("Largest shard: " + number_text(largest_shard) + " B of " + std::string(memory.name) +
                                ", of " + name_of(context, table_of_largest));
  }
};

}  // namespace

Explained explain_kernel(const Context& context, std::string_view kernel) {
  Explained explained{"kernel:" + std::string(kernel), "kernel"};
  std::array<std::vector<Step>, 3> tables;
  Components components;
  for (std::uint32_t t = 0; t < context.plan.tables.size(); ++t) {
    if (context.printed.tables.rows[context.plan.tables[t].row].kernel.text != kernel) continue;
    const TracedTable shards = traced(context, t);
    for (std::size_t m = 0; m < tables.size(); ++m) {
      Step step = table_step(context, t, memories()[m], shards);
      if (step.value.nominal > 0 || step.value.bounds.high > 0 || m == 0) tables[m].push_back(std::move(step));
      for (const ShardClass& c : shards.classes)
        components.add(c.storage.*memories()[m].storage, memories()[m].name, c.count(), false);
    }
  }
  explained.facts.push_back(plural(static_cast<double>(tables[0].size()), "table"));
  for (std::size_t m = 0; m < tables.size(); ++m) {
    const Cell cell = kernel_cell(context, kernel, memories()[m]);
    const Expectation expected = expected_of(context, kernel, memories()[m]);
    if (tables[m].empty() && !cell) continue;
    if ((tables[m].empty() && !expected.known) || !context.plan.sized) {
      if (cell)
        explained.steps.push_back(printed_step(std::string(memories()[m].name) + " of kernel " + std::string(kernel),
                                               cell, "as printed, not rebuilt"));
      continue;
    }
    sort_by_size(tables[m]);
    Step sum = sum_of(std::string(memories()[m].name) + " of kernel " + std::string(kernel), FormulaId::kernel_sum,
                      std::move(tables[m]));
    const RealInterval known = sum.value.bounds;
    const std::size_t first = explained.steps.size();
    add_with_cell(std::move(sum), expected.contradicted, known, cell, explained.steps);
    components.add_rest(explained.steps[first], memories()[m].name);
  }
  explained.components = components.rows();
  if (!context.plan.sized) explained.notes.push_back(not_sized(context.plan));
  return explained;
}

Explained explain_plan(const Context& context) {
  Explained explained{"plan", "plan"};
  explained.facts.push_back(shape_of(context.printed, context.plan));
  std::array<MemoryOfPlan, 3> memory;
  Components components;
  for (std::uint32_t t = 0; t < context.plan.tables.size(); ++t) {
    const TracedTable shards = traced(context, t);
    for (std::size_t m = 0; m < memory.size(); ++m) {
      memory[m].add(context, t, memories()[m], shards);
      for (const ShardClass& c : shards.classes)
        components.add(c.storage.*memories()[m].storage, memories()[m].name, c.count(), false);
    }
  }
  for (std::size_t m = 0; m < memory.size(); ++m) {
    const bool is_used = memory[m].sparse.value.bounds.high > 0 || m == 0;
    if (!context.plan.sized || !is_used) continue;
    memory[m].explain(context, memories()[m], explained);
    components.add_rest(memory[m].sparse, memories()[m].name);
  }
  explained.components = components.rows();
  if (!context.plan.sized) explained.notes.push_back(not_sized(context.plan));
  return explained;
}

}  // namespace shardstats::explain_detail
