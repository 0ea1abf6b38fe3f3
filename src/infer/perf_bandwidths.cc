#include "infer/perf_bandwidths.h"

#include <algorithm>
#include <utility>

#include "shardstats/numbers/most_shared.h"

namespace shardstats::infer_detail {
namespace {

constexpr int kRounds = 12;
constexpr std::size_t kOneWrongIn = 12;  // numbers: so many wrong ones are put up with
constexpr double kRoughly = 0.01;
static_assert(kUnknowns == kBandwidths.size());

class BandwidthFit {
 public:
  BandwidthFit(const FitTables& tables, UnitCosts& costs, PerfFit& fit) : tables_(tables), costs_(costs), fit_(fit) {}

  void run() {
    add_tables();
    if (tables_.all)
      for (const PerfRank& rank : tables_.perf.ranks) add_rank(rank);
    Box box = start();
    for (int round = 0; round < kRounds; ++round)
      if (!system_.narrow(box)) break;
    take(box);
  }

 private:
  void add(Coefficients a, const std::optional<RealInterval>& printed) {
    if (!printed) return;
    RealInterval left = with_rounding(*printed);
    if (fit_.kept) {
      const RealInterval kept = default_bandwidths().*kBandwidths[*fit_.kept];
      left = left - std::exchange(a[*fit_.kept], {}) * reciprocal(kept);
    }
    system_.add(a, left);
  }

  void add_tables() {
    by_table_.resize(tables_.perf.tables.size());
    of_shard_.reserve(tables_.fitted.size());
    for (const std::uint32_t t : tables_.fitted) {
      const auto costs = costs_.of(t, tables_.codec_of(t), fit_.backward, fit_.weighted_backward);
      if (!costs) continue;
      of_shard_.push_back(*costs);
      by_table_[t] = static_cast<std::uint32_t>(of_shard_.size());
      for (std::size_t c = 0; c < kPerfCells; ++c) {
        if (!tables_.perf.tables[t].printed[c]) continue;
        Coefficients a;
        for (std::size_t k = 0; k < kUnknowns; ++k) a[k] = (*costs)[c][k] * exactly(costs_.shards(t));
        add(a, tables_.perf.tables[t].printed[c]);
      }
    }
  }

  const CellCoefficients& of_shard(std::uint32_t t) const { return of_shard_[by_table_[t] - 1]; }

  bool has_total(std::uint32_t t) const {
    return by_table_[t] > 0 && std::ranges::any_of(of_shard(t)[kPerfTotal], is_used);
  }

  void add_rank(const PerfRank& rank) {
    if (!rank.known || !std::ranges::all_of(rank.shards, [&](const auto& s) { return has_total(s.first); })) return;
    for (std::size_t c = 0; c < kPerfCells; ++c) {
      if (!rank.printed[c] && !rank.maxima[c]) continue;
      Coefficients sum{};
      for (const auto& [t, count] : rank.shards)
        for (std::size_t k = 0; k < kUnknowns; ++k) sum[k] = sum[k] + of_shard(t)[c][k] * exactly(count);
      add(sum, rank.printed[c]);
      add(sum, rank.maxima[c]);
    }
  }

  // Numbers that depend on one bandwidth alone bound it; the others start around the least squares.
  Box start() {
    Values usual;
    for (std::size_t k = 0; k < kUnknowns; ++k) usual[k] = 1 / (default_bandwidths().*kBandwidths[k]).low;
    const auto alone = system_.alone();
    const auto is_open = [&](std::size_t k) { return alone[k].empty() && system_.uses(k); };
    Box box;
    bool any_open = false;
    for (std::size_t k = 0; k < kUnknowns; ++k) {
      box[k] = most_shared(alone[k], kAnyReciprocal, usual[k], alone[k].size() / kOneWrongIn);
      any_open |= is_open(k);
    }
    const double still = tables_.rough || fit_.solution ? kRoughly : 0;
    const auto estimate = any_open ? system_.around_solution(usual, still, fit_.solution) : std::nullopt;
    if (!estimate) return box;
    Values& solution = fit_.solution.emplace();
    for (std::size_t k = 0; k < kUnknowns; ++k) {
      solution[k] = middle((*estimate)[k]);
      if (is_open(k)) box[k] = narrowed(box[k], at_least((*estimate)[k], kAnyReciprocal.low));
    }
    return box;
  }

  static RealInterval at_least(RealInterval x, double least) {
    return {std::max(x.low, least), std::max(x.high, least)};
  }

  void take(const Box& box) {
    const Bandwidths<RealInterval> defaults = default_bandwidths();
    for (std::size_t k = 0; k < kUnknowns; ++k) {
      if (!system_.uses(k)) continue;
      fit_.bounded.*kBandwidthFlags[k] = true;
      const RealInterval found = reciprocal(box[k]);
      const RealInterval usual = defaults.*kBandwidths[k];
      const bool is_usual = found.contains(usual.low);
      fit_.freedoms += !is_usual;
      if (!is_usual || found.width() > kNarrow * usual.low) fit_.bandwidths.*kBandwidths[k] = found;
    }
    Box reciprocals;
    for (std::size_t k = 0; k < kUnknowns; ++k) reciprocals[k] = reciprocal(fit_.bandwidths.*kBandwidths[k]);
    fit_.contradictions += system_.contradicted(reciprocals);
  }

  const FitTables& tables_;
  UnitCosts& costs_;
  PerfFit& fit_;
  std::vector<CellCoefficients> of_shard_;  // of the tables with known costs
  std::vector<std::uint32_t> by_table_;     // its place among those, from 1 on; 0: none
  LinearSystem system_;
};

}  // namespace

void fit_bandwidths(const FitTables& tables, UnitCosts& costs, PerfFit& fit) { BandwidthFit(tables, costs, fit).run(); }

}  // namespace shardstats::infer_detail
