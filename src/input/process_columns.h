// Columns behind the box lines of CSV or TSV that tell the process, as an export of messages has their stream or host.
// Private to src/input.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace shardstats::input_detail {

class ProcessColumns {
 public:
  // Of the lines that begin at `start`. Every process begins with the border of its block, so that a column is taken
  // where each of its values, of which there are several, stands behind a border first; others may change with each
  // line.
  ProcessColumns(std::string_view bytes, std::size_t start);

  // What they have in a record; empty if there are none.
  std::string process_of(std::string_view record) const;

 private:
  std::size_t fields_ = 0;  // behind the box in each record
  std::vector<std::size_t> columns_;
};

}  // namespace shardstats::input_detail
