#include "infer/perf_statistics.h"

#include <algorithm>
#include <array>

namespace shardstats::infer_detail {
namespace {

template <RealInterval Imbalance::*value, bool raw>
RealInterval imbalance_of(RankBounds totals) {
  return imbalance(totals, raw).*value;
}

struct StatisticLine {
  LineId id;
  Format format;
  RealInterval (*of)(RankBounds);
  RealInterval (*raw)(RankBounds);  // v0.8.0 and v1.0.0
};
constexpr std::array kStatistics = {
    StatisticLine{LineId::mean_total_perf, Format::r3, mean_of, mean_of},
    StatisticLine{LineId::max_total_perf_percent, Format::g3, percent_above_mean, percent_above_mean},
    StatisticLine{LineId::total_variation, Format::f3, imbalance_of<&Imbalance::total_variation, false>,
                  imbalance_of<&Imbalance::total_variation, true>},
    StatisticLine{LineId::total_distance, Format::f3, imbalance_of<&Imbalance::total_distance, false>,
                  imbalance_of<&Imbalance::total_distance, true>},
    StatisticLine{LineId::chi_divergence, Format::f3, imbalance_of<&Imbalance::chi_divergence, false>,
                  imbalance_of<&Imbalance::chi_divergence, true>},
    StatisticLine{LineId::kl_divergence, Format::f3, imbalance_of<&Imbalance::kl_divergence, false>,
                  imbalance_of<&Imbalance::kl_divergence, true>}};

bool is_imbalance(LineId id) { return LineId::total_variation <= id && id <= LineId::kl_divergence; }

}  // namespace

std::vector<PerfStatistic> read_perf_statistics(const PrintedPlan& printed) {
  const bool raw = printed.releases.front() < Release::v1_1_0;
  std::vector<PerfStatistic> statistics;
  bool of_perf = false;  // the imbalance of memory has lines of the same form
  for (const PrintedLine& line : printed.lines) {
    if (LineId::perf_imbalance_heading <= line.id && line.id <= LineId::ddr_imbalance_heading)
      of_perf = line.id == LineId::perf_imbalance_heading;
    const auto* known = std::ranges::find(kStatistics, line.id, &StatisticLine::id);
    if (known == kStatistics.end() || (is_imbalance(line.id) && !of_perf)) continue;
    const auto value = values_printed_as(printed.slots_of(line).front().text, known->format);
    if (value) statistics.push_back({raw ? known->raw : known->of, *value});
  }
  return statistics;
}

std::int64_t contradicted_statistics(const std::vector<PerfStatistic>& statistics, RankBounds totals) {
  if (totals.empty() || largest(totals).high <= 0) return 0;
  return std::ranges::count_if(statistics, [&](const PerfStatistic& s) { return !s.printed.overlaps(s.of(totals)); });
}

}  // namespace shardstats::infer_detail
