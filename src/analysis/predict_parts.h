// How a predicted log is written: its cells, and the rows of both tables. Private to src/analysis.
#pragma once

#include <string>
#include <utility>

#include "analysis/predict.h"

namespace shardstats::analysis {

// Cells as a log prints them, of numbers.
class CellWriter {
 public:
  CellWriter(Texts& texts, Digits digits) : texts_(texts), digits_(digits) {}

  std::string_view text(std::string text) { return texts_.add(std::move(text)); }
  std::string_view text(double value, Format form) { return text(written(value, form)); }
  Cell cell(std::string text) { return {texts_.add(std::move(text)), {}}; }
  Cell rounded(double value, Format form) { return cell(written(value, form)); }
  Cell gib(double bytes, Format form = Format::r3) { return rounded(bytes / static_cast<double>(kGiB), form); }
  Cell count(std::int64_t n) { return cell(std::to_string(n)); }

 private:
  std::string written(double value, Format form) const;

  Texts& texts_;
  Digits digits_;
};

// Fills in the rows of both tables. `print`: with the lines of the log.
void predict_rows(const Plan& plan, const RankValues& values, const SharedMemory& memory, CellWriter& write,
                  PrintedPlan& print);

inline bool is_on_rank(const Plan& plan, const PlanShard& shard) {
  return shard.rank && static_cast<std::size_t>(*shard.rank) < plan.ranks.size();
}
bool is_without_shards(const Plan& plan, std::size_t rank);

}  // namespace shardstats::analysis
