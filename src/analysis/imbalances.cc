#include "analysis/imbalances.h"

#include <algorithm>
#include <limits>
#include <string>

namespace shardstats::analysis {

struct MeasureForm {
  LineId id;
  std::string_view key, what;
  RealInterval Imbalance::*value;
  std::string_view formula, raw_formula;  // p = value of the rank / sum; raw: v0.8.0 and v1.0.0
};
struct ImbalanceForm {
  LineId heading;
  RuleId rule;
  Quantity quantity;
  std::string_view word;
};

namespace {

constexpr MeasureForm kMeasures[] = {
    {LineId::total_variation, "total_variation", "total variation", &Imbalance::total_variation, "max |p - 1/N|",
     "max |p - 1/N|"},
    {LineId::total_distance, "total_distance", "total distance", &Imbalance::total_distance, "sum |p - 1/N|",
     "sum |p - 1/N|"},
    {LineId::chi_divergence, "chi", "chi divergence", &Imbalance::chi_divergence, "sum (p - 1/N)^2 * N / (N - 1)",
     "sum |p - 1/N|"},
    {LineId::kl_divergence, "kl", "KL divergence", &Imbalance::kl_divergence, "sum p * ln(N * p) / ln N",
     "sum p * ln(N * p)"},
};

constexpr ImbalanceForm kImbalances[] = {
    {LineId::perf_imbalance_heading, RuleId::imbalance_perf, Quantity::perf, "perf"},
    {LineId::hbm_imbalance_heading, RuleId::imbalance_hbm, Quantity::hbm, "HBM"},
    {LineId::ddr_imbalance_heading, RuleId::imbalance_ddr, Quantity::ddr, "DDR"},
};

constexpr RealInterval kAnything{0, std::numeric_limits<double>::infinity()};
constexpr Imbalance kNoMeasures{kAnything, kAnything, kAnything, kAnything};

// What three printed measures leave of the fourth; anything where they contradict each other.
RealInterval by_others(const Imbalance& printed, RealInterval Imbalance::*measure, std::size_t ranks, bool raw) {
  if (ranks < 2) return kAnything;
  Imbalance left = printed;
  left.*measure = kAnything;
  constexpr int kRounds = 2;  // what the three leave of each other bounds the fourth closer than they themselves do
  for (int round = 0; round < kRounds; ++round) {
    const Imbalance bounds = bounds_by_each_other(left, ranks, raw);
    for (const MeasureForm& form : kMeasures) {
      RealInterval& value = left.*form.value;
      if (!value.overlaps(bounds.*form.value)) return kAnything;
      value = narrowed(value, bounds.*form.value);
    }
  }
  return widened(left.*measure, kSumSlack);
}

// Null: another line.
const MeasureForm* measure_of(LineId id) {
  const auto* found = std::ranges::find(kMeasures, id, &MeasureForm::id);
  return found == std::end(kMeasures) ? nullptr : found;
}
const ImbalanceForm* imbalance_headed_by(LineId id) {
  const auto* found = std::ranges::find(kImbalances, id, &ImbalanceForm::heading);
  return found == std::end(kImbalances) ? nullptr : found;
}

}  // namespace

// Measures are read below a heading only, so that any section does for a start.
ImbalanceReader::ImbalanceReader(const PrintedPlan& printed, const RankValues& values, StatisticsReader& reader)
    : printed_(printed),
      values_(values),
      reader_(reader),
      format_(printed.format_of(RoundedNumbers::measures)),
      section_(&kImbalances[2]),
      printed_measures_(kNoMeasures) {}

void ImbalanceReader::read(const PrintedLine& line) {
  const auto slots = printed_.slots_of(line);
  if (const auto* form = imbalance_headed_by(line.id))
    begin(*form, line);
  else if (const auto* measure = measure_of(line.id))
    read_measure(*measure, slots[0]);
  else if (line.id == LineId::range_chi_divergence)
    read_range("chi", "the range of chi divergence", slots[0], chi_range(values_.ranks()), "2 * (N - 1) / N");
  else if (line.id == LineId::range_kl_divergence)
    read_range("kl", "the range of KL divergence", slots[0], kl_range(values_.ranks()), "ln N");
}

void ImbalanceReader::begin(const ImbalanceForm& form, const PrintedLine& heading) {
  section_ = &form;
  printed_measures_ = kNoMeasures;
  for (const PrintedLine* line = &heading + 1; line != printed_.lines.data() + printed_.lines.size(); ++line) {
    if (imbalance_headed_by(line->id) != nullptr) return;
    const auto* measure = measure_of(line->id);
    if (measure == nullptr) continue;
    if (const auto printed = printed_bounds(printed_.slots_of(*line)[0], format_, ""))
      printed_measures_.*measure->value = *printed;
  }
}

void ImbalanceReader::read_measure(const MeasureForm& measure, const Cell& cell) {
  const auto& values = values_[section_->quantity];
  const auto is_anything = [](RealInterval value) { return value.high >= kAnyNumber; };
  if (largest(values).high <= 0 || std::ranges::all_of(values, is_anything)) return;
  const bool raw = printed_.releases.front() < Release::v1_1_0;
  std::optional<Imbalance>& expected = expected_[static_cast<std::size_t>(section_->quantity)];
  if (!expected) expected = imbalance(values, raw);
  const std::string what = std::string(section_->word) + " " + std::string(measure.what);
  reader_.number({section_->rule, measure.key, what, cell, format_, "", (*expected).*measure.value, section_->quantity,
                  raw ? measure.raw_formula : measure.formula,
                  by_others(printed_measures_, measure.value, values.size(), raw)});
}

void ImbalanceReader::read_range(std::string_view key, std::string_view what, const Cell& cell, double range,
                                 std::string_view formula) {
  reader_.number({RuleId::imbalance_range, key, what, cell, format_, "", exactly(range), Quantity::hbm, formula});
}

}  // namespace shardstats::analysis
