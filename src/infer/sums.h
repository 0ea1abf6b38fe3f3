// The printed sums of a plan (rank columns, kernel lines) against what its tables add up to under one hypothesis.
// Removes options of tables that no sum allows. Private to src/infer.
#pragma once

#include <map>
#include <vector>

#include "infer/evaluate.h"

namespace shardstats::infer_detail {

const std::optional<ByteInterval>& cell_of(const TableInputs& table, Quantity quantity);

// What is left of a sum for one of its parts. Not an interval difference: the part itself is in the sum.
inline RealInterval without(RealInterval sum, RealInterval part) { return {sum.low - part.low, sum.high - part.high}; }

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

// Element sizes (indices) of tables in one output sum; and in those of them where several tables have a choice.
using Assignment = std::vector<std::pair<std::uint32_t, int>>;
using Assignments = std::map<std::uint32_t, Assignment>;  // by index of the sum

class Sums {
 public:
  // The sums of outcome.lines, each with what was found out about it in outcome.sums.
  Sums(const PlanInputs& plan, Outcome& outcome);

  // Compares every sum with what is printed; where a table has several options left, removes those that no sum allows.
  // `known`: assignments that are tried before others are looked for.
  void settle(const Assignments* known = nullptr);
  // The same where no table has a choice; false: the outcome costs more than `limit`, and is left unfinished.
  bool settle_within(std::int64_t limit);

  bool has_removed_options() const { return has_removed_options_; }

  // Of those sums whose printed value some soon found sizes give.
  Assignments assignments() const;

  Departures departures() const;
  // Other plan-wide values to count departures from; once settled.
  void take_pair(int pair);
  // Do the usual ones of OwnDepartures bring the memory that they are found in back? Then it is no wrong line.
  bool are_usual(const Departures& found, std::uint64_t usual) const;
  // settle(), taking the printed sum for wrong: it removes no option. Returns departures().
  Departures contradict(std::uint32_t line);
  // Sums of ranks that plan-wide values do not give, the furthest off first; before they are settled.
  std::vector<std::uint32_t> furthest_off(std::size_t most);

  // What the memory of each rank leaves of the share that its part of every row-wise table has; empty: none that all
  // parts could have.
  std::vector<RealInterval> row_shares() const;

  // Bounds of S and y that the Input and Output columns leave to a table.
  std::vector<Lookups> narrowed_lookups() const;

 private:
  using Entry = SumLines::Entry;
  using Part = SumLines::Part;
  using Values = std::vector<RealInterval>;  // by SumLines::values_of()
  // What the shards of a sum take, of all quantities at once: sums of the same shards follow each other.
  class ShardTotals {
   public:
    // `swing`: of the tables, for widest_swing().
    ShardTotals(const SumLines& lines, const Values& values, const Values* swing = nullptr)
        : lines_(lines), values_(values), swing_(swing) {}
    RealInterval of(const SumLine& line) {
      take_shards(line);
      return all_.sums[static_cast<std::size_t>(line.quantity)];
    }
    // No table swings further.
    RealInterval widest_swing(const SumLine& line) {
      take_shards(line);
      return all_.widest[static_cast<std::size_t>(line.quantity)];
    }
    // After values have changed.
    void forget() { common_ = all_ = {}; }

   private:
    struct Totals {
      std::array<RealInterval, kQuantities> sums{}, widest{};
      Part last;  // the shards added last
    };
    void take_shards(const SumLine& line);
    template <Quantity... Q>
    void add_up(const SumLine& line);
    template <Quantity... Q>
    void add(Part shards, Totals& totals) const;
    template <Quantity... Q>
    void take_widest_swing(Part shards, Totals& totals) const;

    const SumLines& lines_;
    const Values& values_;
    const Values* swing_;
    Totals common_, all_;  // of the common shards, which the next sums mostly have, too; and of all
  };
  // A table of an output sum with several element sizes left, and what each of them adds.
  struct OpenTable {
    std::uint32_t table = 0;
    ShortVector<std::pair<int, RealInterval>, kElementSizes.size()> sizes;  // element index, bytes
    std::uint32_t used = 0;                                                 // bit set: element sizes of some solution
    RealInterval rest{};                                                    // what it and the tables after it can add
  };

  bool usable(std::uint32_t t) const { return !outcome_.tables[t].options.empty(); }
  bool sizes_differ(std::uint32_t t) const { return (elements_[t] & (elements_[t] - 1)) != 0; }
  bool has_element(std::uint32_t t, int element) const { return (elements_[t] >> element & 1) != 0; }
  const Classes& classes_of(std::uint32_t t) const { return (*outcome_.parts)[t].front().classes; }
  RealInterval bytes(const Entry& entry, const Parts& parts, Combo combo, Quantity quantity) const {
    if (entry.cls == SumLines::kWhole)
      return table_bytes(outcome_.setting, plan_.tables[entry.table], parts, combo, quantity);
    const ClassParts& c = parts.classes[static_cast<std::size_t>(entry.cls)];
    return entry.times(class_bytes(outcome_.setting, c, combo, quantity));
  }
  RealInterval bytes(Part part, Option option, Quantity quantity) const {
    const Parts& parts = (*outcome_.parts)[part.table][option.variant];
    const Combo combo = combo_of(option.combo);
    RealInterval sum = bytes(lines_[part.first], parts, combo, quantity);  // mostly the only one
    for (std::uint32_t i = part.first + 1; i < part.end; ++i) sum = sum + bytes(lines_[i], parts, combo, quantity);
    return sum;
  }
  RealInterval sum_of(const Values& values, const SumLine& line) const {
    return sum_of(values, lines_.common(line), line.quantity) + sum_of(values, SumLines::own(line), line.quantity);
  }
  RealInterval sum_of(const Values& values, Part part, Quantity quantity) const {
    RealInterval sum{};
    for (std::uint32_t i = part.first; i < part.end; ++i) {
      const Entry& entry = lines_[i];
      sum = sum + entry.times(values[entry.values + static_cast<std::size_t>(quantity)]);
    }
    return sum;
  }
  std::size_t values_in(std::uint32_t t) const {
    return lines_.whole_of(t) + static_cast<std::size_t>(kQuantities) - lines_.values_of(t);
  }
  double ranks() const { return static_cast<double>(plan_.ranks.size()); }
  RealInterval constant_of(const SumLine& line) const;
  RealInterval shards_of(const SumLine& line) const;
  RealInterval total_of(const SumLine& line) const;
  std::array<RealInterval, kShardQuantities> whole_sizes(std::uint32_t t, const Parts& parts, Combo combo) const;
  template <class F>
  void each_size(std::uint32_t t, Option option, bool one_class, F f) const;
  void set_whole(std::uint32_t t, RealInterval* values) const;
  void set_sizes(std::uint32_t t, Option option, RealInterval* values) const;
  void take_options(std::uint32_t t, const Options& options);
  void refresh(std::uint32_t t);
  void changed(std::uint32_t t);
  void narrow_by_cell(std::uint32_t t, Quantity quantity);

  void fit_constants();
  bool refit_constants();
  RealInterval hidden_constant(Quantity quantity) const;
  bool check_all();
  void prune_all();
  bool check(SumLine& line, ShardTotals& totals);
  std::int64_t contradict_unequal_ranks();
  bool has_known_shards(const SumLine& line) const;
  static bool may_rule_out(const SumLine& line, RealInterval total, RealInterval swing);
  bool prune(SumLine& line, RealInterval& total, Part part);
  std::vector<OpenTable> open_tables(const SumLine& line, RealInterval& fixed) const;
  bool has_open_table(const SumLine& line) const;
  void match_output(SumLine& line);
  bool gives(const SumLine& line, const Assignments& known, std::uint32_t l) const;
  RealInterval output_of(const Entry& entry, int element) const;
  std::optional<std::size_t> add_known(Part shards, const Assignment& known, RealInterval& sum) const;
  enum class Assigned : std::uint8_t { none, some, too_many };
  static void put_in_order(std::vector<OpenTable>& open);
  static Assigned assign(std::vector<OpenTable>& open, RealInterval fixed, RealInterval printed);
  static bool complete(const std::vector<OpenTable>& open, RealInterval sum, RealInterval printed, std::size_t& steps,
                       Assignment& assignment);
  void keep_elements(std::uint32_t t, std::uint32_t elements);
  bool a_rank_is_contradicted(Quantity quantity) const;

  void list_wide_options();
  RealInterval wide_sum(const SumLine& line) const;
  // `wide`: of every line.
  std::int64_t departures_in(const SumLine& line, RealInterval wide) const;
  bool one_table_departs(const std::vector<RealInterval>& wide) const;
  bool explains(std::uint32_t t, Option to, const std::vector<RealInterval>& wide,
                const std::vector<std::uint32_t>& disagreeing) const;

  void narrow_share(const SumLine& line, const std::vector<std::vector<RowEnds>>& ends, RealInterval& share) const;

  RealInterval bytes_each(const SumLine& line, std::uint32_t t, const ClassParts& c) const;
  void narrow_by_column(const SumLine& line, RealInterval total, Part part, Lookups& lookups) const;

  const PlanInputs& plan_;
  Outcome& outcome_;
  const SumLines& lines_;
  Values bounds_;  // over the options left
  // Of tables with several options: how far some option lies above the lower end of the bounds (low), and below the
  // upper one (high). None where no table has.
  Values swing_;
  std::vector<char> has_choice_;  // by table: several options left
  // Of those, by table: which quantities the options left differ in, a bit for each.
  std::vector<std::uint8_t> differ_;
  std::vector<std::uint8_t> elements_;  // which element sizes they have, likewise
  std::uint32_t any_differ_ = 0;        // in which options of some table differed when comparing began
  bool open_ = false;                   // some table has
  bool has_removed_options_ = false;
  Values wide_bounds_;                       // once settled: of the plan-wide option, else over those left
  std::vector<std::optional<Option>> wide_;  // by table, once settled: the plan-wide option beside others
  std::vector<bool> stale_;                  // lines that have changed since they were compared
};

}  // namespace shardstats::infer_detail
