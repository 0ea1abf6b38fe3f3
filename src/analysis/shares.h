// The share of planning memory that each rank takes (log-format.md section 6.2). Private to src/analysis.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "analysis/byte_columns.h"
#include "analysis/checks.h"

namespace shardstats::analysis {

// Before v0.4.0 planning DDR and the shares of it are printed of less than there is (log-format.md Q14).
constexpr bool prints_all_ddr(Release release) { return release >= Release::v0_4_0; }

inline constexpr double kLeastCapacity = 128.0 * kMiB;  // bytes of a device that has such a memory

// HBM or DDR: its cells and rules.
struct MemoryKind {
  RuleId rule;
  const ByteColumn& column;
  Cell PrintedRank::*percent;
  Expectation PlanTable::*table;
  std::size_t slot;  // of the planning memory line
};
inline constexpr MemoryKind kHbm{RuleId::rank_hbm_percent, kRankHbm, &PrintedRank::hbm_percent, &PlanTable::hbm, 0};
inline constexpr MemoryKind kDdr{RuleId::rank_ddr_percent, kRankDdr, &PrintedRank::ddr_percent, &PlanTable::ddr, 1};

// One rank's share, a fraction: what is printed, and what the printed capacity makes of it.
struct Share {
  const PrintedRank* row = nullptr;
  int rank = 0;
  RealInterval used{}, printed{}, expected{};
  bool agrees() const { return printed.overlaps(expected); }
  // Capacities that give the printed share.
  RealInterval capacity() const {
    const double high = printed.low > 0 ? used.high / printed.low : std::numeric_limits<double>::max();
    return {printed.high > 0 ? used.low / printed.high : 0, high};
  }
  // No share is negative, and a memory of next to nothing has none of any device that exists.
  bool impossible() const { return printed.high <= 0 || capacity().high < kLeastCapacity; }
  // Is the printed percentage within one of an expected share? A slightly larger or smaller device explains that.
  bool one_step_off() const {
    constexpr double kHalfStep = 0.005;
    return RealInterval{printed.low - kHalfStep, printed.high + kHalfStep}.overlaps(expected);
  }
};

// HBM or DDR of the ranks whose memory and percentage can be read.
struct MemoryShares {
  bool counted = false;                  // the device is one whose memory the planner divides by its capacity
  std::optional<ByteInterval> planning;  // as printed
  std::vector<Share> ranks;              // `expected` only with planning memory
  // Every device has the printed capacity, as far as the log tells.
  bool one_capacity() const;
  // Those that the printed capacity does not give; they point into `ranks`.
  std::vector<const Share*> wrong() const;
};
MemoryShares hbm_shares(const Checks& checks);
MemoryShares hbm_shares(const PrintedPlan& printed, const Plan& plan);
MemoryShares ddr_shares(const Checks& checks);
// Where the device is not known, shares of zero may be those of a device whose HBM is not counted: of a CPU, which has
// no capacity for it, or of MTIA in releases that know it (log-format.md section 7, Q15).
bool hbm_may_be_counted(const Checks& checks);
// What the planner divides by: the capacity before it was cut to whole bytes.
constexpr RealInterval uncut(ByteInterval capacity) {
  return {static_cast<double>(capacity.low), static_cast<double>(capacity.high) + 1};
}
// The capacity that all shares could be of; nullopt: there is none.
std::optional<RealInterval> common_capacity(const std::vector<Share>& shares);
// The printed KJT storage of the memory that inputs go to.
Cell kjt_cell(const PrintedPlan& printed, const Plan& plan);
// Does every device have its own HBM? Not where shares do not fit one another because one is printed wrong.
bool capacities_differ(const PrintedPlan& printed, const Plan& plan);
// HBM that the planner may fill on each device, if one printed number is that of all.
std::optional<ByteInterval> planning_of_all(const PrintedPlan& printed, const Plan& plan);

// The fraction that a part is of itself and the rest: both were cut to whole bytes, so either may be one byte more.
RealInterval share_of(ByteInterval part, ByteInterval rest);

// The part of HBM that is reserved by percentage (section 6.1), with the fewest decimals that the lines allow: people
// pick it. nullopt: not printed.
std::optional<double> reserved_fraction(const PrintedPlan& printed);

// What the share of each rank is of, bytes: the memory that all devices have, else what a rank's own share says;
// 0: none is counted, and the share is 0.
struct SharedMemory {
  std::vector<double> hbm, ddr;
};
SharedMemory shared_memory(const PrintedPlan& printed, const Plan& plan);

}  // namespace shardstats::analysis
