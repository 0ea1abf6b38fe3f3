#include "infer/rank_statistics.h"

#include <algorithm>
#include <array>
#include <optional>

namespace shardstats::infer_detail {

class RankTotals {
 public:
  explicit RankTotals(RankBounds totals) : totals_(totals) {}
  RankBounds bounds() const { return totals_; }
  // All four numbers are of one pass; `raw` is the same for all of a log.
  const Imbalance& imbalance(bool raw) {
    if (!imbalance_) imbalance_ = shardstats::imbalance(totals_, raw);
    return *imbalance_;
  }

 private:
  RankBounds totals_;
  std::optional<Imbalance> imbalance_;
};

namespace {

template <RealInterval Imbalance::*value>
RealInterval imbalance_of(RankTotals& totals, bool raw) {
  return totals.imbalance(raw).*value;
}
RealInterval mean(RankTotals& totals, bool /*raw*/) { return mean_of(totals.bounds()); }
RealInterval percent(RankTotals& totals, bool /*raw*/) { return percent_above_mean(totals.bounds()); }

struct StatisticLine {
  LineId id;
  std::optional<RoundedNumbers> rounded;  // none: to significant digits
  RealInterval (*of)(RankTotals& totals, bool raw);
};
constexpr std::array kStatistics = {
    StatisticLine{LineId::mean_total_perf, RoundedNumbers::lines, mean},
    StatisticLine{LineId::max_total_perf_percent, std::nullopt, percent},
    StatisticLine{LineId::total_variation, RoundedNumbers::measures, imbalance_of<&Imbalance::total_variation>},
    StatisticLine{LineId::total_distance, RoundedNumbers::measures, imbalance_of<&Imbalance::total_distance>},
    StatisticLine{LineId::chi_divergence, RoundedNumbers::measures, imbalance_of<&Imbalance::chi_divergence>},
    StatisticLine{LineId::kl_divergence, RoundedNumbers::measures, imbalance_of<&Imbalance::kl_divergence>}};

bool is_imbalance(LineId id) { return LineId::total_variation <= id && id <= LineId::kl_divergence; }

void add_statistic(const PrintedPlan& printed, const PrintedLine& line, std::vector<RankStatistic>& statistics) {
  const bool raw = printed.releases.front() < Release::v1_1_0;
  const auto* const known = std::ranges::find(kStatistics, line.id, &StatisticLine::id);
  if (known == kStatistics.end()) return;
  const Format form = known->rounded ? printed.format_of(*known->rounded) : Format::g3;
  const auto value = values_printed_as(printed.slots_of(line).front().text, form);
  if (value) statistics.push_back({known->of, raw, *value});
}

}  // namespace

std::vector<RankStatistic> read_perf_statistics(const PrintedPlan& printed) {
  std::vector<RankStatistic> statistics = read_imbalance(printed, LineId::perf_imbalance_heading);
  for (const PrintedLine& line : printed.lines)
    if (!is_imbalance(line.id)) add_statistic(printed, line, statistics);
  return statistics;
}

std::vector<RankStatistic> read_imbalance(const PrintedPlan& printed, LineId heading) {
  std::vector<RankStatistic> statistics;
  bool here = false;  // the sections have lines of the same form
  for (const PrintedLine& line : printed.lines) {
    if (LineId::perf_imbalance_heading <= line.id && line.id <= LineId::ddr_imbalance_heading)
      here = line.id == heading;
    if (here && is_imbalance(line.id)) add_statistic(printed, line, statistics);
  }
  return statistics;
}

std::int64_t contradicted_statistics(const std::vector<RankStatistic>& statistics, RankBounds totals) {
  if (totals.empty() || largest(totals).high <= 0) return 0;
  RankTotals of_ranks(totals);
  return std::ranges::count_if(statistics,
                               [&](const RankStatistic& s) { return !s.printed.overlaps(s.of(of_ranks, s.raw)); });
}

}  // namespace shardstats::infer_detail
