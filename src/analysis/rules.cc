#include "shardstats/analysis/rules.h"

#include <algorithm>
#include <array>

#include "shardstats/analysis/nearest.h"

namespace shardstats {
namespace {

using enum Release;
using enum Severity;

constexpr std::string_view kExplainTable = "run `shardstats explain TABLE` for the steps behind the expected value";
constexpr std::string_view kOwnCapacities =
    "since v0.8.0 devices can have capacities of their own: shares that fit no common one are a note then, unless "
    "row-wise tables are split evenly, which shows equal HBM (not since V1.5.0, where tables may have buckets)";
constexpr std::string_view kExplainRank = "run `shardstats explain rank:N` for the shards behind the expected value";
constexpr std::string_view kExplainKernel =
    "run `shardstats explain kernel:NAME` for the tables behind the expected value";
constexpr std::string_view kDamage = "take the log again from the job's own output, unedited";

constexpr std::string_view kOutdated = "shardstats may be older than the TorchRec that wrote this log";
constexpr std::string_view kMended = "nothing is lost; `shardstats render` prints the block as it was";

// What the parser says about the frame of a log of any release.
constexpr Rule of_frame(std::string_view id, Severity severity, std::string_view title, std::string_view compares,
                        std::string_view reference, std::string_view hint) {
  return {id, severity, title, compares, "", v0_1_0, main_branch, reference, hint};
}
// And what it has undone without loss.
constexpr Rule mended(std::string_view id, std::string_view title, std::string_view reference) {
  return of_frame(id, note, title, "the lines as logged with those that the planner prints", reference, kMended);
}

// The rows of the numeric checks stand in the order of RuleId.
// clang-format off
constexpr std::array kRules = {
    Rule{"table.storage.hbm", error, "HBM of a table",
         "Storage (HBM) of a parameter row with the sum over the table's shards",
         "sum of HBM_k over all shards k [table.sum, shard.hbm]", v0_6_0, main_branch, "storage-model.md section 7", kExplainTable},
    Rule{"table.storage.ddr", error, "DDR of a table",
         "Storage (DDR) of a parameter row with the sum over the table's shards",
         "sum of DDR_k over all shards k [table.sum, shard.ddr]", v0_6_0, main_branch, "storage-model.md section 7", kExplainTable},
    Rule{"table.storage.ssd", error, "SSD of a table",
         "Storage (SSD) of a parameter row with the sum over the table's shards",
         "sum of SSD_k over all shards k [table.sum, shard.ssd]", v1_6_0, main_branch, "storage-model.md section 4.6", kExplainTable},
    Rule{"table.perf.fwd_compute", error, "forward compute of a table",
         "Forward compute in Perf (ms) of a parameter row with the formulas",
         "shards * fc [perf.fwd_compute]", v0_5_0, main_branch, "perf-model.md section 3", kExplainTable},
    Rule{"table.perf.fwd_comms", error, "forward comms of a table",
         "Forward comms in Perf (ms) of a parameter row with the formulas",
         "shards * fm [perf.fwd_comms]", v0_5_0, main_branch, "perf-model.md section 3", kExplainTable},
    Rule{"table.perf.bwd_compute", error, "backward compute of a table",
         "Backward compute in Perf (ms) of a parameter row with the formulas",
         "shards * bc [perf.bwd_compute]", v0_5_0, main_branch, "perf-model.md section 3.1", kExplainTable},
    Rule{"table.perf.bwd_comms", error, "backward comms of a table",
         "Backward comms in Perf (ms) of a parameter row with the formulas",
         "shards * bm [perf.bwd_comms]", v0_5_0, main_branch, "perf-model.md section 3", kExplainTable},
    Rule{"table.perf.prefetch_compute", error, "prefetch compute of a table",
         "Prefetch compute in Perf (ms) of a parameter row with the formulas",
         "shards * pf [perf.prefetch_compute]", v0_7_0, main_branch, "perf-model.md section 3.6", kExplainTable},
    Rule{"table.perf.total", error, "perf of a table",
         "the total in Perf (ms) of a parameter row with the formulas",
         "shards * (fc + bc + fm + bm + pf) [perf.total]", v0_3_0, main_branch, "perf-model.md section 1.1", kExplainTable},
    Rule{"table.num_indices", error, "looked-up indices of a table",
         "Num Indices with Sum Pooling Factor and Sum Num Poolings",
         "one feature: pooling factor * poolings; several: at most the product of the two sums", v1_1_0, main_branch,
         "log-format.md section 3.4", "one of the three columns of this row is wrong"},
    Rule{"table.cw_dim", error, "columns of a column-wise shard",
         "CW Dim with Sharding, Emb Dim and the number of shards in Ranks",
         "CW, TWCW: emb dim = cw dim * shards; GS: emb dim divides cw dim * shards; other types print none", v0_5_0, main_branch,
         "storage-model.md section 3.2", "one of Emb Dim, CW Dim and Ranks of this row is wrong"},
    Rule{"table.ranks", error, "ranks of a table",
         "Ranks with Sharding and the number of ranks",
         "all inside 0..W-1; DP, RW: 0..W-1; TW: one; TWRW: neighbours; CW, TWCW: no more than columns", v0_1_1, main_branch,
         "storage-model.md section 3.5", "either Ranks or Sharding of this row is wrong"},
    Rule{"table.batch_sizes", error, "batch sizes of a table",
         "the number of Batch Sizes with Features", "one batch size a feature", v0_5_0, main_branch,
         "log-format.md section 2.2", "either Batch Sizes or Features of this row is wrong"},
    Rule{"rank.hbm", error, "HBM of a rank",
         "HBM (GB) of a rank row with its shards and the reservation",
         "sum of HBM_k over the shards on the rank + dense + KJT [rank.sum]", v0_3_0, main_branch,
         "storage-model.md section 7.2", kExplainRank},
    Rule{"rank.ddr", error, "DDR of a rank",
         "DDR (GB) of a rank row with its shards and the reservation",
         "sum of DDR_k over the shards on the rank + dense + KJT [rank.sum]", v0_3_0, main_branch,
         "storage-model.md section 7.2", kExplainRank},
    Rule{"rank.hbm_percent", error, "HBM share of a rank",
         "the percentage behind HBM (GB) with HBM (GB) and the planning (usable) memory",
         "used / ((1 - p) * capacity) [rank.percent]; 0 where the device's HBM is not counted", v0_2_0, main_branch,
         "log-format.md section 6.2", kOwnCapacities},
    Rule{"rank.ddr_percent", error, "DDR share of a rank",
         "the percentage behind DDR (GB) with DDR (GB) and the planning (usable) memory",
         "used / capacity, v0.2.0 to v0.3.2 used / ((1 - p) * capacity) [rank.percent]", v0_2_0, main_branch,
         "log-format.md section 6.2", kOwnCapacities},
    Rule{"rank.perf", error, "perf of a rank",
         "Perf (ms) of a rank row with its shards", "component-wise sum over the shards on the rank [perf.total]", v0_3_0,
         main_branch, "perf-model.md section 5", kExplainRank},
    Rule{"rank.input", error, "input of a rank",
         "Input (MB) of a rank row with its shards", "sum of I_k over the shards on the rank [io.input]", v0_3_0,
         main_branch, "storage-model.md section 5.6", kExplainRank},
    Rule{"rank.output", error, "output of a rank",
         "Output (MB) of a rank row with its shards", "sum of O_k over the shards on the rank [io.output]", v0_3_0,
         main_branch, "storage-model.md section 5.6", kExplainRank},
    Rule{"rank.shards", error, "shards of a rank",
         "the counts of a Shards cell with Sharding and Ranks of all tables",
         "number of shards of each sharding type on the rank", v0_1_1, main_branch, "log-format.md section 3.2",
         "either this count or Sharding or Ranks of a table is wrong"},
    Rule{"kernel.count", error, "tables of a kernel",
         "Compute Kernels (Count) with the parameter rows, or all together with the shards of the ranks",
         "number of rows with the kernel", v0_1_0, main_branch,
         "log-format.md section 3.6", "either this count or Compute Kernel of a table is wrong"},
    Rule{"kernel.storage.hbm", error, "HBM of a kernel",
         "Compute Kernels Storage (HBM) with the tables of the kernel; all together with the ranks",
         "sum of HBM_k over all shards of all its tables [kernel.sum]", v0_8_0, main_branch, "log-format.md section 3.6",
         kExplainKernel},
    Rule{"kernel.storage.ddr", error, "DDR of a kernel",
         "Compute Kernels Storage (DDR) with the tables of the kernel; all together with the ranks",
         "sum of DDR_k over all shards of all its tables [kernel.sum]", v0_8_0, main_branch, "log-format.md section 3.6",
         kExplainKernel},
    Rule{"kernel.storage.ssd", error, "SSD of a kernel",
         "Compute Kernels Storage (SSD) with the tables of the kernel",
         "sum of SSD_k over all shards of all its tables [kernel.sum]", v1_6_0, main_branch, "log-format.md section 3.6",
         kExplainKernel},
    Rule{"kernel.weights", error, "weights of a kernel",
         "Compute Kernels Embedding Weights with the tables of the kernel",
         "sum of rows * columns * element size, each table once [kernel.weights]", v1_8_0, main_branch,
         "log-format.md section 3.6", kExplainKernel},
    Rule{"kernel.optimizer", error, "optimizer state of a kernel",
         "Compute Kernels Optimizer State with the tables of the kernel",
         "sum of ceil(weights * multiplier), each table once [kernel.optimizer]", v1_8_0, main_branch,
         "log-format.md section 3.6", kExplainKernel},
    Rule{"kernel.constraints", error, "kernels chosen by hand",
         "Compute Kernel Constraints with the parameter rows",
         "hardcoded + auto-selected = rows; sum of the kernels' lines = hardcoded", v1_6_0, main_branch,
         "log-format.md section 3.7", "one of the counts in this section is wrong"},
    Rule{"reservation.kjt", error, "KJT reservation",
         "KJT Storage with the pooling factors and batch sizes of all tables",
         "M * ceil(8 * sum of pooling factor * batch size) [reservation.kjt]", v0_2_0, main_branch,
         "storage-model.md section 8.2",
         "tables planned elsewhere, or not at all, or a batch size of the estimator's own change this line"},
    Rule{"reservation.percent", error, "reserved share",
         "Percent of Total HBM with the GB values of Reserved Memory and Planning Memory",
         "reserved = trunc(p * H), planning = trunc((1 - p) * H), percentages p and 1 - p", v0_8_0, main_branch,
         "log-format.md section 3.11", "one of the four numbers of Reserved Memory and Planning Memory is wrong"},
    Rule{"reservation.capacity", error, "planning memory",
         "Planning (Usable) Memory with the percentages of all ranks",
         "used / share of every rank = planning memory [rank.percent]", v0_2_0, main_branch, "log-format.md section 6.2",
         "the ranks agree on another capacity"},
    Rule{"imbalance.perf", error, "perf imbalance",
         "the measures of Total Perf Imbalance Statistics with the perf of all ranks",
         "p_k = perf of rank k / sum; TV = max |p - 1/N|, TD = sum |p - 1/N|, chi, KL = sum p ln(N p) / ln N", v0_8_0, main_branch,
         "log-format.md section 6.4", "a rank or this number is wrong"},
    Rule{"imbalance.hbm", error, "HBM imbalance",
         "the measures of HBM Imbalance Statistics with the HBM of all ranks",
         "as imbalance.perf", v0_8_0, main_branch,
         "log-format.md section 6.4", "a rank or this number is wrong"},
    Rule{"imbalance.ddr", error, "DDR imbalance",
         "the measures of DDR Imbalance Statistics with the DDR of all ranks",
         "as imbalance.perf", v0_8_0, main_branch,
         "log-format.md section 6.4", "a rank or this number is wrong"},
    Rule{"imbalance.range", error, "ranges of the imbalance measures",
         "the upper bounds in the legend with the number of ranks",
         "chi 2 (N - 1) / N, KL ln N", v0_8_0, v1_0_0,
         "log-format.md section 6.4", "a rank row is missing or this number is wrong"},
    Rule{"maxima.value", error, "maximum of a perf component",
         "the maxima lines with the perf of all ranks",
         "max over ranks", v0_2_0, main_branch,
         "log-format.md section 6.5", "a rank or this number is wrong"},
    Rule{"maxima.ranks", error, "ranks of a maximum",
         "the ranks of the maxima lines with the perf (HBM) of all ranks",
         "all ranks whose value equals the maximum", v0_2_0, main_branch,
         "log-format.md section 6.5", "a rank or this list is wrong"},
    Rule{"maxima.mean", error, "mean total perf",
         "Mean Total Perf with the perf of all ranks",
         "sum over ranks / N", v1_1_0, main_branch,
         "log-format.md section 6.6", "a rank or this number is wrong"},
    Rule{"maxima.percent", error, "maximum above the mean",
         "Max Total Perf above the mean with the perf of all ranks",
         "(max - mean) / mean * 100", v1_1_0, main_branch,
         "log-format.md section 6.6", "a rank or this number is wrong"},
    Rule{"maxima.sum", error, "sum of maxima",
         "Sum of Maxima with the maxima of the components",
         "sum of the component maxima", v0_5_0, main_branch,
         "log-format.md section 6.5", "a maximum or this number is wrong"},
    Rule{"maxima.hbm", error, "peak memory pressure",
         "Peak Memory Pressure with the HBM of all ranks",
         "max over ranks", v0_2_0, v0_7_0,
         "log-format.md section 6.5", "a rank or this number is wrong"},
    Rule{"distribution.value", error, "HBM distribution",
         "Estimated Sharding Distribution with the HBM of all ranks",
         "max, min, mean, medians over ranks; sparse: without dense and KJT", v0_8_0, main_branch,
         "log-format.md section 6.7", "a rank or this number is wrong"},
    Rule{"distribution.ranks", error, "ranks of the HBM distribution",
         "the ranks of Estimated Sharding Distribution with the HBM of all ranks",
         "all ranks within 1 MB of the value", v0_8_0, main_branch,
         "log-format.md section 6.7", "a rank or this list is wrong"},
    Rule{"distribution.percent", error, "largest HBM above the mean",
         "Max HBM above the mean with the HBM of all ranks",
         "(max - mean) / mean * 100", v1_1_0, main_branch,
         "log-format.md section 6.6", "a rank or this number is wrong"},
    Rule{"tiers.value", error, "HBM of a tier",
         "Top Tier and Top HBM lines with the HBM of all ranks",
         "the largest HBM among the ranks of no hotter tier", v0_8_0, main_branch,
         "log-format.md section 6.8", "a rank or this number is wrong"},
    Rule{"tiers.ranks", error, "ranks of a tier",
         "the ranks of a Top Tier line with the HBM of all ranks",
         "positions, among the ranks of no hotter tier, within 1 MB of the largest", v0_8_0, main_branch,
         "log-format.md section 6.8", "from tier #2 on the planner prints positions: take the ranks that the note names"},
    Rule{"critical_path.comms", error, "critical path of comms",
         "Critical Path (comms) with the perf of all shards",
         "sum over (module, sharding type) of the largest rank, forward and backward", v1_2_0, main_branch,
         "log-format.md section 6.9", "a table or this number is wrong"},
    Rule{"critical_path.compute", error, "critical path of compute",
         "Critical Path (compute) with the perf of all ranks",
         "largest forward compute + largest backward compute of a rank", v1_2_0, main_branch,
         "log-format.md section 6.9", "a rank or this number is wrong"},
    Rule{"critical_path.sum", error, "critical path", "Critical Path (comms + compute) with its two parts",
         "comms + compute", v1_2_0, main_branch, "log-format.md section 6.9", "one of the three numbers is wrong"},
    Rule{"top_tables.perf", error, "tables behind the largest perf",
         "Top 5 Tables Causing Max Perf with the perf of all shards",
         "tables on the rank of largest perf, neither RW nor DP, by their first shard", v0_6_0, main_branch,
         "log-format.md section 6.9", "a table or this line is wrong"},
    Rule{"top_tables.hbm", error, "tables behind the largest HBM",
         "Top 5 Tables Causing Max HBM with the HBM of all shards",
         "tables on the rank of largest HBM, neither RW nor DP, by their first shard", v0_6_0, main_branch,
         "log-format.md section 6.9", "a table or this line is wrong"},
    // What the parser says about the frame.
    of_frame("log.malformed_cell", error, "cell that is not such a number", "every cell with the format of its column",
             "log-format.md section 2", kDamage),
    of_frame("log.bounds", error, "beyond what is read", "numbers, lists and tables with the bounds of docs/damage.md",
             "log-format.md section 8", "a planner prints nothing that large: take the log again, or cut this part out"),
    of_frame("log.duplicate_table", error, "column table printed twice", "the tables of a block with each other",
             "log-format.md section 1.5", kDamage),
    of_frame("log.rank_rows", error, "rank rows missing or out of order", "the Rank column with 0, 1, 2, ...",
             "log-format.md section 3.2", kDamage),
    of_frame("log.table_rows", error, "rows of the parameter table missing", "the rows with the Shards of the ranks and the tables of the kernels",
             "log-format.md section 3.4", kDamage),
    of_frame("log.missing_lines", error, "lines or sections missing", "the lines with those that the release always prints",
             "log-format.md section 1.5", kDamage),
    of_frame("log.repeated_lines", error, "lines that stand twice", "the lines of a block with each other",
             "log-format.md section 1.5", kDamage),
    Rule{"log.line_order", warning, "lines or columns in another order", "the lines of a block, and the columns of its tables, with the order in which the planner prints them", "",
         v0_2_0, main_branch, "log-format.md section 1.5", "they were moved on the way from the planner, or the log is of a newer release; all are read where they stand"},
    of_frame("log.no_opening_border", error, "block without a start", "the first line of a block with the border",
             "log-format.md section 1.2", kDamage),
    of_frame("log.no_closing_border", error, "block without an end", "the last line of a block with the border",
             "log-format.md section 1.2", kDamage),
    of_frame("log.cut_border", error, "block cut off within its closing border", "the last line of a log with the opening border",
             "log-format.md section 1.1", "the log ends there; what stood in front is checked as in any other"),
    of_frame("log.compression", error, "compressed log cut off or broken", "the compressed log with its end and its checksum",
             "log-format.md section 8.2", "compress the job's own output again, or take what is left for what it is; a note if only other bytes follow it"),
    of_frame("log.cut_lines", error, "lines cut off at a column", "the ends of the lines with each other",
             "log-format.md section 8.2", kDamage),
    of_frame("log.twin", warning, "plans of several processes", "blocks that were logged at the same time with each other",
             "log-format.md section 1.1", "a warning says that the processes did not print the same plan"),
    of_frame("log.merged_lines", warning, "lines of other workers that Ray merged", "lines that Ray counts with the lines above",
             "log-format.md section 8.2", "the lines above were checked; take the log again with RAY_DEDUP_LOGS=0 to check those of the other workers"),
    mended("log.prefix", "prefix of a logger", "log-format.md section 8.1"),
    mended("log.suffix", "text behind the box", "log-format.md section 8.2"),
    mended("log.encoding", "other encoding", "log-format.md section 8.2"),
    mended("log.colours", "colours of a terminal", "log-format.md section 8.2"),
    mended("log.blanks", "tabs and other blanks", "log-format.md section 8.2"),
    mended("log.escapes", "lines inside strings or HTML", "log-format.md section 8.2"),
    mended("log.wrapped", "wrapped lines", "log-format.md section 8.2"),
    mended("log.glued", "several lines on one", "log-format.md section 8.2"),
    mended("log.interleaved", "lines of several processes", "log-format.md section 1.1"),
    mended("log.reversed", "lines in reverse order", "log-format.md section 1.1"),
    mended("log.foreign_lines", "lines of others in the block", "log-format.md section 8.2"),
    mended("log.no_frame", "text without its frame", "log-format.md section 8.2"),
    mended("log.right_border", "right border missing", "log-format.md section 8.2"),
    mended("log.squeezed", "squeezed blanks", "log-format.md section 8.2"),
    of_frame("log.decoration", note, "borders, dashes or padding of another length", "borders, the divider, the dashes below headers and padded lines with the width of the box and its columns",
             "log-format.md section 1", kMended),
    of_frame("log.unknown_column", warning, "column of no known release", "column headers with those of all releases",
             "log-format.md section 4", kOutdated),
    of_frame("log.unknown_line", warning, "line of no known release", "every line with the forms of all releases",
             "log-format.md section 3", kOutdated),
    of_frame("log.unknown_word", warning, "sharding type or kernel of no known release", "the words of the tables and of the kernels' lines with those of all releases",
             "log-format.md section 4", "an error where the rest of the block does not have the word or is of an older release; else shardstats may be older than the TorchRec that wrote this log"),
    of_frame("log.unknown_format", warning, "numbers in a form of no known release", "most cells of a column with the form of all releases",
             "log-format.md section 2", kOutdated),
};
// clang-format on

}  // namespace

std::span<const Rule> rule_table() { return kRules; }

const Rule& rule_of(RuleId id) { return kRules[static_cast<std::size_t>(id)]; }

const Rule* find_rule(std::string_view id) {
  const auto found = std::ranges::find(kRules, id, &Rule::id);
  return found == kRules.end() ? nullptr : &*found;
}

std::vector<const Rule*> rules_matching(std::string_view prefix) {
  std::vector<const Rule*> rules;
  for (const Rule& rule : kRules)
    if (rule.id.starts_with(prefix)) rules.push_back(&rule);
  return rules;
}

std::string no_rule_begins_with(std::string_view prefix) {
  std::vector<std::string> names;  // rules and groups of them, as long as the prefix is
  for (const Rule& rule : kRules) {
    std::size_t end = rule.id.find('.');
    for (auto dots = std::ranges::count(prefix, '.'); dots > 0 && end != std::string_view::npos; --dots)
      end = rule.id.find('.', end + 1);
    names.emplace_back(rule.id.substr(0, end));
  }
  const std::string near = did_you_mean(nearest_of(prefix, names));
  return "no rule begins with '" + std::string(prefix) + "'" +
         (near.empty() ? "; `shardstats rules` lists them" : near);
}

}  // namespace shardstats
