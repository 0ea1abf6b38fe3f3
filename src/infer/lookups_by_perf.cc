#include "infer/lookups_by_perf.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>

#include "infer/fitted_values.h"
#include "infer/outermost.h"
#include "infer/used_bandwidths.h"

namespace shardstats::infer_detail {
namespace {

// Perf grows with both, so that bounds are found by bisection over the formulas themselves. It says something only with
// bandwidths that tables of known S and y show: wide ones of the others fit any.
class LookupsByPerf {
 public:
  LookupsByPerf(const PlanInputs& plan, const PerfInputs& perf, const Outcome& storage,
                const std::vector<const PerfOutcome*>& outcomes)
      : plan_(plan), perf_(perf), storage_(storage), parts_(std::make_shared<std::vector<TableParts>>(*storage.parts)) {
    storage_.parts = parts_;
    for (const PerfOutcome* outcome : outcomes) add(*outcome);
  }
  LookupsByPerf(const LookupsByPerf&) = delete;  // hypotheses point to storage_
  LookupsByPerf& operator=(const LookupsByPerf&) = delete;

  Lookups of(std::uint32_t t) {
    Lookups& lookups = (*parts_)[t].begin()->lookups;
    if (!perf_.tables[t].known || are_known(lookups) || !list_readings(t)) return lookups;
    for (RealInterval Lookups::*const field : {&Lookups::lookups, &Lookups::pooled})
      if (is_wide(lookups.*field)) bound(t, lookups.*field);
    return lookups;
  }

 private:
  struct Explanation {
    PerfHypothesis h;
    std::vector<std::uint64_t> codecs;  // by sharder
    UsedBandwidths used;
    UsedBandwidths::Flags shown{};
  };
  struct Reading {
    const PerfHypothesis* h;
    PerfOption option;
    Codecs codecs;
  };

  static bool is_wide(RealInterval x) {
    constexpr double kWide = 1e-3;  // relative
    return x.width() > kWide * x.high;
  }
  static bool are_known(const Lookups& lookups) { return !is_wide(lookups.lookups) && !is_wide(lookups.pooled); }

  void add(const PerfOutcome& outcome) {
    PerfHypothesis h = with_values(outcome.hypothesis, outcome.values);
    h.outcome = &storage_;
    Explanation& one = explanations_.emplace_back(Explanation{h, outcome.codecs, UsedBandwidths(h.setting)});
    for (std::uint32_t t = 0; t < outcome.tables.size(); ++t) {
      if (outcome.tables[t] == nullptr) continue;
      const Lookups& lookups = (*parts_)[t].front().lookups;
      if (!are_known(lookups) || lookups.lookups.high <= 0) continue;  // without ids it shows nothing
      const auto used = one.used.of(perf_facts(h, plan_, perf_, t, outcome.tables[t]->option, {}));
      for (std::size_t k = 0; used && k < used->size(); ++k) one.shown[k] = one.shown[k] || (*used)[k];
    }
  }

  // Those that contradict nothing; false: there are none, or some rests on a bandwidth that no table shows.
  bool list_readings(std::uint32_t t) {
    readings_.clear();
    bool are_shown = true;
    for (Explanation& one : explanations_)
      each_bit(one.codecs[perf_.tables[t].sharder], [&](int codec) {
        for (const PerfOption option : perf_options(one.h, plan_, perf_, t)) {
          const Reading reading{&one.h, option, codec_table()[static_cast<std::size_t>(codec)]};
          const auto found = perf_of(t, reading);
          if (!found || perf_.tables[t].printed.contradicted(*found) != 0) continue;
          readings_.push_back(reading);
          are_shown = are_shown && is_shown(one, t, option);
        }
      });
    return are_shown && !readings_.empty();
  }

  bool is_shown(Explanation& one, std::uint32_t t, PerfOption option) const {
    const auto used = one.used.of(perf_facts(one.h, plan_, perf_, t, option, {}));
    return used && std::ranges::equal(*used, one.shown, [](bool is_used, bool shown) { return shown || !is_used; });
  }

  std::optional<PerfCells> perf_of(std::uint32_t t, const Reading& reading) const {
    const auto found = option_perf(*reading.h, plan_, perf_, t, reading.option, reading.codecs);
    return found ? std::optional(found->cells) : std::nullopt;
  }

  // `x`: S or y of the table among parts_, which takes the values that are tried.
  void bound(std::uint32_t t, RealInterval& x) const {
    constexpr int kSteps = 20;
    const RealInterval all = x;
    const auto beyond = [&](double value, bool too_low) {
      x = exactly(value);
      return std::ranges::all_of(readings_, [&](const Reading& reading) { return is_beyond(t, reading, too_low); });
    };
    const double low = outermost(all, true, kSteps, [&](double value) { return beyond(value, true); });
    const double high = outermost(all, false, kSteps, [&](double value) { return beyond(value, false); });
    x = {low, high};
  }

  bool is_beyond(std::uint32_t t, const Reading& reading, bool too_low) const {
    const PrintedPerfCells& printed = perf_.tables[t].printed;
    const auto found = perf_of(t, reading);
    for (std::size_t c = 0; found && c < kPerfCells; ++c) {
      if (!printed.has(c)) continue;
      if (too_low ? (*found)[c].high < printed.bounds(c).low : (*found)[c].low > printed.bounds(c).high) return true;
    }
    return false;
  }

  const PlanInputs& plan_;
  const PerfInputs& perf_;
  Outcome storage_;  // with the S and y that are tried
  std::shared_ptr<std::vector<TableParts>> parts_;
  std::deque<Explanation> explanations_;
  std::vector<Reading> readings_;  // of the table asked for
};

}  // namespace

std::vector<Lookups> lookups_by_perf(const PlanInputs& plan, const PerfInputs& perf, const Outcome& storage,
                                     const std::vector<const PerfOutcome*>& outcomes) {
  LookupsByPerf by_perf(plan, perf, storage, outcomes);
  std::vector<Lookups> all(storage.tables.size());
  for (std::uint32_t t = 0; t < all.size(); ++t)
    if (!(*storage.parts)[t].empty()) all[t] = by_perf.of(t);
  return all;
}

}  // namespace shardstats::infer_detail
