// Are all lines there that the release prints in such a block (log-format.md section 1.5)?
#include <algorithm>
#include <map>
#include <set>

#include "analysis/checks.h"
#include "analysis/lost_lines.h"
#include "shardstats/log/layout.h"
#include "shardstats/log/lost_columns.h"

namespace shardstats::analysis {
namespace {

using L = LineId;
constexpr std::size_t kLineIds = static_cast<std::size_t>(L::unknown_nested) + 1;

// Where one of them is printed, so is the other: equally often, or once at least.
struct Together {
  LineId one, other;
  bool equally_often = true;
};
constexpr Together kTogether[] = {
    {L::total_variation, L::total_distance},
    {L::total_variation, L::chi_divergence},
    {L::total_variation, L::kl_divergence},
    {L::total_variation, L::range_legend, false},
    {L::total_variation, L::range_total_variation, false},
    {L::total_variation, L::range_total_distance, false},
    {L::total_variation, L::range_chi_divergence, false},
    {L::total_variation, L::range_kl_divergence, false},
    {L::dense_heading, L::dense_storage},
    {L::dense_heading, L::kjt_heading},
    {L::kjt_heading, L::kjt_storage},
};
// Under each of these headings stands a line for every kernel.
struct OfKernels {
  LineId heading, line;
};
constexpr OfKernels kOfKernels[] = {
    {L::kernel_count_heading, L::kernel_count},
    {L::kernel_weights_heading, L::kernel_weights},
    {L::kernel_optimizer_heading, L::kernel_optimizer},
    {L::kernel_storage_heading, L::kernel_storage},
};

// Does every release that the block may be of print the line?
bool is_of_release(const PrintedPlan& printed, LineId id) {
  const auto prints = [id](Release release) {
    return std::ranges::any_of(line_forms(), [&](const LineForm& form) {
      return form.id == id && form.since <= release && release <= form.until;
    });
  };
  return std::ranges::all_of(printed.releases, prints);
}

std::string_view words_of(const PrintedPlan& printed, LineId id) {
  if (id == L::divider) return "the divider";
  if (id == L::rank_table) return "the rank table";
  if (id == L::parameter_table) return "the parameter table";
  const auto forms = line_forms();
  auto form = std::ranges::find_if(forms, [&](const LineForm& f) {
    return f.id == id && f.since <= printed.releases.back() && printed.releases.back() <= f.until;
  });
  // A line may stand there that only other releases print.
  if (form == forms.end()) form = std::ranges::find(forms, id, &LineForm::id);
  return form->pattern.substr(0, form->pattern.find_last_not_of(' ', form->pattern.find('{') - 1) + 1);
}

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

// Of a line that is kept but not read: the one that it looks like; blank: of no known one.
LineId known_id(const PrintedLine& line) {
  const LineId spelled = line_forms()[line.form].id;
  return !is_unknown(line.id) ? line.id : is_unknown(spelled) ? line.like : spelled;
}

class Sections {
 public:
  explicit Sections(Checks& checks) : checks_(checks), printed_(checks.printed) {
    for (const PrintedLine& line : printed_.lines) ++lines_[static_cast<std::size_t>(known_id(line))];
    debug_ = std::ranges::any_of(order_, [&](const OrderedLine& r) {
      return (r.when == When::debug || r.when == When::debug_plan) && is_printed(r.id);
    });
    no_plan_ = printed_.is_empty();
  }

  void check() {
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (!is_missing(i)) continue;
      std::size_t end = i + 1;
      while (end < order_.size() && (is_missing(end) || !is_expected(order_[end]))) ++end;
      add(i, end);
      i = end - 1;
    }
    check_columns(printed_.ranks);
    check_columns(printed_.tables);
    check_order_of_columns(printed_.ranks);
    check_order_of_columns(printed_.tables);
    check_order();
    check_lines_without_plan();
    check_below_ranks();
    if (is_cut(printed_)) return;
    for (const Together& pair : kTogether) check(pair);
    check_imbalances();
    check_kernels();
  }

 private:
  bool is_expected(const OrderedLine& required) const {
    return applies(required.when) && is_of_release(printed_, required.id);
  }
  bool applies(When when) const {
    switch (when) {
      case When::always:
        return true;
      case When::plan:
        return !no_plan_;
      case When::no_plan:
        return no_plan_;
      case When::debug:
        return debug_;
      case When::debug_plan:
        return debug_ && !no_plan_;
      case When::perf:
        return debug_ && some_rank([](const PrintedRank& row) -> const Cell& { return row.perf.total; });
      case When::hbm:
        return debug_ && some_rank([](const PrintedRank& row) -> const Cell& { return row.hbm; });
      case When::ddr:
        return debug_ && some_rank([](const PrintedRank& row) -> const Cell& { return row.ddr; });
      case When::reservation:
        return debug_ && shows_unprinted_reservation();
      case When::imbalance:
        return false;  // kTogether
    }
    return false;
  }
  // Do ranks hold more than their shards, which every policy that is known prints from v1.6.0 on?
  bool shows_unprinted_reservation() const {
    const auto holds_more = [](const PlanRank& rank) {
      return rank.hbm.low > rank.sparse_hbm.high || rank.ddr.low > rank.sparse_ddr.high;
    };
    return checks_.plan.policy == Policy::other && printed_.releases.front() >= Release::v1_6_0 &&
           std::ranges::any_of(checks_.plan.ranks, holds_more);
  }
  // Is a number of some rank printed as more than zero?
  template <class CellOf>
  bool some_rank(CellOf cell_of) const {
    return std::ranges::any_of(printed_.ranks.rows, [&](const PrintedRank& row) {
      return is_number(cell_of(row).text) && cell_of(row).text.find_first_of("123456789") != std::string_view::npos;
    });
  }
  bool is_printed(LineId id) const { return count(id) > 0; }
  bool is_missing(std::size_t i) const { return !is_printed(order_[i].id) && is_expected(order_[i]); }

  // Where the block begins or ends too late or too early, that says enough.
  bool is_cut_off(std::size_t first, std::size_t end) const {
    const auto is_there = [&](const OrderedLine& r) { return is_printed(r.id); };
    const bool before = std::ranges::any_of(order_.first(first), is_there);
    const bool after = std::ranges::any_of(order_.subspan(end), is_there);
    return (!before && !is_framed(DiagnosticKind::no_opening_border)) ||
           (!after && !is_framed(DiagnosticKind::no_closing_border));
  }
  bool is_framed(DiagnosticKind lost) const { return !printed_.is_reported(lost); }

  void add(std::size_t first, std::size_t end) {
    if (is_cut_off(first, end)) return;
    std::size_t lines = 0;
    for (std::size_t i = first; i < end; ++i) lines += is_missing(i);
    std::string what = quoted(words_of(printed_, order_[first].id));
    if (lines > 1) what += " and " + std::to_string(lines - 1) + " more that follow it";
    add(place_before(end), lines == 1 ? what + " is missing before this line" : what + " are missing before this line");
  }

  // Of the first line that is printed after those.
  Place place_before(std::size_t end) const {
    for (const OrderedLine& later : order_.subspan(end))
      if (const PrintedLine* line = printed_.find(later.id)) return line->place;
    return printed_.lines.back().place;
  }

  // Of those that stand in a block once. All that is moved may follow from the first one.
  void check_order() {
    if (printed_.releases.front() < Release::v0_2_0) return;  // they had another one
    std::array<std::uint8_t, kLineIds> place{};               // from 1; 0: it has none
    for (std::size_t i = 0; i < order_.size(); ++i)
      place[static_cast<std::size_t>(order_[i].id)] = static_cast<std::uint8_t>(i + 1);
    const PrintedLine* last = nullptr;
    for (const PrintedLine& line : printed_.lines) {
      const auto place_of = [&](const PrintedLine& of) { return place[static_cast<std::size_t>(of.id)]; };
      if (place_of(line) == 0 || count(line.id) != 1) continue;
      if (last != nullptr && place_of(line) < place_of(*last)) {
        checks_.add_log("log.line_order", Cell{{}, line.place},
                        "the planner prints this line in front of " + quoted(words_of(printed_, last->id)) +
                            ", which stands above it");
        return;
      }
      last = &line;
    }
  }

  template <class Row>
  void check_order_of_columns(const ColumnTable<Row>& table) {
    const auto forms = column_forms(table.kOfRanks);
    const auto place_of = [&](ColumnId id) { return std::ranges::find(forms, id, &ColumnForm::id) - forms.begin(); };
    const PrintedColumn* last = nullptr;
    for (const PrintedColumn& column : table.columns) {
      if (column.id == ColumnId::unknown) continue;
      if (last != nullptr && place_of(column.id) < place_of(last->id)) {
        checks_.add_log(
            "log.line_order", column.header,
            "the planner prints this column in front of " + quoted(last->header.text) + ", which stands left of it");
        return;
      }
      last = &column;
    }
  }

  // Legends that are lost are missing lines already.
  void check_below_ranks() {
    if (!may_lack_last_ranks(printed_)) return;
    const auto table = std::ranges::find(printed_.lines, L::rank_table, &PrintedLine::id);
    if (const LineId id = std::next(table)->id; id == L::perf_legend || id == L::io_legend)
      add(std::next(table)->place, "the blank line in front of this one is missing, and rows of ranks may be as well");
  }

  // With a plan the rank table says how many there are.
  void check_lines_without_plan() {
    if (no_plan_) return;
    for (const OrderedLine& ordered : order_)
      if (const PrintedLine* line = ordered.when == When::no_plan ? printed_.find(ordered.id) : nullptr)
        checks_.add_log("log.unknown_line", Cell{{}, line->place},
                        "no known release prints " + quoted(words_of(printed_, ordered.id)) +
                            " in a block with a plan; the line is kept but not checked");
  }

  void check(const Together& pair) {
    const std::ptrdiff_t one = count(pair.one), other = count(pair.other);
    if (pair.equally_often ? one == other : (one > 0) == (other > 0)) return;
    const LineId lost = one < other ? pair.one : pair.other, kept = one < other ? pair.other : pair.one;
    add_lost(lost, kept);
  }

  template <class Row>
  void check_columns(const ColumnTable<Row>& table) {
    const std::vector<const ColumnForm*> lost = lost_columns(printed_, table.kOfRanks);
    if (lost.empty()) return;
    const std::string what = "the column " + quoted(lost.front()->header);
    if (lost.size() == 1) return add(table.place, what + " is missing in this table");
    add(table.place, what + " and " + std::to_string(lost.size() - 1) + " more are missing in this table");
  }

  // The same lines stand under each of them.
  void check_imbalances() {
    const std::ptrdiff_t headings =
        count(L::perf_imbalance_heading) + count(L::hbm_imbalance_heading) + count(L::ddr_imbalance_heading);
    if (headings > count(L::total_variation)) add_lost(L::total_variation, L::total_distance);
  }

  // One line lacks beside each of those that stand with it, but is missing once.
  void add_lost(LineId lost, LineId kept) {
    if (is_of_release(printed_, lost) && lost_.insert(lost).second) add_beside(kept, quoted(words_of(printed_, lost)));
  }

  void check_kernels() {
    std::set<std::string_view> all;
    std::map<LineId, std::set<std::string_view>> named;
    for (const PrintedLine& line : printed_.lines) {
      const LineId id = known_id(line);
      if (std::ranges::find(kOfKernels, id, &OfKernels::line) == std::end(kOfKernels)) continue;
      const auto slots = printed_.slots_of(line);
      const bool has_whole_line = line.like != L::blank && slots.size() > 1;  // in front of its values
      const std::string_view kernel = slots[has_whole_line ? 1 : 0].text;
      const bool is_counted = id == L::kernel_count && !checks_.rows_complete;
      if (is_counted || is_any_kernel(checks_, kernel)) all.insert(kernel);
      named[id].insert(kernel);
    }
    for (const auto& [kernel, word] : checks_.words.kernels) all.insert(kernel);
    for (const OfKernels& of : kOfKernels) {
      if (!is_printed(of.heading) || !is_of_release(printed_, of.line)) continue;
      if (all.empty() && !no_plan_) add_beside(of.heading, "the line of a kernel");
      for (const std::string_view kernel : all)
        if (!named[of.line].contains(kernel)) add_beside(of.heading, "the line of " + std::string(kernel));
    }
  }

  std::ptrdiff_t count(LineId id) const { return lines_[static_cast<std::size_t>(id)]; }

  void add_beside(LineId kept, const std::string& lost) {
    const PrintedLine* line = printed_.find(kept);
    add(line != nullptr ? line->place : printed_.lines.back().place, lost + " is missing beside this line");
  }

  void add(Place place, std::string message) {
    checks_.add_log("log.missing_lines", Cell{{}, place}, std::move(message));
  }

  Checks& checks_;
  const PrintedPlan& printed_;
  std::span<const OrderedLine> order_ = line_order();
  std::array<std::ptrdiff_t, kLineIds> lines_{};  // printed, by id
  std::set<LineId> lost_;                         // beside others, and said so
  bool debug_ = false, no_plan_ = false;
};

}  // namespace

void check_sections(Checks& checks) {
  if (checks.printed.lines.empty() || checks.printed.is_rule_reported(DiagnosticKind::cut_lines))
    return;  // with what stood there
  Sections(checks).check();
}

}  // namespace shardstats::analysis
