// Rows of cells as columns; the first one to the left, the rest to the right. A row is one line, for grep. Where that
// is wider than the terminal, the first column keeps the ends of its cells. Where this does not do, nothing is left
// out: the table is broken, and the columns that say what a row is about come again; if these are wide, rows are
// broken:
//
//   batch_size   largest HBM                  table
//   1024             9.1 GiB                    type  kernel      HBM
//                                             model.sparse.ebc.user_table
//   batch_size  slowest rank                      CW   fused  9.1 GiB
//   1024              2.1 ms
//
// Tested by tests/report/columns_test.cc.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "shardstats/report/style.h"

namespace shardstats {

using Rows = std::vector<std::vector<std::string>>;
using Widths = std::vector<std::size_t>;
// Of the widest cell of each column.
Widths widths_of(const Rows& rows);

class Columns {
 public:
  // `titles`: columns that say what a row is about.
  explicit Columns(std::size_t titles = 1) : titles_(titles) {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  void write(const TextStyle& style, std::string& out) const;

 private:
  // Where the lines end that columns behind the titles need, if `taken` columns come before them there: as few lines,
  // but no longer than they must be.
  std::vector<std::size_t> even_ends(const Widths& widths, std::size_t taken, std::size_t most) const;
  void write_broken_rows(Widths widths, std::size_t most, std::string& out) const;
  void write_broken_table(const Widths& widths, std::size_t most, std::string& out) const;

  std::size_t titles_;
  Rows rows_;
};

}  // namespace shardstats
