#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <span>

#include "infer/assume.h"
#include "infer/empty_shards.h"
#include "infer/fill_perf.h"
#include "infer/inference.h"
#include "infer/narrow_by_perf.h"
#include "infer/perf_search.h"
#include "infer/read_plan.h"
#include "infer/sum_bounds.h"
#include "shardstats/infer/plan.h"
#include "shardstats/limits.h"

namespace shardstats {
namespace infer_detail {
namespace {

using RankCells = std::array<bool, kQuantities>;  // of its row, by Quantity

RankCells cells_of(const PrintedSums& row) {
  RankCells cells{};
  std::ranges::transform(row, cells.begin(), [](const auto& cell) { return cell.has_value(); });
  return cells;
}

// What some rank prints, and memory wherever there is a column for it.
RankCells printed_cells(const PlanInputs& plan) {
  const auto& table = plan.printed->ranks;
  RankCells all{};
  all[at(Quantity::hbm)] = table.has(ColumnId::hbm);
  all[at(Quantity::ddr)] = table.has(ColumnId::ddr);
  for (const PrintedSums& row : plan.ranks) std::ranges::transform(all, cells_of(row), all.begin(), std::logical_or{});
  return all;
}

// What the printed cells alone say; inference narrows it. `counts_reservation`: the memory is not that of shards alone.
PlanRank plain_rank(const PlanInputs& plan, std::size_t row, const RankCells& cells, bool counts_reservation) {
  const PrintedRank& printed = plan.printed->ranks.rows[row];
  const PrintedSums& inputs = plan.ranks[row];
  const auto bytes = [&](Quantity q) { return inputs[at(q)].value_or(ByteInterval{}); };
  PlanRank rank;
  rank.known = !printed.lost && cells_of(inputs) == cells;
  rank.rank =
      static_cast<int>(parse_integer(printed.rank.text, kMostRanks - 1).value_or(static_cast<std::int64_t>(row)));
  rank.hbm = bytes(Quantity::hbm);
  rank.ddr = bytes(Quantity::ddr);
  rank.sparse_hbm = {counts_reservation ? 0 : rank.hbm.low, rank.hbm.high};
  rank.sparse_ddr = {counts_reservation ? 0 : rank.ddr.low, rank.ddr.high};
  rank.input = bytes(Quantity::input);
  rank.output = bytes(Quantity::output);
  return rank;
}

std::vector<Release> surviving_releases(const SearchResult& found) {
  std::vector<Release> releases;
  for (const Survivor& survivor : found.survivors)
    for (const Setting& s : survivor.members) releases.push_back(s.rules->release);
  std::sort(releases.begin(), releases.end());
  releases.erase(std::unique(releases.begin(), releases.end()), releases.end());
  return releases;
}

}  // namespace

void fill_plain(const PlanInputs& inputs, Plan& plan) {
  plan.empty = inputs.empty_plan;
  const auto counts_it = [](Release release) { return rules_of(release).counts_reservation; };
  const bool counts_reservation = std::ranges::any_of(inputs.printed->releases, counts_it);
  const RankCells cells = printed_cells(inputs);
  for (std::size_t r = 0; r < inputs.ranks.size(); ++r)
    plan.ranks.push_back(plain_rank(inputs, r, cells, counts_reservation));
  for (const KernelInputs& kernel : inputs.kernels) {
    PlanKernel& k = plan.kernels.emplace_back();
    k.name = kernel.name;
    k.tables = static_cast<std::int64_t>(kernel.tables.size());
  }
}

void list_alternatives(const SearchResult& found, Plan& plan) {
  for (std::size_t i = 0; i < found.survivors.size(); ++i)
    for (std::size_t m = i == 0 ? 1 : 0; m < found.survivors[i].members.size(); ++m)
      plan.alternatives.push_back(found.survivors[i].members[m]);
}

namespace {

// Inference up to the search.
Inference begun(const PrintedPlan& printed, const InferOptions& options) {
  Inference all;
  all.inputs = read_plan(printed);
  all.fixed = apply_overrides(options.overrides, all.inputs);
  Plan& plan = all.plan;
  fill_plain(all.inputs, plan);
  plan.missing = all.inputs.missing;
  plan.releases = printed.releases;
  plan.setting.rules = &rules_of(printed.releases.front());
  plan.setting.world_size = std::max<std::int64_t>(all.inputs.world_size, 1);
  return all;
}

// Narrows them where all that explains the log is asked for.
void narrow_survivors(const InferOptions& options, Inference& all) {
  std::vector<Survivor>& survivors = all.found.survivors;
  if (!options.alternatives || survivors.empty()) return;
  if (survivors.front().outcome.contradictions > 0) all.before_narrowing = all.found;
  for (Survivor& survivor : survivors) narrow_hidden(all.inputs, survivor.outcome);
}

// The plan of the survivors that are left in the end.
void rebuild_plan(const InferOptions& options, Inference& all) {
  Plan& plan = all.plan;
  plan.sized = !all.found.survivors.empty();
  if (plan.sized) plan.releases = surviving_releases(all.found);
  rebuild(all.inputs, all.found, options, plan);
  check_empty_shards(all.inputs, all.found, plan);
}

// A table whose dtype nothing shows has the one that most others have, among equally good hypotheses.
void prefer_usual_element(const PlanInputs& known, std::vector<Survivor>& survivors) {
  const auto tables_with = [&](const Survivor& survivor) {
    const int element = element_of_pair(survivor.outcome.pair);
    return std::ranges::count(known.tables, std::optional(element), &TableInputs::fixed_element);
  };
  const auto equals_end = std::ranges::find_if(
      survivors, [&](const Survivor& s) { return weight(s.outcome) != weight(survivors.front().outcome); });
  std::stable_sort(survivors.begin(), equals_end,
                   [&](const Survivor& a, const Survivor& b) { return tables_with(a) > tables_with(b); });
}

bool prints_storage(const PlanInputs& inputs) {
  return std::ranges::any_of(inputs.tables,
                             [](const TableInputs& t) { return t.cells[at(Quantity::hbm)].has_value(); });
}

// The storage half's best hypothesis, as perf may speak against it.
struct DoubtedStorage {
  const SearchResult& found;
  bool explained = false;       // all that is printed of storage
  std::int64_t denied = 0;      // sums of it that may be wrong by the dtypes that perf shows
  bool denied_for_all = false;  // the dtype of all tables: a value of its own that it does not count
};

// Searches storage again with the dtypes that these outcomes show; true: they explain it better.
bool search_with(std::span<const PerfOutcome> outcomes, const DoubtedStorage& doubted, const InferOptions& options,
                 Inference& all) {
  const auto known = with_dtypes_of_perf(all.inputs, all.perf, outcomes, doubted.found);
  if (!known || (doubted.explained && !known->differ)) return false;
  SearchResult with_dtypes = search(known->inputs, all.fixed, options);
  if (with_dtypes.survivors.empty()) return false;
  const Outcome &before = all.found.survivors.front().outcome, &with_known = with_dtypes.survivors.front().outcome;
  const bool may_be_wrong =
      with_known.contradictions <= doubted.denied && with_known.cost() <= before.cost() + doubted.denied_for_all;
  if (with_known.contradictions > 0 && !may_be_wrong) return false;
  prefer_usual_element(known->inputs, with_dtypes.survivors);
  all.found = std::move(with_dtypes);
  return true;
}

// Does perf show another dtype of several tables than storage? That of one table may be a wrong cell.
bool shows_other_dtypes(const std::vector<PerfOutcome>& outcomes) {
  constexpr std::int64_t kSeveral = 2;
  return !outcomes.empty() && tables_of_other_sizes(outcomes.front()) >= kSeveral;
}

// The cells of a small table do not tell its storage (before v0.6.0 those of none), but its perf may tell its dtype:
// where sums contradict all that was tried of the storage half, searches again with the dtypes that perf shows, if they
// explain all.
bool search_with_dtypes_of_perf(const InferOptions& options, Inference& all) {
  const bool storage_printed = prints_storage(all.inputs);
  if (storage_printed && options.effort != Effort::exhaustive) return false;  // single tables were not tried yet
  if (all.found.survivors.empty()) return false;
  // What else a first look found wrong may rest on dtypes that storage does not print.
  const bool may_be_wrong = !storage_printed && options.effort == Effort::exhaustive && !options.alternatives;
  const Outcome& storage = all.found.survivors.front().outcome;
  const bool explained = storage.contradictions == 0;
  // Several tables do not have a dtype of their own by chance: the one that storage took for all may be wrong.
  const bool denied_for_all = explained && storage.freedoms == 0 && shows_other_dtypes(all.perf_outcomes);
  const std::int64_t denied = explained && (storage.freedoms > 0 || denied_for_all)
                                  ? sums_that_perf_denies(all.inputs, all.perf, all.perf_outcomes)
                                  : 0;
  if (explained && !may_be_wrong && denied == 0) return false;
  // Sums that do not hold may have narrowed lookups for bounds.
  const bool was_narrowed = options.alternatives && !explained;
  const DoubtedStorage doubted{was_narrowed ? all.before_narrowing : all.found, explained, denied, denied_for_all};
  std::vector<PerfOutcome> likeliest;
  if (options.alternatives) {
    InferOptions without = options;
    without.alternatives = false;
    likeliest = infer_perf(all.inputs, doubted.found, all.perf, without).outcomes;
  }
  const std::vector<PerfOutcome>& outcomes = options.alternatives ? likeliest : all.perf_outcomes;
  if (search_with(outcomes, doubted, options, all)) return true;
  if (explained || outcomes.empty()) return false;
  const auto by_defaults = with_likely_defaults(all.inputs, all.perf, outcomes.front());
  return std::ranges::any_of(by_defaults, [&](const PerfOutcome& outcome) {
    return search_with({&outcome, 1}, doubted, options, all);
  });
}

void find_perf(const InferOptions& options, Inference& all) {
  all.perf = read_perf(all.inputs, all.found);
  PerfResult perf = infer_perf(all.inputs, all.found, all.perf, options);
  all.perf_outcomes = std::move(perf.outcomes);
  all.plan.gave_up |= perf.gave_up;
}

// Without ranks a log does not show how many of them a table is split over. Perf depends on that as well: leaves the
// sizes of a group that explain it. True if there were others.
bool keep_groups_of_perf(Inference& all) {
  if (!all.inputs.empty_plan || !any_grouped(all.inputs.tables)) return false;
  if (all.perf_outcomes.empty() || all.perf_outcomes.front().contradictions > 0) return false;
  const auto is_denied = [&](const Survivor& survivor) {
    return std::ranges::none_of(all.perf_outcomes, [&](const PerfOutcome& outcome) {
      return outcome.hypothesis.setting.group_size == survivor.outcome.setting.group_size;
    });
  };
  return std::erase_if(all.found.survivors, is_denied) > 0;
}

// What printed cells and values of its own speak against the best hypothesis of both halves.
struct Doubts {
  std::int64_t contradictions = 0, cost = 0;
};

Doubts doubts_of(const Inference& all) {
  const Outcome& storage = all.found.survivors.front().outcome;
  const PerfOutcome& perf = all.perf_outcomes.front();
  return {storage.contradictions + perf.contradictions, storage.cost() + perf.cost()};
}

// A release or setting that explains the storage with fewer dtypes of single tables excludes the others. Where it does
// not explain the perf, one of those may.
bool search_others_by_perf(Others others, const InferOptions& options, Inference& all) {
  constexpr std::int64_t kSeveral = 2, kDoubtful = 3;
  if (options.effort != Effort::exhaustive || all.perf_outcomes.empty()) return false;
  const Doubts doubts = doubts_of(all);
  const std::int64_t of_perf = all.perf_outcomes.front().contradictions;
  // Another dtype explains a single wrong cell too easily, dtypes by another release do not.
  const bool is_one_enough = others == Others::releases;
  if (of_perf < (is_one_enough ? 1 : kSeveral) || doubts.cost < kDoubtful) return false;
  // Where cells of storage are wrong as well, so are those of perf.
  if (others == Others::settings && doubts.contradictions > of_perf) return false;
  InferOptions likeliest = options;
  likeliest.alternatives = false;
  Inference other = begun(*all.inputs.printed, likeliest);
  other.found = search_others(other.inputs, other.fixed, all.found, others, likeliest);
  if (other.found.survivors.empty()) return false;
  const auto wrong_storage = [](const Inference& of) { return of.found.survivors.front().outcome.contradictions; };
  if (others == Others::settings && wrong_storage(other) > wrong_storage(all)) return false;
  narrow_survivors(likeliest, other);
  find_perf(likeliest, other);
  if (other.perf_outcomes.empty()) return false;
  const Doubts left = doubts_of(other);
  const bool explains_more =
      (is_one_enough && left.contradictions == 0) || left.contradictions + kSeveral <= doubts.contradictions;
  if (!explains_more || left.cost > doubts.cost) return false;
  all.found = search_others(all.inputs, all.fixed, all.found, others, options);
  return true;
}

void fill_in_perf(const InferOptions& options, Inference& all) {
  fill_printed_ranks(all.perf, all.plan);
  if (!all.perf_outcomes.empty()) fill_perf(all.perf_outcomes, all.inputs, all.perf, options.alternatives, all.plan);
}

// Bounds of all that explains the log rest on that anyway.
void compare_columns(const InferOptions& options, Inference& all) {
  if (options.alternatives || all.found.survivors.empty()) return;
  const Outcome& best = all.found.survivors.front().outcome;
  if (best.contradictions == 0) all.plan.columns_agree = columns_agree(all.inputs, best, SumBounds(all.inputs, best));
}

// How far the search went.
void note_effort(Inference& all) {
  all.plan.gave_up |= all.found.gave_up;
  all.plan.first_look = all.found.first_look;
}

void finish(const InferOptions& options, Inference& all) {
  prefer_by_perf(all.inputs, all.perf_outcomes, options, all.found, all.plan);
  list_alternatives(all.found, all.plan);
  note_effort(all);
  infer_reservation(all.inputs, all.found, all.plan);
  list_assumptions(all.inputs, all.found, options, all.plan);
  if (options.keep_precedent) all.plan.precedent = make_precedent(all.inputs, all.found, all.perf, all.perf_outcomes);
}

}  // namespace

Inference run_inference(const PrintedPlan& printed, const InferOptions& options) {
  Inference all = begun(printed, options);
  all.found = search(all.inputs, all.fixed, options, options.first_look.get());
  narrow_survivors(options, all);
  // Where no storage of tables is printed, perf may tell their dtypes.
  if (!options.perf_anyhow && all.found.gave_up && prints_storage(all.inputs)) {
    rebuild_plan(options, all);
    all.plan.perf_left_out = true;
    note_effort(all);
    return all;
  }
  if (options.perf) {
    find_perf(options, all);
    const auto look_again = [&] {
      narrow_survivors(options, all);
      find_perf(options, all);
    };
    if (keep_groups_of_perf(all)) look_again();
    if (search_with_dtypes_of_perf(options, all)) {
      look_again();
    } else if (search_others_by_perf(Others::releases, options, all) ||
               search_others_by_perf(Others::settings, options, all)) {
      look_again();
      if (search_with_dtypes_of_perf(options, all)) look_again();
    }
    if (narrow_by_perf(all.inputs, all.perf, all.perf_outcomes, options, all.found) && options.alternatives)
      look_again();
  }
  rebuild_plan(options, all);
  compare_columns(options, all);
  if (options.perf) fill_in_perf(options, all);
  finish(options, all);
  return all;
}

std::optional<Inference> run_inference_like(const Precedent& precedent, const PrintedPlan& printed,
                                            const InferOptions& options) {
  Inference all = begun(printed, options);
  if (!all.inputs.sized) return std::nullopt;
  all.found = search_like(precedent, all.inputs, all.fixed);
  if (all.found.survivors.empty()) return std::nullopt;
  narrow_survivors(options, all);
  rebuild_plan(options, all);
  if (options.perf) {
    all.perf = read_perf(all.inputs, all.found);
    all.perf_outcomes = perf_like(precedent, all.inputs, all.found, all.perf);
    if (all.perf_outcomes.size() != precedent.perf.size()) return std::nullopt;
    fill_in_perf(options, all);
  }
  finish(options, all);
  return all;
}

}  // namespace infer_detail

Plan infer(const PrintedPlan& printed, const InferOptions& options) {
  return std::move(infer_detail::run_inference(printed, options).plan);
}

std::optional<Plan> infer_like(const Precedent& precedent, const PrintedPlan& printed, const InferOptions& options) {
  auto all = infer_detail::run_inference_like(precedent, printed, options);
  if (!all) return std::nullopt;
  return std::move(all->plan);
}

}  // namespace shardstats
