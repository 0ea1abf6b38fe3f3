// What every line that the planner derives from its ranks should say (log-format.md sections 3.8 to 3.10 and 6.4 to
// 6.9). One walk over the printed lines; verify compares and explain shows what it tells. Private to src/analysis.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shardstats/analysis/rules.h"
#include "shardstats/infer/plan.h"
#include "shardstats/planner/statistics.h"

namespace shardstats::analysis {

// A value that every rank has: bytes or ms.
enum class Quantity : std::uint8_t {
  hbm,
  ddr,
  sparse_hbm,
  perf,
  forward_compute,
  forward_comms,
  backward_compute,
  backward_comms,
  prefetch_compute,
};
inline constexpr std::size_t kQuantities = 9;
constexpr Quantity quantity_of(PerfPart part) {
  return static_cast<Quantity>(static_cast<std::size_t>(Quantity::forward_compute) + static_cast<std::size_t>(part));
}

// Does some rank have the cell? Not where its column, or all its cells, were cut off.
template <class CellOf>
bool some_rank_prints(const PrintedPlan& printed, CellOf cell_of) {
  return std::ranges::any_of(printed.ranks.rows,
                             [&](const PrintedRank& row) { return static_cast<bool>(std::invoke(cell_of, row)); });
}

// Bounds of the values of all ranks, in rank order.
struct RankValues {
  std::array<std::vector<RealInterval>, kQuantities> of;  // by Quantity
  bool known = false;                                     // every rank has a row
  bool sparse_known = false;                              // what the shards alone take is rebuilt
  const std::vector<RealInterval>& operator[](Quantity q) const { return of[static_cast<std::size_t>(q)]; }
  std::size_t ranks() const { return of.front().size(); }
};
RankValues rank_values(const PrintedPlan& printed, const Plan& plan);

// The line that prints the largest value of a quantity and the ranks that have it.
struct MaximumLine {
  LineId id;
  std::string_view key, what;
  Quantity quantity;
};
std::span<const MaximumLine> maximum_lines();

// A printed number and what it should be.
// It and the others below live as long as the call that is given them.
struct DerivedNumber {
  RuleId rule{};
  std::string_view key;   // which of the rule's numbers: "kl", "mean", "2"
  std::string_view what;  // "the maximum of total perf"
  Cell cell;
  Format format = Format::r3;
  std::string_view unit;  // "bytes" (the cell counts 2^30 of them), "ms", "percent", "" for a pure number
  RealInterval expected{};
  Quantity of = Quantity::hbm;
  std::string_view formula;  // in words, over the values of all ranks
  // What the other printed measures of an imbalance leave of it, anything where they say nothing.
  RealInterval by_other_measures{0, std::numeric_limits<double>::infinity()};
};

// A printed list of ranks and the ranks that must and that may be on it.
struct DerivedRanks {
  RuleId rule{};
  std::string_view key, what;
  Cell cell;
  RankList list;
};

// A tier whose printed ranks are positions among the ranks left (log-format.md section 7, Q1).
struct ShiftedTier {
  std::string_view key;
  Cell cell;
  std::vector<int> printed;
  std::vector<bool> right;  // by rank
};

inline constexpr double kAnyNumber = 1e18;  // bytes or ms: so large a value stands for one that is not known
inline constexpr double kSumSlack = 1e-9;   // of sums, far below the printed digits
constexpr RealInterval widened(RealInterval x, double slack) { return {x.low - slack, x.high + slack}; }

class StatisticsReader {
 public:
  virtual ~StatisticsReader() = default;
  // Does the printed number differ? Then its list of ranks, later tiers and the sum of paths do not rest on it.
  virtual bool number(const DerivedNumber& number) = 0;
  virtual void ranks(const DerivedRanks& ranks) = 0;
  virtual void shifted(const ShiftedTier& tier) = 0;
  // Ranks are left for a tier that is not printed. `next`: the line that should follow it.
  virtual void missing_tier(std::int64_t /*tier*/, Place /*next*/) {}
  // A tier that is printed, though no rank is left for it, or enough tiers are printed. `last`: the one that is the
  // last.
  virtual void extra_tier(const Cell& /*number*/, std::int64_t /*last*/) {}
};

// The largest value of a component; its own line is printed more finely than the ranks' cells.
RealInterval largest_of(const PrintedPlan& printed, const RankValues& values, PerfPart part);

// Table names may have dots of their own ("ebc.item.v2"): then a shorter path, that of other tables, is the module.
// Which ways to read the names may be those of a log's critical path.
struct NameReadings {
  bool plain = true, dotted = true;
};
// Those that give the printed comms; both where none does.
NameReadings readings_that_fit(const PrintedPlan& printed, const Plan& plan);

// `whole`: all rows of the parameter table are there, so that sums over them mean something.
void read_statistics(const PrintedPlan& printed, const Plan& plan, const RankValues& values, bool whole,
                     StatisticsReader& reader, NameReadings names = {});
// Can the printed critical path of comms be rebuilt? It needs the perf of every table.
bool critical_path_known(const PrintedPlan& printed, const Plan& plan, bool whole);

// What the lines of the critical path would be (6.9), ms, where they are not printed. No comms where the perf of a
// table is not rebuilt; bounds over all readings that `names` leaves, and over the rules of all releases.
struct CriticalPath {
  RealInterval compute{};
  std::optional<RealInterval> comms;
};
CriticalPath critical_path(const PrintedPlan& printed, const Plan& plan, const RankValues& values, bool whole,
                           NameReadings names = {});

// By how much the largest value of ranks changes that change so: it falls no more than on one that may have been the
// largest (`was`), and rises no more than on one that may be it then (`is`).
RealInterval change_of_largest(const std::vector<bool>& was, const std::vector<bool>& is,
                               std::span<const RealInterval> changes);

// The largest rank of the tables of one module and sharding type in one direction (6.9).
struct CommsGroup {
  std::string_view module;
  Sharding sharding{};
  PerfPart part{};
  RealInterval largest{};
  int rank = 0;                              // one that is largest, as far as bounds tell
  std::span<const PlanTable* const> tables;  // in CriticalComms::tables
};
struct CriticalComms {
  std::vector<CommsGroup> groups;
  std::vector<const PlanTable*> tables;  // of all groups
  double divisor = 1;                    // 3 where v1.2.0 and v1.3.0 divide
  RealInterval sum{};                    // of the groups, divided

  CriticalComms() = default;
  CriticalComms(CriticalComms&&) = default;  // groups stay those of the tables; copies would not
  CriticalComms& operator=(CriticalComms&&) = default;
};
// The module of each table.
std::vector<std::string_view> modules(const PrintedPlan& printed, const Plan& plan, bool dotted_names);
CriticalComms critical_comms(const PrintedPlan& printed, const Plan& plan, std::size_t ranks, NameReadings names = {});

// Ranks of almost equal HBM, the hottest of those left (6.8).
struct Tier {
  RealInterval value{};
  RankList members;  // by position in `left`
};
Tier hottest_tier(const RankValues& values, const std::vector<std::size_t>& left);
// Takes the members of a tier out of the ranks that are left.
void remove(std::vector<std::size_t>& left, const std::vector<int>& positions);
inline constexpr std::int64_t kMostTiers = 5;
inline constexpr std::size_t kMostTopTables = 5;

// May the list of the tables behind the largest perf or HBM have one of this type (6.9)?
constexpr bool is_listed_type(Sharding sharding) { return sharding != Sharding::rw && sharding != Sharding::dp; }
// And this table, which takes a shard on each of the ranks?
bool may_be_listed(const Plan& plan, const PlanTable& table, const std::vector<int>& ranks);
// Tables behind the largest perf or (sparse) HBM: those that may be listed.
struct TopCandidates {
  std::vector<int> ranks;                // that may have the largest value
  std::vector<const PlanTable*> tables;  // on all of these ranks, if it is certain that they have it
};
TopCandidates top_candidates(const Plan& plan, const RankValues& values, bool perf);
// What a table of the list is ordered by.
RealInterval first_shard(const Plan& plan, const PlanTable& table, bool perf);

// Bounds of a printed cell; nullopt: no such number.
std::optional<RealInterval> printed_bounds(const Cell& cell, Format format, std::string_view unit);
// The same; where nothing readable is printed, anything.
RealInterval printed_or_anything(const Cell& cell, Format format, std::string_view unit);
// The ranks that are marked, and as text: "0-3,7".
std::vector<int> marked(const std::vector<bool>& ranks);
std::string ranks_in(const std::vector<bool>& ranks);
std::string ranks_in(const std::vector<int>& ranks);  // likewise, of ascending ones

}  // namespace shardstats::analysis
