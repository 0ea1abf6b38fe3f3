#include "infer/evaluate.h"

#include <algorithm>
#include <limits>

#include "infer/sums.h"

namespace shardstats::infer_detail {
namespace {

std::int64_t count(const WrongCells& cells) { return std::count(cells.begin(), cells.end(), true); }

std::vector<Variant> variants_of(const Setting& setting, const TableInputs& table, Freedom freedom) {
  const bool cached = is_cached(*table.kernel, setting.rules->release);
  const bool hidden_inputs = !table.poolings_known || (columns_hidden(table) && table.ranks.size() > 1);
  Variant base;
  base.free_ratio = is_ratio_hidden(setting, table);
  base.free_inputs = hidden_inputs && freedom >= Freedom::inputs;
  const bool passes = cached && setting.pipeline == Pipeline::train_prefetch_sparse_dist &&
                      !(setting.inference && setting.rules->inference);
  std::vector<Variant> variants;
  for (int p = 1; p <= (passes ? kManyPasses : 1); ++p) {
    base.passes = p;
    variants.push_back(base);
  }
  return variants;
}

// Options of one table in the free tier; `virtual_too`: it may be a virtual table even if nothing asks for that.
// Returns how many printed cells even the best of them contradicts.
std::int64_t free_options(const Setting& setting, const TableInputs& table, Freedom freedom, bool virtual_too,
                          TableParts& parts, TableState& state) {
  const std::uint64_t possible = possible_combos(setting, table, true);
  const auto add = [&](const Variant& variant) {
    parts.push_back(make_parts(setting, table, variant, freedom == Freedom::rows, possible));
    const std::uint64_t fits = fitting_combos(setting, table, parts.back(), possible);
    for (int i = 0; i < kCombos; ++i)
      if ((fits >> i & 1) != 0)
        state.options.push_back({static_cast<std::uint8_t>(parts.size() - 1), static_cast<std::uint8_t>(i)});
  };
  for (const Variant& variant : variants_of(setting, table, freedom)) add(variant);
  const bool may_be_virtual = setting.rules->virtual_flag && !table.kernel->key_value;
  if ((state.options.empty() || virtual_too) && may_be_virtual) {
    Variant variant;
    variant.virtual_table = true;
    variant.free_ratio = is_ratio_hidden(setting, table);
    add(variant);
  }
  if (!state.options.empty()) return 0;
  std::int64_t fewest = 4;
  for (std::uint8_t v = 0; v < parts.size(); ++v)
    for (int i = 0; i < kCombos; ++i) {
      if ((possible >> i & 1) == 0 || parts[v].variant.virtual_table) continue;
      const auto wrong = contradicted_cells(table, cell_bytes(setting, parts[v], combo_of(i)));
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
  const auto is_wide = [&](Option option) { return is_plan_wide(table, parts, option, pair); };
  const auto is_virtual = [&](Option option) { return parts[option.variant].variant.virtual_table; };
  if (state.options.empty() || std::any_of(state.options.begin(), state.options.end(), is_wide)) return 0;
  return std::all_of(state.options.begin(), state.options.end(), is_virtual) ? 2 : 1;
}

// Several tables that depart from the plan-wide values show in several sums. If only one asks for them, it is wrong.
void settle(const PlanInputs& plan, Outcome& outcome) {
  const Outcome before = outcome;
  Sums sums(plan, outcome);
  sums.settle();
  const Departures found = sums.departures();
  if (found.lines != 1 || found.tables < 2) {
    outcome.freedoms += found.tables;
    return;
  }
  outcome = before;
  Sums(plan, outcome).contradict(found.line);
}

std::optional<Outcome> evaluate_tables(const PlanInputs& plan, const Setting& setting, int pair, Freedom freedom,
                                       bool virtual_too, std::int64_t limit) {
  const bool uneven = freedom == Freedom::rows;
  Outcome outcome;
  outcome.setting = setting;
  outcome.uniform = false;
  outcome.uneven = uneven;
  outcome.pair = pair;
  outcome.tables.resize(plan.tables.size());
  auto parts = std::make_shared<std::vector<TableParts>>(plan.tables.size());
  std::int64_t forced = 0;
  for (std::size_t t = 0; t < plan.tables.size(); ++t) {
    const TableInputs& table = plan.tables[t];
    if (!table.sized || table.kernel == nullptr) continue;
    outcome.contradictions += free_options(setting, table, freedom, virtual_too, (*parts)[t], outcome.tables[t]);
    forced += departures(table, outcome.tables[t], (*parts)[t], pair);
    if (outcome.cost() + forced > limit) return std::nullopt;
  }
  outcome.parts = parts;
  settle(plan, outcome);
  for (std::size_t t = 0; t < plan.tables.size(); ++t) {
    if ((*parts)[t].empty()) continue;
    outcome.freedoms += departures(plan.tables[t], outcome.tables[t], (*parts)[t], pair);
  }
  if (outcome.cost() > limit) return std::nullopt;
  return outcome;
}

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
    each_bit(live_, [&](int p) {
      wrong_[at(p)] += count(contradicted_cells(table, cell_bytes(setting, parts, plan_wide(table, p))));
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
  std::uint32_t live_;
  std::int64_t far_behind_;
  std::int64_t fewest_dropped_ = std::numeric_limits<std::int64_t>::max();
};

Outcome uniform_outcome(const PlanInputs& plan, const Setting& setting, int pair, std::int64_t wrong,
                        const std::shared_ptr<const std::vector<TableParts>>& parts) {
  Outcome outcome;
  outcome.setting = setting;
  outcome.pair = pair;
  outcome.parts = parts;
  outcome.tables.resize(plan.tables.size());
  outcome.contradictions = wrong;
  for (std::size_t t = 0; t < plan.tables.size(); ++t) {
    if ((*parts)[t].empty()) continue;
    const Combo combo = plan_wide(plan.tables[t], pair);
    outcome.tables[t].options.push_back({0, static_cast<std::uint8_t>(combo_index(combo))});
    outcome.tables[t].contradicted =
        contradicted_cells(plan.tables[t], cell_bytes(setting, (*parts)[t].front(), combo));
  }
  Sums(plan, outcome).settle();
  return outcome;
}

}  // namespace

std::vector<Outcome> evaluate_uniform(const PlanInputs& plan, const Setting& setting, std::uint32_t allowed_pairs,
                                      std::int64_t limit, std::int64_t& least) {
  auto parts = std::make_shared<std::vector<TableParts>>(plan.tables.size());
  const auto count_all = [&](PairCounts& counts) {
    for (std::size_t t = 0; t < plan.tables.size(); ++t) {
      const TableInputs& table = plan.tables[t];
      if (!table.sized || table.kernel == nullptr) continue;
      Variant variant;
      variant.free_ratio = is_ratio_hidden(setting, table);
      (*parts)[t].clear();
      (*parts)[t].push_back(make_parts(setting, table, variant, false, counts.combos(table)));
      counts.add(setting, table, (*parts)[t].front());
      least = counts.least();
      if (least > limit) return false;
    }
    return true;
  };
  PairCounts counts(allowed_pairs);
  if (!count_all(counts)) return {};
  if (counts.dropped_too_early()) {
    counts = PairCounts(allowed_pairs, std::numeric_limits<std::int64_t>::max() / 2);
    if (!count_all(counts)) return {};
  }
  least = std::numeric_limits<std::int64_t>::max();
  std::vector<Outcome> outcomes;
  for (const auto& [wrong, pair] : counts.ranking()) {
    if (wrong > limit) break;
    Outcome outcome = uniform_outcome(plan, setting, pair, wrong, parts);
    least = std::min(least, outcome.cost());
    if (outcome.cost() > limit) continue;
    if (outcome.cost() < limit) outcomes.clear();
    limit = outcome.cost();
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

std::optional<Outcome> evaluate_free(const PlanInputs& plan, const Setting& setting, int pair, Freedom freedom,
                                     std::int64_t limit) {
  auto outcome = evaluate_tables(plan, setting, pair, freedom, false, limit);
  const auto is_virtual = [&](const TableParts& parts) { return !parts.empty() && parts.back().variant.virtual_table; };
  if (!outcome || std::none_of(outcome->parts->begin(), outcome->parts->end(), is_virtual)) return outcome;
  // Where one table has to be virtual, any other may be too without its cells saying so.
  return evaluate_tables(plan, setting, pair, freedom, true, limit);
}

std::vector<Lookups> lookups_by_columns(const PlanInputs& plan, Outcome& outcome) {
  std::vector<SumLine> sums = std::move(outcome.sums);
  outcome.sums.clear();
  Sums again(plan, outcome);
  outcome.sums = std::move(sums);  // the same lines in the same order, with what was found out about them
  return again.narrowed_lookups();
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
