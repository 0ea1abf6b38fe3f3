#include "infer/row_lines.h"

#include <array>
#include <optional>

#include "infer/sum_bounds.h"
#include "infer/sum_constants.h"

namespace shardstats::infer_detail {
namespace {

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

class RowLines {
 public:
  RowLines(const PlanInputs& plan, const Outcome& outcome)
      : plan_(plan),
        outcome_(outcome),
        lines_(*outcome.lines),
        bounds_(plan, outcome),
        ends_(plan.tables.size()),
        last_(plan.tables.size()) {
    for (std::uint32_t t = 0; t < ends_.size(); ++t) {
      if (plan.tables[t].sharding != Sharding::rw) continue;
      const TableParts& variants = (*outcome.parts)[t];
      const auto combos = combos_of(outcome.tables[t].options, variants.size());
      for (std::size_t v = 0; v < combos.size(); ++v)
        ends_[t].push_back(row_ends(outcome.setting, plan.tables[t], variants[v], combos[v]));
    }
  }

  RowLine of(const SumLine& line) {
    RowLine rows{line.index, {}, {}};
    RealInterval fixed = constant_of(plan_, outcome_, line);
    lines_.each_part(line, [&](SumLines::Part part) {
      if (plan_.tables[part.table].sharding != Sharding::rw) {
        fixed = fixed + bounds_.sum_of(part, line.quantity);
        return;
      }
      const RowBytes bytes = last_bytes_of(part, line.quantity);
      fixed = fixed + bytes.none;
      rows.tables.push_back({part.table, bytes.rows});
    });
    rows.left = line.printed - fixed;
    return rows;
  }

 private:
  struct Last {
    std::int32_t cls = SumLines::kWhole;
    RowBytes bytes;
  };

  // Most ranks have shards of the same class.
  const RowBytes& last_bytes_of(SumLines::Part part, Quantity quantity) {
    Last& last = last_[part.table][quantity == Quantity::ddr];
    if (const std::int32_t cls = lines_[part.first].cls; last.cls != cls) last = {cls, bytes_of(part, quantity)};
    return last.bytes;
  }

  // Over the options left.
  RowBytes bytes_of(SumLines::Part part, Quantity quantity) const {
    std::optional<RowBytes> all;
    for (const Option option : outcome_.tables[part.table].options) {
      const Parts& parts = (*outcome_.parts)[part.table][option.variant];
      const ClassParts& own = parts.classes[static_cast<std::size_t>(lines_[part.first].cls)];
      const RowBytes one =
          row_bytes(outcome_.setting, ends_[part.table][option.variant], own, combo_of(option.combo), quantity);
      all = all ? RowBytes{hull(all->none, one.none), hull(all->rows, one.rows)} : one;
    }
    return all.value_or(RowBytes{});
  }

  const PlanInputs& plan_;
  const Outcome& outcome_;
  const SumLines& lines_;
  const SumBounds bounds_;
  std::vector<std::vector<RowEnds>> ends_;  // by table and variant
  std::vector<std::array<Last, 2>> last_;   // by table: HBM and DDR of the last class asked for
};

}  // namespace

std::vector<RowLine> row_lines(const PlanInputs& plan, const Outcome& outcome) {
  RowLines of_ranks(plan, outcome);
  std::vector<RowLine> lines;
  for (const SumLine& line : outcome.sums)
    if (line.of == SumOf::rank && !line.contradicted && line.quantity <= Quantity::ddr)
      lines.push_back(of_ranks.of(line));
  return lines;
}

}  // namespace shardstats::infer_detail
