// The sections of the imbalance of perf, HBM and DDR: what each measure in them should be. Private to src/analysis.
#pragma once

#include <array>
#include <optional>

#include "analysis/statistics.h"

namespace shardstats::analysis {

struct ImbalanceForm;
struct MeasureForm;

// Is it the heading, a measure or a range of such a section? Their ids follow one another.
constexpr bool is_of_imbalance(LineId id) {
  return id >= LineId::perf_imbalance_heading && id <= LineId::range_kl_divergence;
}

class ImbalanceReader {
 public:
  // All three outlive it. `values`: of every rank.
  ImbalanceReader(const PrintedPlan& printed, const RankValues& values, StatisticsReader& reader);

  // Tells the reader what a line of these sections should say. Lines come in their order.
  void read(const PrintedLine& line);

 private:
  void begin(const ImbalanceForm& form, const PrintedLine& heading);
  void read_measure(const MeasureForm& measure, const Cell& cell);
  void read_range(std::string_view key, std::string_view what, const Cell& cell, double range,
                  std::string_view formula);

  const PrintedPlan& printed_;
  const RankValues& values_;
  StatisticsReader& reader_;
  const Format format_;                                           // of the printed measures
  const ImbalanceForm* section_;                                  // that the heading above the line began
  Imbalance printed_measures_;                                    // of this section
  std::array<std::optional<Imbalance>, kQuantities> expected_{};  // by Quantity, once a section asks for it
};

}  // namespace shardstats::analysis
