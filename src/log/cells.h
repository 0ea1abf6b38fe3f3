// Cells of the two column tables: from one text to the fields of a row and back. Private to src/log.
//
// Each column has one pattern; reading fails as a whole (the cell becomes an OddCell) or fills all its fields.
#pragma once

#include <string>

#include "shardstats/log/printed.h"

namespace shardstats::log_detail {

// How the cells of a column are read and written; those of one that the table does not have are not.
template <class Row>
struct ColumnCells {
  ColumnId id = ColumnId::unknown;
  // Reads the cell of this text into its fields, which are empty. False: it does not have the column's pattern; the row
  // stays as it was. Places are those of a line of the log itself.
  bool (*read)(std::string_view text, const BoxLine& line, Row& row) = [](std::string_view, const BoxLine&, Row&) {
    return false;
  };
  // Appends the cell as the planner prints it.
  void (*write)(const Row& row, std::string& out) = [](const Row&, std::string&) {};
};
template <class Row>
const ColumnCells<Row>& cells_of(ColumnId column);
template <>
const ColumnCells<PrintedRank>& cells_of(ColumnId column);
template <>
const ColumnCells<PrintedTable>& cells_of(ColumnId column);

}  // namespace shardstats::log_detail
