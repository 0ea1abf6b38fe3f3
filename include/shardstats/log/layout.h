// The layouts of all releases as tables of data: columns, line forms, sections (log-format.md sections 1, 3 and 4).
// Parser, renderer, rules and documentation read the same tables; a new release is a new row.
// Tested by tests/log/layout_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "shardstats/numbers/printed.h"
#include "shardstats/vocabulary.h"

namespace shardstats {

enum class ColumnId : std::uint8_t {
  // rank table
  rank,
  hbm,
  ddr,
  perf,
  input,
  output_size,
  shards,
  // parameter table
  fqn,
  sharding,
  compute_kernel,
  table_perf,
  storage,
  cache_load_factor,
  pooling_factor,
  num_poolings,
  num_indices,
  output,
  weighted,
  sharder,
  features,
  emb_dim,
  hash_size,
  ranks,
  batch_sizes,
  unknown,
};

// One header text of one table; several texts may name one column ("Num Poolings", "Sum Num Poolings").
struct ColumnForm {
  ColumnId id;
  bool rank_table;
  std::string_view header;
  int dashes;  // length of the rule below it (section 4)
  Release since, until = Release::main_branch;
};
std::span<const ColumnForm> column_forms();
// Of the columns of one table, in the order in which it has them.
std::span<const ColumnForm> column_forms(bool rank_table);

// How many components stand behind the total in a cell of perf.
struct PerfForm {
  std::size_t components;
  Release since, until = Release::main_branch;
};
std::span<const PerfForm> perf_forms();

enum class Section : std::uint8_t {
  none,
  kernel_count,
  kernel_storage,
  kernel_weights,
  kernel_optimizer,
  kernel_constraints,
  perf_imbalance,
  hbm_imbalance,
  ddr_imbalance,
  reserved,
  planning,
  dense,
  kjt,
  top_perf,
  top_hbm,
};

// How a line's text stands in the box (section 1.2).
enum class Frame : std::uint8_t { border, blank, centred, plain, nested, wide, table };

enum class LineId : std::uint8_t {
  border,
  blank,
  title,
  summary,
  divider,
  rank_table,
  parameter_table,
  perf_legend,
  io_legend,
  hbm_legend,
  parameter_info,
  batch_size,
  world_size,
  kernel_count_heading,
  kernel_count,  // slots: kernel, tables
  kernel_weights_heading,
  kernel_weights,  // slots: kernel, GB
  kernel_optimizer_heading,
  kernel_optimizer,  // slots: kernel, GB
  kernel_storage_heading,
  kernel_storage,  // slots: kernel, HBM, DDR[, SSD]
  kernel_constraints_heading,
  kernel_constraints,
  kernel_constraint,  // hardcoded, auto / kernel, tables
  perf_imbalance_heading,
  hbm_imbalance_heading,
  ddr_imbalance_heading,
  total_variation,
  total_distance,
  chi_divergence,
  kl_divergence,
  range_total_variation,
  range_total_distance,
  range_chi_divergence,
  range_kl_divergence,
  range_legend,
  max_total_perf,
  mean_total_perf,
  max_total_perf_percent,  // max_*: value, ranks
  max_fwd_compute,
  max_fwd_comms,
  max_bwd_compute,
  max_bwd_comms,
  max_prefetch_compute,
  sum_of_maxima,
  peak_memory_pressure,
  distribution_heading,
  sparse_max_hbm,
  sparse_min_hbm,
  max_hbm,
  min_hbm,
  mean_hbm,
  low_median_hbm,
  high_median_hbm,
  critical_path_comms,
  critical_path_compute,
  critical_path_sum,
  max_hbm_percent,
  top_hbm,
  tier,  // tier: number, value, ranks
  reserved_heading,
  reserved_hbm,
  reserved_percent,
  planning_heading,
  planning_memory,  // HBM, DDR
  planning_percent,
  dense_heading,
  dense_storage,
  kjt_heading,
  kjt_storage,  // HBM, DDR
  top_perf_heading,
  top_perf_table,
  top_hbm_heading,
  top_hbm_table,  // name / name, GB, ranks
  unknown_centred,
  unknown_plain,
  unknown_nested,  // slot: the whole text, with unusual indentation
};
// A line that no known release prints.
constexpr bool is_unknown(LineId id) {
  return id == LineId::unknown_centred || id == LineId::unknown_plain || id == LineId::unknown_nested;
}

// One spelling of a line. In `pattern` "{x}" is a slot, x naming what it holds: a Format ("{r3}", "{int}", "{p0}",
// ...),
// "{L1}", "{L2}" (rank lists) or "{text}"; "{ranks}" is no slot but the word rank or ranks, as the list after it
// demands. A line belongs to `section` (the heading above it) unless that is none; a heading opens `opens`.
struct LineForm {
  LineId id;
  Frame frame;
  Section section;
  Section opens;
  std::string_view pattern;
  Release since, until = Release::main_branch;
};
std::span<const LineForm> line_forms();
// How a release spells the line: an index into line_forms(); nullopt: it does not print it.
std::optional<std::uint16_t> form_in(Release release, LineId id);
// The slots of a line's pattern; {ranks} is none.
std::uint16_t slots_in(std::string_view pattern);
// Calls f(slot, kind) for each of them: kind is "int", "r3" and so on.
template <class F>
void each_slot(std::string_view pattern, F f) {
  std::size_t slot = 0;
  for (std::size_t at = pattern.find('{'); at != std::string_view::npos; at = pattern.find('{', at + 1)) {
    const std::string_view kind = pattern.substr(at + 1, pattern.find('}', at) - at - 1);
    if (kind != "ranks") f(slot++, kind);
  }
}

// A unit that a newer release may print in place of the one in the patterns. `is_same`: they are of one size, as the
// planner's GB is 2^30 bytes.
struct NewerUnit {
  std::string_view known, newer;
  bool is_same;
};
std::span<const NewerUnit> newer_units();
// The pattern in that unit; empty: it does not have the known one.
std::string in_unit(std::string_view pattern, const NewerUnit& unit);

// When a line is printed. perf, hbm, ddr: with debug, if some rank has any. imbalance: below any imbalance section;
// reservation: as its policy demands.
enum class When : std::uint8_t { always, plan, no_plan, debug, debug_plan, perf, hbm, ddr, imbalance, reservation };

// A blank line stands in front of each part but the head, two in front of the tiers.
enum class Part : std::uint8_t {
  head,
  legends,
  tables,
  batch_size,
  world_size,
  kernel_count,
  kernel_weights,
  kernel_optimizer,
  kernel_storage,
  kernel_constraints,
  perf_imbalance,
  hbm_imbalance,
  ddr_imbalance,
  ranges,
  maxima,
  pressure,
  distribution,
  tiers,
  reservation,
  dense,
  kjt,
  top_tables,
};

// The lines of a block in the order in which releases from v0.2.0 on print them (section 1.5); those of which there may
// be several, such as a line for each kernel, follow their heading and are not listed.
struct OrderedLine {
  LineId id;
  When when;
  Part part;
};
std::span<const OrderedLine> line_order();

// Columns by which nested lines are indented: 3 to v0.1.1, 4 since v0.2.0.
int nested_indent(Release release);

}  // namespace shardstats
