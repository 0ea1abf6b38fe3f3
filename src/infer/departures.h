// Departures of tables from the plan-wide values of a hypothesis. Private to src/infer.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "infer/sum_bounds.h"

namespace shardstats::infer_detail {

// The option that gives the table the plan-wide values of the pair and no hidden value of its own.
std::optional<Option> plan_wide_option(const TableInputs& table, const TableParts& parts, const Options& options,
                                       int pair);

// Sums that are out of reach of the plan-wide values though no table's own cells ask for others.
struct Departures {
  std::int64_t tables = 0;  // so many tables together at least bring back the sum that needs most
  std::int64_t lines = 0;   // such sums
  std::uint32_t line = 0;   // the one that needs most
};
// Several tables that depart from the plan-wide values show in several sums: if only one asks for them, it is wrong.
inline bool is_wrong_line(const Departures& found) { return found.lines == 1 && found.tables >= 2; }

// What is left of the tables asks for instead of the plan-wide values, whatever the other tables have.
struct OwnDepartures {
  std::int64_t values = 0;  // of their own
  std::uint64_t usual = 0;  // a bit for each combo that several tables ask for; of interest before the sums are settled
};
OwnDepartures own_departures(const PlanInputs& plan, const Outcome& outcome);
// The same, table by table.
class OwnDeparturesCount {
 public:
  void add(const TableInputs& table, const TableState& state, const TableParts& parts, int pair);
  const OwnDepartures& found() const { return found_; }

 private:
  OwnDepartures found_;
  std::uint64_t once_ = 0;  // combos that some table asks for
};

// Does what is left of a table ask for two values that are not the plan-wide ones, dtypes and an optimizer, or for an
// output of 4 bits or less?
bool has_unlikely_table(const PlanInputs& plan, const Outcome& outcome);

// The printed sums of an outcome, with every table at the plan-wide values of its pair that can have them. `bounds`: of
// the outcome, whose constants are fitted.
class PlanWideSums {
 public:
  PlanWideSums(const PlanInputs& plan, const Outcome& outcome, const SumBounds& bounds);

  RealInterval of(const SumLine& line) const;
  // Are they what is printed, but for those that are taken for wrong?
  bool agree() const;
  Departures departures() const;
  // Do the usual ones of OwnDepartures bring the memory that they are found in back? Then it is no wrong line.
  bool are_usual(const Departures& found, std::uint64_t usual) const;
  // Sums of ranks that plan-wide values do not give, the furthest off first.
  std::vector<std::uint32_t> furthest_off(std::size_t most) const;

 private:
  using Part = SumLines::Part;
  std::vector<RealInterval> all() const;
  // `wide`: of every line.
  std::int64_t departures_in(const SumLine& line, RealInterval wide) const;
  bool one_table_departs(const std::vector<RealInterval>& wide) const;
  bool explains(std::uint32_t t, Option to, const std::vector<RealInterval>& wide,
                const std::vector<std::uint32_t>& disagreeing) const;

  const PlanInputs& plan_;
  const Outcome& outcome_;
  const SumLines& lines_;
  const SumBounds& bounds_;
  std::vector<std::optional<Option>> wide_;  // by table: the plan-wide option beside others
  SumLines::Values values_;                  // of that, else over the options left
};

}  // namespace shardstats::infer_detail
