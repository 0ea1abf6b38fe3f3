#include "infer/narrow_by_perf.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>
#include <utility>

#include "infer/choose.h"
#include "infer/fit_tables.h"
#include "infer/fitted_values.h"
#include "infer/lookups_by_perf.h"
#include "infer/rebuild.h"
#include "infer/sums.h"
#include "infer/used_bandwidths.h"
#include "infer/wire_classes.h"

namespace shardstats::infer_detail {
namespace {

// What the perf half says of one survivor of the storage half: by the outcomes that rest on it, or else, where none
// does though all were tried, by those of others.
class PerfOfSurvivor {
 public:
  PerfOfSurvivor(const PlanInputs& plan, const PerfInputs& perf, std::span<const PerfOutcome> outcomes, bool all_tried,
                 const Outcome& storage)
      : plan_(plan), perf_(perf), storage_(storage) {
    for (const PerfOutcome& outcome : outcomes)
      if (outcome.hypothesis.outcome == &storage) outcomes_.push_back(&outcome);
    if (outcomes_.empty() && all_tried)
      for (const PerfOutcome& outcome : outcomes) outcomes_.push_back(&outcome);
  }

  std::vector<Lookups> lookups() const { return lookups_by_perf(plan_, perf_, storage_, outcomes_); }

  // Of some element sizes (a bit each) those that some outcome allows; all of them where that cannot be said.
  std::uint32_t elements(std::uint32_t t, std::uint32_t left) const {
    const auto has_perf = [&](const PerfOutcome* o) { return o->tables[t] != nullptr; };
    if (std::has_single_bit(left) || outcomes_.empty() || !std::ranges::all_of(outcomes_, has_perf)) return left;
    std::uint32_t allowed = 0;
    each_bit(left, [&](int element) {
      if (std::ranges::any_of(outcomes_, [&](const PerfOutcome* o) { return allows(*o, t, element); }))
        allowed |= 1u << element;
    });
    return allowed == 0 ? left : allowed;
  }

 private:
  bool allows(const PerfOutcome& outcome, std::uint32_t t, int element) const {
    PerfHypothesis h = with_values(outcome.hypothesis, outcome.values);
    h.outcome = &storage_;
    const PerfOptions options = perf_options(h, plan_, perf_, t, element);
    bool allowed = false;
    each_bit(outcome.codecs[perf_.tables[t].sharder], [&](int codec) {
      const Codecs codecs = codec_table()[static_cast<std::size_t>(codec)];
      allowed = allowed || std::ranges::any_of(options, [&](PerfOption option) {
                  const auto found = option_perf(h, plan_, perf_, t, option, codecs);
                  return found && perf_.tables[t].printed.contradicted(found->cells) == 0;
                });
    });
    return allowed;
  }

  const PlanInputs& plan_;
  const PerfInputs& perf_;
  const Outcome& storage_;
  std::vector<const PerfOutcome*> outcomes_;
};

bool is_narrow(RealInterval x) { return x.width() <= kNarrow * x.low; }

bool explains_with_narrow_multipliers(const PerfOutcome& outcome) {
  return outcome.contradictions == 0 && outcome.statistics == 0 && is_narrow(outcome.values.backward) &&
         is_narrow(outcome.values.weighted_backward);
}

// Does it explain the log with default bandwidths, or with others that are known narrowly? Wide bounds rest on the
// dtypes that they would judge.
bool is_sure(const PerfOutcome& outcome) {
  return outcome.cost() == 0 ||
         (explains_with_narrow_multipliers(outcome) &&
          std::ranges::all_of(kBandwidths, [&](const auto b) { return is_narrow(outcome.values.bandwidths.*b); }));
}

// Compares the sums again with the options that are left; false: they contradict more than before, and the tables are
// not worth it. Sums that were contradicted stay so, with what was expected of them where bounds of the tables say
// less. What the outcome costs is not counted anew: it has been chosen.
bool settle_again(const PlanInputs& plan, Outcome& outcome) {
  const auto contradicted_sums = [&] { return std::ranges::count(outcome.sums, true, &SumLine::contradicted); };
  const auto before = contradicted_sums();
  std::vector<std::pair<SumLine*, RealInterval>> expected;
  for (SumLine& line : outcome.sums)
    if (line.contradicted) expected.emplace_back(&line, line.expected);
  const std::int64_t contradictions = outcome.contradictions, freedoms = outcome.freedoms;
  outcome.constants = {};
  Sums(plan, outcome).settle();
  for (const auto& [line, known] : expected)
    if (line->expected.overlaps(line->printed)) line->expected = known;
  outcome.contradictions = contradictions;
  outcome.freedoms = freedoms;
  const auto more = contradicted_sums() - before;
  if (more == 0) return true;
  // Values that single tables have for so many cells only, though perf shows others, are those of wrong cells.
  if (more > freedoms) return false;
  outcome.contradictions += more;
  return true;
}

bool narrow(const PlanInputs& plan, const PerfInputs& perf, const std::vector<PerfOutcome>& outcomes, bool all_tried,
            Outcome& storage) {
  const PerfOfSurvivor says(plan, perf, outcomes, all_tried, storage);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> left;  // tables that lose some, and their element sizes left
  for (std::uint32_t t = 0; t < storage.tables.size(); ++t) {
    const Options& options = storage.tables[t].options;
    if (options.size() < 2 || !perf.tables[t].known) continue;
    if (const std::uint32_t elements = says.elements(t, elements_of(options)); elements != elements_of(options))
      left.emplace_back(t, elements);
  }
  if (left.empty()) return false;
  Outcome before = storage;
  for (const auto& [t, elements] : left)
    storage.tables[t].options.erase_if([elements = elements](Option o) { return (elements >> o.element() & 1) == 0; });
  if (settle_again(plan, storage)) return true;
  storage = std::move(before);
  return false;
}

// Of each sharder the codecs (a bit each) that contradict none of its tables, one of those that are the same on the
// wire.
std::vector<std::vector<std::uint64_t>> codecs_without_contradictions(const PlanInputs& plan, const PerfInputs& perf,
                                                                      const PerfHypothesis& h,
                                                                      PerfEvaluation& evaluation) {
  std::vector<std::vector<std::uint64_t>> by_sharder(perf.sharders);
  const std::size_t codecs = h.setting.rules->wire_sizes ? kCodecs : 1;
  PerfHypothesis with_any = h;
  with_any.any_element = true;  // perf may show a dtype that the storage half leaves none of
  const WireClasses classes(with_any, plan, perf);
  for (std::size_t c = 0; c < codecs; ++c) {
    const auto first = classes.first_of(std::vector<std::size_t>(perf.sharders, c));
    if (std::ranges::find(first, c) == first.end()) continue;
    const std::uint64_t bit = std::uint64_t{1} << c;
    const PerfOutcome outcome = evaluation.run(h, std::vector<std::uint64_t>(perf.sharders, bit));
    std::vector<bool> contradicted(perf.sharders);
    for (std::uint32_t t = 0; t < perf.tables.size(); ++t)
      if (outcome.tables[t] != nullptr && outcome.tables[t]->contradicted != 0)
        contradicted[perf.tables[t].sharder] = true;
    for (std::size_t s = 0; s < by_sharder.size(); ++s)
      if (first[s] == c && !contradicted[s]) by_sharder[s].push_back(bit);
  }
  return by_sharder;
}

// All ways to take one of each; none if there are many.
std::vector<std::vector<std::uint64_t>> combinations(const std::vector<std::vector<std::uint64_t>>& by_sharder) {
  constexpr std::size_t kMost = 16;
  std::vector<std::vector<std::uint64_t>> all(1);
  for (const std::vector<std::uint64_t>& of_sharder : by_sharder) {
    std::vector<std::vector<std::uint64_t>> longer;
    for (const std::vector<std::uint64_t>& codecs : all) {
      for (const std::uint64_t one : of_sharder) {
        longer.push_back(codecs);
        longer.back().push_back(one);
      }
    }
    if (longer.size() > kMost) return {};
    all = std::move(longer);
  }
  return all;
}

}  // namespace

std::int64_t sums_that_perf_denies(const PlanInputs& plan, const PerfInputs& perf,
                                   const std::vector<PerfOutcome>& outcomes) {
  if (outcomes.empty()) return 0;
  const PerfOutcome& outcome = outcomes.front();
  if (is_sure(outcome)) return has_other_sizes(outcome) ? std::numeric_limits<std::int64_t>::max() : 0;
  if (!explains_with_narrow_multipliers(outcome)) return 0;
  UsedBandwidths bandwidths(outcome.hypothesis.setting);
  const auto rests_on_narrow_ones = [&](std::uint32_t t) {
    const auto used = bandwidths.of(perf_facts(outcome.hypothesis, plan, perf, t, outcome.tables[t]->option, {}));
    for (std::size_t k = 0; used && k < kBandwidths.size(); ++k)
      if ((*used)[k] && !is_narrow(outcome.values.bandwidths.*kBandwidths[k])) return false;
    return used.has_value();
  };
  for (std::uint32_t t = 0; t < outcome.tables.size(); ++t)
    if (has_other_size(outcome, t) && rests_on_narrow_ones(t)) return 1;
  return 0;
}

bool narrow_by_perf(const PlanInputs& plan, const PerfInputs& perf, const std::vector<PerfOutcome>& outcomes,
                    const InferOptions& options, SearchResult& found) {
  if (!std::ranges::all_of(outcomes, is_sure)) return false;
  // Where a table is lost, or its size, perf alone may have decided on the dtypes that its bounds rest on.
  const bool bounds_lookups = options.alternatives && !plan.lacks_rows && !lost_a_size(plan);
  bool narrowed = false;
  for (Survivor& survivor : found.survivors) {
    Outcome& storage = survivor.outcome;
    narrowed |= narrow(plan, perf, outcomes, options.alternatives, storage);
    if (bounds_lookups && storage.contradictions == 0)
      narrowed |= take_lookups(plan, PerfOfSurvivor(plan, perf, outcomes, true, storage).lookups(), storage);
  }
  return narrowed;
}

std::optional<DtypesOfPerf> with_dtypes_of_perf(const PlanInputs& plan, const PerfInputs& perf,
                                                std::span<const PerfOutcome> outcomes, const SearchResult& found) {
  if (outcomes.empty() || outcomes.front().contradictions > 0) return std::nullopt;
  const PerfHypothesis& h = outcomes.front().hypothesis;
  const PerfOfSurvivor says(plan, perf, outcomes, true, *h.outcome);
  DtypesOfPerf known{plan, false};
  bool fewer = false;  // than the storage half leaves
  for (std::uint32_t t = 0; t < plan.tables.size(); ++t) {
    if (outcomes.front().tables[t] == nullptr) continue;
    const std::uint32_t elements = says.elements(t, elements_by_cells(h, plan, t));
    if (!std::has_single_bit(elements)) continue;
    known.inputs.tables[t].fixed_element = std::countr_zero(elements);
    for (const Survivor& survivor : found.survivors) {
      const std::uint32_t left = elements_of(survivor.outcome.tables[t].options);
      fewer |= left != elements;
      known.differ |= (left & elements) == 0;
    }
  }
  return fewer ? std::optional(std::move(known)) : std::nullopt;
}

std::vector<PerfOutcome> with_likely_defaults(const PlanInputs& plan, const PerfInputs& perf,
                                              const PerfOutcome& outcome) {
  PerfHypothesis h = with_values(outcome.hypothesis, outcome.values);
  h.any_element = false;
  h.sizes = nullptr;
  bool differs = false;
  const auto take_default = [&](RealInterval& value, RealInterval usual) {
    if (value == usual || !value.overlaps(usual)) return;
    value = usual;
    differs = true;
  };
  const FittedValues usual;
  for (std::size_t i = 0; i < kFittedValues; ++i) take_default(fitted_value(h.setting, i), fitted_value(usual, i));
  std::vector<PerfOutcome> found;
  if (!differs) return found;
  PerfEvaluation evaluation(plan, perf, false);
  for (const auto& codecs : combinations(codecs_without_contradictions(plan, perf, h, evaluation))) {
    PerfOutcome with_defaults = evaluation.run(h, codecs, 1);
    if (with_defaults.contradictions == 0) found.push_back(std::move(with_defaults));
  }
  return found;
}

void prefer_by_perf(const PlanInputs& plan, const std::vector<PerfOutcome>& outcomes, const InferOptions& options,
                    SearchResult& found, Plan& result) {
  if (outcomes.empty() || found.survivors.empty()) return;
  for (std::uint32_t t = 0; t < result.tables.size(); ++t) {
    const TablePerf* const perf = outcomes.front().tables[t];
    if (!perf || perf->contradicted != 0 || !result.tables[t].sized) continue;
    const int element = element_index(perf->option.element_size);
    for (Survivor& survivor : found.survivors) {
      TableState& state = survivor.outcome.tables[t];
      const auto has_element = [&](Option option) { return option.element() == element; };
      if (std::ranges::any_of(state.options, has_element)) state.perf_element = element;
    }
    const bool agrees = result.tables[t].choice.element_size == perf->option.element_size;
    if (!agrees && found.survivors.front().outcome.tables[t].perf_element)
      choose(plan, found, t, options, result.tables[t]);
  }
}

}  // namespace shardstats::infer_detail
