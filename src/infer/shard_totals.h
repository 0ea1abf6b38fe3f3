// What the shards of printed sums take, of all quantities at once. Private to src/infer.
#pragma once

#include <array>
#include <cstdint>

#include "infer/sum_lines.h"

namespace shardstats::infer_detail {

// Sums of the same shards follow each other.
class ShardTotals {
 public:
  // `swing`: of the tables, for widest_swing().
  ShardTotals(const SumLines& lines, const SumLines::Values& values, const SumLines::Values* swing = nullptr)
      : lines_(lines), values_(values), swing_(swing) {}
  RealInterval of(const SumLine& line) {
    take_shards(line);
    return all_.sums[at(line.quantity)];
  }
  // No table swings further.
  RealInterval widest_swing(const SumLine& line) {
    take_shards(line);
    return all_.widest[at(line.quantity)];
  }
  // After values have changed.
  void forget() { common_ = all_ = {}; }

 private:
  using Part = SumLines::Part;
  struct Totals {
    std::array<RealInterval, kQuantities> sums{}, widest{};
    Part last;  // the shards added last
  };
  void take_shards(const SumLine& line) {
    if (common_.last != lines_.common(line) || all_.last != SumLines::own(line)) add_up(line);
  }
  void add_up(const SumLine& line);
  template <Quantity... Q>
  void add_up_all(const SumLine& line);
  template <Quantity... Q>
  void add(Part shards, Totals& totals) const;
  template <Quantity... Q>
  void take_widest_swing(Part shards, Totals& totals) const;

  const SumLines& lines_;
  const SumLines::Values& values_;
  const SumLines::Values* swing_;
  Totals common_, all_;  // of the common shards, which the next sums mostly have, too; and of all
};

}  // namespace shardstats::infer_detail
