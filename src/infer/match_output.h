// Element sizes of tables that give the printed outputs of ranks. Private to src/infer.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "infer/short_vector.h"
#include "infer/sum_bounds.h"

namespace shardstats::infer_detail {

// Element sizes (indices) of tables in one output sum; and in those of them where several tables have a choice.
using Assignment = std::vector<std::pair<std::uint32_t, int>>;
using Assignments = std::map<std::uint32_t, Assignment>;  // by index of the sum

using Sizes = ShortVector<std::pair<int, RealInterval>, kElementSizes.size()>;  // element index, bytes

// A table of an output sum with several element sizes left, and what each of them adds.
struct OpenTable {
  std::uint32_t table = 0;
  Sizes sizes;
  std::uint32_t used = 0;  // bit set: element sizes of some solution
  RealInterval rest{};     // what it and the tables after it can add
};

// The Output column is printed finely, so that bounds of the sum are not enough: looks for the assignments of element
// sizes that give the printed value.
class OutputMatcher {
 public:
  OutputMatcher(const PlanInputs& plan, const Outcome& outcome, const SumBounds& bounds)
      : plan_(plan), outcome_(outcome), lines_(*outcome.lines), bounds_(bounds) {}

  // The tables of an output sum that have several sizes left, each with those that some assignment uses; empty: too
  // many to tell. None: no assignment gives the printed value.
  std::optional<std::vector<OpenTable>> matched(const SumLine& line) const;
  // Is the printed output of line `l` among the sums with the known sizes?
  bool gives(const SumLine& line, const Assignments& known, std::uint32_t l) const;
  // Of those sums whose printed value some soon found sizes give.
  Assignments assignments() const;

 private:
  using Entry = SumLines::Entry;
  using Part = SumLines::Part;
  std::vector<OpenTable> open_tables(const SumLine& line, RealInterval& fixed) const;
  bool has_open_table(const SumLine& line) const;
  RealInterval output_of(const Entry& entry, int element) const;
  std::optional<std::size_t> add_known(Part shards, const Assignment& known, RealInterval& sum) const;

  const PlanInputs& plan_;
  const Outcome& outcome_;
  const SumLines& lines_;
  const SumBounds& bounds_;
};

}  // namespace shardstats::infer_detail
