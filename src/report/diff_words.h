// What the reports of diff say in the same words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardstats/analysis/diff.h"
#include "shardstats/report/verdict.h"

namespace shardstats::diff_words {

// A value with the digits that its bounds agree on: "2.1 GiB", "3.858 ms", "1,935"; "2.09..2.14 GiB" if on none.
std::string value_text(RealInterval value, DiffUnit unit);
// The same with its sign: "+2.1 GiB", "-3.4 ms".
std::string signed_text(RealInterval change, DiffUnit unit);
// "3.858 GiB", or "not printed".
std::string side_text(const std::optional<RealInterval>& value, DiffUnit unit);
// Both sides, rounded alike, so that the change leads from the one to the other: {"46.82 GiB", "47.22 GiB"}.
struct Sides {
  std::string before, after;
};
Sides side_texts(const NumberDiff& number);
// "+54.5%"; empty where the base is 0.
std::string percent_text(const NumberDiff& number);
// Could it have changed by more than the rounding of what is printed, though no bounds show that it did?
bool may_have_changed(const NumberDiff& number);
// "+2.1 GiB (+54.5%)", or "no change"; empty if a side is not known.
std::string change_text(const NumberDiff& number);
// "3.858 GiB -> 5.96 GiB (+2.1 GiB, +54.5%)"
std::string both_text(const NumberDiff& number);
std::string both_text(const NumberDiff& number, const Sides& sides);  // of other words for them

// "tables and kernels, since the second log does not print them"; empty if nothing is left out.
std::string not_compared_text(const PlanDiff& diff);
// That nothing changed, as far as the logs tell.
std::string nothing_changed_text(const PlanDiff& diff);
// What a page says of the causes where there are none; `is_change`: of whatif.
std::string_view no_cause_text(bool is_change);
// "2 tables whose inputs leave open whether they change"; empty if there are none. Likewise "2 ranks ...: 0, 3".
std::string open_tables_text(const PlanDiff& diff);
std::string open_ranks_text(const PlanDiff& diff);
// "2 changed rows that the options leave out"; empty if there are none.
std::string hidden_text(const PlanDiff& diff);
inline constexpr std::string_view kNoDifference = "nothing changes: with it the plan is as logged";  // of whatif
// "largest rank HBM: 3.858 GiB on rank 43 -> 5.96 GiB on rank 43, +2.1 GiB (+54.5%)"; empty if neither log gives it.
std::string headline_text(const PlanDiff& diff);
std::string headroom_text(const PlanDiff& diff);  // likewise; what is below 0 is "too much"
// "largest rank HBM increased by more than 2GiB"
std::string limit_text(const LimitResult& result);
Verdict verdict_of(LimitStatus status);

std::string_view title_of(std::string_view number);  // of the whole plan: "largest perf"
std::string arrow(const InputDiff& input);           // "sharding TW -> RW"
// "batch_size 512 -> 4096", "ebc.t: sharding TW -> RW, ranks 2 -> 0-3", "ebc.t is new"
std::string cause_text(const Cause& cause);
// "HBM +20.3 GiB, perf +3 ms in 35 tables"; empty if nothing came of it.
std::string effect_text(const Cause& cause);
std::string cause_and_effect(const Cause& cause);  // both, with a colon
std::string assumption_text(const AssumptionDiff& assumption);
std::string part_text(const RankPart& part);     // "ebc.t moved here from rank 7"
std::string table_text(const TableDiff& table);  // what changed of its inputs, or that it is new or gone
std::string ranks_of(const std::vector<int>& ranks);

// The changes as tables, which Markdown and HTML print alike. A side on which the row is not there has no number.
struct ChangeRow {
  std::vector<std::string> words;  // one for each name of the table
  std::string before, after, change;
};
struct ChangeTable {
  std::string_view title, word;  // "Tables, HBM"; a row is a "table"
  std::vector<std::string> names;
  bool first_is_name;  // the first words are names from the log
  std::vector<ChangeRow> rows;
};
std::vector<ChangeTable> change_tables(const PlanDiff& diff);

}  // namespace shardstats::diff_words
