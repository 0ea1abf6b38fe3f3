#include <algorithm>
#include <limits>

#include "infer/evaluate.h"
#include "infer/sums.h"

namespace shardstats::infer_detail {
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
      (*parts_)[t].push_back(make_parts(setting_, table, variant, {}, counts_.combos(table)));
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

}  // namespace shardstats::infer_detail
