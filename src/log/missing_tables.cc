#include "shardstats/log/missing_tables.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "shardstats/limits.h"
#include "shardstats/log/same_text.h"
#include "shardstats/numbers/printed.h"

namespace shardstats {
namespace {

constexpr std::int64_t kMostOthers = 64;  // rows of other names between two numbered ones
constexpr std::int64_t kMostLost = 1000;  // rows of a series
constexpr int kMostListed = 10;           // two lists of five
constexpr int kMostCounted = 1 << 20;     // shards of a type on a rank
constexpr std::size_t kLeastSteps = 4;    // from one number to the next that make a series
constexpr std::int64_t kLargestInName = 1'000'000'000, kLargestStep = 1000;

// Tables by kernel that are printed beyond the rows; nullopt if a kernel has too many rows, or the lines are damaged.
struct KernelsWithoutRows {
  std::map<std::string_view, std::int64_t> kernels;
  std::set<std::string_view> uncounted;  // their lines are lost
};
std::optional<KernelsWithoutRows> kernels_without_rows(const PrintedPlan& printed) {
  KernelsWithoutRows found;
  auto& kernels = found.kernels;
  for (const PrintedLine& line : printed.lines) {
    if (line.id == LineId::kernel_storage) found.uncounted.insert(printed.slots_of(line).front().text);
    if (line.id != LineId::kernel_count) continue;
    const auto slots = printed.slots_of(line);
    const auto count = slots.size() < 2 ? std::nullopt : parse_integer(slots[1].text, kMostTables);
    if (!count || !kernels.try_emplace(slots[0].text, *count).second) return std::nullopt;
  }
  std::erase_if(found.uncounted, [&](std::string_view kernel) { return kernels.contains(kernel); });
  auto kernel = kernels.end();
  for (const PrintedTable& row : printed.tables.rows) {
    if (!row.sharding || !row.kernel) return std::nullopt;
    // Most rows have the kernel of the one above.
    if (kernel == kernels.end() || !same_text(kernel->first, row.kernel.text)) kernel = kernels.find(row.kernel.text);
    if (kernel == kernels.end())
      found.uncounted.insert(row.kernel.text);
    else if (--kernel->second < 0)
      return std::nullopt;
  }
  std::erase_if(kernels, [](const auto& entry) { return entry.second == 0; });
  return found;
}

// Does the number of hardcoded and selected kernels also show so many more tables?
bool is_shown_by_constraints(const PrintedPlan& printed, std::int64_t missing) {
  const auto hardcoded = parse_integer(printed.slot(LineId::kernel_constraints, 0).text, kMostTables);
  const auto selected = parse_integer(printed.slot(LineId::kernel_constraints, 1).text, kMostTables);
  return hardcoded && selected && *hardcoded + *selected == std::ssize(printed.tables.rows) + missing;
}

// HBM and DDR of a kernel's line or a row of its tables, in GB.
using Memory = std::array<RealInterval, 2>;
std::optional<Memory> memory_of(const Cell& hbm, const Cell& ddr, Format format) {
  const auto first = values_printed_as(hbm.text, format), second = values_printed_as(ddr.text, format);
  return first && second ? std::optional(Memory{*first, *second}) : std::nullopt;
}

// Has each kernel that lacks rows more memory than its other rows add up to? Where ranks do not count the shards, this
// tells a lost row from a wrong number of tables.
bool is_shown_by_memory(const PrintedPlan& printed, const MissingTables& missing) {
  constexpr double kNone = 1e-9;  // GB, above what rounds in differences of bounds
  std::map<std::string_view, Memory> left;
  for (const PrintedLine& line : printed.lines) {
    if (line.id != LineId::kernel_storage) continue;
    const auto slots = printed.slots_of(line);
    if (const auto memory = memory_of(slots[1], slots[2], printed.format_of(RoundedNumbers::lines)))
      left.emplace(slots[0].text, *memory);
  }
  for (const PrintedTable& row : printed.tables.rows) {
    const auto of_kernel = left.find(row.kernel.text);
    const auto memory = memory_of(row.hbm, row.ddr, printed.format_of(RoundedNumbers::table_storage));
    if (!memory) return false;
    if (of_kernel == left.end()) continue;
    for (std::size_t m = 0; m < memory->size(); ++m) of_kernel->second[m] = of_kernel->second[m] - (*memory)[m];
  }
  return std::ranges::all_of(missing.kernels, [&](const auto& kernel) {
    const auto rest = left.find(kernel.first);
    return rest != left.end() && std::ranges::any_of(rest->second, [](RealInterval r) { return r.low > kNone; }) &&
           std::ranges::none_of(rest->second, [](RealInterval r) { return r.high < -kNone; });
  });
}

// A row whose name has a number: "ebc.", "t_", 7, "_user".
struct NumberedRow : NumberedName {
  std::size_t row = 0;
  std::string_view module;
};

std::optional<NumberedRow> numbered(std::size_t row, std::string_view fqn) {
  const std::size_t start = fqn.rfind('.') + 1;
  const auto name = numbered_name(fqn.substr(start));
  if (!name) return std::nullopt;
  return NumberedRow{*name, row, fqn.substr(0, start)};
}

// Tables of a model are often numbered in the order of their rows, within a module or over all modules. A number that
// no row has, though there are rows before and after it, is that of a missing one, unless a table of another name
// stands in its place. One series of such names; `rows` in order.
class Series {
 public:
  Series(const std::vector<PrintedTable>& tables, const std::vector<NumberedRow>& rows) : tables_(tables), rows_(rows) {
    for (const NumberedRow& row : rows) numbers_.insert(row.number);
    for (std::size_t i = 1; i < rows.size() && in_order_; ++i)
      if (rows[i].module == rows[i - 1].module) add_step(rows[i - 1], rows[i]);
  }

  // Are the names numbered at all?
  bool is_one() const { return in_order_ && steps_ >= kLeastSteps; }
  std::int64_t lost() const { return unnamed_ + std::ssize(places_); }
  bool starts_at_one() const { return rows_.front().number == 1 && *numbers_.begin() == 1; }

  // One that is lost, in front of a row; nullopt if none has but one place.
  std::optional<NumberedRow> first_lost() const {
    for (const auto& [number, places] : places_) {
      const auto tight = [](const Place& place) { return place.tight; };
      if (places.size() == 1) return named(places.front().next, number);
      if (std::ranges::count_if(places, tight) == 1) return named(std::ranges::find_if(places, tight)->next, number);
    }
    return std::nullopt;
  }
  NumberedRow zero() const { return named(&rows_.front(), 0); }

 private:
  struct Place {
    const NumberedRow* next;
    bool tight;  // the numbers right before and after it are there
  };

  static NumberedRow named(const NumberedRow* next, std::int64_t number) {
    NumberedRow lost = *next;
    lost.number = number;
    return lost;
  }

  void add_step(const NumberedRow& last, const NumberedRow& next) {
    const auto in_module = [&](const PrintedTable& row) { return row.fqn.text.starts_with(last.module); };
    const auto first = tables_.begin() + static_cast<std::ptrdiff_t>(last.row) + 1;
    const auto end = tables_.begin() + static_cast<std::ptrdiff_t>(next.row);
    const std::int64_t others = end - first;
    if (others > kMostOthers || lost() > kMostLost || !std::all_of(first, end, in_module)) return;
    in_order_ = next.number > last.number && next.number - last.number <= kLargestStep;
    std::vector<std::int64_t> absent;
    for (std::int64_t n = last.number + 1; in_order_ && n < next.number; ++n)
      if (!numbers_.contains(n)) absent.push_back(n);
    in_order_ = in_order_ && std::ssize(absent) >= others;
    ++steps_;
    if (others > 0) {  // which of the numbers are theirs is unknown
      unnamed_ += std::ssize(absent) - others;
      return;
    }
    for (const std::int64_t n : absent) places_[n].push_back({&next, next.number - last.number == 2});
  }

  const std::vector<PrintedTable>& tables_;
  const std::vector<NumberedRow>& rows_;
  std::set<std::int64_t> numbers_;
  std::map<std::int64_t, std::vector<Place>> places_;  // by lost number
  std::size_t steps_ = 0;
  std::int64_t unnamed_ = 0;
  bool in_order_ = true;
};

// By module, head and tail; the module is left out where its numbers go on in others.
using SeriesRows = std::map<std::tuple<std::string_view, std::string_view, std::string_view>, std::vector<NumberedRow>>;
SeriesRows numbered_rows(const std::vector<PrintedTable>& tables) {
  SeriesRows all;
  for (std::size_t i = 0; i < tables.size(); ++i)
    if (const auto row = numbered(i, tables[i].fqn.text)) all[{"", row->head, row->tail}].push_back(*row);
  SeriesRows series;
  for (auto& [key, rows] : all) {
    std::set<std::int64_t> numbers;
    const bool repeated =
        !std::ranges::all_of(rows, [&](const NumberedRow& row) { return numbers.insert(row.number).second; });
    for (const NumberedRow& row : rows)
      series[{repeated ? row.module : std::string_view{}, row.head, row.tail}].push_back(row);
  }
  return series;
}

// If exactly the missing rows are left out of numbered names: the name of one, and where it stood. Where no number is
// left out, but a series starts at one, the row of number zero may be the missing one.
void find_gap(const std::vector<PrintedTable>& tables, MissingTables& missing) {
  std::int64_t lost = 0, at_one = 0;
  std::optional<NumberedRow> name, zero;
  for (const auto& [key, rows] : numbered_rows(tables)) {
    const Series series(tables, rows);
    if (!series.is_one()) continue;
    lost += series.lost();
    if (!name) name = series.first_lost();
    if (series.starts_at_one()) zero = series.zero(), ++at_one;
  }
  if (lost == 0 && at_one == 1 && missing.count == 1) name = zero, lost = 1;
  if (!name || (missing.at_least ? lost < missing.count : lost != missing.count)) return;
  missing.before = name->row;
  missing.numbered_name =
      std::string(name->module).append(name->head).append(std::to_string(name->number)).append(name->tail);
}

// The only name of the Top 5 lists that no row has.
void find_listed(const PrintedPlan& printed, MissingTables& missing) {
  if (missing.count != 1) return;
  int listed = 0;
  std::set<std::string_view> names;
  for (const PrintedLine& line : printed.lines) {
    if (line.id != LineId::top_perf_table && line.id != LineId::top_hbm_table) continue;
    if (++listed > kMostListed) return;
    const std::string_view name = printed.slots_of(line).front().text;
    const auto has_name = [&](const PrintedTable& row) { return is_named(row.fqn.text, name); };
    if (std::ranges::none_of(printed.tables.rows, has_name)) names.insert(name);
  }
  if (names.size() == 1) missing.listed_name = *names.begin();
}

// Is the listed name another one of the series that a number is left out of?
bool is_vetoed(const MissingTables& missing) {
  const auto listed = numbered(0, missing.listed_name), other = numbered(0, missing.numbered_name);
  return listed && other && listed->head == other->head && listed->tail == other->tail &&
         listed->number != other->number;
}

// May so many tables have these shards?
bool is_possible(std::string_view type, const std::map<int, int>& counts, std::int64_t tables, std::size_t ranks) {
  if (tables_with_shards(type, counts).least > tables) return false;
  const auto same = [&](const auto& entry) { return entry.second == counts.begin()->second; };
  return !is_on_all_ranks(type) || (counts.size() == ranks && std::ranges::all_of(counts, same));
}

bool has_ranks(const PrintedTable& row) {
  std::vector<int> ranks;
  return parse_ranks(row.ranks.text, ranks) && !ranks.empty();
}

// Cut off inside or below the table: that says enough, and one wrong count of shards would look like a lost row.
bool ends_in_tables(const PrintedPlan& printed) {
  return printed.find(LineId::kernel_count) == nullptr && !printed.lines.empty() &&
         printed.lines.back().id != LineId::border;
}

bool counts_shards(const PrintedRank& row) { return !row.lost && row.shards; }

// Of what shards the ranks lack rows; false: some has too many, so that something else is wrong. Lost tables may be on
// lost ranks alone.
bool read_types(const PrintedPlan& printed, MissingTables& missing) {
  const ShardDifference difference = shard_difference(printed);
  const std::int64_t most = missing.at_least ? kMostTables : missing.count;
  const auto ranks = static_cast<std::size_t>(std::ranges::count_if(printed.ranks.rows, counts_shards));
  std::int64_t shards = 0;
  for (const auto& [type, counts] : difference) {
    if (!is_possible(type, counts, most, ranks)) return false;
    for (const auto& [rank, count] : counts) {
      if (count < 0) return false;
      shards += count;
      missing.types[type].push_back(rank);
    }
  }
  missing.count = std::max(missing.count, missing.at_least ? std::ssize(difference) : 0);
  return shards > 0 && (printed.has_lost_ranks() || shards >= missing.count) && std::ssize(difference) <= missing.count;
}

// Do other numbers than those of the kernels' lines speak for lost rows, too: the shards of the ranks, or, where there
// are no ranks or the lost rows may be on lost ones, other lines?
bool is_confirmed(const PrintedPlan& printed, MissingTables& missing) {
  if (printed.ranks.printed) {
    if (read_types(printed, missing)) return true;
    if (!printed.has_lost_ranks() || !shard_difference(printed).empty()) return false;
  }
  return !missing.at_least && (is_shown_by_constraints(printed, missing.count) || is_shown_by_memory(printed, missing));
}

// How many shards each rank has; a table on many ranks counts on all of them.
class ShardsByRank {
 public:
  int& on(std::size_t rank) {
    if (rank >= counts_.size()) counts_.resize(rank + 1);
    return counts_[rank];
  }
  std::map<int, int> nonzero() const {
    std::map<int, int> counts;
    for (std::size_t rank = 0; rank < counts_.size(); ++rank)
      if (counts_[rank] != 0) counts.emplace_hint(counts.end(), static_cast<int>(rank), counts_[rank]);
    return counts;
  }

 private:
  std::vector<int> counts_;
};

}  // namespace

ShardDifference shard_difference(const PrintedPlan& printed) {
  std::map<std::string_view, ShardsByRank> shards;
  std::vector<bool> lost(printed.ranks.rows.size());  // rows, or what they count
  for (std::size_t r = 0; r < lost.size(); ++r) {
    lost[r] = !counts_shards(printed.ranks.rows[r]);
    for (const ShardCount& pair : shard_counts(printed.ranks.rows[r].shards))
      if (int& count = shards[pair.type.text].on(r); count < kMostCounted)
        count += static_cast<int>(parse_integer(pair.count.text, kMostCounted).value_or(0));
  }
  std::vector<int> ranks;
  auto of_type = shards.end();
  for (const PrintedTable& row : printed.tables.rows) {
    ranks.clear();
    if (!parse_ranks(row.ranks.text, ranks) || ranks.empty()) continue;
    // Many rows have the type of the one above.
    if (of_type == shards.end() || of_type->first != row.sharding.text)
      of_type = shards.try_emplace(row.sharding.text).first;
    for (const int rank : ranks)
      if (const auto r = static_cast<std::size_t>(rank); r >= lost.size() || !lost[r]) --of_type->second.on(r);
  }
  ShardDifference difference;
  for (const auto& [type, by_rank] : shards)
    if (auto counts = by_rank.nonzero(); !counts.empty()) difference.emplace(type, std::move(counts));
  return difference;
}

bool is_on_all_ranks(std::string_view sharding_type) { return sharding_type == "RW" || sharding_type == "DP"; }

bool names_all_ranks(const PrintedPlan& printed) {
  return std::ranges::any_of(printed.tables.rows,
                             [](const PrintedTable& row) { return row.ranks && is_on_all_ranks(row.sharding.text); });
}

const Diagnostic* ranks_without_places(const PrintedPlan& printed) {
  if (printed.has_lost_ranks()) return nullptr;
  const auto says_so = [](const Diagnostic& d) {
    return d.kind == DiagnosticKind::ranks_missing_before || d.kind == DiagnosticKind::ranks_missing_after;
  };
  const auto found = std::ranges::find_if(printed.diagnostics, says_so);
  return found == printed.diagnostics.end() ? nullptr : &*found;
}

bool tells_rank_count(const PrintedPlan& printed) {
  if (ranks_without_places(printed) != nullptr) return false;
  const auto& rows = printed.ranks.rows;
  return rows.empty() || !rows.back().lost || names_all_ranks(printed);
}

TableBounds tables_with_shards(std::string_view type, const std::map<int, int>& by_rank) {
  std::int64_t on_one = 0, in_all = 0;
  for (const auto& [rank, shards] : by_rank) {
    on_one = std::max<std::int64_t>(on_one, shards);
    in_all += shards;
  }
  if (is_on_all_ranks(type)) return {on_one, on_one};
  if (type == "TWRW") return {on_one, in_all};
  return {type == "TW" ? in_all : 1, in_all};
}

std::optional<NumberedName> numbered_name(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789";
  const std::size_t last = name.find_last_of(kDigits);
  if (last == std::string_view::npos) return std::nullopt;
  const std::size_t first = name.find_last_not_of(kDigits, last) + 1;
  const auto number = parse_integer(name.substr(first, last + 1 - first), kLargestInName);
  if (!number) return std::nullopt;
  return NumberedName{name.substr(0, first), name.substr(last + 1), *number};
}

bool MissingTables::on_rank(int rank) const {
  return std::ranges::any_of(types, [rank](const auto& type) { return std::ranges::binary_search(type.second, rank); });
}

std::optional<MissingTables> missing_tables(const PrintedPlan& printed) {
  auto found = kernels_without_rows(printed);
  if (!found || (found->kernels.empty() && found->uncounted.empty()) || printed.tables.rows.empty())
    return std::nullopt;
  MissingTables missing;
  for (const auto& [kernel, count] : found->kernels) missing.count += count;
  missing.kernels = std::move(found->kernels);
  missing.at_least = !found->uncounted.empty();
  for (const std::string_view kernel : found->uncounted) missing.kernels[kernel] = 0;
  if (missing.at_least && (ends_in_tables(printed) || !std::ranges::all_of(printed.tables.rows, has_ranks)))
    return std::nullopt;
  if (!is_confirmed(printed, missing)) return std::nullopt;
  find_gap(printed.tables.rows, missing);
  find_listed(printed, missing);
  if (is_vetoed(missing)) missing.before.reset();
  return missing;
}

}  // namespace shardstats
