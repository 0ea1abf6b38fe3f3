// How well a perf hypothesis explains the printed perf cells. Private to src/infer.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "infer/perf_model.h"

namespace shardstats::infer_detail {

// Perf of each table that has one. Of tables without, hundreds of hypotheses may be kept; those that are alike share
// one.
class TablePerfs {
 public:
  explicit TablePerfs(std::size_t tables = 0) : places_(tables, kNone) { known_.reserve(tables); }
  std::size_t size() const { return places_.size(); }
  // Once for each table. Calls f(perf) to fill its perf in; false: it has none.
  template <class F>
  bool add(std::size_t t, F f) {
    const bool has_perf = f(known_.emplace_back());
    if (has_perf)
      places_[t] = static_cast<std::uint32_t>(known_.size() - 1);
    else
      known_.pop_back();
    return has_perf;
  }
  void set(std::size_t t, const std::optional<TablePerf>& perf) {
    if (perf) add(t, [&](TablePerf& own) { return own = *perf, true; });
  }
  // The perf of the table before, which has one.
  void share_previous(std::size_t t) { places_[t] = places_[t - 1]; }
  // Null without.
  const TablePerf* operator[](std::size_t t) const { return places_[t] == kNone ? nullptr : &known_[places_[t]]; }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> places_;  // by table, in known_
  std::vector<TablePerf> known_;
};

struct FitPair;

struct PerfOutcome {
  PerfHypothesis hypothesis;
  FittedValues values;  // that explain the log: those of the hypothesis and maybe others
  Bandwidths<bool> bounded{true, true, true, true, true, true};  // by what is printed
  std::vector<std::uint64_t> codecs;                             // by sharder: those that contradict the fewest cells
  std::shared_ptr<const FitPair> fits;                           // with these codecs, if it comes from one of the two
  TablePerfs tables;
  std::vector<PerfCells> ranks;
  std::vector<std::uint32_t> wrong_in_rank;  // bit sets of cells
  std::optional<RealInterval> all_ranks;     // the total of all tables, where PerfInputs::printed_total contradicts it
  std::int64_t contradictions = 0, freedoms = 0;
  std::int64_t odd = 0;  // of the freedoms, for bandwidths that nobody sets
  // Contradicted numbers that follow from the totals of the ranks. A wrong cell makes none of them wrong: where cells
  // are contradicted, they tell a wrong hypothesis from a wrong log.
  std::int64_t statistics = 0;
  std::int64_t cost() const { return contradictions + freedoms + statistics; }
};

// Does it take an element size for the table, or for some table, that the storage half leaves it none of?
bool has_other_size(const PerfOutcome& outcome, std::uint32_t t);
std::int64_t tables_of_other_sizes(const PerfOutcome& outcome);  // how many such tables
bool has_other_sizes(const PerfOutcome& outcome);

std::int64_t printed_cells(const PerfTable& table);

class PerfEvaluation {
 public:
  static constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

  // `alternatives`: bounds cover all codecs that fit, not only the likeliest.
  PerfEvaluation(const PlanInputs& plan, const PerfInputs& perf, bool alternatives)
      : plan_(plan), perf_(perf), alternatives_(alternatives), cell_elements_(plan) {}

  // `allowed`: codecs by sharder that are tried. With `limit` contradicted cells or more the outcome is cut short
  // and may hold nothing else, not even codecs.
  PerfOutcome run(const PerfHypothesis& h, const std::vector<std::uint64_t>& allowed, std::int64_t limit = kNoLimit);
  // How many printed numbers of some tables the hypothesis contradicts with the best codecs for each sharder.
  std::int64_t probe(const PerfHypothesis& h, const std::vector<std::uint64_t>& allowed, std::size_t tables);

 private:
  const PlanInputs& plan_;
  const PerfInputs& perf_;
  bool alternatives_;
  CellElements cell_elements_;
};

}  // namespace shardstats::infer_detail
