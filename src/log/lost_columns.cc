#include "shardstats/log/lost_columns.h"

#include <algorithm>
#include <cstddef>

namespace shardstats {
namespace {

bool prints(Release release, ColumnId id, bool rank_table) {
  return std::ranges::any_of(column_forms(), [=](const ColumnForm& form) {
    return form.id == id && form.rank_table == rank_table && form.since <= release && release <= form.until;
  });
}

template <class Row>
std::vector<const ColumnForm*> lost_from(const ColumnTable<Row>& table, bool rank_table, const PrintedPlan& printed) {
  std::vector<const ColumnForm*> lost;
  if (!table.printed) return lost;
  for (const ColumnForm& form : column_forms()) {
    const bool is_always = !form.header.empty() && form.id != ColumnId::batch_sizes;
    const bool is_first = form.since <= printed.releases.front() && printed.releases.front() <= form.until;
    if (form.rank_table == rank_table && is_always && is_first && !table.has(form.id) &&
        std::ranges::all_of(printed.releases, [&](Release r) { return prints(r, form.id, rank_table); }))
      lost.push_back(&form);
  }
  const auto unknown = std::ranges::count(table.columns, ColumnId::unknown, &PrintedColumn::id);
  if (printed.may_be_newer() && std::ssize(lost) <= unknown) lost.clear();  // an older one has not renamed any
  return lost;
}

}  // namespace

std::vector<const ColumnForm*> lost_columns(const PrintedPlan& printed, bool rank_table) {
  return rank_table ? lost_from(printed.ranks, true, printed) : lost_from(printed.tables, false, printed);
}

}  // namespace shardstats
