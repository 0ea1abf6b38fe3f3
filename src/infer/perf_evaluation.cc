#include "infer/perf_evaluation.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "infer/perf_fit.h"
#include "infer/wire_classes.h"

namespace shardstats::infer_detail {
namespace {

constexpr std::int64_t kCodecsFarBehind = 8;  // contradicted cells by which codecs have to be worse to be given up
constexpr std::int64_t kHopeless = 200;       // contradicted cells that no dtypes of single tables explain any more
constexpr std::uint8_t kNoCodecs = 0xff;

using Counts = std::array<std::int64_t, kCodecs>;  // contradicted cells by codec

// Leaves the codecs that have at most so many cells more than the best ones; returns how many those have.
std::int64_t keep_best(const Counts& wrong, std::int64_t more, std::uint64_t& codecs) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  each_bit(codecs, [&](int c) { least = std::min(least, wrong[static_cast<std::size_t>(c)]); });
  each_bit(codecs, [&](int c) {
    if (wrong[static_cast<std::size_t>(c)] > least + more) codecs &= ~(std::uint64_t{1} << c);
  });
  return least;
}

bool holds(RealInterval all, RealInterval part) { return all.low <= part.low && part.high <= all.high; }

// Equal shards share what the printed cell leaves. One that leaves all says nothing of them, either.
void narrow_by_cells(const PerfTable& table, TablePerf& perf) {
  const std::uint32_t narrowing = table.printed.all() & ~perf.contradicted;
  for (std::size_t c = 0; c < kPerfCells; ++c) {
    if (holds(table.printed.bounds(c), perf.cells[c]) || (narrowing >> c & 1) == 0) continue;
    perf.cells[c] = narrowed(perf.cells[c], table.printed.bounds(c));
    if (table.cols.exact())
      perf.shard[c] = narrowed(perf.shard[c], with_rounding(perf.cells[c] * exactly(1 / perf.shards)));
  }
}

class HypothesisEvaluation {
 public:
  HypothesisEvaluation(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf, bool alternatives,
                       CellElements& cell_elements)
      : h_(h), plan_(plan), perf_(perf), alternatives_(alternatives), cell_elements_(cell_elements) {}

  std::int64_t probe(std::vector<std::uint64_t> live, std::size_t tables) {
    std::vector<Counts> wrong(live.size());
    const std::size_t step = perf_.tables.size() / tables + 1;
    for (std::size_t t = 0; t < perf_.tables.size(); t += step) count_wrong(static_cast<std::uint32_t>(t), live, wrong);
    std::int64_t total = 0;
    for (std::size_t s = 0; s < live.size(); ++s) total += keep_best(wrong[s], 0, live[s]);
    return total;
  }

  PerfOutcome run(const std::vector<std::uint64_t>& allowed, std::int64_t limit) {
    asks_for_all_ = limit <= 1;
    const auto codecs = best_codecs(allowed);
    if (is_denied_) {
      PerfOutcome outcome;
      outcome.contradictions = 1;
      return outcome;
    }
    PerfOutcome outcome = evaluated(codecs, limit, true);
    // Sizes that only perf asks for have to bring the ranks to what is printed as well.
    if (std::ranges::none_of(outcome.wrong_in_rank, [](auto wrong) { return wrong != 0; }) || !has_other_sizes(outcome))
      return outcome;
    const std::int64_t most = outcome.contradictions;
    PerfOutcome without = evaluated(codecs, most, false);
    return without.contradictions < most && without.cost() < outcome.cost() ? without : outcome;
  }

 private:
  // Perf of a table that was found while choosing codecs and contradicts the least, without sizes of its own; with it
  // the first codecs of the same sizes.
  struct Known {
    TablePerf perf;
    std::uint8_t codecs = kNoCodecs;
  };

  // Codecs of the same sizes are the same to the table.
  const EqualCodecs& equal(std::uint32_t t) {
    const WireKind kind = wire_kind_of(plan_.tables[t]);
    auto& known = equal_[static_cast<std::size_t>(kind)];
    if (!known) known = equal_codecs(*h_.setting.rules, kind, 0);
    return *known;
  }

  std::vector<std::uint64_t> best_codecs(std::vector<std::uint64_t> live) {
    const auto is_open = [](std::uint64_t codecs) { return !std::has_single_bit(codecs); };
    if (std::ranges::none_of(live, is_open)) return live;
    known_.resize(perf_.tables.size());
    const std::vector<std::uint64_t> allowed = live;
    std::vector<Counts> wrong(live.size());
    for (std::uint32_t t = 0; t < perf_.tables.size() && !is_denied_; ++t) {
      const std::uint32_t s = perf_.tables[t].sharder;
      if (std::has_single_bit(live[s])) continue;
      const bool is_wrong = count_wrong(t, live, wrong) > 0;
      is_denied_ = is_wrong && asks_for_all_ && is_wrong_with_any(t, allowed[s]);
    }
    if (is_denied_) return live;
    std::int64_t least = 0;
    for (std::size_t s = 0; s < live.size(); ++s) least += keep_best(wrong[s], 0, live[s]);
    if (kManyContradictions <= least && least < kHopeless)
      choose_with_other_sizes(live = allowed);
    else if (0 < least && least < kHopeless && std::ranges::any_of(live, is_open))
      choose_with_other_sizes(live);
    return live;
  }

  // Codecs that are the same for the sizes which storage leaves may differ for others that a table needs. Where many
  // tables do, the right codecs may be far behind with those that storage leaves.
  void choose_with_other_sizes(std::vector<std::uint64_t>& live) {
    std::vector<Counts> wrong(live.size());
    for (std::uint32_t t = 0; t < perf_.tables.size(); ++t) {
      const std::size_t s = perf_.tables[t].sharder;
      if (!perf_.tables[t].known || std::has_single_bit(live[s])) continue;
      const PerfOptions options = perf_options(h_, plan_, perf_, t);
      count_for_codecs(t, live[s], wrong[s],
                       [&](std::size_t codec) { return wrong_with_other_sizes(t, options, codec); });
    }
    for (std::size_t s = 0; s < live.size(); ++s) keep_best(wrong[s], 0, live[s]);
  }

  // A size of its own counts as a contradicted cell.
  std::int64_t wrong_with_other_sizes(std::uint32_t t, const PerfOptions& options, std::size_t codec) {
    TablePerf found;
    if (!find_table_perf(h_, plan_, perf_, t, options, codec_table()[codec], found))
      return printed_cells(perf_.tables[t]);
    const std::int64_t own = count_cells(found.contradicted);
    if (own <= 1) return own;
    try_other_sizes(h_, plan_, perf_, t, codec_table()[codec], cell_elements_, found);
    return std::min(own, count_cells(found.contradicted) + 1);
  }

  // Does it contradict a number with each of these codecs, whatever its element size?
  bool is_wrong_with_any(std::uint32_t t, std::uint64_t codecs) {
    Counts known;  // by the first codec of the same sizes
    known.fill(0);
    bool is_wrong = true;
    each_bit(codecs, [&](int c) {
      if (!is_wrong || std::exchange(known[equal(t)[static_cast<std::size_t>(c)]], 1) != 0) return;
      TablePerf perf;
      is_wrong = with_codecs(t, c, true, perf) && perf.contradicted != 0;
    });
    return is_wrong;
  }

  // Adds the table's contradicted cells for each codec that is left of its sharder. Returns the fewest.
  std::int64_t count_wrong(std::uint32_t t, std::vector<std::uint64_t>& live, std::vector<Counts>& wrong) {
    const PerfTable& table = perf_.tables[t];
    if (!table.known) return 0;
    const PerfOptions options = perf_options(h_, plan_, perf_, t);
    return count_for_codecs(t, live[table.sharder], wrong[table.sharder],
                            [&](std::size_t codec) { return wrong_cells(t, options, codec); });
  }

  // Adds the table's wrong_of(codec) for each of the codecs, and leaves those that are not far behind. Returns the
  // least.
  template <class F>
  std::int64_t count_for_codecs(std::uint32_t t, std::uint64_t& codecs, Counts& wrong, F wrong_of) {
    Counts own;  // by the first codec of the same sizes
    own.fill(-1);
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    each_bit(codecs, [&](int c) {
      const auto at = static_cast<std::size_t>(c);
      std::int64_t& of_sizes = own[equal(t)[at]];
      if (of_sizes < 0) least = std::min(least, of_sizes = wrong_of(at));
      wrong[at] += of_sizes;
    });
    keep_best(wrong, kCodecsFarBehind, codecs);
    return least;
  }

  std::int64_t wrong_cells(std::uint32_t t, const PerfOptions& options, std::size_t codec) {
    TablePerf found;
    if (!find_table_perf(h_, plan_, perf_, t, options, codec_table()[codec], found))
      return printed_cells(perf_.tables[t]);
    const std::int64_t wrong = count_cells(found.contradicted);
    if (!known_.empty())
      if (Known& known = known_[t]; known.codecs == kNoCodecs || wrong < count_cells(known.perf.contradicted))
        known = {found, equal(t)[codec]};
    return wrong;
  }

  // `other_sizes`: tables may have element sizes that storage does not leave.
  PerfOutcome evaluated(const std::vector<std::uint64_t>& codecs, std::int64_t limit, bool other_sizes) {
    PerfOutcome outcome;
    outcome.hypothesis = h_;
    outcome.values = values_of(h_.setting);
    outcome.codecs = codecs;
    outcome.tables = TablePerfs(perf_.tables.size());
    for (std::uint32_t t = 0; t < perf_.tables.size() && outcome.contradictions < limit; ++t)
      add_table(t, other_sizes, outcome);
    if (outcome.contradictions >= limit) return outcome;
    add_ranks(outcome);
    compare_total(outcome);
    if (outcome.contradictions > 0) outcome.statistics = wrong_statistics(outcome);
    return outcome;
  }

  void add_table(std::uint32_t t, bool other_sizes, PerfOutcome& outcome) {
    const PerfTable& table = perf_.tables[t];
    if (!table.known) return;
    if (is_like_previous(t, outcome)) {
      outcome.tables.share_previous(t);
      outcome.freedoms += is_unlikely(t, *outcome.tables[t]);
      return;
    }
    const std::uint64_t codecs = outcome.codecs[table.sharder];
    const bool has_perf = outcome.tables.add(t, [&](TablePerf& perf) {
      if (!over_codecs(t, alternatives_ ? codecs : likeliest(codecs), other_sizes && outcome.contradictions < kHopeless,
                       perf))
        return false;
      narrow_by_cells(table, perf);
      outcome.contradictions += count_cells(perf.contradicted);
      outcome.freedoms += is_unlikely(t, perf);
      return true;
    });
    // Else on this device the planner could not have printed a perf.
    if (!has_perf) outcome.contradictions += printed_cells(table);
  }

  // Is its perf that of the table before, which contradicts nothing?
  bool is_like_previous(std::uint32_t t, const PerfOutcome& outcome) const {
    const TablePerf* const previous = t > 0 && !alternatives_ ? outcome.tables[t - 1] : nullptr;
    return previous != nullptr && perf_.tables[t - 1] == perf_.tables[t] && previous->contradicted == 0 &&
           !previous->other_sizes && have_same_perf(h_, plan_, perf_, t - 1, t);
  }

  bool with_codecs(std::uint32_t t, int codecs, bool other_sizes, TablePerf& perf) {
    const auto at = static_cast<std::size_t>(codecs);
    if (!known_.empty() && equal(t)[at] == known_[t].codecs)
      perf = known_[t].perf;
    else if (!find_table_perf(h_, plan_, perf_, t, codec_table()[at], perf))
      return false;
    if (other_sizes && perf.contradicted != 0)
      try_other_sizes(h_, plan_, perf_, t, codec_table()[at], cell_elements_, perf);
    return true;
  }

  // Of one at least. Those that contradict other cells than the likeliest ones would hide that all contradict some.
  bool over_codecs(std::uint32_t t, std::uint64_t codecs, bool other_sizes, TablePerf& all) {
    bool known = with_codecs(t, std::countr_zero(codecs), other_sizes, all);
    each_bit(codecs & (codecs - 1), [&](int c) {
      TablePerf one;
      known = with_codecs(t, c, other_sizes, one) && known;
      if (known && one.contradicted == all.contradicted) widen(all, one);
    });
    return known;
  }

  // A sequence taken for weighted without the log's saying so is a value of its own.
  bool is_unlikely(std::uint32_t t, const TablePerf& perf) const {
    return perf.option.weighted && plan_.tables[t].sequence && !perf_.tables[t].weighted;
  }

  // Adds what the table's shards on a rank take; false if nothing is known of it.
  bool add(const PerfOutcome& outcome, std::uint32_t t, double here, PerfCells& sum) const {
    const TablePerf* const table = outcome.tables[t];
    if (table == nullptr) return false;
    for (std::size_t c = 0; c < kPerfCells; ++c) sum[c] = sum[c] + together(*table, c, here, table->shards);
    return true;
  }

  void add_ranks(PerfOutcome& outcome) const {
    PerfCells common{};
    const bool known =
        std::ranges::all_of(perf_.everywhere, [&](std::uint32_t t) { return add(outcome, t, 1, common); });
    outcome.ranks.reserve(perf_.ranks.size());
    outcome.wrong_in_rank.reserve(perf_.ranks.size());
    for (const PerfRank& rank : perf_.ranks) add_rank(rank, common, known, outcome);
  }

  // `sum`: of the tables that every rank has; `known`: these are.
  void add_rank(const PerfRank& rank, PerfCells sum, bool known, PerfOutcome& outcome) const {
    known = known && rank.known &&
            std::ranges::all_of(rank.shards, [&](const auto& s) { return add(outcome, s.first, s.second, sum); });
    for (RealInterval& x : sum) x = with_rounding(x);
    outcome.ranks.push_back(sum);
    std::uint32_t wrong = known ? rank.printed.contradicted(sum) : 0;
    outcome.wrong_in_rank.push_back(wrong);
    if (known) wrong |= rank.maxima.contradicted(sum);
    outcome.contradictions += count_cells(wrong);
  }

  // A rank that is wrong by itself is in the total as well: then that says nothing new.
  void compare_total(PerfOutcome& outcome) const {
    if (!perf_.printed_total || std::ranges::any_of(outcome.wrong_in_rank, [](auto wrong) { return wrong != 0; }))
      return;
    RealInterval total{};
    for (std::size_t t = 0; t < perf_.tables.size(); ++t) {
      if (outcome.tables[t] == nullptr) return;
      total = total + outcome.tables[t]->cells[kPerfTotal];
    }
    if (with_rounding(total).overlaps(*perf_.printed_total)) return;
    outcome.all_ranks = total;
    ++outcome.contradictions;
  }

  std::int64_t wrong_statistics(const PerfOutcome& outcome) const {
    if (!std::ranges::all_of(perf_.ranks, &PerfRank::known)) return 0;
    const auto has_perf = [&](std::uint32_t t) { return outcome.tables[t] != nullptr; };
    bool known = std::ranges::all_of(perf_.everywhere, has_perf);
    for (const PerfRank& rank : perf_.ranks)
      known = known && std::ranges::all_of(rank.shards, has_perf, &ShardsOnRank::first);
    if (!known) return std::ssize(perf_.statistics);  // nothing gives these
    std::vector<RealInterval> totals;
    for (std::size_t r = 0; r < perf_.ranks.size(); ++r) {
      const auto& printed = perf_.ranks[r].printed[kPerfTotal];
      const RealInterval total = outcome.ranks[r][kPerfTotal];
      totals.push_back(printed && printed->overlaps(total) ? narrowed(total, *printed) : total);
    }
    return contradicted_statistics(perf_.statistics, totals);
  }

  const PerfHypothesis& h_;
  const PlanInputs& plan_;
  const PerfInputs& perf_;
  bool alternatives_;
  CellElements& cell_elements_;
  bool asks_for_all_ = false;                                 // a single contradicted number decides
  bool is_denied_ = false;                                    // then: there is one, whatever the codecs are
  std::vector<Known> known_;                                  // by table, if there was a choice of codecs
  std::array<std::optional<EqualCodecs>, kWireKinds> equal_;  // by kind, once asked for
};

}  // namespace

std::int64_t printed_cells(const PerfTable& table) { return count_cells(table.printed.all()); }

bool has_other_size(const PerfOutcome& outcome, std::uint32_t t) {
  const TablePerf* const perf = outcome.tables[t];
  return perf != nullptr && (elements_of(outcome.hypothesis, t) >> element_index(perf->option.element_size) & 1) == 0;
}

std::int64_t tables_of_other_sizes(const PerfOutcome& outcome) {
  std::int64_t tables = 0;
  for (std::uint32_t t = 0; t < outcome.tables.size(); ++t) tables += has_other_size(outcome, t);
  return tables;
}

bool has_other_sizes(const PerfOutcome& outcome) { return tables_of_other_sizes(outcome) > 0; }

PerfOutcome PerfEvaluation::run(const PerfHypothesis& h, const std::vector<std::uint64_t>& allowed,
                                std::int64_t limit) {
  return HypothesisEvaluation(h, plan_, perf_, alternatives_, cell_elements_).run(allowed, limit);
}

std::int64_t PerfEvaluation::probe(const PerfHypothesis& h, const std::vector<std::uint64_t>& allowed,
                                   std::size_t tables) {
  return HypothesisEvaluation(h, plan_, perf_, alternatives_, cell_elements_).probe(allowed, tables);
}

}  // namespace shardstats::infer_detail
