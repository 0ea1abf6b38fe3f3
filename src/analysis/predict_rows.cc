#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "analysis/points.h"
#include "analysis/predict_parts.h"
#include "shardstats/planner/perf.h"

namespace shardstats::analysis {
namespace {

bool is_integer(const Cell& cell) { return cell.text.find_first_not_of("0123456789") == std::string_view::npos; }

std::string with_all_digits(double value) {
  constexpr int kDigits = 9;
  char buffer[32];
  return {buffer, std::to_chars(buffer, std::end(buffer), value, std::chars_format::general, kDigits).ptr};
}

// Damaged cells of known columns are printed anew.
template <class Row>
void forget_odd_cells(ColumnTable<Row>& table) {
  std::erase_if(table.odd, [&](const OddCell& odd) { return table.columns[odd.column].id != ColumnId::unknown; });
}

class PredictedRows {
 public:
  PredictedRows(const Plan& plan, const RankValues& values, const SharedMemory& memory, CellWriter& write,
                PrintedPlan& print)
      : plan_(plan), values_(values), memory_(memory), write_(write), print_(print), release_(print.releases.front()) {}

  void fill() {
    forget_odd_cells(print_.ranks);
    forget_odd_cells(print_.tables);
    fill_ranks();
    for (const PlanTable& table : plan_.tables) fill_table(table, print_.tables.rows[table.row]);
  }

 private:
  // `of`: used / capacity of the rank.
  Cell share(double used, const std::vector<double>& of, std::size_t rank) {
    const double all = rank < of.size() ? of[rank] : 0;
    return write_.rounded(all > 0 ? used / all : 0, Format::p0);
  }

  void fill_perf(PrintedPerf& cells, const PlanPerf& perf, RoundedNumbers column, bool integer_zero) {
    cells.total = integer_zero ? Cell{"0", {}} : write_.rounded(middle(perf.total), print_.format_of(column));
    cells.count = static_cast<std::uint8_t>(perf_rules_of(release_).parts);
    for (std::size_t p = 0; p < cells.count; ++p)
      cells.components[p] = write_.rounded(middle(perf.parts[p]), Format::c1);
  }

  void fill_ranks() {
    const Format memory = print_.format_of(RoundedNumbers::rank_memory);
    const auto of_mib = [&](ByteInterval bytes, RoundedNumbers column) {
      return write_.rounded(point(bytes) / static_cast<double>(kMiB), print_.format_of(column));
    };
    const std::vector<Cell> shards = shard_cells();
    for (std::size_t r = 0; r < plan_.ranks.size(); ++r) {
      const PlanRank& rank = plan_.ranks[r];
      PrintedRank& row = print_.ranks.rows[r];
      const double hbm = values_[Quantity::hbm][r].low, ddr = values_[Quantity::ddr][r].low;
      row.hbm = write_.gib(hbm, memory);
      row.hbm_percent = share(hbm, memory_.hbm, r);
      row.ddr = write_.gib(ddr, memory);
      row.ddr_percent = share(ddr, memory_.ddr, r);
      fill_perf(row.perf, perf_of_rank(r), RoundedNumbers::rank_perf,
                starts_with_integers() && is_without_shards(plan_, r));
      row.input = of_mib(rank.input, RoundedNumbers::rank_input);
      row.output = of_mib(rank.output, RoundedNumbers::rank_output);
      row.shards = shards[r];
    }
  }

  // "CW: 0 TW: 1": each type of the plan on each rank.
  std::vector<Cell> shard_cells() {
    std::map<Sharding, std::vector<std::int64_t>> counts;  // by rank
    for (const PlanTable& table : plan_.tables)
      for (const PlanShard& shard : plan_.shards_of(table)) {
        auto& of_type = counts.try_emplace(table.sharding, plan_.ranks.size()).first->second;
        if (is_on_rank(plan_, shard)) ++of_type[static_cast<std::size_t>(*shard.rank)];
      }
    std::vector<Cell> cells;
    for (std::size_t r = 0; r < plan_.ranks.size(); ++r) {
      std::string text;
      for (const auto& [type, of_rank] : counts)
        text +=
            (text.empty() ? "" : " ") + std::string(name_of(type, kShardingNames)) + ": " + std::to_string(of_rank[r]);
      cells.push_back(write_.cell(std::move(text)));
    }
    return cells;
  }

  PlanPerf perf_of_rank(std::size_t rank) const {
    PlanPerf perf;
    perf.total = values_[Quantity::perf][rank];
    for (std::size_t p = 0; p < kPerfParts; ++p) perf.parts[p] = values_[quantity_of(static_cast<PerfPart>(p))][rank];
    return perf;
  }

  // Is the perf of a rank without shards the sum of no floats (log-format.md section 2.1)?
  bool starts_with_integers() const { return release_ >= Release::v0_5_0 && release_ < Release::v0_7_0; }

  void fill_table(const PlanTable& table, PrintedTable& row) {
    if (print_.tables.has(ColumnId::storage)) {
      const Format storage = print_.format_of(RoundedNumbers::table_storage);
      row.hbm = write_.gib(bytes_of(plan_, table, &ShardSizes::hbm, table.hbm), storage);
      row.ddr = write_.gib(bytes_of(plan_, table, &ShardSizes::ddr, table.ddr), storage);
      row.ssd = release_ >= Release::v1_6_0 ? write_.gib(bytes_of(plan_, table, &ShardSizes::ssd, table.ssd), storage)
                                            : Cell{};
    }
    if (table.perf.known) fill_perf(row.perf, table.perf.expected, RoundedNumbers::table_perf, false);
    if (print_.tables.has(ColumnId::num_indices)) row.num_indices = indices(table, row);
    if (shows_hidden_ratio(table, row))
      row.cache_load_factor = write_.cell(format(table.choice.caching_ratio.low, Format::python_float));
    if (shows_column_block(table.sharding) && table.shard_count > 0)
      row.cw_dim = write_.rounded(point(plan_.shards[table.first_shard].sizes->cols), Format::integer);
    else
      row.cw_dim = {};
    std::vector<int> ranks = plan_.ranks_of(table);
    std::ranges::sort(ranks);
    row.ranks = write_.cell(ranks_text(ranks));
  }

  // Is a caching ratio that the log hides printed by this release? Not where it is the default.
  bool shows_hidden_ratio(const PlanTable& table, const PrintedTable& row) const {
    const RealInterval ratio = table.choice.caching_ratio;
    return print_.tables.has(ColumnId::cache_load_factor) && row.cache_load_factor.text == "None" &&
           row.kernel.text == name(Kernel::fused_uvm_caching) && release_ > Release::v0_6_0 &&
           ratio.low == ratio.high && ratio.low != kDefaultCachingRatio;
  }

  bool shows_column_block(Sharding sharding) const {
    if (release_ < Release::v0_5_0) return false;
    return sharding == Sharding::cw || sharding == Sharding::twcw ||
           (sharding == Sharding::gs && release_ >= Release::v1_1_0);
  }

  // Ids of one sample over all features; whole where its factors are (log-format.md section 3.4).
  Cell indices(const PlanTable& table, const PrintedTable& row) {
    const bool whole = is_integer(row.pooling_factor) && is_integer(row.num_poolings);
    return write_.rounded(lookups_of_sample(table, row), whole ? Format::integer : Format::r3);
  }

  double lookups_of_sample(const PlanTable& table, const PrintedTable& row) const {
    const auto sizes = summarize_batch_sizes(row.batch_sizes.text, table.features);
    const auto batch = parse_integer(print_.slot(LineId::batch_size).text);
    const bool one_batch = batch && *batch > 0 && (!sizes || sizes->count == 0);
    if (one_batch) return middle(table.lookups) / static_cast<double>(*batch);
    if (!sizes || sizes->first_total <= 0) return 0;
    // As if all features were alike but for their batches.
    const double alike =
        middle(table.lookups) * static_cast<double>(table.features) / static_cast<double>(sizes->first_total);
    const auto factor = values_printed_as(row.pooling_factor.text, Format::r3);
    const auto poolings = values_printed_as(row.num_poolings.text, Format::r3);
    return factor && poolings ? std::min(alike, middle(*factor) * middle(*poolings)) : alike;
  }

  const Plan& plan_;
  const RankValues& values_;
  const SharedMemory& memory_;
  CellWriter& write_;
  PrintedPlan& print_;
  Release release_;
};

}  // namespace

std::string CellWriter::written(double value, Format form) const {
  if (!std::isfinite(value)) return std::string(kUnknownText);
  return digits_ == Digits::all ? with_all_digits(value) : format(value, form);
}

void predict_rows(const Plan& plan, const RankValues& values, const SharedMemory& memory, CellWriter& write,
                  PrintedPlan& print) {
  PredictedRows(plan, values, memory, write, print).fill();
}

bool is_without_shards(const Plan& plan, std::size_t rank) {
  const auto lies_here = [&](const PlanShard& shard) { return shard.rank == static_cast<int>(rank); };
  return std::ranges::none_of(plan.shards, lies_here);
}

}  // namespace shardstats::analysis
