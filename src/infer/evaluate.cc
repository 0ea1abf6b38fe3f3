#include "infer/evaluate.h"

#include <algorithm>
#include <limits>

#include "infer/sums.h"

namespace shardstats::infer_detail {
namespace {

std::int64_t count(const WrongCells& cells) { return std::count(cells.begin(), cells.end(), true); }

bool has_hidden_inputs(const TableInputs& table) {
  return !table.poolings_known || (columns_hidden(table) && table.ranks.size() > 1);
}

std::vector<Variant> variants_of(const Setting& setting, const TableInputs& table, Freedom freedom) {
  const bool cached = is_cached(*table.kernel, setting.rules->release);
  Variant base;
  base.free_ratio = is_ratio_hidden(setting, table);
  base.free_inputs = has_hidden_inputs(table) && freedom >= Freedom::inputs;
  const bool passes = cached && setting.pipeline == Pipeline::train_prefetch_sparse_dist &&
                      !(setting.inference && setting.rules->inference);
  std::vector<Variant> variants;
  for (int p = 1; p <= (passes ? kManyPasses : 1); ++p) {
    base.passes = p;
    variants.push_back(base);
  }
  return variants;
}

// Adds a variant of the table with those of its options that the printed cells allow.
void add_variant(const Setting& setting, const TableInputs& table, const Variant& variant, bool uneven,
                 std::uint64_t possible, TableParts& parts, TableState& state) {
  parts.push_back(make_parts(setting, table, variant, uneven, possible));
  each_bit(fitting_combos(setting, table, parts.back(), possible), [&](int combo) {
    state.options.push_back({static_cast<std::uint8_t>(parts.size() - 1), static_cast<std::uint8_t>(combo)});
  });
}

void add_virtual(const Setting& setting, const TableInputs& table, bool uneven, TableParts& parts, TableState& state) {
  if (!setting.rules->virtual_flag || table.kernel->key_value) return;
  Variant variant;
  variant.virtual_table = true;
  variant.free_ratio = is_ratio_hidden(setting, table);
  add_variant(setting, table, variant, uneven, possible_combos(setting, table, true), parts, state);
}

// Options of one table in the free tier; a virtual table only if nothing else fits. Returns how many printed cells even
// the best of them contradicts.
std::int64_t free_options(const Setting& setting, const TableInputs& table, Freedom freedom, TableParts& parts,
                          TableState& state) {
  const std::uint64_t possible = possible_combos(setting, table, true);
  const bool uneven = freedom == Freedom::rows;
  for (const Variant& variant : variants_of(setting, table, freedom))
    add_variant(setting, table, variant, uneven, possible, parts, state);
  if (state.options.empty()) add_virtual(setting, table, uneven, parts, state);
  if (!state.options.empty()) return 0;
  std::int64_t fewest = 4;
  for (std::uint8_t v = 0; v < parts.size(); ++v)
    for (int i = 0; i < kCombos; ++i) {
      if ((possible >> i & 1) == 0 || parts[v].variant.virtual_table) continue;
      const auto wrong = contradicted_cells(setting, table, parts[v], combo_of(i));
      if (count(wrong) < fewest) {
        fewest = count(wrong);
        state.options.clear();
        state.contradicted = wrong;
      }
      if (count(wrong) == fewest && wrong == state.contradicted)
        state.options.push_back({v, static_cast<std::uint8_t>(i)});
    }
  return fewest;
}

// Values of its own that the table needs: one for departing from the plan-wide ones, another for the hidden size of the
// key-value cache of a virtual table.
int departures(const TableInputs& table, const TableState& state, const TableParts& parts, int pair) {
  const auto is_virtual = [&](Option option) { return parts[option.variant].variant.virtual_table; };
  if (state.options.empty() || plan_wide_option(table, parts, state.options, pair)) return 0;
  return std::all_of(state.options.begin(), state.options.end(), is_virtual) ? 2 : 1;
}

// One setting in the free tier.
class FreeTier {
 public:
  FreeTier(const PlanInputs& plan, KnownSums& sums, const Setting& setting, int pair, Freedom freedom)
      : plan_(plan), sums_(sums), freedom_(freedom), parts_(std::make_shared<std::vector<TableParts>>()) {
    parts_->resize(plan.tables.size());
    start_.setting = setting;
    start_.uniform = false;
    start_.uneven = freedom == Freedom::rows;
    start_.pair = pair;
    start_.parts = parts_;
    start_.tables.resize(plan.tables.size());
  }

  // What the tables' own cells allow; false: that alone costs more than `limit`.
  bool list_options(std::int64_t limit) {
    std::int64_t forced = 0;
    for (std::size_t t = 0; t < plan_.tables.size(); ++t) {
      const TableInputs& table = plan_.tables[t];
      if (!table.sized || table.kernel == nullptr) continue;
      start_.contradictions += free_options(start_.setting, table, freedom_, (*parts_)[t], start_.tables[t]);
      forced += departures(table, start_.tables[t], (*parts_)[t], start_.pair);
      if (start_.cost() + forced > limit) return false;
    }
    return true;
  }

  bool has_virtual_table() const {
    return std::any_of(parts_->begin(), parts_->end(), [](const TableParts& parts) { return is_virtual(parts); });
  }
  // Lets any table be virtual without its cells saying so.
  void allow_virtual_tables() {
    for (std::size_t t = 0; t < plan_.tables.size(); ++t)
      if (auto& parts = (*parts_)[t]; !parts.empty() && !is_virtual(parts))
        add_virtual(start_.setting, plan_.tables[t], start_.uneven, parts, start_.tables[t]);
  }

  // What all sums together leave of the options. Several tables that depart from the plan-wide values show in several
  // sums: if only one asks for them, it is wrong.
  Outcome settled() const {
    Outcome outcome = listed();
    Sums sums(plan_, outcome);
    sums.settle();
    if (const Departures found = sums.departures(); found.lines != 1 || found.tables < 2) {
      outcome.freedoms += found.tables;
    } else {
      outcome = listed();
      Sums(plan_, outcome).contradict(found.line);
    }
    for (std::size_t t = 0; t < plan_.tables.size(); ++t) {
      if ((*parts_)[t].empty()) continue;
      outcome.freedoms += departures(plan_.tables[t], outcome.tables[t], (*parts_)[t], outcome.pair);
    }
    return outcome;
  }

 private:
  static bool is_virtual(const TableParts& parts) { return !parts.empty() && parts.back().variant.virtual_table; }

  Outcome listed() const {
    Outcome outcome = start_;
    outcome.lines = sums_.of(outcome);
    outcome.sums = outcome.lines->lines();
    return outcome;
  }

  const PlanInputs& plan_;
  KnownSums& sums_;
  Freedom freedom_;
  std::shared_ptr<std::vector<TableParts>> parts_;
  Outcome start_;  // before any sum was looked at
};

}  // namespace

bool equal_shards(const Outcome& outcome, const TableInputs& table) {
  return !(outcome.uneven && table.sharding == Sharding::rw) && !columns_hidden(table);
}

namespace {

// How many printed storage cells each plan-wide pair contradicts. A pair far behind the best is not followed further.
class PairCounts {
 public:
  explicit PairCounts(std::uint32_t allowed, std::int64_t far_behind = kFarBehind)
      : live_(allowed), far_behind_(far_behind) {}

  // What the pairs that are still followed mean for a table: a set of combos.
  std::uint64_t combos(const TableInputs& table) const {
    std::uint64_t all = 0;
    each_bit(live_, [&](int p) { all |= std::uint64_t{1} << combo_index(plan_wide(table, p)); });
    return all;
  }

  void add(const Setting& setting, const TableInputs& table, const Parts& parts) {
    const bool departs = !has_hidden_inputs(table), departs_anyhow = departs && table.sharding != Sharding::rw;
    each_bit(live_, [&](int p) {
      const auto wrong = count(contradicted_cells(setting, table, parts, plan_wide(table, p)));
      wrong_[at(p)] += wrong;
      if (wrong == 0) return;
      departing_[at(p)].inputs += departs;
      departing_[at(p)].rows += departs_anyhow;
    });
    const std::int64_t fewest = least();
    each_bit(live_, [&](int p) {
      if (wrong_[at(p)] <= fewest + far_behind_) return;
      live_ &= ~(1u << p);
      fewest_dropped_ = std::min(fewest_dropped_, wrong_[at(p)]);
    });
  }
  std::int64_t least() const {
    std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
    each_bit(live_, [&](int p) { fewest = std::min(fewest, wrong_[at(p)]); });
    return fewest;
  }
  // Did a dropped pair possibly end up better than those that were followed?
  bool dropped_too_early() const { return fewest_dropped_ <= least(); }

  const Departing& departing(int p) const { return departing_[at(p)]; }

  // The pairs that were followed, best first.
  std::vector<std::pair<std::int64_t, int>> ranking() const {
    std::vector<std::pair<std::int64_t, int>> pairs;
    each_bit(live_, [&](int p) { pairs.emplace_back(wrong_[at(p)], p); });
    std::sort(pairs.begin(), pairs.end());
    return pairs;
  }

 private:
  static constexpr std::int64_t kFarBehind = 24;
  static std::size_t at(int p) { return static_cast<std::size_t>(p); }
  std::array<std::int64_t, kPairs> wrong_{};
  std::array<Departing, kPairs> departing_{};
  std::uint32_t live_;
  std::int64_t far_behind_;
  std::int64_t fewest_dropped_ = std::numeric_limits<std::int64_t>::max();
};

// One setting in the uniform tier.
class UniformTier {
 public:
  UniformTier(const PlanInputs& plan, KnownSums& sums, const Setting& setting, std::uint32_t allowed_pairs)
      : plan_(plan), sums_(sums), setting_(setting), allowed_(allowed_pairs), counts_(allowed_pairs) {}

  // What the tables' own cells say of each pair; false: even the best contradicts more than `limit` of them.
  bool count_cells(std::int64_t limit) {
    if (!count_all(limit)) return false;
    if (!counts_.dropped_too_early()) return true;
    counts_ = PairCounts(allowed_, std::numeric_limits<std::int64_t>::max() / 2);
    return count_all(limit);
  }
  const PairCounts& counts() const { return counts_; }

  // All outcomes whose cost is the least and at most `limit`. Sets `least` to the least cost of any if there are none.
  std::vector<Outcome> outcomes(std::int64_t limit, std::int64_t& least) const {
    least = std::numeric_limits<std::int64_t>::max();
    std::vector<Outcome> found;
    for (const auto& [wrong, pair] : counts_.ranking()) {
      if (wrong > limit) break;
      auto outcome = outcome_of(pair, wrong, std::max(limit, least));
      if (!outcome) continue;
      least = std::min(least, outcome->cost());
      if (outcome->cost() > limit) continue;
      if (outcome->cost() < limit) found.clear();
      limit = outcome->cost();
      found.push_back(std::move(*outcome));
    }
    return found;
  }

 private:
  bool count_all(std::int64_t limit) {
    parts_ = std::make_shared<std::vector<TableParts>>(plan_.tables.size());
    for (std::size_t t = 0; t < plan_.tables.size(); ++t) {
      const TableInputs& table = plan_.tables[t];
      if (!table.sized || table.kernel == nullptr) continue;
      Variant variant;
      variant.free_ratio = is_ratio_hidden(setting_, table);
      (*parts_)[t].push_back(make_parts(setting_, table, variant, false, counts_.combos(table)));
      counts_.add(setting_, table, (*parts_)[t].front());
      if (counts_.least() > limit) return false;
    }
    return true;
  }

  // None if it costs more than `limit`.
  std::optional<Outcome> outcome_of(int pair, std::int64_t wrong, std::int64_t limit) const {
    Outcome outcome;
    outcome.setting = setting_;
    outcome.pair = pair;
    outcome.parts = parts_;
    outcome.tables.resize(plan_.tables.size());
    outcome.contradictions = wrong;
    for (std::size_t t = 0; t < plan_.tables.size(); ++t) {
      if ((*parts_)[t].empty()) continue;
      const Combo combo = plan_wide(plan_.tables[t], pair);
      outcome.tables[t].options.push_back({0, static_cast<std::uint8_t>(combo_index(combo))});
      outcome.tables[t].contradicted = contradicted_cells(setting_, plan_.tables[t], (*parts_)[t].front(), combo);
    }
    outcome.lines = sums_.of(outcome);
    outcome.sums = outcome.lines->lines();
    if (!Sums(plan_, outcome).settle_within(limit)) return std::nullopt;
    return outcome;
  }

  const PlanInputs& plan_;
  KnownSums& sums_;
  const Setting& setting_;
  std::uint32_t allowed_;
  PairCounts counts_;
  std::shared_ptr<std::vector<TableParts>> parts_;
};

}  // namespace

std::vector<Outcome> Evaluator::uniform(const Setting& setting, std::uint32_t allowed_pairs, std::int64_t limit,
                                        std::int64_t& least, std::optional<PlanWide>& wide) {
  UniformTier tier(plan_, sums_, setting, allowed_pairs);
  if (!tier.count_cells(limit)) {
    least = tier.counts().least();
    return {};
  }
  auto outcomes = tier.outcomes(limit, least);
  if (!outcomes.empty()) wide = {outcomes.front().pair, tier.counts().departing(outcomes.front().pair)};
  return outcomes;
}

std::optional<PlanWide> Evaluator::plan_wide_of(const Setting& setting, std::uint32_t allowed_pairs, Departing most) {
  UniformTier tier(plan_, sums_, setting, allowed_pairs);
  tier.count_cells(kNoLimit);
  const auto may_do = [&](const auto& ranked) {
    const Departing departing = tier.counts().departing(ranked.second);
    return departing.inputs <= most.inputs || departing.rows <= most.rows;
  };
  if (!std::ranges::any_of(tier.counts().ranking(), may_do)) return std::nullopt;
  std::int64_t least = 0;
  const auto outcomes = tier.outcomes(kNoLimit, least);
  if (outcomes.empty()) return PlanWide{};
  return PlanWide{outcomes.front().pair, tier.counts().departing(outcomes.front().pair)};
}

std::optional<Outcome> Evaluator::free(const Setting& setting, int pair, Freedom freedom, std::int64_t limit) {
  FreeTier tier(plan_, sums_, setting, pair, freedom);
  if (!tier.list_options(limit)) return std::nullopt;
  auto outcome = tier.settled();
  if (outcome.cost() <= limit && tier.has_virtual_table()) {
    // Where one table has to be virtual, any other may be too without its cells saying so.
    tier.allow_virtual_tables();
    outcome = tier.settled();
  }
  if (outcome.cost() > limit) return std::nullopt;
  return outcome;
}

std::vector<Lookups> lookups_by_columns(const PlanInputs& plan, Outcome& outcome) {
  return Sums(plan, outcome).narrowed_lookups();
}

CellBytes remaining(const Outcome& outcome, std::uint32_t table) {
  std::optional<CellBytes> all;
  for (const Option option : outcome.tables[table].options) {
    const Parts& parts = (*outcome.parts)[table][option.variant];
    const CellBytes one = cell_bytes(outcome.setting, parts, combo_of(option.combo));
    if (!all) all = one;
    for (std::size_t c = 0; c < one.size(); ++c) (*all)[c] = hull((*all)[c], one[c]);
  }
  return all.value_or(CellBytes{});
}

}  // namespace shardstats::infer_detail
