#include "shardstats/log/diagnostics.h"

#include <array>
#include <cstddef>

#include "shardstats/vocabulary.h"

namespace shardstats {
namespace {

constexpr auto kDiagnostics = [] {
  using enum Severity;
  using K = DiagnosticKind;
  return std::to_array<DiagnosticForm>({
      // What was undone or left out before the lines were read.
      {K::prefix, "log.prefix", note, "the lines stand behind the prefix of a logger, which was taken off"},
      {K::suffix, "log.suffix", note, "text behind the right border of the lines was taken off"},
      {K::utf16, "log.encoding", note, "the log was UTF-16; places are those of its UTF-8 form"},
      {K::line_ends, "log.encoding", note, "lines end in a carriage return alone and are counted so"},
      {K::byte_order_mark, "log.encoding", note, "a byte order mark was taken out"},
      {K::colours, "log.colours", note, "escape sequences of a terminal were taken out"},
      {K::blanks, "log.blanks", note, "tabs, non-breaking blanks or NUL bytes were replaced"},
      {K::escapes, "log.escapes", note, "the lines were taken out of strings of JSON or Python, or out of HTML"},
      {K::beside_strings, "log.missing_lines", error,
       "lines of the block stand beside the strings of this line; they were left out"},
      {K::wrapped, "log.wrapped", note, "lines were broken, as at the width of a terminal, and joined again"},
      {K::glued, "log.glued", note, "several lines stand on one and were cut apart"},
      {K::interleaved, "log.interleaved", note, "the lines of several processes are mixed and were sorted"},
      {K::doubled, "log.repeated_lines", note,
       "each line stands twice, as from two handlers of a logger or in two fields of a record, and was read once"},
      {K::reversed, "log.reversed", note, "the lines stand in reverse order, and were turned round"},
      {K::merged, "log.merged_lines", warning,
       "Ray shows lines of other workers that differ in digits only as one, from here on; such lines were left out, "
       "and RAY_DEDUP_LOGS=0 keeps all of them"},
      {K::foreign, "log.foreign_lines", note, "lines that do not belong to the block were left out"},
      {K::no_frame, "log.no_frame", note, "the '#' on both sides is gone; the text was read without it"},
      {K::other_box, "log.foreign_lines", error,
       "this line of a planner block was left out: it does not stand in the same box"},
      {K::twin, "log.twin", note, "several processes logged this plan at the same time, line for line"},
      {K::other_twin, "log.twin", warning, "several processes logged a plan at the same time, and their lines differ"},
      // The compressed log.
      {K::ends_early, "log.compression", error, "the compressed log ends early: what followed is lost"},
      {K::broken, "log.compression", error,
       "the compressed log is broken or ends early: what followed could not be decompressed"},
      {K::wrong_checksum, "log.compression", error,
       "the checksum of the compressed log does not match: all of it may be wrong, and what followed is lost"},
      {K::trailing, "log.compression", note, "what stands behind the compressed log was left out"},
      // The box.
      {K::no_opening_border, "log.no_opening_border", error,
       "the block has no opening border; its start may be missing"},
      {K::no_closing_border, "log.no_closing_border", error,
       "the block has no closing border: it was cut off after this line"},
      {K::cut_border, "log.cut_border", error, "the log was cut off within this border, which is shorter than the box"},
      {K::cut_lines, "log.cut_lines", error,
       "the lines are cut off at this column; what stood to the right of it is lost"},
      {K::no_right_border, "log.right_border", note, "this and maybe other lines lack their '#' on the right"},
      {K::decoration, "log.decoration", note,
       "this border, row of dashes or padding is not as long as the planner prints it; it says nothing by itself"},
      // Lines outside of the tables.
      {K::unknown_line, "log.unknown_line", warning, "a line that no known release prints; it is kept but not checked"},
      {K::unknown_words, "log.unknown_line", warning,
       "a known line with words that no known release prints there; they are kept but not checked"},
      {K::malformed_value, "log.malformed_cell", error,
       "this value does not have the form that the planner prints in this line"},
      {K::carriage_return, "log.malformed_cell", error,
       "a carriage return stands in this line: a part of it may be lost; it is kept but not checked"},
      {K::cut_value, "log.malformed_cell", error,
       "this line lacks the '#' that most have: more may have stood here, so that the value is not read"},
      {K::cut_kernel, "log.malformed_cell", error,
       "this line of a kernel lacks its value and the '#' that most lines have: it was cut off"},
      {K::rank_may_be_lost, "log.malformed_cell", error,
       "this line lacks the '#' that other empty lines have on the right: the row of a rank may have stood here"},
      {K::kernel_may_be_lost, "log.malformed_cell", error,
       "this line lacks the '#' that other empty lines have on the right: the line of a kernel may have stood here"},
      {K::no_headers, "log.missing_lines", error,
       "the headers above this row are missing; it and the rows below are kept but not checked"},
      {K::row_below_ranks, "log.missing_lines", error,
       "an empty line ended the rank table above this row; it and the rows below are not checked"},
      {K::no_heading, "log.missing_lines", error,
       "the heading above this line is missing, or it stands here again; it is kept but not checked"},
      {K::no_next_heading, "log.missing_lines", error,
       "the heading of the next section is missing, so that this line and those below may be of that one; they are "
       "kept but not checked"},
      {K::repeated_line, "log.repeated_lines", error, "this line stands above already"},
      {K::contradicting_line, "log.repeated_lines", error, "this line stands above already, with another value"},
      {K::repeated_run, "log.repeated_lines", error, "the lines from here on stand above already; they were read once"},
      // Column tables.
      {K::repeated_table, "log.duplicate_table", error,
       "this column table stands twice in the block; the rows of both were read"},
      {K::squeezed, "log.squeezed", note,
       "runs of blanks were squeezed to one; the cells of this table were told by their form"},
      {K::cut_headers, "log.cut_lines", error,
       "the line of headers ends in the middle of this one: what stands to the right is lost"},
      {K::unknown_column, "log.unknown_column", warning,
       "a column that no known release prints, or prints once; its cells are kept but not checked"},
      {K::header_without_dashes, "log.unknown_column", warning,
       "a header behind those that have dashes below; what it names is not read"},
      {K::repeated_dashes, "log.repeated_lines", error, "the line below the headers of the table stands here again"},
      {K::behind_last_column, "log.malformed_cell", error, "this text stands behind the last column of the table"},
      {K::short_row, "log.malformed_cell", error,
       "this line is too short for a row of the table around it; it was left out"},
      {K::foreign_in_table, "log.foreign_lines", note,
       "this line does not belong to the table around it; it was left out"},
      {K::malformed_row, "log.malformed_cell", error,
       "no cell of this line has the form of its column; it was left out"},
      {K::malformed_cell, "log.malformed_cell", error, "this cell does not have the form of its column"},
      {K::cut_row, "log.malformed_cell", error,
       "from this cell on the row is cut off or does not stand below its headers"},
      {K::missing_cells, "log.malformed_cell", error, "cells of this row are missing"},
      {K::no_table_rows, "log.malformed_cell", error, "the parameter table has no rows"},
      {K::no_parameter_table, "log.malformed_cell", error, "the parameter table that this line announces is missing"},
      {K::repeated_table_row, "log.duplicate_table", error, "this row of the parameter table stands above already"},
      {K::no_rank_rows, "log.rank_rows", error, "the rank table has no rows"},
      {K::repeated_rank_row, "log.rank_rows", error, "this row of the rank table stands above already"},
      {K::moved_rank, "log.rank_rows", error, "this row stands out of order; the rank table was sorted"},
      {K::odd_rank, "log.rank_rows", error, "this rank stands twice or out of order"},
      {K::ranks_missing_before, "log.rank_rows", error, "rows of ranks are missing before this one"},
      {K::ranks_missing_after, "log.rank_rows", error,
       "rows of ranks are missing after this one: tables or lines below name further ranks"},
      // Forms and units of numbers that no known release has.
      {K::whole_column, "log.unknown_format", warning,
       "a column of whole numbers, as no known release prints them; they are kept but not checked"},
      {K::padded_column, "log.unknown_format", warning,
       "a column whose numbers all have as many decimals, as no known release prints them; they are checked as they "
       "are rounded"},
      {K::coarser_column, "log.unknown_format", warning,
       "a column whose numbers have fewer decimals than any known release prints; they are checked as they are "
       "rounded"},
      {K::padded_lines, "log.unknown_format", warning,
       "a number of the lines outside of the tables as no known release prints it; all of them have as many decimals, "
       "and are checked as they are rounded"},
      {K::coarser_lines, "log.unknown_format", warning,
       "the first number of the lines outside of the tables, all of which have fewer decimals than any known release "
       "prints; they are checked as they are rounded"},
      {K::coarser_measures, "log.unknown_format", warning,
       "the first measure of imbalance, all of which have fewer decimals than any known release prints; they are "
       "checked as they are rounded"},
      {K::finer_measures, "log.unknown_format", warning,
       "the first measure of imbalance, all of which have more decimals than any known release prints; they are "
       "checked as they are rounded"},
      {K::newer_unit_of_lines, "log.unknown_format", warning,
       "a unit that no known release prints in lines; it is read as the planner's own of that size"},
      {K::unknown_unit_of_lines, "log.unknown_format", warning,
       "a unit that no known release prints in lines; their numbers are kept but not checked"},
      {K::newer_unit_of_storage, "log.unknown_format", warning,
       "a column whose cells have a unit that no known release prints; it is read as the planner's own of that size"},
      {K::newer_unit_of_column, "log.unknown_column", warning,
       "a column in a unit that no known release prints; it is read as the planner's own of that size"},
      {K::wrong_unit_of_column, "log.unknown_column", error,
       "a column in a unit that no known release prints; it is read as the planner's own of that size"},
      {K::wrong_unit, "log.malformed_cell", error, "the planner prints another unit here"},
      {K::no_blank_before_unit, "log.malformed_cell", error,
       "the planner prints a blank between this number and its unit"},
      // Beyond what is read (limits.h): only the first of each kind is reported.
      {K::large_number, "log.bounds", error,
       "this number is larger than those which are read; nothing is checked against it"},
      {K::large_in_list, "log.bounds", error, "a number of this cell is larger than those which are read"},
      {K::large_rank, "log.bounds", error, "a rank that is larger than those which are read"},
      {K::many_features, "log.bounds", error, "more features than are read"},
      {K::large_table, "log.bounds", error, "a table of more elements than are rebuilt"},
      {K::many_shards, "log.bounds", error, "from this list on the tables have more shards than are read"},
      {K::many_unplaced_shards, "log.bounds", error, "from this table on the tables have more shards than are rebuilt"},
      {K::many_rank_rows, "log.bounds", error, "the rank table has more rows than are read"},
      {K::many_table_rows, "log.bounds", error, "the parameter table has more rows than are read"},
  });
}();

static_assert(has_row_of_each(kDiagnostics, &DiagnosticForm::kind, static_cast<std::size_t>(DiagnosticKind::count)));

}  // namespace

const DiagnosticForm& diagnostic_form(DiagnosticKind kind) { return kDiagnostics[static_cast<std::size_t>(kind)]; }
std::span<const DiagnosticForm> diagnostic_forms() { return kDiagnostics; }

}  // namespace shardstats
