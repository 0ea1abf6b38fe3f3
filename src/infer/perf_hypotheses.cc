#include "infer/perf_hypotheses.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <utility>

namespace shardstats::infer_detail {
namespace {

// `grouped`: some tables are split over the ranks of a group. `usual_only`: leaves out what hosts seldom have.
std::vector<std::int64_t> local_sizes(const Setting& setting, std::optional<std::int64_t> fixed, bool grouped,
                                      bool usual_only) {
  const std::int64_t world = setting.world_size, most = grouped ? setting.group_size : world;
  if (grouped && !setting.rules->pods) return {most};
  if (fixed && !grouped) return {*fixed};
  std::vector<std::int64_t> sizes{most};
  for (const std::int64_t usual : kUsualLocalSizes)
    if (usual < most && (!grouped || most % usual == 0)) sizes.push_back(usual);
  for (std::int64_t d = 1; d < most && !usual_only; ++d)
    if (most % d == 0 && std::find(sizes.begin(), sizes.end(), d) == sizes.end()) sizes.push_back(d);
  return sizes;
}

// Where a device has a bandwidth for each kernel, one that has none for some of them is not that of the log: the
// planner could not have printed their perf.
void keep_devices_that_know_kernels(const PlanInputs& plan, std::vector<PerfHypothesis>& all) {
  std::set<const KernelTraits*> kernels;
  for (const TableInputs& table : plan.tables)
    if (table.kernel != nullptr) kernels.insert(table.kernel);
  const auto knows_all = [&](const PerfHypothesis& h) {
    return std::ranges::all_of(kernels, [&](const KernelTraits* kernel) {
      PerfFacts<RealInterval> table;
      table.kernel = kernel;
      return kernel_bandwidth(h.setting, table).has_value();
    });
  };
  if (std::ranges::any_of(all, knows_all)) std::erase_if(all, std::not_fn(knows_all));
}

}  // namespace

std::vector<PerfHypothesis> hypotheses_of(const PlanInputs& plan, const SearchResult& found, bool usual_only) {
  const bool has_dp = any_replicated(plan.tables);
  const bool has_grouped =
      std::ranges::any_of(plan.tables, [](const TableInputs& t) { return t.sized && is_grouped(t.sharding); });
  std::vector<PerfHypothesis> all;
  const auto add = [&](const PerfHypothesis& h) {
    const auto same = [&](const PerfHypothesis& o) {
      return o.outcome == h.outcome && same_perf(*o.setting.rules, *h.setting.rules) &&
             o.setting.device == h.setting.device && o.setting.inference == h.setting.inference &&
             o.setting.local_size == h.setting.local_size && o.setting.group_size == h.setting.group_size;
    };
    if (std::none_of(all.begin(), all.end(), same)) all.push_back(h);
  };
  for (const Survivor& survivor : found.survivors)
    for (const Setting& setting : survivor.members) {
      PerfHypothesis h;
      h.outcome = &survivor.outcome;
      h.setting.rules = &perf_rules_of(setting.rules->release);
      h.setting.device = setting.device;
      h.setting.world_size = setting.world_size;
      h.setting.group_size = setting.group_size;
      set_values({}, h.setting);
      const bool hidden_inference = !setting.rules->inference && h.setting.rules->inference != InferencePerf::none;
      bool one_smaller = false;
      for (const std::int64_t local : local_sizes(setting, plan.fixed_local_size, has_grouped, usual_only)) {
        // Where nothing reduces over hosts or groups, only "one host" or "several hosts" matters.
        const bool grouped = setting.group_size != setting.world_size;
        if (!has_dp && !grouped && local < setting.world_size && std::exchange(one_smaller, true)) continue;
        h.setting.local_size = local;
        for (const bool inference : {false, true}) {
          if (inference != (hidden_inference ? plan.fixed_inference.value_or(inference) : setting.inference)) continue;
          h.setting.inference = inference;
          add(h);
        }
      }
    }
  keep_devices_that_know_kernels(plan, all);
  return all;
}

}  // namespace shardstats::infer_detail
