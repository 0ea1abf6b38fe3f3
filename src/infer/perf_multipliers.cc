#include "infer/perf_multipliers.h"

#include <algorithm>

#include "shardstats/numbers/most_shared.h"

namespace shardstats::infer_detail {
namespace {

constexpr RealInterval kMultipliers{0.05, 50};  // that anybody would set

// Backward over forward compute: m, or m * m_w + 1.1.
struct Ratios {
  std::vector<RealInterval> plain, weighted;
};

void add_ratio(const PrintedPerfCells& cells, std::vector<RealInterval>& ratios) {
  const auto &forward = cells[at(PerfPart::forward_compute)], &backward = cells[at(PerfPart::backward_compute)];
  if (forward && backward && forward->low > 0) ratios.push_back(*backward / *forward);
}

// Are all tables of the rank fitted, with a backward pass, and weighted or not?
bool holds_only(const FitTables& tables, const PerfRank& rank, bool weighted) {
  const std::vector<std::uint32_t>& everywhere = tables.perf.everywhere;
  const auto fits = [&](std::uint32_t t) {
    return tables.is_fitted[t] && !tables.forward_only(t) && tables.perf.tables[t].weighted == weighted;
  };
  return !(everywhere.empty() && rank.shards.empty()) && std::ranges::all_of(everywhere, fits) &&
         std::ranges::all_of(rank.shards, fits, &ShardsOnRank::first);
}

Ratios ratios_of_components(const FitTables& tables) {
  Ratios ratios;
  for (const std::uint32_t t : tables.fitted) {
    const PerfTable& table = tables.perf.tables[t];
    if (!tables.forward_only(t) && table.weighted)
      add_ratio(table.printed, *table.weighted ? ratios.weighted : ratios.plain);
  }
  for (const std::uint32_t r : tables.perf.told) {
    const PerfRank& rank = tables.perf.ranks[r];
    const bool plain = holds_only(tables, rank, false), weighted = holds_only(tables, rank, true);
    if (!plain && !weighted) continue;
    PrintedPerfCells cells = rank.printed;
    for (std::size_t c = 0; c < kPerfCells; ++c)
      if (cells.has(c) && rank.maxima.has(c)) cells.set(c, narrowed(*cells[c], *rank.maxima[c]));
    if (plain) add_ratio(cells, ratios.plain);
    if (weighted) add_ratio(cells, ratios.weighted);
  }
  return ratios;
}

// m_w by ratios of weighted tables.
std::vector<RealInterval> weighted_multipliers(const std::vector<RealInterval>& ratios, RealInterval backward) {
  constexpr double kExtra = perf_detail::kWeightedKernel;
  std::vector<RealInterval> multipliers;
  multipliers.reserve(ratios.size());
  for (const RealInterval ratio : ratios)
    multipliers.push_back(at_least_zero({ratio.low - kExtra, ratio.high - kExtra}) / backward);
  return multipliers;
}

// m by all ratios that know it: those of weighted tables as well where these have no multiplier of their own.
std::vector<RealInterval> backward_multipliers(const PerfRules& rules, std::vector<RealInterval> plain,
                                               const std::vector<RealInterval>& weighted) {
  if (rules.weighted_multiplier) return plain;
  const auto others = weighted_multipliers(weighted, exactly(1.0));
  plain.insert(plain.end(), others.begin(), others.end());
  return plain;
}

RealInterval usual_if_in(RealInterval bounds, double usual) { return bounds.contains(usual) ? exactly(usual) : bounds; }

// Is f(option) true of all that a table may be besides its codecs in a fit: the likeliest, or each size that the
// hypothesis fits values with? Not if there is none.
template <class F>
bool all_fitted_options(const FitTables& tables, std::uint32_t t, F f) {
  const PerfOption* const likeliest = tables.options.of(t);
  if (likeliest == nullptr) return false;
  if (!tables.h.sizes) return f(*likeliest);
  PerfOption option = *likeliest;
  bool all = (*tables.h.sizes)[t] != 0;
  each_bit((*tables.h.sizes)[t], [&](int element) {
    option.element_size = element_bytes(element);
    all = all && f(option);
  });
  return all;
}

// Bounds of what is left of a cell for backward compute, over forward compute.
struct CellRatios {
  std::optional<RealInterval> of_total, of_backward;
};

RealInterval left_ratio(RealInterval printed, RealInterval others, RealInterval forward) {
  return at_least_zero({printed.low - others.high, printed.high - others.low}) / forward;
}

// False: it has none.
bool add_ratios(const FitTables& tables, const PerfSetting<RealInterval>& setting, std::uint32_t t,
                const PerfOption& option, CellRatios& all) {
  const auto perf = shard_perf(setting, tables.facts(t, option));
  if (!perf || perf->parts[0].low <= 0) return false;
  const RealInterval n = exactly(shards_of(tables.h, t));
  const RealInterval forward = perf->parts[0] * n, others = (perf->parts[0] + perf->parts[1] + perf->parts[3]) * n;
  const PrintedPerfCells& printed = tables.perf.tables[t].printed;
  hull_into(all.of_total, left_ratio(*printed[kPerfTotal], others, forward));
  if (const auto& backward = printed[2]) hull_into(all.of_backward, *backward / forward);
  return true;
}

// Ratios of tables by their totals: T = fc * (1 + m) + comms, or fc * (1 + m * m_w + 1.1) + comms.
Ratios ratios_of_totals(const FitTables& tables, const PerfFit& fit) {
  const PerfHypothesis& h = tables.h;
  PerfSetting<RealInterval> setting = h.setting;
  setting.bandwidths = fit.bandwidths;
  Ratios all;
  for (const std::uint32_t t : tables.fitted) {
    const PerfTable& table = tables.perf.tables[t];
    if (tables.forward_only(t) || !table.weighted || !table.printed.has(kPerfTotal)) continue;
    if (prefetch_hidden(h, tables.plan.tables[t]) || mixes_memories(tables.plan.tables[t]) || h.any_element) continue;
    CellRatios own;
    const auto adds = [&](const PerfOption& option) { return add_ratios(tables, setting, t, option, own); };
    if (!all_fitted_options(tables, t, adds)) continue;
    std::vector<RealInterval>& ratios = *table.weighted ? all.weighted : all.plain;
    ratios.push_back(*own.of_total);
    if (own.of_backward) ratios.push_back(*own.of_backward);
  }
  return all;
}

void refine_backward(const PerfRules& rules, const Ratios& ratios, PerfFit& fit) {
  const auto multipliers = backward_multipliers(rules, ratios.plain, ratios.weighted);
  const RealInterval found = most_shared(multipliers, kMultipliers, 2, 0);
  if (!fit.backward.exact()) {
    fit.backward = narrowed(fit.backward, found);
  } else if (!found.contains(2)) {
    fit.backward = found;
    ++fit.freedoms;
  }
}

void refine_weighted(const Ratios& ratios, PerfFit& fit) {
  const auto multipliers = weighted_multipliers(ratios.weighted, fit.backward);
  const bool was_usual = fit.weighted_backward.low == 1 && fit.weighted_backward.exact();
  const RealInterval found = most_shared(multipliers, kMultipliers, 1, 0);
  if (was_usual && (found.contains(1) || found == kMultipliers)) return;
  fit.weighted_backward = was_usual ? found : narrowed(fit.weighted_backward, found);
  fit.freedoms += was_usual;
}

}  // namespace

Multipliers multipliers_of(const FitTables& tables) {
  const PerfRules& rules = *tables.h.setting.rules;
  const Ratios ratios = ratios_of_components(tables);
  Multipliers found;
  auto& any = found.any;
  if (rules.multiplier) {
    any.backward = most_shared(backward_multipliers(rules, ratios.plain, ratios.weighted), kMultipliers, 2, 0);
    found.backward = usual_if_in(any.backward, 2);
  }
  if (rules.weighted_multiplier && !ratios.weighted.empty()) {
    any.weighted_backward = most_shared(weighted_multipliers(ratios.weighted, found.backward), kMultipliers, 1, 0);
    any.weighted_with_any = any.backward == found.backward
                                ? any.weighted_backward
                                : most_shared(weighted_multipliers(ratios.weighted, any.backward), kMultipliers, 1, 0);
    found.weighted_backward = usual_if_in(any.weighted_backward, 1);
  }
  return found;
}

void refine_multipliers(const FitTables& tables, PerfFit& fit) {
  const PerfRules& rules = *tables.h.setting.rules;
  if (!rules.multiplier && !rules.weighted_multiplier) return;
  const Ratios ratios = ratios_of_totals(tables, fit);
  if (rules.multiplier) refine_backward(rules, ratios, fit);
  if (rules.weighted_multiplier) refine_weighted(ratios, fit);
}

}  // namespace shardstats::infer_detail
