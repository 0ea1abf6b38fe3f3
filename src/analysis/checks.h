// The checks behind verify(), one function a part of the block. Private to src/analysis.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "shardstats/analysis/findings.h"
#include "shardstats/infer/plan.h"

namespace shardstats::analysis {

// Which printed numbers had something to be compared with; coverage reads it.
struct Compared {
  bool shards = false;                            // Shards cells with Sharding and Ranks
  bool hbm_percent = false, ddr_percent = false;  // rank percentages, and planning DDR with them
  bool planning_hbm = false, planning_percent = false;
  bool ranks = false;                      // lines derived from the rank table
  bool critical_path = false;              // comms need every table's perf
  bool top_perf = false, top_hbm = false;  // top tables
  std::int64_t tiers = INT64_MAX;          // those beyond have no ranks to be compared with
};

// How many shards of each sharding type, by Sharding.
using ShardsByType = std::array<std::int64_t, kShardingNames.size()>;

// The words of a column of the parameter table.
struct WordRows {
  Cell first;
  std::int64_t rows = 0;
};
using WordsOfRows = std::map<std::string_view, WordRows>;
struct TableWords {
  WordsOfRows kernels, shardings;
};
TableWords table_words(const PrintedPlan& printed);
// The kernels whose tables a line counts.
std::set<std::string_view> counted_kernels(const PrintedPlan& printed);

// Numbers that stand in a block, by the rule that compares them.
class NumberCounts {
 public:
  void add(bool derived, RuleId rule, std::int64_t numbers = 1) { by_rule_[index_of(rule)][derived] += numbers; }
  void add(bool derived, RuleId rule, const Cell& cell) { add(derived, rule, std::int64_t{!cell.text.empty()}); }
  void add_input(const Cell& cell) { others_.inputs += !cell.text.empty(); }
  void add_unchecked() { ++others_.unchecked; }
  void mark(RuleId rule) { others_.rules.set(index_of(rule)); }
  Coverage coverage() const;

 private:
  static constexpr std::size_t index_of(RuleId rule) { return static_cast<std::size_t>(rule); }

  std::array<std::array<std::int64_t, 2>, 64> by_rule_{};  // inputs and derived ones
  Coverage others_;                                        // numbers and rules
};

struct RankValues;  // analysis/statistics.h

struct Checks {
  const PrintedPlan& printed;
  const Plan& plan;
  std::vector<Finding>& findings;
  Compared compared{};
  bool rows_complete = false;  // all rows of the parameter table are there, so that sums over them mean something
  TableWords words{};
  // Numbers of lines, or the measures of imbalance, are in a form of no known release, which is said.
  bool lines_unread = false, measures_unread = false;

  // What check_tables() counts for cover(), while it looks at a row.
  NumberCounts numbers_of_tables{};
  // And for check_ranks(): shards on every rank, if each row says where its shards are.
  std::vector<ShardsByType> shards_by_rank{};
  bool shards_counted = false;
  // And for the remark: tables whose storage nothing explains.
  std::int64_t unexplained = 0;
  // And for check_top_tables(): are all tables rebuilt, by their names, and their perf?
  bool tables_known = false, perf_known = false;
  // Of the kernels' lines, in their order: sums that had something to be compared with.
  std::vector<const Cell*> compared_kernel_sums{};
  // What check_ranks() counts for cover(): numbers in the Shards cells.
  std::int64_t printed_shard_counts = 0;

  mutable std::unordered_map<int, const PlanRank*> ranks_by_number{};  // made when needed

  // Adds a finding of the rule's severity whose first suspect is the cell itself.
  Finding& add(RuleId rule, const Cell& where);
  Finding& add_table(RuleId rule, const Cell& where, std::size_t row);
  Finding& of_table(Finding& finding, std::size_t row) const;  // tells which row it is about
  // `rank` -1: not known.
  Finding& add_rank(RuleId rule, const Cell& where, int rank);
  // Adds one of a log.* rule, without suspects.
  Finding& add_log(std::string_view rule, const Cell& where, std::string message);

  const PlanRank* plan_rank(int rank) const;
};

void check_sections(Checks& checks);
void check_release(Checks& checks);
void check_numbers(Checks& checks);  // but for those of tables
void check_numbers_of_lines(Checks& checks);
void check_tables(Checks& checks);
void check_ranks(Checks& checks);
void check_perf_of_table(Checks& checks, std::size_t row, const PerfExpectation& perf);
void check_perf_of_ranks(Checks& checks);
void check_kernels(Checks& checks);
void check_reservation(Checks& checks);
void check_statistics(Checks& checks);
void check_percentages(Checks& checks);  // after all others, whose errors it looks at
void check_top_tables(Checks& checks, const RankValues& values);

// Is it a kernel that is known, or one that rows of the parameter table have? Other words are labels of new lines.
bool is_any_kernel(const Checks& checks, std::string_view word);
// Are so many cells of a column odd that a newer release must print them so?
bool is_changed_format(const PrintedPlan& printed, std::size_t odd, std::size_t rows);
void add_changed_format(Checks& checks, const Cell& where, std::string_view example, std::size_t cells);

// Where a block was cut off, the last that is left, but for blank and unknown lines; else the closing border.
LineId last_known_line(const PrintedPlan& printed);
// Was its start, its end or the right side of its lines cut off, so that what is missing may have been there?
bool is_cut(const PrintedPlan& printed);

// Are all rows of the parameter table there and readable, as far as the log tells?
bool has_all_rows(const PrintedPlan& printed, const Plan& plan);
// The same of the rank table: lost rows may be those of larger ranks.
bool has_all_ranks(const PrintedPlan& printed);
// Likewise, as far as the numbers of the ranks and the lists that name ranks tell.
bool lists_all_ranks(const PrintedPlan& printed);
// Does the parameter table have as many rows of each kernel as the kernels' lines count?
bool has_rows_of_kernels(const PrintedPlan& printed);
// Both: does the log tell all of its tables?
bool has_all_tables(const PrintedPlan& printed, const Plan& plan);

// The number of the rank row, or -1.
int rank_number(const PrintedRank& row);
// A part of a cell at its own place: the parts are placed as if the bytes of the cell were neighbours in the log, which
// those of a mended line need not be.
Cell in_log(const PrintedPlan& printed, Cell part);

// A list of ranks is read, but not printed as the planner does (log-format.md section 2, L1 and L2). `ranks`: what it
// says; `sorted`: the planner sorts it.
bool is_odd_list(std::string_view text, const std::vector<int>& ranks, bool sorted);
Finding& add_odd_list(Checks& checks, const Cell& cell);

// A finding at a number, whose first suspect is that number.
Finding& add_disputed(Checks& checks, std::string_view rule, const Cell& cell, std::string message);
// A number that the planner never prints so, or that is larger than those which are checked.
Finding& add_odd(Checks& checks, const Cell& cell);
Finding& add_beyond(Checks& checks, const Cell& cell);

// Rows of the parameter table whose numbers the planner never prints so.
class OddNumbers {
 public:
  explicit OddNumbers(const PrintedPlan& printed);
  void look_at(Checks& checks, const PrintedTable& row);
  void report(Checks& checks) const;

 private:
  static constexpr std::size_t kColumns = 17;

  std::array<std::vector<const PrintedTable*>, kColumns> in_column_;
  std::vector<const PrintedTable*> of_perf_, of_storage_;  // more or fewer in one cell than there should be
  std::uint32_t components_;                               // how many perf cells have, a bit each
  std::optional<bool> names_ssd_;                          // does the header of the storage? nullopt: no such column
};

// `plan`: of the row; nullptr: none.
void count_numbers_of_table(Checks& checks, const PrintedTable& row, const PlanTable* plan);
Coverage cover(const Checks& checks);

// `bytes` in the words of a cell of that format and unit: one text, or "low..high".
Expected expected_bytes(ByteInterval bytes, Format format, std::int64_t unit);
// `value` in the words of a cell of that format; of unit "bytes": a cell that counts 2^30 of them.
Expected expected_value(RealInterval value, Format format, std::string_view unit);
Expected expected_count(std::int64_t count);
// A fraction in the words of a cell of whole percents.
Expected expected_percent(RealInterval share);

// "HBM of table_7 is printed as 3.859 GB, the formulas give 3.858 GB"; where they can give the printed one as well,
// what contradicts it are other numbers, and the message says so.
std::string differs(std::string_view what, std::string_view printed, std::string_view unit, std::string_view expected);
// Says so of the number that the finding disputes.
void set_expected(Finding& finding, std::string_view what, std::string_view unit, Expected expected);
void set_expected(Finding& finding, std::string_view what, Expected expected);  // in the unit of the log
// "HBM of all 8 ranks does not add up: all tables together give 3.858 GB; at least one rank is wrong". `culprit`:
// "rank".
std::string does_not_add_up(std::string_view what, std::size_t ranks, std::string_view total, std::string_view unit,
                            std::string_view culprit);

}  // namespace shardstats::analysis
