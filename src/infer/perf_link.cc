#include "infer/perf_link.h"

#include <algorithm>
#include <utility>

#include "shardstats/numbers/most_shared.h"

namespace shardstats::infer_detail {
namespace {

using Memory = RealInterval Bandwidths<RealInterval>::*;
constexpr std::array<Memory, 3> kMixed = {&Bandwidths<RealInterval>::hbm, &Bandwidths<RealInterval>::ddr,
                                          &Bandwidths<RealInterval>::hbm_to_ddr};
constexpr double kSlowest = 1;  // bytes/ms: where HBM alone may explain the mix, the link is anything

class LinkFit {
 public:
  LinkFit(const FitTables& tables, const PerfFit& fit) : tables_(tables), fit_(fit), h_(with_values(tables.h, fit)) {}

  // Of the link, by each number of a cached kernel.
  std::vector<RealInterval> reciprocals() {
    for (const std::uint32_t t : tables_.fitted)
      if (mixes_memories(tables_.plan.tables[t])) add_table(t);
    return std::move(reciprocals_);
  }

 private:
  // In a prefetch pipeline the kernel reads HBM only.
  bool explained_by_prefetch(std::uint32_t t) const {
    PerfHypothesis h = h_;
    for (const Memory link : {&Bandwidths<RealInterval>::ddr, &Bandwidths<RealInterval>::hbm_to_ddr})
      h.setting.bandwidths.*link = exactly(1e-6);  // so slow that only a prefetch pipeline explains the cell
    TablePerf found;
    return find_table_perf(h, tables_.plan, tables_.perf, t, codec_table()[tables_.codec_of(t)], found) &&
           found.contradicted == 0;
  }

  std::optional<Perf<RealInterval>> with_memories(const PerfFacts<RealInterval>& facts, double bandwidth) const {
    PerfSetting<RealInterval> setting = h_.setting;
    for (const Memory memory : kMixed) setting.bandwidths.*memory = exactly(bandwidth);
    return shard_perf(setting, facts);
  }

  void add_table(std::uint32_t t) {
    const auto options = perf_options(h_, tables_.plan, tables_.perf, t);
    if (options.count == 0 || h_.setting.device != Device::cuda) return;
    auto facts = tables_.facts(t, *options.begin());
    if (options.count > 1 && explained_by_prefetch(t)) return;
    const RealInterval ratio = facts.caching_ratio;
    // Endless memories leave the comms; a mix of two times 10 is a bandwidth of 1.
    facts.caching_ratio = exactly(0.5);
    const auto comms = with_memories(facts, kEndless), all = with_memories(facts, 10.0);
    if (!comms || !all || ratio.high >= 1) return;
    const RealInterval n = exactly(shards_of(h_, t));
    const PrintedPerfCells& printed = tables_.perf.tables[t].printed;
    for (const PerfPart part : {PerfPart::forward_compute, PerfPart::backward_compute})
      add_cell((*all)[part] * n, {}, ratio, printed[at(part)]);
    const RealInterval sum{all->total.low - comms->total.high, all->total.high - comms->total.low};
    const auto& prefetch = printed[at(PerfPart::prefetch_compute)];
    if (!prefetch_hidden(h_, tables_.plan.tables[t]) || !prefetch || prefetch->high == 0)
      add_cell(sum * n, comms->total * n, ratio, printed[kPerfTotal]);
  }

  // printed = coefficient / b + rest, b: a tenth of the mix.
  void add_cell(RealInterval coefficient, RealInterval rest, RealInterval ratio,
                const std::optional<RealInterval>& printed) {
    if (!printed || coefficient.low <= 0) return;
    const RealInterval left{printed->low - rest.high, printed->high - rest.low};
    if (left.low <= 0) return;
    const RealInterval b = coefficient / left, hbm = fit_.bandwidths.hbm;
    const RealInterval mixed_part{std::max(10 * b.low - ratio.high * hbm.high, kSlowest),
                                  10 * b.high - ratio.low * hbm.low};
    if (mixed_part.high < kSlowest) return;
    reciprocals_.push_back(reciprocal(with_rounding(mixed_part / RealInterval{1 - ratio.high, 1 - ratio.low})));
  }

  const FitTables& tables_;
  const PerfFit& fit_;
  PerfHypothesis h_;  // with the fit
  std::vector<RealInterval> reciprocals_;
};

}  // namespace

void fit_link(const FitTables& tables, PerfFit& fit) {
  const bool to_ddr = tables.h.setting.rules->link_to_ddr;
  if (to_ddr ? fit.bounded.hbm_to_ddr : fit.bounded.ddr) return;
  const auto reciprocals = LinkFit(tables, fit).reciprocals();
  if (reciprocals.empty()) return;
  const Memory link = to_ddr ? &Bandwidths<RealInterval>::hbm_to_ddr : &Bandwidths<RealInterval>::ddr;
  const double usual = (default_bandwidths().*link).low;
  const RealInterval found = reciprocal(most_shared(reciprocals, kAnyReciprocal, 1 / usual, 0));
  if (found.contains(usual) && found.width() <= kNarrow * usual) return;
  fit.freedoms += !found.contains(usual);
  fit.bandwidths.*link = found;
}

}  // namespace shardstats::infer_detail
