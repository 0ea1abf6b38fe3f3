// What a table's shards cost for each bandwidth alone, with all others endless. Private to src/infer.
#pragma once

#include <vector>

#include "infer/fit_tables.h"
#include "infer/used_bandwidths.h"

namespace shardstats::infer_detail {

// Cells of one shard, as one bandwidth alone makes them: ms times bytes/ms.
struct BandwidthCost {
  std::size_t bandwidth = 0;  // index of kBandwidths
  PerfCells cells{};
};

// Computes each once: fits of a hypothesis differ in codecs and multipliers only.
class UnitCosts {
 public:
  UnitCosts(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf, LikeliestOptions& options);
  // Appends those of a shard of the table, of the bandwidths that it uses; none where no kernel of the table is known.
  void append(std::uint32_t t, std::size_t codec, RealInterval backward, RealInterval weighted_backward,
              std::vector<BandwidthCost>& costs);
  double shards(std::uint32_t t) const { return shards_[t]; }

 private:
  // With one bandwidth and element size; the backward compute and the total are left to the multipliers.
  struct Part {
    std::size_t bandwidth = 0;
    std::array<RealInterval, kPerfParts> parts{};
  };
  // Those of a table with a codec: consecutive ones of all, element size by element size.
  struct Units {
    std::uint32_t first = 0;
    std::uint8_t sizes = 0, bandwidths = 0;
    bool weighted = false;
    bool known = false;
  };
  Units units(std::uint32_t t, std::size_t codec);
  // False where no kernel of the table is known.
  bool add_parts(std::uint32_t t, std::size_t codec, PerfOption option);
  BandwidthCost with_multipliers(const Part& part, std::uint32_t t, bool weighted) const;

  const PerfHypothesis& h_;
  const PlanInputs& plan_;
  const PerfInputs& perf_;
  LikeliestOptions& options_;
  PerfSetting<RealInterval> setting_;  // with the multipliers asked for last
  UsedBandwidths used_;
  std::vector<double> shards_;                     // by table
  std::vector<std::array<Units, kCodecs>> units_;  // by table and codec
  std::vector<Part> parts_;                        // those asked for
};

}  // namespace shardstats::infer_detail
