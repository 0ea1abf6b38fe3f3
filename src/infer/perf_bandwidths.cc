#include "infer/perf_bandwidths.h"

#include <algorithm>
#include <span>
#include <utility>

#include "shardstats/numbers/most_shared.h"

namespace shardstats::infer_detail {
namespace {

constexpr int kRounds = 12;
constexpr std::size_t kOneWrongIn = 12;  // numbers: so many wrong ones are put up with
constexpr double kRoughly = 0.01;
static_assert(kUnknowns == kBandwidths.size());

RealInterval default_reciprocal(std::size_t bandwidth) {
  return reciprocal(default_bandwidths().*kBandwidths[bandwidth]);
}

// Adds one printed number. `kept`: the bandwidth that stays at its default.
void add_number(Coefficients a, const std::optional<RealInterval>& printed, std::optional<std::size_t> kept,
                LinearSystem& system) {
  if (!printed) return;
  RealInterval left = with_rounding(*printed);
  if (kept) left = left - std::exchange(a[*kept], {}) * default_reciprocal(*kept);
  system.add(a, left);
}

using ShardCosts = std::span<const BandwidthCost>;

// Adds those of a table, given what one of its shards costs.
void add_cells(const FitTables& tables, std::uint32_t t, double shards, ShardCosts of_shard,
               std::optional<std::size_t> kept, LinearSystem& system) {
  const PrintedPerfCells& printed = tables.perf.tables[t].printed;
  for (std::size_t c = 0; c < kPerfCells; ++c) {
    if (!printed[c]) continue;
    const auto of_table = [&](const BandwidthCost& cost) { return cost.cells[c] * exactly(shards); };
    RealInterval left = with_rounding(*printed[c]);
    for (const BandwidthCost& cost : of_shard)
      if (cost.bandwidth == kept) left = left - of_table(cost) * default_reciprocal(*kept);
    system.add_terms(left, [&](auto add_term) {
      for (const BandwidthCost& cost : of_shard)
        if (cost.bandwidth != kept) add_term(cost.bandwidth, of_table(cost));
    });
  }
}

class BandwidthFit {
 public:
  BandwidthFit(const FitTables& tables, TableNumbers& numbers, PerfFit& fit)
      : tables_(tables), numbers_(numbers), fit_(fit) {}

  void run() {
    add_tables();
    if (tables_.all) add_ranks();
    find_alone();
    if (std::ranges::find(is_open_, true) == is_open_.end())
      take(cut(alone_));
    else
      take(by_solution());
  }

 private:
  void add_tables() {
    const bool rough = tables_.rough && !fit_.kept;
    if (tables_.all) by_table_.resize(tables_.perf.tables.size());
    if (!rough) costs_.reserve(kUnknowns * tables_.fitted.size());
    system_.reserve(kPerfCells * tables_.fitted.size());
    for (const std::uint32_t t : tables_.fitted) {
      const ShardCosts of_shard = rough ? add_known(t) : add_table(t);
      if (tables_.all) by_table_[t] = of_shard;
    }
  }

  ShardCosts add_known(std::uint32_t t) {
    const TableNumbers::Numbers& known = numbers_.of(tables_, t, fit_);
    system_.append(known.cells);
    return known.of_shard;
  }
  ShardCosts add_table(std::uint32_t t) {
    UnitCosts& costs = numbers_.costs();
    const std::size_t first = costs_.size();
    costs.append(t, tables_.codec_of(t), fit_.backward, fit_.weighted_backward, costs_);
    const ShardCosts of_shard = ShardCosts(costs_).subspan(first);
    add_cells(tables_, t, costs.shards(t), of_shard, fit_.kept, system_);
    return of_shard;
  }

  bool has_total(std::uint32_t t) const {
    return std::ranges::any_of(by_table_[t], [](const BandwidthCost& cost) { return is_used(cost.cells[kPerfTotal]); });
  }

  using Sums = std::array<Coefficients, kPerfCells>;  // by cell

  // Adds what the table's shards on a rank cost; false if that is not known.
  bool add(std::uint32_t t, double here, Sums& sums) const {
    if (!has_total(t)) return false;
    for (const BandwidthCost& cost : by_table_[t])
      for (std::size_t c = 0; c < kPerfCells; ++c) {
        RealInterval& sum = sums[c][cost.bandwidth];
        sum = sum + cost.cells[c] * exactly(here);
      }
    return true;
  }

  void add_ranks() {
    Sums common{};
    const bool known = std::ranges::all_of(tables_.perf.everywhere, [&](std::uint32_t t) { return add(t, 1, common); });
    if (!known) return;
    for (const PerfRank& rank : tables_.perf.ranks) add_rank(rank, common);
  }

  // `sums`: of the tables that every rank has.
  void add_rank(const PerfRank& rank, Sums sums) {
    const auto add_shards = [&](const auto& shards) { return add(shards.first, shards.second, sums); };
    if (!rank.known || !std::ranges::all_of(rank.shards, add_shards)) return;
    for (std::size_t c = 0; c < kPerfCells; ++c) {
      add_number(sums[c], rank.printed[c], fit_.kept, system_);
      add_number(sums[c], rank.maxima[c], fit_.kept, system_);
    }
  }

  // Numbers that depend on one bandwidth alone bound it.
  void find_alone() {
    const auto alone = system_.alone();
    for (std::size_t k = 0; k < kUnknowns; ++k) {
      alone_[k] = most_shared(alone[k], kAnyReciprocal, usual_[k], alone[k].size() / kOneWrongIn);
      is_open_[k] = alone[k].empty() && system_.uses(k);
    }
  }

  Box by_solution() {
    const std::optional<Values> from = fit_.solution;
    LeastResiduals solution(system_, usual_, from);
    const Box around = start(solution, kRoughly), box = cut(around);
    // Where numbers that agree cut off all ends of the start, a better one would lead to nearly the same.
    const bool is_enough = tables_.rough || from || (is_cut(around, box) && system_.contradicted(box) == 0);
    return is_enough ? box : cut(start(solution, 0));
  }

  // Unknowns that no number gives alone start around the solution. `still`: as LeastResiduals has it.
  Box start(LeastResiduals& residuals, double still) {
    Box box = alone_;
    const auto estimate = residuals.around(still);
    if (!estimate) return box;
    Values& solution = fit_.solution.emplace();
    for (std::size_t k = 0; k < kUnknowns; ++k) {
      solution[k] = middle((*estimate)[k]);
      if (is_open_[k]) box[k] = narrowed(box[k], at_least((*estimate)[k], kAnyReciprocal.low));
    }
    return box;
  }

  Box cut(Box box) const {
    system_.narrow(box, kRounds);
    return box;
  }

  bool is_cut(const Box& before, const Box& after) const {
    for (std::size_t k = 0; k < kUnknowns; ++k)
      if (is_open_[k] && (after[k].low <= before[k].low || after[k].high >= before[k].high)) return false;
    return true;
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

  static Values usual_reciprocals() {
    Values usual;
    for (std::size_t k = 0; k < kUnknowns; ++k) usual[k] = 1 / (default_bandwidths().*kBandwidths[k]).low;
    return usual;
  }

  const FitTables& tables_;
  TableNumbers& numbers_;
  PerfFit& fit_;
  const Values usual_ = usual_reciprocals();
  Box alone_{};
  std::array<bool, kUnknowns> is_open_{};
  std::vector<BandwidthCost> costs_;  // of tables that are fitted this once; with room for all
  std::vector<ShardCosts> by_table_;  // of one shard; none if nothing is known
  LinearSystem system_;
};

}  // namespace

const TableNumbers::Numbers& TableNumbers::of(const FitTables& tables, std::uint32_t t, const PerfFit& fit) {
  const auto [found, is_new] = known_.try_emplace(t * kCodecs + tables.codec_of(t));
  Numbers& known = found->second;
  if (!is_new && known.backward == fit.backward && known.weighted_backward == fit.weighted_backward) return known;
  known.backward = fit.backward;
  known.weighted_backward = fit.weighted_backward;
  known.of_shard.clear();
  known.cells.clear();
  costs_.append(t, tables.codec_of(t), fit.backward, fit.weighted_backward, known.of_shard);
  if (known.of_shard.empty()) return known;
  known.cells.reserve(kPerfCells);
  add_cells(tables, t, costs_.shards(t), known.of_shard, std::nullopt, known.cells);
  return known;
}

void fit_bandwidths(const FitTables& tables, TableNumbers& numbers, PerfFit& fit) {
  BandwidthFit(tables, numbers, fit).run();
}

}  // namespace shardstats::infer_detail
