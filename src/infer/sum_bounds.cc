#include "infer/sum_bounds.h"

#include <algorithm>
#include <bit>
#include <span>

namespace shardstats::infer_detail {
namespace {

constexpr std::uint32_t kMadeAtOnce = 256;                        // values: a small part of the first cache
constexpr std::uint32_t kShardBits = bit(Quantity::weights) - 1;  // of single shards

// Equal, but for zeros of either sign; sooner known than equality.
bool have_same_bits(RealInterval a, RealInterval b) {
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
  return bits(a.low) == bits(b.low) && bits(a.high) == bits(b.high);
}

// Tables of the uniform tier keep their options.
bool may_prune(const Outcome& outcome) {
  const auto has_choice = [](const TableState& table) { return table.options.size() > 1; };
  return !outcome.lines->split().uniform && std::ranges::any_of(outcome.tables, has_choice);
}

}  // namespace

SumBounds::SumBounds(const PlanInputs& plan, const Outcome& outcome)
    : plan_(plan),
      outcome_(outcome),
      lines_(*outcome.lines),
      differ_(outcome.tables.size()),
      elements_(outcome.tables.size()) {
  bounds_.reserve(lines_.values());
  const bool has_swing = may_prune(outcome_);
  if (has_swing) swing_.reserve(lines_.values());
  for (std::uint32_t t = 0; t < outcome_.tables.size(); ++t) {
    // Bit by bit, so that values are set while they are in the cache from being made.
    if (lines_.values_of(t + 1) > bounds_.size()) {
      bounds_.resize(std::min(lines_.values_of(t + 1) + kMadeAtOnce, lines_.values()));
      if (has_swing) swing_.resize(bounds_.size());
    }
    refresh(t);
  }
}

SumBounds::Values SumBounds::values_with(const std::vector<std::optional<Option>>& options) const {
  Values values = bounds_;
  for (std::uint32_t t = 0; t < options.size(); ++t)
    if (options[t]) set_sizes(t, *options[t], &values[lines_.values_of(t)]);
  return values;
}

std::uint32_t SumBounds::any_differ() const {
  std::uint32_t any = 0;
  for (const std::uint8_t differ : differ_) any |= differ;
  return any;
}

// Of all shards of a table with one option, by Quantity.
std::array<RealInterval, kShardQuantities> SumBounds::whole_sizes(std::uint32_t t, const Parts& parts,
                                                                  Combo combo) const {
  std::array<RealInterval, kShardQuantities> sums{};
  for (const ClassParts& c : parts.classes) {
    const auto one = shard_bytes(outcome_.setting, c, combo);
    for (std::size_t q = 0; q < one.size(); ++q) sums[q] = sums[q] + one[q] * real(c.run.count);
  }
  if (!parts.same_total.empty())
    each_bit(lines_.needed_whole() & kShardBits, [&](int q) {
      sums[static_cast<std::size_t>(q)] =
          table_bytes(outcome_.setting, plan_.tables[t], parts, combo, static_cast<Quantity>(q));
    });
  return sums;
}

// Calls f(value, q, size) for what the table's shards take with one option, and all of it: of quantity q, at that place
// among the values of the table. Without the whole of a table with one class, which set_whole() adds.
template <class F>
void SumBounds::each_size(std::uint32_t t, Option option, bool one_class, F f) const {
  const Parts& parts = (*outcome_.parts)[t][option.variant];
  const Combo combo = combo_of(option.combo);
  const auto give = [&](std::size_t first, const auto& sizes) {
    for (std::size_t q = 0; q < sizes.size(); ++q) f(first + q, q, sizes[q]);
  };
  std::size_t first = 0;
  for (const ClassParts& c : parts.classes) {
    give(first, shard_bytes(outcome_.setting, c, combo));
    first += kShardQuantities;
  }
  if (!one_class) give(first, whole_sizes(t, parts, combo));
  if ((lines_.needed_whole() & ~kShardBits) == 0) return;
  const std::size_t whole = lines_.whole_of(t) - lines_.values_of(t);
  const TableWeights weights = table_weights(outcome_.setting, plan_.tables[t], combo);
  f(whole + at(Quantity::weights), at(Quantity::weights), weights.weights);
  f(whole + at(Quantity::optimizer_state), at(Quantity::optimizer_state), weights.state);
}

// Of a table with one class: bounds of the whole are those of the class as many times.
void SumBounds::set_whole(std::uint32_t t, RealInterval* values) const {
  if (lines_.is_single(t)) return;
  const RealInterval count = real(classes_of(t).front().run.count);
  for (std::size_t q = 0; q < kShardQuantities; ++q) values[kShardQuantities + q] = values[q] * count;
}

void SumBounds::set_sizes(std::uint32_t t, Option option, RealInterval* values) const {
  const bool one_class = is_one_class((*outcome_.parts)[t]);
  each_size(t, option, one_class, [&](std::size_t value, std::size_t, RealInterval size) { values[value] = size; });
  if (one_class) set_whole(t, values);
}

// Bounds over several options.
void SumBounds::take_options(std::uint32_t t, const Options& options) {
  const bool one_class = is_one_class((*outcome_.parts)[t]);
  RealInterval* const bounds = &bounds_[lines_.values_of(t)];
  RealInterval* const swing = swing_.empty() ? nullptr : &swing_[lines_.values_of(t)];
  each_size(t, options[0], one_class, [&](std::size_t value, std::size_t, RealInterval size) { bounds[value] = size; });
  if (swing != nullptr) std::copy_n(bounds, lines_.values_in(t), swing);
  std::uint32_t differ = 0;
  for (const Option option : std::span(options.begin(), options.end()).subspan(1))
    each_size(t, option, one_class, [&](std::size_t value, std::size_t q, RealInterval size) {
      RealInterval& all = bounds[value];
      if (have_same_bits(all, size)) return;
      all = hull(all, size);
      differ |= 1u << q;
      if (swing == nullptr) return;
      RealInterval& own = swing[value];
      own = {std::max(own.low, size.low), std::min(own.high, size.high)};
    });
  differ_[t] = static_cast<std::uint8_t>(differ);
  elements_[t] = static_cast<std::uint8_t>(elements_of(options));
  if (one_class) set_whole(t, bounds);
  if (one_class && swing != nullptr) set_whole(t, swing);
}

void SumBounds::refresh(std::uint32_t t) {
  const Options& options = outcome_.tables[t].options;
  if (options.empty()) return;
  RealInterval* const bounds = &bounds_[lines_.values_of(t)];
  const std::size_t count = lines_.values_in(t);
  const bool had_choice = elements_[t] != 0, has_choice = options.size() > 1;
  if (has_choice) {
    take_options(t, options);
  } else {
    differ_[t] = elements_[t] = 0;
    set_sizes(t, options[0], bounds);
  }
  const RealInterval* const whole = &bounds[count - kQuantities];
  for (const Quantity quantity : kCells)
    if ((lines_.needed() & bit(quantity)) != 0 && !whole[at(quantity)].exact()) narrow_by_cell(t, quantity);
  if (swing_.empty() || !(has_choice || had_choice)) return;
  RealInterval* const swing = &swing_[lines_.values_of(t)];
  for (std::size_t i = 0; i < count; ++i)
    swing[i] = has_choice ? RealInterval{swing[i].low - bounds[i].low, bounds[i].high - swing[i].high} : RealInterval{};
}

// The table's own cell bounds the sum over its shards, and with it each of them.
void SumBounds::narrow_by_cell(std::uint32_t t, Quantity quantity) {
  const auto& cell = plan_.tables[t].cells[at(quantity)];
  if (!cell || outcome_.tables[t].contradicted[at(quantity)]) return;
  const RealInterval printed = real(*cell);
  RealInterval& whole = bounds_[lines_.whole_of(t) + at(quantity)];
  whole = narrowed(whole, printed);
  if (lines_.is_single(t)) return;
  const auto& classes = classes_of(t);
  RealInterval* const shards = &bounds_[lines_.values_of(t) + at(quantity)];
  RealInterval total{};
  for (std::size_t c = 0; c < classes.size(); ++c)
    total = total + shards[c * kShardQuantities] * exactly(static_cast<double>(classes[c].run.count));
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const double n = equal_shards(outcome_, plan_.tables[t]) ? static_cast<double>(classes[c].run.count) : 1;
    if (n <= 0) continue;
    RealInterval& own = shards[c * kShardQuantities];
    const RealInterval left = left_for_each(n, printed, total, own);
    if (left.low <= left.high) own = narrowed(own, left);
  }
}

}  // namespace shardstats::infer_detail
