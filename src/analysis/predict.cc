#include "analysis/predict.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "analysis/points.h"
#include "shardstats/log/render.h"
#include "shardstats/planner/perf.h"
#include "shardstats/planner/releases.h"

namespace shardstats::analysis {
namespace {

constexpr LineId kImbalanceIds[] = {LineId::total_variation, LineId::total_distance, LineId::chi_divergence,
                                    LineId::kl_divergence};
// Lines whose texts are inputs of the plan, or are made from them below.
constexpr LineId kInputs[] = {LineId::summary, LineId::batch_size, LineId::planning_memory};

// Sums of known values have bounds by rounding alone; at zero they end.
double value_of(RealInterval x) { return x.low <= 0 ? 0 : middle(x); }

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

class Prediction : private StatisticsReader {
 public:
  Prediction(const PrintedPlan& skeleton, const Plan& plan, const RankValues& values, const SharedMemory& memory,
             Texts& texts, Digits digits)
      : skeleton_(skeleton),
        plan_(plan),
        values_(values),
        memory_(memory),
        texts_(texts),
        digits_(digits),
        release_(skeleton.releases.front()),
        print_(skeleton) {
    forget_odd_cells(print_.ranks);
    forget_odd_cells(print_.tables);
  }

  PrintedPlan run() {
    fill_ranks();
    for (const PlanTable& table : plan_.tables) fill_table(table, print_.tables.rows[table.row]);
    lay_lines();
    read_statistics(print_, plan_, values_, true, *this);
    for (const auto& [slot, text] : found_) print_.slots[slot].text = text;
    print_.width = needed_width(print_);
    return std::move(print_);
  }

 private:
  // ---- texts -------------------------------------------------------------------------------------------------------

  Cell cell(std::string text) { return {texts_.add(std::move(text)), {}}; }
  std::string written(double value, Format form) const {
    if (!std::isfinite(value)) return std::string(kUnknownText);
    return digits_ == Digits::all ? with_all_digits(value) : format(value, form);
  }
  Cell rounded(double value, Format form) { return cell(written(value, form)); }
  Cell gib(double bytes, Format form = Format::r3) { return rounded(bytes / static_cast<double>(kGiB), form); }
  Cell count(std::int64_t n) { return cell(std::to_string(n)); }

  // ---- rows --------------------------------------------------------------------------------------------------------

  // `of`: used / capacity of the rank.
  Cell share(double used, const std::vector<double>& of, std::size_t rank) {
    const double all = of.empty() ? 0 : of[rank < of.size() ? rank : 0];  // a new device is like the first
    return rounded(all > 0 ? used / all : 0, Format::p0);
  }

  void fill_perf(PrintedPerf& cells, const PlanPerf& perf, RoundedColumn column, bool integer_zero) {
    cells.total = integer_zero ? Cell{"0", {}} : rounded(middle(perf.total), print_.format_of(column));
    cells.count = static_cast<std::uint8_t>(perf_rules_of(release_).parts);
    for (std::size_t p = 0; p < cells.count; ++p) cells.components[p] = rounded(middle(perf.parts[p]), Format::c1);
  }

  void fill_ranks() {
    const Format memory = print_.format_of(RoundedColumn::rank_memory);
    const auto of_mib = [&](ByteInterval bytes) {
      return rounded(point(bytes) / static_cast<double>(kMiB), Format::r2);
    };
    const std::vector<Cell> shards = shard_cells();
    for (std::size_t r = 0; r < plan_.ranks.size(); ++r) {
      const PlanRank& rank = plan_.ranks[r];
      PrintedRank& row = print_.ranks.rows[r];
      const double hbm = values_[Quantity::hbm][r].low, ddr = values_[Quantity::ddr][r].low;
      row.hbm = gib(hbm, memory);
      row.hbm_percent = share(hbm, memory_.hbm, r);
      row.ddr = gib(ddr, memory);
      row.ddr_percent = share(ddr, memory_.ddr, r);
      fill_perf(row.perf, perf_of_rank(r), RoundedColumn::rank_perf, starts_with_integers() && is_without_shards(r));
      row.input = of_mib(rank.input);
      row.output = of_mib(rank.output);
      row.shards = shards[r];
    }
  }

  // "CW: 0 TW: 1": each type of the plan on each rank.
  std::vector<Cell> shard_cells() {
    std::map<Sharding, std::vector<std::int64_t>> counts;  // by rank
    for (const PlanTable& table : plan_.tables)
      for (const PlanShard& shard : plan_.shards_of(table)) {
        auto& of_type = counts.try_emplace(table.sharding, plan_.ranks.size()).first->second;
        if (is_on_rank(shard)) ++of_type[static_cast<std::size_t>(*shard.rank)];
      }
    std::vector<Cell> cells;
    for (std::size_t r = 0; r < plan_.ranks.size(); ++r) {
      std::string text;
      for (const auto& [type, of_rank] : counts)
        text +=
            (text.empty() ? "" : " ") + std::string(name_of(type, kShardingNames)) + ": " + std::to_string(of_rank[r]);
      cells.push_back(cell(std::move(text)));
    }
    return cells;
  }

  bool is_on_rank(const PlanShard& shard) const {
    return shard.rank && static_cast<std::size_t>(*shard.rank) < plan_.ranks.size();
  }

  PlanPerf perf_of_rank(std::size_t rank) const {
    PlanPerf perf;
    perf.total = values_[Quantity::perf][rank];
    for (std::size_t p = 0; p < kPerfParts; ++p) perf.parts[p] = values_[quantity_of(static_cast<PerfPart>(p))][rank];
    return perf;
  }

  // Is the perf of a rank without shards the sum of no floats (log-format.md section 2.1)?
  bool starts_with_integers() const { return release_ >= Release::v0_5_0 && release_ < Release::v0_7_0; }

  bool is_without_shards(std::size_t rank) const {
    const auto lies_here = [&](const PlanShard& shard) { return shard.rank == static_cast<int>(rank); };
    return std::ranges::none_of(plan_.shards, lies_here);
  }

  // In the order of the plan's shards.
  std::vector<int> ranks_of(const PlanTable& table) const {
    std::vector<int> ranks;
    for (const PlanShard& shard : plan_.shards_of(table))
      if (shard.rank) ranks.push_back(*shard.rank);
    return ranks;
  }

  void fill_table(const PlanTable& table, PrintedTable& row) {
    if (print_.tables.has(ColumnId::storage)) {
      const Format storage = print_.format_of(RoundedColumn::table_storage);
      row.hbm = gib(bytes_of(plan_, table, &ShardSizes::hbm, table.hbm), storage);
      row.ddr = gib(bytes_of(plan_, table, &ShardSizes::ddr, table.ddr), storage);
      row.ssd =
          release_ >= Release::v1_6_0 ? gib(bytes_of(plan_, table, &ShardSizes::ssd, table.ssd), storage) : Cell{};
    }
    if (table.perf.known) fill_perf(row.perf, table.perf.expected, RoundedColumn::table_perf, false);
    if (print_.tables.has(ColumnId::num_indices)) row.num_indices = indices(table, row);
    if (shows_hidden_ratio(table, row))
      row.cache_load_factor = cell(format(table.choice.caching_ratio.low, Format::python_float));
    if (shows_column_block(table.sharding) && table.shard_count > 0)
      row.cw_dim = rounded(point(plan_.shards[table.first_shard].sizes->cols), Format::integer);
    else
      row.cw_dim = {};
    std::vector<int> ranks = ranks_of(table);
    std::ranges::sort(ranks);
    row.ranks = cell(ranks_text(ranks));
  }

  // Is a caching ratio that the log hides printed by this release? Not where it is the default.
  bool shows_hidden_ratio(const PlanTable& table, const PrintedTable& row) const {
    const RealInterval ratio = table.choice.caching_ratio;
    return print_.tables.has(ColumnId::cache_load_factor) && row.cache_load_factor.text == "None" &&
           row.kernel.text == "fused_uvm_caching" && release_ > Release::v0_6_0 && ratio.low == ratio.high &&
           ratio.low != kDefaultCachingRatio;
  }

  bool shows_column_block(Sharding sharding) const {
    if (release_ < Release::v0_5_0) return false;
    return sharding == Sharding::cw || sharding == Sharding::twcw ||
           (sharding == Sharding::gs && release_ >= Release::v1_1_0);
  }

  // Ids of one sample over all features; whole where its factors are (log-format.md section 3.4).
  Cell indices(const PlanTable& table, const PrintedTable& row) {
    const bool whole = is_integer(row.pooling_factor) && is_integer(row.num_poolings);
    return rounded(lookups_of_sample(table, row), whole ? Format::integer : Format::r3);
  }

  double lookups_of_sample(const PlanTable& table, const PrintedTable& row) const {
    const auto sizes = summarize_batch_sizes(row.batch_sizes.text, table.features);
    const auto batch = parse_integer(skeleton_.slot(LineId::batch_size).text);
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

  // ---- lines -------------------------------------------------------------------------------------------------------

  void lay_lines() {
    print_.lines.clear();
    print_.slots.clear();
    add_line(LineId::border);
    Part part = Part::head;
    for (const OrderedLine& line : line_order()) {
      if (!form_in(release_, line.id) || !is_printed(line)) continue;
      if (std::exchange(part, line.part) != line.part) add_line(LineId::blank);
      if (line.id == LineId::top_hbm) add_line(LineId::blank);
      add_line(line.id);
      add_lines_below(line.id);
    }
    add_line(LineId::border);
  }

  bool is_printed(const OrderedLine& line) const {
    switch (line.when) {
      case When::always:
      case When::plan:
      case When::debug:
      case When::debug_plan:
        return true;
      case When::no_plan:
        return false;
      case When::perf:
        return some_rank_has(Quantity::perf);
      case When::hbm:
        return some_rank_has(Quantity::hbm);
      case When::ddr:
        return some_rank_has(Quantity::ddr);
      case When::imbalance:
        return some_rank_has(Quantity::perf) || some_rank_has(Quantity::hbm) || some_rank_has(Quantity::ddr);
      case When::reservation:
        return prints_reservation();
    }
    return false;
  }

  bool some_rank_has(Quantity quantity) const { return largest(values_[quantity]).high > 0; }

  // What the log does with a policy of its own it goes on to do.
  bool prints_reservation() const {
    const auto since = reservation_printed_since(plan_.policy);
    return since ? release_ >= *since : skeleton_.find(LineId::kjt_storage) != nullptr;
  }

  void add_line(LineId id, const std::vector<Cell>& slots) {
    PrintedLine& line = print_.lines.emplace_back();
    line.id = id;
    line.form = form_in(release_, id).value_or(0);
    line.first_slot = static_cast<std::uint32_t>(print_.slots.size());
    line.slot_count = static_cast<std::uint16_t>(slots.size());
    for (const Cell& slot : slots) {
      const auto index = static_cast<std::uint32_t>(print_.slots.size());
      print_.slots.push_back({slot.text, {index, 0}});  // the place tells which slot a statistic stands in
    }
  }

  void add_line(LineId id) {
    if (id == LineId::reserved_percent || id == LineId::planning_percent) return add_line(id, {percent(id)});
    if (id == LineId::reserved_hbm) return add_line(id, {reserved()});
    if (id == LineId::dense_storage) return add_line(id, {gib(point(plan_.dense_hbm)), gib(point(plan_.dense_ddr))});
    if (id == LineId::kjt_storage) return add_line(id, {gib(point(plan_.kjt_hbm)), gib(point(plan_.kjt_ddr))});
    if (id == LineId::kernel_constraints) return add_line(id, constraint_totals());
    std::vector<Cell> cells(slots_of(id), {kUnknownText, {}});
    if (std::ranges::find(kInputs, id) != std::end(kInputs))
      for (std::size_t i = 0; i < cells.size(); ++i)
        if (const Cell known = skeleton_.slot(id, i)) cells[i] = known;
    add_line(id, cells);
  }

  std::size_t slots_of(LineId id) const { return slots_in(line_forms()[form_in(release_, id).value_or(0)].pattern); }

  void add_lines_below(LineId heading) {
    switch (heading) {
      case LineId::kernel_count_heading:
        for (const auto& [kernel, tables] : kernels()) add_line(LineId::kernel_count, {kernel, count(tables)});
        return;
      case LineId::kernel_weights_heading:
        for (const auto& [kernel, sizes] : kernel_sizes())
          add_line(LineId::kernel_weights, {kernel, gib(sizes.weights)});
        return;
      case LineId::kernel_optimizer_heading:
        for (const auto& [kernel, sizes] : kernel_sizes())
          add_line(LineId::kernel_optimizer, {kernel, gib(sizes.optimizer)});
        return;
      case LineId::kernel_storage_heading:
        for (const auto& [kernel, sizes] : kernel_sizes()) {
          std::vector<Cell> cells = {kernel, gib(sizes.hbm), gib(sizes.ddr), gib(sizes.ssd)};
          cells.resize(slots_of(LineId::kernel_storage));
          add_line(LineId::kernel_storage, cells);
        }
        return;
      case LineId::kernel_constraints:
        for (const auto& [kernel, tables] : hardcoded()) add_line(LineId::kernel_constraint, {kernel, count(tables)});
        return;
      case LineId::perf_imbalance_heading:
      case LineId::hbm_imbalance_heading:
      case LineId::ddr_imbalance_heading:
        for (const LineId id : kImbalanceIds) add_line(id);
        return;
      case LineId::top_hbm:
        return add_tiers();
      case LineId::top_perf_heading:
        return add_top_tables(LineId::top_perf_table);
      case LineId::top_hbm_heading:
        return add_top_tables(LineId::top_hbm_table);
      default:
        return;
    }
  }

  // ---- kernels -----------------------------------------------------------------------------------------------------

  struct ByName {
    bool operator()(const Cell& a, const Cell& b) const { return a.text < b.text; }
  };
  using KernelCounts = std::map<Cell, std::int64_t, ByName>;

  KernelCounts kernels() const {
    KernelCounts counts;
    for (const PrintedTable& row : print_.tables.rows) ++counts[row.kernel];
    return counts;
  }

  struct KernelSizes {  // bytes
    double weights = 0, optimizer = 0, hbm = 0, ddr = 0, ssd = 0;
  };

  // Weights and optimizer state count each table once, the others each shard (log-format.md section 3.6).
  std::map<Cell, KernelSizes, ByName> kernel_sizes() const {
    std::map<Cell, KernelSizes, ByName> kernels;
    for (const PlanTable& table : plan_.tables) {
      KernelSizes& sizes = kernels[print_.tables.rows[table.row].kernel];
      const double weights =
          static_cast<double>(table.rows) * static_cast<double>(table.cols) * table.choice.element_size;
      sizes.weights += weights;
      sizes.optimizer +=
          optimizer_bytes(optimizer_multiplier(*plan_.setting.rules, table.choice.optimizer, table.sharding,
                                               *table.kernel, static_cast<double>(table.cols)),
                          weights);
      sizes.hbm += bytes_of(plan_, table, &ShardSizes::hbm, table.hbm);
      sizes.ddr += bytes_of(plan_, table, &ShardSizes::ddr, table.ddr);
      sizes.ssd += bytes_of(plan_, table, &ShardSizes::ssd, table.ssd);
    }
    return kernels;
  }

  // Tables whose constraints name their kernel: an input, but no more than there are tables.
  KernelCounts hardcoded() const {
    KernelCounts all = kernels(), counts;
    for (const PrintedLine& line : skeleton_.lines) {
      if (line.id != LineId::kernel_constraint) continue;
      const auto slots = skeleton_.slots_of(line);
      const std::int64_t tables = std::min(parse_integer(slots[1].text).value_or(0), all[slots[0]]);
      if (tables > 0) counts[slots[0]] = tables;
    }
    return counts;
  }

  std::vector<Cell> constraint_totals() {
    std::int64_t by_hand = 0;
    for (const auto& [kernel, tables] : hardcoded()) by_hand += tables;
    return {count(by_hand), count(static_cast<std::int64_t>(print_.tables.rows.size()) - by_hand)};
  }

  // ---- statistics --------------------------------------------------------------------------------------------------

  void add_tiers() {
    std::vector<std::size_t> left(values_.ranks());
    std::iota(left.begin(), left.end(), std::size_t{0});
    std::vector<std::vector<Cell>> tiers;
    for (std::int64_t k = 1; k <= kMostTiers && !left.empty(); ++k) {
      const Tier tier = hottest_tier(values_, left);
      const std::vector<int> positions = listed(tier.members);
      tiers.push_back({count(k), gib(middle(tier.value)), cell(ranks_text(positions))});
      remove(left, positions);
    }
    std::ranges::reverse(tiers);  // the hottest stands last
    for (const auto& tier : tiers) add_line(LineId::tier, tier);
  }

  static std::vector<int> listed(const RankList& list) {
    std::vector<int> ranks;
    for (std::size_t r = 0; r < list.may.size(); ++r)
      if (list.may[r]) ranks.push_back(static_cast<int>(r));
    return ranks;
  }

  void add_top_tables(LineId id) {
    const bool perf = id == LineId::top_perf_table;
    std::vector<bool> used(plan_.ranks.size());
    for (const PlanShard& shard : plan_.shards)
      if (is_on_rank(shard)) used[static_cast<std::size_t>(*shard.rank)] = true;
    if (std::ranges::count(used, true) < 2) return;
    std::vector<const PlanTable*> tables = top_candidates(plan_, values_, perf).tables;
    const auto value = [&](const PlanTable* table) { return middle(first_shard(plan_, *table, perf)); };
    std::ranges::stable_sort(tables, std::ranges::greater{}, value);
    if (tables.size() > kMostTopTables) tables.resize(kMostTopTables);
    const auto module = modules(print_, plan_, lists_dotted_names(skeleton_));
    for (const PlanTable* table : tables) {
      const std::string_view fqn = print_.tables.rows[table->row].fqn.text;
      const std::string_view path = module[static_cast<std::size_t>(table - plan_.tables.data())];
      std::vector<Cell> cells = {Cell{fqn.substr(fqn.find('.') == fqn.npos ? 0 : path.size() + 1), {}},
                                 gib(value(table)), cell(bracketed(ranks_of(*table)))};
      cells.resize(slots_of(id));
      add_line(id, cells);
    }
  }

  // Before v0.8.0 only what is not reserved is printed.
  Cell reserved() {
    if (const Cell known = skeleton_.slot(LineId::reserved_hbm)) return known;
    const auto planned = bytes_printed_as(skeleton_.slot(LineId::planning_memory).text, Format::r3, kGiB);
    const auto fraction = reserved_fraction(skeleton_);
    if (!planned || !fraction || *fraction >= 1) return {kUnknownText, {}};
    return gib(point(*planned) * *fraction / (1 - *fraction));
  }

  // The reserved or planned part of HBM. Where only one of both is printed, its percentage is an input.
  Cell percent(LineId id) {
    const auto reserved = bytes_printed_as(skeleton_.slot(LineId::reserved_hbm).text, Format::r3, kGiB);
    const auto planned = bytes_printed_as(skeleton_.slot(LineId::planning_memory).text, Format::r3, kGiB);
    if (!reserved || !planned || planned->high <= kMiB) {
      if (const Cell known = skeleton_.slot(id)) return known;
      const auto fraction = reserved_fraction(skeleton_);
      return fraction ? rounded(id == LineId::reserved_percent ? *fraction : 1 - *fraction, Format::p0)
                      : Cell{kUnknownText, {}};
    }
    const bool of_reserved = id == LineId::reserved_percent;
    return rounded(middle(of_reserved ? share_of(*reserved, *planned) : share_of(*planned, *reserved)), Format::p0);
  }

  bool number(const DerivedNumber& number) override {
    double value = value_of(number.expected);
    if (number.unit == "bytes") value /= static_cast<double>(kGiB);
    const bool integer_zero = number.rule == RuleId::maxima_value && value == 0 && holds_integer(number.of);
    found_.emplace_back(number.cell.place.line, integer_zero ? "0" : texts_.add(written(value, number.format)));
    return false;
  }

  void ranks(const DerivedRanks& ranks) override {
    const std::vector<int> on = listed(ranks.list);
    const bool brackets = ranks.rule == RuleId::distribution_ranks;
    if (ranks.rule == RuleId::tiers_ranks) return;
    found_.emplace_back(ranks.cell.place.line, texts_.add(brackets ? bracketed(on) : ranks_text(on)));
  }

  void shifted(const ShiftedTier& /*tier*/) override {}

  // Does the first rank hold the integer 0 for this component (log-format.md section 2.1)?
  bool holds_integer(Quantity quantity) const {
    if (quantity == Quantity::perf || quantity == Quantity::prefetch_compute) return false;
    if (is_without_shards(0)) return true;
    if (release_ >= Release::v1_6_0) return false;
    const bool backward = quantity == Quantity::backward_compute || quantity == Quantity::backward_comms;
    if (backward) return plan_.perf.setting.inference;
    const auto has_none = [&](const PlanTable& table) {
      return table.sharding == Sharding::dp || plan_.shards_on(table, 0) == 0;
    };
    return quantity == Quantity::forward_comms && std::ranges::all_of(plan_.tables, has_none);
  }

  const PrintedPlan& skeleton_;
  const Plan& plan_;
  const RankValues& values_;
  const SharedMemory& memory_;
  Texts& texts_;
  Digits digits_;
  Release release_;
  PrintedPlan print_;
  std::vector<std::pair<std::size_t, std::string_view>> found_;  // slots and the texts of their statistics
};

}  // namespace

PrintedPlan predicted(const PrintedPlan& skeleton, const Plan& plan, const RankValues& values,
                      const SharedMemory& memory, Texts& texts, Digits digits) {
  return Prediction(skeleton, plan, values, memory, texts, digits).run();
}

}  // namespace shardstats::analysis
