#include "infer/free_search.h"

#include <algorithm>
#include <utility>

#include "infer/departures.h"
#include "infer/empty_shards.h"
#include "infer/row_signs.h"

namespace shardstats::infer_detail {
namespace {

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
  bool splits() const { return rows != SplitRows::evenly; }
};

std::vector<Candidate> candidates_of(const PlanInputs& plan, const std::vector<SettingGroup>& groups) {
  std::vector<Candidate> all;
  for (std::size_t g = 0; g < groups.size(); ++g) all.push_back({g, groups[g].members, SplitRows::evenly});
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (!may_split_unevenly(plan, *groups[g].members.front().rules)) continue;
    for (const SplitRows split : uneven_splits(plan))
      if (auto members = members_that(groups[g].members, split); !members.empty())
        all.push_back({g, std::move(members), split});
  }
  return all;
}

// Blocks of another width than usual move bytes from rank to rank, so that they show in two cells at least: they are
// taken only where they explain as many.
std::optional<Outcome> free_outcome(const PlanInputs& plan, Evaluator& evaluator, const Candidate& candidate,
                                    const PlanWide& wide, std::int64_t limit, bool may_mislead) {
  constexpr std::int64_t kShownIn = 2;
  const auto with = [&](Freedom freedom, bool mislead) {
    return evaluator.free(candidate.members.front(), wide, freedom, candidate.rows, limit, mislead);
  };
  if (std::ranges::none_of(plan.tables, has_hidden_blocks)) return with(Freedom::poolings, may_mislead);
  auto usual = with(Freedom::poolings, true);  // a wrong sum rather than other blocks
  if (usual && usual->contradictions < kShownIn) return usual;
  auto hidden = with(Freedom::columns, may_mislead);
  return usual && hidden && usual->contradictions - hidden->contradictions < kShownIn ? usual : hidden;
}

class FreeSearch {
 public:
  FreeSearch(const PlanInputs& plan, Evaluator& evaluator, UniformSearch& uniform)
      : plan_(plan),
        evaluator_(evaluator),
        uniform_(uniform),
        shares_(plan),
        imbalance_(plan),
        is_asked_(uniform.groups.size()),
        limit_(uniform.limit) {
    const Outcome& best = uniform.result.survivors.front().outcome;
    of_uniform_ = without_rows_ = fewest_ = best.contradictions;
    is_one_cell_ = of_uniform_ == 1 && own_contradictions(best) == 1;
    imbalance_without_rows_ = imbalance_.contradicted_by(best);
    signs_ = {.conflicts = shares_.conflicts(),
              .shown = shares_.show_all_contradictions(best),
              .imbalance = if_several(imbalance_without_rows_)};
    // One wrong cell must not be explained away by a table of its own kind; many at once are seldom wrong cells.
    const bool are_many = of_uniform_ >= kManyContradictions;
    if (are_many) limit_ += of_uniform_ / 2;
    // The damage is known to be another: the cells are right. Beside a lost cell a few may be wrong all the same.
    if (plan.missing || (are_many && lost_a_size(plan))) limit_ += of_uniform_;
    limit_ += imbalance_without_rows_;
  }

  SearchResult run() {
    const std::vector<Candidate> candidates = candidates_of(plan_, uniform_.groups);
    for (const Candidate& candidate : candidates) look_at(candidate);
    // Asked for last: where a hypothesis explains the log it would only take time.
    may_mislead_ = of_uniform_ >= kSeveralWrong && may_one_sum_be_wrong();
    if (may_mislead_) {
      free_ = {};
      for (const Candidate& candidate : candidates) look_at(candidate);
    } else if (only_splits_explain()) {
      may_mislead_ = true;
      for (const Candidate& candidate : candidates)
        if (!candidate.splits()) look_at(candidate);
    }
    keep_plausible(free_);
    return std::move(free_);
  }

 private:
  // Not where the best hypothesis leaves at most one cell, or own cells of several tables.
  bool may_one_sum_be_wrong() const {
    const auto contradictions = [](const Survivor& survivor) { return survivor.outcome.contradictions; };
    const auto best = std::ranges::min_element(free_.survivors, {}, contradictions);
    if (best == free_.survivors.end()) return true;
    return best->outcome.contradictions >= kSeveralWrong && own_contradictions(best->outcome) < kSeveralWrong;
  }

  // A hidden split of rows explains nearly everything, a wrong sum of a rank, too, which is likelier.
  bool only_splits_explain() const {
    return without_rows_ >= kSeveralWrong && std::ranges::any_of(free_.survivors, [&](const Survivor& survivor) {
             return survivor.outcome.contradictions < without_rows_;
           });
  }

  void look_at(const Candidate& candidate) {
    if (candidate.splits() && limit_ <= 0) return;
    std::int64_t price = price_of(candidate, signs_);
    auto outcome = evaluated(candidate, limit_ - price);
    // Also beside a few other contradictions: else one that has none would seem to explain less than one that has some.
    if (outcome && outcome->contradictions < kManyContradictions) contradict_by_empty_shards(plan_, *outcome);
    if (!outcome || outcome->cost() + price > limit_) {
      free_.excluded.push_back({candidate.members, limit_ + 1});  // or more
      return;
    }
    const std::int64_t wrong_imbalance = imbalance_.contradicted_by(*outcome);
    outcome->statistics = if_several(wrong_imbalance);
    if (!candidate.splits() && outcome->contradictions <= without_rows_)
      signs_.imbalance = std::min(signs_.imbalance, outcome->statistics);
    if (!leaves_fewer(candidate, *outcome, wrong_imbalance)) return;
    // The imbalance speaks only for a split that explains all of it.
    if (candidate.splits() && signs_.imbalance > 0 && wrong_imbalance > 0) {
      price = price_of(candidate, signs_.without_imbalance());
      if (outcome->cost() + price > limit_) return;
    }
    if (!shows(candidate, *outcome, wrong_imbalance)) return;
    if (is_one_cell_ && is_likelier_wrong(*outcome)) return;
    learn(candidate, *outcome, wrong_imbalance);
    outcome->freedoms += price;
    free_.survivors.push_back({std::move(*outcome), candidate.members});
    // What costs more than this is not plausible beside it.
    limit_ = std::min(limit_, weight(free_.survivors.back().outcome) + kWeightSlack);
  }

  std::int64_t price_of(const Candidate& candidate, const RowSigns& signs) const {
    if (!candidate.splits()) return 0;
    return cost_of_rows(plan_, signs, uniform_.groups[candidate.group], candidate.rows);
  }

  std::optional<Outcome> evaluated(const Candidate& candidate, std::int64_t most) {
    const std::optional<PlanWide>& wide = wide_of(candidate.group);
    if (!wide) return std::nullopt;
    const std::int64_t departing = candidate.splits() ? wide->departing.rows : wide->departing.inputs;
    if (departing > most) return std::nullopt;
    return free_outcome(plan_, evaluator_, candidate, *wide, most, may_mislead_);
  }

  // Asked for late: the better the hypotheses so far, the sooner a group is given up again.
  const std::optional<PlanWide>& wide_of(std::size_t group) {
    std::optional<PlanWide>& wide = uniform_.wides[group];
    if (wide || is_asked_[group]) return wide;
    is_asked_[group] = true;
    const Setting& setting = uniform_.groups[group].members.front();
    const ReleaseRules& rules = *setting.rules;
    std::int64_t rows = -1;
    if (may_split_unevenly(plan_, rules))
      for (const SplitRows split : uneven_splits(plan_))
        rows = std::max(rows, limit_ - cost_of_rows(plan_, signs_.at_most(), uniform_.groups[group], split));
    return wide = evaluator_.plan_wide_of(setting, {limit_, rows});
  }

  // Where one dtype explains all cells, the imbalance alone may speak for a split.
  bool leaves_fewer(const Candidate& candidate, const Outcome& outcome, std::int64_t wrong_imbalance) const {
    const bool explains_imbalance = candidate.splits() && signs_.imbalance > 0 && wrong_imbalance == 0;
    return outcome.contradictions < of_uniform_ + (of_uniform_ == 0 && explains_imbalance);
  }

  // A hidden split moves memory from rank to rank, so that it shows in two cells at least, not in one, or in the
  // imbalance as well. Buckets of virtual tables are nothing unusual, but have to explain all.
  bool shows(const Candidate& candidate, const Outcome& outcome, std::int64_t wrong_imbalance) const {
    const bool shows_more = signs_.conflicts > 0 || wrong_imbalance < imbalance_without_rows_;
    if (candidate.rows == SplitRows::by_virtual_buckets) return outcome.contradictions == 0;
    if (candidate.splits() && outcome.contradictions + 1 == without_rows_ && !shows_more) return false;
    return !is_unlikely(candidate.rows) || outcome.contradictions < fewest_;
  }

  // Is the one cell that a table of its own kind explains likelier wrong? It is if that table is an unlikely one, or if
  // sums ask for another such table then.
  bool is_likelier_wrong(const Outcome& outcome) const {
    return has_unlikely_table(plan_, outcome) || !PlanWideSums(plan_, outcome, SumBounds(plan_, outcome)).agree();
  }

  void learn(const Candidate& candidate, const Outcome& outcome, std::int64_t wrong_imbalance) {
    if (!candidate.splits()) {
      without_rows_ = std::min(without_rows_, outcome.contradictions);
      imbalance_without_rows_ = std::min(imbalance_without_rows_, wrong_imbalance);
    }
    signs_.contradicted = without_rows_ > 0;
    if (candidate.rows <= SplitRows::by_equal_memory) signs_.shown |= shares_.show_all_contradictions(outcome);
    if (!is_unlikely(candidate.rows)) fewest_ = std::min(fewest_, outcome.contradictions);
  }

  const PlanInputs& plan_;
  Evaluator& evaluator_;
  UniformSearch& uniform_;
  const Shares shares_;
  const MemoryImbalance imbalance_;
  std::vector<bool> is_asked_;           // by group
  bool may_mislead_ = false;             // one wrong sum all others
  std::int64_t limit_;                   // cost that a later candidate may have
  std::int64_t of_uniform_ = 0;          // contradicted cells that the uniform tier leaves
  bool is_one_cell_ = false;             // of a table, and no other
  std::int64_t without_rows_ = 0;        // the fewest that even splits leave
  std::int64_t fewest_ = 0;              // that any likely split leaves
  std::int64_t imbalance_without_rows_;  // numbers of it that even splits contradict
  RowSigns signs_;
  SearchResult free_;
};

}  // namespace

void search_free(const PlanInputs& plan, Evaluator& evaluator, UniformSearch& uniform) {
  SearchResult free = FreeSearch(plan, evaluator, uniform).run();
  if (free.survivors.empty()) return;
  SearchResult& result = uniform.result;
  for (Survivor& worse : result.survivors) free.excluded.push_back({std::move(worse.members), worse.outcome.cost()});
  free.excluded.insert(free.excluded.end(), result.excluded.begin(), result.excluded.end());
  result = std::move(free);
}

}  // namespace shardstats::infer_detail
