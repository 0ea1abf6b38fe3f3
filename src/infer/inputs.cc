#include "infer/inputs.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "shardstats/limits.h"
#include "shardstats/log/lost_columns.h"
#include "shardstats/log/same_text.h"

namespace shardstats::infer_detail {
namespace {

constexpr double kManyPoolings = 1e6;  // an upper bound for a hidden number of poolings

RealInterval ulps_around(RealInterval x, std::int64_t terms) {
  // The planner adds `terms` rounded products; compensated sums (Python 3.12) may differ in the last bits.
  const double error = static_cast<double>(terms) * 2.3e-16;
  return terms < 2 ? x : RealInterval{x.low * (1 - error), x.high * (1 + error)};
}

// A column of the parameter table, read from top to bottom: a cell that repeats the one above says the same.
template <class T>
class Column {
 public:
  template <class Read>
  const std::optional<T>& read(const Cell& cell, Read read) {
    if (same_text(cell.text, above_)) return value_;
    take(cell ? read(cell) : std::nullopt);
    above_ = cell.text;
    return value_;
  }

 private:
  void take(const std::optional<T>& value) {
    value_.reset();
    if (value) value_ = *value;
  }

  std::string_view above_;
  std::optional<T> value_;
};

// Columns in which most cells are alike, and memory to use.
struct Columns {
  Column<Sharding> sharding;
  Column<const KernelTraits*> kernel;
  Column<ByteInterval> hbm, ddr, ssd;
  Column<RealInterval> pooling_sum, poolings;
  Column<BatchSummary> batches;
  bool has_batches = false;   // is there such a column?
  bool has_poolings = false;  // is there, or was there before it was lost or renamed?
  bool has_ratio = false;     // likewise
  std::int64_t features_of_batches = 0;
  std::vector<int> ranks;
};

const std::optional<BatchSummary>& batch_sizes(const PrintedTable& printed, std::int64_t features, Columns& columns) {
  if (std::exchange(columns.features_of_batches, features) != features) columns.batches = {};
  return columns.batches.read(printed.batch_sizes,
                              [&](const Cell& cell) { return summarize_batch_sizes(cell.text, features); });
}

// False: the cell cannot be read, so that the sizes may be any. Without the column they are that of the plan.
bool read_batches(const PrintedTable& printed, double batch_size, Columns& columns, TableInputs& table) {
  table.batch = exactly(batch_size);
  table.batch_total = static_cast<std::int64_t>(batch_size) * table.features;
  if (!columns.has_batches || printed.batch_sizes.text == "n/a") return true;
  const auto& sizes = batch_sizes(printed, table.features, columns);
  if (!sizes || sizes->count == 0) return false;
  table.batch = {static_cast<double>(sizes->least), static_cast<double>(sizes->most)};
  const bool complete = sizes->count >= table.features;
  table.uniform_batch = sizes->least == sizes->most && complete;
  table.batch_total = sizes->first_total;
  if (!complete) table.batch.low = 0;  // lists are cut to the shortest: some features may not count at all
  return true;
}

// The column of batch sizes, which not all logs have, stands last: a cut may have taken it away, and a header that is
// out of place may be its own.
bool may_lack_batches(const PrintedPlan& plan) {
  const bool may_have_had_more =
      plan.is_rule_reported(DiagnosticKind::cut_lines) || plan.is_reported(DiagnosticKind::header_without_dashes);
  return may_have_had_more && !plan.tables.has(ColumnId::batch_sizes) && plan.releases.back() >= Release::v0_5_0;
}

// Where the sum of the pooling factors is in a form that is not read.
bool sum_follows_from_indices(const PrintedTable& printed, TableInputs& table) {
  if (!printed_real(printed.num_indices, Format::r3)) return false;
  if (table.poolings_are_one)
    table.pooling_sum = table.indices;
  else if (table.features == 1 && table.poolings.low > 0)
    table.pooling_sum = table.indices / table.poolings;
  else
    return false;
  return true;
}

// Of one feature, where their number is lost. False: nothing else says it.
bool poolings_follow_from_indices(const std::optional<RealInterval>& sum, const std::optional<RealInterval>& indices,
                                  TableInputs& table) {
  if (table.features != 1 || !indices || !sum || sum->low <= 0) return false;
  table.poolings = *indices / *sum;
  table.poolings_known = true;
  table.poolings_are_one = false;
  return true;
}

// False: the log does not say how many lookups there are, or how often they are pooled.
bool read_indices(const PrintedTable& printed, Columns& columns, TableInputs& table) {
  const auto read_real = [](const Cell& cell) { return printed_real(cell, Format::r3); };
  const auto& sum = columns.pooling_sum.read(printed.pooling_factor, read_real);
  table.pooling_sum = sum.value_or(exactly(0.0));
  const auto& poolings = columns.poolings.read(printed.num_poolings, read_real);
  const auto features = static_cast<double>(table.features);
  table.poolings_known = poolings.has_value();
  table.poolings = poolings.value_or(exactly(features));
  table.poolings_are_one = !poolings || poolings->contains(features);
  if (table.poolings_known && table.poolings_are_one) table.poolings = exactly(features);
  const bool is_sum = printed.pooling_factor && same_text(printed.num_indices.text, printed.pooling_factor.text);
  const auto indices = is_sum ? sum : read_real(printed.num_indices);
  if (indices) {
    table.indices = *indices;
    table.indices_known = true;
  } else if (table.poolings_are_one) {
    table.indices = table.pooling_sum;
    table.indices_known = true;
  } else if (table.features == 1) {
    table.indices = table.pooling_sum * table.poolings;
    table.indices_known = true;
  } else {
    table.indices = {0, table.pooling_sum.high * table.poolings.high};
  }
  // Releases without the column pool each feature once as a rule.
  if (columns.has_poolings && !poolings) return poolings_follow_from_indices(sum, indices, table);
  return sum || sum_follows_from_indices(printed, table);
}

void read_ratio(const PrintedTable& printed, const Columns& columns, TableInputs& table) {
  table.ratio_printed = static_cast<bool>(printed.cache_load_factor);
  table.ratio_lost = columns.has_ratio && !table.ratio_printed;
  if (printed.cache_load_factor.text == "None") return;  // of every table without a cache
  auto ratio = printed_real(printed.cache_load_factor, Format::python_float);
  if (!ratio) ratio = printed_real(printed.cache_load_factor, Format::integer);  // a user may have given an int
  if (ratio) table.printed_ratio = ratio->low;
}

// Ascending, one a shard; false: the list is malformed or names ranks that there are not.
bool read_ranks(const PrintedTable& printed, std::int64_t world_size, std::vector<int>& buffer, TableInputs& table) {
  // Most tables have one shard.
  if (const auto only = parse_integer(printed.ranks.text, kMostRanks - 1)) {
    if (*only >= world_size) return false;
    table.ranks.add() = static_cast<int>(*only);
    return true;
  }
  buffer.clear();
  if (!parse_ranks(printed.ranks.text, buffer)) return false;
  if (!std::ranges::is_sorted(buffer)) std::ranges::sort(buffer);
  if (!buffer.empty() && (buffer.front() < 0 || buffer.back() >= world_size)) return false;
  table.ranks.assign(buffer);
  return true;
}

void read_table(const PrintedPlan& plan, std::uint32_t row, std::int64_t world_size, double batch_size,
                Columns& columns, TableInputs& table) {
  const PrintedTable& printed = plan.tables.rows[row];
  table.row = row;
  const auto& sharding = columns.sharding.read(
      printed.sharding, [](const Cell& cell) { return parse_name<Sharding>(cell.text, kShardingNames); });
  table.sharding = sharding.value_or(Sharding::tw);
  const auto& kernel =
      columns.kernel.read(printed.kernel, [](const Cell& cell) { return std::optional(find_kernel(cell.text)); });
  table.kernel = kernel.value_or(nullptr);
  table.quant = is_quant(table.kernel, printed.sharder.text);
  table.sequence = printed.output.text == "sequence";
  table.rows = parse_integer(printed.hash_size.text).value_or(0);
  table.cols = parse_integer(printed.emb_dim.text).value_or(0);
  table.block = parse_integer(printed.cw_dim.text).value_or(0);
  const auto features = parse_integer(printed.features.text, kMostFeatures);
  table.features = std::max<std::int64_t>(features.value_or(1), 1);
  const bool ranks_known = read_ranks(printed, world_size, columns.ranks, table);
  const bool has_batches = read_batches(printed, batch_size, columns, table);
  const bool has_lookups = read_indices(printed, columns, table);
  read_ratio(printed, columns, table);
  const Format storage = plan.format_of(RoundedNumbers::table_storage);
  const auto read_gib = [storage](const Cell& cell) { return printed_bytes(cell, storage, kGiB); };
  if (const auto& hbm = columns.hbm.read(printed.hbm, read_gib)) table.cells[0] = *hbm;
  if (const auto& ddr = columns.ddr.read(printed.ddr, read_gib)) table.cells[1] = *ddr;
  if (const auto& ssd = columns.ssd.read(printed.ssd, read_gib)) table.cells[2] = *ssd;
  const bool has_ranks = ranks_known ? !table.ranks.empty() : printed.ranks.text == "None" && plan.is_empty();
  const double size = static_cast<double>(table.rows) * static_cast<double>(table.cols);
  const auto has_output = static_cast<bool>(printed.output);  // a sequence takes other sizes than what is pooled
  table.sized = table.rows > 0 && table.cols > 0 && sharding && has_ranks && features && has_batches && has_output &&
                size < static_cast<double>(kLargestTable) && static_cast<bool>(printed.pooling_factor) && has_lookups &&
                table.block <= table.cols && (!columns_hidden(table) || std::ssize(table.ranks) <= table.cols);
}

}  // namespace

// Kept apart, so that the result for other numbers is not merged with this one.
[[gnu::noinline]] std::optional<RealInterval> printed_with_sign(const Cell& cell, Format format) {
  std::optional<RealInterval> value = values_printed_as(cell.text, format);
  if (value && value->low < 0) {
    if (value->high < 0)
      value.reset();
    else
      value->low = 0;
  }
  return value;
}

std::optional<ByteInterval> printed_bytes(const Cell& cell, Format format, std::int64_t unit) {
  if (!cell) return std::nullopt;
  return bytes_printed_as(cell.text, format, unit);
}

std::optional<std::int64_t> printed_integer(const Cell& cell) {
  if (!cell) return std::nullopt;
  return parse_integer(cell.text);
}

std::optional<std::string_view> module_of(const PrintedTable& printed) {
  if (!printed.fqn) return std::nullopt;
  const std::string_view fqn = printed.fqn.text;
  return fqn.substr(0, std::min(fqn.rfind('.'), fqn.size()));
}

std::vector<TableInputs> read_tables(const PrintedPlan& printed, std::int64_t world_size, double batch_size) {
  std::vector<TableInputs> tables;
  tables.reserve(printed.tables.rows.size());
  Columns columns;
  columns.has_batches = printed.tables.has(ColumnId::batch_sizes);
  columns.has_poolings =
      printed.tables.has(ColumnId::num_poolings) || is_always_printed(printed, ColumnId::num_poolings, false);
  columns.has_ratio = is_always_printed(printed, ColumnId::cache_load_factor, false);
  std::int64_t shards = 0;
  const bool lacks_batches = may_lack_batches(printed);
  for (std::uint32_t row = 0; row < printed.tables.rows.size(); ++row) {
    TableInputs& table = tables.emplace_back();
    read_table(printed, row, world_size, batch_size, columns, table);
    if (shards <= kMostShards)
      shards += table.ranks.empty() ? most_shards(printed.tables.rows[row], world_size) : std::ssize(table.ranks);
    table.sized = table.sized && shards <= kMostShards && !lacks_batches;
  }
  return tables;
}

Lookups lookups_of(const TableInputs& table, IoGeneration generation, bool free_poolings) {
  RealInterval indices = table.indices, poolings = table.poolings;
  if (free_poolings && !table.poolings_known) {
    poolings = {0, kManyPoolings};
    indices = {0, table.pooling_sum.high * kManyPoolings};
  }
  // From generation D a feature counts min(1, l_f); with l_f <= sum of l this bounds the sum by X / max(1, sum of l).
  RealInterval outputs = poolings;
  if (generation == IoGeneration::d)
    outputs = {std::min(indices.low / std::max(1.0, table.pooling_sum.high), poolings.low),
               std::min(poolings.high, indices.high)};
  const auto terms = table.features + 1;
  const bool each_once = table.poolings_are_one && !(free_poolings && !table.poolings_known);
  RealInterval pooled = outputs * table.batch;
  if (each_once && generation != IoGeneration::d) pooled = exactly(static_cast<double>(table.batch_total));
  return {ulps_around(indices * table.batch, terms), ulps_around(pooled, terms)};
}

}  // namespace shardstats::infer_detail
