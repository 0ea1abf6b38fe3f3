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
  std::uint32_t first = 0, count = 0;  // entries
  RealInterval expected{};             // bounds of the sum, constants included
  bool contradicted = false;
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
    std::int16_t cls = 0;
    double count = 1;
  };
  static constexpr std::int16_t kWhole = -1;
  // Consecutive entries of a sum, mostly those of one table.
  struct Part {
    std::uint32_t table = 0, first = 0, end = 0;
  };

  // Those of the sums whose tables can all be rebuilt.
  SumLines(const PlanInputs& plan, const Outcome& outcome, Split split);

  const Split& split() const { return split_; }
  const std::vector<SumLine>& lines() const { return lines_; }
  const Entry& operator[](std::uint32_t entry) const { return entries_[entry]; }
  bool rebuilt(std::uint32_t t) const { return split_.rebuilt[t]; }
  // Values: one for each quantity of each class of a table, then of the whole table.
  std::uint32_t values_of(std::uint32_t t) const { return first_of_[t]; }
  std::uint32_t values() const { return first_of_.back(); }
  // Bit sets of Quantity: those of some sum, those that are needed of whole tables.
  std::uint32_t needed() const { return needed_; }
  std::uint32_t needed_whole() const { return needed_whole_; }

  // Found when they are first asked for: most hypotheses need none.
  const std::vector<UnequalRank>& unequal_ranks() const {
    if (!unequal_ranks_) unequal_ranks_ = infer_detail::unequal_ranks(*this);
    return *unequal_ranks_;
  }

  // Calls f(part) for each table of a sum: entries of a line come table by table.
  template <class F>
  void each_part(const SumLine& line, F f) const {
    each_part(Part{0, line.first, line.first + line.count}, f);
  }
  template <class F>
  void each_part(Part shards, F f) const {
    for (std::uint32_t i = shards.first; i < shards.end;) {
      Part part{entries_[i].table, i, i + 1};
      while (part.end < shards.end && entries_[part.end].table == part.table) ++part.end;
      i = part.end;
      f(part);
    }
  }

  // Where a table stands in a sum that it is in: entries come in the order of the tables.
  Part part_of(const SumLine& line, std::uint32_t t) const {
    const auto begin = entries_.begin() + line.first, end = begin + line.count;
    const auto own = std::ranges::lower_bound(begin, end, t, {}, &Entry::table);
    Part part{t, static_cast<std::uint32_t>(own - entries_.begin()), 0};
    for (part.end = part.first; part.end < line.first + line.count && entries_[part.end].table == t;) ++part.end;
    return part;
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
  Entry entry(std::uint32_t t, std::int16_t cls) const;
  void add_line(Quantity quantity, SumOf of, std::size_t index, const std::optional<ByteInterval>& printed,
                std::size_t first, std::size_t end);
  void add_rank_sums(const PlanInputs& plan, const Outcome& outcome);
  void add_kernel_sums(const PlanInputs& plan);
  void add_totals(const PlanInputs& plan, const Outcome& outcome);

  Split split_;
  std::vector<std::uint32_t> first_of_;  // by table, and the end
  std::vector<Entry> entries_;
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
  std::shared_ptr<const SumLines> of(const Outcome& outcome);

 private:
  const PlanInputs& plan_;
  std::vector<std::shared_ptr<const SumLines>> known_;
};

}  // namespace shardstats::infer_detail
