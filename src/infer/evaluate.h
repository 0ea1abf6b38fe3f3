// Evaluates hypotheses against every printed sum: storage cells of tables, columns of ranks, kernel lines.
//
// Two tiers. Uniform: one element size, one optimizer, no separate output type and default hidden inputs for the whole
// plan. Free: every table by itself; each table that departs from the plan-wide values counts as one contradicted cell.
// The free tier is used only if it leaves fewer. Private to src/infer.
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "infer/model.h"
#include "infer/sum_lines.h"
#include "shardstats/log/missing_tables.h"

namespace shardstats::infer_detail {

// Of a rank or a kernel, by Quantity; those that none is printed of stay empty.
using PrintedSums = std::array<std::optional<ByteInterval>, kQuantities>;

struct KernelInputs {
  std::string_view name;
  std::vector<std::uint32_t> tables;  // indices
  PrintedSums printed;
};

// Everything printed that inference reads.
struct PlanInputs {
  const PrintedPlan* printed = nullptr;
  std::int64_t world_size = 0;
  double batch_size = 0;
  bool empty_plan = false;
  bool sized = false;  // some table is sized
  std::vector<TableInputs> tables;
  std::vector<PrintedSums> ranks;
  std::vector<KernelInputs> kernels;
  std::optional<bool> fixed_inference;           // by --assume; where storage is the same, perf alone knows it
  std::optional<std::int64_t> fixed_local_size;  // by --assume: ranks of a host, which perf rests on in any plan
  bool reservation_printed = false;              // Dense and KJT blocks
  bool reservation_lost = false;  // their lines may be among those that the log lost: any amount may be reserved
  ByteInterval dense_hbm{}, dense_ddr{}, kjt_hbm{}, kjt_ddr{};
  std::optional<MissingTables> missing;    // rows of the parameter table that the log lost
  bool lacks_rows = false;                 // lost some, or its kernels count more tables, which nothing confirms
  std::optional<RealInterval> sparse_gap;  // Max HBM - Sparse only Max HBM (v1.4.0+)
};

// By rank row: no shard of a missing table lies there.
std::vector<bool> ranks_without_missing(const PlanInputs& plan);
// Nor one of a table whose row lost what its size follows from, and the rank's own row is there.
std::vector<bool> ranks_that_tell(const PlanInputs& plan);
// Has the row of some table lost what its size follows from?
bool lost_a_size(const PlanInputs& plan);
// Has the table a shard on one of these ranks, a flag for each rank row?
bool is_on_any(const std::vector<bool>& ranks, const TableInputs& table);
// What shards of missing tables may take of a rank, a bit for each Quantity.
std::uint32_t taken_by_missing(const PlanInputs& plan, const Setting& setting);

// What ranks hold besides shards, the same on each.
struct Constants {
  RealInterval hbm{}, ddr{};
  bool hidden = false;  // not printed: fitted to the ranks
  friend bool operator==(const Constants&, const Constants&) = default;
};

using TableParts = ShortVector<Parts, 1>;  // variants of one table
// Those of all tables of a hypothesis, and their memory.
struct PooledParts {
  explicit PooledParts(std::size_t size) : tables(size) {}
  Pool pool;
  std::vector<TableParts> tables;
};
inline std::shared_ptr<const std::vector<TableParts>> tables_of(std::shared_ptr<PooledParts> parts) {
  const auto* const tables = &parts->tables;
  return {std::move(parts), tables};
}
// Is the table so many times the shard of its only class? Then bounds of it are those of the shard as many times.
inline bool is_one_class(const TableParts& variants) {
  return std::ranges::all_of(variants, [](const Parts& p) { return p.classes.size() == 1 && p.same_total.empty(); });
}

using Options = ShortVector<Option, 12>;
// A bit for each element size that some option has.
inline std::uint32_t elements_of(const Options& options) {
  std::uint32_t elements = 0;
  for (const Option option : options) elements |= 1u << option.element();
  return elements;
}
// A bit for each combo that is left of any variant, and of each one.
std::uint64_t combos_of(const Options& options);
std::vector<std::uint64_t> combos_of(const Options& options, std::size_t variants);

struct TableState {
  Options options;  // what is left
  WrongCells contradicted{};
  std::optional<int> perf_element;  // index of the element size that the perf half takes
};

// Leaves a table the options that contradict the fewest of its cells; of those that contradict as many, the ones that
// contradict the same cells as the first.
class LeastContradicted {
 public:
  explicit LeastContradicted(TableState& state) : state_(state) { state_.options.clear(); }
  void look_at(Option option, const WrongCells& wrong) {
    if (count(wrong) < cells_) {
      cells_ = count(wrong);
      state_.options.clear();
      state_.contradicted = wrong;
    }
    if (wrong == state_.contradicted) state_.options.push_back(option);
  }
  std::int64_t cells() const { return cells_; }  // that each of them contradicts

 private:
  TableState& state_;
  std::int64_t cells_ = std::numeric_limits<std::int64_t>::max();
};

// What is left of a hypothesis after all printed sums were looked at.
struct Outcome {
  Setting setting;
  bool uniform = true;  // one pair explains it; a table may have been given other options since
  RowSplit rows;
  int pair = 0;  // plan-wide element size and optimizer, pair_of()
  std::shared_ptr<const std::vector<TableParts>> parts;
  std::vector<TableState> tables;
  std::shared_ptr<const SumLines> lines;
  std::vector<SumLine> sums;  // those of `lines`, with what was found out about them
  Constants constants;
  std::int64_t contradictions = 0;  // printed cells
  std::int64_t freedoms = 0;        // values of its own that it needs
  std::int64_t statistics = 0;      // printed numbers of the imbalance, if it contradicts several; set by the free tier
  std::int64_t cost() const { return contradictions + freedoms; }
};

// Of the contradicted cells, those of tables.
std::int64_t own_contradictions(const Outcome& outcome);
// Is the table split into several blocks of columns whose width its release does not print?
bool has_hidden_blocks(const TableInputs& table);
// Does it have numbers of poolings or such blocks that its release does not print?
bool has_hidden_inputs(const TableInputs& table);
// Are the shards of a class of this table equal? Not where their rows or columns, or which of them is which, are
// hidden.
inline bool equal_shards(const Outcome& outcome, const TableInputs& table) {
  return !(outcome.rows.hidden() && table.sharding == Sharding::rw) && !columns_hidden(table) && !table.order_open;
}

// Values of its own that the table needs: one for departing from the plan-wide ones of the pair, another for the hidden
// size of the key-value cache of a virtual table.
int departures(const TableInputs& table, const TableState& state, const TableParts& parts, int pair);

// What a table may choose for itself in the free tier; each one includes those before it, but for the last.
enum class Freedom : std::uint8_t {
  sizes,              // element sizes, optimizer, passes
  poolings,           // numbers of poolings that old releases do not print
  columns,            // widths of blocks of columns, likewise
  columns_if_unseen,  // columns where no complete rank has a shard of the table, else sizes
};

// Among hypotheses that fill in values table by table the count of those values is a matter of degree: a contradicted
// cell weighs more than one of them.
constexpr std::int64_t kCellWeight = 3;
inline std::int64_t weight(const Outcome& o) { return kCellWeight * o.contradictions + o.freedoms + o.statistics; }
inline constexpr std::int64_t kWeightSlack = 1;              // a difference that does not exclude
inline constexpr std::int64_t kUnlikely = kWeightSlack + 1;  // what is taken only where nothing else explains as much
inline constexpr std::int64_t kSeveralWrong = 2;             // contradicted cells: one may be the only wrong one
inline constexpr std::int64_t kManyContradictions = 4;       // of printed cells: these are seldom wrong themselves

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max() / 4;

// Tables that no plan-wide pair explains under a setting: each costs at least one in the free tier with this freedom.
struct Departing {
  std::int64_t inputs = 0, rows = 0;
};

// The pair that explains most under a setting, to count departures from.
struct PlanWide {
  int pair = 0;
  Departing departing;
  std::vector<std::uint32_t> denied_by;  // tables: their own cells contradict it
};
// Where nothing is known of the tables.
inline PlanWide with_pair(int pair) { return {pair, {}, {}}; }

// Evaluates the hypotheses of one search. Keeps what they have in common.
class Evaluator {
 public:
  explicit Evaluator(const PlanInputs& plan) : plan_(plan), sums_(plan) {}

  // All outcomes of the setting in the uniform tier whose cost is the least and at most `limit`: one for each pair. If
  // there are none, `least` is the cost found, or how much was known to contradict when it passed the limit; else
  // `wide` is set to the first one's pair.
  std::vector<Outcome> uniform(const Setting& setting, std::int64_t limit, std::int64_t& least,
                               std::optional<PlanWide>& wide);
  // The pair of the setting's best outcome in the uniform tier; none if with every pair more than `most` tables depart.
  std::optional<PlanWide> plan_wide_of(const Setting& setting, Departing most);
  // The outcome in the free tier; none if its cost exceeds `limit`. `wide`: the plan-wide values to count departures
  // from. `may_mislead`: where several sums stay contradicted, each may be the wrong one that makes the others so.
  std::optional<Outcome> free(const Setting& setting, const PlanWide& wide, Freedom freedom, SplitRows rows,
                              std::int64_t limit, bool may_mislead = false);
  // The outcome under another setting of its group, with rows split like that, and compared anew.
  Outcome with_split(Outcome outcome, const Setting& setting, SplitRows rows);

 private:
  const PlanInputs& plan_;
  KnownSums sums_;
};

// Bounds of S and y of every table that the Input and Output columns of the ranks leave.
std::vector<Lookups> lookups_by_columns(const PlanInputs& plan, const Outcome& outcome);
class SumBounds;
// Do some S and y of every table explain these columns, rank after rank? `bounds`: of the outcome.
bool columns_agree(const PlanInputs& plan, const Outcome& outcome, const SumBounds& bounds);

}  // namespace shardstats::infer_detail
