#include "infer/likely_lookups.h"

#include <algorithm>
#include <array>
#include <optional>

#include "infer/feasible_point.h"

namespace shardstats::infer_detail {
namespace {

constexpr double kFixed = 1e-12;  // relative width of bounds that leave nothing open

double middle_of(RealInterval x) { return middle(x); }

// All cells are linear in both.
class LookupsSystem {
 public:
  LookupsSystem(const Inference& base, const Outcome& outcome, const std::vector<Lookups>& bounds,
                std::vector<LikelyTable>& tables)
      : base_(base),
        outcome_(outcome),
        bounds_(bounds),
        tables_(tables),
        hbm_constant_(unknown(outcome.constants.hbm)),
        ddr_constant_(unknown(outcome.constants.ddr)) {}

  LikelyLookups settle() {
    for (std::size_t t = 0; t < tables_.size(); ++t) look_at(tables_[t], bounds_[t]);
    add_cells();
    add_ranks();
    point_.solve();
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      const Unknowns& of = values_[t].unknowns;
      tables_[t].set({exactly(point_[of.lookups]), exactly(point_[of.pooled])});
    }
    LikelyLookups found{point_.worst(), outcome_.constants};
    if (hbm_constant_) found.constants.hbm = exactly(point_[*hbm_constant_]);
    if (ddr_constant_) found.constants.ddr = exactly(point_[*ddr_constant_]);
    return found;
  }

 private:
  struct Unknowns {
    std::uint32_t lookups, pooled;
  };
  // What a table takes, bytes and ms.
  struct Amounts {
    std::array<double, kCells.size()> cells{};
    std::vector<std::array<double, kQuantities>> classes;  // a shard of each
    std::array<double, kPerfCells> perf{}, shard_perf{};
  };
  // At the least S and y, and what each of both adds.
  struct Values {
    Unknowns unknowns{};
    Lookups bounds;
    Amounts least, by_lookups, by_pooled;
    bool has_perf = false;
  };

  // What ranks take besides their shards, where that is hidden.
  std::optional<std::uint32_t> unknown(RealInterval constant) {
    if (!outcome_.constants.hidden || constant.width() == 0) return std::nullopt;
    return point_.add_unknown(constant, middle(constant));
  }

  Amounts amounts(LikelyTable& table, double lookups, double pooled) const {
    table.set({exactly(lookups), exactly(pooled)});
    Amounts found;
    const CellBytes cells = cell_bytes(outcome_.setting, table.parts(), table.combo());
    std::ranges::transform(cells, found.cells.begin(), middle_of);
    for (const ClassParts& c : table.parts().classes) {
      auto& bytes = found.classes.emplace_back();
      for (const Quantity q : kRankQuantities)
        bytes[at(q)] = middle(class_bytes(outcome_.setting, c, table.combo(), q));
    }
    if (const auto perf = table.perf()) {
      std::ranges::transform(perf->cells, found.perf.begin(), middle_of);
      std::ranges::transform(perf->shard, found.shard_perf.begin(), middle_of);
    }
    return found;
  }

  void look_at(LikelyTable& table, const Lookups& bounds) {
    Values& values = values_.emplace_back();
    values.bounds = bounds;
    values.has_perf = table.perf().has_value();
    values.unknowns = {point_.add_unknown(bounds.lookups, middle(table.lookups().lookups)),
                       point_.add_unknown(bounds.pooled, middle(table.lookups().pooled))};
    values.least = amounts(table, bounds.lookups.low, bounds.pooled.low);
    values.by_lookups = amounts(table, bounds.lookups.high, bounds.pooled.low);
    values.by_pooled = amounts(table, bounds.lookups.low, bounds.pooled.high);
  }

  // Adds what `amount` finds of the table to the sum.
  template <class Amount>
  void add(const Values& of, Amount amount) {
    const double least = amount(of.least);
    const auto slope = [&](const Amounts& at, RealInterval bounds) {
      return bounds.width() > kFixed * bounds.high ? (amount(at) - least) / bounds.width() : 0;
    };
    const double by_lookups = slope(of.by_lookups, of.bounds.lookups),
                 by_pooled = slope(of.by_pooled, of.bounds.pooled);
    point_.add(least - by_lookups * of.bounds.lookups.low - by_pooled * of.bounds.pooled.low);
    point_.add(by_lookups, of.unknowns.lookups);
    point_.add(by_pooled, of.unknowns.pooled);
  }

  void add_cells() {
    for (std::size_t t = 0; t < values_.size(); ++t) {
      const auto& cells = tables_[t].inputs().cells;
      for (std::size_t c = 0; c < cells.size(); ++c) {
        if (!cells[c]) continue;
        point_.add_sum(real(*cells[c]));
        add(values_[t], [&](const Amounts& a) { return a.cells[c]; });
      }
      if (!values_[t].has_perf) continue;
      add_printed_perf(tables_[t], point_,
                       [&](std::size_t c) { add(values_[t], [&](const Amounts& a) { return a.perf[c]; }); });
    }
  }

  void add_ranks() {
    const auto ranks = shards_by_rank(base_, outcome_, tables_);
    const bool has_perf = std::ranges::all_of(values_, &Values::has_perf);
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      const PlanRank& rank = base_.plan.ranks[r];
      struct Sum {
        Quantity quantity;
        ByteInterval bounds;
        std::optional<std::uint32_t> constant;
      };
      const Sum sums[] = {{Quantity::hbm, hbm_constant_ ? rank.hbm : rank.sparse_hbm, hbm_constant_},
                          {Quantity::ddr, ddr_constant_ ? rank.ddr : rank.sparse_ddr, ddr_constant_},
                          {Quantity::input, rank.input, {}},
                          {Quantity::output, rank.output, {}}};
      for (const auto& [quantity, bounds, constant] : sums) {
        point_.add_sum(real(bounds));
        if (constant) point_.add(1, *constant);
        const std::size_t q = at(quantity);
        for (const ShardOnRank& shard : ranks[r])
          add(values_[shard.table], [&](const Amounts& a) { return a.classes[shard.shard_class][q]; });
      }
      if (!has_perf) continue;
      add_rank_perf(rank.perf, ranks[r], point_, [&](const ShardOnRank& shard, std::size_t c) {
        add(values_[shard.table], [&](const Amounts& a) { return a.shard_perf[c]; });
      });
    }
  }

  const Inference& base_;
  const Outcome& outcome_;
  const std::vector<Lookups>& bounds_;
  std::vector<LikelyTable>& tables_;
  std::vector<Values> values_;  // by table
  FeasiblePoint point_;
  std::optional<std::uint32_t> hbm_constant_, ddr_constant_;
};

}  // namespace

LikelyLookups settle_lookups(const Inference& base, const Outcome& outcome, const std::vector<Lookups>& bounds,
                             std::vector<LikelyTable>& tables) {
  return LookupsSystem(base, outcome, bounds, tables).settle();
}

}  // namespace shardstats::infer_detail
