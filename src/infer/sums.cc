#include "infer/sums.h"

#include <algorithm>
#include <utility>

#include "infer/sum_constants.h"

namespace shardstats::infer_detail {
namespace {

constexpr int kPrunings = 6;  // of pruning; each one only ever removes options

// Does the formula leave more open than the printed number?
bool is_wide(const SumLine& line) {
  return line.of == SumOf::rank && !line.contradicted && line.expected.width() > line.printed.width();
}

bool a_rank_is_contradicted(const Outcome& outcome, Quantity quantity) {
  return std::ranges::any_of(outcome.sums,
                             [&](const SumLine& line) { return line.is_of_rank(quantity) && line.contradicted; });
}

// Could some option of a table with that swing, with all others as they are, take the sum out of what is printed?
bool may_rule_out(const SumLine& line, RealInterval total, RealInterval swing) {
  constexpr double kRounding = 1;  // bytes; far above that of the sums, and prune() decides
  return total.low + swing.low > line.printed.high - kRounding ||
         total.high - swing.high < line.printed.low + kRounding;
}

}  // namespace

void Sums::settle(const Assignments* known) {
  fit_constants(plan_, outcome_, bounds_);
  open_ = bounds_.has_choice();
  any_differ_ = bounds_.any_differ();
  stale_.assign(outcome_.sums.size(), true);
  prune_all();
  // With fewer options left the ranks say more about what they have in common.
  for (int round = 0; round < kPrunings && open_ && refit_constants(plan_, outcome_, bounds_); ++round) {
    stale_.assign(outcome_.sums.size(), true);
    prune_all();
  }
  if (open_) match_outputs(known);
  check_all();
  contradict_unequal_ranks();
  for (const SumLine& line : outcome_.sums) outcome_.contradictions += line.contradicted;
}

void Sums::match_outputs(const Assignments* known) {
  const OutputMatcher matcher(plan_, outcome_, bounds_);
  const SumLine* last = nullptr;  // that was matched
  for (std::uint32_t l = 0; l < outcome_.sums.size(); ++l) {
    SumLine& line = outcome_.sums[l];
    if (!line.is_of_rank(Quantity::output) || line.contradicted) continue;
    if (known != nullptr && matcher.gives(line, *known, l)) continue;
    if (last != nullptr && SumLines::are_equal(*last, line)) {
      line.contradicted = last->contradicted;
      continue;
    }
    const auto found = matcher.matched(line);
    last = &line;
    line.contradicted = !found;
    if (!found) continue;
    for (const OpenTable& one : *found) keep_elements(one.table, one.used);
  }
}

void Sums::prune_all() {
  bool changed = open_;
  for (int round = 0; round < kPrunings && changed; ++round) changed = check_all();
}

bool Sums::settle_within(std::int64_t limit) {
  fit_constants(plan_, outcome_, bounds_);
  ShardTotals totals(lines_, bounds_.values());
  for (SumLine& line : outcome_.sums) {
    check(line, totals);
    outcome_.contradictions += line.contradicted;
    if (outcome_.cost() > limit) return false;
  }
  const std::int64_t unequal = contradict_unequal_ranks();
  outcome_.contradictions += unequal;
  return unequal == 0 || outcome_.cost() <= limit;
}

// Shards of one class are alike where it is known how many rows and columns they have.
bool Sums::has_known_shards(const SumLine& line) const {
  const auto are_known = [&](Part shards) {
    for (std::uint32_t i = shards.first; i < shards.end; ++i) {
      const ClassParts& c = bounds_.class_of(lines_[i]);
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
  ShardTotals totals(lines_, bounds_.values(), any_differ_ != 0 ? &bounds_.swing() : nullptr);
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
  if (line.of == SumOf::all_ranks && a_rank_is_contradicted(outcome_, line.quantity)) {
    line.contradicted = false;  // nothing new: the wrong rank is in this sum as well
    return false;
  }
  RealInterval total = totals.of(line) + constant_of(plan_, outcome_, line);
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
    if ((bounds_.differ(part.table) & quantity) != 0 &&
        may_rule_out(line, total, lines_.sum_of(bounds_.swing(), part, line.quantity)))
      changed |= prune(line, total, part);
  });
  return changed;
}

bool Sums::prune(SumLine& line, RealInterval& total, Part part) {
  auto& options = outcome_.tables[part.table].options;
  const RealInterval others = without(total, bounds_.sum_of(part, line.quantity));
  const auto fits = [&](Option option) {
    return (others + bounds_.bytes(part, option, line.quantity)).overlaps(line.printed);
  };
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
  const RealInterval now = bounds_.sum_of(part, line.quantity);
  total = {others.low + now.low, others.high + now.high};
  return true;
}

void Sums::keep_elements(std::uint32_t t, std::uint32_t elements) {
  auto& options = outcome_.tables[t].options;
  const std::size_t before = options.size();
  options.erase_if([&](Option o) { return (elements >> o.element() & 1) == 0; });
  if (options.size() != before) changed(t);
}

// After its options have.
void Sums::changed(std::uint32_t t) {
  has_removed_options_ = true;
  bounds_.refresh(t);
  lines_.each_line_of(t, [&](std::uint32_t l) { stale_[l] = true; });
}

}  // namespace shardstats::infer_detail
