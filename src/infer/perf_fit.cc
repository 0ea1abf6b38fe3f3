#include "infer/perf_fit.h"

#include "infer/perf_bandwidths.h"
#include "infer/perf_link.h"

namespace shardstats::infer_detail {
namespace {

PerfFit started(const std::optional<Box>& start, std::optional<std::size_t> kept) {
  PerfFit fit;
  fit.estimate = start;
  fit.kept = kept;
  return fit;
}

// A multiplier that could have been the usual one is not: bandwidths that were fitted with it are off.
void refit(const FitTables& tables, TableNumbers& numbers, RealInterval backward, RealInterval weighted,
           const std::optional<Box>& start, PerfFit& fit) {
  fit = started(start, fit.kept);
  fit.backward = backward;
  fit.weighted_backward = weighted;
  fit.freedoms = (backward != exactly(2.0)) + (weighted != exactly(1.0));
  fit_bandwidths(tables, numbers, fit);
  refine_multipliers(tables, fit);
}

}  // namespace

PerfFits::PerfFits(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf,
                   const std::optional<Box>& start)
    : h_(h),
      plan_(plan),
      perf_(perf),
      start_(start),
      options_(h, plan, perf),
      numbers_(h, plan, perf, options_),
      all_(Sample::all_of(perf)) {}

FitTables PerfFits::tables_with(const std::vector<std::size_t>& codecs, const Sample& sample, bool rough) {
  return {h_, plan_, perf_, codecs, sample, rough, options_};
}

PerfFit PerfFits::fit(const std::vector<std::size_t>& codecs, std::optional<std::size_t> kept) {
  const FitTables tables = tables_with(codecs, all_);
  return fit(tables, tables, kept);
}

std::optional<PerfFit> PerfFits::fit_defaults(const std::vector<std::size_t>& codecs, std::optional<std::size_t> kept) {
  const Sample some = Sample::longest_of_each_sharding(plan_, perf_);
  if (some.all) return std::nullopt;
  const PerfFit found = fit(tables_with(codecs, all_), tables_with(codecs, some), kept);
  if (!same_bandwidths(found.bandwidths, default_bandwidths()) || !bounds_all_used(found)) return std::nullopt;
  return found;
}

bool PerfFits::bounds_all_used(const PerfFit& fit) {
  UsedBandwidths used(h_.setting);
  for (const std::uint32_t t : all_.tables) {
    const PerfOption* const option = options_.of(t);
    if (option == nullptr) continue;
    const auto* const flags = used.of_new_kind(h_, plan_, perf_, t, *option);
    for (std::size_t k = 0; flags && k < kBandwidths.size(); ++k)
      if ((*flags)[k] && !(fit.bounded.*kBandwidthFlags[k])) return false;
  }
  return true;
}

PerfFits::Cost PerfFits::rough_cost(const std::vector<std::size_t>& codecs) {
  const auto [found, is_new] = rough().costs.try_emplace(rough().classes.first_of(codecs));
  if (is_new) {
    const FitTables tables = tables_with(found->first, rough_->sample, true);
    const PerfFit rough = fit(tables, tables, std::nullopt);
    found->second = {rough.contradictions, rough.freedoms};
  }
  return found->second;
}

PerfFits::Rough& PerfFits::rough() {
  if (rough_) return *rough_;
  rough_.emplace(Rough{Sample::some_of_each_sharder(perf_), WireClasses(*h_.setting.rules, perf_.sharders), {}});
  for (const std::uint32_t t : rough_->sample.tables) {
    const std::uint32_t sharder = perf_.tables[t].sharder;
    const WireKind kind = wire_kind_of(plan_.tables[t]);
    const auto add = [&](int size) { rough_->classes.add(sharder, kind, static_cast<std::size_t>(size)); };
    if (h_.any_element || h_.sizes) rough_->classes.add(sharder, kind, WireClasses::kAnySize);
    if (const PerfOption* const likeliest = options_.of(t)) add(element_index(likeliest->element_size));
    if (mixes_memories(plan_.tables[t])) each_bit(elements_of(h_, t), add);  // the link's bounds look at each
  }
  return *rough_;
}

PerfFit PerfFits::fit(const FitTables& tables, const FitTables& some, std::optional<std::size_t> kept) {
  PerfFit fit = started(start_, kept);
  const auto any = take_multipliers(tables, fit).any;
  fit_bandwidths(some, numbers_, fit);
  const RealInterval backward = fit.backward, weighted = fit.weighted_backward;
  refine(tables, fit);
  const bool left_backward = backward.exact() && fit.backward != backward;
  const bool left_weighted = weighted.exact() && fit.weighted_backward != weighted;
  if (left_backward && !weighted.exact())
    refit(tables, numbers_, any.backward, any.weighted_with_any, start_, fit);
  else if (left_backward || left_weighted)
    refit(tables, numbers_, left_backward ? any.backward : fit.backward,
          left_weighted ? any.weighted_backward : fit.weighted_backward, start_, fit);
  fit_link(tables, fit);
  return fit;
}

// Fits of a sharder's tables with one codec after the other ask for the same.
Multipliers PerfFits::take_multipliers(const FitTables& tables, PerfFit& fit) {
  if (!by_components_ || by_components_->tables != tables.fitted)
    by_components_ = {tables.fitted, multipliers_of(tables)};
  const Multipliers& found = by_components_->multipliers;
  fit.backward = found.backward;
  fit.weighted_backward = found.weighted_backward;
  fit.freedoms += (fit.backward.low != 2) + (fit.weighted_backward.low != 1);
  return found;
}

// Where no bandwidth of a fit is close to its default, the fit with defaults asks for the same again.
void PerfFits::refine(const FitTables& tables, PerfFit& fit) {
  const bool is_known = refined_.codecs == tables.codecs && same_bandwidths(refined_.bandwidths, fit.bandwidths) &&
                        refined_.backward_before == fit.backward && refined_.weighted_before == fit.weighted_backward;
  if (is_known && !tables.rough) {
    fit.backward = refined_.backward;
    fit.weighted_backward = refined_.weighted_backward;
    fit.freedoms += refined_.freedoms;
    return;
  }
  const PerfFit before = fit;
  refine_multipliers(tables, fit);
  if (tables.rough) return;
  refined_ = {tables.codecs,
              before.bandwidths,
              before.backward,
              before.weighted_backward,
              fit.backward,
              fit.weighted_backward,
              fit.freedoms - before.freedoms};
}

PerfFit PerfFits::fit_multipliers_too(const std::vector<std::size_t>& codecs) {
  const FitTables tables = tables_with(codecs, all_);
  PerfFit fit = started(start_, std::nullopt);
  const auto any = take_multipliers(tables, fit).any;
  refit(tables, numbers_, any.backward, fit.weighted_backward.exact() ? fit.weighted_backward : any.weighted_with_any,
        start_, fit);
  fit_link(tables, fit);
  return fit;
}

PerfFit PerfFits::fit_with_multipliers(const std::vector<std::size_t>& codecs, const FittedValues& values) {
  const FitTables tables = tables_with(codecs, all_);
  PerfFit fit = started(start_, std::nullopt);
  fit.backward = values.backward;
  fit.weighted_backward = values.weighted_backward;
  fit.freedoms =
      !fit.backward.contains(kDefaultBackward.low) + !fit.weighted_backward.contains(kDefaultWeightedBackward.low);
  fit_bandwidths(tables, numbers_, fit);
  fit_link(tables, fit);
  return fit;
}

PerfFit PerfFits::multipliers(const std::vector<std::size_t>& codecs) {
  const FitTables tables = tables_with(codecs, all_);
  PerfFit fit;
  take_multipliers(tables, fit);
  refine(tables, fit);
  return fit;
}

PerfFit PerfFits::snapped(const std::vector<std::size_t>& codecs, const PerfFit& fit) {
  const FitTables tables = tables_with(codecs, all_);
  const Bandwidths<RealInterval> defaults = default_bandwidths();
  PerfFit with_defaults;
  take_multipliers(tables, with_defaults);
  with_defaults.bandwidths = fit.bandwidths;
  for (const auto bandwidth : kBandwidths) {
    RealInterval& found = with_defaults.bandwidths.*bandwidth;
    const double usual = (defaults.*bandwidth).low;
    if (found.low <= usual * (1 + kNarrow) && found.high >= usual * (1 - kNarrow)) found = exactly(usual);
    with_defaults.freedoms += !found.contains(usual);
  }
  refine(tables, with_defaults);
  return with_defaults;
}

}  // namespace shardstats::infer_detail
