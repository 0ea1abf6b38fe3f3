#include "shardstats/planner/releases.h"

#include <algorithm>
#include <array>

namespace shardstats {
namespace {

using enum Release;
using R = ReleaseRules;
constexpr auto A = IoGeneration::a, B = IoGeneration::b, C = IoGeneration::c, D = IoGeneration::d;
constexpr auto none = ColumnIo::none, own = ColumnIo::own, est = ColumnIo::estimator;
constexpr auto P2 = OptimizerRule::dp_twice, K2 = OptimizerRule::dense_twice, CL = OptimizerRule::by_class,
               Z0 = OptimizerRule::always_zero;
constexpr auto S = PipelineRule::sum, M = PipelineRule::maximum, E = PipelineRule::ephemeral;
constexpr auto KN = KeyValueRule::none, KZ = KeyValueRule::zero, KL = KeyValueRule::least_of_l1;
constexpr auto r32 = ColumnSplit::remainder_32, r128 = ColumnSplit::remainder_128, dv = ColumnSplit::divisor;
constexpr auto FK = RatioSource::constraint, FS = RatioSource::sharder, FC = RatioSource::constraint_then_sharder,
               FO = RatioSource::option_then_sharder;
constexpr auto k1 = KjtFeatures::batch_times_sum, k2 = KjtFeatures::per_feature;

// Columns in the order of the struct; section 9.1 is the source of every cell.
// clang-format off
constexpr std::array<ReleaseRules, 20> kReleases = {{
    //                 io cols  opt e_o    pipe infer  aux    kv  flag   ssd    mtia   inhbm  tpu    cw    gs     mem    bucket pods   stats  clf kjt counts ddr%   mtia%
    R{v0_1_0,      A, none, P2, false, S, false, false, KN, false, false, false, false, false, r32,  false, false, false, false, false, FK, k1, false, false, false},
    R{v0_1_1,      B, own,  K2, false, S, false, false, KN, false, false, false, false, false, r128, false, false, false, false, false, FK, k1, false, false, false},
    R{v0_2_0,      C, own,  K2, false, S, false, false, KN, false, false, false, false, false, r128, false, false, false, false, false, FK, k1, true,  true,  false},
    R{v0_3_0,      C, est,  CL, false, S, false, false, KN, false, false, false, false, false, r128, false, false, false, false, false, FS, k1, true,  true,  false},
    R{v0_3_2,      C, est,  CL, false, S, false, false, KN, false, false, false, false, false, r128, false, false, false, false, false, FS, k1, true,  true,  false},
    R{v0_4_0,      C, est,  Z0, false, S, false, false, KN, false, false, false, false, false, r128, false, false, false, false, false, FS, k1, true,  false, false},
    R{v0_5_0,      C, est,  Z0, false, S, false, false, KN, false, false, false, false, false, dv,   false, false, false, false, false, FC, k2, true,  false, false},
    R{v0_6_0,      C, est,  Z0, false, S, false, false, KN, false, false, true,  false, false, dv,   false, false, false, false, false, FO, k2, true,  false, false},
    R{v0_7_0,      C, est,  Z0, false, S, false, false, KN, false, false, true,  false, false, dv,   false, false, false, false, false, FO, k2, true,  false, false},
    R{v0_8_0,      C, est,  Z0, true,  M, true,  false, KZ, false, false, true,  false, false, dv,   false, true,  false, false, false, FO, k2, true,  false, false},
    R{v1_0_0,      C, est,  Z0, true,  M, true,  true,  KZ, false, false, true,  false, false, dv,   false, true,  false, false, false, FO, k2, true,  false, false},
    R{v1_1_0,      C, est,  CL, true,  E, true,  true,  KZ, false, false, true,  false, false, dv,   true,  true,  false, false, false, FO, k2, true,  false, false},
    R{v1_2_0,      C, est,  CL, true,  E, true,  true,  KZ, false, false, true,  false, false, dv,   true,  true,  false, false, false, FO, k2, true,  false, false},
    R{v1_3_0,      C, est,  CL, true,  E, true,  true,  KL, false, false, true,  true,  false, dv,   true,  true,  false, false, false, FO, k2, true,  false, false},
    R{v1_4_0,      C, est,  CL, true,  E, true,  true,  KL, true,  false, true,  true,  false, dv,   true,  true,  false, false, false, FO, k2, true,  false, true},
    R{v1_5_0,      C, est,  CL, true,  E, true,  true,  KL, true,  false, true,  true,  false, dv,   true,  true,  true,  false, false, FO, k2, true,  false, true},
    R{v1_6_0,      C, est,  CL, true,  E, true,  true,  KL, true,  true,  true,  true,  false, dv,   true,  true,  true,  true,  false, FO, k2, true,  false, true},
    R{v1_7_0,      D, est,  CL, true,  E, true,  true,  KL, true,  true,  true,  true,  false, dv,   true,  true,  true,  true,  true,  FO, k2, true,  false, true},
    R{v1_8_0,      D, est,  CL, true,  E, true,  true,  KL, true,  true,  true,  true,  false, dv,   true,  true,  true,  true,  true,  FO, k2, true,  false, true},
    R{main_branch, D, est,  CL, true,  E, true,  true,  KL, true,  true,  true,  true,  true,  dv,   true,  true,  true,  true,  true,  FO, k2, true,  false, true},
}};

// kernel, uvm, quant, dense, key_value, ssd, cached_since, cached, speed
constexpr std::array<KernelTraits, kKernelNames.size()> kKernels = {{
    {known_as(Kernel::dense),                     false, false, true,  false, false, main_branch, false, KernelSpeed::dense},
    {known_as(Kernel::sparse),                    false, false, true,  false, false, main_branch, false, KernelSpeed::dense},
    {known_as(Kernel::batched_dense),             false, false, true,  false, false, main_branch, false, KernelSpeed::batched_dense},
    {known_as(Kernel::batched_fused),             false, false, false, false, false, main_branch, false, KernelSpeed::fused},
    {known_as(Kernel::batched_fused_uvm),         true,  false, false, false, false, main_branch, false, KernelSpeed::uvm},
    {known_as(Kernel::batched_fused_uvm_caching), true,  false, false, false, false, v0_1_0,      true,  KernelSpeed::cached},
    {known_as(Kernel::batched_quant),             false, true,  false, false, false, main_branch, false, KernelSpeed::fused},
    {known_as(Kernel::batched_quant_uvm),         true,  true,  false, false, false, main_branch, false, KernelSpeed::uvm},
    {known_as(Kernel::batched_quant_uvm_caching), true,  true,  false, false, false, main_branch, false, KernelSpeed::quant_cached},
    {known_as(Kernel::fused),                     false, false, false, false, false, main_branch, false, KernelSpeed::fused},
    {known_as(Kernel::fused_uvm),                 true,  false, false, false, false, main_branch, false, KernelSpeed::uvm},
    {known_as(Kernel::fused_uvm_caching),         true,  false, false, false, false, v0_2_0,      true,  KernelSpeed::cached},
    {known_as(Kernel::quant),                     false, true,  false, false, false, main_branch, false, KernelSpeed::fused},
    {known_as(Kernel::quant_uvm),                 true,  true,  false, false, false, main_branch, false, KernelSpeed::uvm},
    {known_as(Kernel::quant_uvm_caching),         true,  true,  false, false, false, v0_2_0,      true,  KernelSpeed::quant_cached},
    {known_as(Kernel::key_value),                 false, false, false, true,  true,  v0_8_0,      true,  KernelSpeed::key_value},
    {known_as(Kernel::customized_kernel),         false, false, false, false, false, main_branch, false, KernelSpeed::unknown},
    {known_as(Kernel::ssd_virtual_table),         false, false, false, true,  false, v1_3_0,      true,  KernelSpeed::virtual_table},
    {known_as(Kernel::dram_virtual_table),        false, false, false, true,  false, v1_3_0,      true,  KernelSpeed::virtual_table},
    {known_as(Kernel::fused_triton),              false, false, false, false, false, main_branch, false, KernelSpeed::fused},
    {known_as(Kernel::dram_ssd_virtual_table),    false, false, false, true,  false, v1_8_0,      true,  KernelSpeed::virtual_table},
    {known_as(Kernel::unfused_tpu),               false, false, false, false, false, main_branch, false, KernelSpeed::unknown},
    {known_as(Kernel::default_kernel),            false, false, false, false, false, main_branch, false, KernelSpeed::unknown},
}};
// clang-format on
static_assert(has_row_of_each(kKernels, &KernelName::kernel, kKernelNames.size()));

// Each row of a log names one, and few names are of the same length.
constexpr std::size_t kLongestKernel = 25, kMostOfLength = 6;
constexpr auto kKernelsOfLength = [] {
  std::array<std::array<const KernelTraits*, kMostOfLength>, kLongestKernel + 1> kernels{};
  for (const KernelTraits& kernel : kKernels) *std::ranges::find(kernels.at(kernel.name.size()), nullptr) = &kernel;
  return kernels;
}();

}  // namespace

const ReleaseRules& rules_of(Release release) { return kReleases[static_cast<std::size_t>(release)]; }
std::span<const ReleaseRules> release_table() { return kReleases; }
std::span<const KernelTraits> kernel_table() { return kKernels; }

std::optional<Release> reservation_printed_since(Policy policy) {
  switch (policy) {
    case Policy::heuristical:
      return v0_2_0;
    case Policy::fixed_percentage:
    case Policy::inference:
      return v1_6_0;
    case Policy::fixed_absolute:
      return v1_7_0;
    case Policy::sku_aware:
      return main_branch;
    case Policy::other:
      break;
  }
  return std::nullopt;
}

bool adds_kjt(Policy policy, Release release) {
  if (policy == Policy::inference) return release >= v0_3_0;  // also where it prints nothing
  const auto since = reservation_printed_since(policy);
  return since && release >= *since;
}

bool may_add_no_kjt(Policy policy, Release release) {
  return policy == Policy::sku_aware || !adds_kjt(policy, release);
}

const KernelTraits* find_kernel(std::string_view name) {
  if (name.empty() || name.size() >= kKernelsOfLength.size()) return nullptr;
  for (const KernelTraits* kernel : kKernelsOfLength[name.size()])
    if (kernel == nullptr || (kernel->name.front() == name.front() && kernel->name == name)) return kernel;
  return nullptr;
}

}  // namespace shardstats
