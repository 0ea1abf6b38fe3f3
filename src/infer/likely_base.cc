#include "infer/likely_base.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "infer/choose.h"
#include "infer/likely_lookups.h"
#include "infer/likely_speed.h"
#include "infer/likely_table.h"

namespace shardstats::infer_detail {
namespace {

// y of a table as if all of its features were alike, where bounds leave it open (from generation D on).
Lookups of_equal_features(const TableInputs& table, IoGeneration generation, const Lookups& bounds) {
  constexpr double kWide = 1e-9;  // relative
  const RealInterval pooled = bounds.pooled;
  if (generation != IoGeneration::d || pooled.high - pooled.low <= kWide * pooled.high) return bounds;
  const auto features = static_cast<double>(table.features);
  const double each = std::min(1.0, middle(table.pooling_sum) / features);
  const double likely = middle(table.poolings) * each * middle(table.batch);
  return pooled.contains(likely) ? Lookups{bounds.lookups, exactly(likely)} : bounds;
}

}  // namespace

void take_equal_features(const std::vector<TableInputs>& tables, Outcome& outcome) {
  auto parts = std::make_shared<std::vector<TableParts>>(*outcome.parts);
  for (std::uint32_t t = 0; t < tables.size(); ++t) {
    const Option option = outcome.tables[t].options.front();
    for (Parts& of_variant : (*parts)[t]) {
      const Lookups likely = of_equal_features(tables[t], outcome.setting.rules->io, of_variant.lookups);
      if (likely.pooled == of_variant.lookups.pooled) continue;
      of_variant = make_parts(outcome.setting, tables[t], of_variant.variant, outcome.rows,
                              std::uint64_t{1} << option.combo, &likely);
    }
  }
  outcome.parts = std::move(parts);
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
  outcome.parts = from->parts;
  take_equal_features(base.inputs.tables, outcome);
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
  constexpr int kRounds = 4, kMostRounds = 12;  // each half is linear with the values of the other
  constexpr double kNear = 3, kHopeful = 10;    // widths of what rounding leaves
  LikelyLookups found;
  for (int round = 0; round < kMostRounds; ++round) {
    if (perf != nullptr && round > 0) settle_bandwidths(base, *perf, tables, hypothesis);
    found = settle_lookups(base, outcome, bounds, tables);
    if (found.off == 0 || (round + 1 >= kRounds && (found.off <= 1 || found.off > kHopeful))) break;
  }
  constants = found.constants;
  for (const LikelyTable& table : tables) readings.push_back(table.reading());
  return found.off <= kNear;
}

}  // namespace shardstats::infer_detail
