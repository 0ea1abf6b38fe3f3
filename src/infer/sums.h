// The printed sums of a plan (rank columns, kernel lines) against what its tables add up to under one hypothesis.
// Removes options of tables that no sum allows. Private to src/infer.
#pragma once

#include <vector>

#include "infer/evaluate.h"

namespace shardstats::infer_detail {

const std::optional<ByteInterval>& cell_of(const TableInputs& table, Quantity quantity);

// Does the option give the table the plan-wide values of the pair and no hidden value of its own?
bool is_plan_wide(const TableInputs& table, const TableParts& parts, Option option, int pair);

// Sums that are out of reach of the plan-wide values though no table's own cells ask for others.
struct Departures {
  std::int64_t tables = 0;  // so many tables together at least bring back the sum that needs most
  std::int64_t lines = 0;   // such sums
  std::uint32_t line = 0;   // the one that needs most
};

class Sums {
 public:
  // Lists the sums of `outcome` whose tables can all be rebuilt in outcome.sums.
  Sums(const PlanInputs& plan, Outcome& outcome);

  // Compares every sum with what is printed; where a table has several options left, removes those that no sum allows.
  void settle();

  Departures departures() const;
  // settle(), taking the printed sum for wrong: it removes no option.
  void contradict(std::uint32_t line);

  // Bounds of S and y that the Input and Output columns leave to a table.
  std::vector<Lookups> narrowed_lookups() const;

 private:
  // Shards of one class of one table in a sum; kWhole: all of the table.
  struct Entry {
    std::uint32_t table = 0;
    std::int16_t cls = 0;
    double count = 1;
  };
  static constexpr std::int16_t kWhole = -1;
  // Consecutive entries of a sum, mostly those of one table.
  struct Part {
    std::uint32_t table = 0, first = 0, end = 0;
  };
  // A table of an output sum with several element sizes left, and what each of them adds.
  struct OpenTable {
    std::uint32_t table = 0;
    std::vector<std::pair<int, RealInterval>> sizes;  // element index, bytes
    std::uint32_t used = 0;                           // bit set: element sizes of some solution
    RealInterval rest{};                              // what it and the tables after it can add
  };

  bool usable(std::uint32_t t) const { return !outcome_.tables[t].options.empty(); }
  const std::vector<ClassParts>& classes_of(std::uint32_t t) const { return (*outcome_.parts)[t].front().classes; }
  void add_line(Quantity quantity, SumOf of, std::size_t index, const std::optional<ByteInterval>& printed,
                std::size_t first);
  void add_rank_sums();
  void add_kernel_sums();
  void add_totals();

  template <class F>
  void each_part(const SumLine& line, F f) const;
  // Where a table stands in a sum.
  struct Place {
    std::uint32_t line = 0;
    Part part;
  };
  void list_places();
  RealInterval bytes(const Entry& entry, Option option, Quantity quantity) const;
  RealInterval bytes(Part part, Option option, Quantity quantity) const;
  RealInterval at(const std::vector<RealInterval>& values, const Entry& entry, Quantity quantity) const;
  RealInterval bounds(Part part, Quantity quantity) const;
  RealInterval& bounds_at(std::uint32_t t, std::size_t cls, Quantity quantity);
  double ranks() const { return static_cast<double>(plan_.ranks.size()); }
  RealInterval constant_of(const SumLine& line) const;
  RealInterval shards_of(const SumLine& line) const;
  RealInterval total_of(const SumLine& line) const;
  RealInterval reach(Part part, Quantity quantity) const;
  void refresh(std::uint32_t t);
  void changed(std::uint32_t t);
  void narrow_by_cell(std::uint32_t t, Quantity quantity);

  void fit_constants();
  RealInterval hidden_constant(Quantity quantity) const;
  bool check_all();
  bool check(SumLine& line);
  bool prune(const SumLine& line, RealInterval& total, Part part);
  void match_output(SumLine& line);
  enum class Assigned : std::uint8_t { none, some, too_many };
  static Assigned assign(std::vector<OpenTable>& open, RealInterval fixed, RealInterval printed);
  void keep_elements(std::uint32_t t, std::uint32_t elements);
  bool a_rank_is_contradicted(Quantity quantity) const;

  std::optional<Option> wide_option(std::uint32_t t) const;
  RealInterval wide_bytes(Part part, Quantity quantity) const;
  RealInterval wide_sum(const SumLine& line) const;
  std::int64_t departures_in(const SumLine& line) const;
  bool one_table_departs() const;
  bool explains_all(std::uint32_t t, Option from, Option to, const std::vector<RealInterval>& wide) const;

  RealInterval bytes_each(const SumLine& line, std::uint32_t t, const ClassParts& c) const;
  void narrow_by_column(const SumLine& line, RealInterval total, Part part, Lookups& lookups) const;

  const PlanInputs& plan_;
  Outcome& outcome_;
  std::vector<Entry> entries_;
  std::vector<RealInterval> bounds_;        // class x quantity for each table, the whole table last
  std::vector<RealInterval> reach_;         // the same before the table's own cells narrow it: every option lies inside
  std::vector<std::uint32_t> first_of_;     // by table, into bounds_
  bool open_ = false;                       // some table has several options left
  std::vector<std::vector<Place>> places_;  // by table; if some table is open
  std::vector<bool> stale_;                 // lines that have changed since they were compared
  // Bit sets of Quantity: those of some sum, those that are needed of whole tables.
  std::uint32_t needed_ = 0, needed_whole_ = 0;
};

}  // namespace shardstats::infer_detail
