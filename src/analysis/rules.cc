#include "shardstats/analysis/rules.h"

#include <algorithm>
#include <array>

namespace shardstats {
namespace {

using enum Release;
using enum Severity;

constexpr std::string_view kExplainTable = "run `shardstats explain TABLE` for the steps behind the expected value";
constexpr std::string_view kExplainRank = "run `shardstats explain rank:N` for the shards behind the expected value";
constexpr std::string_view kExplainKernel =
    "run `shardstats explain kernel:NAME` for the tables behind the expected value";
constexpr std::string_view kDamage = "take the log again from the job's own output, unedited";

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
    Rule{"table.num_indices", error, "looked-up indices of a table",
         "Num Indices with Sum Pooling Factor and Sum Num Poolings",
         "one feature: pooling factor * poolings; several: at most the product of the two sums", v1_1_0, main_branch,
         "log-format.md section 3.4", "one of the three columns of this row is wrong"},
    Rule{"table.cw_dim", error, "columns of a column-wise shard",
         "CW Dim with Emb Dim and the number of shards in Ranks",
         "CW, TWCW: emb dim = cw dim * shards; GS: emb dim divides cw dim * shards", v0_5_0, main_branch,
         "storage-model.md section 3.2", "one of Emb Dim, CW Dim and Ranks of this row is wrong"},
    Rule{"table.ranks", error, "ranks of a table",
         "Ranks with Sharding and the number of ranks",
         "all inside 0..W-1; DP, RW: 0..W-1; TW: one; TWRW: neighbours", v0_1_1, main_branch,
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
         "log-format.md section 6.2", "devices of different capacities have shares of their own: then this is a note"},
    Rule{"rank.ddr_percent", error, "DDR share of a rank",
         "the percentage behind DDR (GB) with DDR (GB) and the planning (usable) memory",
         "used / capacity, v0.2.0 to v0.3.2 used / ((1 - p) * capacity) [rank.percent]", v0_2_0, main_branch,
         "log-format.md section 6.2", "devices of different capacities have shares of their own: then this is a note"},
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
         "Compute Kernels (Count) with the parameter rows", "number of rows with the kernel", v0_1_1, main_branch,
         "log-format.md section 3.6", "either this count or Compute Kernel of a table is wrong"},
    Rule{"kernel.storage.hbm", error, "HBM of a kernel",
         "Compute Kernels Storage (HBM) with the tables of the kernel",
         "sum of HBM_k over all shards of all its tables [kernel.sum]", v0_8_0, main_branch, "log-format.md section 3.6",
         kExplainKernel},
    Rule{"kernel.storage.ddr", error, "DDR of a kernel",
         "Compute Kernels Storage (DDR) with the tables of the kernel",
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
         "storage-model.md section 8.2", "tables planned elsewhere or a batch size of the estimator's own change this line"},
    Rule{"reservation.percent", error, "reserved share",
         "Percent of Total HBM with the GB values of Reserved Memory and Planning Memory",
         "reserved = trunc(p * H), planning = trunc((1 - p) * H), percentages p and 1 - p", v0_8_0, main_branch,
         "log-format.md section 3.11", "one of the four numbers of Reserved Memory and Planning Memory is wrong"},
    Rule{"reservation.capacity", error, "planning memory",
         "Planning (Usable) Memory with the percentages of all ranks",
         "used / share of every rank = planning memory [rank.percent]", v0_2_0, main_branch, "log-format.md section 6.2",
         "the ranks agree on another capacity"},
    // What the parser says about the frame.
    Rule{"log.malformed_cell", error, "cell that is no such number", "every cell with the format of its column", "",
         v0_1_0, main_branch, "log-format.md section 2", kDamage},
    Rule{"log.duplicate_table", error, "column table printed twice", "the tables of a block with each other", "", v0_1_0,
         main_branch, "log-format.md section 1.5", kDamage},
    Rule{"log.rank_rows", error, "rank rows missing or out of order", "the Rank column with 0, 1, 2, ...", "", v0_1_0,
         main_branch, "log-format.md section 3.2", kDamage},
    Rule{"log.no_opening_border", error, "block without a start", "the first line of a block with the border", "", v0_1_0,
         main_branch, "log-format.md section 1.2", kDamage},
    Rule{"log.no_closing_border", error, "block without an end", "the last line of a block with the border", "", v0_1_0,
         main_branch, "log-format.md section 1.2", kDamage},
    Rule{"log.unknown_column", warning, "column of no known release", "column headers with those of all releases", "",
         v0_1_0, main_branch, "log-format.md section 4", "shardstats may be older than the TorchRec that wrote this log"},
    Rule{"log.unknown_line", warning, "line of no known release", "every line with the forms of all releases", "",
         v0_1_0, main_branch, "log-format.md section 3", "shardstats may be older than the TorchRec that wrote this log"},
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

}  // namespace shardstats
