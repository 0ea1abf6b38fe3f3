#include "log/newer_forms.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "log/text.h"
#include "shardstats/log/layout.h"

namespace shardstats::log_detail {
namespace {

// Different numbers of a column, none of which has the last decimal. Quarters do not count: sizes of powers of two, and
// times that rest on them, end so by themselves; of others one in ten has a zero there.
constexpr std::ptrdiff_t kEnough = 8;
constexpr std::size_t kAll = 3;      // decimals of the newest known releases
constexpr std::ptrdiff_t kSure = 8;  // numbers of a form for each one of another, which is damaged
constexpr std::ptrdiff_t kMostDamaged = 3;
constexpr std::array kRounded = {Format::r1, Format::r2, Format::r3};
constexpr std::array kFixed = {Format::f1, Format::f2, Format::f3, Format::f4, Format::f5, Format::f6};

bool is_quarter(std::string_view number) {
  const std::string_view decimals = decimals_of(number);
  return decimals.empty() || decimals == "0" || decimals == "25" || decimals == "5" || decimals == "75";
}

// "5.20": known releases leave such a zero out.
bool has_needless_zero(const Cell& cell) {
  const std::string_view decimals = decimals_of(cell.text);
  return decimals.size() > 1 && decimals.ends_with('0');
}

// How many decimals they are rounded to, but for damaged ones, if that is fewer than `all`.
std::optional<std::size_t> fewer_decimals(const std::vector<Cell>& numbers, std::size_t all) {
  std::vector<std::string_view> texts;
  for (const Cell& cell : numbers)
    if (decimals_of(cell.text).size() > 1 || !is_quarter(cell.text)) texts.push_back(cell.text);
  std::ranges::sort(texts);
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  for (std::size_t decimals = 1; decimals < all; ++decimals) {
    const auto has_more = [&](std::string_view text) { return decimals_of(text).size() > decimals; };
    const auto tells = [&](std::string_view text) { return !has_more(text) && !is_quarter(text); };
    const auto rounded = std::ranges::count_if(texts, tells), more = std::ranges::count_if(texts, has_more);
    if (rounded >= kEnough && more * kSure <= rounded) return decimals;
  }
  return std::nullopt;
}

// How many decimals nearly all of them have, if that is more than chance tells, and how many have others.
struct EqualDecimals {
  std::size_t decimals = 0;
  std::ptrdiff_t others = 0;
};
std::optional<EqualDecimals> equal_decimals(const std::vector<Cell>& numbers) {
  constexpr std::ptrdiff_t kFew = 3;
  std::map<std::size_t, std::ptrdiff_t> numbers_with;
  for (const Cell& cell : numbers) {
    const bool has_exponent = cell.text.find('e') != std::string_view::npos;
    ++numbers_with[has_exponent ? std::string_view::npos : decimals_of(cell.text).size()];
  }
  const auto most = std::ranges::max_element(numbers_with, {}, [](const auto& with) { return with.second; });
  if (most == numbers_with.end() || most->second <= kFew) return std::nullopt;
  const EqualDecimals equal{most->first, std::ssize(numbers) - most->second};
  return equal.others * kSure <= most->second ? std::optional(equal) : std::nullopt;
}

// More of them have a needless zero than damage leaves so.
bool are_padded(const std::vector<Cell>& numbers, const EqualDecimals& equal) {
  return std::ranges::count_if(numbers, has_needless_zero) > 1 + 2 * equal.others;
}

// Of numbers that known releases round to `all` decimals, without needless zeros.
std::optional<Format> newer_form(const std::vector<Cell>& numbers, std::size_t all) {
  const auto fewer = fewer_decimals(numbers, all);
  const auto equal = equal_decimals(numbers);
  if (equal && (equal->decimals == all || equal->decimals == fewer) && are_padded(numbers, *equal))
    return kFixed[equal->decimals - 1];
  return fewer ? std::optional(kRounded[*fewer - 1]) : std::nullopt;
}
// Known releases print a point in all of them.
bool are_whole(const std::vector<Cell>& numbers) {
  constexpr std::size_t kFew = 3;
  const auto is_zero = [](const Cell& cell) { return cell.text == "0"; };
  return numbers.size() > kFew && !std::ranges::all_of(numbers, is_zero) &&
         std::ranges::all_of(numbers, is_whole_number, &Cell::text);
}

bool is_padded(Format form) { return std::ranges::find(kFixed, form) != kFixed.end(); }

void set_form(DraftPlan& plan, RoundedNumbers numbers, Format form, const Cell& where, DiagnosticKind kind) {
  plan.newer_forms[static_cast<std::size_t>(numbers)] = form;
  plan.report(kind, where);
}

// The numbers of a column, until some have all decimals and some fewer, as in known releases.
class NumbersOfColumn {
 public:
  explicit NumbersOfColumn(std::size_t all) : all_(all) {}

  // False: no more are needed.
  bool add(const Cell& cell) {
    if (!cell) return true;
    numbers_.push_back(cell);
    const bool has_all = decimals_of(cell.text).size() >= all_;
    with_all_ += has_all;
    with_fewer_ += !has_all;
    return with_all_ <= kMostDamaged || with_fewer_ <= kMostDamaged;
  }
  const std::vector<Cell>& numbers() const { return numbers_; }

 private:
  std::size_t all_;
  std::ptrdiff_t with_all_ = 0, with_fewer_ = 0;
  std::vector<Cell> numbers_;
};

struct RoundedColumn {
  RoundedNumbers numbers;
  ColumnId id;
  std::size_t decimals;  // of the newest known releases
};

// `add_row(numbers, row)`: false where no more are needed.
template <class Row, class AddRow>
void find_form(DraftPlan& plan, const ColumnTable<Row>& table, const RoundedColumn& column, AddRow add_row) {
  NumbersOfColumn numbers(column.decimals);
  for (const Row& row : table.rows)
    if (!add_row(numbers, row)) return;
  const auto form = newer_form(numbers.numbers(), column.decimals);
  const auto printed = std::ranges::find(table.columns, column.id, &PrintedColumn::id);
  if (printed == table.columns.end()) return;
  if (are_whole(numbers.numbers()))
    return set_form(plan, column.numbers, Format::integer, printed->header, DiagnosticKind::whole_column);
  if (!form) return;
  set_form(plan, column.numbers, *form, printed->header,
           is_padded(*form) ? DiagnosticKind::padded_column : DiagnosticKind::coarser_column);
}

void find_forms_of_columns(DraftPlan& plan) {
  using N = RoundedNumbers;
  find_form(plan, plan.ranks, {N::rank_memory, ColumnId::hbm, kAll},
            [](auto& numbers, const PrintedRank& row) { return numbers.add(row.hbm) && numbers.add(row.ddr); });
  find_form(plan, plan.ranks, {N::rank_perf, ColumnId::perf, kAll},
            [](auto& numbers, const PrintedRank& row) { return numbers.add(row.perf.total); });
  find_form(plan, plan.ranks, {N::rank_input, ColumnId::input, kAll - 1},
            [](auto& numbers, const PrintedRank& row) { return numbers.add(row.input); });
  find_form(plan, plan.ranks, {N::rank_output, ColumnId::output_size, kAll - 1},
            [](auto& numbers, const PrintedRank& row) { return numbers.add(row.output); });
  find_form(plan, plan.tables, {N::table_storage, ColumnId::storage, kAll}, [](auto& numbers, const PrintedTable& row) {
    return numbers.add(row.hbm) && numbers.add(row.ddr) && numbers.add(row.ssd);
  });
  find_form(plan, plan.tables, {N::table_perf, ColumnId::table_perf, kAll},
            [](auto& numbers, const PrintedTable& row) { return numbers.add(row.perf.total); });
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

void find_form_of_lines(DraftPlan& plan) {
  const std::vector<Cell> lines = numbers_of_lines(plan, "r3");
  const auto form = newer_form(lines, kAll);
  if (!form) return;
  if (is_padded(*form))
    set_form(plan, RoundedNumbers::lines, *form, *std::ranges::find_if(lines, has_needless_zero),
             DiagnosticKind::padded_lines);
  else
    set_form(plan, RoundedNumbers::lines, *form, lines.front(), DiagnosticKind::coarser_lines);
}

// Known releases print three.
void find_form_of_measures(DraftPlan& plan) {
  const std::vector<Cell> measures = numbers_of_lines(plan, "f3");
  const auto equal = equal_decimals(measures);
  if (!equal || equal->decimals == 0 || equal->decimals == kAll || equal->decimals > kFixed.size()) return;
  set_form(plan, RoundedNumbers::measures, kFixed[equal->decimals - 1], measures.front(),
           equal->decimals < kAll ? DiagnosticKind::coarser_measures : DiagnosticKind::finer_measures);
}

}  // namespace

void find_newer_forms(DraftPlan& plan) {
  if (!plan.may_be_newer()) return;
  find_forms_of_columns(plan);
  find_form_of_lines(plan);
  find_form_of_measures(plan);
}

}  // namespace shardstats::log_detail
