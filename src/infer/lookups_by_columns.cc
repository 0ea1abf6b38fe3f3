#include <algorithm>
#include <optional>
#include <vector>

#include "infer/sum_bounds.h"

namespace shardstats::infer_detail {
namespace {

// Input or Output of a rank.
bool is_column(const SumLine& line) {
  return !line.contradicted && (line.is_of_rank(Quantity::input) || line.is_of_rank(Quantity::output));
}

// Shards of a table on a rank that have rows. They are equal but for these.
struct FilledShards {
  double count = 0;
  const ClassParts* one = nullptr;  // null: there are none
};

// The Input and Output columns of the ranks.
class LookupColumns {
 public:
  LookupColumns(const PlanInputs& plan, const Outcome& outcome, const SumBounds& bounds)
      : plan_(plan), outcome_(outcome), lines_(*outcome.lines), bounds_(bounds) {}

  bool counts_lookups(const SumLine& line, std::uint32_t t) const {
    return line.quantity == Quantity::input || plan_.tables[t].sequence;
  }
  // None where it is not known which shards have rows.
  std::optional<FilledShards> filled(SumLines::Part part) const {
    FilledShards shards;
    for (std::uint32_t i = part.first; i < part.end; ++i) {
      const ClassParts& c = bounds_.class_of(lines_[i]);
      if (c.empty == Emptiness::unknown) return std::nullopt;
      if (c.empty == Emptiness::yes) continue;
      shards.count += lines_[i].count;
      shards.one = &c;
    }
    return shards;
  }
  // Bytes per id (input) or per pooled output (output) of one shard, over the element sizes left.
  RealInterval bytes_each(const SumLine& line, std::uint32_t t, const ClassParts& c) const {
    const Setting& s = outcome_.setting;
    const TableInputs& table = plan_.tables[t];
    const double world = table.sharding == Sharding::dp ? 1 : static_cast<double>(s.world_size);
    const double parts = !counts_lookups(line, t)         ? 1
                         : table.sharding == Sharding::rw ? static_cast<double>(s.world_size)
                         : is_grouped(table.sharding)     ? static_cast<double>(s.column_group_size)
                                                          : 1;
    const RealInterval times = exactly(world / parts);
    if (line.quantity == Quantity::input) return times * exactly(kIndexBytes);
    RealInterval element{4, 1};
    for (const Option option : outcome_.tables[t].options) {
      const double size = element_bytes(option.element());
      element = {std::min(element.low, size), std::max(element.high, size)};
    }
    return times * c.cols * element;
  }
  // What is left of the cell without the other tables.
  static RealInterval left_in(const SumLine& line, RealInterval total, RealInterval own) {
    return line.printed - without(total, own);
  }

 private:
  const PlanInputs& plan_;
  const Outcome& outcome_;
  const SumLines& lines_;
  const SumBounds& bounds_;
};

constexpr double kInverseRounding = 1e-12;  // relative; far above the roundings of the products inverted here

// The number of ids or outputs of so many shards that take so many bytes together, each rounded up.
RealInterval number_in(RealInterval bytes, double shards, RealInterval each) {
  return {std::max((bytes.low / shards - 1) / each.high * (1 - kInverseRounding), 0.0),
          std::max(bytes.high / shards / each.low * (1 + kInverseRounding), 0.0)};
}

}  // namespace

std::vector<Lookups> lookups_by_columns(const PlanInputs& plan, const Outcome& outcome) {
  const SumBounds bounds(plan, outcome);
  const LookupColumns columns(plan, outcome, bounds);
  std::vector<Lookups> all(plan.tables.size());
  for (std::uint32_t t = 0; t < all.size(); ++t)
    if (!outcome.tables[t].options.empty()) all[t] = (*outcome.parts)[t].front().lookups;
  for (const SumLine& line : outcome.sums) {
    if (!is_column(line)) continue;
    const RealInterval total = bounds.sum_of(line);
    outcome.lines->each_part(line, [&](SumLines::Part part) {
      const auto shards = columns.filled(part);
      if (!shards || shards->one == nullptr) return;
      const RealInterval left = LookupColumns::left_in(line, total, bounds.sum_of(part, line.quantity));
      const RealInterval each = columns.bytes_each(line, part.table, *shards->one);
      Lookups& of_table = all[part.table];
      RealInterval& value = columns.counts_lookups(line, part.table) ? of_table.lookups : of_table.pooled;
      value = narrowed(value, number_in(left, shards->count, each));
    });
  }
  return all;
}

namespace {

// Numbers of ids and outputs that printed digits leave open, as the columns narrow them rank after rank.
class OpenNumbers {
 public:
  OpenNumbers(const PlanInputs& plan, const Outcome& outcome, const SumBounds& bounds)
      : columns_(plan, outcome, bounds), values_(plan.tables.size()), has_open_(plan.tables.size()) {
    for (std::uint32_t t = 0; t < plan.tables.size(); ++t) {
      if (outcome.tables[t].options.empty()) continue;
      const Lookups& lookups = (*outcome.parts)[t].front().lookups;
      has_open_[t] = is_open(lookups.lookups) || is_open(lookups.pooled);
      if (has_open_[t]) values_[t] = lookups;
    }
    if (std::ranges::find(has_open_, true) == has_open_.end()) return;
    for (const SumLine& line : outcome.sums)
      if (is_column(line) && is_open(line.expected)) add(line, *outcome.lines, bounds);
  }

  // Is there something left for each of them in every cell?
  bool agree() {
    constexpr int kRounds = 2;  // what one rank leaves of a table may leave too little on those before
    for (int round = 0; round < kRounds; ++round)
      for (const Cell& cell : cells_)
        if (!narrow_by(cell)) return false;
    return true;
  }

 private:
  // Shards of one table on one rank.
  struct Part {
    std::uint32_t table = 0;
    double shards = 0;
    RealInterval each{}, bytes{};  // of one id or output, and of all shards as far as is known without the columns
    RealInterval left{};           // of all shards with what is left of the number
  };
  struct Cell {
    const SumLine* line = nullptr;
    RealInterval rest{};               // bytes of the tables that are known
    std::uint32_t first = 0, end = 0;  // parts
  };

  static bool is_open(RealInterval value) {
    constexpr double kOpen = 0.5;  // relative: what is known better hides little
    return value.width() > kOpen * value.high;
  }

  RealInterval& value_of(const SumLine& line, std::uint32_t t) {
    return columns_.counts_lookups(line, t) ? values_[t].lookups : values_[t].pooled;
  }

  void add(const SumLine& line, const SumLines& lines, const SumBounds& bounds) {
    Cell cell{&line, line.expected, static_cast<std::uint32_t>(parts_.size()), 0};
    bool known = true;
    lines.each_part(line, [&](SumLines::Part part) {
      if (!has_open_[part.table] || !is_open(value_of(line, part.table))) return;
      const auto shards = columns_.filled(part);
      known = known && shards;
      if (!shards || shards->one == nullptr) return;
      const RealInterval own = bounds.sum_of(part, line.quantity);
      cell.rest = without(cell.rest, own);
      parts_.push_back({part.table, shards->count, columns_.bytes_each(line, part.table, *shards->one), own, own});
    });
    cell.end = static_cast<std::uint32_t>(parts_.size());
    if (known && cell.end > cell.first) cells_.push_back(cell);
  }

  // With what is left of the number; each shard is rounded up.
  static RealInterval bytes_of(const Part& part, RealInterval value) {
    const RealInterval bytes = part.each * value * exactly(part.shards);
    return narrowed(part.bytes,
                    {bytes.low * (1 - kInverseRounding), bytes.high * (1 + kInverseRounding) + part.shards});
  }

  bool narrow_by(const Cell& cell) {
    constexpr double kBeyond = 1e-6;  // relative; far above what roundings add up to
    const RealInterval printed = cell.line->printed;
    RealInterval total = cell.rest;
    for (std::uint32_t p = cell.first; p < cell.end; ++p) {
      Part& part = parts_[p];
      part.left = bytes_of(part, value_of(*cell.line, part.table));
      total = total + part.left;
    }
    // What the column leaves holds all that is no wider than the room: mostly many tables are open, each of them a
    // little.
    const double room = std::min(printed.high - total.low, total.high - printed.low);
    for (std::uint32_t p = cell.first; p < cell.end; ++p) {
      const Part& part = parts_[p];
      if (part.left.width() <= room) continue;
      RealInterval& value = value_of(*cell.line, part.table);
      const RealInterval fits = number_in(LookupColumns::left_in(*cell.line, total, part.left), part.shards, part.each);
      if (fits.low > value.high * (1 + kBeyond) || fits.high * (1 + kBeyond) < value.low) return false;
      value = narrowed(value, fits);
    }
    return true;
  }

  const LookupColumns columns_;
  std::vector<Lookups> values_;  // by table, of those that have open ones
  std::vector<bool> has_open_;   // by table
  std::vector<Cell> cells_;
  std::vector<Part> parts_;
};

}  // namespace

bool columns_agree(const PlanInputs& plan, const Outcome& outcome, const SumBounds& bounds) {
  return OpenNumbers(plan, outcome, bounds).agree();
}

}  // namespace shardstats::infer_detail
