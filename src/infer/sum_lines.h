// Which shards each printed sum adds up (rank columns, kernel lines, all ranks). That depends on the plan and on how
// its tables are split, not on their sizes, so that most hypotheses of a search share it. Private to src/infer.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "infer/equal_ranks.h"
#include "infer/inputs.h"
#include "infer/model.h"

namespace shardstats::infer_detail {

struct PlanInputs;
struct Outcome;

enum class SumOf : std::uint8_t { rank, kernel, all_ranks };

// One printed sum over shards. That of all ranks is the sum of printed cells.
struct SumLine {
  Quantity quantity{};
  SumOf of = SumOf::rank;
  std::uint32_t index = 0;  // rank row or kernel
  RealInterval printed{};
  std::uint32_t first = 0, count = 0;  // entries of its own
  RealInterval expected{};             // bounds of the sum, constants included
  bool contradicted = false;
  std::uint32_t common = 0;  // which of the common shards it adds up, too

  bool is_of_rank(Quantity q) const { return of == SumOf::rank && quantity == q; }
};

// What a hypothesis says that the sums depend on; equal splits have equal SumLines.
struct Split {
  bool uniform = true;
  SplitRows rows = SplitRows::evenly;
  bool by_part = false;  // a class for each part of a row-wise table
  std::int64_t group_size = 1;
  std::vector<bool> rebuilt;  // by table
  friend bool operator==(const Split&, const Split&) = default;
};

class SumLines {
 public:
  // Shards of one class of one table in a sum; kWhole: all of the table.
  struct Entry {
    std::uint32_t table = 0;
    std::uint32_t values = 0;  // where those of the class start among the values of all tables
    std::uint32_t count = 1;
    std::int32_t cls = 0;
    RealInterval times(RealInterval one) const { return one * exactly(static_cast<double>(count)); }
  };
  static constexpr std::int32_t kWhole = -1;
  // Consecutive entries of a sum, mostly those of one table.
  struct Part {
    std::uint32_t table = 0, first = 0, end = 0;
    bool empty() const { return first == end; }
    friend bool operator==(Part, Part) = default;
  };
  using Values = std::vector<RealInterval>;  // of all tables, see values_of()

  // Those of the sums whose tables can all be rebuilt.
  SumLines(const PlanInputs& plan, const Outcome& outcome, Split split);

  const Split& split() const { return split_; }
  const std::vector<SumLine>& lines() const { return lines_; }
  const Entry& operator[](std::uint32_t entry) const { return entries_[entry]; }
  std::span<const Entry> entries(Part part) const {
    return std::span(entries_).subspan(part.first, part.end - part.first);
  }
  // The shards of a sum: those that it has in common with others, of tables with a shard on every rank, and the rest.
  Part common(const SumLine& line) const { return commons_[line.common]; }
  static Part own(const SumLine& line) { return {0, line.first, line.first + line.count}; }
  // Are all shards of the two in common, and what they print?
  static bool are_equal(const SumLine& a, const SumLine& b) {
    return a.quantity == b.quantity && a.common == b.common && a.count == 0 && b.count == 0 && a.printed == b.printed;
  }
  bool rebuilt(std::uint32_t t) const { return split_.rebuilt[t]; }
  // Values: one for each quantity that shards have of each class of a table, then one for each quantity of the whole
  // table. Where that is a single shard, the whole is all that there is.
  std::uint32_t values_of(std::uint32_t t) const { return first_of_[t]; }
  std::uint32_t whole_of(std::uint32_t t) const { return first_of_[t + 1] - static_cast<std::uint32_t>(kQuantities); }
  bool is_single(std::uint32_t t) const { return values_of(t) == whole_of(t); }
  std::uint32_t values() const { return first_of_.back(); }
  std::size_t values_in(std::uint32_t t) const { return first_of_[t + 1] - first_of_[t]; }
  // Adds up those of shards.
  RealInterval sum_of(const Values& values, Part part, Quantity quantity) const {
    RealInterval sum{};
    for (std::uint32_t i = part.first; i < part.end; ++i)
      sum = sum + entries_[i].times(values[entries_[i].values + at(quantity)]);
    return sum;
  }
  RealInterval sum_of(const Values& values, const SumLine& line) const {
    return sum_of(values, common(line), line.quantity) + sum_of(values, own(line), line.quantity);
  }
  // Bit sets of Quantity: those of some sum, those that are needed of whole tables.
  std::uint32_t needed() const { return needed_; }
  std::uint32_t needed_whole() const { return needed_whole_; }

  // Found when they are first asked for: most hypotheses need none.
  const std::vector<UnequalRank>& unequal_ranks() const {
    if (!unequal_ranks_) unequal_ranks_ = infer_detail::unequal_ranks(*this);
    return *unequal_ranks_;
  }

  // Calls f(part) for each table of a sum, in their order.
  template <class F>
  void each_part(const SumLine& line, F f) const {
    Part common = this->common(line), own = SumLines::own(line);
    while (!common.empty() || !own.empty()) {
      const bool is_own = common.empty() || (!own.empty() && entries_[own.first].table < entries_[common.first].table);
      f(next_part(is_own ? own : common));
    }
  }
  template <class F>
  void each_part(Part shards, F f) const {
    while (!shards.empty()) f(next_part(shards));
  }

  // Where a table stands in a sum that it is in.
  Part part_of(const SumLine& line, std::uint32_t t) const {
    const Part part = part_of(common(line), t);
    return part.empty() ? part_of(own(line), t) : part;
  }

  // Does f(line, part) hold for all sums that a table stands in?
  template <class F>
  bool all_lines_of(std::uint32_t t, F f) const {
    const Places& places = this->places();
    for (std::uint32_t i = places.first_of[t]; i < places.first_of[t + 1]; ++i)
      for (std::uint32_t l = places.all[i].first_line; l < places.all[i].end_line; ++l)
        if (!f(l, places.all[i].part)) return false;
    return true;
  }
  // Calls f(line) for each of them.
  template <class F>
  void each_line_of(std::uint32_t t, F f) const {
    all_lines_of(t, [&](std::uint32_t l, Part) {
      f(l);
      return true;
    });
  }

 private:
  // Takes the entries of the first table from what is left.
  Part next_part(Part& left) const {
    Part part{entries_[left.first].table, left.first, left.first + 1};
    while (part.end < left.end && entries_[part.end].table == part.table) ++part.end;
    left.first = part.end;
    return part;
  }
  // Entries come in the order of the tables; empty: there are none of that one.
  Part part_of(Part shards, std::uint32_t t) const {
    const auto begin = entries_.begin(), end = begin + shards.end;
    const auto first = std::ranges::lower_bound(begin + shards.first, end, t, {}, &Entry::table);
    Part part{t, static_cast<std::uint32_t>(first - begin), static_cast<std::uint32_t>(first - begin)};
    while (part.end < shards.end && entries_[part.end].table == t) ++part.end;
    return part;
  }

  // Where a table stands in consecutive sums of the same shards.
  struct Place {
    std::uint32_t first_line = 0, end_line = 0;
    Part part;
  };
  struct Places {
    std::vector<Place> all;               // table by table
    std::vector<std::uint32_t> first_of;  // by table, and the end
  };

  // Found when they are first asked for: where no option is removed, none are needed.
  const Places& places() const {
    if (!places_) places_ = listed_places();
    return *places_;
  }
  Places listed_places() const;
  Entry entry(std::uint32_t t, std::int32_t cls) const;
  void add_line(Quantity quantity, SumOf of, std::size_t index, const std::optional<ByteInterval>& printed,
                std::size_t first, std::size_t end, std::uint32_t common = 0);
  std::vector<std::uint32_t> add_common(const PlanInputs& plan, const Outcome& outcome,
                                        const std::vector<std::uint32_t>& tables);
  void add_rank_sums(const PlanInputs& plan, const Outcome& outcome);
  void add_kernel_sums(const PlanInputs& plan);
  void add_totals(const PlanInputs& plan, const Outcome& outcome);

  Split split_;
  std::vector<std::uint32_t> first_of_;  // by table, and the end
  std::vector<Entry> entries_;
  std::vector<Part> commons_{Part{}};  // by SumLine::common; first none
  std::vector<SumLine> lines_;
  std::uint32_t needed_ = 0, needed_whole_ = 0;
  // One block is one thread's.
  mutable std::optional<std::vector<UnequalRank>> unequal_ranks_;
  mutable std::optional<Places> places_;
};

// The lists of one search: it meets few splits, and each many times.
class KnownSums {
 public:
  explicit KnownSums(const PlanInputs& plan) : plan_(plan) {}
  // Lists the sums of the hypothesis, of which nothing is found out yet. `uniform`: of that tier.
  void list_in(Outcome& outcome, bool uniform);

 private:
  std::shared_ptr<const SumLines> of(const Outcome& outcome, bool uniform);

  const PlanInputs& plan_;
  std::vector<std::shared_ptr<const SumLines>> known_;
};

}  // namespace shardstats::infer_detail
