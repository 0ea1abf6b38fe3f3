// Cells of the two column tables: from one text to the fields of a row and back. Private to src/log.
//
// Each column has one pattern; reading fails as a whole (the cell becomes an OddCell) or fills all its fields.
#pragma once

#include <string>

#include "shardstats/log/printed.h"

namespace shardstats::log_detail {

// False: the text does not have the column's pattern; the row stays as it was.
bool read_cell(ColumnId column, const Cell& cell, PrintedRank& row);
bool read_cell(ColumnId column, const Cell& cell, PrintedTable& row);

// Appends the cell as the planner prints it.
void write_cell(ColumnId column, const PrintedRank& row, std::string& out);
void write_cell(ColumnId column, const PrintedTable& row, std::string& out);

}  // namespace shardstats::log_detail
