// Every formula by name: id, symbol, words, unit, and the section of the reference document it follows.
// verify, explain, rules and the documentation cite these ids; the arithmetic itself stands once, in storage.h and
// perf.h.
#pragma once

#include <cstdint>
#include <string_view>

namespace shardstats {

enum class FormulaId : std::uint8_t {
  base_tensor,
  cached_share,
  tensor,
  optimizer,
  cache_aux,
  key_value,
  lookups_per_shard,
  input,
  output,
  prefetch,
  pipeline_io,
  shard_hbm,
  shard_ddr,
  shard_ssd,
  table_sum,
  rank_sum,
  kernel_sum,
  kjt,
  weights,
  optimizer_state,
  percent,
  ratio,
  total,
  perf_indices,
  perf_rows,
  perf_outputs,
  perf_gradients,
  bandwidth,
  forward_compute,
  forward_comms,
  backward_compute,
  backward_comms,
  prefetch_compute,
  perf_total,
};

struct FormulaForm {
  FormulaId id;
  std::string_view name;     // "storage.tensor"
  std::string_view symbol;   // "t"
  std::string_view label;    // "embedding weights"
  std::string_view unit;     // "bytes", "ms", "bytes/ms", "" for a pure number
  std::string_view section;  // of storage-model.md; of perf-model.md for "perf." names
};
const FormulaForm& form_of(FormulaId id);

}  // namespace shardstats
