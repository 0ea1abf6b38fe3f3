// A table of the likeliest explanation (likely_base.h): one option, and how its perf is counted.
// Private to src/infer. Tested by tests/infer/what_if_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "infer/feasible_point.h"
#include "infer/inference.h"

namespace shardstats::infer_detail {

// How a table's perf may be counted, as far as the log's own numbers leave it open.
struct PerfReading {
  PerfOption option{};
  std::size_t codec = 0;  // index into codec_table()
};

class LikelyTable {
 public:
  // `perf`: nullptr: it is not known. `parts`: those of the outcome of `h`.
  LikelyTable(const Inference& base, const PerfOutcome* perf, const PerfHypothesis& h, std::uint32_t t,
              TableParts& parts);

  const TableInputs& inputs() const { return table_; }
  const PrintedPerfCells& printed_perf() const { return base_.perf.tables[t_].printed; }
  const Lookups& lookups() const { return parts_.front().lookups; }
  const Parts& parts() const { return parts_[option_.variant]; }
  Combo combo() const { return combo_of(option_.combo); }
  std::optional<TablePerf> perf() const;
  const std::optional<PerfReading>& reading() const { return reading_; }  // nullopt: its perf is not known
  std::int64_t contradicted_cells() const;

  // Other ids and poolings of a batch; `ratio`: another caching ratio.
  void set(const Lookups& lookups, std::optional<RealInterval> ratio = std::nullopt);
  // Sets a hidden caching ratio: to the default if the table's cells allow that, else to what its perf asks for, as
  // round as they allow, else to the middle of what is left of it.
  void settle_ratio();

 private:
  double ratio_by_perf(RealInterval bounds);

  const Inference& base_;
  const PerfHypothesis& h_;
  std::uint32_t t_;
  const TableInputs& table_;
  TableParts& parts_;
  Option option_;
  std::optional<PerfReading> reading_;
};

struct ShardOnRank {
  std::uint32_t table;
  std::size_t shard_class;  // of its parts
};
// By rank of the log.
std::vector<std::vector<ShardOnRank>> shards_by_rank(const Inference& base, const Outcome& outcome,
                                                     const std::vector<LikelyTable>& tables);

// Adds a sum for each printed perf cell of a table; `add(cell)` adds what it takes.
template <class Add>
void add_printed_perf(const LikelyTable& table, FeasiblePoint& point, Add add) {
  const PrintedPerfCells& printed = table.printed_perf();
  for (std::size_t c = 0; c < kPerfCells; ++c) {
    if (!printed.has(c)) continue;
    point.add_sum(printed.bounds(c));
    add(c);
  }
}
// Adds a sum for each perf cell of a rank; `add(shard, cell)` adds what one of its shards takes.
template <class Add>
void add_rank_perf(const PlanPerf& perf, const std::vector<ShardOnRank>& shards, FeasiblePoint& point, Add add) {
  for (std::size_t c = 0; c < kPerfCells; ++c) {
    point.add_sum(perf_cell(perf, c));
    for (const ShardOnRank& shard : shards) add(shard, c);
  }
}

}  // namespace shardstats::infer_detail
