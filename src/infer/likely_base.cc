#include "infer/likely_base.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "infer/likely_lookups.h"
#include "infer/likely_speed.h"
#include "infer/likely_table.h"
#include "infer/rebuild.h"

namespace shardstats::infer_detail {

Lookups of_equal_features(const TableInputs& table, IoGeneration generation, const Lookups& bounds) {
  constexpr double kWide = 1e-9;  // relative
  const RealInterval pooled = bounds.pooled;
  if (generation != IoGeneration::d || pooled.high - pooled.low <= kWide * pooled.high) return bounds;
  const auto features = static_cast<double>(table.features);
  const double each = std::min(1.0, middle(table.pooling_sum) / features);
  const double likely = middle(table.poolings) * each * middle(table.batch);
  return pooled.contains(likely) ? Lookups{bounds.lookups, exactly(likely)} : bounds;
}

LikelyBase::LikelyBase(const Inference& base) {
  choose(base);
  const auto parts = std::make_shared<std::vector<TableParts>>(*from->parts);
  outcome.parts = parts;
  hypothesis.outcome = &outcome;
  if (perf != nullptr) settle_speed(base, *perf, hypothesis);
  const PerfSetting<RealInterval> speeds = hypothesis.setting;
  agrees = settle(base, *parts);
  if (agrees) return;
  *parts = *from->parts;
  for (std::uint32_t t = 0; t < outcome.tables.size(); ++t) {
    LikelyTable table(base, perf, hypothesis, t, (*parts)[t]);
    table.set(of_equal_features(base.inputs.tables[t], outcome.setting.rules->io, table.lookups()));
  }
  constants = outcome.constants;
  hypothesis.outcome = from;
  hypothesis.setting = speeds;
}

void LikelyBase::choose(const Inference& base) {
  from = &base.found.survivors.front().outcome;
  for (const Survivor& survivor : base.found.survivors) {
    const auto rests_on_it = [&](const PerfOutcome& o) { return o.hypothesis.outcome == &survivor.outcome; };
    const auto found = std::ranges::find_if(base.perf_outcomes, rests_on_it);
    if (found == base.perf_outcomes.end()) continue;
    from = &survivor.outcome;
    perf = &*found;
    hypothesis = perf->hypothesis;
    break;
  }
  outcome = *from;
  for (std::uint32_t t = 0; t < outcome.tables.size(); ++t) {
    Options& options = outcome.tables[t].options;
    const Option preferred = options[preferred_option(base.inputs, *from, t)];
    options.clear();
    options.push_back(preferred);
  }
}

bool LikelyBase::settle(const Inference& base, std::vector<TableParts>& parts) {
  std::vector<LikelyTable> tables;
  std::vector<Lookups> bounds;
  for (std::uint32_t t = 0; t < outcome.tables.size(); ++t) {
    LikelyTable& table = tables.emplace_back(base, perf, hypothesis, t, parts[t]);
    table.settle_ratio();
    bounds.push_back(table.lookups());
    table.set(of_equal_features(table.inputs(), outcome.setting.rules->io, bounds.back()));
  }
  constexpr int kRounds = 4;  // each half is linear with the values of the other
  LikelyLookups found;
  for (int round = 0; round < kRounds; ++round) {
    if (perf != nullptr && round > 0) settle_bandwidths(base, *perf, tables, hypothesis);
    found = settle_lookups(base, outcome, bounds, tables);
  }
  constants = found.constants;
  for (const LikelyTable& table : tables) readings.push_back(table.reading());
  return found.agree;
}

}  // namespace shardstats::infer_detail
