#include "shardstats/planner/formulas.h"

#include <array>

namespace shardstats {
namespace {

using enum FormulaId;
constexpr std::array kFormulas = std::to_array<FormulaForm>({
    {base_tensor, "storage.base_tensor", "S", "whole table", "bytes", "2.1"},
    {cached_share, "storage.cached_share", "S_cache", "cache share of the table", "bytes", "4.2"},
    {tensor, "storage.tensor", "t", "embedding weights", "bytes", "4"},
    {optimizer, "storage.optimizer", "o", "optimizer state", "bytes", "4.1"},
    {cache_aux, "storage.cache_aux", "a", "cache auxiliary state", "bytes", "4.4"},
    {key_value, "storage.key_value", "kv", "key-value cache", "bytes", "4.5"},
    {lookups_per_shard, "io.lookups", "x", "looked-up ids of the local batch", "", "5.1"},
    {input, "io.input", "I", "input buffer", "bytes", "5.1"},
    {output, "io.output", "O", "output buffer", "bytes", "5.1"},
    {prefetch, "io.prefetch", "p", "prefetch buffers", "bytes", "6"},
    {pipeline_io, "io.pipeline", "io", "input and output in the pipeline", "bytes", "6"},
    {shard_hbm, "shard.hbm", "HBM", "HBM of the shard", "bytes", "7.1"},
    {shard_ddr, "shard.ddr", "DDR", "DDR of the shard", "bytes", "7.1"},
    {shard_ssd, "shard.ssd", "SSD", "SSD of the shard", "bytes", "4.6"},
    {table_sum, "table.sum", "", "sum over the shards of the table", "bytes", "7.2"},
    {rank_sum, "rank.sum", "", "sum over the shards on the rank, dense and KJT", "bytes", "7.2"},
    {kernel_sum, "kernel.sum", "", "sum over the tables of the kernel", "bytes", "7.2"},
    {kjt, "reservation.kjt", "KJT", "KJT reservation", "bytes", "8.2"},
    {weights, "kernel.weights", "", "weights, each table once", "bytes", "1.3"},
    {optimizer_state, "kernel.optimizer", "", "optimizer state, each table once", "bytes", "1.3"},
    {percent, "rank.percent", "", "share of the capacity", "", "7.2"},
    {ratio, "storage.caching_ratio", "rho", "caching ratio", "", "4.3"},
    {total, "total", "", "sum", "bytes", "7.2"},
    {perf_indices, "perf.indices", "R", "index bytes read", "bytes", "3.2"},
    {perf_rows, "perf.rows", "K", "row bytes read", "bytes", "3.2"},
    {perf_outputs, "perf.outputs", "O_f", "output bytes sent forward", "bytes", "3.2"},
    {perf_gradients, "perf.gradients", "O_b", "gradient bytes sent backward", "bytes", "3.2"},
    {bandwidth, "perf.bandwidth", "B", "bandwidth of the kernel", "bytes/ms", "2.3"},
    {forward_compute, "perf.fwd_compute", "fc", "forward compute", "ms", "3"},
    {forward_comms, "perf.fwd_comms", "fm", "forward comms", "ms", "3"},
    {backward_compute, "perf.bwd_compute", "bc", "backward compute", "ms", "3.1"},
    {backward_comms, "perf.bwd_comms", "bm", "backward comms", "ms", "3"},
    {prefetch_compute, "perf.prefetch_compute", "pf", "prefetch compute", "ms", "3.6"},
    {perf_total, "perf.total", "T", "perf of the shard", "ms", "1.1"},
});

constexpr bool is_indexed_by_id() {
  for (std::size_t i = 0; i < kFormulas.size(); ++i)
    if (kFormulas[i].id != static_cast<FormulaId>(i)) return false;
  return kFormulas.back().id == perf_total;
}
static_assert(is_indexed_by_id());

}  // namespace

const FormulaForm& form_of(FormulaId id) { return kFormulas[static_cast<std::size_t>(id)]; }

}  // namespace shardstats
