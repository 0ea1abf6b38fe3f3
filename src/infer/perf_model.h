// What every table costs in ms under one perf hypothesis, compared with the printed perf cells (perf-model.md).
// Private to src/infer.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "infer/element_sizes.h"
#include "infer/perf_hypothesis.h"
#include "infer/rank_statistics.h"
#include "infer/search.h"
#include "shardstats/planner/perf.h"

namespace shardstats::infer_detail {

// The numbers of a perf cell, or their bounds in ms: the five components, then the total.
inline constexpr std::size_t kPerfTotal = kPerfParts, kPerfCells = kPerfParts + 1;
constexpr std::size_t at(PerfPart part) { return static_cast<std::size_t>(part); }
using PerfCells = std::array<RealInterval, kPerfCells>;
// The parts by index, then the total.
inline RealInterval& perf_cell(PlanPerf& perf, std::size_t cell) {
  return cell < kPerfParts ? perf.parts[cell] : perf.total;
}
inline RealInterval perf_cell(const PlanPerf& perf, std::size_t cell) {
  return cell < kPerfParts ? perf.parts[cell] : perf.total;
}

// How many of them a bit set holds: std::popcount is a function call, as not all processors have it.
inline constexpr auto kCellCounts = [] {
  std::array<std::uint8_t, 1u << kPerfCells> counts{};
  for (std::size_t bits = 1; bits < counts.size(); ++bits)
    counts[bits] = static_cast<std::uint8_t>(counts[bits / 2] + bits % 2);
  return counts;
}();
inline std::int64_t count_cells(std::uint32_t bits) { return kCellCounts[bits]; }

// What is printed of them, in less memory than so many optional bounds.
class PrintedPerfCells {
 public:
  void set(std::size_t cell, const std::optional<RealInterval>& bounds) {
    if (!bounds) return;
    bounds_[cell] = *bounds;
    printed_ |= 1u << cell;
  }
  bool has(std::size_t cell) const { return (printed_ >> cell & 1) != 0; }
  // Constant, so that nothing is assigned to it in vain.
  const std::optional<RealInterval> operator[](std::size_t cell) const {
    return has(cell) ? std::optional(bounds_[cell]) : std::nullopt;
  }
  RealInterval bounds(std::size_t cell) const { return bounds_[cell]; }  // of a printed one
  std::uint32_t all() const { return printed_; }                         // as a bit set
  // The total tells most apart.
  friend bool operator==(const PrintedPerfCells& a, const PrintedPerfCells& b) {
    return a.bounds_.back() == b.bounds_.back() && a.printed_ == b.printed_ && a.bounds_ == b.bounds_;
  }
  // Those that other numbers contradict, as a bit set.
  std::uint32_t contradicted(const PerfCells& cells) const {
    std::uint32_t wrong = 0;
    for (std::size_t c = 0; c < kPerfCells; ++c)
      if (!bounds_[c].overlaps(cells[c])) wrong |= 1u << c;
    return wrong & printed_;
  }

 private:
  PerfCells bounds_{};
  std::uint32_t printed_ = 0;  // a bit each
};

struct PerfTable {
  PrintedPerfCells printed;
  RealInterval cols{};           // e; before v0.5.0 the last column block may be wider than the others
  std::uint32_t sharder = 0;     // tables of one sharder share its codecs
  std::optional<bool> weighted;  // not printed before v0.5.0
  bool weighted_lost = false;    // the planner printed it, this log has lost it
  bool known = false;            // the formulas have all they need
  friend bool operator==(const PerfTable&, const PerfTable&) = default;
};

using ShardsOnRank = std::pair<std::uint32_t, double>;  // a table, number of its shards

struct PerfRank {
  bool known = false;                    // all tables on it are
  std::span<const ShardsOnRank> shards;  // by table; but for those everywhere
  PrintedPerfCells printed;              // the row
  PrintedPerfCells maxima;               // of the lines that name this rank first
};

struct PerfInputs {
  std::vector<PerfTable> tables;
  std::vector<PerfRank> ranks;
  std::vector<ShardsOnRank> shards;  // of the ranks, one after the other
  std::vector<std::uint32_t> told;   // ranks that have some number: a damaged list may name many more than have a row
  // Tables with one shard on every rank, as row-wise and data-parallel ones are: ranks have them in common, so that
  // what they cost is added up once. None if there is one rank only.
  std::vector<std::uint32_t> everywhere;
  std::vector<RankStatistic> statistics;
  // Of all ranks together, ms; where it says more than each rank by itself: a hidden width of column blocks may move
  // perf between ranks, but never adds any.
  std::optional<RealInterval> printed_total;
  std::uint32_t sharders = 1;

  PerfInputs() = default;
  PerfInputs(PerfInputs&&) = default;  // and no copies: those would have the shards of the original
  PerfInputs& operator=(PerfInputs&&) = default;
};
// Of the tables that the survivors leave sizes.
PerfInputs read_perf(const PlanInputs& plan, const SearchResult& found);
// Does some table print its perf? Ranks alone do not tell bandwidths and codecs apart.
bool tells_perf(const PerfInputs& perf);

// r, the caching ratio as perf takes it.
RealInterval perf_ratio(const PerfHypothesis& h, const TableInputs& table, const Parts& parts);
// n; for an empty plan it depends on the hypothesis.
double shards_of(const PerfHypothesis& h, std::uint32_t t);

// What a table may have besides its codecs.
struct PerfOption {
  double element_size;
  bool weighted, prefetch_pipeline;
};
struct PerfOptions {
  std::array<PerfOption, 12> options;  // the first `count` are set
  std::size_t count = 0;
  void add(PerfOption option) { options[count++] = option; }
  const PerfOption* begin() const { return options.data(); }
  const PerfOption* end() const { return options.data() + count; }
};
PerfOptions perf_options(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf, std::uint32_t t);
// All with one element size, likely or not.
PerfOptions perf_options(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf, std::uint32_t t,
                         int element);
PerfFacts<RealInterval> perf_facts(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf,
                                   std::uint32_t t, PerfOption option, Codecs codecs);
// Is the table's prefetch time hidden? It depends on statistics that are not printed (3.6).
bool prefetch_hidden(const PerfHypothesis& h, const TableInputs& table);

// Bounds over the options that contradict the fewest printed numbers, and those as a bit set.
struct TablePerf {
  PerfOption option{};  // the first of them
  PerfCells cells{};    // of the whole table
  PerfCells shard{};    // of any one shard
  double shards = 0;
  std::uint32_t contradicted = 0;
  bool other_sizes = false;  // element sizes that only the table's own cells allow were looked at
};
// What `here` of its `shards` shards take together. Where that is all of them, its cells say more than any one of them.
inline RealInterval together(const TablePerf& table, std::size_t cell, double here, double shards) {
  const RealInterval sum = table.shard[cell] * exactly(here);
  return here == shards ? narrowed(sum, table.cells[cell]) : sum;
}
inline PerfCells together(const TablePerf& table, double here, double shards) {
  PerfCells sum;
  for (std::size_t c = 0; c < kPerfCells; ++c) sum[c] = together(table, c, here, shards);
  return sum;
}
// With one option and codecs.
std::optional<TablePerf> option_perf(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf,
                                     std::uint32_t t, PerfOption option, Codecs codecs);
// The options that contradict so few with those codecs.
std::vector<PerfOption> best_options(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf,
                                     std::uint32_t t, Codecs codecs, CellElements& other_sizes);
// Over all of these, such as perf_options(). False: the kernel's bandwidth is not known.
bool find_table_perf(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf, std::uint32_t t,
                     const PerfOptions& options, Codecs codecs, TablePerf& found);
// Over all that the hypothesis leaves.
bool find_table_perf(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf, std::uint32_t t,
                     Codecs codecs, TablePerf& found);
// Where what was found contradicts anything, goes on with element sizes that only the table's own cells allow.
void try_other_sizes(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf, std::uint32_t t,
                     Codecs codecs, CellElements& other_sizes, TablePerf& found);

// Do two tables of equal PerfTables have the same perf, with any codecs? But for element sizes that only a table's own
// cells allow.
bool have_same_perf(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf, std::uint32_t a,
                    std::uint32_t b);

void widen(TablePerf& perf, const TablePerf& other);

// The planner adds shard after shard: its sums differ from n times one shard in the last bits.
inline RealInterval with_rounding(RealInterval x) {
  constexpr double kRounding = 1e-12;  // relative
  return {x.low * (1 - kRounding), x.high * (1 + kRounding)};
}

}  // namespace shardstats::infer_detail
