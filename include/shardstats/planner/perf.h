// The planner's perf formulas (perf-model.md sections 1 to 3), each written once, for the releases from v0.1.1 on.
//
// The number type N chooses the reading, as in storage.h. Times are ms, sizes bytes, bandwidths bytes/ms. All shards of
// a table have the same perf (section 5). Tested by tests/planner/perf_test.cc (the vectors of section 3.10) and, where
// it is there, the corpus truth.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "shardstats/planner/storage.h"

namespace shardstats {

inline constexpr double kBytesPerMs = 1073741824.0 / 1000;  // of one GiB/s

// Components in printed order; the names are kPerfComponents.
enum class PerfPart : std::uint8_t {
  forward_compute,
  forward_comms,
  backward_compute,
  backward_comms,
  prefetch_compute,
};
inline constexpr std::size_t kPerfParts = 5;

template <class N>
struct Perf {
  std::array<N, kPerfParts> parts{};  // by PerfPart
  N total{};

  N& operator[](PerfPart part) { return parts[static_cast<std::size_t>(part)]; }
  const N& operator[](PerfPart part) const { return parts[static_cast<std::size_t>(part)]; }
};

// How in-group and between-group comms of TWRW and GS are counted (3.4).
enum class GroupComms : std::uint8_t {
  shared_size,   // up to v0.4.0: one size for both, forward and backward
  forward_only,  // v0.5.0 to v1.1.0: nothing between groups on the way back
  ratio,         // v1.2.0 to v1.5.0: W/L outputs between groups
  groups,        // v1.6.0: whole groups; sequences undivided
  pods,          // v1.7.0+: groups are pods
};
// Which tables have forward perf only where the planner plans for inference (3.7).
enum class InferencePerf : std::uint8_t { none, by_columns, by_columns_and_rows, all };

// Which perf formula generation a release uses (3.9).
struct PerfRules {
  Release release;
  int parts;            // printed components: 0, 4, 5
  bool wire_sizes;      // outputs are sent in sizes of their own; else in the table's element size
  bool dp_index_bytes;  // DP counts 8 bytes an index; before, the element size
  GroupComms groups;
  bool collectives;  // a bandwidth object answers for each collective; before, intra- or inter-host (2.4)
  bool link_to_ddr;  // the link is HBM to DDR; before, DDR itself
  bool multiplier;   // the backward multiplier can be set
  bool weighted_multiplier;
  InferencePerf inference;
  bool key_value_on_ssd;
  bool mtia_in_hbm;
  double dense_share;  // of the memory's bandwidth that the dense kernel gets (2.3)
};
const PerfRules& perf_rules_of(Release release);

// Do two releases give the same perf for every table?
bool same_perf(const PerfRules& a, const PerfRules& b);

template <class N>
struct Bandwidths {
  N hbm{}, ddr{}, hbm_to_ddr{}, ssd{}, intra_host{}, inter_host{};
};
// The defaults of section 2.1, the same in all releases.
inline constexpr Bandwidths<double> kDefaultBandwidths{897 * kBytesPerMs, 51 * kBytesPerMs,  32 * kBytesPerMs,
                                                       104857.6,          600 * kBytesPerMs, 12.5 * kBytesPerMs};

enum class Collective : std::uint8_t { all_to_all, reduce_scatter, all_gather, all_reduce };

// What holds for the whole plan.
template <class N>
struct PerfSetting {
  const PerfRules* rules = nullptr;
  Device device = Device::cuda;
  bool inference = false;
  std::int64_t world_size = 1;  // W
  std::int64_t local_size = 1;  // L, ranks of a host
  std::int64_t group_size = 1;  // g, ranks of a TWRW group; read from v1.7.0 on
  Bandwidths<N> bandwidths;
  N backward{}, weighted_backward{};  // m, m_w
};

// Bytes of an element on the wire (2.5): all-to-all and reduce-scatter or all-gather, forward and backward.
struct WireSizes {
  double all_to_all_forward = 4, all_to_all_backward = 4, scatter_forward = 4, scatter_backward = 4;
  friend bool operator==(const WireSizes&, const WireSizes&) = default;
};

// Precisions that a sharder's quantized comms can have, as far as sizes tell them apart (2.5).
enum class WirePrecision : std::uint8_t { fp32, half, int8, fp8 };
struct Codecs {
  bool quantized = false;  // false: everything is sent in the table's element size
  WirePrecision forward = WirePrecision::fp32, backward = WirePrecision::fp32;
  friend bool operator==(const Codecs&, const Codecs&) = default;
};
WireSizes wire_sizes(const PerfRules& rules, Codecs codecs, bool sequence, double element_size);

// What holds for all shards of a table.
template <class N>
struct PerfFacts {
  Sharding sharding{};
  const KernelTraits* kernel = nullptr;
  bool sequence = false;
  bool weighted = false;
  bool prefetch_pipeline = false;
  N rows{};               // H; read for DP only
  N cols{};               // e: columns of a shard
  N element_size{};       // s_T
  N lookups{}, pooled{};  // I and O: sums over the features, per rank
  N caching_ratio{};      // r; read for cached kernels only
  N fetches{};            // X: expected cache fetches of a global batch; 0 without cache statistics
  WireSizes wire;
};

// x where the kernel's penalty for narrow rows applies (2.1).
inline double block_penalty(double cols) { return cols >= 128 ? 1 : cols >= 64 ? 1.15 : 1.75; }
inline RealInterval block_penalty(RealInterval cols) { return {block_penalty(cols.high), block_penalty(cols.low)}; }

// ratio * a + (1 - ratio) * b, which is linear in the ratio and grows with a and b.
inline double mixed(double ratio, double a, double b) { return ratio * a + (1 - ratio) * b; }
inline RealInterval mixed(RealInterval ratio, RealInterval a, RealInterval b) {
  return {least(mixed(ratio.low, a.low, b.low), mixed(ratio.high, a.low, b.low)),
          most(mixed(ratio.low, a.high, b.high), mixed(ratio.high, a.high, b.high))};
}

// β of section 2.4 for a collective among `ranks`, `local` of them on a host.
template <class N>
N collective_bandwidth(const PerfSetting<N>& setting, Collective collective, std::int64_t ranks, std::int64_t local) {
  const Bandwidths<N>& b = setting.bandwidths;
  if (collective == Collective::all_reduce) return b.inter_host * parameter<N>("h", static_cast<double>(local));
  return ranks <= local ? b.intra_host : b.inter_host;
}

template <class N>
N link_bandwidth(const PerfSetting<N>& setting) {
  return setting.rules->link_to_ddr ? setting.bandwidths.hbm_to_ddr : setting.bandwidths.ddr;
}

// The memory that the device's own kernels read (2.3).
template <class N>
N memory_bandwidth(const PerfSetting<N>& setting) {
  const bool ddr = setting.device == Device::cpu || (setting.device == Device::mtia && !setting.rules->mtia_in_hbm);
  return ddr ? setting.bandwidths.ddr : setting.bandwidths.hbm;
}

// B of section 2.3; nullopt where no public release knows the kernel on the device.
template <class N>
std::optional<N> kernel_bandwidth(const PerfSetting<N>& setting, const PerfFacts<N>& table) {
  const Release release = setting.rules->release;
  const auto tenth = [](N x) { return x / constant<N>(10); };
  const bool on_gpu = setting.device == Device::cuda;
  switch (table.kernel->speed) {
    case KernelSpeed::unknown:
      break;
    case KernelSpeed::dense:
      return constant<N>(setting.rules->dense_share) * memory_bandwidth(setting);
    case KernelSpeed::batched_dense:
      return constant<N>(0.5) * memory_bandwidth(setting);
    case KernelSpeed::fused:
      return memory_bandwidth(setting);
    case KernelSpeed::uvm:
      if (on_gpu) return tenth(link_bandwidth(setting));
      break;
    case KernelSpeed::cached:
      if (on_gpu && table.prefetch_pipeline && release >= Release::v0_6_0) return setting.bandwidths.hbm;
      [[fallthrough]];
    case KernelSpeed::quant_cached:
      if (on_gpu) return tenth(mixed(table.caching_ratio, setting.bandwidths.hbm, link_bandwidth(setting)));
      break;
    case KernelSpeed::key_value:
      if (on_gpu) return setting.rules->key_value_on_ssd ? setting.bandwidths.ssd : link_bandwidth(setting);
      break;
    case KernelSpeed::virtual_table:
      if (on_gpu) return setting.bandwidths.hbm_to_ddr;
      break;
  }
  return std::nullopt;
}

inline constexpr std::array<FormulaId, kPerfParts> kPerfFormulas = {
    FormulaId::forward_compute, FormulaId::forward_comms, FormulaId::backward_compute, FormulaId::backward_comms,
    FormulaId::prefetch_compute};

// The total of components, in the planner's order (1.1).
template <class N>
N total_of(const std::array<N, kPerfParts>& parts) {
  return parts[0] + parts[2] + parts[1] + parts[3] + parts[4];
}

// Are a table's outputs reduced and scattered (3.3, 3.4)? Else they go all to all.
inline bool is_scattered(Sharding sharding, bool sequence) {
  return is_row_split(sharding) && !(sharding == Sharding::rw && sequence);
}

namespace perf_detail {

constexpr double kBatchedCopy = 2.455;
constexpr double kElementwise = 9.22;    // of DP
constexpr double kWeightedKernel = 1.1;  // a weighted table's extra kernel
constexpr double kNarrowestLookup = 32;  // columns; TW family only

inline bool is_by_columns(Sharding sharding) {
  return sharding == Sharding::tw || sharding == Sharding::cw || sharding == Sharding::twcw;
}

// The sizes that every sharding type moves in its own way.
template <class N>
struct Moved {
  N indices{}, rows{}, outputs{}, gradients{};  // R, K, O_f, O_b
};

// What the shards of a sharding type divide: the ranks of the world or of a group.
struct Divisor {
  const char* symbol = "";
  double parts = 1;
};
template <class N>
Divisor divisor_of(const PerfSetting<N>& setting, Sharding sharding) {
  if (sharding == Sharding::rw) return {"W", static_cast<double>(setting.world_size)};
  if (!is_grouped(sharding)) return {};
  const bool pods = setting.rules->groups == GroupComms::pods;
  return {"g", static_cast<double>(pods ? setting.group_size : setting.local_size)};
}

// W, or its share x / divisor per shard, as the planner divides before it multiplies.
template <class N>
N of_world(N local, Divisor divisor, double world) {
  const N share = divisor.parts == 1 ? local : local / parameter<N>(divisor.symbol, divisor.parts);
  return world == 1 ? share : share * parameter<N>("W", world);
}

template <class N>
Moved<N> moved(const PerfFacts<N>& table, double world, Divisor divisor, double index_bytes, N read_cols, N forward,
               N backward) {
  const auto of = [&](N local, Divisor parts) { return of_world(local, parts, world); };
  const Divisor output_parts = table.sequence ? divisor : Divisor{};
  const N outputs = of(table.sequence ? table.lookups : table.pooled, output_parts) * table.cols;
  const N indices = up(of(table.lookups, divisor) * constant<N>(index_bytes));
  return {named(FormulaId::perf_indices, table.weighted ? constant<N>(2) * indices : indices),
          named(FormulaId::perf_rows, of(table.lookups, divisor) * read_cols * table.element_size),
          named(FormulaId::perf_outputs, outputs * forward), named(FormulaId::perf_gradients, outputs * backward)};
}

// 3.1: the backward pass costs a multiple of the forward one.
template <class N>
N backward_compute(const PerfSetting<N>& setting, const PerfFacts<N>& table, N forward) {
  const N m = setting.rules->multiplier ? setting.backward : constant<N>(2);
  if (!table.weighted) return m * forward;
  const N weighted = setting.rules->weighted_multiplier ? m * setting.weighted_backward : m;
  return weighted * forward + constant<N>(kWeightedKernel) * forward;
}

// 3.4: what TWRW and GS send inside a group and between groups.
template <class N>
void add_group_comms(const PerfSetting<N>& setting, const PerfFacts<N>& table, const Moved<N>& size, N bandwidth,
                     Perf<N>& perf) {
  const PerfRules& rules = *setting.rules;
  const auto world = static_cast<double>(setting.world_size);
  const bool pods = rules.groups == GroupComms::pods;
  const std::int64_t group = pods ? setting.group_size : setting.local_size;
  const std::int64_t local = std::min(group, setting.local_size);
  const N inside_forward = collective_bandwidth(setting, Collective::reduce_scatter, group, local);
  const N inside_backward = collective_bandwidth(setting, Collective::all_gather, group, local);
  N forward = size.outputs / inside_forward;
  N backward = size.gradients / inside_backward;
  const std::int64_t groups = std::max<std::int64_t>(setting.world_size / std::max<std::int64_t>(group, 1), 1);
  const bool whole_groups = rules.groups >= GroupComms::groups;
  if (whole_groups ? groups > 1 : setting.world_size > setting.local_size) {
    const auto local_size = static_cast<double>(setting.local_size);
    const N between = rules.collectives ? collective_bandwidth(setting, Collective::all_to_all, groups, std::int64_t{1})
                                        : setting.bandwidths.inter_host;
    const N output = table.sequence ? table.lookups : table.pooled;
    // Sequences are cut to the shard's part here, but from v1.6.0 on counted whole.
    const N cut = table.sequence && !whole_groups ? output / parameter<N>("g", static_cast<double>(group)) : output;
    const auto sent = [&](N times, N bytes) { return times * cut * table.cols * bytes / between; };
    const N there = parameter<N>("a_f", table.wire.all_to_all_forward);
    const N back = parameter<N>("a_b", table.wire.all_to_all_backward);
    switch (rules.groups) {
      case GroupComms::shared_size:
        forward = forward + size.outputs * constant<N>(local_size / world) / between;
        backward = backward + size.gradients * constant<N>(local_size / world) / between;
        break;
      case GroupComms::forward_only:
        forward = forward + sent(parameter<N>("h", local_size), there);
        break;
      case GroupComms::ratio:
        forward = forward + sent(parameter<N>("G", world / local_size), there);
        backward = backward + sent(parameter<N>("G", world / local_size), back);
        break;
      case GroupComms::groups:
      case GroupComms::pods:
        forward = forward + sent(parameter<N>("G", static_cast<double>(groups)), there);
        backward = backward + sent(parameter<N>("G", static_cast<double>(groups)), back);
        break;
    }
  }
  perf[PerfPart::forward_comms] = forward;
  perf[PerfPart::backward_comms] = backward + constant<N>(kBatchedCopy) * size.gradients / bandwidth;
}

// 3.5: the all-reduce of the whole table's gradients and their elementwise update.
template <class N>
N all_reduce(const PerfSetting<N>& setting, const PerfFacts<N>& table, N bandwidth) {
  const double hosts = static_cast<double>(setting.world_size) / static_cast<double>(setting.local_size);
  const double k = std::min(hosts, 2.0);
  const double times = (hosts > 2 ? 2 : 1) * (2 * k - 1) / k;
  const N weights = table.rows * table.cols * table.element_size;
  const N reduce = collective_bandwidth(setting, Collective::all_reduce, setting.world_size, setting.local_size);
  return weights * constant<N>(times) / reduce + weights * constant<N>(kElementwise) / bandwidth;
}

// 3.7: does the table's type run forward only in an inference plan?
inline bool forward_only(const PerfRules& rules, bool inference, Sharding sharding) {
  if (!inference) return false;
  return (is_by_columns(sharding) && rules.inference >= InferencePerf::by_columns) ||
         (sharding == Sharding::rw && rules.inference >= InferencePerf::by_columns_and_rows) ||
         rules.inference == InferencePerf::all;
}

}  // namespace perf_detail

// What one shard moves, whatever the bandwidths are (3.2 to 3.5).
template <class N>
perf_detail::Moved<N> moved_bytes(const PerfSetting<N>& setting, const PerfFacts<N>& table) {
  using namespace perf_detail;
  const PerfRules& rules = *setting.rules;
  if (table.sharding == Sharding::dp) {
    Moved<N> size = moved(table, 1, {}, kIndexBytes, table.cols, constant<N>(1), constant<N>(1));
    size.outputs = size.outputs * table.element_size;  // never in wire sizes
    if (!rules.dp_index_bytes) {
      const N indices = up(table.lookups * table.element_size);
      size.indices = table.weighted ? constant<N>(2) * indices : indices;
    }
    return size;
  }
  const WireSizes& wire = table.wire;
  const bool scattered = is_scattered(table.sharding, table.sequence);
  return moved(table, static_cast<double>(setting.world_size), divisor_of(setting, table.sharding), kIndexBytes,
               is_by_columns(table.sharding) ? most(table.cols, constant<N>(kNarrowestLookup)) : table.cols,
               parameter<N>("w_f", scattered ? wire.scatter_forward : wire.all_to_all_forward),
               parameter<N>("w_b", scattered ? wire.scatter_backward : wire.all_to_all_backward));
}

// Of fetching so many rows into the cache ahead (3.6).
template <class N>
N prefetch_time(N fetches, N cols, N element_size, N link) {
  return fetches * cols * element_size / link;
}

// Perf of one shard of the table that moves so much (3.2 to 3.7), given the bandwidth of its kernel.
template <class N>
Perf<N> shard_perf(const PerfSetting<N>& setting, const PerfFacts<N>& table, N bandwidth,
                   const perf_detail::Moved<N>& size) {
  using namespace perf_detail;
  const PerfRules& rules = *setting.rules;
  const bool by_columns = is_by_columns(table.sharding);
  const bool dp = table.sharding == Sharding::dp;
  Perf<N> perf;
  const N read = size.indices + size.rows + size.outputs;
  const N forward =
      named(kPerfFormulas[0], by_columns ? read * block_penalty(table.cols) / bandwidth : read / bandwidth);
  perf[PerfPart::forward_compute] = forward;
  perf[PerfPart::backward_compute] = backward_compute(setting, table, forward);
  if (by_columns) {
    const N sent = collective_bandwidth(setting, Collective::all_to_all, setting.world_size, setting.local_size);
    perf[PerfPart::forward_comms] = size.outputs / sent;
    perf[PerfPart::backward_comms] = size.gradients / sent;
  } else if (is_grouped(table.sharding)) {
    add_group_comms(setting, table, size, bandwidth, perf);
  } else if (dp) {
    perf[PerfPart::backward_comms] = all_reduce(setting, table, bandwidth);
  } else {
    perf[PerfPart::forward_comms] = size.outputs / collective_bandwidth(setting, Collective::reduce_scatter,
                                                                        setting.world_size, setting.local_size);
    perf[PerfPart::backward_comms] =
        size.gradients / collective_bandwidth(setting, Collective::all_gather, setting.world_size, setting.local_size) +
        constant<N>(kBatchedCopy) * size.gradients / bandwidth;
  }
  if (rules.parts == 5 && !dp && !is_zero(table.fetches))
    perf[PerfPart::prefetch_compute] = prefetch_time(of_world(table.fetches, divisor_of(setting, table.sharding), 1),
                                                     table.cols, table.element_size, link_bandwidth(setting));
  if (forward_only(rules, setting.inference, table.sharding)) {
    perf[PerfPart::backward_compute] = perf[PerfPart::backward_comms] = constant<N>(0);
    if (rules.inference != InferencePerf::all) perf[PerfPart::prefetch_compute] = constant<N>(0);
  }
  for (std::size_t p = 1; p < kPerfParts; ++p)
    if (!is_zero(perf.parts[p])) perf.parts[p] = named(kPerfFormulas[p], perf.parts[p]);
  perf.total = named(FormulaId::perf_total, total_of(perf.parts));
  return perf;
}

// Perf of one shard of the table; nullopt where the kernel's bandwidth is not known.
template <class N>
std::optional<Perf<N>> shard_perf(const PerfSetting<N>& setting, const PerfFacts<N>& table) {
  const auto found = kernel_bandwidth(setting, table);
  if (!found) return std::nullopt;
  const N bandwidth = named(FormulaId::bandwidth, *found);
  return shard_perf(setting, table, bandwidth, moved_bytes(setting, table));
}

}  // namespace shardstats
