#include "infer/perf_bandwidths.h"

#include <algorithm>
#include <span>
#include <utility>

#include "shardstats/numbers/most_shared.h"

namespace shardstats::infer_detail {
namespace {

constexpr int kNarrowings = 12;
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
void add_cells(const PrintedPerfCells& printed, double shards, ShardCosts of_shard, std::optional<std::size_t> kept,
               LinearSystem& system) {
  const RealInterval usual = kept ? default_reciprocal(*kept) : RealInterval{};
  for (std::size_t c = 0; c < kPerfCells; ++c) {
    if (!printed[c]) continue;
    system.add_terms([&](auto add_term) {
      RealInterval left = with_rounding(*printed[c]);
      for (const BandwidthCost& cost : of_shard) {
        const RealInterval of_table = cost.cells[c] * exactly(shards);
        if (cost.bandwidth == kept)
          left = left - of_table * usual;
        else
          add_term(cost.bandwidth, of_table);
      }
      return left;
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
      set_bandwidths(cut(alone_));
    else
      set_bandwidths(by_solution());
  }

 private:
  void add_tables() {
    const bool rough = tables_.rough && !fit_.kept;
    system_.reserve(kPerfCells * tables_.fitted.size());
    for (const std::uint32_t t : tables_.fitted) {
      if (rough)
        system_.append(numbers_.of(tables_, t, fit_));
      else
        add_cells(tables_.perf.tables[t].printed, numbers_.costs().shards(t), of_shard(t), fit_.kept, system_);
    }
  }

  ShardCosts of_shard(std::uint32_t t) const {
    return numbers_.costs().of(t, tables_.codec_of(t), fit_.backward, fit_.weighted_backward);
  }

  using Sums = std::array<Coefficients, kPerfCells>;  // by cell

  // Adds what the table's shards on a rank cost; false if that is not known.
  bool add(std::uint32_t t, double here, Sums& sums) const {
    if (!tables_.is_fitted[t]) return false;
    const ShardCosts costs = of_shard(t);
    const auto has_total = [](const BandwidthCost& cost) { return is_used(cost.cells[kPerfTotal]); };
    if (std::ranges::none_of(costs, has_total)) return false;
    for (const BandwidthCost& cost : costs)
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
    for (const std::uint32_t r : tables_.perf.told) add_rank(tables_.perf.ranks[r], common);
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
    const std::optional<Box> from = fit_.estimate;
    if (from) {
      const Box around = start_in(*from), box = cut(around);
      if (settles(around, box)) return box;
    }
    LeastResiduals solution(system_, usual_, from ? std::optional(middles(*from)) : std::nullopt);
    const Box around = start(solution, kRoughly), box = cut(around);
    const bool is_enough = tables_.rough || from || settles(around, box);
    return is_enough ? box : cut(start(solution, 0));
  }

  // Where numbers that agree cut off all ends of the start, a better one would lead to nearly the same.
  bool settles(const Box& around, const Box& box) const {
    return is_cut(around, box) && system_.contradicted(box) == 0;
  }

  // `still`: as LeastResiduals has it.
  Box start(LeastResiduals& residuals, double still) {
    const auto estimate = residuals.around(still);
    if (!estimate) return alone_;
    fit_.estimate = estimate;
    return start_in(*estimate);
  }

  // Unknowns that no number gives alone start in the estimate.
  Box start_in(const Box& estimate) const {
    Box box = alone_;
    for (std::size_t k = 0; k < kUnknowns; ++k)
      if (is_open_[k]) box[k] = narrowed(box[k], at_least(estimate[k], kAnyReciprocal.low));
    return box;
  }

  static Values middles(const Box& box) {
    Values values{};
    std::ranges::transform(box, values.begin(), [](RealInterval x) { return middle(x); });
    return values;
  }

  Box cut(Box box) const {
    system_.narrow(box, kNarrowings);
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

  void set_bandwidths(const Box& box) {
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
    if (!tables_.rough) return;
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
  LinearSystem system_;
};

}  // namespace

const LinearSystem& TableNumbers::of(const FitTables& tables, std::uint32_t t, const PerfFit& fit) {
  const std::size_t codec = tables.codec_of(t);
  const auto [found, is_new] = known_.try_emplace(t * kCodecs + codec);
  Numbers& known = found->second;
  if (!is_new && known.backward == fit.backward && known.weighted_backward == fit.weighted_backward) return known.cells;
  known.backward = fit.backward;
  known.weighted_backward = fit.weighted_backward;
  known.cells.clear();
  const auto of_shard = costs_.of(t, codec, fit.backward, fit.weighted_backward);
  if (of_shard.empty()) return known.cells;
  known.cells.reserve(kPerfCells);
  add_cells(tables.perf.tables[t].printed, costs_.shards(t), of_shard, std::nullopt, known.cells);
  return known.cells;
}

void fit_bandwidths(const FitTables& tables, TableNumbers& numbers, PerfFit& fit) {
  BandwidthFit(tables, numbers, fit).run();
}

}  // namespace shardstats::infer_detail
