// Every check of `verify` as one table: id, severity, what it compares, formula, releases, reference section.
// verify, `shardstats rules`, --select and the documentation read it; a new check is a new row in
// src/analysis/rules.cc. Rule ids are public API (contract.md, "Rule ids"). Tested by tests/analysis/rules_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "shardstats/log/printed.h"
#include "shardstats/vocabulary.h"

namespace shardstats {

inline constexpr std::array<std::string_view, 3> kSeverityNames = {"error", "warning", "note"};
constexpr std::string_view name(Severity s) { return name_of(s, kSeverityNames); }

// The checks that compare numbers. What the parser says about the frame (log.*) follows in the table by id only.
enum class RuleId : std::uint8_t {
  table_storage_hbm,
  table_storage_ddr,
  table_storage_ssd,
  table_perf_fwd_compute,
  table_perf_fwd_comms,
  table_perf_bwd_compute,
  table_perf_bwd_comms,
  table_perf_prefetch_compute,
  table_perf_total,
  table_num_indices,
  table_cw_dim,
  table_ranks,
  table_batch_sizes,
  rank_hbm,
  rank_ddr,
  rank_hbm_percent,
  rank_ddr_percent,
  rank_perf,
  rank_input,
  rank_output,
  rank_shards,
  kernel_count,
  kernel_storage_hbm,
  kernel_storage_ddr,
  kernel_storage_ssd,
  kernel_weights,
  kernel_optimizer,
  kernel_constraints,
  reservation_kjt,
  reservation_percent,
  reservation_capacity,
  imbalance_perf,
  imbalance_hbm,
  imbalance_ddr,
  imbalance_range,
  maxima_value,
  maxima_ranks,
  maxima_mean,
  maxima_percent,
  maxima_sum,
  maxima_hbm,
  distribution_value,
  distribution_ranks,
  distribution_percent,
  tiers_value,
  tiers_ranks,
  critical_path_comms,
  critical_path_compute,
  critical_path_sum,
  top_tables_perf,
  top_tables_hbm,
};

struct Rule {
  std::string_view id;         // "table.storage.hbm"
  Severity severity;           // of its findings; some are weaker where the log leaves a doubt
  std::string_view title;      // one line
  std::string_view compares;   // which printed numbers with what
  std::string_view formula;    // text; formula ids of planner/formulas.h in brackets
  Release since, until;        // releases whose logs it applies to
  std::string_view reference;  // "storage-model.md section 7.2"
  std::string_view hint;       // what to try
};

std::span<const Rule> rule_table();
const Rule& rule_of(RuleId id);
const Rule* find_rule(std::string_view id);  // nullptr: no such rule
// The rules whose id begins with `prefix` ("table" or "table.storage"); empty: none.
std::vector<const Rule*> rules_matching(std::string_view prefix);
// What to say where it is empty.
std::string no_rule_begins_with(std::string_view prefix);

}  // namespace shardstats
