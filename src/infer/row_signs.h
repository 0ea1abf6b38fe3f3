// What speaks for rows that are not split evenly, and what such a split costs (storage-model.md section 3). Private to
// src/infer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "infer/rank_statistics.h"
#include "infer/settings.h"

namespace shardstats::infer_detail {

// Has the plan row-wise tables, which the release may split unevenly?
bool may_split_unevenly(const PlanInputs& plan, const ReleaseRules& rules);
// How, most likely first. By buckets of virtual tables alone only where these can do without an even split's shards
// that have no rows.
std::span<const SplitRows> uneven_splits(const PlanInputs& plan);

// Nothing but contradicted cells speaks for capacities of their own that are all the same, or for too few buckets.
inline bool is_unlikely(SplitRows split) {
  return split == SplitRows::by_equal_memory || split == SplitRows::by_few_buckets;
}

// Whether the HBM shares of ranks fit the printed capacity.
class Shares {
 public:
  explicit Shares(const PlanInputs& plan);
  // Ranks whose share does not: each speaks for devices of different capacities.
  std::int64_t conflicts() const;
  // Those among them whose memory is not what is wrong.
  std::int64_t conflicts_beside(const Outcome& outcome) const;
  // Are all cells that the hypothesis contradicts the memory of ranks whose share fits neither that nor what is
  // expected? A wrong cell leaves the share right.
  bool show_all_contradictions(const Outcome& outcome) const;

 private:
  bool denies(std::size_t rank, RealInterval used) const;

  const PlanInputs& plan_;
  std::optional<ByteInterval> capacity_;
};

// The printed imbalance of the ranks' memory, which a wrong cell leaves right and a wrong split of rows does not.
class MemoryImbalance {
 public:
  explicit MemoryImbalance(const PlanInputs& plan);
  // How many of its numbers the hypothesis contradicts.
  std::int64_t contradicted_by(const Outcome& outcome) const;
  // Of the memory of which they are the most.
  std::int64_t most_contradicted_by(const Outcome& outcome) const;

 private:
  // By rank; empty if that of some rank is not known.
  std::vector<RealInterval> totals(const Outcome& outcome, Quantity quantity) const;

  std::size_t ranks_;
  std::vector<RankStatistic> hbm_, ddr_;
};

// Of the four of one memory: two may have changed places.
inline constexpr std::int64_t kMostOfImbalance = 3;

// One contradicted number alone may be wrong itself.
inline std::int64_t if_several(std::int64_t contradicted) { return contradicted == 1 ? 0 : contradicted; }

// What speaks for a row split that is not even.
struct RowSigns {
  std::int64_t conflicts = 0;  // of shares with one capacity
  bool shown = false;          // that way all that is contradicted
  bool contradicted = true;    // even splits leave some cells so
  std::int64_t imbalance = 0;  // its numbers that they contradict, if they are several

  // Do the shares ask for capacities that differ? One alone may be a wrong one.
  bool in_shares() const { return conflicts >= 2 || shown; }
  RowSigns without_imbalance() const {
    RowSigns others = *this;
    others.imbalance = 0;
    return others;
  }
  // As many as later hypotheses may leave.
  RowSigns at_most() const {
    RowSigns most = *this;
    most.shown = conflicts > 0;
    most.contradicted = true;
    return most;
  }
};

// What a row split that is not even costs: a capacity for each device, less those that the shares ask for anyway, or
// one value where several do, where they show all that is contradicted, or where the imbalance speaks for it: then the
// others are no wonder; or, where tables may have buckets, their number for each row-wise table, or for each virtual
// one, if cells are contradicted without; or one value where virtual tables alone have buckets. Nothing else tells
// releases of one group apart, so that those that know buckets pay as much as those before, unless the kernels say that
// there are some. Such buckets are likelier than capacities that are all the same.
std::int64_t cost_of_rows(const PlanInputs& plan, const RowSigns& signs, const SettingGroup& group, SplitRows split);

}  // namespace shardstats::infer_detail
