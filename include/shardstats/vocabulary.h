// The words of the field, shared by every folder: releases, sharding types, devices, pipelines.
// Each enumeration has exactly one table of names; nothing else in the tree spells them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "shardstats/ascii.h"

namespace shardstats {

// Has each of the `count` enumerators its row, in their order? A table that is read by its enumerator asserts this,
// since a row that is missing or out of place would compile.
template <class Row, std::size_t N, class Of, class Enum>
constexpr bool has_row_of_each(const std::array<Row, N>& rows, Enum Of::*enumerator, std::size_t count) {
  for (std::size_t i = 0; i < N; ++i)
    if (static_cast<std::size_t>(rows[i].*enumerator) != i) return false;
  return N == count;
}

// TorchRec releases whose planner output differs or may differ (log-format.md section 0.1), oldest first.
enum class Release : std::uint8_t {
  v0_1_0,
  v0_1_1,
  v0_2_0,
  v0_3_0,
  v0_3_2,
  v0_4_0,
  v0_5_0,
  v0_6_0,
  v0_7_0,
  v0_8_0,
  v1_0_0,
  v1_1_0,
  v1_2_0,
  v1_3_0,
  v1_4_0,
  v1_5_0,
  v1_6_0,
  v1_7_0,
  v1_8_0,
  main_branch,
};
inline constexpr std::array<std::string_view, 20> kReleaseNames = {
    "v0.1.0", "v0.1.1", "v0.2.0", "v0.3.0", "v0.3.2", "v0.4.0", "v0.5.0", "v0.6.0", "v0.7.0", "v0.8.0",
    "v1.0.0", "v1.1.0", "v1.2.0", "v1.3.0", "v1.4.0", "V1.5.0", "v1.6.0", "v1.7.0", "v1.8.0", "main"};

// Sharding types in the order of their abbreviations (log-format.md section 3.2).
enum class Sharding : std::uint8_t { cw, dp, gs, rw, tw, twcw, twrw };
inline constexpr std::array<std::string_view, 7> kShardingNames = {"CW", "DP", "GS", "RW", "TW", "TWCW", "TWRW"};
// As TorchRec's ShardingType spells them.
inline constexpr std::array<std::string_view, 7> kShardingWords = {
    "column_wise", "data_parallel", "grid_shard", "row_wise", "table_wise", "table_column_wise", "table_row_wise"};

// Compute kernels (log-format.md section 3.6), each with the first and the last release that has it.
enum class Kernel : std::uint8_t {
  dense,
  sparse,
  batched_dense,
  batched_fused,
  batched_fused_uvm,
  batched_fused_uvm_caching,
  batched_quant,
  batched_quant_uvm,
  batched_quant_uvm_caching,
  fused,
  fused_uvm,
  fused_uvm_caching,
  quant,
  quant_uvm,
  quant_uvm_caching,
  key_value,
  customized_kernel,
  ssd_virtual_table,
  dram_virtual_table,
  fused_triton,
  dram_ssd_virtual_table,
  unfused_tpu,
  default_kernel,  // stays last
};
struct KernelName {
  Kernel kernel;
  std::string_view name;
  Release since, until;
};
inline constexpr std::array<KernelName, 23> kKernelNames = {{
    {Kernel::dense, "dense", Release::v0_1_0, Release::main_branch},
    {Kernel::sparse, "sparse", Release::v0_1_0, Release::v0_1_1},
    {Kernel::batched_dense, "batched_dense", Release::v0_1_0, Release::v0_1_1},
    {Kernel::batched_fused, "batched_fused", Release::v0_1_0, Release::v0_1_1},
    {Kernel::batched_fused_uvm, "batched_fused_uvm", Release::v0_1_0, Release::v0_1_1},
    {Kernel::batched_fused_uvm_caching, "batched_fused_uvm_caching", Release::v0_1_0, Release::v0_1_1},
    {Kernel::batched_quant, "batched_quant", Release::v0_1_0, Release::v0_1_1},
    {Kernel::batched_quant_uvm, "batched_quant_uvm", Release::v0_1_1, Release::v0_1_1},
    {Kernel::batched_quant_uvm_caching, "batched_quant_uvm_caching", Release::v0_1_1, Release::v0_1_1},
    {Kernel::fused, "fused", Release::v0_2_0, Release::main_branch},
    {Kernel::fused_uvm, "fused_uvm", Release::v0_2_0, Release::main_branch},
    {Kernel::fused_uvm_caching, "fused_uvm_caching", Release::v0_2_0, Release::main_branch},
    {Kernel::quant, "quant", Release::v0_2_0, Release::main_branch},
    {Kernel::quant_uvm, "quant_uvm", Release::v0_2_0, Release::main_branch},
    {Kernel::quant_uvm_caching, "quant_uvm_caching", Release::v0_2_0, Release::main_branch},
    {Kernel::key_value, "key_value", Release::v0_8_0, Release::main_branch},
    {Kernel::customized_kernel, "customized_kernel", Release::v1_2_0, Release::main_branch},
    {Kernel::ssd_virtual_table, "ssd_virtual_table", Release::v1_3_0, Release::main_branch},
    {Kernel::dram_virtual_table, "dram_virtual_table", Release::v1_3_0, Release::main_branch},
    {Kernel::fused_triton, "fused_triton", Release::v1_6_0, Release::main_branch},
    {Kernel::dram_ssd_virtual_table, "dram_ssd_virtual_table", Release::v1_8_0, Release::main_branch},
    {Kernel::unfused_tpu, "unfused_tpu", Release::main_branch, Release::main_branch},
    {Kernel::default_kernel, "default", Release::v0_1_0, Release::main_branch},
}};
static_assert(has_row_of_each(kKernelNames, &KernelName::kernel, static_cast<std::size_t>(Kernel::default_kernel) + 1));

// The topology's compute device (storage-model.md section 2.2).
enum class Device : std::uint8_t { cuda, cpu, mtia, tpu };
inline constexpr std::array<std::string_view, 4> kDeviceNames = {"cuda", "cpu", "mtia", "tpu"};

// Pipeline types of the storage estimator (storage-model.md section 6).
enum class Pipeline : std::uint8_t { none, train_base, train_sparse_dist, train_prefetch_sparse_dist };
inline constexpr std::array<std::string_view, 4> kPipelineNames = {"none", "train_base", "train_sparse_dist",
                                                                   "train_prefetch_sparse_dist"};

// Optimizer classes as far as storage can tell them apart (storage-model.md sections 4.1 and 10.3).
enum class Optimizer : std::uint8_t { none, rowwise_adagrad, other, adam };
inline constexpr std::array<std::string_view, 4> kOptimizerNames = {"none", "rowwise_adagrad", "other", "adam"};

// Storage reservation policies (storage-model.md section 8.4).
enum class Policy : std::uint8_t { heuristical, fixed_percentage, inference, fixed_absolute, sku_aware, other };
inline constexpr std::array<std::string_view, 6> kPolicyNames = {"heuristical",    "fixed_percentage", "inference",
                                                                 "fixed_absolute", "sku_aware",        "other"};

// Sharders that come with TorchRec, as the Sharder column names them (log-format.md section 3.4); all others are
// classes of users.
inline constexpr std::array<std::string_view, 17> kSharderNames = {"EmbeddingBagCollectionSharder",
                                                                   "EmbeddingBagSharder",
                                                                   "EmbeddingCollectionSharder",
                                                                   "EmbeddingTowerCollectionSharder",
                                                                   "EmbeddingTowerSharder",
                                                                   "FeatureProcessedEmbeddingBagCollectionSharder",
                                                                   "FusedEmbeddingBagCollectionSharder",
                                                                   "FusedEmbeddingCollectionSharder",
                                                                   "ITEPEmbeddingBagCollectionSharder",
                                                                   "ITEPEmbeddingCollectionSharder",
                                                                   "ManagedCollisionEmbeddingBagCollectionSharder",
                                                                   "ManagedCollisionEmbeddingCollectionSharder",
                                                                   "NoneType",
                                                                   "QuantEmbeddingBagCollectionSharder",
                                                                   "QuantEmbeddingCollectionSharder",
                                                                   "QuantFeatureProcessedEmbeddingBagCollectionSharder",
                                                                   "QuantManagedCollisionEmbeddingCollectionSharder"};

// Perf components in printed order (log-format.md section 3.3).
inline constexpr std::array<std::string_view, 5> kPerfComponents = {"fwd_compute", "fwd_comms", "bwd_compute",
                                                                    "bwd_comms", "prefetch_compute"};

template <class Enum, std::size_t N>
constexpr std::string_view name_of(Enum value, const std::array<std::string_view, N>& names) {
  return names[static_cast<std::size_t>(value)];
}
template <class Enum, std::size_t N>
constexpr std::optional<Enum> parse_name(std::string_view name, const std::array<std::string_view, N>& names) {
  for (std::size_t i = 0; i < N; ++i)
    if (names[i] == name) return static_cast<Enum>(i);
  return std::nullopt;
}
// Without regard to case: the planner's own tags spell one release "V1.5.0".
constexpr std::optional<Release> parse_release(std::string_view word) {
  for (std::size_t i = 0; i < kReleaseNames.size(); ++i)
    if (equal_without_case(word, kReleaseNames[i])) return static_cast<Release>(i);
  return std::nullopt;
}

constexpr std::string_view name(Release r) { return name_of(r, kReleaseNames); }
constexpr std::string_view name(Sharding s) { return name_of(s, kShardingNames); }
constexpr const KernelName& known_as(Kernel k) { return kKernelNames[static_cast<std::size_t>(k)]; }
constexpr std::string_view name(Kernel k) { return known_as(k).name; }
constexpr std::string_view name(Device d) { return name_of(d, kDeviceNames); }
constexpr std::string_view name(Pipeline p) { return name_of(p, kPipelineNames); }
constexpr std::string_view name(Optimizer o) { return name_of(o, kOptimizerNames); }
constexpr std::string_view name(Policy p) { return name_of(p, kPolicyNames); }

}  // namespace shardstats
