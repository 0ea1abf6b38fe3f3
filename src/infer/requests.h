// What changes ask for. Private to src/infer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shardstats/infer/what_if.h"
#include "shardstats/planner/perf.h"

namespace shardstats::infer_detail {

// What is asked for of the whole run.
struct RunRequest {
  std::optional<std::int64_t> batch_size, world_size, local_world_size, hbm;  // hbm: bytes of a device
  std::optional<Pipeline> pipeline;
  std::optional<bool> ephemeral;
  std::optional<Release> release;
  Bandwidths<std::optional<double>> bandwidths;       // bytes/ms
  std::optional<double> backward, weighted_backward;  // multipliers
};

// The same of one table.
struct TableRequest {
  std::optional<Sharding> sharding;
  const KernelTraits* kernel = nullptr;
  std::optional<int> element, optimizer;  // indices of model.h
  std::optional<double> cache_load_factor, pooling_factor, num_poolings;
  std::optional<std::int64_t> rows, dim;
  std::vector<int> ranks;
  bool drop = false;
};

// Adds a change to the requests of the run, or of those tables of the log that it names; why not, if it cannot be one.
std::optional<std::string> add_request(const Change& change, RunRequest& run, std::vector<TableRequest>& tables);

}  // namespace shardstats::infer_detail
