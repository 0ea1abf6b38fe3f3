// Hypotheses of one block, looked at again for another. Private to src/infer.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "infer/linear_system.h"
#include "infer/match_output.h"
#include "infer/perf_evaluation.h"
#include "infer/search.h"
#include "shardstats/infer/precedent.h"

namespace shardstats::infer_detail {

// What is left of one table: its variants, and options that index them.
struct TablePrecedent {
  ShortVector<Variant, 1> variants;
  ShortVector<std::uint64_t, 1> combos;  // of the options, by variant: bit sets
  Options options;
  friend bool operator==(const TablePrecedent& a, const TablePrecedent& b) {
    return std::ranges::equal(a.options, b.options) && std::ranges::equal(a.variants, b.variants);
  }
};
// Those of the tables of a plan, of which many are alike.
class TablePrecedents {
 public:
  void add(TablePrecedent table);
  std::size_t size() const { return kinds_of_.size(); }
  const TablePrecedent& operator[](std::size_t t) const { return kinds_[kinds_of_[t]]; }

 private:
  std::vector<TablePrecedent> kinds_;
  std::vector<std::uint32_t> kinds_of_;  // by table
};

struct SurvivorPrecedent {
  Setting setting;
  bool uniform = true;
  SplitRows split = SplitRows::evenly;
  int pair = 0;
  std::int64_t freedoms = kNoLimit;  // what the hypothesis may cost
  TablePrecedents tables;
  Assignments assignments;
};

struct PerfPrecedent {
  std::size_t survivor = 0;           // the storage half of the hypothesis
  PerfHypothesis hypothesis;          // with the default bandwidths, without its outcome
  std::vector<std::uint64_t> codecs;  // by sharder: a set of the likeliest one
  bool is_fitted = false;             // its bandwidths are fitted anew
  bool usual_bandwidths = true;       // it has the usual ones
  bool usual_multipliers = true;      // the usual ones are among those that explain the log
  std::optional<Box> estimate;        // in which that starts
  std::int64_t freedoms = 0;          // what it may cost
  std::vector<double> element_sizes;  // by table, which the storage half may rest on; 0: not known
};

}  // namespace shardstats::infer_detail

namespace shardstats {

class Precedent {
 public:
  std::vector<infer_detail::SurvivorPrecedent> survivors;
  std::vector<infer_detail::Excluded> excluded;
  std::vector<infer_detail::PerfPrecedent> perf;
};

}  // namespace shardstats

namespace shardstats::infer_detail {

// None if a printed number contradicts any of them, or if this block would not be explained by it.
std::shared_ptr<const Precedent> make_precedent(const PlanInputs& plan, SearchResult& found, const PerfInputs& perf,
                                                const std::vector<PerfOutcome>& perf_outcomes);

// What search() and infer_perf() would find if nothing but the precedent's hypotheses were looked at; empty if a
// printed number contradicts one of them.
SearchResult search_like(const Precedent& precedent, const PlanInputs& plan, const FixedSetting& fixed);
std::vector<PerfOutcome> perf_like(const Precedent& precedent, const PlanInputs& plan, const SearchResult& found,
                                   const PerfInputs& perf);

}  // namespace shardstats::infer_detail
