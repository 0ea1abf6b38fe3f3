#include "infer/sums.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>
#include <utility>

#include "shardstats/numbers/most_shared.h"

namespace shardstats::infer_detail {
namespace {

constexpr int kPrunings = 6;                                      // of pruning; each one only ever removes options
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
  return !outcome.uniform && std::ranges::any_of(outcome.tables, has_choice);
}

}  // namespace

const std::optional<ByteInterval>& cell_of(const TableInputs& table, Quantity quantity) {
  return quantity == Quantity::hbm ? table.hbm : quantity == Quantity::ddr ? table.ddr : table.ssd;
}

// ---- the sums ------------------------------------------------------------------------------------------------------

Sums::Sums(const PlanInputs& plan, Outcome& outcome)
    : plan_(plan),
      outcome_(outcome),
      lines_(*outcome.lines),
      has_choice_(outcome.tables.size()),
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

// ---- bounds over the options left, kept for every table ------------------------------------------------------------

namespace {

constexpr std::size_t at(Quantity quantity) { return static_cast<std::size_t>(quantity); }

// Both ends of an interval, for one instruction to take: the compiler does not find that by itself where sums go on
// from shard to shard.
using Ends = double __attribute__((vector_size(2 * sizeof(double))));
using AllEnds = std::array<Ends, kQuantities>;
Ends ends_of(RealInterval x) { return std::bit_cast<Ends>(x); }

}  // namespace

template <Quantity... Q>
void Sums::ShardTotals::add(Part shards, Totals& totals) const {
  auto sums = std::bit_cast<AllEnds>(totals.sums);
  const RealInterval* const all = values_.data();
  for (const Entry& entry : lines_.entries(shards)) {
    const RealInterval* const values = all + entry.values;
    if (entry.count == 1)
      ((sums[at(Q)] += ends_of(values[at(Q)])), ...);
    else
      ((sums[at(Q)] += ends_of(entry.times(values[at(Q)]))), ...);
  }
  totals.sums = std::bit_cast<decltype(totals.sums)>(sums);
  totals.last = shards;
  if (swing_ != nullptr) take_widest_swing<Q...>(shards, totals);
}

// The shards of a table swing together: they follow each other.
template <Quantity... Q>
void Sums::ShardTotals::take_widest_swing(Part shards, Totals& totals) const {
  auto widest = std::bit_cast<AllEnds>(totals.widest);
  AllEnds own{};
  std::uint32_t table = std::numeric_limits<std::uint32_t>::max();
  const auto most = [](Ends a, Ends b) { return b > a ? b : a; };
  const RealInterval* const all = swing_->data();
  for (const Entry& entry : lines_.entries(shards)) {
    const RealInterval* const swing = all + entry.values;
    const bool is_next = std::exchange(table, entry.table) != entry.table;
    if (is_next && entry.count == 1)
      ((own[at(Q)] = ends_of(swing[at(Q)])), ...);
    else
      ((own[at(Q)] = ends_of(entry.times(swing[at(Q)])) + (is_next ? Ends{} : own[at(Q)])), ...);
    ((widest[at(Q)] = most(widest[at(Q)], own[at(Q)])), ...);
  }
  totals.widest = std::bit_cast<decltype(totals.widest)>(widest);
}

template <Quantity... Q>
void Sums::ShardTotals::add_up(const SumLine& line) {
  const Part common = lines_.common(line);
  if (common_.last != common) add<Q...>(common, common_ = {});
  all_ = common_;
  add<Q...>(SumLines::own(line), all_);
}

void Sums::ShardTotals::take_shards(const SumLine& line) {
  using enum Quantity;
  if (common_.last == lines_.common(line) && all_.last == SumLines::own(line)) return;
  line.of == SumOf::kernel ? add_up<hbm, ddr, ssd, weights, optimizer_state>(line)
                           : add_up<hbm, ddr, input, output>(line);
}

// After its options have.
void Sums::changed(std::uint32_t t) {
  has_removed_options_ = true;
  refresh(t);
  lines_.each_line_of(t, [&](std::uint32_t l) { stale_[l] = true; });
}

// Of all shards of a table with one option, by Quantity.
std::array<RealInterval, kShardQuantities> Sums::whole_sizes(std::uint32_t t, const Parts& parts, Combo combo) const {
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
void Sums::each_size(std::uint32_t t, Option option, bool one_class, F f) const {
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
void Sums::set_whole(std::uint32_t t, RealInterval* values) const {
  if (lines_.is_single(t)) return;
  const RealInterval count = real(classes_of(t).front().run.count);
  for (std::size_t q = 0; q < kShardQuantities; ++q) values[kShardQuantities + q] = values[q] * count;
}

void Sums::set_sizes(std::uint32_t t, Option option, RealInterval* values) const {
  const bool one_class = is_one_class((*outcome_.parts)[t]);
  each_size(t, option, one_class, [&](std::size_t value, std::size_t, RealInterval size) { values[value] = size; });
  if (one_class) set_whole(t, values);
}

// Bounds over several options.
void Sums::take_options(std::uint32_t t, const Options& options) {
  const bool one_class = is_one_class((*outcome_.parts)[t]);
  RealInterval* const bounds = &bounds_[lines_.values_of(t)];
  RealInterval* const swing = swing_.empty() ? nullptr : &swing_[lines_.values_of(t)];
  each_size(t, options[0], one_class, [&](std::size_t value, std::size_t, RealInterval size) { bounds[value] = size; });
  if (swing != nullptr) std::copy_n(bounds, values_in(t), swing);
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

void Sums::refresh(std::uint32_t t) {
  if (!usable(t)) return;
  const Options& options = outcome_.tables[t].options;
  RealInterval* const bounds = &bounds_[lines_.values_of(t)];
  const std::size_t count = values_in(t);
  const bool had_choice = std::exchange(has_choice_[t], options.size() > 1);
  if (has_choice_[t]) {
    take_options(t, options);
  } else {
    differ_[t] = elements_[t] = 0;
    set_sizes(t, options[0], bounds);
  }
  const RealInterval* const whole = &bounds[count - kQuantities];
  for (const Quantity quantity : kCells)
    if ((lines_.needed() & bit(quantity)) != 0 && !whole[at(quantity)].exact()) narrow_by_cell(t, quantity);
  if (swing_.empty() || !(has_choice_[t] || had_choice)) return;
  RealInterval* const swing = &swing_[lines_.values_of(t)];
  for (std::size_t i = 0; i < count; ++i)
    swing[i] =
        has_choice_[t] ? RealInterval{swing[i].low - bounds[i].low, bounds[i].high - swing[i].high} : RealInterval{};
}

// The table's own cell bounds the sum over its shards, and with it each of them.
void Sums::narrow_by_cell(std::uint32_t t, Quantity quantity) {
  const auto& cell = cell_of(plan_.tables[t], quantity);
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
    const RealInterval left{(printed.low - (total.high - n * own.high)) / n,
                            (printed.high - (total.low - n * own.low)) / n};
    if (left.low <= left.high) own = narrowed(own, left);
  }
}

RealInterval Sums::constant_of(const SumLine& line) const {
  if (line.of == SumOf::kernel || line.quantity > Quantity::ddr) return {};
  const RealInterval each = line.quantity == Quantity::hbm ? outcome_.constants.hbm : outcome_.constants.ddr;
  return line.of == SumOf::rank ? each : each * exactly(ranks());
}

RealInterval Sums::shards_of(const SumLine& line) const { return sum_of(bounds_, line); }

RealInterval Sums::total_of(const SumLine& line) const { return shards_of(line) + constant_of(line); }

// ---- dense and KJT -------------------------------------------------------------------------------------------------

// As printed; else what the ranks have in common beyond their shards.
void Sums::fit_constants() {
  Constants& constants = outcome_.constants;
  if (plan_.reservation_printed) {
    // Both are booked to one memory of the device (storage-model.md section 8.1): a printed 0.0 of the other is zero.
    const bool in_hbm = io_in_hbm(outcome_.setting);
    if (in_hbm || plan_.dense_hbm.low + plan_.kjt_hbm.low > 0)
      constants.hbm = real(plan_.dense_hbm) + real(plan_.kjt_hbm);
    if (!in_hbm || plan_.dense_ddr.low + plan_.kjt_ddr.low > 0)
      constants.ddr = real(plan_.dense_ddr) + real(plan_.kjt_ddr);
    return;
  }
  const ReleaseRules& rules = *outcome_.setting.rules;
  const bool must_be_printed = rules.release >= Release::v1_6_0 && !plan_.reservation_lost;
  if (!rules.counts_reservation || must_be_printed) return;
  const bool in_hbm = io_in_hbm(outcome_.setting);
  RealInterval& hidden = in_hbm ? constants.hbm : constants.ddr;
  const Quantity quantity = in_hbm ? Quantity::hbm : Quantity::ddr;
  hidden = hidden_constant(quantity);
  for (const SumLine& line : outcome_.sums)
    if (line.of == SumOf::all_ranks && line.quantity == quantity)
      hidden = narrowed(hidden, at_least_zero(line.printed - shards_of(line)) / exactly(ranks()));
  if (in_hbm && plan_.sparse_gap) hidden = narrowed(hidden, *plan_.sparse_gap);
  constants.hidden = hidden.low > 0;
  outcome_.freedoms += constants.hidden;
}

// Are they others now?
bool Sums::refit_constants() {
  const Constants before = outcome_.constants;
  outcome_.freedoms -= before.hidden;
  outcome_.constants = {};
  fit_constants();
  return outcome_.constants != before;
}

// The amount that most ranks have beyond their shards; zero is preferred if it costs at most one rank more.
RealInterval Sums::hidden_constant(Quantity quantity) const {
  std::vector<RealInterval> rests;
  for (const SumLine& line : outcome_.sums)
    if (line.of == SumOf::rank && line.quantity == quantity)
      rests.push_back(at_least_zero(line.printed - shards_of(line)));
  if (rests.empty()) return {};
  const auto ranks_with = [&](double amount) {
    return std::ranges::count_if(rests, [&](RealInterval rest) { return rest.contains(amount); });
  };
  const RealInterval any{0, std::ranges::max(rests, {}, &RealInterval::high).high};
  const RealInterval most = most_shared(rests, any, 0, 0);
  if (ranks_with(most.low) > ranks_with(0) + 1) return most;
  RealInterval next_to_zero = any;
  for (const RealInterval rest : rests)
    if (rest.low == 0) next_to_zero = narrowed(next_to_zero, rest);
  return next_to_zero;
}

// ---- comparing and pruning -----------------------------------------------------------------------------------------

bool Sums::a_rank_is_contradicted(Quantity quantity) const {
  return std::any_of(outcome_.sums.begin(), outcome_.sums.end(), [&](const SumLine& line) {
    return line.of == SumOf::rank && line.quantity == quantity && line.contradicted;
  });
}

void Sums::settle(const Assignments* known) {
  fit_constants();
  open_ = std::ranges::count(has_choice_, true) > 0;
  any_differ_ = 0;
  for (const std::uint8_t differ : differ_) any_differ_ |= differ;
  stale_.assign(outcome_.sums.size(), true);
  prune_all();
  // With fewer options left the ranks say more about what they have in common.
  for (int round = 0; round < kPrunings && open_ && refit_constants(); ++round) {
    stale_.assign(outcome_.sums.size(), true);
    prune_all();
  }
  for (std::uint32_t l = 0; l < outcome_.sums.size() && open_; ++l) {
    SumLine& line = outcome_.sums[l];
    if (line.of != SumOf::rank || line.quantity != Quantity::output) continue;
    if (known == nullptr || !gives(line, *known, l)) match_output(line);
  }
  check_all();
  contradict_unequal_ranks();
  for (const SumLine& line : outcome_.sums) outcome_.contradictions += line.contradicted;
  list_wide_options();
}

void Sums::prune_all() {
  bool changed = open_;
  for (int round = 0; round < kPrunings && changed; ++round) changed = check_all();
}

bool Sums::settle_within(std::int64_t limit) {
  fit_constants();
  ShardTotals totals(lines_, bounds_);
  for (SumLine& line : outcome_.sums) {
    check(line, totals);
    outcome_.contradictions += line.contradicted;
    if (outcome_.cost() > limit) return false;
  }
  const std::int64_t unequal = contradict_unequal_ranks();
  outcome_.contradictions += unequal;
  return unequal == 0 || outcome_.cost() <= limit;
}

namespace {

// Does the formula leave more open than the printed number?
bool is_wide(const SumLine& line) {
  return line.of == SumOf::rank && !line.contradicted && line.expected.width() > line.printed.width();
}

}  // namespace

// Shards of one class are alike where it is known how many rows and columns they have.
bool Sums::has_known_shards(const SumLine& line) const {
  const auto are_known = [&](Part shards) {
    for (std::uint32_t i = shards.first; i < shards.end; ++i) {
      const ClassParts& c = classes_of(lines_[i].table)[static_cast<std::size_t>(lines_[i].cls)];
      if (c.empty == Emptiness::unknown || !c.rows.exact() || !c.cols.exact()) return false;
    }
    return true;
  };
  return are_known(lines_.common(line)) && are_known(SumLines::own(line));
}

// Where formulas leave a rank open, those with the same shards may not, unless they are wrong themselves. The number of
// ranks that they contradict.
std::int64_t Sums::contradict_unequal_ranks() {
  if (outcome_.rows.hidden() || std::ranges::none_of(outcome_.sums, is_wide)) return 0;
  const auto is_contradicted = [&](std::uint32_t l) { return outcome_.sums[l].contradicted; };
  std::vector<const UnequalRank*> found;
  for (const UnequalRank& rank : lines_.unequal_ranks()) {
    const SumLine& line = outcome_.sums[rank.line];
    if (is_wide(line) && has_known_shards(line) && !std::ranges::all_of(*rank.equals, is_contradicted))
      found.push_back(&rank);
  }
  for (const UnequalRank* rank : found) {
    SumLine& line = outcome_.sums[rank->line];
    line.expected = narrowed(line.expected, rank->others);
    line.contradicted = true;
  }
  return std::ssize(found);
}

// Of all sums that may have changed.
bool Sums::check_all() {
  bool changed = false;
  ShardTotals totals(lines_, bounds_, any_differ_ != 0 ? &swing_ : nullptr);
  for (std::size_t l = 0; l < outcome_.sums.size(); ++l) {
    SumLine& line = outcome_.sums[l];
    if (!stale_[l] && line.of != SumOf::all_ranks) continue;  // that one depends on the ranks' verdicts, too
    stale_[l] = false;
    if (!check(line, totals)) continue;
    changed = true;
    totals.forget();
  }
  return changed;
}

// Bounds of one sum; removes options of its tables that cannot be. True if any was removed.
bool Sums::check(SumLine& line, ShardTotals& totals) {
  if (line.of == SumOf::all_ranks && a_rank_is_contradicted(line.quantity)) {
    line.contradicted = false;  // nothing new: the wrong rank is in this sum as well
    return false;
  }
  RealInterval total = totals.of(line) + constant_of(line);
  line.expected = total;
  if (!total.overlaps(line.printed)) {
    line.contradicted = true;
    return false;
  }
  // Options that are the same to the sum are all in it or none.
  const std::uint32_t quantity = bit(line.quantity);
  if (line.contradicted || (any_differ_ & quantity) == 0) return false;
  if (!may_rule_out(line, total, totals.widest_swing(line))) return false;
  bool changed = false;
  lines_.each_part(line, [&](Part part) {
    if (line.contradicted) return;
    if ((differ_[part.table] & quantity) != 0 && may_rule_out(line, total, sum_of(swing_, part, line.quantity)))
      changed |= prune(line, total, part);
  });
  return changed;
}

// Could some option of a table with that swing, with all others as they are, take the sum out of what is printed?
bool Sums::may_rule_out(const SumLine& line, RealInterval total, RealInterval swing) {
  constexpr double kRounding = 1;  // bytes; far above that of the sums, and prune() decides
  return total.low + swing.low > line.printed.high - kRounding ||
         total.high - swing.high < line.printed.low + kRounding;
}

bool Sums::prune(SumLine& line, RealInterval& total, Part part) {
  auto& options = outcome_.tables[part.table].options;
  const RealInterval others = without(total, sum_of(bounds_, part, line.quantity));
  const auto fits = [&](Option option) { return (others + bytes(part, option, line.quantity)).overlaps(line.printed); };
  if (std::ranges::all_of(options, fits)) return false;
  Options kept;
  for (const Option option : options)
    if (fits(option)) kept.push_back(option);
  // Bounds over all options may hold what none of them gives.
  if (kept.empty()) {
    line.contradicted = true;
    return false;
  }
  options = std::move(kept);
  changed(part.table);
  const RealInterval now = sum_of(bounds_, part, line.quantity);
  total = {others.low + now.low, others.high + now.high};
  return true;
}

// ---- lookups -------------------------------------------------------------------------------------------------------

std::vector<Lookups> Sums::narrowed_lookups() const {
  std::vector<Lookups> all(plan_.tables.size());
  for (std::uint32_t t = 0; t < all.size(); ++t)
    if (usable(t)) all[t] = (*outcome_.parts)[t].front().lookups;
  for (const SumLine& line : outcome_.sums) {
    if (line.of != SumOf::rank || line.contradicted) continue;
    if (line.quantity != Quantity::input && line.quantity != Quantity::output) continue;
    const RealInterval total = total_of(line);
    lines_.each_part(line, [&](Part part) { narrow_by_column(line, total, part, all[part.table]); });
  }
  return all;
}

// Bytes per id (input) or per pooled output (output) of one shard, over the element sizes left.
RealInterval Sums::bytes_each(const SumLine& line, std::uint32_t t, const ClassParts& c) const {
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
    const double size = kElementSizes[static_cast<std::size_t>(combo_of(option.combo).element)];
    element = {std::min(element.low, size), std::max(element.high, size)};
  }
  return times * c.cols * element;
}

void Sums::narrow_by_column(const SumLine& line, RealInterval total, Part part, Lookups& lookups) const {
  constexpr double kRounding = 1e-12;  // relative; far above the roundings of the products inverted here
  double shards_with = 0;
  const ClassParts* filled = nullptr;
  for (std::uint32_t i = part.first; i < part.end; ++i) {
    const ClassParts& c = classes_of(part.table)[static_cast<std::size_t>(lines_[i].cls)];
    if (c.empty == Emptiness::unknown) return;
    if (c.empty == Emptiness::yes) continue;
    shards_with += lines_[i].count;
    filled = &c;
  }
  if (filled == nullptr) return;
  const RealInterval left = line.printed - without(total, sum_of(bounds_, part, line.quantity));
  const RealInterval each = bytes_each(line, part.table, *filled);
  const RealInterval fits{std::max((left.low / shards_with - 1) / each.high * (1 - kRounding), 0.0),
                          std::max(left.high / shards_with / each.low * (1 + kRounding), 0.0)};
  const bool by_lookups = line.quantity == Quantity::input || plan_.tables[part.table].sequence;
  RealInterval& value = by_lookups ? lookups.lookups : lookups.pooled;
  value = narrowed(value, fits);
}

}  // namespace shardstats::infer_detail
