// The sections of the imbalance of perf, HBM and DDR: what each measure in them should be. Private to src/analysis.
#pragma once

#include <array>
#include <optional>

#include "analysis/statistics.h"

namespace shardstats::analysis {

struct ImbalanceForm;
struct MeasureForm;

class ImbalanceReader {
 public:
  // All three outlive it. `values`: of every rank.
  ImbalanceReader(const PrintedPlan& printed, const RankValues& values, StatisticsReader& reader);

  // Tells the reader what the line should say. False: it is none of such a section. Lines come in their order.
  bool read(const PrintedLine& line);

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
