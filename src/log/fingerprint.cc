#include "shardstats/log/fingerprint.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <span>

#include "log/text.h"

namespace shardstats {
namespace {

using enum Release;

// Where `anchor` is printed, `companion` is too, from that release on.
struct Companion {
  LineId anchor, companion;
  Release since;
};
constexpr Companion kCompanions[] = {
    {LineId::kernel_count_heading, LineId::batch_size, v0_2_0},
    {LineId::kernel_count_heading, LineId::kernel_storage_heading, v0_8_0},
    {LineId::kernel_count_heading, LineId::kernel_constraints_heading, v1_6_0},
    {LineId::kernel_count_heading, LineId::kernel_weights_heading, v1_8_0},
    {LineId::planning_heading, LineId::reserved_heading, v0_8_0},
    {LineId::distribution_heading, LineId::max_hbm_percent, v1_1_0},
    {LineId::distribution_heading, LineId::critical_path_comms, v1_2_0},
    {LineId::distribution_heading, LineId::sparse_max_hbm, v1_4_0},
    {LineId::max_total_perf, LineId::sum_of_maxima, v0_5_0},
    {LineId::max_total_perf, LineId::top_perf_heading, v0_6_0},
    {LineId::max_total_perf, LineId::max_prefetch_compute, v0_7_0},
    {LineId::max_total_perf, LineId::mean_total_perf, v1_1_0},
};

Release before(Release release) { return static_cast<Release>(static_cast<int>(release) - 1); }

// How many of the block's features speak for each release.
class Votes {
 public:
  void only(Release since, Release until, int votes = 1) {
    change_[static_cast<std::size_t>(since)] += votes;
    change_[static_cast<std::size_t>(until) + 1] -= votes;
  }
  void not_since(Release since) {
    if (since > v0_1_0) only(v0_1_0, before(since));
  }
  std::vector<Release> most() const {
    std::array<int, kReleaseNames.size()> votes{};
    std::partial_sum(change_.begin(), change_.end() - 1, votes.begin());
    const int most_votes = *std::ranges::max_element(votes);
    std::vector<Release> releases;
    for (std::size_t r = 0; r < votes.size(); ++r)
      if (votes[r] == most_votes) releases.push_back(static_cast<Release>(r));
    return releases;
  }

 private:
  std::array<int, kReleaseNames.size() + 1> change_{};  // of the votes for a release from those for the one before
};

// Beyond its last column a table may have been cut off: the columns that all releases print last are there else.
template <class Row>
std::span<const ColumnForm> forms_up_to_last(const ColumnTable<Row>& table) {
  const auto forms = column_forms(table.kOfRanks);
  const auto is_there = [&](const ColumnForm& form) { return form.id != ColumnId::unknown && table.has(form.id); };
  const auto last = std::find_if(forms.rbegin(), forms.rend(), is_there);
  return forms.first(static_cast<std::size_t>(forms.rend() - last));
}

// `all`: every column that was printed is there.
template <class Row>
void vote_columns(const ColumnTable<Row>& table, bool all, Votes& votes) {
  if (!table.printed) return;
  ColumnId missing = ColumnId::unknown;
  for (const ColumnForm& form : forms_up_to_last(table)) {
    for (const PrintedColumn& column : table.columns)
      if (column.id == form.id && column.header.text == form.header) votes.only(form.since, form.until);
    // A column that is missing speaks against the releases since its first spelling; Batch Sizes is optional.
    if (!all || form.id == missing || form.id == ColumnId::batch_sizes || table.has(form.id)) continue;
    missing = form.id;
    votes.not_since(form.since);
  }
}

// A line that a release never prints says more than one that it would print.
void vote_lines(const PrintedPlan& plan, Votes& votes) {
  constexpr int kPrinted = 2;
  for (const PrintedLine& line : plan.lines) {
    const LineForm& form = line_forms()[line.form];
    votes.only(form.since, form.until, kPrinted);
  }
}

void vote_kernels(const PrintedPlan& plan, Votes& votes) {
  for (const PrintedLine& line : plan.lines) {
    if (line.id != LineId::kernel_count) continue;
    const std::string_view kernel = plan.slots_of(line).front().text;
    for (const KernelName& known : kKernelNames)
      if (known.name == kernel) votes.only(known.since, known.until);
  }
}

// Components of the perf cells: of the ranks, or of the tables where an empty plan shows no ranks.
void vote_perf(const PrintedPlan& plan, Votes& votes) {
  if (plan.ranks.rows.empty() && plan.tables.rows.empty()) return;
  const PrintedPerf& perf = plan.ranks.rows.empty() ? plan.tables.rows.front().perf : plan.ranks.rows.front().perf;
  if (!perf.total) return;
  for (const PerfForm& form : perf_forms())
    if (form.components == perf.count) votes.only(form.since, form.until);
}

// R1 became R3 with v0.8.0.
void vote_decimals(const PrintedPlan& plan, Votes& votes) {
  const auto has_several = [](const Cell& cell) { return log_detail::decimals_of(cell.text).size() > 1; };
  const bool finer = std::ranges::any_of(
      plan.ranks.rows, [&](const PrintedRank& row) { return has_several(row.hbm) || has_several(row.ddr); });
  if (finer) votes.only(v0_8_0, main_branch);
}

void vote_tables(const TableHints& tables, Votes& votes) {
  if (tables.grid_shard) votes.only(v1_1_0, main_branch);
  if (tables.old_sharder) votes.only(v0_5_0, v1_6_0);
  // Printed by v0.7.0 to v1.0.0, and by v0.6.0 where the table has its own.
  if (tables.factor_without_cache) votes.only(v0_6_0, v1_0_0);
}

// Is one of the lines lost between which it would stand? Of those that all candidates always print.
bool is_beside_lost_line(const PrintedPlan& plan, LineId id, const std::vector<Release>& candidates) {
  const auto order = line_order();
  const auto at = std::ranges::find(order, id, &OrderedLine::id);
  const auto is_told = [&](const OrderedLine& line) {
    const auto prints_it = [&](Release release) { return form_in(release, line.id).has_value(); };
    return line.when == When::always && std::ranges::all_of(candidates, prints_it);
  };
  const auto is_lost = [&](const OrderedLine& line) { return plan.find(line.id) == nullptr; };
  const auto next = std::find_if(at, order.end(), is_told);
  const auto last = std::find_if(std::make_reverse_iterator(at), order.rend(), is_told);
  return (next != order.end() && is_lost(*next)) || (last != order.rend() && is_lost(*last));
}

void vote_missing_lines(const PrintedPlan& plan, Votes& votes) {
  if (plan.is_empty()) votes.only(v0_6_0, main_branch);  // only then a failed planning prints a box
  const std::vector<Release> candidates = votes.most();
  for (const Companion& companion : kCompanions)
    if (plan.find(companion.anchor) != nullptr && plan.find(companion.companion) == nullptr &&
        !is_beside_lost_line(plan, companion.companion, candidates))
      votes.not_since(companion.since);
}

// From v1.7.0 the name is made from the module's class: it ends so and never starts with the sharder's own "Quant".
bool is_old_sharder(std::string_view name) {
  return name.starts_with("Quant") || (!name.empty() && name != "NoneType" && !name.ends_with("Sharder"));
}

}  // namespace

void TableHints::add(const PrintedTable& row) {
  in_gib += row.in_gib;
  grid_shard = grid_shard || row.sharding.text == "GS";
  old_sharder = old_sharder || is_old_sharder(row.sharder.text);
  const bool has_factor = row.cache_load_factor && row.cache_load_factor.text != "None";
  factor_without_cache = factor_without_cache || (has_factor && !row.kernel.text.ends_with("_caching"));
}

std::vector<Release> release_candidates(const PrintedPlan& plan, const TableHints& tables, bool complete) {
  // What stood to the right of a cut, or in a line that is not known again, nobody knows.
  const bool cut = plan.is_rule_reported(DiagnosticKind::cut_lines);
  Votes votes;
  vote_lines(plan, votes);
  vote_kernels(plan, votes);
  vote_columns(plan.ranks, !cut, votes);
  vote_columns(plan.tables, !cut, votes);
  vote_perf(plan, votes);
  vote_decimals(plan, votes);
  vote_tables(tables, votes);
  if (complete && !cut) vote_missing_lines(plan, votes);
  return votes.most();
}

}  // namespace shardstats
