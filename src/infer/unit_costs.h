// What a table's shards cost for each bandwidth alone, with all others endless. Private to src/infer.
#pragma once

#include <vector>

#include "infer/linear_system.h"
#include "infer/perf_model.h"
#include "infer/used_bandwidths.h"

namespace shardstats::infer_detail {

using CellCoefficients = std::array<Coefficients, kPerfCells>;

// Computes each once: fits of a hypothesis differ in codecs and multipliers only.
class UnitCosts {
 public:
  UnitCosts(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf);
  // Of one shard, by cell and bandwidth; nullopt where no kernel of the table is known.
  std::optional<CellCoefficients> of(std::uint32_t t, std::size_t codec, RealInterval backward,
                                     RealInterval weighted_backward);
  double shards(std::uint32_t t) const { return shards_[t]; }

 private:
  // With one element size; the backward compute and the total are left to the multipliers.
  struct Unit {
    bool weighted = false;
    std::array<std::array<RealInterval, kPerfParts>, kUnknowns> parts{};
  };
  // Those of a table with a codec, by element size: consecutive ones of all.
  struct Units {
    std::uint32_t first = 0, count = 0;
    bool known = false;
  };
  Units units(std::uint32_t t, std::size_t codec);
  // False where no kernel of the table is known.
  bool set_unit(std::uint32_t t, std::size_t codec, PerfOption option, Unit& unit);
  // To coefficients of zero.
  void add_multipliers(const Unit& unit, std::uint32_t t, const PerfSetting<RealInterval>& setting,
                       CellCoefficients& all) const;

  const PerfHypothesis& h_;
  const PlanInputs& plan_;
  const PerfInputs& perf_;
  UsedBandwidths used_;
  std::vector<double> shards_;                     // by table
  std::vector<std::array<Units, kCodecs>> units_;  // by table and codec
  std::vector<Unit> all_units_;                    // those asked for
};

}  // namespace shardstats::infer_detail
