// The rows of a block in the columns of another release (log-format.md section 4.2).
#include <algorithm>

#include "analysis/predict.h"

namespace shardstats {
namespace {

using analysis::kUnknownText;

template <class Row>
void relay_columns(ColumnTable<Row>& table, Release to) {
  const auto prints = [&](const ColumnForm& form) {
    if (form.id == ColumnId::unknown || to < form.since || form.until < to) return false;
    return form.id != ColumnId::batch_sizes || table.has(form.id);
  };
  std::vector<PrintedColumn> columns;
  for (const ColumnForm& form : column_forms(table.kOfRanks))
    if (prints(form)) columns.push_back({form.id, {form.header, {}}, static_cast<std::uint16_t>(form.dashes)});
  table.columns = std::move(columns);
  table.odd.clear();
}

// An input that is not printed has the planner's default.
void set_default(Cell& cell, std::string_view text) {
  if (!cell) cell.text = text;
}

void relay_row(PrintedTable& row, Release to, Texts& texts) {
  set_default(row.cache_load_factor, "None");
  if (to >= Release::v1_1_0 && row.kernel.text != name(Kernel::fused_uvm_caching)) row.cache_load_factor.text = "None";
  const auto features = parse_integer(row.features.text).value_or(1);
  const std::string_view ones = texts.add(format(static_cast<double>(features), Format::r3));
  set_default(row.pooling_factor, ones);
  set_default(row.num_poolings, ones);
  set_default(row.num_indices, kUnknownText);
  set_default(row.weighted, "unweighted");
  set_default(row.sharder, "NoneType");
}

}  // namespace

PrintedPlan relaid(const PrintedPlan& base, Release to, Texts& texts) {
  PrintedPlan print = base;
  print.releases = {to};
  relay_columns(print.ranks, to);
  relay_columns(print.tables, to);
  for (PrintedTable& row : print.tables.rows) relay_row(row, to, texts);
  return print;
}

}  // namespace shardstats
