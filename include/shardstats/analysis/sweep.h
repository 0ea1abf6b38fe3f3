// Many changes of one plan side by side, and the largest value that fits.
// Tested by tests/analysis/sweep_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "shardstats/analysis/diff.h"
#include "shardstats/infer/what_if.h"

namespace shardstats {

// What a plan comes to.
struct PlanPeak {
  RealInterval hbm{};  // of the fullest rank, bytes
  int fullest = 0;
  std::optional<RealInterval> planning;  // memory that the planner may fill on each device, bytes
  std::optional<RealInterval> headroom;  // what it leaves of the planning memory, bytes; below 0: too large
  std::optional<RealInterval> perf;      // of the slowest rank, ms
  int slowest = 0;
};
// HBM that the planner may fill on each device, bytes: as the log prints it, or of a changed capacity. nullopt: not
// printed, or not the same for all devices.
std::optional<RealInterval> planning_memory(const PrintedPlan& printed, const Plan& plan,
                                            std::optional<std::int64_t> device_hbm);
PlanPeak peak_of(const Plan& plan, const std::optional<RealInterval>& planning);

// One row of a sweep.
struct SweepPoint {
  std::vector<std::string> values;  // one for each key
  std::optional<PlanPeak> peak;
  std::string refused;  // why there is none
};
struct Sweep {
  std::vector<std::string> keys;
  PlanPeak base;
  std::vector<SweepPoint> points;
};

// The largest value of a count that keeps the fullest rank within a limit.
struct LargestFit {
  std::string key;
  double limit = 0;                      // bytes
  std::optional<std::int64_t> fits;      // whatever the log hides; nullopt: not even 1
  std::optional<std::int64_t> may_fit;   // up to which some explanation of the log fits
  std::optional<SweepPoint> at, beyond;  // with `fits`, and with one more unless that is more than is tried
};
// Of the changed plan with a value of the count in question: HBM of the fullest rank, nullopt if there is none; and all
// that is shown.
using HbmAt = std::function<std::optional<RealInterval>(std::int64_t)>;
using PeakAt = std::function<SweepPoint(std::int64_t)>;
LargestFit largest_fit(std::string key, double limit, const HbmAt& hbm_at, const PeakAt& at);

// What `whatif` answers of one block; one of the three.
struct WhatIfResult {
  std::vector<std::string> changes, placed;  // as understood; what was put on ranks that were not given
  std::optional<PlanDiff> diff;
  std::optional<Sweep> sweep;
  std::optional<LargestFit> largest;
};

}  // namespace shardstats
