#include "infer/bucket_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "shardstats/planner/shapes.h"

namespace shardstats::infer_detail {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
// In which all numbers of buckets are looked for, and splits that are then tried, times the parts: each some 10 ms.
constexpr std::int64_t kMostDivisions = 2'000'000, kMostTried = 4'000'000;
constexpr int kRounds = 8;  // each one only ever removes splits

std::vector<ShapeRuns> splits_of(std::int64_t rows, std::int64_t parts, bool may_be_few) {
  const Shape table{rows, 1};
  std::vector<ShapeRuns> splits{even_row_runs(table, parts)};
  const auto add = [&](std::int64_t buckets) {
    // As many for each part split evenly.
    if (buckets % parts != 0 && (may_be_few || buckets > parts)) splits.push_back(bucket_runs(table, buckets, parts));
  };
  for (std::int64_t d = 1; d * d <= rows; ++d) {
    if (rows % d != 0) continue;
    add(d);
    if (d != rows / d) add(rows / d);
  }
  return splits;
}

// What is left of the rows of each part, for ranges of parts from the first one on and to the last one.
class AllowedRows {
 public:
  explicit AllowedRows(const std::vector<RealInterval>& by_part) : by_part_(by_part), to_(by_part), from_(by_part) {
    const auto meet = [](RealInterval a, RealInterval b) {
      return RealInterval{std::max(a.low, b.low), std::min(a.high, b.high)};
    };
    for (std::size_t k = 1; k < to_.size(); ++k) to_[k] = meet(to_[k - 1], to_[k]);
    for (std::size_t k = from_.size() - 1; k-- > 0;) from_[k] = meet(from_[k + 1], from_[k]);
  }

  bool allow(const ShapeRuns& split) const {
    std::size_t first = 0;
    for (const ShapeRun& run : split) {
      const std::size_t end = first + static_cast<std::size_t>(run.count);
      // Between the first run and the last one stands a single part.
      const RealInterval allowed = first == 0 ? to_[end - 1] : end == from_.size() ? from_[first] : by_part_[first];
      if (!holds(allowed, run.shape.rows)) return false;
      first = end;
    }
    return true;
  }

 private:
  static bool holds(RealInterval allowed, std::int64_t rows) {
    const auto x = static_cast<double>(rows);
    return allowed.low <= x && x <= allowed.high;
  }

  const std::vector<RealInterval>& by_part_;
  std::vector<RealInterval> to_, from_;
};

class BucketRows {
 public:
  BucketRows(const PlanInputs& plan, const Outcome& outcome, const std::vector<RowLine>& lines)
      : plan_(plan),
        how_(outcome.rows.how),
        refuses_few_(outcome.setting.rules->release >= Release::v1_8_0),
        lines_(lines),
        parts_(plan.ranks.size()),
        splits_(plan.tables.size()),
        rows_(plan.tables.size()) {}

  // A table with too many of them may have any rows.
  void list_splits() {
    std::map<std::int64_t, std::uint32_t> listed;  // the first table with so many rows
    std::int64_t divisions = 0, tried = 0;
    for (std::uint32_t t = 0; t < splits_.size(); ++t) {
      const TableInputs& table = plan_.tables[t];
      if (!is_row_wise(table)) continue;
      rows_[t].assign(parts_, {0, static_cast<double>(table.rows)});
      const auto [same, is_new] = listed.try_emplace(table.rows, t);
      const auto needed = is_new ? static_cast<std::int64_t>(std::sqrt(static_cast<double>(table.rows))) : 0;
      if (divisions + needed > kMostDivisions) continue;
      divisions += needed;
      const bool may_be_few = !refuses_few_ && !has_no_empty_part(table.rows, parts_, how_);
      auto splits =
          is_new ? splits_of(table.rows, static_cast<std::int64_t>(parts_), may_be_few) : splits_[same->second];
      const std::int64_t own = std::ssize(splits) * static_cast<std::int64_t>(parts_);
      if (splits.empty() || tried + own > kMostTried) continue;
      tried += own;
      splits_[t] = std::move(splits);
      set_bounds(t);
    }
  }

  // Removes what no sum allows; false: nothing is left of some table.
  bool narrow() {
    bool has_changed = true;
    for (int round = 0; round < kRounds && has_changed; ++round) {
      has_changed = false;
      const auto allowed = allowed_rows();
      for (std::uint32_t t = 0; t < splits_.size(); ++t) {
        if (splits_[t].empty()) continue;
        const AllowedRows own(allowed[t]);
        if (std::erase_if(splits_[t], [&](const ShapeRuns& split) { return !own.allow(split); }) == 0) continue;
        if (splits_[t].empty()) return false;
        has_changed = true;
        set_bounds(t);
      }
    }
    return true;
  }

  RowsByTable rows() { return std::move(rows_); }

 private:
  void set_bounds(std::uint32_t t) {
    bool is_first = true;
    for (const ShapeRuns& split : splits_[t]) {
      auto part = rows_[t].begin();
      for (const ShapeRun& run : split)
        for (const auto end = part + run.count; part != end; ++part)
          *part = is_first ? real(run.shape.rows) : hull(*part, real(run.shape.rows));
      is_first = false;
    }
  }

  RealInterval bytes_on(const RowLine& line, const RowLine::Table& table) const {
    return table.bytes * rows_[table.table][line.rank] / real(plan_.tables[table.table].rows);
  }

  // By table and part: what the sums leave beside the other tables.
  RowsByTable allowed_rows() const {
    RowsByTable allowed(splits_.size());
    for (std::size_t t = 0; t < allowed.size(); ++t)
      if (!splits_[t].empty()) allowed[t].assign(parts_, {0, static_cast<double>(plan_.tables[t].rows)});
    for (const RowLine& line : lines_) {
      RealInterval sum{};
      for (const RowLine::Table& table : line.tables) sum = sum + bytes_on(line, table);
      const auto rounding = static_cast<double>(kRoundings) * static_cast<double>(line.tables.size());
      for (const RowLine::Table& table : line.tables) {
        if (table.bytes.high <= 0 || splits_[table.table].empty()) continue;
        const RealInterval own = bytes_on(line, table);
        const RealInterval left{line.left.low - (sum.high - own.high) - rounding,
                                line.left.high - (sum.low - own.low) + rounding};
        const auto rows = static_cast<double>(plan_.tables[table.table].rows);
        RealInterval& of_part = allowed[table.table][line.rank];
        of_part.low = std::max(of_part.low, std::floor(std::max(left.low, 0.0) / table.bytes.high * rows));
        const double most = table.bytes.low > 0 ? left.high / table.bytes.low * rows : kInfinite;
        of_part.high = std::min(of_part.high, left.high < 0 ? -1 : std::ceil(most));
      }
    }
    return allowed;
  }

  const PlanInputs& plan_;
  SplitRows how_;
  bool refuses_few_;  // fewer buckets than parts
  const std::vector<RowLine>& lines_;
  std::size_t parts_;
  std::vector<std::vector<ShapeRuns>> splits_;  // by table; empty: they are not looked for
  RowsByTable rows_;                            // bounds over them, by table and part
};

}  // namespace

RowsByTable rows_in_buckets(const PlanInputs& plan, const Outcome& outcome, const std::vector<RowLine>& lines) {
  BucketRows buckets(plan, outcome, lines);
  buckets.list_splits();
  return buckets.narrow() ? buckets.rows() : RowsByTable{};
}

}  // namespace shardstats::infer_detail
