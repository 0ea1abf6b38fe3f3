// What a table's shards cost for each bandwidth alone, with all others endless. Private to src/infer.
#pragma once

#include <array>
#include <span>
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
  // Those of a shard of the table, of the bandwidths that it uses; none where no kernel of the table is known. They
  // last until the next call.
  std::span<const BandwidthCost> of(std::uint32_t t, std::size_t codec, RealInterval backward,
                                    RealInterval weighted_backward);
  double shards(std::uint32_t t) const { return shards_[t]; }

 private:
  // Those of a table with a codec: consecutive ones of all, element size by element size, then the hull of several.
  struct Units {
    std::uint32_t first = 0;
    std::uint32_t multipliers = 0;  // which these are with; 0: not asked for yet
    std::uint8_t sizes = 0, bandwidths = 0;
    bool weighted = false;
  };
  void take_multipliers(RealInterval backward, RealInterval weighted_backward);
  Units units(std::uint32_t t, std::size_t codec);
  // False where no kernel of the table is known.
  bool add_costs(std::uint32_t t, std::size_t codec, PerfOption option);
  void update(std::uint32_t t, Units& units);
  void unite_sizes(const Units& units);

  const PerfHypothesis& h_;
  const PlanInputs& plan_;
  const PerfInputs& perf_;
  LikeliestOptions& options_;
  PerfSetting<RealInterval> setting_;  // with endless bandwidths, and the multipliers asked for last
  std::uint32_t multipliers_ = 1;      // as many were asked for
  UsedBandwidths used_;
  std::vector<double> shards_;                     // by table
  std::array<std::vector<Units>, kCodecs> units_;  // by codec, once asked for, and table
  std::vector<BandwidthCost> costs_;               // those asked for
};

}  // namespace shardstats::infer_detail
