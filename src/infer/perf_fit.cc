#include "infer/perf_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "infer/linear_system.h"

namespace shardstats::infer_detail {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();
constexpr RealInterval kAnyReciprocal{1e-15, 1};  // ms per byte: slower and faster than any memory
constexpr double kNarrow = 0.02;                  // relative width from which a default in the bounds is taken for it
constexpr int kRounds = 12;
constexpr std::size_t kOneWrongIn = 12;         // numbers: so many wrong ones are put up with
constexpr RealInterval kMultipliers{0.05, 50};  // that anybody would set
using CellCoefficients = std::array<Coefficients, kPerfCells>;
static_assert(kUnknowns == kBandwidths.size());  // reciprocals

RealInterval at_least(RealInterval x, double least) { return {std::max(x.low, least), std::max(x.high, least)}; }
RealInterval reciprocal(RealInterval x) { return {1 / x.high, 1 / x.low}; }

// The values that almost as many intervals share as any, around the most shared ones: so many wrong numbers do not cut
// the true value off. Around `preferred` if that is among them.
RealInterval most_shared(const std::vector<RealInterval>& intervals, RealInterval all, double preferred,
                         std::size_t wrong) {
  if (intervals.empty()) return all;
  std::vector<std::pair<double, int>> ends;  // opening ends sort before closing ones at the same place
  for (const RealInterval x : intervals) {
    ends.emplace_back(x.low, -1);
    ends.emplace_back(x.high, 1);
  }
  std::sort(ends.begin(), ends.end());
  int open = 0, most = 0;
  double best = preferred;
  for (const auto& [at, end] : ends) {
    open -= end;
    if (open > most) most = open, best = at;
  }
  const int enough = most - static_cast<int>(wrong);
  const auto holds = [](double at) { return [at](RealInterval x) { return x.contains(at); }; };
  if (std::count_if(intervals.begin(), intervals.end(), holds(preferred)) >= enough) best = preferred;
  RealInterval around = all;
  open = 0;
  double start = all.low;
  for (const auto& [at, end] : ends) {
    const bool before = open >= enough;
    open -= end;
    if (!before && open >= enough) start = at;
    if (before && open < enough && start <= best && best <= at) around = narrowed(all, {start, at});
  }
  return around;
}

class Fitting {
 public:
  Fitting(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf,
          const std::vector<std::size_t>& codecs, std::size_t most_tables)
      : h_(h), plan_(plan), perf_(perf), codecs_(codecs), chosen_(perf.tables.size()) {
    std::vector<std::size_t> of_sharder(perf.sharders), taken(perf.sharders);
    for (const PerfTable& table : perf.tables) of_sharder[table.sharder] += table.known;
    for (std::uint32_t t = 0; t < perf.tables.size(); ++t) {
      const std::uint32_t s = perf.tables[t].sharder;
      const std::size_t step = of_sharder[s] / most_tables + 1;
      chosen_[t] = perf.tables[t].known && codecs[s] != kNotFitted && taken[s]++ % step == 0;
      all_tables_ &= step == 1;
    }
  }

  // The multipliers again, with these bandwidths instead of fitted ones.
  PerfFit with(const Bandwidths<RealInterval>& bandwidths, std::int64_t freedoms) {
    fit_multipliers();
    fit_.bandwidths = bandwidths;
    fit_.freedoms += freedoms;
    refine_multipliers();
    return fit_;
  }

  PerfFit run() {
    fit_multipliers();
    fit_bandwidths();
    const RealInterval backward = fit_.backward, weighted = fit_.weighted_backward;
    refine_multipliers();
    const bool left_backward = backward.exact() && fit_.backward != backward;
    const bool left_weighted = weighted.exact() && fit_.weighted_backward != weighted;
    if (left_backward || left_weighted) refit(left_backward, left_weighted);
    fit_link();
    return fit_;
  }

 private:
  void fit_bandwidths() {
    system_.clear();
    collect();
    Box box = start();
    for (int round = 0; round < kRounds; ++round)
      if (!system_.narrow(box)) break;
    take(box);
  }

  // A multiplier that could have been the usual one is not: bandwidths that were fitted with it are off.
  void refit(bool backward, bool weighted) {
    const PerfFit before = fit_;
    fit_ = {};
    fit_.backward = backward ? any_backward_ : before.backward;
    fit_.weighted_backward = weighted ? any_weighted_ : before.weighted_backward;
    fit_.freedoms = (fit_.backward != exactly(2.0)) + (fit_.weighted_backward != exactly(1.0));
    fit_bandwidths();
    refine_multipliers();
  }

  bool fitted(std::uint32_t t) const { return chosen_[t]; }
  bool forward_only(std::uint32_t t) const {
    return perf_detail::forward_only(*h_.setting.rules, h_.setting.inference, plan_.tables[t].sharding);
  }

  // A cached kernel's bandwidth is a mix of two, so that its perf is not linear in their reciprocals.
  bool mixes_memories(std::uint32_t t) const {
    const KernelSpeed speed = plan_.tables[t].kernel->speed;
    return speed == KernelSpeed::cached || speed == KernelSpeed::quant_cached;
  }

  // Backward over forward compute is m, or m * m_w + 1.1 (3.1).
  void fit_multipliers() {
    const PerfRules& rules = *h_.setting.rules;
    std::vector<RealInterval> plain, weighted;
    const auto add = [](const PrintedPerfCells& cells, std::vector<RealInterval>& out) {
      if (cells[0] && cells[2] && cells[0]->low > 0) out.push_back(*cells[2] / *cells[0]);
    };
    for (std::uint32_t t = 0; t < perf_.tables.size(); ++t)
      if (fitted(t) && !forward_only(t) && perf_.tables[t].weighted)
        add(perf_.tables[t].printed, *perf_.tables[t].weighted ? weighted : plain);
    for (const PerfRank& rank : perf_.ranks) {
      const auto is = [&](bool wanted) {
        return !rank.shards.empty() && std::all_of(rank.shards.begin(), rank.shards.end(), [&](const auto& s) {
          return fitted(s.first) && !forward_only(s.first) && perf_.tables[s.first].weighted == wanted;
        });
      };
      PrintedPerfCells cells = rank.printed;
      for (std::size_t c = 0; c < kPerfCells; ++c)
        if (cells[c] && rank.maxima[c]) cells[c] = narrowed(*cells[c], *rank.maxima[c]);
      if (is(false)) add(cells, plain);
      if (is(true)) add(cells, weighted);
    }
    const auto ratio = [](const std::vector<RealInterval>& ratios, double preferred, RealInterval& any) {
      any = most_shared(ratios, kMultipliers, preferred, 0);
      return any.contains(preferred) ? exactly(preferred) : any;
    };
    if (rules.multiplier) fit_.backward = ratio(plain, 2, any_backward_);
    if (rules.weighted_multiplier && !weighted.empty()) {
      std::vector<RealInterval> multipliers;
      for (const RealInterval x : weighted)
        multipliers.push_back(RealInterval{std::max(x.low - perf_detail::kWeightedKernel, 0.0),
                                           std::max(x.high - perf_detail::kWeightedKernel, 0.0)} /
                              fit_.backward);
      fit_.weighted_backward = ratio(multipliers, 1, any_weighted_);
    }
    fit_.freedoms += (fit_.backward.low != 2) + (fit_.weighted_backward.low != 1);
  }

  // Totals are printed more finely than components: T = fc * (1 + m) + comms, or fc * (1 + m * m_w + 1.1) + comms.
  void refine_multipliers() {
    const PerfRules& rules = *h_.setting.rules;
    if (rules.multiplier) {
      const RealInterval found = most_shared(backward_by_totals(false), kMultipliers, 2, 0);
      if (!fit_.backward.exact()) {
        fit_.backward = narrowed(fit_.backward, found);
      } else if (!found.contains(2)) {
        fit_.backward = found;
        ++fit_.freedoms;
      }
    }
    if (!rules.weighted_multiplier) return;
    std::vector<RealInterval> multipliers;
    for (const RealInterval ratio : backward_by_totals(true))
      multipliers.push_back(
          at_least_zero({ratio.low - perf_detail::kWeightedKernel, ratio.high - perf_detail::kWeightedKernel}) /
          fit_.backward);
    const bool was_usual = fit_.weighted_backward.low == 1 && fit_.weighted_backward.exact();
    const RealInterval found = most_shared(multipliers, kMultipliers, 1, 0);
    if (was_usual && (found.contains(1) || found == kMultipliers)) return;
    fit_.weighted_backward = was_usual ? found : narrowed(fit_.weighted_backward, found);
    fit_.freedoms += was_usual;
  }

  // Backward over forward compute of tables, by their totals.
  std::vector<RealInterval> backward_by_totals(bool weighted) const {
    PerfSetting<RealInterval> setting = h_.setting;
    setting.bandwidths = fit_.bandwidths;
    std::vector<RealInterval> ratios;
    for (std::uint32_t t = 0; t < perf_.tables.size(); ++t) {
      const auto& total = perf_.tables[t].printed[kPerfTotal];
      if (!fitted(t) || forward_only(t) || perf_.tables[t].weighted != weighted || !total) continue;
      const auto options = perf_options(h_, plan_, perf_, t);
      if (options.count == 0 || prefetch_hidden(h_, plan_.tables[t]) || mixes_memories(t) || h_.any_element) continue;
      const auto perf = shard_perf(
          setting, perf_facts(h_, plan_, perf_, t, *options.begin(), codec_table()[codecs_[perf_.tables[t].sharder]]));
      if (!perf || perf->parts[0].low <= 0) continue;
      const RealInterval n = exactly(shards_of(h_, t));
      const RealInterval forward = perf->parts[0] * n, others = (perf->parts[0] + perf->parts[1] + perf->parts[3]) * n;
      ratios.push_back(at_least_zero({total->low - others.high, total->high - others.low}) / forward);
      if (const auto& backward = perf_.tables[t].printed[2]) ratios.push_back(*backward / forward);
    }
    return ratios;
  }

  // What a shard costs for each bandwidth alone: with all others endless.
  std::optional<CellCoefficients> coefficients(std::uint32_t t) const {
    const auto options = perf_options(h_, plan_, perf_, t);
    if (options.count == 0) return std::nullopt;
    PerfOption option = *options.begin();
    auto all = coefficients(t, option);
    if (!h_.any_element) return all;
    each_bit(elements_of(h_, t) | elements_by_cells(h_, plan_, t), [&](int element) {
      option.element_size = kElementSizes[static_cast<std::size_t>(element)];
      const auto other = coefficients(t, option);
      for (std::size_t c = 0; all && other && c < kPerfCells; ++c)
        for (std::size_t k = 0; k < kUnknowns; ++k) (*all)[c][k] = hull((*all)[c][k], (*other)[c][k]);
    });
    return all;
  }

  std::optional<CellCoefficients> coefficients(std::uint32_t t, PerfOption option) const {
    auto facts = perf_facts(h_, plan_, perf_, t, option, codec_table()[codecs_[perf_.tables[t].sharder]]);
    const bool mix = mixes_memories(t);
    const bool by_columns =
        facts.sharding == Sharding::tw || facts.sharding == Sharding::cw || facts.sharding == Sharding::twcw;
    CellCoefficients all{};
    PerfSetting<RealInterval> setting = h_.setting;
    setting.backward = fit_.backward;
    setting.weighted_backward = fit_.weighted_backward;
    for (std::size_t k = 0; k < kUnknowns; ++k) {
      for (const auto bandwidth : kBandwidths) setting.bandwidths.*bandwidth = exactly(kEndless);
      setting.bandwidths.*kBandwidths[k] = exactly(1.0);
      if (mix) facts.caching_ratio = exactly(0.5);  // any but 0 and 1, which make no number of an endless bandwidth
      const auto perf = shard_perf(setting, facts);
      if (!perf) return std::nullopt;
      for (std::size_t p = 0; p < kPerfParts; ++p)
        if (!mix || p == 1 || (p == 3 && by_columns)) all[p][k] = perf->parts[p];
      if (!mix) all[kPerfTotal][k] = perf->total;
    }
    return all;
  }

  void add(const Coefficients& a, double times, std::optional<RealInterval> printed) {
    if (!printed) return;
    Coefficients sum;
    for (std::size_t k = 0; k < kUnknowns; ++k) sum[k] = a[k] * exactly(times);
    system_.add(sum, with_rounding(*printed));
  }

  void collect() {
    std::vector<std::optional<CellCoefficients>> tables(perf_.tables.size());
    for (std::uint32_t t = 0; t < tables.size(); ++t) {
      if (!fitted(t)) continue;
      tables[t] = coefficients(t);
      if (!tables[t]) continue;
      for (std::size_t c = 0; c < kPerfCells; ++c) add((*tables[t])[c], shards_of(h_, t), perf_.tables[t].printed[c]);
    }
    for (const PerfRank& rank : perf_.ranks) {
      if (!all_tables_) break;
      const auto ok = [&](const auto& s) {
        return tables[s.first] &&
               std::any_of((*tables[s.first])[kPerfTotal].begin(), (*tables[s.first])[kPerfTotal].end(), is_used);
      };
      if (!rank.known || !std::all_of(rank.shards.begin(), rank.shards.end(), ok)) continue;
      for (std::size_t c = 0; c < kPerfCells; ++c) {
        Coefficients sum{};
        for (const auto& [t, count] : rank.shards)
          for (std::size_t k = 0; k < kUnknowns; ++k) sum[k] = sum[k] + (*tables[t])[c][k] * exactly(count);
        add(sum, 1, rank.printed[c]);
        add(sum, 1, rank.maxima[c]);
      }
    }
  }

  // Numbers that depend on one bandwidth alone bound it; the others start around the least squares.
  Box start() const {
    Values usual;
    for (std::size_t k = 0; k < kUnknowns; ++k) usual[k] = 1 / (default_bandwidths().*kBandwidths[k]).low;
    const auto alone = system_.alone();
    const auto is_open = [&](std::size_t k) { return alone[k].empty() && system_.uses(k); };
    Box box;
    bool any_open = false;
    for (std::size_t k = 0; k < kUnknowns; ++k) {
      box[k] = most_shared(alone[k], kAnyReciprocal, usual[k], alone[k].size() / kOneWrongIn);
      any_open |= is_open(k);
    }
    const auto estimate = any_open ? system_.around_solution(usual) : std::nullopt;
    for (std::size_t k = 0; k < kUnknowns; ++k)
      if (estimate && is_open(k)) box[k] = narrowed(box[k], at_least((*estimate)[k], kAnyReciprocal.low));
    return box;
  }

  void take(const Box& box) {
    const Bandwidths<RealInterval> defaults = default_bandwidths();
    for (std::size_t k = 0; k < kUnknowns; ++k) {
      if (!system_.uses(k)) continue;
      fit_.bounded.*kBandwidthFlags[k] = true;
      const RealInterval found = reciprocal(box[k]);
      const RealInterval usual = defaults.*kBandwidths[k];
      const bool is_usual = found.contains(usual.low);
      fit_.freedoms += !is_usual;
      if (!is_usual || found.width() > kNarrow * usual.low) fit_.bandwidths.*kBandwidths[k] = found;
    }
    Box reciprocals;
    for (std::size_t k = 0; k < kUnknowns; ++k) reciprocals[k] = reciprocal(fit_.bandwidths.*kBandwidths[k]);
    fit_.contradictions += system_.contradicted(reciprocals);
  }

  // The link between the memories shows in cached kernels as a part of their mix with HBM (2.3).
  void fit_link() {
    RealInterval Bandwidths<RealInterval>::*const link =
        h_.setting.rules->link_to_ddr ? &Bandwidths<RealInterval>::hbm_to_ddr : &Bandwidths<RealInterval>::ddr;
    const auto unknown = static_cast<std::size_t>(std::ranges::find(kBandwidths, link) - kBandwidths.begin());
    const bool fixed = system_.uses(unknown);
    std::vector<RealInterval> reciprocals;
    for (std::uint32_t t = 0; t < perf_.tables.size(); ++t)
      if (fitted(t)) add_link_bounds(t, reciprocals);
    const double usual = (default_bandwidths().*link).low;
    if (fixed || reciprocals.empty()) return;
    const RealInterval found = reciprocal(most_shared(reciprocals, kAnyReciprocal, 1 / usual, 0));
    if (found.contains(usual) && found.width() <= kNarrow * usual) return;
    fit_.freedoms += !found.contains(usual);
    fit_.bandwidths.*link = found;
  }

  // In a prefetch pipeline the kernel reads HBM only.
  bool explained_by_prefetch(std::uint32_t t) const {
    PerfHypothesis h = h_;
    h.setting.bandwidths = fit_.bandwidths;
    h.setting.backward = fit_.backward;
    h.setting.weighted_backward = fit_.weighted_backward;
    for (RealInterval Bandwidths<RealInterval>::*const link :
         {&Bandwidths<RealInterval>::ddr, &Bandwidths<RealInterval>::hbm_to_ddr})
      h.setting.bandwidths.*link = exactly(1e-6);  // so slow that only a prefetch pipeline explains the cell
    const auto perf = table_perf(h, plan_, perf_, t, codec_table()[codecs_[perf_.tables[t].sharder]], false);
    return perf && perf->contradicted == 0;
  }

  void add_link_bounds(std::uint32_t t, std::vector<RealInterval>& reciprocals) const {
    const auto options = perf_options(h_, plan_, perf_, t);
    if (options.count == 0 || h_.setting.device != Device::cuda) return;
    const auto facts =
        perf_facts(h_, plan_, perf_, t, *options.begin(), codec_table()[codecs_[perf_.tables[t].sharder]]);
    if (!mixes_memories(t)) return;
    PerfSetting<RealInterval> setting = h_.setting;
    setting.backward = fit_.backward;
    setting.weighted_backward = fit_.weighted_backward;
    setting.bandwidths = fit_.bandwidths;
    if (options.count > 1 && explained_by_prefetch(t)) return;
    const RealInterval hbm = fit_.bandwidths.hbm, ratio = facts.caching_ratio;
    for (const auto memory :
         {&Bandwidths<RealInterval>::hbm, &Bandwidths<RealInterval>::ddr, &Bandwidths<RealInterval>::hbm_to_ddr})
      setting.bandwidths.*memory = exactly(kEndless);
    // Endless memories leave the comms; a mix of two times 10 is a bandwidth of 1.
    auto plain = facts;
    plain.caching_ratio = exactly(0.5);
    const auto comms = shard_perf(setting, plain);
    for (const auto memory :
         {&Bandwidths<RealInterval>::hbm, &Bandwidths<RealInterval>::ddr, &Bandwidths<RealInterval>::hbm_to_ddr})
      setting.bandwidths.*memory = exactly(10.0);
    const auto all = shard_perf(setting, plain);
    if (!comms || !all || ratio.high >= 1) return;
    const double n = shards_of(h_, t);
    const auto add = [&](RealInterval coefficient, RealInterval rest, const std::optional<RealInterval>& printed) {
      if (!printed || coefficient.low <= 0) return;
      const RealInterval left{printed->low - rest.high, printed->high - rest.low};
      if (left.low <= 0) return;
      const RealInterval b = coefficient / left;
      constexpr double kSlowest = 1;  // bytes/ms: where HBM alone may explain the mix, the link is anything
      const RealInterval mixed_part{std::max(10 * b.low - ratio.high * hbm.high, kSlowest),
                                    10 * b.high - ratio.low * hbm.low};
      if (mixed_part.high < kSlowest) return;
      reciprocals.push_back(reciprocal(with_rounding(mixed_part / RealInterval{1 - ratio.high, 1 - ratio.low})));
    };
    const bool hidden = prefetch_hidden(h_, plan_.tables[t]);
    for (const std::size_t p : {std::size_t{0}, std::size_t{2}})
      add(all->parts[p] * exactly(n), {}, perf_.tables[t].printed[p]);
    const RealInterval rest = comms->total * exactly(n);
    const RealInterval sum{all->total.low - comms->total.high, all->total.high - comms->total.low};
    if (!hidden || !perf_.tables[t].printed[4] || perf_.tables[t].printed[4]->high == 0)
      add(sum * exactly(n), rest, perf_.tables[t].printed[kPerfTotal]);
  }

  const PerfHypothesis& h_;
  const PlanInputs& plan_;
  const PerfInputs& perf_;
  const std::vector<std::size_t>& codecs_;
  std::vector<bool> chosen_;
  bool all_tables_ = true;
  LinearSystem system_;
  RealInterval any_backward_{2, 2}, any_weighted_{1, 1};  // what components alone leave of the multipliers
  PerfFit fit_;
};

}  // namespace

Bandwidths<RealInterval> default_bandwidths() {
  const Bandwidths<double>& d = kDefaultBandwidths;
  return {exactly(d.hbm), exactly(d.ddr),        exactly(d.hbm_to_ddr),
          exactly(d.ssd), exactly(d.intra_host), exactly(d.inter_host)};
}

PerfFit snapped(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf,
                const std::vector<std::size_t>& codecs, const PerfFit& fit) {
  const Bandwidths<RealInterval> defaults = default_bandwidths();
  Bandwidths<RealInterval> bandwidths = fit.bandwidths;
  std::int64_t freedoms = 0;
  for (const auto bandwidth : kBandwidths) {
    RealInterval& found = bandwidths.*bandwidth;
    const double usual = (defaults.*bandwidth).low;
    if (found.low <= usual * (1 + kNarrow) && found.high >= usual * (1 - kNarrow)) found = exactly(usual);
    freedoms += !found.contains(usual);
  }
  return Fitting(h, plan, perf, codecs, kEveryTable).with(bandwidths, freedoms);
}

PerfFit fit(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf,
            const std::vector<std::size_t>& codecs, std::size_t most_tables) {
  return Fitting(h, plan, perf, codecs, most_tables).run();
}

}  // namespace shardstats::infer_detail
