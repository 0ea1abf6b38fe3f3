// Bounds of what the shards of every table take over the options left of it, and of sums of them. Private to src/infer.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "infer/evaluate.h"

namespace shardstats::infer_detail {

// What is left of a sum for one of its parts. Not an interval difference: the part itself is in the sum.
inline RealInterval without(RealInterval sum, RealInterval part) { return {sum.low - part.low, sum.high - part.high}; }

// What the printed sum over all shards of a table leaves for each of `n` equal ones, which are in `total` with `own`.
inline RealInterval left_for_each(double n, RealInterval printed, RealInterval total, RealInterval own) {
  return {(printed.low - (total.high - n * own.high)) / n, (printed.high - (total.low - n * own.low)) / n};
}

class SumBounds {
 public:
  using Entry = SumLines::Entry;
  using Part = SumLines::Part;
  using Values = SumLines::Values;

  SumBounds(const PlanInputs& plan, const Outcome& outcome);
  // After options of the table have been removed.
  void refresh(std::uint32_t t);

  // Over the options left.
  const Values& values() const { return bounds_; }
  // The same with one option each of some tables, by table.
  Values values_with(const std::vector<std::optional<Option>>& options) const;
  RealInterval sum_of(const SumLine& line) const { return lines_.sum_of(bounds_, line); }
  RealInterval sum_of(Part part, Quantity quantity) const { return lines_.sum_of(bounds_, part, quantity); }
  // Of tables with several options: how far some option lies above the lower end of the bounds (low), and below the
  // upper one (high). None where no table has.
  const Values& swing() const { return swing_; }

  // Has some table several options left?
  bool has_choice() const {
    return std::ranges::any_of(elements_, [](std::uint8_t elements) { return elements != 0; });
  }
  // Of tables with several options left: which quantities these differ in, a bit for each; and of all such tables.
  std::uint32_t differ(std::uint32_t t) const { return differ_[t]; }
  std::uint32_t any_differ() const;
  bool sizes_differ(std::uint32_t t) const { return (elements_[t] & (elements_[t] - 1)) != 0; }
  bool has_element(std::uint32_t t, int element) const { return (elements_[t] >> element & 1) != 0; }

  const Classes& classes_of(std::uint32_t t) const { return (*outcome_.parts)[t].front().classes; }
  const ClassParts& class_of(const Entry& entry) const {
    return classes_of(entry.table)[static_cast<std::size_t>(entry.cls)];
  }
  // With one option.
  RealInterval bytes(const Entry& entry, const Parts& parts, Combo combo, Quantity quantity) const {
    if (entry.cls == SumLines::kWhole)
      return table_bytes(outcome_.setting, plan_.tables[entry.table], parts, combo, quantity);
    const ClassParts& c = parts.classes[static_cast<std::size_t>(entry.cls)];
    return entry.times(class_bytes(outcome_.setting, c, combo, quantity));
  }
  RealInterval bytes(Part part, Option option, Quantity quantity) const {
    const Parts& parts = (*outcome_.parts)[part.table][option.variant];
    const Combo combo = combo_of(option.combo);
    RealInterval sum = bytes(lines_[part.first], parts, combo, quantity);  // mostly the only one
    for (std::uint32_t i = part.first + 1; i < part.end; ++i) sum = sum + bytes(lines_[i], parts, combo, quantity);
    return sum;
  }

 private:
  std::array<RealInterval, kShardQuantities> whole_sizes(std::uint32_t t, const Parts& parts, Combo combo) const;
  template <class F>
  void each_size(std::uint32_t t, Option option, bool one_class, F f) const;
  void set_whole(std::uint32_t t, RealInterval* values) const;
  void set_sizes(std::uint32_t t, Option option, RealInterval* values) const;
  void take_options(std::uint32_t t, const Options& options);
  void narrow_by_cell(std::uint32_t t, Quantity quantity);

  const PlanInputs& plan_;
  const Outcome& outcome_;
  const SumLines& lines_;
  Values bounds_, swing_;
  // Of tables with several options left, by table: see differ(); and a bit for each element size that some option has.
  std::vector<std::uint8_t> differ_, elements_;
};

}  // namespace shardstats::infer_detail
