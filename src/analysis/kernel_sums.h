// The sums that the planner prints of each kernel's tables (log-format.md section 3.6), and what is read with them.
// Private to src/analysis.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "analysis/byte_columns.h"
#include "shardstats/analysis/rules.h"
#include "shardstats/infer/plan.h"
#include "shardstats/log/printed.h"
#include "shardstats/numbers/printed.h"

namespace shardstats::analysis {

struct KernelSum {
  LineId line;
  std::size_t slot;  // of the line
  RuleId rule;
  std::string_view what;
  Expectation PlanKernel::*expected;
  Cell PrintedTable::*table;  // null: tables do not print it
  const ByteColumn* rank;     // null: nor do ranks
};
inline constexpr KernelSum kKernelSums[] = {
    {LineId::kernel_storage, 1, RuleId::kernel_storage_hbm, "HBM", &PlanKernel::hbm, &PrintedTable::hbm, &kRankHbm},
    {LineId::kernel_storage, 2, RuleId::kernel_storage_ddr, "DDR", &PlanKernel::ddr, &PrintedTable::ddr, &kRankDdr},
    {LineId::kernel_storage, 3, RuleId::kernel_storage_ssd, "SSD", &PlanKernel::ssd, &PrintedTable::ssd, nullptr},
    {LineId::kernel_weights, 1, RuleId::kernel_weights, "weights", &PlanKernel::weights, nullptr, nullptr},
    {LineId::kernel_optimizer, 1, RuleId::kernel_optimizer, "optimizer state", &PlanKernel::optimizer_state, nullptr,
     nullptr},
};

using TotalBytes = std::optional<ByteInterval>;  // none: a cell says nothing, or the sum exceeds kMostSummed
inline constexpr std::int64_t kMostSummed = std::int64_t{1} << 62;  // bytes

inline TotalBytes with(const TotalBytes& total, const std::optional<ByteInterval>& bytes) {
  return total && bytes && bytes->high <= kMostSummed - total->high ? TotalBytes(*total + *bytes) : std::nullopt;
}

// Null: it has none of the name. They come in the order of their names, which a log may have thousands of.
inline const PlanKernel* kernel_of(const Plan& plan, std::string_view name) {
  const auto found = std::ranges::lower_bound(plan.kernels, name, {}, &PlanKernel::name);
  return found == plan.kernels.end() || found->name != name ? nullptr : &*found;
}

}  // namespace shardstats::analysis
