#include "infer/search.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "infer/rank_statistics.h"

namespace shardstats::infer_detail {
namespace {

std::uint32_t pairs_of(const ReleaseRules& rules, std::uint32_t allowed) {
  if (rules.optimizer == OptimizerRule::by_class) return allowed;
  std::uint32_t pairs = 0;  // the release decides about the optimizer
  for (int p = 0; p < kPairs; ++p)
    if ((allowed >> p & 1) != 0) pairs |= std::uint32_t{1} << (p / 4 * 4);
  return pairs;
}

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

bool is_row_wise(const TableInputs& table) { return table.sized && table.sharding == Sharding::rw; }

std::int64_t row_wise_tables(const PlanInputs& plan) { return std::ranges::count_if(plan.tables, is_row_wise); }

// Their kernels say that they have buckets in the releases that know these.
std::int64_t virtual_row_wise_tables(const PlanInputs& plan) {
  return std::ranges::count_if(plan.tables, [](const TableInputs& t) {
    return is_row_wise(t) && t.kernel != nullptr && t.kernel->speed == KernelSpeed::virtual_table;
  });
}

bool may_split_unevenly(const PlanInputs& plan, const ReleaseRules& rules) {
  return (rules.uneven_rows || rules.buckets) && row_wise_tables(plan) > 0;
}

SplitRows hidden_split_of(const ReleaseRules& rules) {
  return rules.buckets ? SplitRows::by_buckets : SplitRows::by_memory;
}

constexpr std::array kUnevenSplits = {SplitRows::by_equal_memory, SplitRows::by_memory, SplitRows::by_buckets,
                                      SplitRows::by_few_buckets};

// Whether the HBM shares of ranks fit the printed capacity.
class Shares {
 public:
  explicit Shares(const PlanInputs& plan) : plan_(plan) {
    const auto is_zero = [](const PrintedRank& row) { return row.lost || row.hbm_percent.text == "0"; };
    // Where all are 0 % they may not be counted at all.
    if (!std::ranges::all_of(plan.printed->ranks.rows, is_zero))
      capacity_ = printed_bytes(plan.printed->slot(LineId::planning_memory), Format::r3, kGiB);
    if (capacity_ && capacity_->low <= 0) capacity_.reset();
  }

  // Ranks whose share does not: each speaks for devices of different capacities.
  std::int64_t conflicts() const {
    std::int64_t conflicts = 0;
    for (std::size_t r = 0; r < plan_.ranks.size() && capacity_; ++r)
      conflicts += plan_.ranks[r].hbm && denies(r, real(*plan_.ranks[r].hbm));
    return conflicts;
  }

  // Are all cells that the hypothesis contradicts the memory of ranks whose share fits neither that nor what is
  // expected? A wrong cell leaves the share right.
  bool show_all_contradictions(const Outcome& outcome) const {
    if (!capacity_ || outcome.contradictions == 0) return false;
    std::int64_t shown = 0;
    for (const SumLine& line : outcome.sums)
      shown += line.contradicted && line.of == SumOf::rank && line.quantity == Quantity::hbm &&
               denies(line.index, line.printed) && denies(line.index, line.expected);
    return shown == outcome.contradictions;
  }

 private:
  bool denies(std::size_t rank, RealInterval used) const {
    const auto share = values_printed_as(plan_.printed->ranks.rows[rank].hbm_percent.text, Format::p0);
    const RealInterval expected{used.low / (static_cast<double>(capacity_->high) + 1),
                                used.high / static_cast<double>(capacity_->low)};
    return share && !share->overlaps(expected);
  }

  const PlanInputs& plan_;
  std::optional<ByteInterval> capacity_;
};

// The printed imbalance of the ranks' memory, which a wrong cell leaves right and a wrong split of rows does not.
class MemoryImbalance {
 public:
  explicit MemoryImbalance(const PlanInputs& plan)
      : ranks_(plan.ranks.size()),
        hbm_(read_imbalance(*plan.printed, LineId::hbm_imbalance_heading)),
        ddr_(read_imbalance(*plan.printed, LineId::ddr_imbalance_heading)) {}

  // How many of its numbers the hypothesis contradicts.
  std::int64_t contradicted_by(const Outcome& outcome) const {
    return contradicted_statistics(hbm_, totals(outcome, Quantity::hbm)) +
           contradicted_statistics(ddr_, totals(outcome, Quantity::ddr));
  }

 private:
  // By rank; empty if that of some rank is not known.
  std::vector<RealInterval> totals(const Outcome& outcome, Quantity quantity) const {
    std::vector<RealInterval> totals;
    for (const SumLine& line : outcome.sums)
      if (line.of == SumOf::rank && line.quantity == quantity)
        totals.push_back(line.contradicted ? line.expected : narrowed(line.expected, line.printed));
    if (totals.size() != ranks_) totals.clear();
    return totals;
  }

  std::size_t ranks_;
  std::vector<RankStatistic> hbm_, ddr_;
};

// Of the four of one memory: two may have changed places.
constexpr std::int64_t kMostOfImbalance = 3;

// One contradicted number alone may be wrong itself.
std::int64_t if_several(std::int64_t contradicted) { return contradicted == 1 ? 0 : contradicted; }

constexpr std::int64_t kWeightSlack = 1;  // of weights: a difference that does not exclude
constexpr std::int64_t kUnlikely = kWeightSlack + 1;

// Nothing but contradicted cells speaks for capacities of their own that are all the same, or for too few buckets.
bool is_unlikely(SplitRows split) { return split == SplitRows::by_equal_memory || split == SplitRows::by_few_buckets; }
constexpr std::int64_t kManyContradictions = 4;

// What speaks for a row split that is not even.
struct RowSigns {
  std::int64_t conflicts = 0;  // of shares with one capacity
  bool shown = false;          // that way all that is contradicted
  bool contradicted = true;    // even splits leave some cells so
  std::int64_t imbalance = 0;  // its numbers that they contradict, if they are several

  // Do the shares ask for capacities that differ? One alone may be a wrong one.
  bool in_shares() const { return conflicts >= 2 || shown; }
  RowSigns without_imbalance() const {
    RowSigns others = *this;
    others.imbalance = 0;
    return others;
  }
  // As many as later hypotheses may leave.
  RowSigns at_most() const {
    RowSigns most = *this;
    most.shown = conflicts > 0;
    most.contradicted = true;
    return most;
  }
};

// What a row split that is not even costs: a capacity for each device, less those that the shares ask for anyway, or
// one value where several do, where they show all that is contradicted, or where the imbalance speaks for it: then the
// others are no wonder; or, where tables may have buckets, their number for each row-wise table, or for each virtual
// one, if cells are contradicted without. Nothing else tells releases of one group apart, so that those that know
// buckets pay as much as those before, unless the kernels say that there are some.
std::int64_t cost_of_rows(const PlanInputs& plan, const RowSigns& signs, const SettingGroup& group, SplitRows split) {
  if (split == SplitRows::by_equal_memory) return kUnlikely;
  const std::int64_t virtual_tables = virtual_row_wise_tables(plan);
  const bool may_have_buckets = split == SplitRows::by_few_buckets ? virtual_tables > 0  // few: beside any others
                                                                   : virtual_tables == row_wise_tables(plan);
  const bool buckets = group.members.front().rules->buckets || (split != SplitRows::by_memory && may_have_buckets);
  const std::int64_t bucketed = virtual_tables > 0 && signs.contradicted ? virtual_tables : row_wise_tables(plan);
  const std::int64_t capacities = signs.in_shares() || signs.imbalance > 0 ? 1 : plan.world_size - 1 - signs.conflicts;
  const std::int64_t cost = std::max<std::int64_t>(buckets ? std::min(capacities, bucketed) : capacities, 1);
  return cost + (split == SplitRows::by_few_buckets ? kUnlikely : 0);
}

void keep_plausible(SearchResult& found) {
  const auto lighter = [&](const Survivor& a, const Survivor& b) { return weight(a.outcome) < weight(b.outcome); };
  std::stable_sort(found.survivors.begin(), found.survivors.end(), lighter);
  const auto excluded = [&](const Survivor& s) {
    const Outcome& best = found.survivors.front().outcome;
    return s.outcome.contradictions > best.contradictions || weight(s.outcome) > weight(best) + kWeightSlack;
  };
  const auto first = std::stable_partition(found.survivors.begin(), found.survivors.end(),
                                           [&](const Survivor& s) { return !excluded(s); });
  for (auto s = first; s != found.survivors.end(); ++s) found.excluded.push_back({s->members, s->outcome.cost()});
  found.survivors.erase(first, found.survivors.end());
}

// Settings of a group in the free tier. Releases that know buckets split rows in another way than those before.
struct Candidate {
  std::size_t group = 0;
  std::vector<Setting> members;
  SplitRows rows = SplitRows::evenly;
};

std::vector<Candidate> candidates_of(const PlanInputs& plan, const std::vector<SettingGroup>& groups) {
  std::vector<Candidate> all;
  for (std::size_t g = 0; g < groups.size(); ++g) all.push_back({g, groups[g].members, SplitRows::evenly});
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (!may_split_unevenly(plan, *groups[g].members.front().rules)) continue;
    for (const SplitRows split : kUnevenSplits)
      if (auto members = members_that(groups[g].members, split); !members.empty())
        all.push_back({g, std::move(members), split});
  }
  return all;
}

// Blocks of another width than usual move bytes from rank to rank, so that they show in two cells at least: they are
// taken only where they explain as many.
std::optional<Outcome> free_outcome(const PlanInputs& plan, Evaluator& evaluator, const Candidate& candidate, int pair,
                                    std::int64_t limit) {
  constexpr std::int64_t kShownIn = 2;
  const auto with = [&](Freedom freedom) {
    return evaluator.free(candidate.members.front(), pair, freedom, candidate.rows, limit);
  };
  if (std::ranges::none_of(plan.tables, has_hidden_blocks)) return with(Freedom::poolings);
  auto usual = with(Freedom::poolings);
  if (usual && usual->contradictions < kShownIn) return usual;
  auto hidden = with(Freedom::columns);
  return usual && hidden && usual->contradictions - hidden->contradictions < kShownIn ? usual : hidden;
}

// The free tier for every setting. It has to leave fewer contradicted cells than the uniform one, at no higher cost.
// `wides`: by group, what the uniform tier found; none where the group was given up.
void search_free(const PlanInputs& plan, const std::vector<SettingGroup>& groups, std::uint32_t allowed_pairs,
                 std::int64_t limit, Evaluator& evaluator, std::vector<std::optional<PlanWide>>& wides,
                 SearchResult& result) {
  const std::int64_t contradictions = result.survivors.front().outcome.contradictions;
  // One wrong cell must not be explained away by a table of its own kind; many at once are seldom wrong cells.
  if (contradictions >= kManyContradictions) limit += contradictions / 2;
  if (plan.missing) limit += contradictions;  // the damage is known to be another: the cells are right
  SearchResult free;
  std::int64_t without_rows = contradictions;  // the fewest contradicted cells that even splits leave
  std::int64_t fewest = contradictions;        // that any likely split leaves
  const Shares shares(plan);
  const MemoryImbalance imbalance(plan);
  const Outcome& uniform = result.survivors.front().outcome;
  std::int64_t imbalance_without_rows = imbalance.contradicted_by(uniform);
  RowSigns signs{.conflicts = shares.conflicts(),
                 .shown = shares.show_all_contradictions(uniform),
                 .imbalance = if_several(imbalance_without_rows)};
  limit += imbalance_without_rows;
  // Asked for late: the better the hypotheses so far, the sooner a group is given up again.
  std::vector<bool> is_asked(groups.size());
  const auto wide_of = [&](std::size_t g) -> const std::optional<PlanWide>& {
    if (wides[g] || is_asked[g]) return wides[g];
    is_asked[g] = true;
    const Setting& setting = groups[g].members.front();
    const ReleaseRules& rules = *setting.rules;
    std::int64_t rows = -1;
    if (may_split_unevenly(plan, rules))
      for (const SplitRows split : kUnevenSplits)
        rows = std::max(rows, limit - cost_of_rows(plan, signs.at_most(), groups[g], split));
    return wides[g] = evaluator.plan_wide_of(setting, pairs_of(rules, allowed_pairs), {limit, rows});
  };
  for (const Candidate& candidate : candidates_of(plan, groups)) {
    const bool rows = candidate.rows != SplitRows::evenly;
    if (rows && limit <= 0) continue;
    const auto& wide = wide_of(candidate.group);
    const auto departing = [&] { return rows ? wide->departing.rows : wide->departing.inputs; };
    const auto price = [&](const RowSigns& by) {
      return rows ? cost_of_rows(plan, by, groups[candidate.group], candidate.rows) : 0;
    };
    std::int64_t extra = price(signs);
    const std::int64_t most = limit - extra;
    auto outcome =
        wide && departing() <= most ? free_outcome(plan, evaluator, candidate, wide->pair, most) : std::nullopt;
    if (!outcome) free.excluded.push_back({candidate.members, limit + 1});  // or more
    if (!outcome) continue;
    const std::int64_t wrong_imbalance = imbalance.contradicted_by(*outcome);
    outcome->statistics = if_several(wrong_imbalance);
    if (!rows && outcome->contradictions <= without_rows)
      signs.imbalance = std::min(signs.imbalance, outcome->statistics);
    // Where one dtype explains all cells, the imbalance alone may speak for a split.
    const bool explains_imbalance = rows && signs.imbalance > 0 && wrong_imbalance == 0;
    if (outcome->contradictions >= contradictions + (contradictions == 0 && explains_imbalance)) continue;
    // The imbalance speaks only for a split that explains all of it.
    if (rows && signs.imbalance > 0 && wrong_imbalance > 0) {
      extra = price(signs.without_imbalance());
      if (outcome->cost() + extra > limit) continue;
    }
    // A hidden split moves memory from rank to rank, so that it shows in two cells at least, not in one, or in the
    // imbalance as well.
    const bool shows_more = signs.conflicts > 0 || wrong_imbalance < imbalance_without_rows;
    if (rows && outcome->contradictions + 1 == without_rows && !shows_more) continue;
    if (is_unlikely(candidate.rows) && outcome->contradictions >= fewest) continue;
    if (!rows) {
      without_rows = std::min(without_rows, outcome->contradictions);
      imbalance_without_rows = std::min(imbalance_without_rows, wrong_imbalance);
    }
    signs.contradicted = without_rows > 0;
    if (candidate.rows <= SplitRows::by_equal_memory) signs.shown |= shares.show_all_contradictions(*outcome);
    if (!is_unlikely(candidate.rows)) fewest = std::min(fewest, outcome->contradictions);
    outcome->freedoms += extra;
    free.survivors.push_back({std::move(*outcome), candidate.members});
    // What costs more than this is not plausible beside it.
    limit = std::min(limit, weight(free.survivors.back().outcome) + kWeightSlack);
  }
  keep_plausible(free);
  if (free.survivors.empty()) return;
  for (Survivor& worse : result.survivors) free.excluded.push_back({std::move(worse.members), worse.outcome.cost()});
  free.excluded.insert(free.excluded.end(), result.excluded.begin(), result.excluded.end());
  result = std::move(free);
}

// In a large plan a table of its own kind shows in several cells: one alone is a wrong one.
bool is_large(const PlanInputs& plan) {
  constexpr std::size_t kLarge = 200;
  return plan.tables.size() >= kLarge;
}

// A uniform hypothesis says of each table what only some of them show. Where enough tables show a value by themselves,
// it is taken for all; else a table that does not show it may have any value that its own cells allow.
constexpr int kEnoughTables = 16;

void widen(const PlanInputs& plan, Evaluator& evaluator, Survivor& survivor) {
  Outcome& uniform = survivor.outcome;
  auto free = evaluator.free(uniform.setting, uniform.pair, Freedom::sizes, SplitRows::evenly, kNoLimit);
  if (!free) return;
  std::array<int, 4> shown{};
  const auto same = [&](std::size_t t, Option option) {
    const Combo combo = combo_of(option.combo), wide = plan_wide(plan.tables[t], uniform.pair);
    const Variant& variant = (*free->parts)[t][option.variant].variant;
    return std::array<bool, 4>{combo.element == wide.element, combo.output == combo.element,
                               combo.optimizer == wide.optimizer, variant.passes == 1};
  };
  for (std::size_t t = 0; t < plan.tables.size(); ++t) {
    const auto& options = free->tables[t].options;
    for (std::size_t d = 0; d < shown.size(); ++d)
      shown[d] +=
          !options.empty() && std::all_of(options.begin(), options.end(), [&](Option o) { return same(t, o)[d]; });
  }
  for (std::size_t t = 0; t < plan.tables.size(); ++t)
    free->tables[t].options.erase_if([&](Option option) {
      const auto is = same(t, option);
      for (std::size_t d = 0; d < shown.size(); ++d)
        if (shown[d] >= kEnoughTables && !is[d]) return true;
      return false;
    });
  free->contradictions = uniform.contradictions;
  free->freedoms = uniform.freedoms;
  free->uniform = true;
  survivor.outcome = std::move(*free);
}

// Where the shares of the ranks speak for devices of different capacities, row-wise tables that are too small to show
// it are not split evenly either.
void hide_rows(const PlanInputs& plan, Evaluator& evaluator, Outcome& even) {
  if (even.rows.how != SplitRows::evenly || !may_split_unevenly(plan, *even.setting.rules)) return;
  auto split =
      evaluator.free(even.setting, even.pair, Freedom::columns, hidden_split_of(*even.setting.rules), kNoLimit);
  if (!split || split->contradictions > even.contradictions) return;
  for (std::size_t t = 0; t < plan.tables.size(); ++t) {
    const std::uint64_t combos = combos_of(even.tables[t].options);
    split->tables[t].options.erase_if([&](Option option) { return (combos >> option.combo & 1) == 0; });
    if (combos != 0 && split->tables[t].options.empty()) return;
  }
  split->contradictions = even.contradictions;
  split->freedoms = even.freedoms;
  split->statistics = even.statistics;
  split->uniform = even.uniform;
  even = std::move(*split);
}

UniformSearch search_uniformly(std::vector<SettingGroup> groups, std::uint32_t allowed_pairs, Evaluator& evaluator) {
  UniformSearch search;
  search.groups = std::move(groups);
  search.wides.resize(search.groups.size());
  for (std::size_t g = 0; g < search.groups.size(); ++g) {
    const SettingGroup& group = search.groups[g];
    const Setting& setting = group.members.front();
    std::int64_t least = 0;
    auto outcomes =
        evaluator.uniform(setting, pairs_of(*setting.rules, allowed_pairs), search.limit, least, search.wides[g]);
    if (outcomes.empty()) search.result.excluded.push_back({group.members, least});
    for (Outcome& outcome : outcomes) keep_best(search.result, search.limit, {std::move(outcome), group.members});
  }
  return search;
}

// With the tables one by one where the uniform tier falls short.
SearchResult search_on(const PlanInputs& plan, UniformSearch uniform, std::uint32_t allowed_pairs,
                       const InferOptions& options, Evaluator& evaluator) {
  SearchResult& result = uniform.result;
  if (result.survivors.empty()) return std::move(result);
  const Outcome& best = result.survivors.front().outcome;
  const bool explains_cells = best.contradictions == 0;
  const bool falls_short = explains_cells ? MemoryImbalance(plan).contradicted_by(best) >= kMostOfImbalance
                                          : best.contradictions > (is_large(plan) ? 1 : 0);
  if (falls_short && options.effort == Effort::uniform) {
    result.first_look = std::make_shared<const FirstLook>(FirstLook{uniform});
    result.gave_up = true;
  } else if (falls_short) {
    search_free(plan, uniform.groups, allowed_pairs, uniform.limit, evaluator, uniform.wides, result);
  }
  if (options.alternatives && explains_cells)
    for (Survivor& survivor : result.survivors)
      if (survivor.outcome.uniform) widen(plan, evaluator, survivor);
  if (options.alternatives && Shares(plan).conflicts() > 0)
    for (Survivor& survivor : result.survivors) hide_rows(plan, evaluator, survivor.outcome);
  return std::move(result);
}

SearchResult search_groups(const PlanInputs& plan, std::vector<SettingGroup> groups, std::uint32_t allowed_pairs,
                           const InferOptions& options) {
  Evaluator evaluator(plan);
  return search_on(plan, search_uniformly(std::move(groups), allowed_pairs, evaluator), allowed_pairs, options,
                   evaluator);
}

}  // namespace

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
        return s.rules->buckets;
      case SplitRows::by_few_buckets:
        return s.rules->buckets && s.rules->release < Release::v1_8_0;
    }
    return false;
  });
  return able;
}

SearchResult search(const PlanInputs& plan, const FixedSetting& fixed, std::uint32_t allowed_pairs,
                    const InferOptions& options, const FirstLook* first_look) {
  if (!plan.sized) return {};
  if (first_look != nullptr) {
    Evaluator evaluator(plan);
    return search_on(plan, first_look->uniform, allowed_pairs, options, evaluator);
  }
  return search_groups(plan, possible_settings(plan, fixed), allowed_pairs, options);
}

SearchResult search_other_releases(const PlanInputs& plan, const FixedSetting& fixed, const SearchResult& found,
                                   std::uint32_t allowed_pairs, const InferOptions& options) {
  std::vector<SettingGroup> groups = possible_settings(plan, fixed);
  std::erase_if(groups, [&](const SettingGroup& group) {
    const Release release = group.members.front().rules->release;
    return std::ranges::any_of(found.survivors, [&](const Survivor& survivor) {
      return std::ranges::any_of(survivor.members, [&](const Setting& s) { return s.rules->release == release; });
    });
  });
  return search_groups(plan, std::move(groups), allowed_pairs, options);
}

}  // namespace shardstats::infer_detail
