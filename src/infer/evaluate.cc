#include "infer/evaluate.h"

#include <algorithm>

namespace shardstats::infer_detail {
namespace {

// Does nothing tell what it takes? A row that is whole and cannot be sized contradicts itself: a word of it is wrong,
// and its ranks deny that.
bool lost_its_size(const PlanInputs& plan, const TableInputs& table) {
  const auto& printed = plan.printed->tables;
  const PrintedTable& row = printed.rows[table.row];
  const bool is_whole = table.rows > 0 && table.cols > 0 && !table.ranks.empty() && row.pooling_factor &&
                        row.sharding && row.features && row.output &&
                        (row.batch_sizes || !printed.has(ColumnId::batch_sizes));
  return table.kernel == nullptr || (!table.sized && !is_whole);
}

}  // namespace

std::vector<bool> ranks_without_missing(const PlanInputs& plan) {
  std::vector<bool> ranks(plan.ranks.size(), true);
  // What the row of a rank would tell of missing tables is lost with it.
  for (std::size_t r = 0; plan.missing && r < ranks.size(); ++r)
    ranks[r] = !plan.missing->on_rank(static_cast<int>(r)) && !plan.printed->ranks.rows[r].lost;
  return ranks;
}

std::vector<bool> ranks_that_tell(const PlanInputs& plan) {
  std::vector<bool> ranks = ranks_without_missing(plan);
  for (std::size_t r = 0; r < ranks.size(); ++r)
    if (plan.printed->ranks.rows[r].lost) ranks[r] = false;
  for (const TableInputs& table : plan.tables)
    if (lost_its_size(plan, table)) leave_out(table, ranks);
  return ranks;
}

bool lost_a_size(const PlanInputs& plan) {
  return std::ranges::any_of(plan.tables, [&](const TableInputs& table) { return lost_its_size(plan, table); });
}

bool is_on_any(const std::vector<bool>& ranks, const TableInputs& table) {
  bool is_on_one = false;
  each_rank(table, ranks.size(), [&](std::size_t rank) { is_on_one |= ranks[rank]; });
  return is_on_one;
}

std::uint32_t taken_by_missing(const PlanInputs& plan, const Setting& setting) {
  constexpr std::uint32_t kAll = ~0u;
  if (!plan.missing || plan.missing->at_least || !io_in_hbm(setting)) return kAll;
  const auto is_in_hbm = [](const auto& kernel) {
    const KernelTraits* const traits = find_kernel(kernel.first);
    return traits != nullptr && !traits->uvm && !traits->key_value && !traits->ssd;
  };
  return std::ranges::all_of(plan.missing->kernels, is_in_hbm) ? kAll & ~bit(Quantity::ddr) : kAll;
}

std::uint64_t combos_of(const Options& options) {
  std::uint64_t combos = 0;
  for (const Option option : options) combos |= std::uint64_t{1} << option.combo;
  return combos;
}

std::vector<std::uint64_t> combos_of(const Options& options, std::size_t variants) {
  std::vector<std::uint64_t> combos(variants);
  for (const Option option : options) combos[option.variant] |= std::uint64_t{1} << option.combo;
  return combos;
}

bool has_hidden_blocks(const TableInputs& table) { return columns_hidden(table) && table.ranks.size() > 1; }

bool has_hidden_inputs(const TableInputs& table) { return !table.poolings_known || has_hidden_blocks(table); }

}  // namespace shardstats::infer_detail
