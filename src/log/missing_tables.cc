#include "shardstats/log/missing_tables.h"

#include <algorithm>

namespace shardstats {
namespace {

constexpr std::size_t kLeastSeries = 4;  // numbered names that make a series
constexpr std::int64_t kLargestNumber = 1'000'000'000;

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

// A name with a number: "ebc.t_", 7, "_user".
struct NumberedName {
  std::string_view head, tail;
  std::int64_t number = 0;

  bool same_series(const NumberedName& other) const { return head == other.head && tail == other.tail; }
};

// By its last run of digits.
std::optional<NumberedName> numbered(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789";
  const std::size_t last = name.find_last_of(kDigits);
  if (last == std::string_view::npos) return std::nullopt;
  const std::size_t before = name.find_last_not_of(kDigits, last);
  const std::size_t first = before == std::string_view::npos ? 0 : before + 1;
  const auto number = parse_integer(name.substr(first, last + 1 - first), kLargestNumber);
  if (!number) return std::nullopt;
  return NumberedName{name.substr(0, first), name.substr(last + 1), *number};
}

// Where neighbours in the parameter table are numbered one after the other, but for exactly the missing rows.
void find_gap(const PrintedPlan& printed, MissingTables& missing) {
  const auto& rows = printed.tables.rows;
  std::size_t steps = 0, gap = 0;
  std::int64_t skipped = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const auto last = numbered(rows[i - 1].fqn.text), next = numbered(rows[i].fqn.text);
    if (!last || !next || !last->same_series(*next)) continue;
    if (next->number <= last->number) return;
    ++steps;
    if (skipped == 0) gap = i;
    skipped += next->number - last->number - 1;
  }
  if (steps < kLeastSeries || skipped != missing.count) return;
  const NumberedName name = *numbered(rows[gap - 1].fqn.text);
  missing.fqn = std::string(name.head) + std::to_string(name.number + 1) + std::string(name.tail);
  missing.before = gap;
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

bool MissingTables::on_rank(int rank) const {
  return std::ranges::any_of(types, [rank](const auto& type) { return std::ranges::binary_search(type.second, rank); });
}

std::optional<MissingTables> missing_tables(const PrintedPlan& printed) {
  auto kernels = kernels_without_rows(printed);
  if (!kernels || kernels->empty() || printed.tables.rows.empty()) return std::nullopt;
  MissingTables missing;
  for (const auto& [kernel, count] : *kernels) missing.count += count;
  missing.kernels = std::move(*kernels);
  const ShardDifference difference = shard_difference(printed);
  if (difference.empty() || std::ssize(difference) > missing.count) return std::nullopt;
  std::int64_t shards = 0;
  for (const auto& [type, counts] : difference)
    for (const auto& [rank, count] : counts) {
      if (count < 0) return std::nullopt;
      shards += count;
      missing.types[type].push_back(rank);
    }
  if (shards < missing.count) return std::nullopt;
  find_gap(printed, missing);
  return missing;
}

}  // namespace shardstats
