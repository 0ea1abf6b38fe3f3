// Ranks of two plans: their sizes, and what a change in HBM is made of.
#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/byte_columns.h"
#include "analysis/checks.h"
#include "analysis/diff_parts.h"
#include "analysis/statistics.h"

namespace shardstats::analysis {
namespace {

using ByRank = std::map<int, RealInterval>;  // HBM of a table's shards, bytes

ByRank hbm_by_rank(const DiffSide& side, std::optional<std::uint32_t> table) {
  ByRank ranks;
  const PlanTable* plan = table ? side.plan.table_of_row(*table) : nullptr;
  if (plan == nullptr) return ranks;
  for (const PlanShard& shard : side.plan.shards_of(*plan))
    if (shard.rank) ranks[*shard.rank] = ranks[*shard.rank] + real(shard.sizes->hbm);
  return ranks;
}

// Ranks with more shards of the one than of the other.
std::vector<int> ranks_missing(const DiffSide& from, std::uint32_t a, const DiffSide& in, std::uint32_t b) {
  std::map<int, int> counts;
  const auto count = [&](const DiffSide& side, std::uint32_t table, int step) {
    if (const PlanTable* plan = side.plan.table_of_row(table))
      for (const PlanShard& shard : side.plan.shards_of(*plan))
        if (shard.rank) counts[*shard.rank] += step;
  };
  count(from, a, 1);
  count(in, b, -1);
  std::vector<int> ranks;
  for (const auto& [rank, n] : counts)
    if (n > 0) ranks.push_back(rank);
  return ranks;
}

bool has_input(const TableDiff& table, std::string_view name) {
  return std::ranges::find(table.inputs, name, &InputDiff::name) != table.inputs.end();
}

// The parts of all ranks, table by table.
class Parts {
 public:
  Parts(const DiffSide& base, const DiffSide& next, bool plan_wide) : base_(base), next_(next), plan_wide_(plan_wide) {}

  void add(const TablePair& pair, const TableDiff& table) {
    using Kind = RankPart::Kind;
    const bool own = table.presence != Presence::both || !table.inputs.empty();
    // Equal inputs: equal shards, whatever the bounds. Not where it is open whether inputs were changed at all.
    if (!own && !plan_wide_ && !table.hbm.changed && !(table.hbm.follows_inputs && table.hbm.is_open())) return;
    if (!is_sized(base_, pair.before) || !is_sized(next_, pair.after)) return;
    const ByRank before = hbm_by_rank(base_, pair.before), after = hbm_by_rank(next_, pair.after);
    if (table.presence == Presence::added) return add_one_side(table, after, Kind::added, 1);
    if (table.presence == Presence::dropped) return add_one_side(table, before, Kind::dropped, -1);
    const bool split = has_input(table, "sharding") || table.shards.changed;
    const bool moved = !split && has_input(table, "ranks");
    const std::vector<int> left = moved ? ranks_missing(base_, *pair.before, next_, *pair.after) : std::vector<int>{};
    const std::vector<int> entered =
        moved ? ranks_missing(next_, *pair.after, base_, *pair.before) : std::vector<int>{};
    ByRank changes = after;
    for (const auto& [rank, bytes] : before) changes[rank] = changes[rank] - bytes;
    for (const auto& [rank, change] : changes) {
      if (!own) {
        add_wide(rank, change, table.hbm.changed);
      } else if (std::ranges::find(entered, rank) != entered.end()) {
        parts_[rank].push_back({Kind::moved_here, table.fqn, left, 1, change});
      } else if (std::ranges::find(left, rank) != left.end()) {
        parts_[rank].push_back({Kind::moved_away, table.fqn, entered, 1, change});
      } else if (!moved || table.inputs.size() > 1) {
        parts_[rank].push_back({split ? Kind::split : Kind::changed, table.fqn, {}, 1, change});
      }
    }
  }

  // What was reserved on each rank, as far as rank memory counts it and both sides tell it. Where bounds differ it may
  // have changed, though no value need have.
  void add_reserved(int rank) {
    if (next_.growth != nullptr && next_.growth->kjt_hbm != RealInterval{}) {
      parts_[rank].push_back({RankPart::Kind::kjt, {}, {}, 1, next_.growth->kjt_hbm});
      return;
    }
    const auto tells = [](const DiffSide& side) {
      return side.plan.sized || side.printed.find(LineId::dense_storage) != nullptr;
    };
    if (!tells(base_) || !tells(next_)) return;
    const auto add = [&](RankPart::Kind kind, ByteInterval Plan::*bytes, bool print_alike) {
      const auto of = [&](const Plan& plan) {
        return plan.setting.rules != nullptr && plan.setting.rules->counts_reservation ? real(plan.*bytes)
                                                                                       : RealInterval{};
      };
      const RealInterval before = of(base_.plan), after = of(next_.plan);
      const bool same = before == after || (before.overlaps(after) && (next_.growth != nullptr || print_alike));
      if (!same) parts_[rank].push_back({kind, {}, {}, 1, after - before});
    };
    add(RankPart::Kind::dense, &Plan::dense_hbm, print_alike(LineId::dense_storage));
    // Where the formula gives one of both, they tell more than what is printed.
    const bool is_rebuilt = base_.plan.kjt.known || next_.plan.kjt.known;
    add(RankPart::Kind::kjt, &Plan::kjt_hbm, !is_rebuilt && print_alike(LineId::kjt_storage));
  }

  std::vector<RankPart> take(int rank) {
    std::vector<RankPart> parts = std::move(parts_[rank]);
    if (const auto wide = wide_.find(rank); wide != wide_.end()) parts.push_back(wide->second);
    return parts;
  }

 private:
  // What prints alike on both sides is taken for the same.
  bool print_alike(LineId line) const {
    const std::string_view before = base_.printed.slot(line).text;
    return !before.empty() && before == next_.printed.slot(line).text;
  }
  void add_one_side(const TableDiff& table, const ByRank& ranks, RankPart::Kind kind, int sign) {
    for (const auto& [rank, bytes] : ranks)
      parts_[rank].push_back({kind, table.fqn, {}, 1, sign > 0 ? bytes : RealInterval{} - bytes});
  }
  void add_wide(int rank, RealInterval change, bool changed) {
    RankPart& part = wide_.try_emplace(rank, RankPart{RankPart::Kind::plan_wide, {}, {}, 0, {}}).first->second;
    if (!plan_wide_) part.kind = RankPart::Kind::unexplained;
    part.tables += changed ? 1 : 0;
    part.hbm = part.hbm + change;
  }

  const DiffSide &base_, &next_;
  const bool plan_wide_;
  std::map<int, std::vector<RankPart>> parts_;
  std::map<int, RankPart> wide_;
};

// ---- ranks ---------------------------------------------------------------------------------------------------------

struct SideRank {
  const PrintedPlan* printed = nullptr;
  const PlanRank* plan = nullptr;  // nullptr: the side has no such rank
  const PrintedRank* row = nullptr;
};

std::map<int, SideRank> ranks_of(const DiffSide& side) {
  std::map<int, SideRank> ranks;
  const auto& rows = side.printed.ranks.rows;
  for (std::size_t i = 0; i < side.plan.ranks.size(); ++i) {
    const PlanRank& plan = side.plan.ranks[i];
    ranks.try_emplace(plan.rank, SideRank{&side.printed, &plan, i < rows.size() ? &rows[i] : nullptr});
  }
  return ranks;
}

// nullptr: nothing is known of it, as that of a rank of one side alone.
const PlanGrowth::OfRank* growth_of(const DiffSide& next, const SideRank& before, const SideRank& after) {
  if (next.growth == nullptr || before.plan == nullptr || after.plan == nullptr) return nullptr;
  const auto r = static_cast<std::size_t>(after.plan - next.plan.ranks.data());
  return r < next.growth->ranks.size() ? &next.growth->ranks[r] : nullptr;
}

// A cell that the formulas contradict stands for itself, and where they do not give it, one that can be read. A lost
// row is rebuilt from its shards.
Known known_bytes(const SideRank& rank, const ByteColumn& column) {
  if (rank.plan == nullptr) return std::nullopt;
  const Expectation& expected = rank.plan->*column.expected;
  const bool memory = column.numbers == RoundedNumbers::rank_memory;
  if (!memory && rank.printed->releases.front() < Release::v0_1_1) return std::nullopt;  // not bytes there
  const auto printed = rank.row != nullptr ? column.printed_in(*rank.printed, *rank.row) : std::nullopt;
  if (expected.known && expected.contradicted && printed) return real(*printed);
  const bool is_rebuilt = rank.row != nullptr && rank.row->lost && rank.plan->known;
  if (!expected.known && !printed && !is_rebuilt) return std::nullopt;
  return real(rank.plan->*column.bytes);
}

Known perf_of(const SideRank& rank) {
  if (rank.plan == nullptr || !prints_perf_in_ms(rank.printed->releases.front())) return std::nullopt;
  const bool wrong = (rank.plan->expected_perf.contradicted >> kPerfParts & 1) != 0;
  if (wrong && rank.row != nullptr)
    return printed_bounds(rank.row->perf.total, rank.printed->format_of(RoundedNumbers::rank_perf), "ms");
  return rank.plan->knows_perf(kPerfParts) ? Known(rank.plan->perf.total) : std::nullopt;
}

// Is the rank's memory that of its shards, all of them known?
bool tells_shards(const SideRank& rank) {
  const auto is_rebuilt = [](const Expectation& size) { return size.known && !size.contradicted; };
  return rank.plan != nullptr && is_rebuilt(rank.plan->expected_hbm) && is_rebuilt(rank.plan->expected_ddr);
}

RealInterval sum_of(const std::vector<RankPart>& parts) {
  RealInterval sum{};
  for (const RankPart& part : parts) sum = sum + part.hbm;
  return sum;
}

// Each part is what the others leave of the change, or less.
void narrow_to(RealInterval change, std::vector<RankPart>& parts) {
  std::vector<RealInterval> behind(parts.size() + 1);  // sums of the parts from each one on
  for (std::size_t i = parts.size(); i > 0; --i) behind[i - 1] = parts[i - 1].hbm + behind[i];
  RealInterval before{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const RealInterval own = parts[i].hbm;
    parts[i].hbm = narrowed(own, change - (before + behind[i + 1]));
    before = before + own;
  }
}

// The parts add up to the change of the rank; what they leave is one of them. What is known of the change of a changed
// plan's rank counts for more than they do, and parts of which some are not told (not `all`) tell nothing of it.
void attribute(NumberDiff& hbm, std::vector<RankPart>& parts, RankPart::Kind rest, bool all) {
  if (!hbm.before || !hbm.after) return parts.clear();
  const RealInterval sum = sum_of(parts), whole = hbm.follows_inputs ? hbm.change : *hbm.after - *hbm.before;
  const bool add_up = all && sum.overlaps(whole);
  if (!hbm.follows_inputs && add_up) {
    hbm.changed = hbm.changed || !sum.contains(0);
    if (hbm.changed || *hbm.before != *hbm.after || sum != RealInterval{}) hbm.change = narrowed(whole, sum);
  }
  if (!hbm.changed) return parts.clear();
  if (add_up)
    narrow_to(hbm.change, parts);
  else
    parts.push_back({rest, {}, {}, 0, whole - sum});
  std::erase_if(parts, [](const RankPart& part) { return part.hbm == RealInterval{}; });
  std::ranges::stable_sort(parts, std::ranges::greater{}, [](const RankPart& p) { return magnitude(p.hbm); });
}

// What has the same bounds on both sides of a rank may have changed all the same where not all of its shards are known
// and the rank changed, or tables may have.
void leave_open(bool tables_may_differ, RankDiff& rank) {
  if (rank.tells_shards || !(tables_may_differ || rank.changed())) return;
  for (NumberDiff* const number : {&rank.hbm, &rank.ddr})
    if (number->before && number->after && !number->follows_inputs && number->change == RealInterval{})
      number->change = *number->after - *number->before;
}

}  // namespace

std::vector<RankDiff> rank_diffs(const DiffSide& base, const DiffSide& next, const std::vector<TablePair>& pairs,
                                 const std::vector<TableDiff>& tables, bool plan_wide, bool lost_tables) {
  Parts parts(base, next, plan_wide);
  for (std::size_t i = 0; i < pairs.size(); ++i) parts.add(pairs[i], tables[i]);
  // Without tables there is nothing else that it could come from.
  const auto rest = plan_wide && pairs.empty() ? RankPart::Kind::plan_wide : RankPart::Kind::unexplained;
  const bool compares_tables = names_all_tables(base) && names_all_tables(next);
  const bool tables_may_differ =
      lost_tables || std::ranges::any_of(tables, [](const TableDiff& table) { return table.changed(); });
  std::map<int, SideRank> befores = ranks_of(base), afters = ranks_of(next);
  for (const auto& [number, rank] : befores) afters.try_emplace(number);
  std::vector<RankDiff> diffs;
  for (const auto& entry : afters) {
    const int number = entry.first;
    const SideRank &before = befores[number], &after = entry.second;
    RankDiff& diff = diffs.emplace_back();
    diff.rank = number;
    diff.presence = before.plan == nullptr  ? Presence::added
                    : after.plan == nullptr ? Presence::dropped
                                            : Presence::both;
    const PlanGrowth::OfRank* growth = growth_of(next, before, after);
    const auto bytes = [&](const ByteColumn& column) {
      return difference(column.name, DiffUnit::bytes, known_bytes(before, column), known_bytes(after, column),
                        growth == nullptr ? nullptr : &(growth->*column.growth));
    };
    diff.hbm = bytes(kRankHbm);
    diff.ddr = bytes(kRankDdr);
    diff.input = bytes(kRankInput);
    diff.output = bytes(kRankOutput);
    diff.perf = difference("perf", DiffUnit::ms, perf_of(before), perf_of(after));
    parts.add_reserved(number);
    diff.parts = parts.take(number);
    diff.tells_shards = compares_tables && tells_shards(before) && tells_shards(after);
    attribute(diff.hbm, diff.parts, rest, diff.tells_shards || next.growth != nullptr);
    leave_open(tables_may_differ, diff);
  }
  return diffs;
}

}  // namespace shardstats::analysis

namespace shardstats {

bool RankDiff::changed() const {
  return presence != Presence::both || hbm.changed || ddr.changed || input.changed || output.changed || perf.changed;
}

bool RankDiff::is_open() const {
  const auto is_open = [](const NumberDiff& number) { return number.follows_inputs && number.is_open(); };
  return !changed() && (is_open(hbm) || is_open(ddr) || is_open(input) || is_open(output));
}

}  // namespace shardstats
