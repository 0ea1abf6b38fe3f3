#include "analysis/recompute.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "analysis/statistics.h"

namespace shardstats::analysis {
namespace {

using Facts = TableFacts<RealInterval>;

ShardFacts<RealInterval> shape_of(const PlanShard& shard) {
  const Emptiness empty = shard.rows.high == 0 || shard.cols.high == 0 ? Emptiness::yes
                          : shard.rows.low == 0 || shard.cols.low == 0 ? Emptiness::unknown
                                                                       : Emptiness::no;
  return {real(shard.rows), real(shard.cols), empty};
}

// What a change makes of the operands of one table; nothing: it stays as it is.
using ChangeFacts = std::function<std::optional<Facts>(const PlanTable&, std::size_t facts, const Setting&)>;

// One value for each different shape among the shards of a table.
class ByShape {
 public:
  template <class Compute>
  RealInterval of(const PlanShard& shard, Compute compute) {
    for (const auto& [known, value] : values_)
      if (known->rows == shard.rows && known->cols == shard.cols) return value;
    values_.emplace_back(&shard, compute());
    return values_.back().second;
  }

 private:
  std::vector<std::pair<const PlanShard*, RealInterval>> values_;
};

void add(int rank, RealInterval bytes, std::vector<RealInterval>& by_rank) {
  RealInterval& sum = by_rank[static_cast<std::size_t>(rank)];
  sum = sum + bytes;
}

// Adds what each rank loses of one table's HBM when all of its shards stay where they are.
// `possible`: possible_facts() under `before`.
void add_fall(const Plan& plan, const PlanTable& table, const std::vector<std::size_t>& possible, const Setting& before,
              const Setting& after, const ChangeFacts& change, std::vector<RealInterval>& fall) {
  struct Reading {
    Facts before, after;
    ByShape values;
  };
  const auto changed = [&](std::size_t i) { return change ? change(table, i, before) : std::nullopt; };
  if (before == after) {
    std::size_t i = 0;
    while (i < table.facts.size() && !changed(i)) ++i;
    if (i == table.facts.size()) return;
  }
  std::vector<Reading> readings;
  for (const std::size_t i : possible) readings.push_back({table.facts[i], changed(i).value_or(table.facts[i]), {}});
  for (const PlanShard& shard : plan.shards_of(table)) {
    std::optional<RealInterval> all;
    for (Reading& r : readings) {
      const RealInterval one = r.values.of(
          shard, [&] { return storage_of(before, r.before, shard).hbm - storage_of(after, r.after, shard).hbm; });
      all = all ? hull(*all, one) : one;
    }
    if (shard.rank && all) add(*shard.rank, *all, fall);
  }
}

// The same when the table is split by rows over all ranks instead.
void add_fall_by_rows(const Plan& plan, const PlanTable& table, const Setting& setting,
                      std::vector<RealInterval>& fall) {
  std::vector<RealInterval> after(fall.size());
  bool first = true;
  for (const std::size_t i : possible_facts(plan, table, setting)) {
    Facts facts = table.facts[i];
    facts.sharding = Sharding::rw;
    std::size_t rank = 0;
    for (const ShapeRun& run : even_row_runs({table.rows, table.cols}, static_cast<std::int64_t>(fall.size()))) {
      PlanShard shard;
      shard.rows = {run.shape.rows, run.shape.rows};
      shard.cols = {run.shape.cols, run.shape.cols};
      const RealInterval hbm = storage_of(setting, facts, shard).hbm;
      for (std::int64_t n = 0; n < run.count && rank < after.size(); ++n, ++rank)
        after[rank] = first ? hbm : hull(after[rank], hbm);
    }
    first = false;
  }
  for (std::size_t rank = 0; rank < fall.size(); ++rank) fall[rank] = fall[rank] - after[rank];
  for (const PlanShard& shard : plan.shards_of(table))
    if (shard.rank) add(*shard.rank, real(shard.hbm), fall);
}

class Changes {
 public:
  Changes(const PrintedPlan& printed, const Plan& plan, int peak) : printed_(printed), plan_(plan), peak_(peak) {
    settings_.push_back(plan.setting);
    settings_.insert(settings_.end(), plan.alternatives.begin(), plan.alternatives.end());
    for (const Setting& setting : settings_) {
      auto& of_tables = possible_.emplace_back();
      for (const PlanTable& table : plan.tables) of_tables.push_back(possible_facts(plan, table, setting));
    }
  }

  std::vector<StandardChange> all() {
    half_batch();
    half_weights();
    rowwise_optimizer();
    leaner_pipeline();
    for_largest_table();
    return std::move(changes_);
  }

 private:
  using ChangeSetting = std::function<Setting(const Setting&)>;

  std::vector<RealInterval> falls(const ChangeFacts& facts, const ChangeSetting& setting = {}) const {
    std::vector<RealInterval> all;
    for (std::size_t s = 0; s < settings_.size(); ++s) {
      const Setting& before = settings_[s];
      std::vector<RealInterval> fall(plan_.ranks.size());
      for (std::size_t t = 0; t < plan_.tables.size(); ++t)
        add_fall(plan_, plan_.tables[t], possible_[s][t], before, setting ? setting(before) : before, facts, fall);
      for (std::size_t r = 0; r < all.size(); ++r) all[r] = hull(all[r], fall[r]);
      if (all.empty()) all = std::move(fall);
    }
    return all;
  }

  void half_batch() {
    const auto batch = parse_integer(printed_.slot(LineId::batch_size).text);
    if (!batch || *batch < 2) return;
    const std::int64_t half = *batch / 2;
    const RealInterval factor = exactly(static_cast<double>(half) / static_cast<double>(*batch));
    auto fall = falls([&](const PlanTable& table, std::size_t i, const Setting&) {
      Facts facts = table.facts[i];
      facts.lookups = facts.lookups * factor;
      facts.pooled = facts.pooled * factor;
      facts.batch = facts.batch * factor;
      return std::optional(facts);
    });
    const RealInterval kjt = kjt_fall(factor.low);
    for (RealInterval& rank : fall) rank = rank + kjt;
    changes_.push_back({"batch_size=" + std::to_string(half), std::move(fall)});
  }

  // KJT is M * ceil(8 Q) with Q in proportion to the batch and M at most 20 (storage-model.md section 8.2).
  RealInterval kjt_fall(double factor) const {
    constexpr double kLargestMultiplier = 20;
    if (!plan_.setting.rules->counts_reservation) return {};
    const RealInterval now = real(plan_.kjt_hbm);
    if (now.high <= 0) return {};
    return {now.low * (1 - factor) - kLargestMultiplier, now.high * (1 - factor) + kLargestMultiplier};
  }

  void half_weights() {
    constexpr double kWide = 4, kNarrow = 2;
    if (std::ranges::none_of(plan_.tables, [](const PlanTable& t) { return t.choice.element_size == kWide; })) return;
    changes_.push_back({"dtype=fp16", falls([&](const PlanTable& table, std::size_t i, const Setting&) {
                          Facts facts = table.facts[i];
                          if (facts.element_size.low != kWide) return std::optional<Facts>();
                          if (facts.output_element_size == facts.element_size)
                            facts.output_element_size = exactly(kNarrow);
                          facts.element_size = exactly(kNarrow);
                          return std::optional(facts);
                        })});
  }

  void rowwise_optimizer() {
    if (plan_.setting.rules->optimizer != OptimizerRule::by_class || counts_as_inference(plan_.setting)) return;
    const auto multiplier = [](const PlanTable& table, const Setting& setting) {
      return optimizer_multiplier(*setting.rules, Optimizer::rowwise_adagrad, table.sharding, *table.kernel,
                                  static_cast<double>(table.cols));
    };
    changes_.push_back(
        {"optimizer=rowwise_adagrad", falls([&](const PlanTable& table, std::size_t i, const Setting& setting) {
           Facts facts = table.facts[i];
           const double m = multiplier(table, setting);
           if (facts.optimizer_multiplier.high <= m) return std::optional<Facts>();
           facts.optimizer_multiplier = exactly(m);
           return std::optional(facts);
         })});
  }

  void leaner_pipeline() {
    const Pipeline now = plan_.setting.pipeline;
    const Pipeline next = now == Pipeline::train_prefetch_sparse_dist ? Pipeline::train_sparse_dist : Pipeline::none;
    if (now == Pipeline::none || now == Pipeline::train_base) return;
    changes_.push_back({"pipeline=" + std::string(name(next)), falls({}, [&](Setting setting) {
                          setting.pipeline = next;
                          return setting;
                        })});
  }

  const PlanTable* largest_on_peak() const {
    const PlanTable* largest = nullptr;
    RealInterval most{};
    for (const PlanTable& table : plan_.tables) {
      RealInterval here{};
      for (const PlanShard& shard : plan_.shards_of(table))
        if (shard.rank == peak_) here = here + real(shard.hbm);
      if (here.high > most.high) most = here, largest = &table;
    }
    return largest;
  }

  void for_largest_table() {
    const PlanTable* largest = largest_on_peak();
    if (largest == nullptr) return;
    const std::string fqn(printed_.tables.rows[largest->row].fqn.text);
    const auto only = [&](const ChangeFacts& facts) {
      return falls([&, largest](const PlanTable& table, std::size_t i, const Setting& setting) {
        return &table == largest ? facts(table, i, setting) : std::nullopt;
      });
    };
    if (const KernelTraits* cached = find_kernel("fused_uvm_caching");
        largest->kernel->name == "fused" && plan_.setting.device == Device::cuda)
      changes_.push_back(
          {fqn + ".kernel=fused_uvm_caching", only([&](const PlanTable& table, std::size_t i, const Setting&) {
             Facts facts = table.facts[i];
             facts.kernel = cached;
             facts.caching_ratio = exactly(kDefaultCachingRatio);
             return std::optional(facts);
           })});
    if (largest->sharding == Sharding::tw || largest->sharding == Sharding::cw || largest->sharding == Sharding::twcw)
      by_rows(*largest, fqn);
  }

  void by_rows(const PlanTable& table, const std::string& fqn) {
    std::vector<RealInterval> all;
    for (const Setting& setting : settings_) {
      std::vector<RealInterval> fall(plan_.ranks.size());
      add_fall_by_rows(plan_, table, setting, fall);
      for (std::size_t r = 0; r < all.size(); ++r) all[r] = hull(all[r], fall[r]);
      if (all.empty()) all = std::move(fall);
    }
    changes_.push_back({fqn + ".sharding=RW", std::move(all)});
  }

  const PrintedPlan& printed_;
  const Plan& plan_;
  int peak_;
  std::vector<Setting> settings_;
  std::vector<std::vector<std::vector<std::size_t>>> possible_;  // facts by setting and table
  std::vector<StandardChange> changes_;
};

// Are all shards rebuilt, on ranks that have a row?
bool is_complete(const Plan& plan) {
  const auto usable = [&](const PlanTable& table) {
    const auto placed = [&](const PlanShard& shard) {
      return shard.rank && static_cast<std::size_t>(*shard.rank) < plan.ranks.size();
    };
    return table.sized && table.explained && !table.facts.empty() && std::ranges::all_of(plan.shards_of(table), placed);
  };
  return plan.sized && !plan.missing && !plan.tables.empty() && std::ranges::all_of(plan.tables, usable);
}

}  // namespace

ShardStorage<RealInterval> storage_of(const Setting& setting, const TableFacts<RealInterval>& facts,
                                      const PlanShard& shard) {
  return shard_storage(setting, facts, shape_of(shard));
}

std::vector<std::size_t> possible_facts(const Plan& plan, const PlanTable& table, const Setting& setting) {
  if (table.facts.size() == 1) return {0};
  const auto explains = [&](std::size_t i) {
    RealInterval hbm{}, ddr{};
    ByShape hbm_of, ddr_of;
    for (const PlanShard& shard : plan.shards_of(table)) {
      hbm = hbm + hbm_of.of(shard, [&] { return storage_of(setting, table.facts[i], shard).hbm; });
      ddr = ddr + ddr_of.of(shard, [&] { return storage_of(setting, table.facts[i], shard).ddr; });
    }
    return hbm.overlaps(real(table.hbm.bytes)) && ddr.overlaps(real(table.ddr.bytes));
  };
  std::vector<std::size_t> possible;
  for (std::size_t i = 0; i < table.facts.size(); ++i)
    if (explains(i)) possible.push_back(i);
  if (possible.empty()) possible.push_back(0);
  return possible;
}

std::vector<StandardChange> standard_changes(const PrintedPlan& printed, const Plan& plan, int peak) {
  if (!is_complete(plan)) return {};
  return Changes(printed, plan, peak).all();
}

}  // namespace shardstats::analysis
