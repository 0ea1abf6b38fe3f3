#include "analysis/statistics.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "analysis/checks.h"
#include "analysis/imbalances.h"
#include "analysis/lines.h"
#include "shardstats/numbers/runs.h"

namespace shardstats::analysis {
namespace {

constexpr double kNear = 1 << 20;  // bytes within which a rank belongs to a statistic (6.7)
constexpr double kWholeByte = 1;   // statistics are rounded to whole bytes

Release layout(const PrintedPlan& printed) { return printed.releases.front(); }

// ---- narrowing by what is printed elsewhere ------------------------------------------------------------------------

// Only one rank can reach the printed number: then it does.
std::vector<RealInterval> raised(std::vector<RealInterval> values, double low) {
  const auto reaches = [&](RealInterval x) { return x.high >= low; };
  if (std::ranges::count_if(values, reaches) == 1)
    for (RealInterval& x : values)
      if (reaches(x)) x.low = std::max(x.low, low);
  return values;
}

// The printed largest value narrows the ranks that can have it.
std::vector<RealInterval> narrowed_to(std::span<const RealInterval> values, const Cell& cell, Format form,
                                      std::string_view unit) {
  std::vector<RealInterval> all(values.begin(), values.end());
  const auto printed = printed_bounds(cell, form, unit);
  if (!printed || !printed->overlaps(largest(values))) return all;
  for (RealInterval& x : all)
    if (x.low <= printed->high) x.high = std::max(std::min(x.high, printed->high), x.low);
  return raised(std::move(all), printed->low);
}

std::vector<RealInterval> of_ranks(std::span<const RealInterval> values, const std::vector<std::size_t>& ranks) {
  std::vector<RealInterval> some;
  some.reserve(ranks.size());
  for (const std::size_t rank : ranks) some.push_back(values[rank]);
  return some;
}

// ---- the walk ------------------------------------------------------------------------------------------------------

constexpr MaximumLine kMaxima[] = {
    {LineId::max_total_perf, "total", "the maximum of total perf", Quantity::perf},
    {LineId::max_fwd_compute, "fwd_compute", "the maximum of forward compute", Quantity::forward_compute},
    {LineId::max_fwd_comms, "fwd_comms", "the maximum of forward comms", Quantity::forward_comms},
    {LineId::max_bwd_compute, "bwd_compute", "the maximum of backward compute", Quantity::backward_compute},
    {LineId::max_bwd_comms, "bwd_comms", "the maximum of backward comms", Quantity::backward_comms},
    {LineId::max_prefetch_compute, "prefetch_compute", "the maximum of prefetch compute", Quantity::prefetch_compute},
};

RealInterval low_median(RankBounds values) { return ranked(values, (values.size() - 1) / 2); }
RealInterval high_median(RankBounds values) { return ranked(values, values.size() / 2); }

struct DistributionLine {
  LineId id;
  std::string_view key, what;
  Quantity quantity;
  RealInterval (*value)(RankBounds);
  std::string_view formula;
};
constexpr DistributionLine kDistribution[] = {
    {LineId::sparse_max_hbm, "sparse_max", "sparse only Max HBM", Quantity::sparse_hbm, largest, "max over ranks"},
    {LineId::sparse_min_hbm, "sparse_min", "sparse only Min HBM", Quantity::sparse_hbm, smallest, "min over ranks"},
    {LineId::max_hbm, "max", "Max HBM", Quantity::hbm, largest, "max over ranks"},
    {LineId::min_hbm, "min", "Min HBM", Quantity::hbm, smallest, "min over ranks"},
    {LineId::mean_hbm, "mean", "Mean HBM", Quantity::hbm, mean_of, "sum over ranks / N"},
    {LineId::low_median_hbm, "low_median", "Low Median HBM", Quantity::hbm, low_median, "lower of the middle ranks"},
    {LineId::high_median_hbm, "high_median", "High Median HBM", Quantity::hbm, high_median,
     "upper of the middle ranks"},
};

class Walk {
 public:
  Walk(const PrintedPlan& printed, const Plan& plan, const RankValues& values, bool whole, StatisticsReader& reader,
       NameReadings names)
      : printed_(printed),
        plan_(plan),
        values_(values),
        whole_(whole),
        reader_(reader),
        names_(names),
        rounded_(printed.format_of(RoundedNumbers::lines)),
        imbalances_(printed, values, reader) {}

  void run() {
    for (const PrintedLine& line : printed_.lines) read_line(line);
    read_sum_of_maxima();
    read_tiers();
    read_critical_path();
  }

 private:
  // ---- one line at a time ------------------------------------------------------------------------------------------

  void read_line(const PrintedLine& line) {
    if (is_of_imbalance(line.id)) return imbalances_.read(line);
    const auto slots = printed_.slots_of(line);
    if (const auto* m = std::ranges::find(kMaxima, line.id, &MaximumLine::id); m != std::end(kMaxima))
      read_maximum(*m, slots);
    else if (const auto* d = std::ranges::find(kDistribution, line.id, &DistributionLine::id);
             d != std::end(kDistribution))
      read_distribution(*d, slots);
    else
      read_other(line.id, slots);
  }

  void read_other(LineId id, std::span<const Cell> slots) {
    const auto &perf = values_[Quantity::perf], &hbm = values_[Quantity::hbm];
    switch (id) {
      case LineId::mean_total_perf:
        reader_.number({RuleId::maxima_mean, "mean", "mean total perf", slots[0], rounded_, "ms", mean_of(perf),
                        Quantity::perf, "sum over ranks / N"});
        return;
      case LineId::max_total_perf_percent:
        reader_.number({RuleId::maxima_percent, "percent", "the maximum of total perf above its mean", slots[0],
                        Format::g3, "percent", percent_above_mean(perf), Quantity::perf, "(max - mean) / mean * 100"});
        return;
      case LineId::max_hbm_percent:
        reader_.number({RuleId::distribution_percent, "percent", "Max HBM above the mean", slots[0], Format::g3,
                        "percent", percent_above_mean(hbm), Quantity::hbm, "(max - mean) / mean * 100"});
        return;
      case LineId::peak_memory_pressure:
        reader_.number({RuleId::maxima_hbm, "hbm", "peak memory pressure", slots[0], rounded_, "bytes", largest(hbm),
                        Quantity::hbm, "max over ranks"});
        reader_.ranks({RuleId::maxima_ranks, "hbm", "peak memory pressure", slots[1],
                       at_largest(narrowed_to(hbm, slots[0], rounded_, "bytes"))});
        return;
      case LineId::top_hbm:
        reader_.number({RuleId::tiers_value, "top", "the top HBM memory usage", slots[0], rounded_, "bytes",
                        largest(hbm), Quantity::hbm, "max over ranks"});
        return;
      default:
        return;
    }
  }

  void read_maximum(const MaximumLine& line, std::span<const Cell> slots) {
    if (slots.size() < 2) return;
    const auto& values = values_[line.quantity];
    reader_.number({RuleId::maxima_value, line.key, line.what, slots[0], rounded_, "ms", largest(values), line.quantity,
                    "max over ranks"});
    reader_.ranks({RuleId::maxima_ranks, line.key, line.what, slots[1],
                   at_largest(narrowed_to(values, slots[0], rounded_, "ms"))});
  }

  void read_distribution(const DistributionLine& line, std::span<const Cell> slots) {
    if (slots.size() < 2 || (line.quantity == Quantity::sparse_hbm && !values_.sparse_known)) return;
    const auto& values = values_[line.quantity];
    RealInterval value = widened(line.value(values), kWholeByte);
    if (reader_.number({RuleId::distribution_value, line.key, line.what, slots[0], rounded_, "bytes", value,
                        line.quantity, line.formula}))
      return;
    if (const auto printed = printed_bounds(slots[0], rounded_, "bytes")) value = narrowed(value, *printed);
    reader_.ranks({RuleId::distribution_ranks, line.key, line.what, slots[1], near(values, value, kNear)});
  }

  void read_sum_of_maxima() {
    const Cell cell = printed_.slot(LineId::sum_of_maxima);
    if (!cell) return;
    RealInterval sum{};
    for (std::size_t p = 0; p < static_cast<std::size_t>(perf_rules_of(layout(printed_)).parts); ++p)
      sum = sum + largest_of(printed_, values_, static_cast<PerfPart>(p));
    reader_.number({RuleId::maxima_sum, "sum", "the sum of maxima", cell, rounded_, "ms", sum, Quantity::perf,
                    "sum of the component maxima"});
  }

  // ---- tiers -------------------------------------------------------------------------------------------------------

  struct PrintedTier {
    Cell number, value, ranks;
  };

  std::map<std::int64_t, PrintedTier> printed_tiers() const {
    std::map<std::int64_t, PrintedTier> tiers;
    for (const auto slots : lines_of(printed_, LineId::tier))
      if (const auto number = parse_integer(slots[0].text); number && slots.size() >= 3)
        tiers[*number] = {slots[0], slots[1], slots[2]};
    return tiers;
  }

  // Printed ranks are positions among the ranks that are left (Q1): both the printed and the right list are known.
  void read_tiers() {
    const auto tiers = printed_tiers();
    std::vector<std::size_t> left(values_.ranks());
    std::iota(left.begin(), left.end(), std::size_t{0});
    std::int64_t k = 1;
    for (; k <= kMostTiers && !left.empty(); ++k) {
      const auto found = tiers.find(k);
      if (found == tiers.end()) {
        const Place next = k > 1 ? tiers.at(k - 1).value.place : printed_.slot(LineId::top_hbm).place;
        if (printed_.find(LineId::top_hbm)) reader_.missing_tier(k, next);
        return;
      }
      const PrintedTier& tier = found->second;
      const std::vector<RealInterval> hbm = of_ranks(values_[Quantity::hbm], left);
      RealInterval hottest = largest(hbm);
      const std::string key = std::to_string(k), what = "tier #" + key;
      if (reader_.number({RuleId::tiers_value, key, what, tier.value, rounded_, "bytes", hottest, Quantity::hbm,
                          "max over the ranks of no hotter tier"}))
        return;
      std::vector<int> positions;
      if (!parse_ranks(tier.ranks.text, positions)) return;
      // The printed value says more about who belongs to the tier.
      if (const auto bounds = printed_bounds(tier.value, rounded_, "bytes")) hottest = narrowed(hottest, *bounds);
      const RankList members = near(hbm, hottest, kNear);
      reader_.ranks({RuleId::tiers_ranks, key, what, tier.ranks, members});
      if (!members.could_be(positions)) return;
      read_shift(key, tier, positions, left);
      remove(left, positions);
    }
    for (const auto& [number, tier] : tiers)
      if (number < 1 || number >= k) reader_.extra_tier(tier.number, k - 1);
  }

  void read_shift(std::string_view key, const PrintedTier& tier, const std::vector<int>& positions,
                  const std::vector<std::size_t>& left) {
    ShiftedTier shift{key, tier.ranks, positions, std::vector<bool>(values_.ranks())};
    bool shifted = false;
    for (const int position : positions) {
      const std::size_t rank = left[static_cast<std::size_t>(position)];
      shift.right[rank] = true;
      shifted |= rank != static_cast<std::size_t>(position);
    }
    if (shifted) reader_.shifted(shift);
  }

  // ---- critical path -----------------------------------------------------------------------------------------------

  void read_critical_path() {
    const Cell comms_cell = printed_.slot(LineId::critical_path_comms);
    const Cell compute_cell = printed_.slot(LineId::critical_path_compute);
    const Cell sum_cell = printed_.slot(LineId::critical_path_sum);
    if (!comms_cell && !compute_cell) return;
    RealInterval compute = largest_of(printed_, values_, PerfPart::forward_compute) +
                           largest_of(printed_, values_, PerfPart::backward_compute);
    const auto path = [&](RuleId rule, std::string_view key, std::string_view what, const Cell& cell,
                          RealInterval expected) {
      return reader_.number({rule, key, what, cell, rounded_, "ms", expected, Quantity::perf, rule_of(rule).formula});
    };
    path(RuleId::critical_path_compute, "compute", "the critical path of compute", compute_cell,
         widened(compute, kSumSlack));
    compute = narrowed(compute, printed_or_anything(compute_cell, rounded_, "ms"));
    if (!critical_path_known(printed_, plan_, whole_)) return;
    RealInterval sum = critical_comms(printed_, plan_, values_.ranks(), names_).sum;
    const bool differs = path(RuleId::critical_path_comms, "comms", "the critical path of comms", comms_cell, sum);
    if (!differs) sum = narrowed(sum, printed_or_anything(comms_cell, rounded_, "ms"));
    path(RuleId::critical_path_sum, "sum", "the critical path", sum_cell, widened(sum + compute, kSumSlack));
  }

  const PrintedPlan& printed_;
  const Plan& plan_;
  const RankValues& values_;
  bool whole_;
  StatisticsReader& reader_;
  NameReadings names_;
  const Format rounded_;  // how the numbers of lines are printed
  ImbalanceReader imbalances_;
};

}  // namespace

std::span<const MaximumLine> maximum_lines() { return kMaxima; }

std::optional<RealInterval> printed_bounds(const Cell& cell, Format format, std::string_view unit) {
  if (unit != "bytes") return values_printed_as(cell.text, format);
  const auto bytes = bytes_printed_as(cell.text, format, kGiB);
  return bytes ? std::optional(real(*bytes)) : std::nullopt;
}

RealInterval printed_or_anything(const Cell& cell, Format format, std::string_view unit) {
  return printed_bounds(cell, format, unit).value_or(RealInterval{0, kAnyNumber});
}

std::vector<int> marked(const std::vector<bool>& ranks) {
  std::vector<int> numbers;
  for (std::size_t r = 0; r < ranks.size(); ++r)
    if (ranks[r]) numbers.push_back(static_cast<int>(r));
  return numbers;
}

std::string ranks_in(const std::vector<bool>& ranks) { return ranks_in(marked(ranks)); }

std::string ranks_in(const std::vector<int>& ranks) {
  std::string text;
  for (const std::string& run : runs_of(ranks)) text += (text.empty() ? "" : ",") + run;
  return text;
}

RealInterval largest_of(const PrintedPlan& printed, const RankValues& values, PerfPart part) {
  const Quantity quantity = quantity_of(part);
  const RealInterval most = largest(values[quantity]);
  const auto* line = std::ranges::find(kMaxima, quantity, &MaximumLine::quantity);
  const Cell cell = printed.slot(line->id, 0);
  return cell ? narrowed(most, printed_or_anything(cell, printed.format_of(RoundedNumbers::lines), "ms")) : most;
}

Tier hottest_tier(const RankValues& values, const std::vector<std::size_t>& left) {
  const auto hbm = of_ranks(values[Quantity::hbm], left);
  const RealInterval most = largest(hbm);
  return {most, near(hbm, most, kNear)};
}

void remove(std::vector<std::size_t>& left, const std::vector<int>& positions) {
  std::vector<bool> gone(left.size());
  for (const int position : positions) gone[static_cast<std::size_t>(position)] = true;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < left.size(); ++i)
    if (!gone[i]) left[kept++] = left[i];
  left.resize(kept);
}

bool may_be_listed(const Plan& plan, const PlanTable& table, const std::vector<int>& ranks) {
  return is_listed_type(table.sharding) &&
         std::ranges::all_of(ranks, [&](int rank) { return plan.shards_on(table, rank) > 0; });
}

TopCandidates top_candidates(const Plan& plan, const RankValues& values, bool perf) {
  TopCandidates found;
  const RankList list = at_largest(values[perf ? Quantity::perf : Quantity::sparse_hbm]);
  found.ranks = marked(list.may);
  if (list.must != list.may) return found;
  for (const PlanTable& table : plan.tables)
    if (may_be_listed(plan, table, found.ranks)) found.tables.push_back(&table);
  return found;
}

RealInterval first_shard(const Plan& plan, const PlanTable& table, bool perf) {
  if (perf) return table.shard_perf.total;
  ByteInterval all = plan.shards[table.first_shard].sizes->hbm;
  if (table.sharding == Sharding::twrw) return real(all);
  for (const PlanShard& shard : plan.shards_of(table)) all = hull(all, shard.sizes->hbm);
  return real(all);
}

void read_statistics(const PrintedPlan& printed, const Plan& plan, const RankValues& values, bool whole,
                     StatisticsReader& reader, NameReadings names) {
  if (values.known) Walk(printed, plan, values, whole, reader, names).run();
}

RealInterval change_of_largest(const std::vector<bool>& was, const std::vector<bool>& is,
                               std::span<const RealInterval> changes) {
  RealInterval change{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (std::size_t r = 0; r < changes.size(); ++r) {
    if (was[r]) change.low = std::min(change.low, changes[r].low);
    if (is[r]) change.high = std::max(change.high, changes[r].high);
  }
  return change;
}

}  // namespace shardstats::analysis
