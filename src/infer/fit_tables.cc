#include "infer/fit_tables.h"

#include <algorithm>
#include <functional>

namespace shardstats::infer_detail {
namespace {

constexpr std::size_t kOfSharder = 24, kOfSharding = 8;  // tables that a sample has of one

}  // namespace

const PerfOption* LikeliestOptions::of(std::uint32_t t) {
  Known& known = known_[t];
  if (!known.asked) {
    const auto options = perf_options(h_, plan_, perf_, t);
    known.asked = true;
    known.any = options.count > 0;
    if (known.any) known.option = *options.begin();
  }
  return known.any ? &known.option : nullptr;
}

Sample Sample::all_of(const PerfInputs& perf) {
  Sample sample;
  for (std::uint32_t t = 0; t < perf.tables.size(); ++t)
    if (perf.tables[t].known) sample.tables.push_back(t);
  return sample;
}

Sample Sample::some_of_each_sharder(const PerfInputs& perf) {
  std::vector<std::size_t> of_sharder(perf.sharders), seen(perf.sharders);
  for (const PerfTable& table : perf.tables) of_sharder[table.sharder] += table.known;
  Sample sample;
  for (std::uint32_t t = 0; t < perf.tables.size(); ++t) {
    const std::uint32_t s = perf.tables[t].sharder;
    const std::size_t step = of_sharder[s] / kOfSharder + 1;
    sample.all &= step == 1;
    if (perf.tables[t].known && seen[s]++ % step == 0) sample.tables.push_back(t);
  }
  return sample;
}

Sample Sample::longest_of_each_sharding(const PlanInputs& plan, const PerfInputs& perf) {
  Sample sample;
  std::array<std::vector<std::uint32_t>, kShardingNames.size()> by_sharding;
  for (const std::uint32_t t : all_of(perf).tables)
    by_sharding[static_cast<std::size_t>(plan.tables[t].sharding)].push_back(t);
  const auto time_of = [&](std::uint32_t t) {
    return perf.tables[t].printed[kPerfTotal].value_or(RealInterval{}).high;
  };
  for (std::vector<std::uint32_t>& tables : by_sharding) {
    if (tables.size() > kOfSharding) {
      std::ranges::nth_element(tables, tables.begin() + kOfSharding, std::greater{}, time_of);
      tables.resize(kOfSharding);
      sample.all = false;
    }
    sample.tables.insert(sample.tables.end(), tables.begin(), tables.end());
  }
  std::ranges::sort(sample.tables);
  return sample;
}

FitTables::FitTables(const PerfHypothesis& hypothesis, const PlanInputs& plan_inputs, const PerfInputs& perf_inputs,
                     const std::vector<std::size_t>& codecs_by_sharder, const Sample& sample, bool is_rough,
                     LikeliestOptions& likeliest_options)
    : h(hypothesis),
      plan(plan_inputs),
      perf(perf_inputs),
      codecs(codecs_by_sharder),
      options(likeliest_options),
      is_fitted(perf_inputs.tables.size()),
      all(sample.all),
      rough(is_rough) {
  fitted.reserve(sample.tables.size());
  for (const std::uint32_t t : sample.tables) {
    if (codec_of(t) == kNotFitted) continue;
    fitted.push_back(t);
    is_fitted[t] = true;
  }
}

bool FitTables::forward_only(std::uint32_t t) const {
  return perf_detail::forward_only(*h.setting.rules, h.setting.inference, plan.tables[t].sharding);
}

bool mixes_memories(const TableInputs& table) {
  if (table.kernel == nullptr) return false;
  const KernelSpeed speed = table.kernel->speed;
  return speed == KernelSpeed::cached || speed == KernelSpeed::quant_cached;
}

}  // namespace shardstats::infer_detail
