#include "infer/row_split.h"

#include <algorithm>
#include <utility>

#include "infer/sum_constants.h"

namespace shardstats::infer_detail {
namespace {

constexpr double kNarrower = 0.9;  // of its width: what makes another round worth it

bool is_split(const TableInputs& table) { return table.sharding == Sharding::rw; }

// All parts together are the whole.
bool make_whole(std::vector<RealInterval>& shares) {
  RealInterval sum{};
  for (const RealInterval share : shares) sum = sum + share;
  for (RealInterval& share : shares) {
    const RealInterval others = without(sum, share), left{1 - others.high, 1 - others.low};
    if (!share.overlaps(left)) return false;
    share = narrowed(share, left);
  }
  return true;
}

// Of one rank and one option of a row-wise table: bytes of a shard without rows, and what all rows add to it.
struct RowBytes {
  RealInterval none{}, rows{};
};

RealInterval specific_of(const ClassParts& c, Combo combo, Quantity quantity) {
  const Amounts amounts = c.specific(pair_of(combo));
  return quantity == Quantity::hbm ? amounts.hbm : amounts.ddr;
}

// A shard takes an amount for each of its rows, and one that does not depend on them; `own`: the class of the shard.
RowBytes row_bytes(const Setting& setting, const RowEnds& ends, const ClassParts& own, Combo combo, Quantity quantity) {
  const RealInterval none = specific_of(ends.none, combo, quantity), all = specific_of(ends.all, combo, quantity);
  const RealInterval besides = without(class_bytes(setting, own, combo, quantity), specific_of(own, combo, quantity));
  return {none + besides, at_least_zero(without(all, none))};
}

// What the memory of each rank leaves of the share that its part of every row-wise table has.
class RowShares {
 public:
  RowShares(const PlanInputs& plan, const Outcome& outcome)
      : plan_(plan), outcome_(outcome), lines_(*outcome.lines), bounds_(plan, outcome), ends_(plan.tables.size()) {
    for (std::uint32_t t = 0; t < ends_.size(); ++t) {
      if (!is_split(plan.tables[t])) continue;
      const TableParts& variants = (*outcome.parts)[t];
      const auto combos = combos_of(outcome.tables[t].options, variants.size());
      for (std::size_t v = 0; v < combos.size(); ++v)
        ends_[t].push_back(row_ends(outcome.setting, plan.tables[t], variants[v], combos[v]));
    }
  }

  // By rank; empty: none that all parts could have.
  std::vector<RealInterval> shares() const {
    std::vector<RealInterval> shares(plan_.ranks.size(), {0, 1});
    for (const SumLine& line : outcome_.sums)
      if (line.of == SumOf::rank && !line.contradicted && line.quantity <= Quantity::ddr)
        narrow(line, shares[line.index]);
    return make_whole(shares) ? shares : std::vector<RealInterval>{};
  }

 private:
  void narrow(const SumLine& line, RealInterval& share) const {
    RealInterval fixed = constant_of(plan_, outcome_, line), rows{};
    const auto ranks = static_cast<double>(plan_.ranks.size());
    double cut = 0;  // bytes that whole rows and whole bytes can differ from the share
    lines_.each_part(line, [&](SumLines::Part part) {
      const TableInputs& table = plan_.tables[part.table];
      if (!is_split(table)) {
        fixed = fixed + bounds_.sum_of(part, line.quantity);
        return;
      }
      std::optional<RowBytes> all;
      for (const Option option : outcome_.tables[part.table].options) {
        const Parts& parts = (*outcome_.parts)[part.table][option.variant];
        const ClassParts& own = parts.classes[static_cast<std::size_t>(lines_[part.first].cls)];
        const RowBytes one =
            row_bytes(outcome_.setting, ends_[part.table][option.variant], own, combo_of(option.combo), line.quantity);
        all = all ? RowBytes{hull(all->none, one.none), hull(all->rows, one.rows)} : one;
      }
      fixed = fixed + all->none;
      rows = rows + all->rows;
      cut += ranks * all->rows.high / static_cast<double>(table.rows) + static_cast<double>(kRoundings);
    });
    if (rows.low <= 0) return;
    const RealInterval left = line.printed - fixed;
    share = narrowed(share, {std::max(left.low - cut, 0.0) / rows.high, std::max(left.high + cut, 0.0) / rows.low});
  }

  const PlanInputs& plan_;
  const Outcome& outcome_;
  const SumLines& lines_;
  const SumBounds bounds_;
  std::vector<std::vector<RowEnds>> ends_;  // by table and variant
};

}  // namespace

std::optional<RowSplit> narrowed_rows(const PlanInputs& plan, const Outcome& outcome) {
  if (outcome.rows.how != SplitRows::by_memory || plan.missing) return std::nullopt;
  for (const TableInputs& table : plan.tables)
    if (is_split(table) && !is_everywhere(table, plan.ranks.size())) return std::nullopt;  // part k is on rank k (3.5)
  std::vector<RealInterval> shares = RowShares(plan, outcome).shares();
  const auto width_before = [&](std::size_t k) {
    if (!outcome.rows.shares) return 1.0;
    const RealInterval share = (*outcome.rows.shares)[k];
    return share.high - share.low;
  };
  for (std::size_t k = 0; k < shares.size(); ++k)
    if (shares[k].high - shares[k].low < kNarrower * width_before(k))
      return RowSplit{SplitRows::by_memory, std::make_shared<const std::vector<RealInterval>>(std::move(shares))};
  return std::nullopt;
}

Outcome with_rows(const PlanInputs& plan, Outcome outcome, const RowSplit& rows) {
  outcome.rows = rows;
  auto all = std::make_shared<std::vector<TableParts>>(*outcome.parts);
  for (std::uint32_t t = 0; t < plan.tables.size(); ++t) {
    if (!is_split(plan.tables[t])) continue;
    const auto combos = combos_of(outcome.tables[t].options, (*all)[t].size());
    TableParts split;
    for (std::size_t v = 0; v < combos.size(); ++v) {
      const Parts& parts = std::as_const(*all)[t][v];
      split.push_back(make_parts(outcome.setting, plan.tables[t], parts.variant, rows, combos[v], &parts.lookups));
    }
    (*all)[t] = std::move(split);
  }
  outcome.parts = std::move(all);
  return outcome;
}

}  // namespace shardstats::infer_detail
