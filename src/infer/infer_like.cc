#include "infer/infer_like.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "infer/departures.h"
#include "infer/extreme_options.h"
#include "infer/perf_fit.h"
#include "infer/row_split.h"
#include "infer/sums.h"
#include "shardstats/log/same_text.h"
#include "shardstats/log/text_hash.h"

namespace shardstats {
namespace infer_detail {
namespace {

TablePrecedent precedent_of(const TableParts& parts, const Options& options) {
  TablePrecedent table;
  ShortVector<std::uint8_t, 4> kept;  // places of the variants in parts
  for (const Option option : options) {
    const auto variant = static_cast<std::uint8_t>(std::ranges::find(kept, option.variant) - kept.begin());
    if (variant == kept.size()) {
      kept.push_back(option.variant);
      table.variants.push_back(parts[option.variant].variant);
      table.combos.push_back(0);
    }
    table.options.push_back({variant, option.combo});
    table.combos.begin()[variant] |= std::uint64_t{1} << option.combo;
  }
  return table;
}

SurvivorPrecedent precedent_of(const PlanInputs& plan, Outcome& outcome) {
  SurvivorPrecedent survivor;
  survivor.setting = outcome.setting;
  survivor.uniform = outcome.uniform;
  survivor.split = outcome.rows.how;
  survivor.pair = outcome.pair;
  for (std::uint32_t t = 0; t < outcome.tables.size(); ++t) {
    const Options& options = outcome.tables[t].options;
    const bool has_choice = options.size() > 1;
    survivor.tables.add(precedent_of((*outcome.parts)[t], has_choice ? extreme_options(plan, outcome, t) : options));
  }
  return survivor;
}

bool may_have_usual_multipliers(const FittedValues& values) {
  return values.backward.overlaps(kDefaultBackward) && values.weighted_backward.overlaps(kDefaultWeightedBackward);
}

double element_size_of(const PerfOutcome& outcome, std::size_t table) {
  return outcome.tables[table] ? outcome.tables[table]->option.element_size : 0;
}

// Has the perf of each table the size that it had there?
bool have_sizes(const PerfOutcome& outcome, const std::vector<double>& sizes) {
  for (std::size_t t = 0; t < sizes.size(); ++t)
    if (element_size_of(outcome, t) != sizes[t]) return false;
  return true;
}

PerfPrecedent precedent_of(const PerfOutcome& outcome, const SearchResult& found) {
  PerfPrecedent perf;
  const auto is_its = [&](const Survivor& s) { return &s.outcome == outcome.hypothesis.outcome; };
  perf.survivor = static_cast<std::size_t>(std::ranges::find_if(found.survivors, is_its) - found.survivors.begin());
  perf.hypothesis = outcome.hypothesis;
  perf.hypothesis.outcome = nullptr;
  perf.is_fitted = !has_defaults(outcome.hypothesis);
  perf.usual_bandwidths = same_bandwidths(outcome.hypothesis.setting.bandwidths, default_bandwidths());
  perf.usual_multipliers = may_have_usual_multipliers(outcome.values);
  set_values({}, perf.hypothesis.setting);
  for (const std::uint64_t codecs : outcome.codecs) perf.codecs.push_back(likeliest(codecs));
  perf.freedoms = outcome.freedoms;
  for (std::size_t t = 0; t < outcome.tables.size(); ++t) perf.element_sizes.push_back(element_size_of(outcome, t));
  return perf;
}

// One hypothesis of the storage half, looked at again.
class Again {
 public:
  Again(const PlanInputs& plan, const SurvivorPrecedent& precedent) : plan_(plan), precedent_(precedent) {}
  // `known`: what the precedent was made of. Adds the assignments.
  Again(const PlanInputs& plan, SurvivorPrecedent& precedent, Outcome& known) : plan_(plan), precedent_(precedent) {
    if (!known.rows.hidden())
      known_ = &known, found_ = &precedent.assignments;
    else if (!known.uniform)
      precedent.assignments = OutputMatcher(plan, known, SumBounds(plan, known)).assignments();
  }

  // None if a printed number contradicts it.
  std::optional<Outcome> outcome(KnownSums& sums) {
    if (precedent_.tables.size() != plan_.tables.size()) return std::nullopt;
    outcome_.setting = precedent_.setting;
    outcome_.uniform = precedent_.uniform;
    outcome_.rows.how = precedent_.split;
    outcome_.pair = precedent_.pair;
    // Table by table: what is made of one is still in the cache when it is filled in.
    outcome_.tables.reserve(plan_.tables.size());
    auto made = std::make_shared<PooledParts>(0);
    made->tables.reserve(plan_.tables.size());
    PartsMaker maker(precedent_.setting, outcome_.rows, &made->pool);
    const std::vector<TableParts>& parts = known_ != nullptr ? *known_->parts : made->tables;
    OwnDeparturesCount own;
    for (std::size_t t = 0; t < plan_.tables.size(); ++t) {
      TableState& state = outcome_.tables.emplace_back();
      if (!list_options(t, maker, state.options, made->tables.emplace_back())) return std::nullopt;
      if (!outcome_.uniform) own.add(plan_.tables[t], state, parts[t], outcome_.pair);
    }
    outcome_.parts = known_ != nullptr ? known_->parts : tables_of(std::move(made));
    const Outcome start = outcome_.rows.hidden() ? outcome_ : Outcome{};
    bool settled = settles(sums, own.found());
    each_row_split(plan_, outcome_, precedent_.freedoms, [&](const RowSplit& rows) {
      outcome_ = with_rows(plan_, start, rows);
      settled = settles(sums, own_departures(plan_, outcome_)) && settled;
    });
    if (!settled || outcome_.cost() > precedent_.freedoms) return std::nullopt;
    return std::move(outcome_);
  }

 private:
  // Does no sum contradict it? Sets what it costs, as the search would count it. `before`: of what the tables' own
  // cells leave.
  bool settles(KnownSums& known, const OwnDepartures& before) {
    known.list_in(outcome_, outcome_.uniform);
    Sums sums(plan_, outcome_);
    if (outcome_.uniform)
      return sums.settle_within(kNoLimit) && outcome_.contradictions == 0 &&
             columns_agree(plan_, outcome_, sums.bounds());
    if (found_ != nullptr) *found_ = OutputMatcher(plan_, outcome_, sums.bounds()).assignments();
    sums.settle(&precedent_.assignments);
    const PlanWideSums wide(plan_, outcome_, sums.bounds());
    const Departures found = wide.departures();
    if (outcome_.contradictions > 0 || (is_wrong_line(found) && !wide.are_usual(found, before.usual))) return false;
    const std::int64_t own = sums.has_removed_options() ? own_departures(plan_, outcome_).values : before.values;
    outcome_.freedoms += found.tables + own;
    return columns_agree(plan_, outcome_, sums.bounds());
  }

  // The options of the table that its own cells allow are left; false: none of them. Makes its parts, if it has not got
  // those of `known_`.
  bool list_options(std::size_t t, PartsMaker& maker, Options& left, TableParts& parts) {
    const TableInputs& table = plan_.tables[t];
    const TablePrecedent& known = precedent_.tables[t];
    if (known.options.empty()) return !can_be_rebuilt(table);
    if (!can_be_rebuilt(table)) return false;
    left = known.options;
    if (known_ != nullptr) {
      const TableParts& own = (*known_->parts)[t];
      const auto place_of = [&](const Variant& variant) {
        return static_cast<std::uint8_t>(std::ranges::find(own, variant, &Parts::variant) - own.begin());
      };
      for (Option& option : left) option.variant = place_of(known.variants[option.variant]);
      return true;
    }
    const Setting& setting = precedent_.setting;
    const std::uint64_t possible = possible_combos(setting, table, true);
    for (std::size_t v = 0; v < known.variants.size(); ++v) {
      const Variant& variant = known.variants[v];
      const bool hides_as_much = variant.free_ratio == is_ratio_hidden(setting, table) &&
                                 (!variant.free_poolings || !table.poolings_known) &&
                                 (!variant.free_columns || has_hidden_blocks(table));
      const std::uint64_t combos = hides_as_much ? known.combos[v] & possible : 0;
      maker.make(table, variant, combos, nullptr, parts.add());
      const std::uint64_t fitting = fitting_combos(setting, table, parts.back(), combos);
      if (fitting != known.combos[v])
        left.erase_if([&](Option option) { return option.variant == v && (fitting >> option.combo & 1) == 0; });
    }
    return !left.empty();
  }

  const PlanInputs& plan_;
  const SurvivorPrecedent& precedent_;
  const Outcome* known_ = nullptr;  // its parts fit the tables' own cells
  Assignments* found_ = nullptr;    // those of the precedent, to be found
  Outcome outcome_;
};

// One hypothesis of the perf half, looked at again. None if a printed number contradicts it, or it costs more.
class PerfAgain {
 public:
  PerfAgain(const PlanInputs& plan, const PerfInputs& perf, const SearchResult& found)
      : plan_(plan), perf_(perf), found_(found), evaluation_(plan, perf, false) {}

  // `fits`: with the same values, where they are known.
  std::optional<PerfOutcome> outcome(const PerfPrecedent& known, const FitPair* fits = nullptr) {
    if (known.codecs.size() != perf_.sharders) return std::nullopt;
    PerfHypothesis h = known.hypothesis;
    h.outcome = &found_.survivors[known.survivor].outcome;
    PerfOutcome outcome =
        known.is_fitted ? fitted_again(h, known, fits ? *fits : fits_of(h, known)) : evaluation_.run(h, known.codecs);
    if (outcome.contradictions > 0 || outcome.freedoms > known.freedoms) return std::nullopt;
    if (may_have_usual_multipliers(outcome.values) != known.usual_multipliers) return std::nullopt;
    if (!have_sizes(outcome, known.element_sizes)) return std::nullopt;
    return outcome;
  }

  // Of the bandwidths that were fitted last.
  const std::optional<Box>& estimate() const { return estimate_; }

 private:
  // With the bandwidths that this block leaves: what an earlier one left of them is something else.
  FitPair fits_of(const PerfHypothesis& h, const PerfPrecedent& known) const {
    PerfFits fits(h, plan_, perf_, known.estimate);
    const auto codecs = first_of(known.codecs);
    const auto usual = known.usual_bandwidths ? fits.fit_defaults(codecs, h.kept) : std::nullopt;
    const PerfFit fit = usual ? *usual : fits.fit(codecs, h.kept);
    return {fit, fits.snapped(codecs, fit)};
  }

  PerfOutcome fitted_again(const PerfHypothesis& h, const PerfPrecedent& known, const FitPair& fits) {
    const auto& [fit, snapped] = fits;
    estimate_ = fit.estimate;
    const auto with = [&](const PerfFit& one) {
      PerfOutcome outcome = evaluation_.run(fitted(h, one), known.codecs);
      outcome.freedoms += one.freedoms;
      return outcome;
    };
    PerfOutcome outcome = with(snapped);
    if (outcome.contradictions > 0) return with(fit);
    if (fit.freedoms == snapped.freedoms) outcome.values = hull(outcome.values, fit);  // then neither is more likely
    return outcome;
  }

  const PlanInputs& plan_;
  const PerfInputs& perf_;
  const SearchResult& found_;
  PerfEvaluation evaluation_;
  std::optional<Box> estimate_;
};

// Fits that start elsewhere end at the same values: these are fitted anew in any case.
bool leads_to_the_same(const PerfPrecedent& a, const PerfPrecedent& b) {
  return a.is_fitted && b.is_fitted && a.survivor == b.survivor && a.codecs == b.codecs && a.freedoms == b.freedoms &&
         a.usual_multipliers == b.usual_multipliers && a.element_sizes == b.element_sizes &&
         differ_in_values_alone(a.hypothesis, b.hypothesis);
}

// Settings that give the same bytes on this log, the precedent's in front; empty: the log rules it out.
std::vector<Setting> members_of(const std::vector<SettingGroup>& groups, const SurvivorPrecedent& precedent) {
  for (const SettingGroup& group : groups) {
    const auto found = std::ranges::find(group.members, precedent.setting);
    if (found == group.members.end()) continue;
    std::vector<Setting> members{precedent.setting};
    std::ranges::remove_copy(members_that(group.members, precedent.split), std::back_inserter(members),
                             precedent.setting);
    return members;
  }
  return {};
}

}  // namespace

void TablePrecedents::add(TablePrecedent table) {
  constexpr std::ptrdiff_t kSearched = 64;  // of the last kinds: where no tables are alike, more would take long
  const auto first = kinds_.end() - std::min(std::ssize(kinds_), kSearched);
  const auto kind = std::find(first, kinds_.end(), table);
  kinds_of_.push_back(static_cast<std::uint32_t>(kind - kinds_.begin()));
  if (kind == kinds_.end()) kinds_.push_back(std::move(table));
}

std::shared_ptr<const Precedent> make_precedent(const PlanInputs& plan, SearchResult& found, const PerfInputs& perf,
                                                const std::vector<PerfOutcome>& perf_outcomes) {
  const auto is_contradicted = [](const auto& outcome) { return outcome.contradictions > 0; };
  if (std::ranges::any_of(found.survivors, is_contradicted, &Survivor::outcome) ||
      std::ranges::any_of(perf_outcomes, is_contradicted))
    return nullptr;
  auto precedent = std::make_shared<Precedent>();
  KnownSums sums(plan);
  for (Survivor& survivor : found.survivors) {
    SurvivorPrecedent& known = precedent->survivors.emplace_back(precedent_of(plan, survivor.outcome));
    const auto again = Again(plan, known, survivor.outcome).outcome(sums);
    if (!again) return nullptr;
    known.freedoms = again->freedoms;
  }
  PerfAgain again(plan, perf, found);
  for (const PerfOutcome& outcome : perf_outcomes) {
    PerfPrecedent known = precedent_of(outcome, found);
    if (known.is_fitted) {
      if (!again.outcome(known, outcome.fits.get())) return nullptr;
      known.estimate = again.estimate();
    }
    const auto is_same = [&](const PerfPrecedent& other) { return leads_to_the_same(other, known); };
    if (std::ranges::none_of(precedent->perf, is_same)) precedent->perf.push_back(std::move(known));
  }
  precedent->excluded = found.excluded;
  return precedent;
}

SearchResult search_like(const Precedent& precedent, const PlanInputs& plan, const FixedSetting& fixed) {
  SearchResult result;
  const auto groups = possible_settings(plan, fixed);
  KnownSums sums(plan);
  for (const SurvivorPrecedent& survivor : precedent.survivors) {
    auto members = members_of(groups, survivor);
    auto outcome = members.empty() ? std::nullopt : Again(plan, survivor).outcome(sums);
    if (!outcome) return {};
    result.survivors.push_back({std::move(*outcome), std::move(members)});
  }
  result.excluded = precedent.excluded;
  return result;
}

std::vector<PerfOutcome> perf_like(const Precedent& precedent, const PlanInputs& plan, const SearchResult& found,
                                   const PerfInputs& perf) {
  if (!tells_perf(perf)) return {};
  PerfAgain again(plan, perf, found);
  std::vector<PerfOutcome> outcomes;
  for (const PerfPrecedent& known : precedent.perf) {
    auto outcome = again.outcome(known);
    if (!outcome) return {};
    outcomes.push_back(std::move(*outcome));
  }
  return outcomes;
}

}  // namespace infer_detail

std::uint64_t precedent_key(const PrintedPlan& printed) {
  std::uint64_t key = printed.ranks.rows.size();
  const auto add = [&key](std::uint64_t value) { key = (key ^ value) * 0x9e3779b97f4a7c15u + (key >> 29); };
  for (const Release release : printed.releases) add(static_cast<std::uint64_t>(release));
  std::string_view kernel, sharder;  // of the row above: most rows have the same
  for (const PrintedTable& row : printed.tables.rows) {
    // Each in its own way: the same word may be the kernel here and the sharder there.
    if (!same_text(row.kernel.text, kernel)) add(~text_hash(kernel = row.kernel.text));
    if (!same_text(row.sharder.text, sharder)) add(text_hash(sharder = row.sharder.text) << 1);
    add(text_hash(row.fqn.text));
  }
  return key;
}

}  // namespace shardstats
