// Compares the kernels of two plans.
#include <algorithm>
#include <map>
#include <set>

#include "analysis/checks.h"
#include "analysis/diff_parts.h"
#include "analysis/lost_lines.h"
#include "analysis/statistics.h"

namespace shardstats::analysis {
namespace {

struct SideKernel {
  std::int64_t tables = 0;
  const PlanKernel* plan = nullptr;
  std::array<Known, 3> printed{};  // HBM, DDR, SSD
};
struct SideKernels {
  std::map<std::string_view, SideKernel> by_name;
  bool counted = false;  // all tables are: a kernel that is not there has none
};

// The counts are those of the rows, or of the kernels' own lines where no rows are printed.
SideKernels kernels_of(const DiffSide& side) {
  SideKernels kernels;
  const bool has_rows = side.printed.tables.printed;
  kernels.counted = counts_all_kernels(side);
  for (const PlanKernel& kernel : side.plan.kernels) kernels.by_name[kernel.name].plan = &kernel;
  for (const PrintedTable& row : side.printed.tables.rows) ++kernels.by_name[row.kernel.text].tables;
  for (const PrintedLine& line : side.printed.lines) {
    const auto slots = side.printed.slots_of(line);
    if (line.id == LineId::kernel_count && slots.size() > 1 && !has_rows)
      kernels.by_name[slots[0].text].tables = parse_integer(slots[1].text).value_or(0);
    if (line.id != LineId::kernel_storage) continue;
    for (std::size_t i = 0; i < 3 && i + 1 < slots.size(); ++i)
      kernels.by_name[slots[0].text].printed[i] =
          printed_bounds(slots[i + 1], side.printed.format_of(RoundedNumbers::lines), "bytes");
  }
  return kernels;
}

Known kernel_bytes(const SideKernel& kernel, std::size_t i) {
  constexpr Expectation PlanKernel::*kSizes[] = {&PlanKernel::hbm, &PlanKernel::ddr, &PlanKernel::ssd};
  if (kernel.plan == nullptr || !(kernel.plan->*kSizes[i]).known || (kernel.plan->*kSizes[i]).contradicted)
    return kernel.printed[i];
  const RealInterval rebuilt = real((kernel.plan->*kSizes[i]).bytes);
  return kernel.printed[i] ? narrowed(rebuilt, *kernel.printed[i]) : rebuilt;
}

const PlanGrowth::OfTable* growth_of(const DiffSide& next, std::string_view kernel) {
  if (next.growth == nullptr) return nullptr;
  const auto found = next.growth->kernels.find(kernel);
  return found == next.growth->kernels.end() ? nullptr : &found->second;
}

}  // namespace

bool counts_all_kernels(const DiffSide& side) {
  if (side.printed.tables.printed) return has_all_tables(side.printed, side.plan);
  const LineId end = last_known_line(side.printed);
  const bool breaks_off = end == LineId::kernel_count_heading || end == LineId::kernel_count;
  return side.printed.find(LineId::kernel_count_heading) != nullptr && !breaks_off && !lacks_kernels(side.printed);
}

std::vector<KernelDiff> kernel_diffs(const DiffSide& base, const DiffSide& next) {
  std::vector<KernelDiff> diffs;
  auto befores = kernels_of(base), afters = kernels_of(next);
  std::set<std::string_view> names;
  for (const auto* kernels : {&befores, &afters})
    for (const auto& [name, kernel] : kernels->by_name) names.insert(name);
  const auto count = [](const SideKernels& side, const SideKernel& kernel) {
    return side.counted ? Known(exactly(static_cast<double>(kernel.tables))) : Known{};
  };
  for (const std::string_view name : names) {
    const SideKernel &before = befores.by_name[name], &after = afters.by_name[name];
    KernelDiff& diff = diffs.emplace_back();
    diff.name = name;
    diff.tables = difference("tables", DiffUnit::count, count(befores, before), count(afters, after));
    const PlanGrowth::OfTable* growth = growth_of(next, name);
    const auto bytes = [&](std::string_view size, std::size_t i, RealInterval PlanGrowth::OfTable::*of) {
      return difference(size, DiffUnit::bytes, kernel_bytes(before, i), kernel_bytes(after, i),
                        growth == nullptr ? nullptr : &(growth->*of));
    };
    diff.hbm = bytes("hbm", 0, &PlanGrowth::OfTable::hbm);
    diff.ddr = bytes("ddr", 1, &PlanGrowth::OfTable::ddr);
    diff.ssd = bytes("ssd", 2, &PlanGrowth::OfTable::ssd);
  }
  return diffs;
}

bool has_other_tables(const std::vector<KernelDiff>& kernels) {
  RealInterval tables{};
  for (const KernelDiff& kernel : kernels) tables = tables + kernel.tables.change;
  return tables != RealInterval{};
}

}  // namespace shardstats::analysis
