#include "shardstats/log/missing_tables.h"

#include <algorithm>
#include <set>
#include <utility>

namespace shardstats {
namespace {

constexpr std::size_t kLeastSeries = 4;  // numbered names that make a series
constexpr std::int64_t kLargestNumber = 1'000'000'000, kLargestStep = 10'000;

// Tables by kernel that are printed beyond the rows; nullopt if a kernel has too many rows, or the lines are damaged.
std::optional<std::map<std::string_view, std::int64_t>> kernels_without_rows(const PrintedPlan& printed) {
  std::map<std::string_view, std::int64_t> kernels;
  for (const PrintedLine& line : printed.lines) {
    if (line.id != LineId::kernel_count) continue;
    const auto slots = printed.slots_of(line);
    const auto count = slots.size() < 2 ? std::nullopt : parse_integer(slots[1].text);
    if (!count || !kernels.try_emplace(slots[0].text, *count).second) return std::nullopt;
  }
  for (const PrintedTable& row : printed.tables.rows) {
    const auto kernel = kernels.find(row.kernel.text);
    if (!row.sharding || kernel == kernels.end() || --kernel->second < 0) return std::nullopt;
  }
  std::erase_if(kernels, [](const auto& entry) { return entry.second == 0; });
  return kernels;
}

// Of a block without ranks: does the number of hardcoded and selected kernels also show so many more tables?
bool is_confirmed(const PrintedPlan& printed, std::int64_t missing) {
  const auto hardcoded = parse_integer(printed.slot(LineId::kernel_constraints, 0).text);
  const auto selected = parse_integer(printed.slot(LineId::kernel_constraints, 1).text);
  return hardcoded && selected && *hardcoded + *selected == std::ssize(printed.tables.rows) + missing;
}

// A name with a number: "ebc.", "t_", 7, "_user".
struct NumberedName {
  std::string_view module, head, tail;
  std::int64_t number = 0;

  auto series() const { return std::pair(head, tail); }
};

// By its last run of digits.
std::optional<NumberedName> numbered(std::string_view fqn) {
  constexpr std::string_view kDigits = "0123456789";
  const std::size_t start = fqn.rfind('.') + 1;
  const std::string_view name = fqn.substr(start);
  const std::size_t last = name.find_last_of(kDigits);
  if (last == std::string_view::npos) return std::nullopt;
  const std::size_t first = name.find_last_not_of(kDigits, last) + 1;
  const auto number = parse_integer(name.substr(first, last + 1 - first), kLargestNumber);
  if (!number) return std::nullopt;
  return NumberedName{fqn.substr(0, start), name.substr(0, first), name.substr(last + 1), *number};
}

// Tables are often numbered in the order of their rows. A number that no row has, though its neighbours are there, is
// that of a missing row, unless a table of another name stands in its place.
class NumberedRows {
 public:
  explicit NumberedRows(const std::vector<PrintedTable>& rows) : rows_(rows) {
    for (const PrintedTable& row : rows)
      if (const auto name = numbered(row.fqn.text)) {
        auto& numbers = numbers_[name->series()];
        numbers.by_module |= !numbers.all.insert(name->number).second;
        numbers.of_module[name->module].insert(name->number);
      }
  }

  // Where exactly the missing rows are left out.
  void find_gap(MissingTables& missing) {
    std::optional<NumberedName> last;
    std::size_t last_row = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const std::string_view fqn = rows_[i].fqn.text;
      if (last && !fqn.starts_with(last->module)) last.reset();
      const auto next = numbered(fqn);
      if (!next || (last && (last->series() != next->series() || last->module != next->module))) continue;
      if (last && !step(*last, *next, i, static_cast<std::int64_t>(i - last_row - 1))) return;
      last = next;
      last_row = i;
    }
    if (steps_ < kLeastSeries || lost_ != missing.count) return;
    if (fqn_.empty()) return;
    missing.name = fqn_;
    missing.has_module = true;
    missing.before = before_;
  }

 private:
  // From one numbered row to the next, with so many of other names in between; false: they are in no order.
  bool step(const NumberedName& last, const NumberedName& next, std::size_t row, std::int64_t between) {
    if (next.number <= last.number || next.number - last.number > kLargestStep) return false;
    const Numbers& numbers = numbers_.at(next.series());
    const auto& present = numbers.by_module ? numbers.of_module.at(next.module) : numbers.all;
    std::vector<std::int64_t> absent;
    for (std::int64_t n = last.number + 1; n < next.number; ++n)
      if (!present.contains(n)) absent.push_back(n);
    const std::int64_t lost = std::ssize(absent) - between;
    if (lost < 0) return false;
    ++steps_;
    if (lost > 0 && between == 0 && fqn_.empty()) {
      fqn_ = std::string(last.module).append(last.head).append(std::to_string(absent.front())).append(last.tail);
      before_ = row;
    }
    lost_ += lost;
    return true;
  }

  struct Numbers {
    std::set<std::int64_t> all;
    std::map<std::string_view, std::set<std::int64_t>> of_module;
    bool by_module = false;  // each module starts anew
  };

  const std::vector<PrintedTable>& rows_;
  std::map<std::pair<std::string_view, std::string_view>, Numbers> numbers_;  // by series
  std::size_t steps_ = 0, before_ = 0;
  std::int64_t lost_ = 0;
  std::string fqn_;
};

// The only name of the Top 5 lists that no row has. Those are bare: the module is known if all tables have the same.
void find_listed(const PrintedPlan& printed, MissingTables& missing) {
  const auto is_of = [](std::string_view fqn, std::string_view name) {
    return fqn == name || (fqn.ends_with(name) && fqn[fqn.size() - name.size() - 1] == '.');
  };
  std::set<std::string_view> names;
  for (const PrintedLine& line : printed.lines) {
    if (line.id != LineId::top_perf_table && line.id != LineId::top_hbm_table) continue;
    const std::string_view name = printed.slots_of(line).front().text;
    const auto has_name = [&](const PrintedTable& row) { return is_of(row.fqn.text, name); };
    if (std::ranges::none_of(printed.tables.rows, has_name)) names.insert(name);
  }
  if (names.size() != 1 || missing.count != 1) return;
  const auto module_of = [](const PrintedTable& row) { return row.fqn.text.substr(0, row.fqn.text.rfind('.') + 1); };
  const std::string_view module = module_of(printed.tables.rows.front());
  missing.has_module =
      std::ranges::all_of(printed.tables.rows, [&](const PrintedTable& row) { return module_of(row) == module; });
  missing.name = std::string(missing.has_module ? module : std::string_view{}).append(*names.begin());
}

}  // namespace

ShardDifference shard_difference(const PrintedPlan& printed) {
  ShardDifference difference;
  for (std::size_t r = 0; r < printed.ranks.rows.size(); ++r)
    for (const ShardCount& pair : shard_counts(printed.ranks.rows[r].shards))
      difference[pair.type.text][static_cast<int>(r)] +=
          static_cast<int>(parse_integer(pair.count.text, 1 << 20).value_or(0));
  std::vector<int> ranks;
  for (const PrintedTable& row : printed.tables.rows) {
    ranks.clear();
    parse_ranks(row.ranks.text, ranks);
    for (const int rank : ranks) --difference[row.sharding.text][rank];
  }
  for (auto type = difference.begin(); type != difference.end();) {
    std::erase_if(type->second, [](const auto& entry) { return entry.second == 0; });
    type = type->second.empty() ? difference.erase(type) : std::next(type);
  }
  return difference;
}

namespace {

// Of what shards the ranks lack rows; false: some has too many, so that something else is wrong.
bool read_types(const PrintedPlan& printed, MissingTables& missing) {
  const ShardDifference difference = shard_difference(printed);
  std::int64_t shards = 0;
  for (const auto& [type, counts] : difference)
    for (const auto& [rank, count] : counts) {
      if (count < 0) return false;
      shards += count;
      missing.types[type].push_back(rank);
    }
  return shards >= missing.count && std::ssize(difference) <= missing.count;
}

}  // namespace

bool MissingTables::on_rank(int rank) const {
  return std::ranges::any_of(types, [rank](const auto& type) { return std::ranges::binary_search(type.second, rank); });
}

std::optional<MissingTables> missing_tables(const PrintedPlan& printed) {
  auto kernels = kernels_without_rows(printed);
  if (!kernels || kernels->empty() || printed.tables.rows.empty()) return std::nullopt;
  MissingTables missing;
  for (const auto& [kernel, count] : *kernels) missing.count += count;
  missing.kernels = std::move(*kernels);
  const bool confirmed = printed.ranks.printed ? read_types(printed, missing) : is_confirmed(printed, missing.count);
  if (!confirmed) return std::nullopt;
  NumberedRows(printed.tables.rows).find_gap(missing);
  if (missing.name.empty()) find_listed(printed, missing);
  return missing;
}

}  // namespace shardstats
