// PrintedPlan: what one planner block prints, as text with its place. It never holds a computed number.
//
// Shape: the two column tables (ranks, parameters) as typed rows, and every other line as a LineForm (layout.h)
// plus the texts of its slots. Everything is optional: a cell with empty text was not printed.
// Rule that always holds: render(parse(block)) gives the bytes of an undamaged block (render.h), and no byte
// of the block except slot texts is kept. Tested by tests/log/*_test.cc.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "shardstats/input/blocks.h"
#include "shardstats/limits.h"
#include "shardstats/log/diagnostics.h"
#include "shardstats/log/layout.h"
#include "shardstats/vocabulary.h"

namespace shardstats {

struct Cell {
  std::string_view text;  // the number or word alone: "9.161", "57" (of 57%), "RW", "0-95"
  Place place;            // of the text's first byte

  explicit operator bool() const { return !text.empty(); }
};

struct PrintedPerf {
  Cell total;
  std::array<Cell, 5> components;  // in the order of kPerfComponents
  std::uint8_t count = 0;          // components printed: 0, 4 or 5
};

// One row of the rank table (log-format.md section 3.2).
struct PrintedRank {
  Cell rank, hbm, hbm_percent, ddr, ddr_percent;
  PrintedPerf perf;
  Cell input, output;
  Cell shards;        // the whole cell, "CW: 0 DP: 1"; see shard_counts()
  bool lost = false;  // the log has no such row: it stands in its place, and no cell is printed
};

// One row of the parameter table (section 3.4).
struct PrintedTable {
  Cell fqn, sharding, kernel, sharder;  // side by side, since many passes over the rows ask for these alone
  Cell emb_dim, cw_dim, hash_size, features;
  Cell ranks;        // the whole list, "0-95", "1,1", "None"
  Cell batch_sizes;  // the whole list, "512 * 2, 256*3", "n/a"
  Cell hbm, ddr, ssd;
  bool in_gib = false;  // they are printed in "GiB", as no known release does
  Cell cache_load_factor, pooling_factor, num_poolings, num_indices;
  Cell output, weighted;
  PrintedPerf perf;
};

// Every cell of a row, printed or not.
template <class Visit>
void each_cell(PrintedPerf& perf, Visit visit) {
  visit(perf.total);
  for (Cell& component : perf.components) visit(component);
}
template <class Visit>
void each_cell(PrintedRank& row, Visit visit) {
  for (Cell* cell :
       {&row.rank, &row.hbm, &row.hbm_percent, &row.ddr, &row.ddr_percent, &row.input, &row.output, &row.shards})
    visit(*cell);
  each_cell(row.perf, visit);
}
template <class Visit>
void each_cell(PrintedTable& row, Visit visit) {
  for (Cell* cell : {&row.fqn, &row.sharding, &row.kernel, &row.hbm, &row.ddr, &row.ssd, &row.cache_load_factor,
                     &row.pooling_factor, &row.num_poolings, &row.num_indices, &row.output, &row.weighted, &row.sharder,
                     &row.features, &row.emb_dim, &row.cw_dim, &row.hash_size, &row.ranks, &row.batch_sizes})
    visit(*cell);
  each_cell(row.perf, visit);
}

struct ShardCount {
  Cell type, count;
};
// How HBM (GB) and DDR (GB) of the rank table are printed (log-format.md section 3.2).
constexpr Format rank_memory_format(Release release) {
  return release >= Release::v0_8_0 ? Format::r3 : release == Release::v0_1_0 ? Format::f1 : Format::r1;
}

// The percentages of HBM and DDR are of what is reserved, too (log-format.md section 6.2).
constexpr bool shares_are_of_all_memory(Release release) { return release < Release::v0_2_0; }

// v0.1.0 prints the cost of its estimator instead, a thousand to one (log-format.md section 3.2).
constexpr bool prints_perf_in_ms(Release release) { return release >= Release::v0_1_1; }

// The pairs of a Shards cell, in printed order; empty for an empty or malformed cell.
std::vector<ShardCount> shard_counts(const Cell& shards);
// The same in place of what `counts` holds, whose memory is used again.
void read_shard_counts(const Cell& shards, std::vector<ShardCount>& counts);

// The ranks that "3", "0-95", "1,1,4", "[28, 43]" or "[]" stands for, in printed order; false if malformed, or more
// than `limit`.
bool parse_ranks(std::string_view text, std::vector<int>& ranks, std::size_t limit = kMostShards);

// "0-95", "1,1,4": as the planner prints a sorted list, never a mixture (log-format.md section 2, L1).
std::string ranks_text(const std::vector<int>& ranks);
// "[28, 43]", "[]": as the planner prints ranks in brackets (section 2, L2).
std::string bracketed(const std::vector<int>& ranks);

// No fewer shards than the table can have on so many ranks.
std::int64_t most_shards(const PrintedTable& row, std::int64_t ranks);

// What "512 * 2, 256*3" says without being expanded; nullopt if malformed. "n/a" has a count of 0.
struct BatchSummary {
  std::int64_t count = 0, least = 0, most = 0;
  std::int64_t first_total = 0;  // of the first `features` ones
};
std::optional<BatchSummary> summarize_batch_sizes(std::string_view text, std::int64_t features);

// The batch sizes that "512 * 2, 256*3" stands for, expanded; false if malformed; "n/a" gives none.
bool parse_batch_sizes(std::string_view text, std::vector<std::int64_t>& sizes, std::size_t limit = kMostFeatures);

// A table column: known ones by id, unknown ones with their own header text (id == unknown).
struct PrintedColumn {
  ColumnId id;
  Cell header;
  std::uint16_t dashes = 0;  // length of its rule
};

// A cell that does not have the pattern of its column, does not end below its header, or lies in an unknown column:
// kept whole; empty where the row was cut off before it. The fields of the row that it would fill stay empty.
struct OddCell {
  std::uint32_t row;
  std::uint16_t column;  // index into columns
  Cell cell;
};

// Is the name the FQN, or its last parts: table_7 or ebc.table_7 of model.ebc.table_7?
bool is_named(std::string_view fqn, std::string_view name);

template <class Row>
struct ColumnTable {
  bool printed = false;
  Place place;  // of the header row
  std::vector<PrintedColumn> columns;
  std::vector<Row> rows;
  std::vector<OddCell> odd;  // ascending by (row, column)

  static constexpr bool kOfRanks = std::is_same_v<Row, PrintedRank>;  // else of parameters

  bool has(ColumnId column) const { return std::ranges::find(columns, column, &PrintedColumn::id) != columns.end(); }
};

// A line outside the two tables.
struct PrintedLine {
  LineId id = LineId::blank;
  std::uint16_t form = 0;        // its spelling: index into line_forms()
  Place place;                   // of the box line
  std::uint32_t first_slot = 0;  // into PrintedPlan::slots
  std::uint16_t slot_count = 0;
  // Of an unknown line: the known one that it is but for words of its own. Its slots are the line, then its values.
  LineId like = LineId::blank;
  std::uint8_t newer_unit = 0;  // from 1 on: which of newer_units() it has
};

// Do most lines with the known unit of a number have the newer one, so that nothing is damaged?
bool is_unit_changed(std::span<const PrintedLine> lines, const NewerUnit& unit);

// Something about the frame or the shape of the block.
struct Diagnostic : DiagnosticForm {
  Cell where;
};

// Numbers that are rounded to as many decimals as the release says, all of a column alike, and all of the lines outside
// of the tables: the slots {r3} (sizes and times) and {f3} (measures of imbalance).
enum class RoundedNumbers : std::uint8_t {
  rank_memory,
  rank_perf,
  rank_input,
  rank_output,
  table_storage,
  table_perf,
  lines,
  measures
};
inline constexpr std::size_t kRoundedNumbers = 8;

struct PrintedPlan {
  std::uint32_t line = 0;  // first physical line of the block
  std::size_t width = 0;   // W in characters, read off the border
  std::vector<PrintedLine>
      lines;  // all lines in printed order; LineId::rank_table / parameter_table stand for a whole table
  std::vector<Cell> slots;
  ColumnTable<PrintedRank> ranks;
  ColumnTable<PrintedTable> tables;
  std::vector<Diagnostic> diagnostics;
  std::vector<Release> releases;  // candidates by fingerprint (log-format.md section 9), oldest first; never empty
  std::array<std::optional<Format>, kRoundedNumbers> newer_forms;  // by RoundedNumbers: as no known release prints them
  std::shared_ptr<const Transcript> transcript;  // that the texts lie in, if not in the log's own bytes

  std::span<const Cell> slots_of(const PrintedLine& of) const { return {slots.data() + of.first_slot, of.slot_count}; }
  // The first line of that form, or nullptr.
  const PrintedLine* find(LineId id) const;
  // Slot `i` of the first line of that form; an empty cell if there is none.
  Cell slot(LineId id, std::size_t i = 0) const;
  // Bytes of a slot "{r3} GB" of the first line of that form; none if it is not printed so.
  std::optional<ByteInterval> bytes_in(LineId id, std::size_t i = 0) const;
  // Is there a diagnostic of that kind?
  bool is_reported(DiagnosticKind kind) const;
  // Is there one of any kind that has the rule of that one?
  bool is_rule_reported(DiagnosticKind kind) const;
  // Does the block say that no plan was found, which leaves it without a rank table (section 2)? Not where that is
  // lost.
  bool is_empty() const;
  // May a release later than all known ones have printed it?
  bool may_be_newer() const { return releases.back() == Release::main_branch; }
  // How the numbers are printed, in GB or ms, or without a unit.
  Format format_of(RoundedNumbers numbers) const {
    if (const auto& form = newer_forms[static_cast<std::size_t>(numbers)]) return *form;
    if (numbers == RoundedNumbers::measures) return Format::f3;
    if (numbers == RoundedNumbers::rank_input || numbers == RoundedNumbers::rank_output) return Format::r2;
    return numbers == RoundedNumbers::rank_memory ? rank_memory_format(releases.front()) : Format::r3;
  }
  bool has_lost_ranks() const { return std::ranges::any_of(ranks.rows, &PrintedRank::lost); }
};

PrintedPlan parse(const Block& block);

}  // namespace shardstats
