// What the parser says of a damaged or unknown block: one kind for each sentence and severity, with its rule (rule
// ids log.*). What reads a plan asks for a kind, or for all that share its rule. Tested by
// tests/log/diagnostics_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace shardstats {

enum class Severity : std::uint8_t { error, warning, note };

enum class DiagnosticKind : std::uint8_t {
  // What was undone or left out before the lines were read.
  prefix,
  suffix,
  utf16,
  line_ends,
  byte_order_mark,
  colours,
  blanks,
  escapes,
  beside_strings,
  wrapped,
  glued,
  interleaved,
  doubled,
  reversed,
  merged,
  foreign,
  no_frame,
  other_box,
  twin,
  other_twin,
  // The compressed log.
  ends_early,
  broken,
  wrong_checksum,
  trailing,
  // The box.
  no_opening_border,
  no_closing_border,
  cut_border,
  cut_lines,
  no_right_border,
  decoration,
  // Lines outside of the tables.
  unknown_line,
  unknown_words,
  malformed_value,
  carriage_return,
  cut_value,
  cut_kernel,
  rank_may_be_lost,
  kernel_may_be_lost,
  no_headers,
  row_below_ranks,
  no_heading,
  no_next_heading,
  repeated_line,
  contradicting_line,
  repeated_run,
  // Column tables.
  repeated_table,
  squeezed,
  cut_headers,
  unknown_column,
  header_without_dashes,
  repeated_dashes,
  behind_last_column,
  short_row,
  foreign_in_table,
  malformed_row,
  malformed_cell,
  cut_row,
  missing_cells,
  no_table_rows,
  no_parameter_table,
  repeated_table_row,
  no_rank_rows,
  repeated_rank_row,
  moved_rank,
  odd_rank,
  ranks_missing_before,
  ranks_missing_after,
  // Forms and units of numbers that no known release has.
  whole_column,
  padded_column,
  coarser_column,
  padded_lines,
  coarser_lines,
  coarser_measures,
  finer_measures,
  newer_unit_of_lines,
  unknown_unit_of_lines,
  newer_unit_of_storage,
  newer_unit_of_column,
  wrong_unit_of_column,
  wrong_unit,
  no_blank_before_unit,
  // Beyond what is read (limits.h): only the first of each kind is reported.
  large_number,
  large_in_list,
  large_rank,
  many_features,
  large_table,
  many_shards,
  many_unplaced_shards,
  many_rank_rows,
  many_table_rows,
  count,  // stays last: no kind, but how many there are
};

struct DiagnosticForm {
  DiagnosticKind kind;
  std::string_view rule;  // "log.unknown_line", "log.malformed_cell", "log.no_closing_border", ...
  Severity severity;
  std::string_view message;
};
const DiagnosticForm& diagnostic_form(DiagnosticKind kind);
std::span<const DiagnosticForm> diagnostic_forms();  // in the order of the kinds

}  // namespace shardstats
