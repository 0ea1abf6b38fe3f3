// What a change of whatif can set.
#include <array>

#include "shardstats/infer/what_if.h"

namespace shardstats {
namespace {

using A = Attribute;
using V = ValueKind;

constexpr AttributeForm of_run(A attribute, std::string_view name, V kind, std::string_view values) {
  return {attribute, name, true, false, kind, values};
}
constexpr AttributeForm of_tables(A attribute, std::string_view name, V kind, std::string_view values) {
  return {attribute, name, false, true, kind, values};
}
constexpr AttributeForm of_both(A attribute, std::string_view name, V kind, std::string_view values) {
  return {attribute, name, true, true, kind, values};
}

constexpr std::array kAttributes = {
    of_run(A::batch_size, "batch_size", V::count, "a number of samples"),
    of_run(A::world_size, "world_size", V::count, "a number of ranks"),
    of_run(A::local_world_size, "local_world_size", V::count, "a number of ranks"),
    of_run(A::pipeline, "pipeline", V::word, "none, train_base, train_sparse_dist, train_prefetch_sparse_dist"),
    of_run(A::count_ephemeral, "count_ephemeral", V::flag, "true, false"),
    of_run(A::release, "release", V::word, "a release from v0.4.0 to v1.8.0, or main"),
    of_run(A::hbm, "hbm", V::bytes, "a size with its unit, such as 80GiB"),
    of_run(A::hbm_mem_bw, "hbm_mem_bw", V::bandwidth, "a bandwidth such as 1555GiB/s"),
    of_run(A::ddr_mem_bw, "ddr_mem_bw", V::bandwidth, "a bandwidth such as 51GiB/s"),
    of_run(A::hbm_to_ddr_mem_bw, "hbm_to_ddr_mem_bw", V::bandwidth, "a bandwidth such as 32GiB/s"),
    of_run(A::ssd_mem_bw, "ssd_mem_bw", V::bandwidth, "a bandwidth such as 2GiB/s"),
    of_run(A::intra_host_bw, "intra_host_bw", V::bandwidth, "a bandwidth such as 600GiB/s"),
    of_run(A::inter_host_bw, "inter_host_bw", V::bandwidth, "a bandwidth such as 50GiB/s"),
    of_run(A::bwd_compute_multiplier, "bwd_compute_multiplier", V::multiplier, "a multiplier such as 2.5"),
    of_run(A::weighted_feature_bwd_compute_multiplier, "weighted_feature_bwd_compute_multiplier", V::multiplier,
           "a multiplier such as 1.5"),
    of_both(A::optimizer, "optimizer", V::word, "none, sgd, adagrad, rowwise_adagrad, adam"),
    of_both(A::dtype, "dtype", V::word, "fp32, fp16, bf16, int8"),
    of_tables(A::sharding, "sharding", V::word, "TW, CW, RW, DP, TWRW, TWCW, GS"),
    of_tables(A::kernel, "kernel", V::word, "a compute kernel such as fused or fused_uvm_caching"),
    of_tables(A::cache_load_factor, "cache_load_factor", V::number, "a share from 0 to 1"),
    of_tables(A::rows, "rows", V::count, "a number of rows"),
    of_tables(A::dim, "dim", V::count, "a number of columns"),
    of_tables(A::pooling_factor, "pooling_factor", V::number, "ids a sample, summed over the table's features"),
    of_tables(A::num_poolings, "num_poolings", V::number, "poolings a sample, summed over the table's features"),
    of_tables(A::ranks, "ranks", V::ranks, "ranks such as 0,1 or 0-7"),
    of_tables(A::drop, "drop", V::none, "nothing"),
};

}  // namespace

std::span<const AttributeForm> attribute_table() { return kAttributes; }
const AttributeForm& form_of(Attribute attribute) { return kAttributes[static_cast<std::size_t>(attribute)]; }

}  // namespace shardstats
