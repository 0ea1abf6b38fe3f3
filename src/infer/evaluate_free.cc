#include <algorithm>
#include <numeric>
#include <utility>

#include "infer/departures.h"
#include "infer/evaluate.h"
#include "infer/row_split.h"
#include "infer/sum_constants.h"
#include "infer/sums.h"

namespace shardstats::infer_detail {
namespace {

constexpr int kVirtual = 2;  // values of its own of a virtual table: that it is one, and the size of its cache

// With one pass.
Variant variant_of(const Setting& setting, const TableInputs& table, Freedom freedom) {
  Variant variant;
  variant.free_ratio = is_ratio_hidden(setting, table);
  variant.free_poolings = !table.poolings_known && freedom >= Freedom::poolings;
  variant.free_columns = has_hidden_blocks(table) && freedom >= Freedom::columns;
  return variant;
}

int most_passes(const Setting& setting, const TableInputs& table) {
  const bool has_passes = is_cached(*table.kernel, setting.rules->release) &&
                          setting.pipeline == Pipeline::train_prefetch_sparse_dist &&
                          !(setting.inference && setting.rules->inference);
  return has_passes ? kManyPasses : 1;
}

// Those that the printed cells of other memory than HBM allow, which passes change nothing of.
std::uint64_t fitting_beside_hbm(const Setting& setting, const TableInputs& table, const Parts& parts,
                                 std::uint64_t possible) {
  const CellTest contradicted(setting, table, parts);
  std::uint64_t fitting = 0;
  each_bit(possible, [&](int i) {
    const WrongCells wrong = contradicted(combo_of(i));
    fitting |= std::uint64_t{!wrong[at(Quantity::ddr)] && !wrong[at(Quantity::ssd)]} << i;
  });
  return fitting;
}

// Adds the options of the last variant that the printed cells allow.
void add_options(const Setting& setting, const TableInputs& table, std::uint64_t possible, const TableParts& parts,
                 TableState& state) {
  each_bit(fitting_combos(setting, table, parts.back(), possible), [&](int combo) {
    state.options.push_back({static_cast<std::uint8_t>(parts.size() - 1), static_cast<std::uint8_t>(combo)});
  });
}

void add_virtual(const Setting& setting, const TableInputs& table, PartsMaker& maker, TableParts& parts,
                 TableState& state) {
  if (!setting.rules->virtual_flag || table.kernel->key_value) return;
  Variant variant;
  variant.virtual_table = true;
  variant.free_ratio = is_ratio_hidden(setting, table);
  const std::uint64_t possible = possible_combos(setting, table, true);
  maker.make(table, variant, possible, nullptr, parts.add());
  add_options(setting, table, possible, parts, state);
}

// Options of one table in the free tier; a virtual table only if nothing else fits. Returns how many printed cells even
// the best of them contradicts.
std::int64_t free_options(const Setting& setting, const TableInputs& table, Freedom freedom, bool may_be_virtual,
                          PartsMaker& maker, TableParts& parts, TableState& state) {
  const std::uint64_t possible = possible_combos(setting, table, true);
  maker.make(table, variant_of(setting, table, freedom), possible, nullptr, parts.add());
  const int passes = most_passes(setting, table);
  const std::uint64_t may_fit = passes > 1 ? fitting_beside_hbm(setting, table, parts.front(), possible) : possible;
  add_options(setting, table, may_fit, parts, state);
  for (int p = 2; p <= passes; ++p) {
    Parts& own = parts.add();
    maker.make_with_passes(table, p, parts.front(), own);
    add_options(setting, table, may_fit, parts, state);
  }
  if (state.options.empty() && may_be_virtual) add_virtual(setting, table, maker, parts, state);
  if (!state.options.empty()) return 0;
  LeastContradicted best(state);
  for (std::uint8_t v = 0; v < parts.size(); ++v) {
    if (parts[v].variant.virtual_table) continue;
    const CellTest contradicted(setting, table, parts[v]);
    each_bit(possible, [&](int i) { best.look_at({v, static_cast<std::uint8_t>(i)}, contradicted(combo_of(i))); });
  }
  return best.cells();
}

// One setting in the free tier.
class FreeTier {
 public:
  FreeTier(const PlanInputs& plan, KnownSums& sums, const Setting& setting, const PlanWide& wide, Freedom freedom,
           SplitRows rows, bool may_mislead)
      : plan_(plan),
        sums_(sums),
        wide_(wide),
        freedom_(freedom),
        telling_ranks_(freedom == Freedom::columns_if_unseen ? ranks_that_tell(plan) : std::vector<bool>()),
        may_mislead_(may_mislead),
        parts_(std::make_shared<PooledParts>(plan.tables.size())) {
    start_.setting = setting;
    start_.uniform = false;
    start_.rows.how = rows;
    start_.pair = wide.pair;
    start_.parts = tables_of(parts_);
    start_.tables.resize(plan.tables.size());
  }

  // What the tables' own cells allow; false: that alone costs more than `limit`. Tables that the plan-wide values do
  // not explain are counted before they are listed.
  bool list_options(std::int64_t limit, bool may_be_virtual) {
    std::vector<bool> departs(plan_.tables.size());
    for (const std::uint32_t t : wide_.denied_by) departs[t] = departs_anyhow(plan_.tables[t]);
    std::int64_t forced = 0, left = std::ranges::count(departs, true);
    PartsMaker maker(start_.setting, start_.rows, &parts_->pool);
    for (const std::uint32_t t : costly_first()) {
      const TableInputs& table = plan_.tables[t];
      if (!can_be_rebuilt(table)) continue;
      start_.contradictions += free_options(start_.setting, table, freedom_of(table), may_be_virtual, maker,
                                            parts_->tables[t], start_.tables[t]);
      forced += departures(table, start_.tables[t], parts_->tables[t], start_.pair);
      left -= departs[t];
      if (start_.cost() + forced + left > limit) return false;
    }
    return true;
  }

  bool has_virtual_table() const {
    return std::ranges::any_of(parts_->tables, [](const TableParts& parts) { return is_virtual(parts); });
  }
  // Lets any table be virtual without its cells saying so.
  void allow_virtual_tables() {
    PartsMaker maker(start_.setting, start_.rows, &parts_->pool);
    for (std::size_t t = 0; t < plan_.tables.size(); ++t)
      if (auto& parts = parts_->tables[t]; !parts.empty() && !is_virtual(parts))
        add_virtual(start_.setting, plan_.tables[t], maker, parts, start_.tables[t]);
  }

  // What all sums together leave of the options, and of the split of rows where that is hidden.
  Outcome settled(std::int64_t limit) const {
    Outcome outcome = settled(start_, limit);
    each_row_split(plan_, outcome, limit,
                   [&](const RowSplit& rows) { outcome = settled(with_rows(plan_, start_, rows), limit); });
    return outcome;
  }

 private:
  bool splits_rows() const { return start_.rows.how != SplitRows::evenly; }

  // Does a table that denies the plan-wide values with the usual inputs and evenly split rows deny them here as well?
  bool departs_anyhow(const TableInputs& table) const {
    return !has_hidden_inputs(table) && !(splits_rows() && table.sharding == Sharding::rw);
  }

  // The tables, those in front that are likely to cost more than is known: too much shows before all are listed.
  std::vector<std::uint32_t> costly_first() const {
    std::vector<std::uint32_t> tables(plan_.tables.size());
    std::iota(tables.begin(), tables.end(), 0u);
    std::vector<bool> is_denying(tables.size());
    for (const std::uint32_t t : wide_.denied_by) is_denying[t] = true;
    std::stable_partition(tables.begin(), tables.end(), [&](std::uint32_t t) {
      return splits_rows() ? is_row_wise(plan_.tables[t]) : is_denying[t];
    });
    return tables;
  }

  Freedom freedom_of(const TableInputs& table) const {
    if (freedom_ != Freedom::columns_if_unseen) return freedom_;
    return is_on_any(telling_ranks_, table) ? Freedom::sizes : Freedom::columns;
  }

  static bool is_virtual(const TableParts& parts) { return !parts.empty() && parts.back().variant.virtual_table; }

  // Several tables that depart from the plan-wide values show in several sums: if only one asks for them, it is wrong.
  // Where that would cost more than `limit`, too many tables may depart from the wrong plan-wide element size.
  Outcome settled(const Outcome& start, std::int64_t limit) const {
    Outcome outcome = listed(start);
    Sums sums(plan_, outcome);
    sums.settle();
    const PlanWideSums wide(plan_, outcome, sums.bounds());
    const Departures found = wide.departures();
    const bool wrong = is_wrong_line(found) && !wide.are_usual(found, own_departures(plan_, start).usual);
    const std::int64_t departing = own_departures(plan_, outcome).values;
    if (!wrong && outcome.cost() + departing + found.tables <= limit) {
      outcome.freedoms += departing + found.tables;
      return outcome;
    }
    Outcome best = wrong ? contradicted(start, found.line) : with_freedoms(outcome, departing + found.tables);
    constexpr int kStep = static_cast<int>(kOptimizers.size());
    for (int pair = start.pair % kStep; pair < kPairs; pair += kStep) {
      if (pair == start.pair) continue;
      outcome.pair = pair;
      const Departures other = PlanWideSums(plan_, outcome, sums.bounds()).departures();
      if (is_wrong_line(other)) continue;
      Outcome one = with_freedoms(outcome, own_departures(plan_, outcome).values + other.tables);
      if (weight(one) < weight(best) || (wrong && weight(one) == weight(best))) best = std::move(one);
    }
    // Where the own cells of several tables are wrong, so are several sums.
    const bool may_be_one = may_mislead_ && start.contradictions < kSeveralWrong;
    return may_be_one && best.contradictions >= kSeveralWrong ? without_one_sum(start, std::move(best)) : best;
  }

  // A wrong sum takes options from the tables that all others then lack: is there one without which these agree?
  Outcome without_one_sum(const Outcome& start, Outcome best) const {
    constexpr std::size_t kMostTried = 16;
    Outcome before = listed(start);
    const SumBounds bounds(plan_, before);
    fit_constants(plan_, before, bounds);
    for (const std::uint32_t line : PlanWideSums(plan_, before, bounds).furthest_off(kMostTried)) {
      Outcome one = contradicted(start, line);
      if (weight(one) < weight(best)) best = std::move(one);
    }
    return best;
  }

  // Takes the printed sum for wrong: it removes no option.
  Outcome contradicted(const Outcome& start, std::uint32_t line) const {
    Outcome outcome = listed(start);
    SumLine& wrong = outcome.sums[line];
    wrong.contradicted = true;
    Sums sums(plan_, outcome);
    sums.settle();
    const PlanWideSums wide(plan_, outcome, sums.bounds());
    const Departures left = wide.departures();
    // Where no other sum departs from the plan-wide values, neither does this one.
    if (left.tables == 0) wrong.expected = wide.of(wrong);
    outcome.freedoms += own_departures(plan_, outcome).values + left.tables;
    return outcome;
  }

  static Outcome with_freedoms(Outcome outcome, std::int64_t freedoms) {
    outcome.freedoms += freedoms;
    return outcome;
  }

  Outcome listed(const Outcome& start) const {
    Outcome outcome = start;
    sums_.list_in(outcome, false);
    return outcome;
  }

  const PlanInputs& plan_;
  KnownSums& sums_;
  const PlanWide& wide_;
  Freedom freedom_;
  std::vector<bool> telling_ranks_;  // by which unusual inputs would show; only columns_if_unseen asks for them
  bool may_mislead_;                 // a sum
  std::shared_ptr<PooledParts> parts_;
  Outcome start_;  // before any sum was looked at
};

// Where one table has to be virtual, any other may be too without its cells saying so. If only sums ask for another
// one, that counts as a table of its own kind.
Outcome with_any_virtual(FreeTier& tier, std::int64_t limit, Outcome needed) {
  tier.allow_virtual_tables();
  Outcome any = tier.settled(limit);
  if (any.contradictions < needed.contradictions) any.freedoms += kVirtual;
  return weight(any) <= weight(needed) ? any : needed;
}

}  // namespace

std::int64_t own_contradictions(const Outcome& outcome) {
  std::int64_t own = 0;
  for (const TableState& table : outcome.tables) own += count(table.contradicted);
  return own;
}

int departures(const TableInputs& table, const TableState& state, const TableParts& parts, int pair) {
  const auto is_virtual = [&](Option option) { return parts[option.variant].variant.virtual_table; };
  if (state.options.empty() || plan_wide_option(table, parts, state.options, pair)) return 0;
  return std::all_of(state.options.begin(), state.options.end(), is_virtual) ? kVirtual : 1;
}

std::optional<Outcome> Evaluator::free(const Setting& setting, const PlanWide& wide, Freedom freedom, SplitRows rows,
                                       std::int64_t limit, bool may_mislead) {
  FreeTier tier(plan_, sums_, setting, wide, freedom, rows, may_mislead);
  if (!tier.list_options(limit, true)) return std::nullopt;
  auto outcome = tier.settled(limit);
  if (outcome.cost() <= limit && tier.has_virtual_table()) {
    outcome = with_any_virtual(tier, limit, std::move(outcome));
    // A wrong cell looks like a virtual table that no sum knows of: one alone does not speak for such a table.
    FreeTier without(plan_, sums_, setting, wide, freedom, rows, may_mislead);
    if (without.list_options(limit, false)) {
      auto other = without.settled(limit);
      const bool is_one_cell = other.contradictions <= outcome.contradictions + 1;
      if (other.cost() <= limit && (is_one_cell || weight(other) < weight(outcome))) outcome = std::move(other);
    }
  }
  if (outcome.cost() > limit) return std::nullopt;
  return outcome;
}

Outcome Evaluator::with_split(Outcome outcome, const Setting& setting, SplitRows rows) {
  outcome.setting = setting;
  Outcome split = with_rows(plan_, std::move(outcome), {rows, nullptr, nullptr});
  split.contradictions = own_contradictions(split);
  // A uniform hypothesis whose tables were given more options has the sums of the free tier.
  sums_.list_in(split, split.lines->split().uniform);
  Sums(plan_, split).settle();
  return split;
}

}  // namespace shardstats::infer_detail
