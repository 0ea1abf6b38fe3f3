#include "log/coarser.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace shardstats::log_detail {
namespace {

// Different numbers of a column, none of which has the last decimal. Quarters do not count: sizes of powers of two, and
// times that rest on them, end so by themselves; of others one in ten has a zero there.
constexpr std::size_t kEnough = 8;
constexpr std::size_t kAll = 3;  // decimals of the newest known releases

std::string_view decimals_of(std::string_view number) {
  const std::size_t point = number.find('.');
  return point == std::string_view::npos ? std::string_view() : number.substr(point + 1);
}

bool is_quarter(std::string_view decimals) {
  return decimals.empty() || decimals == "0" || decimals == "25" || decimals == "5" || decimals == "75";
}

// The numbers of one column until it is known to have all decimals, which a few rows tell.
class Numbers {
 public:
  // False: no more are needed.
  bool add(const Cell& cell) {
    const std::string_view decimals = decimals_of(cell.text);
    most_ = std::max(most_, decimals.size());
    if (!is_quarter(decimals)) texts_.push_back(cell.text);
    return most_ < kAll;
  }

  std::optional<Format> coarser() {
    if (most_ == 0 || most_ >= kAll) return std::nullopt;
    std::ranges::sort(texts_);
    texts_.erase(std::unique(texts_.begin(), texts_.end()), texts_.end());
    if (texts_.size() < kEnough) return std::nullopt;
    return most_ == 1 ? Format::r1 : Format::r2;
  }

 private:
  std::size_t most_ = 0;
  std::vector<std::string_view> texts_;
};

// `add_row(numbers, row)`: false where no more are needed.
template <class Row, class AddRow>
void look_at(DraftPlan& plan, const ColumnTable<Row>& table, RoundedColumn column, ColumnId id, AddRow add_row) {
  Numbers numbers;
  for (const Row& row : table.rows)
    if (!add_row(numbers, row)) return;
  const std::optional<Format> coarser = numbers.coarser();
  const auto printed = std::ranges::find(table.columns, id, &PrintedColumn::id);
  if (!coarser || printed == table.columns.end()) return;
  plan.coarser[static_cast<std::size_t>(column)] = coarser;
  plan.report("log.unknown_format", Severity::warning, printed->header,
              "a column whose numbers have fewer decimals than any known release prints; they are checked as they "
              "are rounded");
}

}  // namespace

void find_coarser_columns(DraftPlan& plan) {
  if (!plan.may_be_newer()) return;
  look_at(plan, plan.ranks, RoundedColumn::rank_memory, ColumnId::hbm,
          [](Numbers& numbers, const PrintedRank& row) { return numbers.add(row.hbm) && numbers.add(row.ddr); });
  look_at(plan, plan.ranks, RoundedColumn::rank_perf, ColumnId::perf,
          [](Numbers& numbers, const PrintedRank& row) { return numbers.add(row.perf.total); });
  look_at(plan, plan.tables, RoundedColumn::table_storage, ColumnId::storage, [](Numbers& numbers, const auto& row) {
    return numbers.add(row.hbm) && numbers.add(row.ddr) && numbers.add(row.ssd);
  });
  look_at(plan, plan.tables, RoundedColumn::table_perf, ColumnId::table_perf,
          [](Numbers& numbers, const PrintedTable& row) { return numbers.add(row.perf.total); });
}

}  // namespace shardstats::log_detail
