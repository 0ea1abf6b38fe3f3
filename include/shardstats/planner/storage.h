// The planner's storage formulas (storage-model.md sections 4 to 7), each written once, for all releases.
//
// A number type N chooses the reading: double (exact), RealInterval (bounds), Traced (bounds with their story).
// All sizes are bytes. The parts add up: hbm = tensor + optimizer + cache_aux (or key_value) + pipeline_io on cuda.
// Tested by tests/planner/storage_test.cc: tables of section 12.2 and, where it is there, the corpus truth.
#pragma once

#include <cstdint>

#include "shardstats/planner/reading.h"
#include "shardstats/planner/releases.h"
#include "shardstats/planner/shapes.h"

namespace shardstats {

inline constexpr double kIndexBytes = 8;
inline constexpr double kDefaultCachingRatio = 0.2;

// What holds for the whole plan.
struct Setting {
  const ReleaseRules* rules = nullptr;
  Device device = Device::cuda;
  Pipeline pipeline = Pipeline::none;
  bool ephemeral = false;              // output counted at peak memory (epsilon of section 6)
  bool inference = false;              // is_inference of the storage estimator
  std::int64_t world_size = 1;         // W
  std::int64_t group_size = 1;         // L of the estimator
  std::int64_t column_group_size = 1;  // L of the Input/Output columns (differs in v1.6.0 with pods)
  friend bool operator==(const Setting&, const Setting&) = default;
};

// What holds for all shards of a table.
template <class N>
struct TableFacts {
  Sharding sharding{};
  const KernelTraits* kernel = nullptr;
  bool quant = false;          // QUANT family: 4 bytes per row more
  bool sequence = false;       // output is not pooled
  bool virtual_table = false;  // the constraints flag the table as virtual
  N rows{}, cols{};
  N element_size{}, output_element_size{};  // e, e_o
  N optimizer_multiplier{};                 // m
  N lookups{};                              // sum of l_f * n_f * b_f
  N pooled{};                               // sum of n_f * b_f, from generation D with the factor min(1, l_f)
  N caching_ratio{};                        // rho; read for cached kernels only
  N passes{};                               // p; read for cached kernels in a prefetch pipeline only
  N l1_megabytes{}, key_value_ratio{};      // read for key-value tables only
  N pooling_sum{}, features{}, batch{};     // generations A and B and the columns up to v0.2.0: sum of l_f, F, B
};

enum class Emptiness : std::uint8_t { no, yes, unknown };

template <class N>
struct ShardFacts {
  N rows{}, cols{};
  Emptiness empty = Emptiness::no;
};

template <class N>
struct Specific {  // section 4
  N tensor_hbm{}, tensor_ddr{}, optimizer_hbm{}, optimizer_ddr{}, cache_aux{}, key_value{}, ssd{};
  N hbm{}, ddr{};  // their sums
};

template <class N>
struct ShardIo {  // section 5
  N input{}, output{};
};

template <class N>
struct ShardStorage {
  Specific<N> specific;
  ShardIo<N> io;
  N pipeline_io{};
  N hbm{}, ddr{}, ssd{};
};

// The optimizer's multiplier m under the release's rule (4.1); `cols` are those of the whole table.
double optimizer_multiplier(const ReleaseRules& rules, Optimizer optimizer, Sharding sharding,
                            const KernelTraits& kernel, double cols);

// Are the shards those of hosts, or of other groups of ranks (3.6)?
inline bool is_grouped(Sharding s) { return s == Sharding::twrw || s == Sharding::gs; }
inline bool is_row_split(Sharding s) { return s == Sharding::rw || is_grouped(s); }

template <class N>
bool uses_key_value_rule(const Setting& setting, const TableFacts<N>& table) {
  return setting.rules->key_value == KeyValueRule::least_of_l1 &&
         (table.kernel->key_value || (setting.rules->virtual_flag && table.virtual_table));
}

// Does the base tensor of this kernel lie in DDR (section 2.2)?
inline bool base_in_ddr(const Setting& setting, const KernelTraits& kernel, bool quant) {
  switch (setting.device) {
    case Device::cuda:
      return kernel.uvm;
    case Device::cpu:
      return true;
    case Device::mtia:
      return !setting.rules->mtia_in_hbm || quant || kernel.uvm;
    case Device::tpu:
      return kernel.uvm;
  }
  return false;
}

// The storage estimator knows is_inference from v0.8.0 on (4, 6 and 7.1); before, it counts a training plan.
inline bool counts_as_inference(const Setting& setting) { return setting.inference && setting.rules->inference; }

inline bool io_in_hbm(const Setting& setting) {
  return setting.device == Device::cuda || (setting.device == Device::mtia && setting.rules->mtia_in_hbm);
}

// The amount that an empty shard does not have; bounds reach down to zero where emptiness is unknown.
inline double unless_empty(double x, Emptiness empty) { return empty == Emptiness::yes ? 0 : x; }
inline RealInterval unless_empty(RealInterval x, Emptiness empty) {
  return {empty == Emptiness::no ? x.low : 0, empty == Emptiness::yes ? 0 : x.high};
}

template <class N>
N base_tensor(const TableFacts<N>& table) {
  const N weights = table.rows * table.cols * table.element_size;
  return named(FormulaId::base_tensor, table.quant ? weights + constant<N>(4) * table.rows : weights);
}

// t_k(S): the shard's part of the amount S.
template <class N>
N tensor_bytes(const TableFacts<N>& table, const ShardFacts<N>& shard, N amount) {
  if (is_zero(amount)) return amount;
  if (table.sharding == Sharding::dp) return named(FormulaId::tensor, amount);
  return named(FormulaId::tensor, share(amount, shard.rows * shard.cols, table.rows * table.cols));
}

template <class N>
N optimizer_bytes(N multiplier, N tensor) {
  return named(FormulaId::optimizer, up(tensor * multiplier));
}

template <class N>
N cache_aux_bytes(const TableFacts<N>& table, const ShardFacts<N>& shard) {
  return named(FormulaId::cache_aux, up(shard.rows * (constant<N>(4) + table.caching_ratio * constant<N>(16))));
}

// The same for every shard, since it is made from the whole table's rows (4.5).
template <class N>
N key_value_bytes(const TableFacts<N>& table) {
  return named(FormulaId::key_value, least(table.l1_megabytes * constant<N>(1 << 20),
                                           up(table.rows * table.key_value_ratio * table.element_size * table.cols)));
}

template <class N>
Specific<N> specific_bytes(const Setting& setting, const TableFacts<N>& table, const ShardFacts<N>& shard) {
  Specific<N> sizes;
  const ReleaseRules& rules = *setting.rules;
  const bool cached = is_cached(*table.kernel, rules.release);
  const bool in_ddr = base_in_ddr(setting, *table.kernel, table.quant);
  const N zero = constant<N>(0);
  const N base = base_tensor(table);
  N in_hbm = in_ddr ? zero : base;
  N ddr = in_ddr ? base : zero;
  const auto state = [&](N tensor) {
    return counts_as_inference(setting) ? zero : optimizer_bytes(table.optimizer_multiplier, tensor);
  };
  const N aux = rules.cache_aux && cached && !counts_as_inference(setting) ? cache_aux_bytes(table, shard) : zero;
  if (rules.ssd && table.kernel->ssd) {
    const N whole = tensor_bytes(table, shard, base);
    sizes.ssd = named(FormulaId::shard_ssd, whole + state(whole) + aux);
  }
  if (cached) {
    in_hbm = in_ddr ? named(FormulaId::cached_share, nearest(ddr * table.caching_ratio)) : zero;
    if (rules.release == Release::v0_1_0) ddr = ddr - in_hbm;
  }
  if (uses_key_value_rule(setting, table)) {
    sizes.key_value = key_value_bytes(table);
    sizes.hbm = sizes.key_value;
    return sizes;
  }
  sizes.tensor_hbm = tensor_bytes(table, shard, in_hbm);
  sizes.tensor_ddr = tensor_bytes(table, shard, ddr);
  sizes.optimizer_hbm = state(sizes.tensor_hbm);
  sizes.optimizer_ddr = state(sizes.tensor_ddr);
  sizes.cache_aux = aux;
  sizes.hbm = aux + sizes.tensor_hbm + sizes.optimizer_hbm;
  sizes.ddr = sizes.tensor_ddr + sizes.optimizer_ddr;
  return sizes;
}

// x: ids that one shard looks up for one rank's batch (5.1).
template <class N>
N lookups_per_shard(const TableFacts<N>& table, std::int64_t world_size, std::int64_t group_size) {
  if (table.sharding == Sharding::rw)
    return named(FormulaId::lookups_per_shard, table.lookups / parameter<N>("W", static_cast<double>(world_size)));
  if (is_grouped(table.sharding))
    return named(FormulaId::lookups_per_shard, table.lookups / parameter<N>("L", static_cast<double>(group_size)));
  return table.lookups;
}

template <class N>
N everywhere(const TableFacts<N>& table, N local, double world_size) {
  return table.sharding == Sharding::dp ? local : local * parameter<N>("W", world_size);
}

// Generations C and D (5.1). `element_size` is e_o for the estimator and e for the Input/Output columns.
template <class N>
ShardIo<N> io_bytes_cd(const TableFacts<N>& table, const ShardFacts<N>& shard, const Setting& setting,
                       std::int64_t group_size, N element_size) {
  const auto world = static_cast<double>(setting.world_size);
  const N lookups = lookups_per_shard(table, setting.world_size, group_size);
  const N outputs = table.sequence ? lookups : table.pooled;
  const Emptiness empty = is_row_split(table.sharding) ? shard.empty : Emptiness::no;
  return {
      named(FormulaId::input, unless_empty(up(everywhere(table, lookups, world) * constant<N>(kIndexBytes)), empty)),
      named(FormulaId::output, unless_empty(up(everywhere(table, outputs, world) * shard.cols * element_size), empty))};
}

// Generations A and B (5.4, 5.5): one batch size, no poolings.
template <class N>
ShardIo<N> io_bytes_ab(const TableFacts<N>& table, const ShardFacts<N>& shard, const Setting& setting) {
  const bool a = setting.rules->io == IoGeneration::a;
  const auto world = parameter<N>("W", static_cast<double>(setting.world_size));
  const auto group = parameter<N>("L", static_cast<double>(setting.group_size));
  const Emptiness empty = is_row_split(table.sharding) ? shard.empty : Emptiness::no;
  const N global = table.sharding == Sharding::dp          ? table.batch
                   : a && table.sharding == Sharding::twcw ? table.batch * group
                                                           : table.batch * world;
  const auto divided = [&](N x) {
    if (table.sharding == Sharding::rw) return x / world;
    if (table.sharding == Sharding::twrw) return x / group;
    return x;
  };
  const N outputs = a || !table.sequence ? table.features : divided(table.pooling_sum);
  const N input = a ? divided(global * table.pooling_sum) : global * divided(table.pooling_sum);
  return {named(FormulaId::input, unless_empty(up(input * constant<N>(kIndexBytes)), empty)),
          named(FormulaId::output, unless_empty(up(global * shard.cols * outputs * table.element_size), empty))};
}

// Input and output of a shard as the storage estimator sees them.
template <class N>
ShardIo<N> io_bytes(const Setting& setting, const TableFacts<N>& table, const ShardFacts<N>& shard) {
  if (setting.rules->io < IoGeneration::c) return io_bytes_ab(table, shard, setting);
  return io_bytes_cd(table, shard, setting, setting.group_size,
                     setting.rules->output_dtype ? table.output_element_size : table.element_size);
}

// Input and output of a shard as the columns of the rank table add them up (5.6): bytes, from v0.3.0 whole ones.
template <class N>
ShardIo<N> column_io_bytes(const Setting& setting, const TableFacts<N>& table, const ShardFacts<N>& shard) {
  if (setting.rules->column_io == ColumnIo::estimator)
    return io_bytes_cd(table, shard, setting, setting.column_group_size, table.element_size);
  const auto world = static_cast<double>(setting.world_size);
  const auto divisor = constant<N>(table.sharding == Sharding::rw     ? world
                                   : table.sharding == Sharding::twrw ? static_cast<double>(setting.group_size)
                                                                      : 1);
  const N batch = everywhere(table, table.batch, world);
  const N outputs = table.sequence ? table.pooling_sum : table.features / divisor;
  return {batch * (table.pooling_sum / divisor) * constant<N>(kIndexBytes),
          batch * shard.cols * outputs * table.element_size};
}

// Do these columns show what the estimator counts where an output has the table's element size?
inline bool columns_show_estimate(const Setting& setting) {
  return setting.rules->column_io == ColumnIo::estimator && setting.rules->io >= IoGeneration::c &&
         setting.column_group_size == setting.group_size;
}

// Batches whose input a pipeline holds at once (section 6); one in releases that know no pipelines.
inline int batches_in_flight(const Setting& setting) {
  if (setting.rules->pipeline == PipelineRule::sum) return 1;
  switch (setting.pipeline) {
    case Pipeline::none:
    case Pipeline::train_base:
      return 1;
    case Pipeline::train_sparse_dist:
      return 2;
    case Pipeline::train_prefetch_sparse_dist:
      return 3;
  }
  return 1;
}

// Does the pipeline fetch the rows that the next batch needs into the table's cache (section 6)?
inline bool prefetches(const Setting& setting, const KernelTraits& kernel) {
  return setting.rules->pipeline != PipelineRule::sum && setting.pipeline == Pipeline::train_prefetch_sparse_dist &&
         is_cached(kernel, setting.rules->release);
}

// What that holds besides the inputs.
template <class N>
N prefetch_bytes(const TableFacts<N>& table, N input) {
  return named(FormulaId::prefetch, truncated((constant<N>(1) + constant<N>(6) / table.passes) * input));
}

// What the pipeline holds of input and output at once (section 6).
template <class N>
N pipeline_io_bytes(const Setting& setting, const TableFacts<N>& table, ShardIo<N> io) {
  if (counts_as_inference(setting)) return constant<N>(0);
  const int batches = batches_in_flight(setting);
  if (batches == 1) return named(FormulaId::pipeline_io, io.input + io.output);
  N held = constant<N>(batches) * io.input;
  if (prefetches(setting, *table.kernel)) held = held + prefetch_bytes(table, io.input);
  if (setting.rules->pipeline == PipelineRule::maximum) return named(FormulaId::pipeline_io, most(held, io.output));
  return named(FormulaId::pipeline_io, setting.ephemeral ? held + io.output : held);
}

// HBM of a shard from its parts (7.1); DDR likewise.
template <class N>
N hbm_bytes(const Setting& setting, N specific, N pipeline_io) {
  if (!io_in_hbm(setting)) return constant<N>(0);
  return named(FormulaId::shard_hbm, specific + pipeline_io);
}
template <class N>
N ddr_bytes(const Setting& setting, N specific, ShardIo<N> io) {
  if (io_in_hbm(setting)) return named(FormulaId::shard_ddr, specific);
  if (setting.device == Device::tpu) return constant<N>(0);
  if (counts_as_inference(setting)) return named(FormulaId::shard_ddr, specific);
  return named(FormulaId::shard_ddr, specific + io.input + io.output);
}

template <class N>
ShardStorage<N> shard_storage(const Setting& setting, const TableFacts<N>& table, const ShardFacts<N>& shard) {
  ShardStorage<N> s;
  s.specific = specific_bytes(setting, table, shard);
  s.io = io_bytes(setting, table, shard);
  s.pipeline_io = pipeline_io_bytes(setting, table, s.io);
  s.hbm = hbm_bytes(setting, s.specific.hbm, s.pipeline_io);
  s.ddr = ddr_bytes(setting, s.specific.ddr, s.io);
  s.ssd = setting.device == Device::tpu ? constant<N>(0) : s.specific.ssd;
  return s;
}

// M of 8.2.
constexpr double kjt_multiplier(Policy policy) { return policy == Policy::inference ? 1 : 20; }

// KJT reservation (8.2): M * ceil(8.0 * Q), Q = sum over all features of l_f * b_f.
template <class N>
N kjt_bytes(double multiplier, N lookups) {
  return named(FormulaId::kjt, constant<N>(multiplier) * up(constant<N>(kIndexBytes) * lookups));
}

}  // namespace shardstats
