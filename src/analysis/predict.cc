#include "analysis/predict.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "analysis/lines.h"
#include "analysis/points.h"
#include "analysis/predict_parts.h"
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

class Prediction : private StatisticsReader {
 public:
  Prediction(const PrintedPlan& skeleton, const Plan& plan, const RankValues& values, const SharedMemory& memory,
             NameReadings names, Texts& texts, Digits digits)
      : skeleton_(skeleton),
        plan_(plan),
        values_(values),
        memory_(memory),
        names_(names),
        write_(texts, digits),
        release_(skeleton.releases.front()),
        print_(skeleton),
        units_(units_of(skeleton)) {}

  PrintedPlan run() {
    predict_rows(plan_, values_, memory_, write_, print_);
    lay_lines();
    read_statistics(print_, plan_, values_, true, *this, names_);
    for (const auto& [slot, text] : found_) print_.slots[slot].text = text;
    print_.width = needed_width(print_);
    return std::move(print_);
  }

 private:
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

  // In a line.
  Cell size(double bytes) { return write_.gib(bytes, skeleton_.format_of(RoundedNumbers::lines)); }

  // Those of newer_units() that the log has in place of the known ones, from 1 on.
  static std::vector<std::uint8_t> units_of(const PrintedPlan& skeleton) {
    std::vector<std::uint8_t> units;
    const auto all = newer_units();
    for (std::size_t u = 0; u < all.size(); ++u)
      if (all[u].is_same && is_unit_changed(skeleton.lines, all[u])) units.push_back(static_cast<std::uint8_t>(u + 1));
    return units;
  }
  // The one that replaces a unit of the pattern; 0: none.
  std::uint8_t newer_unit_of(std::string_view pattern) const {
    const auto replaces = [&](std::uint8_t unit) {
      return pattern.find(newer_units()[unit - 1u].known) != std::string_view::npos;
    };
    const auto unit = std::ranges::find_if(units_, replaces);
    return unit == units_.end() ? std::uint8_t{0} : *unit;
  }

  void add_line(LineId id, const std::vector<Cell>& slots) {
    PrintedLine& line = print_.lines.emplace_back();
    line.id = id;
    line.form = form_in(release_, id).value_or(0);
    line.newer_unit = newer_unit_of(line_forms()[line.form].pattern);
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
    if (id == LineId::dense_storage) return add_line(id, {size(point(plan_.dense_hbm)), size(point(plan_.dense_ddr))});
    if (id == LineId::kjt_storage) return add_line(id, {size(point(plan_.kjt_hbm)), size(point(plan_.kjt_ddr))});
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
        for (const auto& [kernel, tables] : kernels()) add_line(LineId::kernel_count, {kernel, write_.count(tables)});
        return;
      case LineId::kernel_weights_heading:
        for (const auto& [kernel, sizes] : kernel_sizes())
          add_line(LineId::kernel_weights, {kernel, size(sizes.weights)});
        return;
      case LineId::kernel_optimizer_heading:
        for (const auto& [kernel, sizes] : kernel_sizes())
          add_line(LineId::kernel_optimizer, {kernel, size(sizes.optimizer)});
        return;
      case LineId::kernel_storage_heading:
        for (const auto& [kernel, sizes] : kernel_sizes()) {
          std::vector<Cell> cells = {kernel, size(sizes.hbm), size(sizes.ddr), size(sizes.ssd)};
          cells.resize(slots_of(LineId::kernel_storage));
          add_line(LineId::kernel_storage, cells);
        }
        return;
      case LineId::kernel_constraints:
        for (const auto& [kernel, tables] : hardcoded())
          add_line(LineId::kernel_constraint, {kernel, write_.count(tables)});
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
    for (const auto slots : lines_of(skeleton_, LineId::kernel_constraint)) {
      const std::int64_t tables = std::min(parse_integer(slots[1].text).value_or(0), all[slots[0]]);
      if (tables > 0) counts[slots[0]] = tables;
    }
    return counts;
  }

  std::vector<Cell> constraint_totals() {
    std::int64_t by_hand = 0;
    for (const auto& [kernel, tables] : hardcoded()) by_hand += tables;
    return {write_.count(by_hand), write_.count(static_cast<std::int64_t>(print_.tables.rows.size()) - by_hand)};
  }

  // ---- statistics --------------------------------------------------------------------------------------------------

  void add_tiers() {
    std::vector<std::size_t> left(values_.ranks());
    std::iota(left.begin(), left.end(), std::size_t{0});
    std::vector<std::vector<Cell>> tiers;
    for (std::int64_t k = 1; k <= kMostTiers && !left.empty(); ++k) {
      const Tier tier = hottest_tier(values_, left);
      const std::vector<int> positions = marked(tier.members.may);
      tiers.push_back({write_.count(k), size(middle(tier.value)), write_.cell(ranks_text(positions))});
      remove(left, positions);
    }
    std::ranges::reverse(tiers);  // the hottest stands last
    for (const auto& tier : tiers) add_line(LineId::tier, tier);
  }

  void add_top_tables(LineId id) {
    const bool perf = id == LineId::top_perf_table;
    std::vector<bool> used(plan_.ranks.size());
    for (const PlanShard& shard : plan_.shards)
      if (is_on_rank(plan_, shard)) used[static_cast<std::size_t>(*shard.rank)] = true;
    if (std::ranges::count(used, true) < 2) return;
    std::vector<const PlanTable*> tables = top_candidates(plan_, values_, perf).tables;
    const auto value = [&](const PlanTable* table) { return middle(first_shard(plan_, *table, perf)); };
    std::ranges::stable_sort(tables, std::ranges::greater{}, value);
    if (tables.size() > kMostTopTables) tables.resize(kMostTopTables);
    const auto module = modules(print_, plan_, names_.dotted);
    for (const PlanTable* table : tables) {
      const std::string_view fqn = print_.tables.rows[table->row].fqn.text;
      const std::string_view path = module[static_cast<std::size_t>(table - plan_.tables.data())];
      std::vector<Cell> cells = {Cell{fqn.substr(fqn.find('.') == fqn.npos ? 0 : path.size() + 1), {}},
                                 size(value(table)), write_.cell(bracketed(plan_.ranks_of(*table)))};
      cells.resize(slots_of(id));
      add_line(id, cells);
    }
  }

  // Before v0.8.0 only what is not reserved is printed.
  Cell reserved() {
    if (const Cell known = skeleton_.slot(LineId::reserved_hbm)) return known;
    const auto planned = skeleton_.bytes_in(LineId::planning_memory);
    const auto fraction = reserved_fraction(skeleton_);
    if (!planned || !fraction || *fraction >= 1) return {kUnknownText, {}};
    return size(point(*planned) * *fraction / (1 - *fraction));
  }

  // The reserved or planned part of HBM. Where only one of both is printed, its percentage is an input.
  Cell percent(LineId id) {
    const auto reserved = skeleton_.bytes_in(LineId::reserved_hbm);
    const auto planned = skeleton_.bytes_in(LineId::planning_memory);
    if (!reserved || !planned || planned->high <= kMiB) {
      if (const Cell known = skeleton_.slot(id)) return known;
      const auto fraction = reserved_fraction(skeleton_);
      return fraction ? write_.rounded(id == LineId::reserved_percent ? *fraction : 1 - *fraction, Format::p0)
                      : Cell{kUnknownText, {}};
    }
    const bool of_reserved = id == LineId::reserved_percent;
    return write_.rounded(middle(of_reserved ? share_of(*reserved, *planned) : share_of(*planned, *reserved)),
                          Format::p0);
  }

  bool number(const DerivedNumber& number) override {
    double value = value_of(number.expected);
    if (number.unit == "bytes") value /= static_cast<double>(kGiB);
    const bool integer_zero = number.rule == RuleId::maxima_value && value == 0 && holds_integer(number.of);
    found_.emplace_back(number.cell.place.line, integer_zero ? "0" : write_.text(value, number.format));
    return false;
  }

  void ranks(const DerivedRanks& ranks) override {
    const std::vector<int> on = marked(ranks.list.may);
    const bool brackets = ranks.rule == RuleId::distribution_ranks;
    if (ranks.rule == RuleId::tiers_ranks) return;
    found_.emplace_back(ranks.cell.place.line, write_.text(brackets ? bracketed(on) : ranks_text(on)));
  }

  void shifted(const ShiftedTier& /*tier*/) override {}

  // Does the first rank hold the integer 0 for this component (log-format.md section 2.1)?
  bool holds_integer(Quantity quantity) const {
    if (quantity == Quantity::perf || quantity == Quantity::prefetch_compute) return false;
    if (is_without_shards(plan_, 0)) return true;
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
  NameReadings names_;
  CellWriter write_;
  Release release_;
  PrintedPlan print_;
  std::vector<std::uint8_t> units_;
  std::vector<std::pair<std::size_t, std::string_view>> found_;  // slots and the texts of their statistics
};

}  // namespace

PrintedPlan predicted(const PrintedPlan& skeleton, const Plan& plan, const RankValues& values,
                      const SharedMemory& memory, NameReadings names, Texts& texts, Digits digits) {
  return Prediction(skeleton, plan, values, memory, names, texts, digits).run();
}

}  // namespace shardstats::analysis
