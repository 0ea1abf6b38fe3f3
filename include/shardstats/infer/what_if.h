// What if: the plan that a change of the run or of some tables would give.
//
//   PrintedPlan --WhatIf--> with(changes) -> ChangedPlan { skeleton, plan }
//
// Everything that inference left open stays open: the changed plan's bounds are the hull over all hypotheses that
// explain the log. Shards stay on their ranks where their number stays; others are placed. Bytes and ms as in Plan.
// Tested by tests/infer/what_if_test.cc and, where it is there, the corpus of changed plans.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "shardstats/infer/plan.h"
#include "shardstats/infer/plan_growth.h"
#include "shardstats/log/texts.h"

namespace shardstats {

enum class Attribute : std::uint8_t {
  // of the run
  batch_size,
  world_size,
  local_world_size,
  pipeline,
  count_ephemeral,
  release,
  hbm,
  hbm_mem_bw,
  ddr_mem_bw,
  hbm_to_ddr_mem_bw,
  ssd_mem_bw,
  intra_host_bw,
  inter_host_bw,
  bwd_compute_multiplier,
  weighted_feature_bwd_compute_multiplier,
  // of the run or of tables
  optimizer,
  dtype,
  // of tables
  sharding,
  kernel,
  cache_load_factor,
  rows,
  dim,
  pooling_factor,
  num_poolings,
  ranks,
  drop,
};

// What the value of an attribute is.
enum class ValueKind : std::uint8_t { count, number, multiplier, bytes, bandwidth, word, flag, ranks, none };

struct AttributeForm {
  Attribute attribute;
  std::string_view name;
  bool of_run, of_tables;
  ValueKind kind;
  std::string_view values;  // in words, for messages and help
};
std::span<const AttributeForm> attribute_table();
const AttributeForm& form_of(Attribute attribute);

// One assignment.
struct Change {
  Attribute attribute{};
  std::optional<std::vector<std::uint32_t>> tables;  // rows of the parameter table; nullopt: the run, or all tables
  double number = 0;                                 // counts, numbers, flags, bytes, bytes/ms
  std::string word;                                  // "RW", "fp16", "v1.8.0"
  std::vector<int> ranks;                            // in shard order
  std::string text;                                  // as written
};

// Why a change cannot be made or the log cannot be rebuilt.
struct Refusal {
  std::string message;
};

struct ChangedPlan {
  // The log's block with the inputs changed: rows dropped or added, cells of changed inputs. Cells that are derived
  // still have the texts of the log.
  PrintedPlan skeleton;
  std::shared_ptr<Texts> texts;  // that the skeleton's new texts lie in
  Plan plan;
  PlanGrowth growth;
  Plan likely;                             // the same with the likeliest explanation of the log alone
  std::optional<std::int64_t> device_hbm;  // bytes, if that was changed
  std::vector<std::string> placed;         // what was put on ranks that were not given, in words
};

// How much of ChangedPlan is asked for.
enum class Answer : std::uint8_t {
  memory,  // no perf in its plan; nothing is refused for want of perf
  memory_and_perf,
  growth_too,  // of tables and kernels; that of ranks is part of every answer
  likely_too,
};

class WhatIf {
 public:
  explicit WhatIf(const PrintedPlan& printed, InferOptions options = {});
  ~WhatIf();
  WhatIf(const WhatIf&) = delete;
  WhatIf& operator=(const WhatIf&) = delete;

  // The log as it is.
  const Plan& base() const;
  // The same with its likeliest explanation alone, to compare ChangedPlan::likely with.
  Plan likely_base() const;
  // Why this log cannot be changed; nullptr: it can.
  const Refusal* refusal() const;
  std::variant<ChangedPlan, Refusal> with(std::span<const Change> changes, Answer answer = Answer::likely_too) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace shardstats
