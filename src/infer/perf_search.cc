#include "infer/perf_search.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "infer/perf_codecs.h"
#include "infer/perf_fit.h"
#include "infer/rebuild.h"
#include "infer/wire_classes.h"

namespace shardstats::infer_detail {
namespace {

constexpr std::int64_t kFarBehind = 8;  // contradicted cells by which codecs have to be worse to be given up
constexpr std::size_t kFits = 500;      // tables over all hypotheses that are fitted, at least two of these
constexpr int kRefits = 3;
constexpr std::size_t kMostFits = 16;            // equally good ones that are kept
constexpr std::int64_t kManyContradictions = 4;  // seldom wrong cells
constexpr std::size_t kFewTables = 100;          // up to which other element sizes are tried
constexpr std::size_t kProbe = 32;               // tables that order the hypotheses
constexpr std::uint64_t kAllCodecs = (std::uint64_t{1} << kCodecs) - 1;

struct PerfOutcome {
  PerfHypothesis hypothesis;
  Bandwidths<RealInterval> bandwidths;  // that explain the log: those of the hypothesis and maybe others
  Bandwidths<bool> bounded{true, true, true, true, true, true};  // by what is printed
  std::vector<std::uint64_t> codecs;                             // by sharder: those that contradict the fewest cells
  std::vector<std::optional<TablePerf>> tables;
  std::vector<PerfCells> ranks;
  std::vector<std::uint32_t> wrong_in_rank;  // bit sets of cells
  std::int64_t contradictions = 0, freedoms = 0;
  std::int64_t cost() const { return contradictions + freedoms; }
};

std::int64_t count(std::uint32_t cells) { return std::popcount(cells); }

std::int64_t printed_cells(const PerfTable& table) {
  return std::ranges::count_if(table.printed, [](const auto& cell) { return cell.has_value(); });
}

class Evaluation {
 public:
  Evaluation(const PlanInputs& plan, const PerfInputs& perf, bool alternatives)
      : plan_(plan), perf_(perf), alternatives_(alternatives) {}

  // How many printed numbers of some tables the hypothesis contradicts with the best codecs for each sharder.
  std::int64_t probe(const PerfHypothesis& h, std::vector<std::uint64_t> allowed, std::size_t tables) const {
    std::int64_t total = 0;
    Known known;
    best_codecs(h, std::move(allowed), tables, equal_by_kind(h), known, &total);
    return total;
  }

  // `allowed`: codecs by sharder that are tried.
  PerfOutcome run(const PerfHypothesis& h, const std::vector<std::uint64_t>& allowed) const {
    PerfOutcome outcome;
    outcome.hypothesis = h;
    outcome.bandwidths = h.setting.bandwidths;
    const EqualByKind equal = equal_by_kind(h);
    Known known;
    known.tables.resize(perf_.tables.size());
    known.codecs.resize(perf_.tables.size(), kNoCodecs);
    outcome.codecs = best_codecs(h, allowed, perf_.tables.size(), equal, known);
    outcome.tables = std::move(known.tables);
    for (std::uint32_t t = 0; t < perf_.tables.size(); ++t) {
      if (!perf_.tables[t].known) continue;
      find_perf(h, t, outcome.codecs[perf_.tables[t].sharder], equal, known.codecs[t], outcome.tables[t]);
      if (outcome.tables[t]) {
        outcome.contradictions += count(outcome.tables[t]->contradicted);
        outcome.freedoms += is_unlikely(t, *outcome.tables[t]);
      } else {  // on this device the planner could not have printed a perf
        outcome.contradictions += printed_cells(perf_.tables[t]);
      }
    }
    add_ranks(outcome);
    return outcome;
  }

 private:
  using EqualByKind = std::array<EqualCodecs, kWireKinds>;
  static EqualByKind equal_by_kind(const PerfHypothesis& h) {
    EqualByKind equal{};
    for (std::size_t kind = 0; kind < kWireKinds; ++kind)
      equal[kind] = equal_codecs(*h.setting.rules, static_cast<WireKind>(kind), 0);
    return equal;
  }
  const EqualCodecs& equal_for(const EqualByKind& equal, std::uint32_t t) const {
    return equal[static_cast<std::size_t>(wire_kind_of(plan_.tables[t]))];
  }

  // A sequence taken for weighted without the log's saying so is a value of its own.
  bool is_unlikely(std::uint32_t t, const TablePerf& perf) const {
    return perf.option.weighted && plan_.tables[t].sequence && !perf_.tables[t].weighted;
  }

  // Perf of tables that was found while choosing codecs and contradicts nothing; with it the first codecs of the same
  // sizes. Empty: not asked for.
  struct Known {
    std::vector<std::optional<TablePerf>> tables;
    std::vector<std::uint8_t> codecs;
  };
  static constexpr std::uint8_t kNoCodecs = 0xff;

  std::vector<std::uint64_t> best_codecs(const PerfHypothesis& h, std::vector<std::uint64_t> live, std::size_t tables,
                                         const EqualByKind& equal, Known& seen, std::int64_t* total = nullptr) const {
    std::vector<std::array<std::int64_t, kCodecs>> wrong(live.size());
    const std::size_t step = perf_.tables.size() / std::max<std::size_t>(tables, 1) + (tables < perf_.tables.size());
    for (std::size_t i = 0; i < perf_.tables.size(); i += std::max<std::size_t>(step, 1)) {
      const auto t = static_cast<std::uint32_t>(i);
      const PerfTable& table = perf_.tables[t];
      std::uint64_t& codecs = live[table.sharder];
      if (!table.known || (std::has_single_bit(codecs) && total == nullptr)) continue;
      auto& counts = wrong[table.sharder];
      std::int64_t least = std::numeric_limits<std::int64_t>::max();
      const auto& first_equal = equal_for(equal, t);  // codecs of the same sizes are the same to the table
      std::array<std::int64_t, kCodecs> own;
      own.fill(-1);
      each_bit(codecs, [&](int c) {
        const auto at = static_cast<std::size_t>(c);
        const auto first = static_cast<std::size_t>(first_equal[at]);
        if (own[first] < 0) {
          auto found = table_perf(h, plan_, perf_, t, codec_table()[at], false);
          own[first] = found ? count(found->contradicted) : printed_cells(table);
          if (found && found->contradicted == 0 && !seen.codecs.empty() && seen.codecs[t] == kNoCodecs) {
            seen.codecs[t] = static_cast<std::uint8_t>(first);
            seen.tables[t] = std::move(found);
          }
        }
        counts[at] += own[first];
        least = std::min(least, counts[at]);
      });
      each_bit(codecs, [&](int c) {
        if (counts[static_cast<std::size_t>(c)] > least + kFarBehind) codecs &= ~(std::uint64_t{1} << c);
      });
    }
    for (std::size_t s = 0; s < live.size(); ++s) {
      std::int64_t least = std::numeric_limits<std::int64_t>::max();
      each_bit(live[s], [&](int c) { least = std::min(least, wrong[s][static_cast<std::size_t>(c)]); });
      each_bit(live[s], [&](int c) {
        if (wrong[s][static_cast<std::size_t>(c)] > least) live[s] &= ~(std::uint64_t{1} << c);
      });
      if (total) *total += least;
    }
    return live;
  }

  // Over the codecs that are left. `known`: the codecs that `perf` was found with.
  void find_perf(const PerfHypothesis& h, std::uint32_t t, std::uint64_t codecs, const EqualByKind& equal,
                 std::uint8_t known, std::optional<TablePerf>& perf) const {
    const auto& first_equal = equal_for(equal, t);
    std::optional<TablePerf> all;
    bool kept = false;  // `perf` is the only one
    each_bit(alternatives_ ? codecs : codecs & (~codecs + 1), [&](int c) {
      const auto at = static_cast<std::size_t>(c);
      const bool is_known = first_equal[at] == known;
      if (is_known && !alternatives_) {
        kept = true;
        return;
      }
      const auto one = is_known ? perf : table_perf(h, plan_, perf_, t, codec_table()[at], true);
      if (!all || !one) {
        all = one;
        return;
      }
      widen(*all, *one);
      all->contradicted &= one->contradicted;
    });
    if (!kept) perf = std::move(all);
    if (perf) narrow_by_cells(perf_.tables[t], shards_of(h, t), *perf);
  }

  // Equal shards share what the printed cell leaves.
  static void narrow_by_cells(const PerfTable& table, double shards, TablePerf& perf) {
    for (std::size_t c = 0; c < kPerfCells; ++c) {
      if (!table.printed[c] || (perf.contradicted >> c & 1) != 0) continue;
      perf.cells[c] = narrowed(perf.cells[c], *table.printed[c]);
      if (table.cols.exact())
        perf.shard[c] = narrowed(perf.shard[c], with_rounding(perf.cells[c] * exactly(1 / shards)));
    }
  }

  void add_ranks(PerfOutcome& outcome) const {
    for (const PerfRank& rank : perf_.ranks) {
      PerfCells sum{};
      bool known = rank.known;
      for (const auto& [t, shards] : rank.shards) {
        known &= outcome.tables[t].has_value();
        if (!known) break;
        for (std::size_t c = 0; c < kPerfCells; ++c) sum[c] = sum[c] + outcome.tables[t]->shard[c] * exactly(shards);
      }
      for (RealInterval& x : sum) x = with_rounding(x);
      outcome.ranks.push_back(sum);
      std::uint32_t wrong = known ? contradicted(rank.printed, sum) : 0;
      outcome.wrong_in_rank.push_back(wrong);
      if (known) wrong |= contradicted(rank.maxima, sum);
      outcome.contradictions += count(wrong);
    }
  }

  const PlanInputs& plan_;
  const PerfInputs& perf_;
  bool alternatives_;
};

// `grouped`: some tables are split over the ranks of a group.
std::vector<std::int64_t> local_sizes(const Setting& setting, bool grouped) {
  const std::int64_t world = setting.world_size, most = grouped ? setting.group_size : world;
  if (grouped && !setting.rules->pods) return {most};
  std::vector<std::int64_t> sizes{most};
  for (const std::int64_t usual : {8, 4, 2, 16})
    if (usual < most && (!grouped || most % usual == 0)) sizes.push_back(usual);
  for (std::int64_t d = 1; d < most; ++d)
    if (most % d == 0 && std::find(sizes.begin(), sizes.end(), d) == sizes.end()) sizes.push_back(d);
  return sizes;
}

// Hypotheses that can differ in perf on this log, most likely first.
std::vector<PerfHypothesis> hypotheses_of(const PlanInputs& plan, const SearchResult& found) {
  const auto is_dp = [](const TableInputs& t) { return t.sharding == Sharding::dp; };
  const bool has_dp = std::any_of(plan.tables.begin(), plan.tables.end(), is_dp);
  const auto is_grouped = [](const TableInputs& t) {
    return t.sized && (t.sharding == Sharding::twrw || t.sharding == Sharding::gs);
  };
  const bool has_grouped = std::any_of(plan.tables.begin(), plan.tables.end(), is_grouped);
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
      h.setting.bandwidths = default_bandwidths();
      h.setting.backward = exactly(2.0);
      h.setting.weighted_backward = exactly(1.0);
      const bool hidden_inference = !setting.rules->inference && h.setting.rules->inference != InferencePerf::none;
      bool one_smaller = false;
      for (const std::int64_t local : local_sizes(setting, has_grouped)) {
        // Where nothing reduces over hosts or groups, only "one host" or "several hosts" matters.
        const bool grouped = setting.group_size != setting.world_size;
        if (!has_dp && !grouped && local < setting.world_size && std::exchange(one_smaller, true)) continue;
        h.setting.local_size = local;
        for (const bool inference : {false, true}) {
          if (hidden_inference ? false : inference != setting.inference) continue;
          h.setting.inference = inference;
          add(h);
        }
      }
    }
  return all;
}

bool same_bandwidths(const Bandwidths<RealInterval>& a, const Bandwidths<RealInterval>& b) {
  return std::ranges::all_of(kBandwidths, [&](const auto bandwidth) { return a.*bandwidth == b.*bandwidth; });
}

bool same_values(const PerfFit& a, const PerfFit& b) {
  return same_bandwidths(a.bandwidths, b.bandwidths) && a.backward == b.backward &&
         a.weighted_backward == b.weighted_backward && a.freedoms == b.freedoms;
}

PerfHypothesis fitted(const PerfHypothesis& h, const PerfFit& fit) {
  PerfHypothesis with = h;
  with.setting.bandwidths = fit.bandwidths;
  with.setting.backward = fit.backward;
  with.setting.weighted_backward = fit.weighted_backward;
  return with;
}

class PerfSearch {
 public:
  PerfSearch(const PlanInputs& plan, const SearchResult& found, const PerfInputs& perf, const InferOptions& options)
      : plan_(plan),
        found_(found),
        perf_(perf),
        alternatives_(options.alternatives),
        effort_(is_hopeless(plan, found) ? Effort::uniform : options.effort) {}

  bool gave_up() const { return gave_up_; }

  std::vector<PerfOutcome> run() {
    std::vector<Tried> tried;
    for (const PerfHypothesis& h : plausible()) {
      PerfOutcome outcome = try_defaults(h);
      tried.push_back({h, outcome.codecs, outcome.contradictions});
      keep(std::move(outcome));
      if (!alternatives_ && best_.front().cost() == 0) break;  // nothing fits better, and equals are not asked for
    }
    if (best_.empty()) return best_;
    const bool unexplained = best_.front().cost() > 0 && !only_single_cells(best_.front());
    gave_up_ = unexplained && effort_ == Effort::uniform;
    if (unexplained && !gave_up_) {
      std::stable_sort(tried.begin(), tried.end(),
                       [](const Tried& a, const Tried& b) { return a.contradictions < b.contradictions; });
      const std::size_t most = std::max<std::size_t>(kFits / std::max<std::size_t>(plan_.tables.size(), 1), 2);
      if (tried.size() > most) tried.resize(most);
      for (const Tried& one : tried) try_fits(one.hypothesis, one.codecs);
      const bool many = best_.front().contradictions >= kManyContradictions;
      if (many && effort_ == Effort::exhaustive && plan_.tables.size() <= kFewTables) try_element_sizes(tried.front());
    } else if (alternatives_) {
      for (PerfOutcome& outcome : best_) widen(outcome);
    }
    return std::move(best_);
  }

 private:
  // What the default bandwidths left of a hypothesis.
  struct Tried {
    PerfHypothesis hypothesis;
    std::vector<std::uint64_t> codecs;
    std::int64_t contradictions = 0;
  };

  // Hypotheses ordered by what some tables say about them, without those that the first ones leave far behind.
  std::vector<PerfHypothesis> plausible() const {
    auto hypotheses = hypotheses_of(plan_, found_);
    if (hypotheses.size() < 2 || perf_.tables.size() <= kProbe) return hypotheses;
    const Evaluation evaluation(plan_, perf_, false);
    std::vector<std::pair<std::int64_t, std::size_t>> order;
    for (std::size_t i = 0; i < hypotheses.size(); ++i)
      order.emplace_back(evaluation.probe(hypotheses[i], all_codecs(hypotheses[i]), kProbe), i);
    std::stable_sort(order.begin(), order.end());
    std::vector<PerfHypothesis> best;
    for (const auto& [wrong, i] : order)
      if (best.size() < 2 || wrong <= order.front().first + kFarBehind) best.push_back(hypotheses[i]);
    if (order[0].first == 0 && order[1].first > kFarBehind) best.resize(1);
    return best;
  }

  std::vector<std::uint64_t> all_codecs(const PerfHypothesis& h) const {
    return std::vector<std::uint64_t>(perf_.sharders, h.setting.rules->wire_sizes ? kAllCodecs : 1);
  }

  PerfOutcome try_defaults(const PerfHypothesis& h) const {
    return Evaluation(plan_, perf_, alternatives_).run(h, all_codecs(h));
  }

  // Where many cells are still contradicted: with each other size that tables may have, and with all of them at once.
  void try_element_sizes(const Tried& with_defaults) {
    PerfHypothesis h = with_defaults.hypothesis;
    std::uint32_t elements = 0;
    for (std::uint32_t t = 0; t < perf_.tables.size(); ++t)
      if (perf_.tables[t].known) elements |= elements_of(h, t);
    if (std::popcount(elements) > 1)
      each_bit(elements, [&](int element) {
        h.element = element;
        try_fits(h, with_defaults.codecs);
      });
    h.element.reset();
    h.any_element = true;
    if (best_.front().contradictions > 0) try_fits(h, with_defaults.codecs);
  }

  // With bandwidths found, each sharder's codecs are looked at again by themselves, and the other way round.
  void try_fits(const PerfHypothesis& h, const std::vector<std::uint64_t>& default_codecs) {
    const WireClasses classes(h, plan_, perf_);
    PerfFits fits(h, plan_, perf_);
    auto starts = fitting_codecs(h, perf_, classes, fits);
    starts.insert(starts.begin(), first_of(default_codecs));
    Refits refits{h, fits, {}, {}};
    for (auto codecs : starts)
      for (int round = 0; round < kRefits; ++round) {
        const auto next = refit(refits, classes.first_of(codecs));
        if (std::exchange(codecs, next) == next) break;
      }
  }

  // What fits of a hypothesis led to; the same one would lead there again.
  struct Refits {
    const PerfHypothesis& h;
    PerfFits& fits;
    std::map<std::vector<std::size_t>, std::vector<std::size_t>> by_codecs;
    std::vector<std::pair<PerfFit, std::vector<std::size_t>>> by_fit;
  };

  // The likeliest codecs with the bandwidths that were fitted with `codecs`.
  std::vector<std::size_t> refit(Refits& refits, const std::vector<std::size_t>& codecs) {
    const auto [next, is_new] = refits.by_codecs.try_emplace(codecs);
    if (is_new) {
      const PerfFit found = refits.fits.fit(codecs);
      try_fit(refits, refits.fits.snapped(codecs, found));
      next->second = try_fit(refits, found);
    }
    return next->second;
  }

  std::vector<std::size_t> try_fit(Refits& refits, const PerfFit& fit) {
    const auto known = std::ranges::find_if(refits.by_fit, [&](const auto& o) { return same_values(o.first, fit); });
    if (known != refits.by_fit.end()) return known->second;
    PerfOutcome outcome = Evaluation(plan_, perf_, alternatives_).run(fitted(refits.h, fit), all_codecs(refits.h));
    outcome.freedoms += fit.freedoms;
    auto codecs = first_of(outcome.codecs);
    refits.by_fit.emplace_back(fit, codecs);
    keep(std::move(outcome));
    return codecs;
  }

  // Perf rests on sizes: where nothing explains the storage of most tables, no bandwidths explain their perf.
  static bool is_hopeless(const PlanInputs& plan, const SearchResult& found) {
    const auto tables = static_cast<std::int64_t>(plan.tables.size());
    return !found.survivors.empty() &&
           found.survivors.front().outcome.contradictions > std::max(2 * kManyContradictions, tables / 2);
  }

  // A bandwidth of its own would speak against more than a few cells of a large plan.
  bool only_single_cells(const PerfOutcome& outcome) const {
    constexpr std::int64_t kLarge = 500, kFewIn = 500, kSingle = 2;
    std::int64_t cells = 0;
    for (const PerfTable& table : perf_.tables) cells += table.known ? printed_cells(table) : 0;
    return cells >= kLarge && outcome.freedoms == 0 && outcome.contradictions <= std::max(kSingle, cells / kFewIn);
  }

  static std::vector<std::size_t> first_of(const std::vector<std::uint64_t>& sets) {
    std::vector<std::size_t> codecs;
    for (const std::uint64_t set : sets) codecs.push_back(static_cast<std::size_t>(std::countr_zero(set)));
    return codecs;
  }

  // A default that fits everything is believed; where the log leaves a bandwidth open, its bounds say so.
  void widen(PerfOutcome& outcome) const {
    const PerfFit found = PerfFits(outcome.hypothesis, plan_, perf_).fit(first_of(outcome.codecs));
    outcome.bounded = found.bounded;
    if (found.freedoms > 0) {
      for (const auto bandwidth : kBandwidths)
        outcome.bandwidths.*bandwidth = hull(outcome.bandwidths.*bandwidth, found.bandwidths.*bandwidth);
      return;
    }
    outcome = Evaluation(plan_, perf_, true).run(fitted(outcome.hypothesis, found), outcome.codecs);
    outcome.bounded = found.bounded;
  }

  // One value of its own that settles everything is more likely than the one wrong cell it costs.
  void keep(PerfOutcome outcome) {
    const auto rank = [](const PerfOutcome& o) { return std::pair(o.cost(), o.contradictions); };
    if (!best_.empty() && rank(outcome) > rank(best_.front())) return;
    if (!best_.empty() && rank(outcome) < rank(best_.front())) best_.clear();
    const auto same = [&](const PerfOutcome& o) { return same_hypothesis(o, outcome); };
    // Of fitted values no one is more likely than another.
    const bool several = alternatives_ || (outcome.freedoms > 0 && best_.size() < kMostFits);
    if (best_.empty() || (several && std::ranges::none_of(best_, same))) best_.push_back(std::move(outcome));
  }

  static bool same_hypothesis(const PerfOutcome& a, const PerfOutcome& b) {
    const PerfSetting<RealInterval>&x = a.hypothesis.setting, &y = b.hypothesis.setting;
    return a.hypothesis.outcome == b.hypothesis.outcome && a.hypothesis.element == b.hypothesis.element &&
           a.hypothesis.any_element == b.hypothesis.any_element && x.rules == y.rules && x.device == y.device &&
           x.inference == y.inference && x.local_size == y.local_size && x.group_size == y.group_size &&
           x.backward == y.backward && x.weighted_backward == y.weighted_backward && a.codecs == b.codecs &&
           same_bandwidths(x.bandwidths, y.bandwidths);
  }

  const PlanInputs& plan_;
  const SearchResult& found_;
  const PerfInputs& perf_;
  bool alternatives_;
  Effort effort_;
  bool gave_up_ = false;
  std::vector<PerfOutcome> best_;
};

PlanPerf perf_of(const PerfCells& cells) {
  PlanPerf perf;
  std::copy_n(cells.begin(), kPerfParts, perf.parts.begin());
  perf.total = cells[kPerfTotal];
  return perf;
}

void widen(PlanPerf& perf, const PlanPerf& other) {
  for (std::size_t c = 0; c < kPerfParts; ++c) perf.parts[c] = hull(perf.parts[c], other.parts[c]);
  perf.total = hull(perf.total, other.total);
}

void narrow(PlanPerf& perf, const PrintedPerfCells& printed, std::uint32_t wrong) {
  for (std::size_t c = 0; c < kPerfCells; ++c) {
    RealInterval& value = c < kPerfParts ? perf.parts[c] : perf.total;
    if (printed[c] && (wrong >> c & 1) == 0) value = narrowed(value, *printed[c]);
  }
}

PerfChoice choice_of(const PerfOutcome& outcome, const PlanInputs& plan, const PerfInputs& perf, std::uint32_t t,
                     bool alternatives) {
  const PerfHypothesis& h = outcome.hypothesis;
  const PerfOption option = outcome.tables[t]->option;
  const std::uint64_t codecs = outcome.codecs[perf.tables[t].sharder];
  const auto first = static_cast<std::size_t>(std::countr_zero(codecs));
  const TableInputs& table = plan.tables[t];
  const auto wire_of = [&](std::size_t codec) {
    return wire_sizes(*h.setting.rules, codec_table()[codec], table.sequence, option.element_size);
  };
  PerfChoice choice{option.element_size,
                    option.weighted,
                    option.prefetch_pipeline,
                    prefetch_hidden(h, table),
                    perf_ratio(h, table, (*h.outcome->parts)[t].front()),
                    wire_of(first),
                    {}};
  each_bit(alternatives ? codecs & (codecs - 1) : 0, [&](int c) {
    const WireSizes wire = wire_of(static_cast<std::size_t>(c));
    if (wire != choice.wire && std::ranges::find(choice.other_wires, wire) == choice.other_wires.end())
      choice.other_wires.push_back(wire);
  });
  return choice;
}

void fill_tables(const std::vector<PerfOutcome>& outcomes, const PlanInputs& inputs, const PerfInputs& perf,
                 bool alternatives, Plan& plan) {
  for (std::uint32_t t = 0; t < plan.tables.size(); ++t) {
    PlanTable& table = plan.tables[t];
    const auto has = [&](const PerfOutcome& o) { return o.tables[t].has_value(); };
    if (!std::all_of(outcomes.begin(), outcomes.end(), has)) continue;
    table.perf.known = true;
    table.perf.contradicted = outcomes.front().tables[t]->contradicted;
    table.perf.expected = perf_of(outcomes.front().tables[t]->cells);
    table.shard_perf = perf_of(outcomes.front().tables[t]->shard);
    table.perf_choice = choice_of(outcomes.front(), inputs, perf, t, alternatives);
    for (std::size_t o = 1; o < outcomes.size(); ++o) widen(table.shard_perf, perf_of(outcomes[o].tables[t]->shard));
  }
}

void fill_ranks(const PerfInputs& perf, const std::vector<PerfOutcome>& outcomes, Plan& plan) {
  for (std::size_t r = 0; r < plan.ranks.size() && r < perf.ranks.size(); ++r) {
    PlanRank& rank = plan.ranks[r];
    bool known = perf.ranks[r].known;
    for (const auto& [t, shards] : perf.ranks[r].shards) known &= plan.tables[t].perf.known;
    if (known) {
      rank.expected_perf.known = true;
      rank.expected_perf.contradicted = outcomes.front().wrong_in_rank[r];
      rank.expected_perf.expected = perf_of(outcomes.front().ranks[r]);
      rank.perf = rank.expected_perf.expected;
      for (const PerfOutcome& outcome : outcomes) widen(rank.perf, perf_of(outcome.ranks[r]));
    }
    narrow(rank.perf, perf.ranks[r].printed, rank.expected_perf.contradicted);
  }
}

constexpr double kAlmostEndless = 1e60, kNoTime = 1e-30;  // bytes/ms and ms

// A bandwidth is used if a table still takes time where all others are almost endless. Tables that are alike use the
// same ones.
Bandwidths<bool> used_bandwidths(const PerfOutcome& outcome, const PlanInputs& inputs, const PerfInputs& perf,
                                 const Plan& plan) {
  Bandwidths<bool> used{};
  std::vector<std::tuple<Sharding, const KernelTraits*, bool, double>> seen;
  for (std::uint32_t t = 0; t < plan.tables.size(); ++t) {
    const PlanTable& table = plan.tables[t];
    const PerfChoice& choice = table.perf_choice;
    const std::tuple kind(table.sharding, table.kernel, choice.prefetch_pipeline, choice.caching_ratio.low);
    if (!table.perf.known || std::ranges::find(seen, kind) != seen.end()) continue;
    seen.push_back(kind);
    const auto facts = perf_facts(outcome.hypothesis, inputs, perf, t, outcome.tables[t]->option, {});
    for (std::size_t k = 0; k < kBandwidths.size(); ++k) {
      PerfSetting<RealInterval> setting = outcome.hypothesis.setting;
      for (const auto bandwidth : kBandwidths) setting.bandwidths.*bandwidth = exactly(kAlmostEndless);
      setting.bandwidths.*kBandwidths[k] = exactly(1.0);
      const auto cost = shard_perf(setting, facts);
      if (cost && cost->total.high > kNoTime) used.*kBandwidthFlags[k] = true;
    }
  }
  return used;
}

void fill_bandwidths(const std::vector<PerfOutcome>& outcomes, const PlanInputs& inputs, const PerfInputs& perf,
                     Plan& plan) {
  plan.perf.bandwidths = outcomes.front().bandwidths;
  plan.perf.used = {true, true, true, true, true, true};
  for (const PerfOutcome& outcome : outcomes) {
    const auto used = used_bandwidths(outcome, inputs, perf, plan);
    for (std::size_t k = 0; k < kBandwidths.size(); ++k) {
      RealInterval& bounds = plan.perf.bandwidths.*kBandwidths[k];
      bounds = hull(bounds, outcome.bandwidths.*kBandwidths[k]);
      const auto flag = kBandwidthFlags[k];
      plan.perf.used.*flag = plan.perf.used.*flag && used.*flag && outcome.bounded.*flag;
    }
  }
}

}  // namespace

void infer_perf(const PlanInputs& inputs, const SearchResult& found, const InferOptions& options, Plan& plan) {
  const PerfInputs perf = read_perf(inputs, plan);
  for (std::size_t r = 0; r < plan.ranks.size() && r < perf.ranks.size(); ++r)  // what the printed cells alone say
    for (std::size_t c = 0; c < kPerfCells; ++c)
      if (perf.ranks[r].printed[c])
        (c < kPerfParts ? plan.ranks[r].perf.parts[c] : plan.ranks[r].perf.total) = *perf.ranks[r].printed[c];
  if (found.survivors.empty()) return;
  PerfSearch search(inputs, found, perf, options);
  const auto outcomes = search.run();
  plan.gave_up |= search.gave_up();
  if (outcomes.empty()) return;
  fill_tables(outcomes, inputs, perf, options.alternatives, plan);
  fill_ranks(perf, outcomes, plan);
  plan.perf.setting = outcomes.front().hypothesis.setting;
  plan.perf.known = true;
  fill_bandwidths(outcomes, inputs, perf, plan);
}

}  // namespace shardstats::infer_detail
