// The lines of a block by their form. Private to src/analysis.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "shardstats/log/printed.h"

namespace shardstats::analysis {

// The slots of each line of that form, in printed order.
inline std::vector<std::span<const Cell>> lines_of(const PrintedPlan& printed, LineId id) {
  std::vector<std::span<const Cell>> lines;
  for (const PrintedLine& line : printed.lines)
    if (line.id == id) lines.push_back(printed.slots_of(line));
  return lines;
}
// Are some kept that are not read?
inline bool has_unread(const PrintedPlan& printed, LineId id) {
  return std::ranges::find(printed.lines, id, &PrintedLine::like) != printed.lines.end();
}

// Does the line begin with the name of a compute kernel?
constexpr bool names_kernel(LineId id) {
  return id == LineId::kernel_count || id == LineId::kernel_weights || id == LineId::kernel_optimizer ||
         id == LineId::kernel_storage || id == LineId::kernel_constraint;
}
// Is it an entry of a list of tables behind the largest perf or HBM, which begins with the name of the table?
constexpr bool lists_table(LineId id) { return id == LineId::top_perf_table || id == LineId::top_hbm_table; }

}  // namespace shardstats::analysis
