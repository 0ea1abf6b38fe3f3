#include "infer/fit_tables.h"

namespace shardstats::infer_detail {
namespace {

constexpr std::size_t kSample = 24;  // tables of a sharder

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

Sample::Sample(const PerfInputs& perf, bool is_rough) : rough(is_rough) {
  std::vector<std::size_t> of_sharder(perf.sharders), seen(perf.sharders);
  for (const PerfTable& table : perf.tables) of_sharder[table.sharder] += table.known;
  for (std::uint32_t t = 0; t < perf.tables.size(); ++t) {
    const std::uint32_t s = perf.tables[t].sharder;
    const std::size_t step = rough ? of_sharder[s] / kSample + 1 : 1;
    all &= step == 1;
    if (perf.tables[t].known && seen[s]++ % step == 0) tables.push_back(t);
  }
}

FitTables::FitTables(const PerfHypothesis& hypothesis, const PlanInputs& plan_inputs, const PerfInputs& perf_inputs,
                     const std::vector<std::size_t>& codecs_by_sharder, const Sample& sample,
                     LikeliestOptions& likeliest_options)
    : h(hypothesis),
      plan(plan_inputs),
      perf(perf_inputs),
      codecs(codecs_by_sharder),
      options(likeliest_options),
      is_fitted(perf_inputs.tables.size()),
      all(sample.all),
      rough(sample.rough) {
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
  const KernelSpeed speed = table.kernel->speed;
  return speed == KernelSpeed::cached || speed == KernelSpeed::quant_cached;
}

}  // namespace shardstats::infer_detail
