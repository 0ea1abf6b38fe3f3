#include "analysis/standard_changes.h"

#include <algorithm>
#include <string>

#include "shardstats/numbers/printed.h"

namespace shardstats::analysis {
namespace {

// Are all shards rebuilt, on ranks that have a row?
bool is_complete(const Plan& plan) {
  const auto usable = [&](const PlanTable& table) {
    const auto placed = [&](const PlanShard& shard) {
      return shard.rank && static_cast<std::size_t>(*shard.rank) < plan.ranks.size();
    };
    return table.sized && table.explained && std::ranges::all_of(plan.shards_of(table), placed);
  };
  return plan.sized && !plan.missing && !plan.tables.empty() && std::ranges::all_of(plan.tables, usable);
}

Change of_run(Attribute attribute, std::string word) {
  Change change;
  change.attribute = attribute;
  change.text = std::string(form_of(attribute).name) + "=" + word;
  change.word = std::move(word);
  return change;
}

Change of_table(const PrintedPlan& printed, const PlanTable& table, Attribute attribute, std::string word) {
  Change change = of_run(attribute, std::move(word));
  change.tables = {table.row};
  change.text = std::string(printed.tables.rows[table.row].fqn.text) + "." + change.text;
  return change;
}

const PlanTable* largest_on(int peak, const Plan& plan) {
  const PlanTable* largest = nullptr;
  RealInterval most{};
  for (const PlanTable& table : plan.tables) {
    RealInterval here{};
    for (const PlanShard& shard : plan.shards_of(table))
      if (shard.rank == peak) here = here + real(shard.sizes->hbm);
    if (here.high > most.high) most = here, largest = &table;
  }
  return largest;
}

}  // namespace

std::vector<Change> standard_changes(const PrintedPlan& printed, const Plan& plan, int peak) {
  std::vector<Change> changes;
  if (!is_complete(plan)) return changes;
  const auto batch = parse_integer(printed.slot(LineId::batch_size).text);
  if (batch && *batch > 1) {
    changes.push_back(of_run(Attribute::batch_size, std::to_string(*batch / 2)));
    changes.back().number = static_cast<double>(*batch / 2);
  }
  if (std::ranges::any_of(plan.tables, [](const PlanTable& t) { return t.choice.element_size == 4; }))
    changes.push_back(of_run(Attribute::dtype, "fp16"));
  changes.push_back(of_run(Attribute::optimizer, std::string(name(Optimizer::rowwise_adagrad))));
  if (const Pipeline now = plan.setting.pipeline; now != Pipeline::none && now != Pipeline::train_base) {
    const bool prefetches = now == Pipeline::train_prefetch_sparse_dist;
    changes.push_back(
        of_run(Attribute::pipeline, std::string(name(prefetches ? Pipeline::train_sparse_dist : Pipeline::none))));
  }
  const PlanTable* const largest = largest_on(peak, plan);
  if (largest == nullptr) return changes;
  if (largest->kernel->name == name(Kernel::fused) && plan.setting.device == Device::cuda)
    changes.push_back(of_table(printed, *largest, Attribute::kernel, std::string(name(Kernel::fused_uvm_caching))));
  if (largest->sharding == Sharding::tw || largest->sharding == Sharding::cw || largest->sharding == Sharding::twcw)
    changes.push_back(of_table(printed, *largest, Attribute::sharding, "RW"));
  return changes;
}

}  // namespace shardstats::analysis
