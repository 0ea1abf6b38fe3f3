// What a change of whatif can set.
#include <array>

#include "shardstats/infer/what_if.h"

namespace shardstats {
namespace {

constexpr std::array kAttributes = {
    AttributeForm{Attribute::batch_size, "batch_size", true, false, ValueKind::count, "a number of samples"},
    AttributeForm{Attribute::world_size, "world_size", true, false, ValueKind::count, "a number of ranks"},
    AttributeForm{Attribute::local_world_size, "local_world_size", true, false, ValueKind::count, "a number of ranks"},
    AttributeForm{Attribute::pipeline, "pipeline", true, false, ValueKind::word,
                  "none, train_base, train_sparse_dist, train_prefetch_sparse_dist"},
    AttributeForm{Attribute::count_ephemeral, "count_ephemeral", true, false, ValueKind::flag, "true, false"},
    AttributeForm{Attribute::release, "release", true, false, ValueKind::word,
                  "a release from v0.4.0 to v1.8.0, or main"},
    AttributeForm{Attribute::hbm, "hbm", true, false, ValueKind::bytes, "a size with its unit, such as 80GiB"},
    AttributeForm{Attribute::hbm_mem_bw, "hbm_mem_bw", true, false, ValueKind::bandwidth,
                  "a bandwidth such as 1555GiB/s"},
    AttributeForm{Attribute::ddr_mem_bw, "ddr_mem_bw", true, false, ValueKind::bandwidth,
                  "a bandwidth such as 51GiB/s"},
    AttributeForm{Attribute::hbm_to_ddr_mem_bw, "hbm_to_ddr_mem_bw", true, false, ValueKind::bandwidth,
                  "a bandwidth such as 32GiB/s"},
    AttributeForm{Attribute::ssd_mem_bw, "ssd_mem_bw", true, false, ValueKind::bandwidth, "a bandwidth such as 2GiB/s"},
    AttributeForm{Attribute::intra_host_bw, "intra_host_bw", true, false, ValueKind::bandwidth,
                  "a bandwidth such as 600GiB/s"},
    AttributeForm{Attribute::inter_host_bw, "inter_host_bw", true, false, ValueKind::bandwidth,
                  "a bandwidth such as 50GiB/s"},
    AttributeForm{Attribute::bwd_compute_multiplier, "bwd_compute_multiplier", true, false, ValueKind::multiplier,
                  "a multiplier such as 2.5"},
    AttributeForm{Attribute::weighted_feature_bwd_compute_multiplier, "weighted_feature_bwd_compute_multiplier", true,
                  false, ValueKind::multiplier, "a multiplier such as 1.5"},
    AttributeForm{Attribute::optimizer, "optimizer", true, true, ValueKind::word,
                  "none, sgd, adagrad, rowwise_adagrad, adam"},
    AttributeForm{Attribute::dtype, "dtype", true, true, ValueKind::word, "fp32, fp16, bf16, int8"},
    AttributeForm{Attribute::sharding, "sharding", false, true, ValueKind::word, "TW, CW, RW, DP, TWRW, TWCW, GS"},
    AttributeForm{Attribute::kernel, "kernel", false, true, ValueKind::word,
                  "a compute kernel such as fused or fused_uvm_caching"},
    AttributeForm{Attribute::cache_load_factor, "cache_load_factor", false, true, ValueKind::number,
                  "a share from 0 to 1"},
    AttributeForm{Attribute::rows, "rows", false, true, ValueKind::count, "a number of rows"},
    AttributeForm{Attribute::dim, "dim", false, true, ValueKind::count, "a number of columns"},
    AttributeForm{Attribute::pooling_factor, "pooling_factor", false, true, ValueKind::number,
                  "ids a sample, summed over the table's features"},
    AttributeForm{Attribute::num_poolings, "num_poolings", false, true, ValueKind::number,
                  "poolings a sample, summed over the table's features"},
    AttributeForm{Attribute::ranks, "ranks", false, true, ValueKind::ranks, "ranks such as 0,1 or 0-7"},
    AttributeForm{Attribute::drop, "drop", false, true, ValueKind::none, "nothing"},
};

}  // namespace

std::span<const AttributeForm> attribute_table() { return kAttributes; }
const AttributeForm& form_of(Attribute attribute) { return kAttributes[static_cast<std::size_t>(attribute)]; }

}  // namespace shardstats
