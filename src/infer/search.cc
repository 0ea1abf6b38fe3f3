#include "infer/search.h"

#include <algorithm>
#include <limits>
#include <cstdlib>

namespace shardstats::infer_detail {
namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max() / 4;

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
    for (Survivor& worse : result.survivors) result.excluded.push_back({std::move(worse.members), worse.outcome.cost()});
    result.survivors.clear();
  }
  limit = cost;
  result.survivors.push_back(std::move(survivor));
}

bool has_hidden_rows(const PlanInputs& plan, const Setting& setting) {
  return (setting.rules->uneven_rows || setting.rules->buckets) &&
         std::any_of(plan.tables.begin(), plan.tables.end(),
                     [](const TableInputs& t) { return t.sized && t.sharding == Sharding::rw; });
}

// The free tier for every setting; `limit` is the best cost so far, which it has to beat.
void search_free(const PlanInputs& plan, const std::vector<SettingGroup>& groups, std::uint32_t allowed_pairs,
                 std::int64_t limit, SearchResult& result) {
  std::vector<int> pairs;
  for (const SettingGroup& group : groups) {
    std::int64_t least = 0;
    const auto uniform = evaluate_uniform(plan, group.members.front(),
                                          pairs_of(*group.members.front().rules, allowed_pairs), kNoLimit, least);
    pairs.push_back(uniform.empty() ? 0 : uniform.front().pair);
  }
  std::int64_t best = limit - 1;
  for (const Freedom freedom : {Freedom::inputs, Freedom::rows})
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const Setting& setting = groups[g].members.front();
      if (freedom == Freedom::rows && (!has_hidden_rows(plan, setting) || best <= 0)) continue;
      if (auto outcome = evaluate_free(plan, setting, pairs[g], freedom, best))
        keep_best(result, best, {std::move(*outcome), groups[g].members});
    }
}

// A uniform hypothesis says of each table what only some of them show. Where enough tables show a value by themselves,
// it is taken for all; else a table that does not show it may have any value that its own cells allow.
constexpr int kEnoughTables = 16;

void widen(const PlanInputs& plan, Survivor& survivor) {
  static const int enough = getenv("ENOUGH") ? atoi(getenv("ENOUGH")) : kEnoughTables;
  Outcome& uniform = survivor.outcome;
  auto free = evaluate_free(plan, uniform.setting, uniform.pair, Freedom::sizes, kNoLimit);
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
      shown[d] += !options.empty() && std::all_of(options.begin(), options.end(), [&](Option o) { return same(t, o)[d]; });
  }
  for (std::size_t t = 0; t < plan.tables.size(); ++t)
    std::erase_if(free->tables[t].options, [&](Option option) {
      const auto is = same(t, option);
      for (std::size_t d = 0; d < shown.size(); ++d)
        if (shown[d] >= enough && !is[d]) return true;
      return false;
    });
  free->contradictions = uniform.contradictions;
  free->freedoms = uniform.freedoms;
  free->uniform = true;
  survivor.outcome = std::move(*free);
}

}  // namespace

SearchResult search(const PlanInputs& plan, const FixedSetting& fixed, std::uint32_t allowed_pairs) {
  SearchResult result;
  if (!plan.sized) return result;
  const std::vector<SettingGroup> groups = possible_settings(plan, fixed);
  std::int64_t limit = kNoLimit;
  for (const SettingGroup& group : groups) {
    const Setting& setting = group.members.front();
    std::int64_t least = 0;
    auto outcomes = evaluate_uniform(plan, setting, pairs_of(*setting.rules, allowed_pairs), limit, least);
    if (outcomes.empty()) result.excluded.push_back({group.members, least});
    for (Outcome& outcome : outcomes) keep_best(result, limit, {std::move(outcome), group.members});
  }
  if (limit == 0)
    for (Survivor& survivor : result.survivors) widen(plan, survivor);
  if (limit > 0 && !result.survivors.empty()) search_free(plan, groups, allowed_pairs, limit, result);
  return result;
}

}  // namespace shardstats::infer_detail
