#include "log/newer_forms.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "shardstats/log/layout.h"

namespace shardstats::log_detail {
namespace {

// Different numbers of a column, none of which has the last decimal. Quarters do not count: sizes of powers of two, and
// times that rest on them, end so by themselves; of others one in ten has a zero there.
constexpr std::size_t kEnough = 8;
constexpr std::size_t kAll = 3;  // decimals of the newest known releases
constexpr std::array kRounded = {Format::r1, Format::r2, Format::r3}, kFixed = {Format::f1, Format::f2, Format::f3};

std::string_view decimals_of(std::string_view number) {
  const std::size_t point = number.find('.');
  return point == std::string_view::npos ? std::string_view() : number.substr(point + 1);
}

bool is_quarter(std::string_view decimals) {
  return decimals.empty() || decimals == "0" || decimals == "25" || decimals == "5" || decimals == "75";
}

// The numbers of one column, or of all lines, until they are known to have all decimals, which a few tell.
class Numbers {
 public:
  // False: no more are needed.
  bool add(const Cell& cell) {
    const std::string_view decimals = decimals_of(cell.text);
    most_ = std::max(most_, decimals.size());
    if (!is_quarter(decimals)) texts_.push_back(cell.text);
    return most_ < kAll;
  }

  // How many decimals they are rounded to, if that is fewer.
  std::optional<std::size_t> fewer_decimals() {
    if (most_ == 0 || most_ >= kAll) return std::nullopt;
    std::ranges::sort(texts_);
    texts_.erase(std::unique(texts_.begin(), texts_.end()), texts_.end());
    return texts_.size() < kEnough ? std::nullopt : std::optional(most_);
  }

 private:
  std::size_t most_ = 0;
  std::vector<std::string_view> texts_;
};

void take_form(DraftPlan& plan, RoundedNumbers numbers, Format form, const Cell& where, std::string_view what) {
  plan.newer_forms[static_cast<std::size_t>(numbers)] = form;
  plan.report("log.unknown_format", Severity::warning, where, what);
}

// `add_row(numbers, row)`: false where no more are needed.
template <class Row, class AddRow>
void look_at(DraftPlan& plan, const ColumnTable<Row>& table, RoundedNumbers column, ColumnId id, AddRow add_row) {
  Numbers numbers;
  for (const Row& row : table.rows)
    if (!add_row(numbers, row)) return;
  const auto decimals = numbers.fewer_decimals();
  const auto printed = std::ranges::find(table.columns, id, &PrintedColumn::id);
  if (!decimals || printed == table.columns.end()) return;
  take_form(
      plan, column, kRounded[*decimals - 1], printed->header,
      "a column whose numbers have fewer decimals than any known release prints; they are checked as they are rounded");
}

void look_at_columns(DraftPlan& plan) {
  look_at(plan, plan.ranks, RoundedNumbers::rank_memory, ColumnId::hbm,
          [](Numbers& numbers, const PrintedRank& row) { return numbers.add(row.hbm) && numbers.add(row.ddr); });
  look_at(plan, plan.ranks, RoundedNumbers::rank_perf, ColumnId::perf,
          [](Numbers& numbers, const PrintedRank& row) { return numbers.add(row.perf.total); });
  look_at(plan, plan.tables, RoundedNumbers::table_storage, ColumnId::storage, [](Numbers& numbers, const auto& row) {
    return numbers.add(row.hbm) && numbers.add(row.ddr) && numbers.add(row.ssd);
  });
  look_at(plan, plan.tables, RoundedNumbers::table_perf, ColumnId::table_perf,
          [](Numbers& numbers, const PrintedTable& row) { return numbers.add(row.perf.total); });
}

// Those in the slots of a kind, in all lines.
std::vector<Cell> numbers_of_lines(const DraftPlan& plan, std::string_view kind) {
  std::vector<Cell> numbers;
  for (const PrintedLine& line : plan.lines) {
    const auto slots = plan.slots_of(line);
    each_slot(line_forms()[line.form].pattern, [&](std::size_t slot, std::string_view of) {
      if (of == kind && slot < slots.size() && is_number(slots[slot].text)) numbers.push_back(slots[slot]);
    });
  }
  return numbers;
}

// How many decimals each of them has, if that is the same, and more than chance tells.
std::optional<std::size_t> equal_decimals(const std::vector<Cell>& numbers) {
  constexpr std::size_t kFew = 3;
  if (numbers.size() <= kFew) return std::nullopt;
  const std::size_t first = decimals_of(numbers.front().text).size();
  const auto has_as_many = [&](const Cell& cell) { return decimals_of(cell.text).size() == first; };
  return std::ranges::all_of(numbers, has_as_many) ? std::optional(first) : std::nullopt;
}

// "5.20": known releases leave such a zero out.
bool has_needless_zero(const Cell& cell) {
  const std::string_view decimals = decimals_of(cell.text);
  return decimals.size() > 1 && decimals.ends_with('0');
}

void look_at_lines(DraftPlan& plan) {
  const std::vector<Cell> lines = numbers_of_lines(plan, "r3");
  Numbers numbers;
  for (const Cell& cell : lines) numbers.add(cell);
  const auto fewer = numbers.fewer_decimals(), equal = equal_decimals(lines);
  const bool is_padded =
      equal && (equal == kAll || equal == fewer) && std::ranges::count_if(lines, has_needless_zero) > 1;
  if (is_padded)
    take_form(
        plan, RoundedNumbers::lines, kFixed[*equal - 1], *std::ranges::find_if(lines, has_needless_zero),
        "a number of the lines outside of the tables as no known release prints it; all of them have as many decimals, "
        "and are checked as they are rounded");
  else if (fewer)
    take_form(
        plan, RoundedNumbers::lines, kRounded[*fewer - 1], lines.front(),
        "the first number of the lines outside of the tables, all of which have fewer decimals than any known release "
        "prints; they are checked as they are rounded");
}

// Known releases print all three.
void look_at_measures(DraftPlan& plan) {
  const std::vector<Cell> measures = numbers_of_lines(plan, "f3");
  const auto decimals = equal_decimals(measures);
  if (!decimals || *decimals == 0 || *decimals >= kAll) return;
  take_form(plan, RoundedNumbers::measures, kFixed[*decimals - 1], measures.front(),
            "the first measure of imbalance, all of which have fewer decimals than any known release prints; they are "
            "checked as they are rounded");
}

}  // namespace

void find_newer_forms(DraftPlan& plan) {
  if (!plan.may_be_newer()) return;
  look_at_columns(plan);
  look_at_lines(plan);
  look_at_measures(plan);
}

}  // namespace shardstats::log_detail
