// What the shards of a table add up to, and which combos its printed cells allow by that.
#include <algorithm>

#include "infer/model.h"

namespace shardstats::infer_detail {
namespace {

// Sums what `bytes_of` says of one shard of each class.
template <class F>
RealInterval over_shards(const Parts& parts, F bytes_of) {
  if (parts.classes.size() == 1 && parts.same_total.empty())  // mostly
    return bytes_of(parts.classes.front()) * real(parts.classes.front().run.count);
  RealInterval sum{};
  for (const ClassParts& c : parts.same_total.empty() ? parts.classes : parts.same_total)
    sum = sum + bytes_of(c) * real(c.run.count);
  if (!parts.same_total.empty()) {
    std::int64_t shards = 0;
    for (const ClassParts& c : parts.classes) shards += c.run.count;
    const auto slack = static_cast<double>(kRoundings * shards);
    sum = {std::max(sum.low - slack, 0.0), sum.high + slack};
  }
  return sum;
}

// Calls f(bytes_of), by which bytes_of(of_class) is what all shards take that take of_class(class) each.
template <class F>
auto with_sums(const Parts& parts, F f) {
  if (parts.classes.size() != 1 || !parts.same_total.empty())
    return f([&](auto of_class) { return over_shards(parts, of_class); });
  const ClassParts& only = parts.classes.front();  // mostly
  const RealInterval count = real(only.run.count);
  return f([&](auto of_class) { return of_class(only) * count; });
}

template <class Holds>
constexpr std::uint64_t combos_where(Holds holds) {
  std::uint64_t mask = 0;
  for (int i = 0; i < kCombos; ++i)
    if (holds(combo_of(i))) mask |= std::uint64_t{1} << i;
  return mask;
}

}  // namespace

TableWeights table_weights(const Setting& setting, const TableInputs& table, Combo combo) {
  const RealInterval weights = real(table.rows) * real(table.cols) * exactly(element_bytes(combo.element));
  return {weights, optimizer_bytes(exactly(multiplier_of(setting, table, combo.optimizer)), weights)};
}

RealInterval table_bytes(const Setting& setting, const TableInputs& table, const Parts& parts, Combo combo,
                         Quantity quantity) {
  if (quantity == Quantity::weights) return table_weights(setting, table, combo).weights;
  if (quantity == Quantity::optimizer_state) return table_weights(setting, table, combo).state;
  return over_shards(parts, [&](const ClassParts& c) { return class_bytes(setting, c, combo, quantity); });
}

CellBytes cell_bytes(const Setting& setting, const Parts& parts, Combo combo) {
  return {over_shards(parts, [&](const ClassParts& c) { return class_hbm(setting, c, combo); }),
          over_shards(parts, [&](const ClassParts& c) { return class_ddr(setting, c, combo); }),
          over_shards(parts, [&](const ClassParts& c) { return class_ssd(c, combo); })};
}

WrongCells contradicted_cells(const Setting& setting, const TableInputs& table, const Parts& parts, Combo combo) {
  return CellTest(setting, table, parts)(combo);
}

std::uint64_t possible_combos(const Setting& setting, const TableInputs& table, bool free_output) {
  constexpr std::uint64_t kAll = combos_where([](Combo) { return true; });
  constexpr std::uint64_t kPlain = combos_where([](Combo c) { return c.optimizer == 0; });
  constexpr std::uint64_t kEqual = combos_where([](Combo c) { return c.output == c.element; });
  const bool by_class = setting.rules->optimizer == OptimizerRule::by_class && !table.quant;
  std::uint64_t mask = by_class ? kAll : kPlain;  // else the release or quantized weights leave no choice
  if (!free_output || !setting.rules->output_dtype) mask &= table.fixed_output ? kAll : kEqual;
  if (const auto& fixed = table.fixed_element) mask &= combos_where([&](Combo c) { return c.element == *fixed; });
  if (const auto& fixed = table.fixed_output) mask &= combos_where([&](Combo c) { return c.output == *fixed; });
  if (const auto& fixed = table.fixed_optimizer; fixed && by_class)
    mask &= combos_where([&](Combo c) { return c.optimizer == *fixed; });
  return mask;
}

std::uint64_t fitting_combos(const Setting& setting, const TableInputs& table, const Parts& parts,
                             std::uint64_t possible) {
  return with_sums(parts, [&](auto sum_of) {
    std::uint64_t left = possible;
    // Cell by cell: the next one is asked of few combos.
    const auto keep_fitting = [&](const std::optional<ByteInterval>& cell, auto bytes_of) {
      if (!cell) return;
      const RealInterval printed = real(*cell);
      std::uint64_t fitting = 0;
      each_bit(left, [&](int i) {
        const Combo combo = combo_of(i);
        const bool fits = sum_of([&](const ClassParts& c) { return bytes_of(c, combo); }).overlaps(printed);
        fitting |= std::uint64_t{fits} << i;
      });
      left = fitting;
    };
    keep_fitting(table.cells[0], [&](const ClassParts& c, Combo combo) { return class_hbm(setting, c, combo); });
    keep_fitting(table.cells[1], [&](const ClassParts& c, Combo combo) { return class_ddr(setting, c, combo); });
    keep_fitting(table.cells[2], [&](const ClassParts& c, Combo combo) { return class_ssd(c, combo); });
    return left;
  });
}

}  // namespace shardstats::infer_detail
