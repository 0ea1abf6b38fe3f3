#include "shardstats/log/lost_columns.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace shardstats {
namespace {

bool is_of(const ColumnForm& form, Release release) { return form.since <= release && release <= form.until; }

template <class Row>
std::vector<const ColumnForm*> lost_from(const ColumnTable<Row>& table, const PrintedPlan& printed) {
  std::vector<const ColumnForm*> lost;
  if (!table.printed) return lost;
  for (const ColumnForm& form : column_forms(table.kOfRanks))
    if (form.id != ColumnId::unknown && form.id != ColumnId::batch_sizes && is_of(form, printed.releases.front()) &&
        !table.has(form.id) && is_always_printed(printed, form.id, table.kOfRanks))
      lost.push_back(&form);
  const auto unknown = std::ranges::count(table.columns, ColumnId::unknown, &PrintedColumn::id);
  if (printed.may_be_newer() && std::ssize(lost) <= unknown) lost.clear();  // an older one has not renamed any
  return lost;
}

}  // namespace

bool is_always_printed(const PrintedPlan& printed, ColumnId id, bool rank_table) {
  return std::ranges::all_of(printed.releases, [&](Release release) {
    return std::ranges::any_of(column_forms(rank_table),
                               [&](const ColumnForm& form) { return form.id == id && is_of(form, release); });
  });
}

std::vector<const ColumnForm*> lost_columns(const PrintedPlan& printed, bool rank_table) {
  return rank_table ? lost_from(printed.ranks, printed) : lost_from(printed.tables, printed);
}

const ColumnForm* lost_column_of_sizes(const PrintedPlan& printed) {
  using enum ColumnId;
  constexpr std::array kOfSizes = {sharding, compute_kernel, pooling_factor, num_poolings, output,
                                   features, emb_dim,        hash_size,      ranks};
  const auto lost = lost_columns(printed, false);
  const auto is_of_sizes = [&](const ColumnForm* form) { return std::ranges::count(kOfSizes, form->id) > 0; };
  const auto first = std::ranges::find_if(lost, is_of_sizes);
  return first == lost.end() ? nullptr : *first;
}

}  // namespace shardstats
