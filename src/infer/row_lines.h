// The memory of a rank as the rows of its row-wise tables add it up. Private to src/infer.
#pragma once

#include <cstdint>
#include <vector>

#include "infer/evaluate.h"

namespace shardstats::infer_detail {

// One printed sum of a rank: `left` is what it leaves for rows, in bytes; of that a table with all its rows on the rank
// would take `bytes`, and it takes as much of it as it has rows there.
struct RowLine {
  struct Table {
    std::uint32_t table = 0;
    RealInterval bytes{};
  };
  std::uint32_t rank = 0;
  RealInterval left{};
  std::vector<Table> tables;  // the row-wise ones
};

// Those of a settled outcome that nothing contradicts: HBM and DDR of each rank.
std::vector<RowLine> row_lines(const PlanInputs& plan, const Outcome& outcome);

}  // namespace shardstats::infer_detail
