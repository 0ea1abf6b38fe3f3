// diff: what changed between two plans, in numbers, and what it comes from.
//
//   (PrintedPlan, Plan) base, (PrintedPlan, Plan) next --diff_plans()--> PlanDiff
//
// A value is an interval; so is a difference. Something changed if no value fits both sides. Assumptions likewise: they
// changed only if no value that explains the one log explains the other. What one side neither prints nor lets rebuild
// is empty there, which is not 0. Tested by tests/analysis/diff_test.cc, diff_damage_test.cc and, over the corpus,
// tests/cli/diff_corpus_test.py.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardstats/analysis/filter.h"
#include "shardstats/infer/plan.h"
#include "shardstats/infer/plan_growth.h"

namespace shardstats {

enum class DiffUnit : std::uint8_t { bytes, ms, count };

inline constexpr double kFewBytes = 1024;  // of a changed plan: less is what rounding makes of its hidden inputs

// A number before and after.
struct NumberDiff {
  std::string_view name;  // "hbm"
  DiffUnit unit = DiffUnit::bytes;
  std::optional<RealInterval> before, after;
  // All that after - before may be, also where nothing shows that it changed; 0 where both sides have the same bounds.
  // It is narrower than these tell where both rest on the same unknowns.
  RealInterval change{};
  bool changed = false;         // for certain: both sides are known, and the change is not 0
  bool follows_inputs = false;  // the change is what a change of inputs makes of it: without it, it is 0

  // Not for certain: may the value have changed all the same? Where two logs are compared, by more than a cell of a
  // table's row hides; of a changed plan, by more than 1 KiB.
  bool is_open() const;
  // Of the value before; nullopt where that is, or may be, 0.
  std::optional<RealInterval> percent() const;
};

// An input of the plan or of a table before and after, in the words of --set: {"sharding", "TW", "RW"}.
struct InputDiff {
  std::string_view name;
  std::string before, after;
  std::string note{};  // what else explains the logs as well; may be empty
};

// One reason, and what came of it.
struct Cause {
  enum class Kind : std::uint8_t { plan, table, added, dropped, unexplained } kind = Kind::plan;
  std::string table{};              // FQN; empty for the whole plan
  std::vector<InputDiff> inputs{};  // that changed together, the first is the one to name; none for added and dropped
  std::int64_t tables = 0;          // with other memory or time for this reason
  std::int64_t open_tables = 0;     // others that may have, whose bounds the effects hold as well
  std::int64_t hidden_tables = 0;   // of all these, not rebuilt on a side: their hidden inputs may be another reason
  // Bytes and ms, all ranks together; nullopt: of a table it is not known.
  std::optional<RealInterval> hbm = RealInterval{}, ddr = hbm, ssd = hbm, perf = hbm;
  bool shared = false;       // these effects are those of all causes marked so, taken together
  bool lost_tables = false;  // a log has lost others, so that these effects are not all

  // Else the effects are of the tables that both logs have, whatever the reason.
  bool has_all_effects() const { return !lost_tables && hidden_tables == 0; }
  // "batch_size=4096", "ebc.t.sharding=RW", "drop ebc.t"; none for an added table or no reason.
  std::vector<std::string> assignments() const;
};

// An assumption of the whole plan that changed; or, with `tables` > 0, one of so many tables.
struct AssumptionDiff {
  std::string_view name;
  std::vector<AssumedValue> before, after;  // the preferred value first, then all others that explain the log
  std::int64_t tables = 0;
};

enum class Presence : std::uint8_t { both, added, dropped };

struct TableDiff {
  std::string fqn;
  Presence presence = Presence::both;
  std::string sharding, kernel, ranks;  // as printed: of NEW, or of BASE for a dropped table
  std::vector<InputDiff> inputs;        // that changed
  bool tells_hidden_inputs = true;      // rebuilt on both sides; else dtype and the like are not compared
  NumberDiff shards, hbm, ddr, ssd, perf;

  bool changed() const;
  bool is_open() const;
};

// A part of a rank's change in HBM, bytes.
struct RankPart {
  enum class Kind : std::uint8_t {
    moved_here,   // shards of `table` from `ranks`
    moved_away,   // to `ranks`
    split,        // another sharding type or number of shards
    changed,      // other inputs of the table
    added,        // a new table
    dropped,      // a table that is gone
    plan_wide,    // `tables` tables without a change of their own
    dense,        // reserved for dense tensors
    kjt,          // reserved for features
    unexplained,  // what is left
  } kind = Kind::changed;
  std::string table{};
  std::vector<int> ranks{};
  std::int64_t tables = 1;
  RealInterval hbm{};
};

struct RankDiff {
  int rank = 0;
  Presence presence = Presence::both;
  NumberDiff hbm, ddr, input, output, perf;
  std::vector<RankPart> parts;  // of the change in HBM: they add up to it; largest first
  bool tells_shards = false;    // both sides know all of its shards: where their sums are equal, so are the shards

  bool changed() const;
  // Of a changed plan: may its memory have changed, as far as the inputs are known?
  bool is_open() const;
};

struct KernelDiff {
  std::string name;
  NumberDiff tables, hbm, ddr, ssd;

  bool changed() const;
};

struct LargestRank {
  std::vector<int> before, after;  // the ranks that may be the largest; often one
  NumberDiff hbm;
};

// How much the largest rank's HBM may increase: that much is allowed.
struct IncreaseLimit {
  double amount = 0;     // bytes, or a percentage of the base
  bool percent = false;  // which of them
  std::string text;      // as given: "2GiB", "3%"
};
enum class LimitStatus : std::uint8_t {
  kept,
  exceeded,
  undecided,  // the bounds allow both
  unknown,    // a log does not give the HBM of all ranks
};
inline constexpr std::array<std::string_view, 4> kLimitStatusNames = {"kept", "exceeded", "undecided", "unknown"};
constexpr std::string_view name(LimitStatus status) { return name_of(status, kLimitStatusNames); }
struct LimitResult {
  IncreaseLimit limit;
  LimitStatus status{};
};

// What is not compared, since a log prints none of it ("tables"), or has lost some of it in damage.
struct NotCompared {
  std::string_view what;
  bool partly = false;
  bool before = false, after = false;  // the logs that lack it
};

// Why a side has no headroom.
enum class NoHeadroom : std::uint8_t {
  not_printed,    // the planning memory
  not_counted,    // the planner counts no HBM of this device
  ranks_unknown,  // so that the largest is
  other_devices,  // each has a planning memory of its own
  contradicted,   // percentages of ranks are of another planning memory than the printed one
};

struct PlanDiff {
  std::vector<Release> releases_before, releases_after;  // candidates
  std::vector<NumberDiff> numbers;                       // of the whole plan, those known on a side
  LargestRank largest;
  NumberDiff headroom;                                   // planning memory less the largest rank's HBM
  NoHeadroom no_headroom_before{}, no_headroom_after{};  // of a side that has none
  std::vector<Cause> causes;                             // most important first
  std::vector<AssumptionDiff> assumptions;
  std::vector<TableDiff> tables;  // that changed and the filter keeps, largest change first; likewise the next two
  std::vector<RankDiff> ranks;
  std::vector<KernelDiff> kernels;
  std::int64_t same_tables = 0;          // kept by the filter, on both sides, and equal as far as the logs tell
  std::vector<std::string> open_tables;  // the same, but what is known leaves open whether they changed: FQNs
  std::vector<int> open_ranks;           // likewise, of a changed plan
  std::int64_t hidden = 0;               // changed tables, ranks and kernels that the filter does not keep
  bool tables_printed = true;            // by both logs; else no table is compared
  std::vector<NotCompared> not_compared;
  std::optional<LimitResult> limit;  // if one was given

  bool changed() const;
  // May it have, besides? Neither: it is as before.
  bool is_open() const { return !open_tables.empty() || !open_ranks.empty(); }
  // Else a log shows something that the other lacks: then nothing says that the plans are equal.
  bool compares_all() const;
};

struct DiffSide {
  const PrintedPlan& printed;
  const Plan& plan;  // with all alternatives (InferOptions)
  // Of a changed plan, whose shards nobody printed: by how much it grows from the other side.
  const PlanGrowth* growth = nullptr;
};

LimitStatus hold_against(const PlanDiff& diff, const IncreaseLimit& limit);

// Keeps no reference to the plans.
PlanDiff diff_plans(const DiffSide& base, const DiffSide& next, const Filter& filter);

}  // namespace shardstats
