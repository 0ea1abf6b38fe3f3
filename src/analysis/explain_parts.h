// The pieces explain is made of: traced shards of a table, steps made from them. Private to src/analysis.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shardstats/analysis/explain.h"
#include "shardstats/analysis/table_names.h"
#include "shardstats/planner/trace.h"

namespace shardstats::explain_detail {

// A kind of memory: its parts of every struct, so that each step is written once for all three.
struct Memory {
  std::string_view name;  // "HBM"
  FormulaId formula;      // of one shard
  Traced ShardStorage<Traced>::*storage;
  ByteInterval ShardSizes::*shard;
  Expectation PlanTable::*table;
  Expectation PlanKernel::*kernel;
  Cell PrintedTable::*cell;
  int slot;  // of a kernel's storage line
};
std::span<const Memory> memories();

struct Context {
  const PrintedPlan& printed;
  const Plan& plan;
  const InferOptions& options;
  std::vector<std::uint32_t> first_assumption;  // by table, index into Plan::assumptions; its size: none
  std::vector<std::string_view> names;          // by row of the parameter table, as labels have them
};
Context context_of(const PrintedPlan& printed, const Plan& plan, const InferOptions& options);

// What ranks hold besides their shards.
inline constexpr std::string_view kDense = "dense modules", kKjt = "KJT reservation";

// Shards of a table with equal shape, read through the formulas.
struct ShardClass {
  std::vector<const PlanShard*> shards;  // where any may be one of them, those that are in the order of the ranks
  ByteInterval rows;                     // of each
  ShardStorage<Traced> storage;
  double count() const { return static_cast<double>(shards.size()); }
};

struct TracedTable {
  std::vector<Operand> operands;    // by TraceNode::input
  std::vector<ShardClass> classes;  // in shard order of their first shard
};
// Empty classes if the log does not give the table's sizes.
TracedTable traced(const Context& context, std::uint32_t table);
// Of one shard, bytes.
double largest_nominal(const TracedTable& table, const Memory& memory);

// Shards of a table with equal columns, read through the perf formulas: rows do not matter to them.
struct PerfClass {
  std::vector<const PlanShard*> shards;
  Perf<Traced> perf;
  double count() const { return static_cast<double>(shards.size()); }
};

struct TracedPerf {
  std::vector<Operand> operands;  // by TraceNode::input
  std::vector<PerfClass> classes;
};
// Empty classes if the perf of the table is not known.
TracedPerf traced_perf(const Context& context, std::uint32_t table);

// Ids of a batch that the KJT reservation counts for a table (8.2): l * B. nullopt: the log does not give them, or the
// batch sizes of its features differ.
struct TracedIds {
  std::vector<Operand> operands;
  Traced ids;
};
std::optional<TracedIds> traced_ids(const Context& context, std::uint32_t table);

std::string_view fqn_of(const Context& context, std::uint32_t table);
std::string name_of(const Context& context, std::uint32_t table);    // as labels have it
std::string rank_list(const std::vector<const PlanShard*>& shards);  // "ranks 0-94", "shards 0-3" without ranks
std::string shape_text(const ShardSizes& shard);                     // "833,334 x 128"
ShardSizes with_rows(ShardSizes shard, ByteInterval rows);           // the same, of so many rows
void add_once(std::string name, std::vector<std::string>& names);    // not where they have it
double number_of(std::string_view text);                             // 0 if it is no number
std::string not_sized(const Plan& plan);                             // why there are no shards to explain: a sentence

// The assumption of that name: of the table, or of the plan.
const Assumption* assumption(const Context& context, std::string_view name, std::optional<std::uint32_t> table);
// "or train_base": all values but `shown` (by default the assumed one); empty if there is no other.
std::string alternatives_text(const Assumption& a, const AssumedValue* shown = nullptr);
std::string value_words(const AssumedValue& value);

// ---- steps ---------------------------------------------------------------------------------------------------------

// How a printed cell is read.
struct CellForm {
  Format format = Format::r3;
  std::string_view unit = "bytes";  // "bytes": the cell counts 2^30 of them
};

// `unit`: of a node that is no named formula.
Step step_of(const Context& context, const TraceNode& node, const std::vector<Operand>& operands,
             std::string_view unit = "bytes");
// Nothing by that formula.
Step empty_step(FormulaId formula);
// The largest first.
void sort_by_size(std::vector<Step>& steps);
// Makes the step the sum of its children.
void add_up(Step& step);
// A sum over `children`.
Step sum_of(std::string label, FormulaId formula, std::vector<Step> children);
// "HBM of all 96 shards": a sum over `classes`, which hold so many shards.
Step sum_of_shards(std::string_view name, FormulaId formula, std::vector<Step> classes, std::size_t shards);
std::string plural(double n, std::string_view one);  // "1 shard", "96 shards"
Step value_step(std::string label, double nominal, RealInterval bounds, std::string_view unit = "bytes");
Step bytes_step(std::string label, ByteInterval bytes);
// A printed cell, quoted.
Step printed_step(std::string label, const Cell& cell, std::string_view verdict, CellForm form = {});
// Adds what the printed numbers have beyond `computed` as a step of its own and makes the sum the printed one.
void add_unexplained(const Amount& whole, std::string_view note, Step& computed);
// "ranks 0-94: 833,334 x 128 each": the tree of one of so many shards times their number. `only`: there is no other
// class.
Step class_step(std::string_view name, Step one, std::size_t shards, const std::string& where, bool only);
void set_shares(Step& root);
// Makes a step as wide as `known`, the bounds over every explanation that the log allows: the steps show one of them.
// It is a sum then.
void add_other_explanations(RealInterval known, Step& step);
// Makes a plain step no wider than `known`.
void narrow_part(RealInterval known, Step& part);
// Makes plain parts together no wider than `known`, each no more than what the others leave, with values that add up to
// one within it.
void share_out(RealInterval known, std::vector<Step>& parts);
// Makes a step no wider than `known`, and gives it `value` (by default its own), if it can be that. Plain parts of a
// sum are no more than what the others leave, and their values move so that they add up to it; what trees of formulas
// and parts that ranks have in common, which stay as they are, do not give of it is a step of its own.
void narrow_step(RealInterval known, Step& step, std::optional<double> value = {});
// Puts the sum, with what is not explained if the cell is contradicted, and the printed cell into `steps`. `known`: its
// bounds by all that is printed.
void add_with_cell(Step computed, bool contradicted, RealInterval known, const Cell& cell, std::vector<Step>& steps,
                   CellForm form = {});

// Dense modules and KJT of one rank, which are the same in all of them.
std::vector<Step> reserved(const Context& context, const Memory& memory);

// Bytes by component over traced shards, in the order met.
class Components {
 public:
  void add(const Traced& storage, std::string_view memory, double shards, bool largest);
  void add(std::string_view label, std::string_view memory, double per_shard, double total);
  // What a sum of this memory has beyond them: not explained, or by other inputs than the ones shown.
  void add_rest(const Step& sum, std::string_view memory);
  std::vector<ComponentRow> rows() const;

 private:
  void add_node(const TraceNode& node, std::string_view memory, double shards, bool largest);
  struct Row {
    std::string_view label, memory;
    double per_shard = 0, total = 0;
  };
  std::vector<Row> rows_;
};

// ---- targets -------------------------------------------------------------------------------------------------------

// Perf of a table's shards, of its shards on a rank, and of a rank.
void add_table_perf(const Context& context, std::uint32_t table, Explained& explained);
void add_shard_perf(const Context& context, std::uint32_t table, int rank, Explained& explained);
void add_rank_perf(const Context& context, int rank, Explained& explained);

Explained explain_table(const Context& context, std::uint32_t table);
Explained explain_shard(const Context& context, std::uint32_t table, int rank);
Explained explain_rank(const Context& context, int rank);
Explained explain_kernel(const Context& context, std::string_view kernel);
Explained explain_plan(const Context& context);
Explained explain_assumption(const Context& context, std::string_view name);

// The derived lines that `target` names by rule id ("imbalance.hbm.kl", "tiers.2", "critical_path").
struct LinesExplained {
  std::vector<Explained> lines;
  std::vector<std::string> known;  // names of all lines of the block
};
LinesExplained explain_lines(const Context& context, std::string_view target);
Explained explain_reserved_percent(const Context& context);
Explained explain_planning_capacity(const Context& context);

// One line for each disagreement of documentation and source that concerns the table (storage-model.md section 11).
std::vector<std::string> notes_on(const Context& context, std::uint32_t table, const TracedTable& traced);

}  // namespace shardstats::explain_detail
