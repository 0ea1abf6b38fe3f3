#include "infer/search.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "infer/free_search.h"
#include "infer/row_signs.h"

namespace shardstats::infer_detail {
namespace {

void keep_best(SearchResult& result, std::int64_t& limit, Survivor survivor) {
  const std::int64_t cost = survivor.outcome.cost();
  if (cost > limit) return;
  if (cost < limit) {
    for (Survivor& worse : result.survivors)
      result.excluded.push_back({std::move(worse.members), worse.outcome.cost()});
    result.survivors.clear();
  }
  limit = cost;
  result.survivors.push_back(std::move(survivor));
}

// Where some of the releases know buckets, their split holds that by capacities, too.
SplitRows hidden_split_of(const std::vector<Setting>& members) {
  return knows_buckets(members) ? SplitRows::by_buckets : SplitRows::by_memory;
}

// In a large plan a table of its own kind shows in several cells: one alone is a wrong one.
bool is_large(const PlanInputs& plan) {
  constexpr std::size_t kLarge = 200;
  return plan.tables.size() >= kLarge;
}

// A hypothesis whose tables were given other options still is the one that was found: it counts as much.
void keep_counts_of(const Outcome& found, Outcome& other) {
  other.uniform = found.uniform;
  other.contradictions = found.contradictions;
  other.freedoms = found.freedoms;
  other.statistics = found.statistics;
}

// Which values of an option are those that the plan-wide pair gives all tables: element size, output element size,
// optimizer and passes.
using SameValues = std::array<bool, 4>;

SameValues same_values(const TableInputs& table, int pair, const TableParts& parts, Option option) {
  const Combo combo = combo_of(option.combo), wide = plan_wide(table, pair);
  return {combo.element == wide.element, combo.output == combo.element, combo.optimizer == wide.optimizer,
          parts[option.variant].variant.passes == 1};
}

// A uniform hypothesis says of each table what only some of them show. Where enough tables show a value by themselves,
// it is taken for all, as long as the ranks of all tables are there to deny it; else a table that does not show it may
// have any value that its own cells allow.
void take_shown_values(const PlanInputs& plan, int pair, Outcome& free) {
  constexpr int kEnoughTables = 16;
  if (plan.missing) return;
  const auto same = [&](std::size_t t, Option option) {
    return same_values(plan.tables[t], pair, (*free.parts)[t], option);
  };
  std::array<int, SameValues().size()> shown{};  // by how many tables
  for (std::size_t t = 0; t < plan.tables.size(); ++t) {
    const auto& options = free.tables[t].options;
    const bool has_passes = (*free.parts)[t].size() > 1;  // others have one, and show nothing
    for (std::size_t v = 0; v < shown.size() - !has_passes; ++v)
      shown[v] += !options.empty() && std::ranges::all_of(options, [&](Option o) { return same(t, o)[v]; });
  }
  for (std::size_t t = 0; t < plan.tables.size(); ++t)
    free.tables[t].options.erase_if([&](Option option) {
      const SameValues is = same(t, option);
      for (std::size_t v = 0; v < shown.size(); ++v)
        if (shown[v] >= kEnoughTables && !is[v]) return true;
      return false;
    });
}

// What the uniform hypothesis says stays possible, and nothing else of a table that contradicts it.
void keep_options_of(const Outcome& uniform, Outcome& free) {
  for (std::size_t t = 0; t < uniform.tables.size(); ++t) {
    TableState& own = free.tables[t];
    const TableState& before = uniform.tables[t];
    own.contradicted = before.contradicted;
    if (count(before.contradicted) > 0) own.options.clear();
    for (const Option option : before.options)
      if (std::ranges::find(own.options, option) == own.options.end()) own.options.push_back(option);
  }
}

// Gives the tables of a uniform hypothesis the options that nothing contradicts.
void widen(const PlanInputs& plan, Evaluator& evaluator, Survivor& survivor) {
  Outcome& uniform = survivor.outcome;
  auto free = evaluator.free(uniform.setting, with_pair(uniform.pair), Freedom::sizes, SplitRows::evenly, kNoLimit);
  if (!free) return;
  take_shown_values(plan, uniform.pair, *free);
  keep_options_of(uniform, *free);
  keep_counts_of(uniform, *free);
  uniform = std::move(*free);
}

// Hides what tables may choose for themselves and how their rows are split, with the sizes that were found.
void hide(const PlanInputs& plan, Evaluator& evaluator, Freedom freedom, SplitRows split, Outcome& found) {
  auto hidden = evaluator.free(found.setting, with_pair(found.pair), freedom, split, kNoLimit);
  if (!hidden || hidden->contradictions > found.contradictions) return;
  for (std::size_t t = 0; t < plan.tables.size(); ++t) {
    const std::uint64_t combos = combos_of(found.tables[t].options);
    hidden->tables[t].options.erase_if([&](Option option) { return (combos >> option.combo & 1) == 0; });
    if (combos != 0 && hidden->tables[t].options.empty()) return;
  }
  keep_counts_of(found, *hidden);
  found = std::move(*hidden);
}

// Where each rank has lost its memory, or has a shard of a table that lost its size, none shows how rows are split. A
// plan without ranks has lost none.
bool any_rank_shows_rows(const PlanInputs& plan) {
  const std::vector<bool> telling = ranks_that_tell(plan);
  for (std::size_t r = 0; r < telling.size(); ++r)
    if (telling[r] && plan.ranks[r][at(Quantity::hbm)]) return true;
  return telling.empty();
}

// Where the shares of the ranks speak for devices of different capacities, row-wise tables that are too small to show
// it are not split evenly either; where no rank shows rows at all, there may be fewer buckets than ranks beside a
// virtual table.
void hide_rows(const PlanInputs& plan, Evaluator& evaluator, bool any_shown, Survivor& survivor) {
  Outcome& even = survivor.outcome;
  if (even.rows.how != SplitRows::evenly || !may_split_unevenly(plan, *even.setting.rules)) return;
  const bool may_have_few = !any_shown && std::ranges::any_of(plan.tables, has_virtual_kernel) &&
                            !members_that(survivor.members, SplitRows::by_few_buckets).empty();
  hide(plan, evaluator, Freedom::columns, may_have_few ? SplitRows::by_few_buckets : hidden_split_of(survivor.members),
       even);
}

// Numbers of poolings and widths of blocks that old releases do not print are usual ones as long as the ranks agree.
// Those with a shard of a table that is missing or lost its size say nothing.
void hide_inputs(const PlanInputs& plan, Evaluator& evaluator, Survivor& survivor) {
  Outcome& usual = survivor.outcome;
  if (!usual.uniform) return;
  const std::vector<bool> telling = ranks_that_tell(plan);
  const auto hides_inputs = [&](const TableInputs& table) {
    return has_hidden_inputs(table) && !is_on_any(telling, table);
  };
  const bool is_damaged = plan.missing || std::ranges::find(telling, false) != telling.end();
  if (is_damaged && std::ranges::any_of(plan.tables, hides_inputs))
    hide(plan, evaluator, Freedom::columns_if_unseen, usual.rows.how, usual);
}

// Where an even split leaves shards of virtual tables empty, buckets that do not may explain as much.
void add_buckets(const PlanInputs& plan, Evaluator& evaluator, std::vector<Survivor>& survivors) {
  constexpr SplitRows kBuckets = SplitRows::by_virtual_buckets;
  if (std::ranges::count(uneven_splits(plan), kBuckets) == 0) return;
  std::vector<Survivor> others;
  for (const Survivor& even : survivors) {
    auto members = members_that(even.members, kBuckets);
    if (even.outcome.rows.how != SplitRows::evenly || members.empty()) continue;
    Outcome split = evaluator.with_split(even.outcome, members.front(), kBuckets);
    if (split.contradictions == even.outcome.contradictions) others.push_back({std::move(split), std::move(members)});
  }
  std::ranges::move(others, std::back_inserter(survivors));
}

UniformSearch search_uniformly(std::vector<SettingGroup> groups, Evaluator& evaluator) {
  UniformSearch search;
  search.groups = std::move(groups);
  search.wides.resize(search.groups.size());
  for (std::size_t g = 0; g < search.groups.size(); ++g) {
    const SettingGroup& group = search.groups[g];
    const Setting& setting = group.members.front();
    std::int64_t least = 0;
    auto outcomes = evaluator.uniform(setting, search.limit, least, search.wides[g]);
    if (outcomes.empty()) search.result.excluded.push_back({group.members, least});
    for (Outcome& outcome : outcomes) keep_best(search.result, search.limit, {std::move(outcome), group.members});
  }
  // A hidden amount that explains a cell is likelier than that the cell is wrong.
  std::ranges::stable_sort(search.result.survivors, {}, [](const Survivor& s) { return s.outcome.contradictions; });
  return search;
}

// Of what explains all cells, does nothing explain the imbalance, which rows that are not split evenly may?
bool shows_uneven_rows(const PlanInputs& plan, const UniformSearch& uniform) {
  const auto may_split = [&](const SettingGroup& g) { return may_split_unevenly(plan, *g.members.front().rules); };
  if (std::ranges::none_of(uniform.groups, may_split)) return false;
  const MemoryImbalance imbalance(plan);
  return std::ranges::all_of(uniform.result.survivors, [&](const Survivor& survivor) {
    return imbalance.most_contradicted_by(survivor.outcome) >= kMostOfImbalance;
  });
}

// With the tables one by one where the uniform tier falls short.
SearchResult search_on(const PlanInputs& plan, UniformSearch uniform, const InferOptions& options,
                       Evaluator& evaluator) {
  SearchResult& result = uniform.result;
  if (result.survivors.empty()) return std::move(result);
  const Outcome& best = result.survivors.front().outcome;
  const bool explains_cells = best.contradictions == 0;
  const bool falls_short =
      explains_cells ? shows_uneven_rows(plan, uniform) : best.contradictions > (is_large(plan) ? 1 : 0);
  if (falls_short && options.effort == Effort::uniform) {
    result.first_look = std::make_shared<const FirstLook>(FirstLook{uniform});
    result.gave_up = true;
  } else if (falls_short) {
    search_free(plan, evaluator, uniform);
  }
  if (options.alternatives)
    for (Survivor& survivor : result.survivors)
      if (survivor.outcome.uniform) widen(plan, evaluator, survivor);
  for (Survivor& survivor : result.survivors) hide_inputs(plan, evaluator, survivor);
  if (!options.alternatives) return std::move(result);
  const Shares shares(plan);
  const bool any_shown = any_rank_shows_rows(plan);
  for (Survivor& survivor : result.survivors)
    if (!any_shown || shares.conflicts_beside(survivor.outcome) > 0) hide_rows(plan, evaluator, any_shown, survivor);
  add_buckets(plan, evaluator, result.survivors);
  return std::move(result);
}

SearchResult search_groups(const PlanInputs& plan, std::vector<SettingGroup> groups, const InferOptions& options) {
  Evaluator evaluator(plan);
  return search_on(plan, search_uniformly(std::move(groups), evaluator), options, evaluator);
}

}  // namespace

Constants constants_of(const SearchResult& found) {
  if (found.survivors.empty()) return {};
  Constants all = found.survivors.front().outcome.constants;
  for (const Survivor& survivor : found.survivors) {
    const Constants& one = survivor.outcome.constants;
    all = {hull(all.hbm, one.hbm), hull(all.ddr, one.ddr), all.hidden || one.hidden};
  }
  return all;
}

std::vector<Setting> members_that(const std::vector<Setting>& members, SplitRows split) {
  std::vector<Setting> able;
  std::ranges::copy_if(members, std::back_inserter(able), [&](const Setting& s) {
    switch (split) {
      case SplitRows::evenly:
        return true;
      case SplitRows::by_equal_memory:
        return s.rules->uneven_rows;
      case SplitRows::by_memory:
        return s.rules->uneven_rows && !s.rules->buckets;
      case SplitRows::by_buckets:
      case SplitRows::by_virtual_buckets:
        return s.rules->buckets;
      case SplitRows::by_few_buckets:
        return s.rules->buckets && s.rules->release < Release::v1_8_0;
    }
    return false;
  });
  return able;
}

SearchResult search(const PlanInputs& plan, const FixedSetting& fixed, const InferOptions& options,
                    const FirstLook* first_look) {
  if (!plan.sized) return {};
  if (first_look != nullptr) {
    Evaluator evaluator(plan);
    return search_on(plan, first_look->uniform, options, evaluator);
  }
  return search_groups(plan, possible_settings(plan, fixed), options);
}

SearchResult search_others(const PlanInputs& plan, const FixedSetting& fixed, const SearchResult& found, Others others,
                           const InferOptions& options) {
  const auto is_same = [others](const Setting& a, const Setting& b) {
    return others == Others::releases ? a.rules->release == b.rules->release : a == b;
  };
  std::vector<SettingGroup> groups = possible_settings(plan, fixed);
  std::erase_if(groups, [&](const SettingGroup& group) {
    return std::ranges::any_of(found.survivors, [&](const Survivor& survivor) {
      return std::ranges::any_of(survivor.members, [&](const Setting& s) { return is_same(s, group.members.front()); });
    });
  });
  return search_groups(plan, std::move(groups), options);
}

}  // namespace shardstats::infer_detail
