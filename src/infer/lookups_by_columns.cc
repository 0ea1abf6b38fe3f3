#include <algorithm>
#include <vector>

#include "infer/sum_bounds.h"

namespace shardstats::infer_detail {
namespace {

// The Input and Output columns of the ranks.
class LookupColumns {
 public:
  LookupColumns(const PlanInputs& plan, const Outcome& outcome)
      : plan_(plan), outcome_(outcome), lines_(*outcome.lines), bounds_(plan, outcome) {}

  std::vector<Lookups> lookups() const {
    std::vector<Lookups> all(plan_.tables.size());
    for (std::uint32_t t = 0; t < all.size(); ++t)
      if (!outcome_.tables[t].options.empty()) all[t] = (*outcome_.parts)[t].front().lookups;
    for (const SumLine& line : outcome_.sums) {
      if (line.contradicted || !(line.is_of_rank(Quantity::input) || line.is_of_rank(Quantity::output))) continue;
      const RealInterval total = bounds_.sum_of(line);
      lines_.each_part(line, [&](SumLines::Part part) { narrow(line, total, part, all[part.table]); });
    }
    return all;
  }

 private:
  // Bytes per id (input) or per pooled output (output) of one shard, over the element sizes left.
  RealInterval bytes_each(const SumLine& line, std::uint32_t t, const ClassParts& c) const {
    const Setting& s = outcome_.setting;
    const TableInputs& table = plan_.tables[t];
    const double world = table.sharding == Sharding::dp ? 1 : static_cast<double>(s.world_size);
    const bool by_lookups = line.quantity == Quantity::input || table.sequence;
    const double parts = !by_lookups                      ? 1
                         : table.sharding == Sharding::rw ? static_cast<double>(s.world_size)
                         : is_grouped(table.sharding)     ? static_cast<double>(s.column_group_size)
                                                          : 1;
    const RealInterval times = exactly(world / parts);
    if (line.quantity == Quantity::input) return times * exactly(kIndexBytes);
    RealInterval element{4, 1};
    for (const Option option : outcome_.tables[t].options) {
      const double size = element_bytes(option.element());
      element = {std::min(element.low, size), std::max(element.high, size)};
    }
    return times * c.cols * element;
  }

  void narrow(const SumLine& line, RealInterval total, SumLines::Part part, Lookups& lookups) const {
    constexpr double kRounding = 1e-12;  // relative; far above the roundings of the products inverted here
    double shards_with = 0;
    const ClassParts* filled = nullptr;
    for (std::uint32_t i = part.first; i < part.end; ++i) {
      const ClassParts& c = bounds_.class_of(lines_[i]);
      if (c.empty == Emptiness::unknown) return;
      if (c.empty == Emptiness::yes) continue;
      shards_with += lines_[i].count;
      filled = &c;
    }
    if (filled == nullptr) return;
    const RealInterval left = line.printed - without(total, bounds_.sum_of(part, line.quantity));
    const RealInterval each = bytes_each(line, part.table, *filled);
    const RealInterval fits{std::max((left.low / shards_with - 1) / each.high * (1 - kRounding), 0.0),
                            std::max(left.high / shards_with / each.low * (1 + kRounding), 0.0)};
    const bool by_lookups = line.quantity == Quantity::input || plan_.tables[part.table].sequence;
    RealInterval& value = by_lookups ? lookups.lookups : lookups.pooled;
    value = narrowed(value, fits);
  }

  const PlanInputs& plan_;
  const Outcome& outcome_;
  const SumLines& lines_;
  const SumBounds bounds_;
};

}  // namespace

std::vector<Lookups> lookups_by_columns(const PlanInputs& plan, const Outcome& outcome) {
  return LookupColumns(plan, outcome).lookups();
}

}  // namespace shardstats::infer_detail
