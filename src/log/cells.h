// Cells of the two column tables: from one text to the fields of a row and back. Private to src/log.
//
// Each column has one pattern; reading fails as a whole (the cell becomes an OddCell) or fills all its fields.
#pragma once

#include <string>

#include "shardstats/log/printed.h"

namespace shardstats::log_detail {

// Reads the cell of this text into its fields, which are empty. False: it does not have the column's pattern; the row
// stays as it was. Places are those of a line of the log itself.
template <class Row>
using CellRead = bool (*)(std::string_view text, const BoxLine& line, Row& row);
// How the cells of a column are read.
template <class Row>
CellRead<Row> cell_read(ColumnId column);
template <>
CellRead<PrintedRank> cell_read<PrintedRank>(ColumnId column);
template <>
CellRead<PrintedTable> cell_read<PrintedTable>(ColumnId column);

// Appends the cell as the planner prints it.
void write_cell(ColumnId column, const PrintedRank& row, std::string& out);
void write_cell(ColumnId column, const PrintedTable& row, std::string& out);

}  // namespace shardstats::log_detail
