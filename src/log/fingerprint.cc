#include "shardstats/log/fingerprint.h"

#include <algorithm>
#include <array>

namespace shardstats {
namespace {

using enum Release;

// Where `anchor` is printed, `companion` is too, from that release on.
struct Companion {
  LineId anchor, companion;
  Release since;
};
constexpr std::array<Companion, 10> kCompanions = {{
    {LineId::kernel_count_heading, LineId::kernel_storage_heading, v0_8_0},
    {LineId::kernel_count_heading, LineId::kernel_constraints_heading, v1_6_0},
    {LineId::kernel_count_heading, LineId::kernel_weights_heading, v1_8_0},
    {LineId::kernel_count_heading, LineId::batch_size, v0_2_0},
    {LineId::planning_heading, LineId::reserved_heading, v0_8_0},
    {LineId::distribution_heading, LineId::sparse_max_hbm, v1_4_0},
    {LineId::distribution_heading, LineId::critical_path_comms, v1_2_0},
    {LineId::max_total_perf, LineId::sum_of_maxima, v0_5_0},
    {LineId::max_total_perf, LineId::max_prefetch_compute, v0_7_0},
    {LineId::max_total_perf, LineId::top_perf_heading, v0_6_0},
}};

// How many of the block's features speak against each release.
class Votes {
 public:
  void only(Release since, Release until) {
    for (std::size_t r = 0; r < against_.size(); ++r)
      against_[r] += r < static_cast<std::size_t>(since) || r > static_cast<std::size_t>(until);
  }
  std::vector<Release> fewest() const {
    const int least = *std::min_element(against_.begin(), against_.end());
    std::vector<Release> releases;
    for (std::size_t r = 0; r < against_.size(); ++r)
      if (against_[r] == least) releases.push_back(static_cast<Release>(r));
    return releases;
  }

 private:
  std::array<int, kReleaseNames.size()> against_{};
};

template <class Row>
void vote_columns(const ColumnTable<Row>& table, bool rank_table, Votes& votes) {
  if (!table.printed) return;
  for (const PrintedColumn& column : table.columns)
    for (const ColumnForm& form : column_forms())
      if (form.rank_table == rank_table && form.header == column.header.text) votes.only(form.since, form.until);
  // A column that is missing speaks against the releases that always print it.
  for (const ColumnForm& form : column_forms()) {
    if (form.rank_table != rank_table || form.id == ColumnId::batch_sizes || form.id == ColumnId::unknown) continue;
    const bool printed = std::any_of(table.columns.begin(), table.columns.end(),
                                     [&](const PrintedColumn& c) { return c.id == form.id; });
    if (printed) continue;
    if (form.since > v0_1_0) votes.only(v0_1_0, static_cast<Release>(static_cast<int>(form.since) - 1));
  }
}

bool has_three_decimals(const Cell& cell) {
  const std::size_t point = cell.text.find('.');
  return point != std::string_view::npos && cell.text.size() - point > 2;
}

void vote_rank_rows(const PrintedPlan& plan, Votes& votes) {
  bool finer = false;
  for (const PrintedRank& row : plan.ranks.rows) finer |= has_three_decimals(row.hbm) || has_three_decimals(row.ddr);
  if (finer) votes.only(v0_8_0, main_branch);
  if (plan.ranks.rows.empty()) return;
  const int components = plan.ranks.rows.front().perf.count;
  if (components == 0) votes.only(v0_1_0, v0_4_0);
  if (components == 4) votes.only(v0_5_0, v0_6_0);
  if (components == 5) votes.only(v0_7_0, main_branch);
}

void vote_table_rows(const PrintedPlan& plan, Votes& votes) {
  for (const PrintedTable& row : plan.tables.rows) {
    if (row.sharding.text == "GS") votes.only(v1_1_0, main_branch);
    // From v1.7.0 the name is made from the module's class, which never starts so (section 9.2).
    if (row.sharder.text.starts_with("Quant")) votes.only(v0_1_0, v1_6_0);
  }
}

}  // namespace

std::vector<Release> release_candidates(const PrintedPlan& plan, bool complete) {
  Votes votes;
  for (const PrintedLine& line : plan.lines) {
    const LineForm& form = line_forms()[line.form];
    if (line.slot_count > 0 || form.pattern.size() > 0) votes.only(form.since, form.until);
  }
  vote_columns(plan.ranks, true, votes);
  vote_columns(plan.tables, false, votes);
  vote_rank_rows(plan, votes);
  vote_table_rows(plan, votes);
  if (!complete) return votes.fewest();
  if (!plan.ranks.printed) votes.only(v0_6_0, main_branch);  // only then a failed planning prints a box
  for (const Companion& companion : kCompanions)
    if (plan.find(companion.anchor) != nullptr && plan.find(companion.companion) == nullptr)
      votes.only(v0_1_0, static_cast<Release>(static_cast<int>(companion.since) - 1));
  return votes.fewest();
}

}  // namespace shardstats
