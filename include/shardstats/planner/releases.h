// The release table: which formula generation each TorchRec release uses (storage-model.md section 9.1).
// A new release is a new row in src/planner/releases.cc. Tested by tests/planner/releases_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "shardstats/vocabulary.h"

namespace shardstats {

enum class IoGeneration : std::uint8_t { a, b, c, d };        // section 5
enum class ColumnIo : std::uint8_t { none, own, estimator };  // 5.6: what Input/Output columns print
enum class OptimizerRule : std::uint8_t { dp_twice, dense_twice, by_class, always_zero };                     // 4.1
enum class PipelineRule : std::uint8_t { sum, maximum, ephemeral };                                           // 6
enum class KeyValueRule : std::uint8_t { none, zero, least_of_l1 };                                           // 4.5
enum class ColumnSplit : std::uint8_t { remainder_32, remainder_128, divisor };                               // 3.2
enum class RatioSource : std::uint8_t { constraint, sharder, constraint_then_sharder, option_then_sharder };  // 4.3
enum class KjtFeatures : std::uint8_t { batch_times_sum, per_feature };                                       // 8.2

struct ReleaseRules {
  Release release;
  IoGeneration io;
  ColumnIo column_io;
  OptimizerRule optimizer;
  bool output_dtype;  // e_o may differ from e (5.2)
  PipelineRule pipeline;
  bool inference;  // the estimator knows is_inference
  bool cache_aux;  // auxiliary cache state (4.4)
  KeyValueRule key_value;
  bool virtual_flag;  // the key-value rule follows the table's virtual flag for any kernel (4.5)
  bool ssd;           // 4.6
  bool mtia;          // device exists
  bool mtia_in_hbm;   // 7.1
  bool tpu;
  ColumnSplit columns;
  bool grid;                // GS exists
  bool uneven_rows;         // memory-proportional row-wise split (3.3)
  bool buckets;             // 3.4
  bool pods;                // the estimator's group is pod_size * local world size (3.6)
  bool pods_in_statistics;  // so is that of the Input/Output columns
  RatioSource ratio;
  KjtFeatures kjt;
  bool counts_reservation;  // rank memory includes dense and KJT (8.6)
  bool ddr_percentage;      // DDR shares and usable DDR are reduced by the reserved fraction (log-format.md 6.2)
  bool mtia_percent;        // HBM share is real on mtia
  friend constexpr bool operator==(const ReleaseRules&, const ReleaseRules&) = default;
};

const ReleaseRules& rules_of(Release release);
std::span<const ReleaseRules> release_table();

// The first release that prints the Dense and KJT blocks with the policy (log-format.md section 3.11); nullopt: none.
std::optional<Release> reservation_printed_since(Policy policy);
// Does the policy add KJT bytes to the memory of the ranks in that release (storage-model.md section 8.6)?
bool adds_kjt(Policy policy, Release release);
// May it add none, as all do before, and the SKU-aware policy until it had lines of its own?
bool may_add_no_kjt(Policy policy, Release release);

// How fast a kernel reads its rows (perf-model.md section 2.3).
enum class KernelSpeed : std::uint8_t {
  unknown,        // no public release can estimate the kernel
  dense,          // half of the memory bandwidth, 0.35 of it in v0.1.1
  batched_dense,  // half of it
  fused,          // all of it
  uvm,            // a tenth of the link between the memories
  cached,         // a tenth of a mix of HBM and link; all of HBM in a prefetch pipeline (v0.6.0+)
  quant_cached,   // the mix, whatever the pipeline
  key_value,      // the link, from v1.6.0 the SSD
  virtual_table,  // HBM to DDR
};

// What a compute kernel means for storage (sections 2.2, 4.2, 4.5, 4.6) and perf.
struct KernelTraits : KernelName {
  bool uvm;              // base tensor in DDR
  bool quant;            // QUANT family
  bool dense;            // counts twice under the dense_twice rule
  bool key_value;        // key-value or virtual-table kernel
  bool ssd;              // has an SSD share (v1.6.0+)
  Release cached_since;  // first release in which the kernel is cached; see `cached`
  bool cached;           // cached in some release
  KernelSpeed speed;
};
// Traits of a printed kernel name; nullptr for a kernel that no release has.
const KernelTraits* find_kernel(std::string_view name);
std::span<const KernelTraits> kernel_table();
inline bool is_cached(const KernelTraits& kernel, Release release) {
  return kernel.cached && release >= kernel.cached_since;
}

// Of a cached kernel: may the printed caching ratio be another than the one in force (section 4.3)? `is_none`: None is
// printed, which hides the sharder's value in v0.6.0.
inline bool hides_caching_ratio(const KernelTraits& kernel, Release release, bool is_none) {
  if (release == Release::v0_6_0) return is_none;
  return release >= Release::v1_1_0 && kernel.name != name(Kernel::fused_uvm_caching);
}

// Is a table stored as the QUANT family (section 2.1)? Its kernel says so or, up to v1.6.0, the name of its sharder.
// `kernel`: null if no release has it.
inline bool is_quant(const KernelTraits* kernel, std::string_view sharder) {
  return (kernel != nullptr && kernel->quant) || sharder.starts_with("Quant");
}

}  // namespace shardstats
