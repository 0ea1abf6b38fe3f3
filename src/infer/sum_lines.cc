#include "infer/sum_lines.h"

#include <algorithm>
#include <numeric>

#include "infer/evaluate.h"

namespace shardstats::infer_detail {
namespace {

constexpr std::array<Quantity, 5> kKernelQuantities = {Quantity::hbm, Quantity::ddr, Quantity::ssd, Quantity::weights,
                                                       Quantity::optimizer_state};

constexpr std::uint32_t kCellBits = bit(Quantity::hbm) | bit(Quantity::ddr) | bit(Quantity::ssd);

}  // namespace

SumLines::SumLines(const PlanInputs& plan, const Outcome& outcome, Split split) : split_(std::move(split)) {
  std::uint32_t end = 0;
  for (std::uint32_t t = 0; t < plan.tables.size(); ++t) {
    first_of_.push_back(end);
    if (!rebuilt(t)) continue;
    const Classes& classes = (*outcome.parts)[t].front().classes;
    const bool is_single =
        classes.size() == 1 && classes.front().run.count == 1 && equal_shards(outcome, plan.tables[t]);
    end += static_cast<std::uint32_t>((is_single ? 0 : classes.size() * kShardQuantities) + kQuantities);
  }
  first_of_.push_back(end);
  add_rank_sums(plan, outcome);
  add_kernel_sums(plan);
  add_totals(plan, outcome);
  for (const SumLine& line : lines_) {
    needed_ |= bit(line.quantity);
    if (line.of != SumOf::rank) needed_whole_ |= bit(line.quantity);
  }
  needed_whole_ |= needed_ & kCellBits;  // a printed cell narrows the classes by way of the whole table
}

SumLines::Entry SumLines::entry(std::uint32_t t, std::int32_t cls) const {
  const std::uint32_t values =
      cls == kWhole ? whole_of(t) : values_of(t) + static_cast<std::uint32_t>(cls * static_cast<int>(kShardQuantities));
  return {t, values, 1, cls};
}

void SumLines::add_line(Quantity quantity, SumOf of, std::size_t index, const std::optional<ByteInterval>& printed,
                        std::size_t first, std::size_t end, std::uint32_t common) {
  if (!printed) return;
  SumLine line;
  line.quantity = quantity;
  line.of = of;
  line.index = static_cast<std::uint32_t>(index);
  line.printed = real(*printed);
  line.first = static_cast<std::uint32_t>(first);
  line.count = static_cast<std::uint32_t>(end - first);
  line.common = common;
  lines_.push_back(line);
}

// Of tables with a shard on every rank: neighbours with the same classes of them share the entries. By rank, which.
std::vector<std::uint32_t> SumLines::add_common(const PlanInputs& plan, const Outcome& outcome,
                                                const std::vector<std::uint32_t>& tables) {
  std::vector<std::uint32_t> common(plan.ranks.size());
  const auto each_run_of = [&](std::uint32_t t, auto f) {
    each_run(outcome.setting, plan.tables[t], (*outcome.parts)[t].front(), f);
  };
  for (const std::uint32_t t : tables)
    each_run_of(t, [&](std::size_t first, std::size_t, std::size_t) { common[first] = 1; });
  std::partial_sum(common.begin(), common.end(), common.begin());
  const std::size_t first = entries_.size();
  for (std::uint32_t group = 0; !tables.empty() && group < common.back(); ++group) {
    const auto start = static_cast<std::uint32_t>(first + group * tables.size());
    commons_.push_back({0, start, start + static_cast<std::uint32_t>(tables.size())});
  }
  entries_.resize(first + (commons_.size() - 1) * tables.size());
  for (std::size_t i = 0; i < tables.size(); ++i)
    each_run_of(tables[i], [&](std::size_t from, std::size_t end, std::size_t c) {
      for (std::uint32_t group = common[from]; group <= common[end - 1]; ++group)
        entries_[commons_[group].first + i] = entry(tables[i], static_cast<std::int32_t>(c));
    });
  return common;
}

// A rank with a shard of a table that cannot be rebuilt has no sum to compare, nor of what a missing table may take.
void SumLines::add_rank_sums(const PlanInputs& plan, const Outcome& outcome) {
  const std::size_t all_ranks = plan.ranks.size(), tables = plan.tables.size();
  std::vector<std::uint32_t> everywhere, others;
  for (std::uint32_t t = 0; t < tables; ++t) {
    // Those of a grid have one class here and another there.
    const bool common =
        rebuilt(t) && plan.tables[t].sharding != Sharding::gs && is_everywhere(plan.tables[t], all_ranks);
    (common ? everywhere : others).push_back(t);
  }
  std::vector<std::uint32_t> first(all_ranks + 1);  // of the rank's entries, with room for all of its shards
  for (const std::uint32_t t : others)
    each_rank(plan.tables[t], all_ranks, [&](std::size_t rank) { ++first[rank + 1]; });
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<std::uint32_t> end(first.begin(), first.end() - 1);
  entries_.reserve(first.back() + everywhere.size() + 2 * tables);  // kernels and totals as well
  entries_.resize(first.back());
  std::vector<bool> known(all_ranks, true);
  for (const std::uint32_t t : others) {
    const TableInputs& table = plan.tables[t];
    const std::span<const int> ranks(table.ranks.begin(), table.ranks.size());
    if (!rebuilt(t)) leave_out(table, known);
    if (!rebuilt(t) || ranks.empty()) continue;
    each_run(outcome.setting, table, (*outcome.parts)[t].front(), [&](std::size_t from, std::size_t to, std::size_t c) {
      const Entry one = entry(t, static_cast<std::int32_t>(c));
      for (const int rank_of_shard : ranks.subspan(from, to - from)) {
        const auto rank = static_cast<std::size_t>(rank_of_shard);
        if (rank >= all_ranks) continue;
        Entry* const next = entries_.data() + end[rank];
        if (end[rank] > first[rank] && next[-1].values == one.values) {
          ++next[-1].count;
        } else {
          *next = one;
          ++end[rank];
        }
      }
    });
  }
  const std::vector<std::uint32_t> common = add_common(plan, outcome, everywhere);
  const std::vector<bool> complete = ranks_without_missing(plan);
  const std::uint32_t missing = taken_by_missing(plan, outcome.setting);
  for (std::size_t rank = 0; rank < all_ranks; ++rank)
    if (known[rank])
      for (const Quantity q : kRankQuantities)
        if (complete[rank] || (missing & bit(q)) == 0)
          add_line(q, SumOf::rank, rank, plan.ranks[rank][at(q)], first[rank], end[rank], common[rank]);
}

namespace {

// A word of the parameter table that is no kernel, and no line of the kernels has it.
bool is_unread(const KernelInputs& kernel) {
  const bool is_printed = std::ranges::any_of(kernel.printed, [](const auto& bytes) { return bytes.has_value(); });
  return !kernel.tables.empty() && !is_printed && find_kernel(kernel.name) == nullptr;
}

}  // namespace

void SumLines::add_kernel_sums(const PlanInputs& plan) {
  if (std::ranges::any_of(plan.kernels, is_unread)) return;  // its tables may be of any of them
  for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
    const KernelInputs& kernel = plan.kernels[k];
    const auto ok = [&](std::uint32_t t) { return rebuilt(t); };
    if (!std::all_of(kernel.tables.begin(), kernel.tables.end(), ok)) continue;
    if (plan.missing && plan.missing->kernels.contains(kernel.name)) continue;
    const std::size_t first = entries_.size();
    for (const std::uint32_t t : kernel.tables) entries_.push_back(entry(t, kWhole));
    for (const Quantity q : kKernelQuantities)
      add_line(q, SumOf::kernel, k, kernel.printed[at(q)], first, entries_.size());
  }
}

// All ranks together hold all shards. Only worth a line where the shards of a rank are not known exactly: what is
// hidden may move bytes between ranks, but never adds any.
void SumLines::add_totals(const PlanInputs& plan, const Outcome& outcome) {
  const std::size_t all_ranks = plan.ranks.size(), tables = plan.tables.size();
  const auto on_ranks = [&](std::uint32_t t) {
    const auto& ranks = plan.tables[t].ranks;
    return rebuilt(t) && !ranks.empty() && static_cast<std::size_t>(ranks.back()) < all_ranks;
  };
  if (plan.missing) return;
  bool hidden = !split_.uniform;
  for (std::uint32_t t = 0; t < tables; ++t) {
    if (!on_ranks(t)) return;
    hidden = hidden || !equal_shards(outcome, plan.tables[t]);
  }
  if (!hidden || static_cast<std::int64_t>(all_ranks) != plan.world_size) return;
  const std::size_t first = entries_.size();
  for (std::uint32_t t = 0; t < tables; ++t) entries_.push_back(entry(t, kWhole));
  for (const Quantity q : kRankQuantities) {
    ByteInterval sum{};
    bool complete = true;
    for (const PrintedSums& rank : plan.ranks) {
      const auto& cell = rank[at(q)];
      complete &= cell.has_value();
      if (cell) sum = sum + *cell;
    }
    if (complete) add_line(q, SumOf::all_ranks, 0, sum, first, entries_.size());
  }
}

SumLines::Places SumLines::listed_places() const {
  const auto have_same_shards = [&](const SumLine& a, const SumLine& b) {
    return a.first == b.first && a.count == b.count && a.common == b.common;
  };
  const auto each_place = [&](auto f) {
    for (std::uint32_t l = 0, end = 0; l < lines_.size(); l = end) {
      while (end < lines_.size() && have_same_shards(lines_[l], lines_[end])) ++end;
      each_part(lines_[l], [&](Part part) { f(Place{l, end, part}); });
    }
  };
  Places places;
  places.first_of.assign(split_.rebuilt.size() + 1, 0);
  each_place([&](const Place& place) { ++places.first_of[place.part.table + 1]; });
  std::partial_sum(places.first_of.begin(), places.first_of.end(), places.first_of.begin());
  places.all.resize(places.first_of.back());
  std::vector<std::uint32_t> next(places.first_of.begin(), places.first_of.end() - 1);
  each_place([&](const Place& place) { places.all[next[place.part.table]++] = place; });
  return places;
}

void KnownSums::list_in(Outcome& outcome, bool uniform) {
  outcome.lines = of(outcome, uniform);
  outcome.sums = outcome.lines->lines();
}

std::shared_ptr<const SumLines> KnownSums::of(const Outcome& outcome, bool uniform) {
  Split split{uniform, outcome.rows.how, outcome.rows.by_part(), outcome.setting.group_size, {}};
  for (const TableState& table : outcome.tables) split.rebuilt.push_back(!table.options.empty());
  for (const auto& known : known_)
    if (known->split() == split) return known;
  return known_.emplace_back(std::make_shared<const SumLines>(plan_, outcome, std::move(split)));
}

}  // namespace shardstats::infer_detail
