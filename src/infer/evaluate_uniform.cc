#include <algorithm>
#include <limits>

#include "infer/evaluate.h"
#include "infer/sums.h"

namespace shardstats::infer_detail {
namespace {

// How many printed storage cells each plan-wide pair contradicts. A pair far behind the best is not followed further,
// unless it is asked whether at most so many tables depart with some pair, and it can still be that one.
class PairCounts {
 public:
  explicit PairCounts(std::uint32_t allowed, std::optional<Departing> most = std::nullopt)
      : live_(allowed),
        counted_(allowed),
        most_(most),
        least_(allowed != 0 ? 0 : std::numeric_limits<std::int64_t>::max()) {}

  // What the pairs that are still counted mean for a table: a set of combos.
  std::uint64_t combos(const TableInputs& table) const {
    std::uint64_t all = 0;
    each_bit(counted_, [&](int p) { all |= std::uint64_t{1} << combo_index(plan_wide(table, p)); });
    return all;
  }

  void add(const Setting& setting, const TableInputs& table, std::uint32_t t, const Parts& parts) {
    const bool departs = !has_hidden_inputs(table), departs_anyhow = departs && table.sharding != Sharding::rw;
    const CellTest contradicted(setting, table, parts);
    std::uint32_t denied = 0;
    each_bit(counted_, [&](int p) {
      const auto wrong = count(contradicted(plan_wide(table, p)));
      wrong_[at(p)] += wrong;
      if (wrong == 0) return;
      denied |= 1u << p;
      departing_[at(p)].inputs += departs;
      departing_[at(p)].rows += departs_anyhow;
    });
    if (denied != 0) denied_by_.emplace_back(t, denied);
    least_ = std::numeric_limits<std::int64_t>::max();
    each_bit(live_, [&](int p) { least_ = std::min(least_, wrong_[at(p)]); });
    if (!follows_all_) drop_far_behind();
  }
  std::int64_t least() const { return least_; }
  // Did a dropped pair possibly end up better than those that were followed?
  bool dropped_too_early() const { return fewest_dropped_ <= least_; }
  // Lets all pairs be followed to the end; false: some of them have to be counted again.
  bool follow_all(std::uint32_t allowed) {
    const bool are_counted = counted_ == allowed;
    if (!are_counted) *this = PairCounts(allowed, most_);
    live_ = allowed;
    follows_all_ = true;
    return are_counted;
  }

  // Of a pair that was followed.
  PlanWide plan_wide_with(int p) const {
    PlanWide wide{p, departing_[at(p)], {}};
    for (const auto& [t, denied] : denied_by_)
      if ((denied >> p & 1) != 0) wide.denied_by.push_back(t);
    return wide;
  }
  // With some pair that is counted at most so many tables depart as were asked for.
  bool any_within_most() const { return any_within_most(counted_); }
  bool any_followed_within_most() const { return any_within_most(live_); }

  // The pairs that were followed, best first.
  std::vector<std::pair<std::int64_t, int>> ranking() const {
    std::vector<std::pair<std::int64_t, int>> pairs;
    each_bit(live_, [&](int p) { pairs.emplace_back(wrong_[at(p)], p); });
    std::sort(pairs.begin(), pairs.end());
    return pairs;
  }

 private:
  static constexpr std::int64_t kPairsFarBehind = 24;
  static std::size_t at(int p) { return static_cast<std::size_t>(p); }

  bool is_within_most(int p) const {
    const Departing& own = departing_[at(p)];
    return own.inputs <= most_->inputs || own.rows <= most_->rows;
  }
  bool any_within_most(std::uint32_t pairs) const {
    if (!most_) return true;
    for (; pairs != 0; pairs &= pairs - 1)
      if (is_within_most(std::countr_zero(pairs))) return true;
    return false;
  }

  void drop_far_behind() {
    each_bit(live_, [&](int p) {
      if (wrong_[at(p)] <= least_ + kPairsFarBehind) return;
      live_ &= ~(1u << p);
      fewest_dropped_ = std::min(fewest_dropped_, wrong_[at(p)]);
    });
    each_bit(counted_ & ~live_, [&](int p) {
      if (!most_ || !is_within_most(p)) counted_ &= ~(1u << p);
    });
  }

  std::array<std::int64_t, kPairs> wrong_{};
  std::array<Departing, kPairs> departing_{};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> denied_by_;  // tables, and the pairs that their cells deny
  std::uint32_t live_;                                              // pairs that are followed
  std::uint32_t counted_;                                           // and others that are counted all the same
  bool follows_all_ = false;
  std::optional<Departing> most_;
  std::int64_t least_;  // contradicted by the best pair
  std::int64_t fewest_dropped_ = std::numeric_limits<std::int64_t>::max();
};

// Plan-wide element sizes and optimizers, one for each size where the release decides about the optimizer. A bit each
// by pair_of().
std::uint32_t pairs_of(const ReleaseRules& rules) {
  const bool by_class = rules.optimizer == OptimizerRule::by_class;
  std::uint32_t pairs = 0;
  for (int p = 0; p < kPairs; p += by_class ? 1 : 4) pairs |= std::uint32_t{1} << p;
  return pairs;
}

// One setting in the uniform tier.
class UniformTier {
 public:
  // `most`: of tables that may depart, where more than that are not of interest.
  UniformTier(const PlanInputs& plan, KnownSums& sums, const Setting& setting,
              std::optional<Departing> most = std::nullopt)
      : plan_(plan), sums_(sums), setting_(setting), pairs_(pairs_of(*setting.rules)), counts_(pairs_, most) {}

  // What the tables' own cells say of each pair; false: even the best contradicts more than `limit` of them, or with
  // every one more than `most` tables depart.
  bool count_cells(std::int64_t limit) {
    if (!count_all(limit)) return false;
    const bool is_done = !counts_.dropped_too_early() || counts_.follow_all(pairs_);
    return is_done ? counts_.any_followed_within_most() : count_all(limit);
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
    parts_ = std::make_shared<PooledParts>(plan_.tables.size());
    PartsMaker maker(setting_, {}, &parts_->pool);
    for (std::uint32_t t = 0; t < plan_.tables.size(); ++t) {
      const TableInputs& table = plan_.tables[t];
      TableParts& parts = parts_->tables[t];
      if (!can_be_rebuilt(table)) continue;
      Variant variant;
      variant.free_ratio = is_ratio_hidden(setting_, table);
      maker.make(table, variant, counts_.combos(table), nullptr, parts.add());
      counts_.add(setting_, table, t, parts.front());
      if (counts_.least() > limit || !counts_.any_within_most()) return false;
    }
    return true;
  }

  // None if it costs more than `limit`.
  std::optional<Outcome> outcome_of(int pair, std::int64_t wrong, std::int64_t limit) const {
    Outcome outcome;
    outcome.setting = setting_;
    outcome.pair = pair;
    outcome.parts = tables_of(parts_);
    outcome.tables.resize(plan_.tables.size());
    outcome.contradictions = wrong;
    for (std::size_t t = 0; t < plan_.tables.size(); ++t) {
      if (parts_->tables[t].empty()) continue;
      const Combo combo = plan_wide(plan_.tables[t], pair);
      outcome.tables[t].options.push_back({0, static_cast<std::uint8_t>(combo_index(combo))});
      outcome.tables[t].contradicted = contradicted_cells(setting_, plan_.tables[t], parts_->tables[t].front(), combo);
    }
    sums_.list_in(outcome, true);
    if (!Sums(plan_, outcome).settle_within(limit)) return std::nullopt;
    return outcome;
  }

  const PlanInputs& plan_;
  KnownSums& sums_;
  const Setting& setting_;
  std::uint32_t pairs_;
  PairCounts counts_;
  std::shared_ptr<PooledParts> parts_;
};

}  // namespace

std::vector<Outcome> Evaluator::uniform(const Setting& setting, std::int64_t limit, std::int64_t& least,
                                        std::optional<PlanWide>& wide) {
  UniformTier tier(plan_, sums_, setting);
  if (!tier.count_cells(limit)) {
    least = tier.counts().least();
    return {};
  }
  auto outcomes = tier.outcomes(limit, least);
  if (!outcomes.empty()) wide = tier.counts().plan_wide_with(outcomes.front().pair);
  return outcomes;
}

std::optional<PlanWide> Evaluator::plan_wide_of(const Setting& setting, Departing most) {
  UniformTier tier(plan_, sums_, setting, most);
  if (!tier.count_cells(kNoLimit)) return std::nullopt;
  std::int64_t least = 0;
  const auto outcomes = tier.outcomes(kNoLimit, least);
  if (outcomes.empty()) return PlanWide{};
  return tier.counts().plan_wide_with(outcomes.front().pair);
}

}  // namespace shardstats::infer_detail
