#include "infer/rebuild.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <type_traits>
#include <utility>

namespace shardstats::infer_detail {
namespace {

// ShardSizes before they are rounded to whole bytes.
struct RealSizes {
  RealInterval rows{}, cols{}, hbm{}, ddr{}, ssd{}, input{}, output{};
  RealInterval tensor{}, optimizer{}, cache_aux{}, pipeline_io{};  // if asked for
};

constexpr ByteInterval ShardSizes::*kFields[] = {
    &ShardSizes::rows,      &ShardSizes::cols,      &ShardSizes::hbm,        &ShardSizes::ddr,
    &ShardSizes::ssd,       &ShardSizes::input,     &ShardSizes::output,     &ShardSizes::tensor,
    &ShardSizes::optimizer, &ShardSizes::cache_aux, &ShardSizes::pipeline_io};

// Calls f(field, size) for all that is reported of one shard with one option.
template <class F>
void each_size(const Setting& setting, const TableInputs& table, const Parts& parts, const ClassParts& c, Combo combo,
               bool shard_parts, F f) {
  f(&RealSizes::rows, c.rows);
  f(&RealSizes::cols, c.cols);
  f(&RealSizes::hbm, class_hbm(setting, c, combo));
  f(&RealSizes::ddr, class_ddr(setting, c, combo));
  f(&RealSizes::ssd, setting.device == Device::tpu ? RealInterval{} : class_ssd(c, combo));  // none counts (7.1)
  f(&RealSizes::input, c.column_input);
  f(&RealSizes::output, class_output(c, combo));
  if (!shard_parts) return;
  const auto facts = facts_of(setting, table, parts.variant, parts.lookups, combo);
  const auto specific = specific_bytes(setting, facts, ShardFacts<RealInterval>{c.rows, c.cols, c.empty});
  f(&RealSizes::tensor, specific.tensor_hbm + specific.tensor_ddr + specific.key_value);
  f(&RealSizes::optimizer, specific.optimizer_hbm + specific.optimizer_ddr);
  f(&RealSizes::cache_aux, specific.cache_aux);
  f(&RealSizes::pipeline_io, c.pipeline(output_of(setting, combo)));
}

// Bounds over the options left of a table.
struct LeftOfTable {
  std::vector<RealSizes> classes;  // of one shard of each class
  CellBytes cells{};               // of all shards
};

CellBytes cells_of(const RealSizes& sizes, const ClassParts& c) {
  const RealInterval count = real(c.run.count);
  return {sizes.hbm * count, sizes.ddr * count, sizes.ssd * count};
}

// Sets what one shard of class `c` takes.
void find_class_sizes(const Setting& setting, const TableInputs& table, const TableParts& parts, const Options& options,
                      std::size_t c, bool shard_parts, RealSizes& all) {
  const Option* option = options.begin();
  const Option* const end = options.end();
  const auto each = [&](auto take) {
    const Parts& own = parts[option->variant];
    each_size(setting, table, own, own.classes[c], combo_of(option->combo), shard_parts, take);
  };
  each([&](RealInterval RealSizes::*field, RealInterval size) { all.*field = size; });
  while (++option != end)
    each([&](RealInterval RealSizes::*field, RealInterval size) { all.*field = hull(all.*field, size); });
}

// Of a table that is more than so many times one shard.
CellBytes cells_of(const Setting& setting, const TableParts& parts, const Options& options) {
  const auto of = [&](Option option) { return cell_bytes(setting, parts[option.variant], combo_of(option.combo)); };
  CellBytes all = of(options.front());
  for (const Option option : options) {
    const CellBytes own = of(option);
    for (std::size_t q = 0; q < all.size(); ++q) all[q] = hull(all[q], own[q]);
  }
  return all;
}

// Before the printed cells narrow them. `sizes` is filled anew; its memory is that of the table before.
void find_sizes(const PlanInputs& plan, const Outcome& outcome, std::uint32_t t, bool shard_parts, LeftOfTable& sizes) {
  const Setting& setting = outcome.setting;
  const TableParts& parts = (*outcome.parts)[t];
  const Options& options = outcome.tables[t].options;
  const auto& classes = parts.front().classes;
  sizes.classes.resize(classes.size());
  for (std::size_t c = 0; c < classes.size(); ++c)
    find_class_sizes(setting, plan.tables[t], parts, options, c, shard_parts, sizes.classes[c]);
  const bool is_sum = is_one_class(parts) && setting.device != Device::tpu;
  sizes.cells = is_sum ? cells_of(sizes.classes.front(), classes.front()) : cells_of(setting, parts, options);
}

// A printed cell is the sum over all shards: what it leaves for one shard of each class.
void narrow_by_cell(const Classes& classes, bool equal_shards, RealInterval cell, RealInterval RealSizes::*field,
                    std::vector<RealSizes>& sizes) {
  RealInterval total{};
  for (std::size_t c = 0; c < sizes.size(); ++c)
    total = total + sizes[c].*field * exactly(static_cast<double>(classes[c].run.count));
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    // Shards of a class are equal, so they share what is left of the sum; shards with unknown rows are not.
    const double n = equal_shards ? static_cast<double>(classes[c].run.count) : 1;
    const RealInterval own = sizes[c].*field;
    if (own.exact()) continue;
    const RealInterval others{total.low - n * own.low, total.high - n * own.high};
    const RealInterval left{up((cell.low - others.high) / n), -up((others.low - cell.high) / n)};
    if (left.low <= left.high) sizes[c].*field = narrowed(own, left);
  }
}

void narrow_by_cells(const PlanInputs& plan, const Outcome& outcome, std::uint32_t t, std::vector<RealSizes>& sizes) {
  const TableInputs& table = plan.tables[t];
  const auto& classes = (*outcome.parts)[t].front().classes;
  const auto narrow = [&](const std::optional<ByteInterval>& cell, Quantity q, RealInterval RealSizes::*field) {
    if (!cell || outcome.tables[t].contradicted[static_cast<std::size_t>(q)]) return;
    if (std::ranges::all_of(sizes, [&](const RealSizes& own) { return (own.*field).exact(); })) return;
    narrow_by_cell(classes, equal_shards(outcome, table), real(*cell), field, sizes);
  };
  narrow(table.hbm, Quantity::hbm, &RealSizes::hbm);
  narrow(table.ddr, Quantity::ddr, &RealSizes::ddr);
  narrow(table.ssd, Quantity::ssd, &RealSizes::ssd);
}

ShardSizes whole_sizes(const RealSizes& sizes, bool shard_parts) {
  const auto part = [&](RealInterval size) { return shard_parts ? whole_bytes(size) : ByteInterval{}; };
  return {.rows = whole_bytes(sizes.rows),
          .cols = whole_bytes(sizes.cols),
          .hbm = whole_bytes(sizes.hbm),
          .ddr = whole_bytes(sizes.ddr),
          .ssd = whole_bytes(sizes.ssd),
          .input = whole_bytes(sizes.input),
          .output = whole_bytes(sizes.output),
          .tensor = part(sizes.tensor),
          .optimizer = part(sizes.optimizer),
          .cache_aux = part(sizes.cache_aux),
          .pipeline_io = part(sizes.pipeline_io)};
}

ShardSizes hull(const ShardSizes& a, const ShardSizes& b) {
  ShardSizes all;
  for (const auto field : kFields) all.*field = shardstats::hull(a.*field, b.*field);
  return all;
}

// The shards of a plan as they are rebuilt.
class Shards {
 public:
  Shards(std::vector<PlanShard>& shards, bool shard_parts) : shards_(shards), shard_parts_(shard_parts) {}

  // Adds the shards of a table, from `start` on, or widens what is there of a hypothesis before. `sizes`: by class.
  void take(const TableInputs& table, const Outcome& outcome, const Parts& parts, const std::vector<RealSizes>& sizes,
            std::size_t start) {
    const std::span<const int> ranks(table.ranks.begin(), table.ranks.size());
    each_run(outcome.setting, table, parts, [&](std::size_t i, std::size_t end, std::size_t c) {
      const ShardSizes* const own = keep(sizes[c]);
      const std::size_t before = std::clamp(shards_.size() - start, i, end);
      widen(start + i, start + before, *own);
      const std::size_t ranked = std::clamp(ranks.size(), before, end);
      for (i = before; i < ranked; ++i) shards_.push_back({static_cast<int>(i), ranks[i], own});
      for (; i < end; ++i) shards_.push_back({static_cast<int>(i), std::nullopt, own});
    });
  }

  std::size_t size() const { return shards_.size(); }
  // What they refer to.
  std::shared_ptr<const void> sizes() const { return sizes_; }

 private:
  void* memory() {
    static_assert(std::is_trivially_destructible_v<ShardSizes>);
    return sizes_->allocate(sizeof(ShardSizes), alignof(ShardSizes));
  }
  const ShardSizes* keep(const RealSizes& sizes) {
    return ::new (memory()) ShardSizes(whole_sizes(sizes, shard_parts_));
  }
  void widen(std::size_t first, std::size_t end, const ShardSizes& other) {
    while (first < end) {
      const ShardSizes* const before = shards_[first].sizes;
      const ShardSizes* const all = ::new (memory()) ShardSizes(hull(*before, other));
      for (; first < end && shards_[first].sizes == before; ++first) shards_[first].sizes = all;
    }
  }

  std::vector<PlanShard>& shards_;
  bool shard_parts_;
  std::shared_ptr<Pool> sizes_ = std::make_shared<Pool>();
};

Choice choice_of(const Setting& setting, const TableInputs& table, const Variant& variant, Combo combo) {
  const double element_size = kElementSizes[static_cast<std::size_t>(combo.element)];
  return {.element_size = element_size,
          .output_element_size =
              setting.rules->output_dtype ? kOutputSizes[static_cast<std::size_t>(combo.output)] : element_size,
          .optimizer = kOptimizers[static_cast<std::size_t>(combo.optimizer)],
          .virtual_table = variant.virtual_table,
          .passes = variant.passes,
          .caching_ratio = ratio_of(setting, table, variant)};
}

// What the perf half takes, then the plan-wide values where the log allows them; else what departs least.
int departure(const Option option, const TableState& state, const Combo wide, const Parts& parts) {
  const Combo combo = combo_of(option.combo);
  return 16 * (combo.element != state.perf_element.value_or(combo.element)) + 8 * (combo.element != wide.element) +
         4 * (combo.output != combo.element) + 2 * (combo.optimizer != wide.optimizer) + (parts.variant.passes != 1);
}

// What its printed cells alone say.
PlanTable& add_plain_table(const PlanInputs& plan, const TableInputs& inputs, Plan& result) {
  PlanTable& table = result.tables.emplace_back();
  table.row = inputs.row;
  table.sharding = inputs.sharding;
  table.kernel = inputs.kernel;
  table.rows = inputs.rows;
  table.cols = inputs.cols;
  table.features = inputs.features;
  table.sequence = inputs.sequence;
  table.pooling_sum = inputs.pooling_sum;
  table.on_every_rank = is_everywhere(inputs, plan.ranks.size());
  return table;
}

// The shards of a table and what all of them may take; where a printed cell is wrong for all, what the best hypothesis
// says. `sizes`: memory to use.
void rebuild_shards(const PlanInputs& plan, const SearchResult& found, std::uint32_t t, bool shard_parts,
                    LeftOfTable& sizes, Shards& shards, PlanTable& table) {
  const std::size_t start = shards.size();
  const TableInputs& inputs = plan.tables[t];
  const WrongCells& wrong = found.survivors.front().outcome.tables[t].contradicted;
  CellBytes all{};
  for (const Survivor& survivor : found.survivors) {
    const bool first = &survivor == &found.survivors.front();
    find_sizes(plan, survivor.outcome, t, shard_parts, sizes);
    if (first) all = sizes.cells;
    for (std::size_t q = 0; q < all.size() && !first; ++q)
      if (!wrong[q]) all[q] = hull(all[q], sizes.cells[q]);
    narrow_by_cells(plan, survivor.outcome, t, sizes.classes);
    shards.take(inputs, survivor.outcome, (*survivor.outcome.parts)[t].front(), sizes.classes, start);
  }
  table.first_shard = static_cast<std::uint32_t>(start);
  table.shard_count = static_cast<std::uint32_t>(shards.size() - start);
  table.hbm = {whole_bytes(all[0]), inputs.hbm.has_value(), wrong[0]};
  table.ddr = {whole_bytes(all[1]), inputs.ddr.has_value(), wrong[1]};
  table.ssd = {whole_bytes(all[2]), inputs.ssd.has_value(), wrong[2]};
}

void rebuild_table(const PlanInputs& plan, const SearchResult& found, std::uint32_t t, const InferOptions& options,
                   LeftOfTable& sizes, Shards& shards, PlanTable& table) {
  const TableInputs& inputs = plan.tables[t];
  const auto usable = [&](const Survivor& s) { return !s.outcome.tables[t].options.empty(); };
  if (!std::all_of(found.survivors.begin(), found.survivors.end(), usable)) return;
  const Outcome& best = found.survivors.front().outcome;
  choose(plan, found, t, options, table);
  table.sized = true;
  table.uneven_rows = best.rows.hidden() && inputs.sharding == Sharding::rw;
  const auto shows_shares = [](const Survivor& s) { return s.outcome.rows.shares != nullptr; };
  table.rows_by_equal_memory = best.rows.how == SplitRows::by_equal_memory && inputs.sharding == Sharding::rw;
  table.rows_by_memory = table.uneven_rows && std::ranges::all_of(found.survivors, shows_shares);
  table.lookups = (*best.parts)[t].front().lookups.lookups;
  table.pooled = (*best.parts)[t].front().lookups.pooled;
  rebuild_shards(plan, found, t, options.shard_parts, sizes, shards, table);
  table.explained = !table.hbm.contradicted && !table.ddr.contradicted && !table.ssd.contradicted;
}

// Sums over the rebuilt shards of each rank; unknown where a table on the rank could not be rebuilt.
class ShardSums {
 public:
  struct Rank {
    ByteInterval hbm, ddr, input, output;

    void add(const auto& own) { *this = {hbm + own.hbm, ddr + own.ddr, input + own.input, output + own.output}; }
  };

  explicit ShardSums(const PlanInputs& plan) : ranks_(plan.ranks.size()), known_(ranks_without_missing(plan)) {}

  void add_unknown(const TableInputs& table) {
    for (const int rank : table.ranks)
      if (static_cast<std::size_t>(rank) < known_.size()) known_[static_cast<std::size_t>(rank)] = false;
    if (table.ranks.empty()) std::fill(known_.begin(), known_.end(), false);
  }

  void add(const PlanTable& table, std::span<const PlanShard> shards) {
    if (table.on_every_rank) return add_everywhere(shards);
    const std::span<Rank> ranks = ranks_;
    for (const PlanShard& shard : shards)
      if (shard.rank && static_cast<std::size_t>(*shard.rank) < ranks.size())
        ranks[static_cast<std::size_t>(*shard.rank)].add(*shard.sizes);
  }

  bool is_known(std::size_t rank) const { return known_[rank]; }
  // By rank.
  std::vector<Rank> sums() const {
    std::vector<Ends> steps(ranks_.size() + 1);  // how much more a rank holds of the runs than the one before
    for (const auto& [ranks, sum] : runs_) {
      const std::int64_t ends[] = {sum.hbm.low,   sum.hbm.high,   sum.ddr.low,    sum.ddr.high,
                                   sum.input.low, sum.input.high, sum.output.low, sum.output.high};
      for (std::size_t k = 0; k < std::size(ends); ++k) {
        steps[ranks.first][k] += ends[k];
        steps[ranks.second][k] -= ends[k];
      }
    }
    std::vector<Rank> all = ranks_;
    Ends held{};
    for (std::size_t r = 0; r < all.size(); ++r) {
      for (std::size_t k = 0; k < held.size(); ++k) held[k] += steps[r][k];
      all[r].add(
          Rank{bytes(held[0], held[1]), bytes(held[2], held[3]), bytes(held[4], held[5]), bytes(held[6], held[7])});
    }
    return all;
  }

 private:
  __extension__ typedef __int128 Wide;  // runs are taken off again, which needs sums that are not capped
  using Ends = std::array<Wide, 8>;     // of the bounds of a Rank

  static ByteInterval bytes(Wide low, Wide high) {
    constexpr Wide kMost = INT64_MAX;
    return {static_cast<std::int64_t>(std::min(low, kMost)), static_cast<std::int64_t>(std::min(high, kMost))};
  }

  // One on each rank: most tables that are everywhere have the same few runs of equal shards.
  void add_everywhere(std::span<const PlanShard> shards) {
    for (std::size_t first = 0, end = 0; first < shards.size(); first = end) {
      const ShardSizes* const own = shards[first].sizes;
      const auto is_own = [own](const PlanShard& shard) { return shard.sizes == own; };
      end = static_cast<std::size_t>(std::ranges::partition_point(shards.subspan(first), is_own) - shards.begin());
      runs_[{first, end}].add(*own);
    }
  }

  std::vector<Rank> ranks_;
  std::map<std::pair<std::size_t, std::size_t>, Rank> runs_;  // by first rank and the end; not in ranks_
  std::vector<bool> known_;
};

void rebuild_ranks(const PlanInputs& plan, const SearchResult& found, const ShardSums& sums, Plan& result) {
  ByteInterval hbm{}, ddr{};
  for (const Survivor& s : found.survivors) {
    const Constants& constants = s.outcome.constants;
    const bool first = &s == &found.survivors.front();
    hbm = first ? whole_bytes(constants.hbm) : hull(hbm, whole_bytes(constants.hbm));
    ddr = first ? whole_bytes(constants.ddr) : hull(ddr, whole_bytes(constants.ddr));
  }
  const std::vector<ShardSums::Rank> sums_of_ranks = sums.sums();
  for (std::size_t r = 0; r < sums_of_ranks.size(); ++r) {
    const ShardSums::Rank& rank = sums_of_ranks[r];
    const RankInputs& printed = plan.ranks[r];
    PlanRank& out = result.ranks[r];
    const int number = out.rank;
    if (!sums.is_known(r)) {
      out.sparse_hbm = {0, out.hbm.high};
      out.sparse_ddr = {0, out.ddr.high};
      continue;
    }
    out = {};
    out.rank = number;
    out.sparse_hbm = rank.hbm;
    out.sparse_ddr = rank.ddr;
    out.hbm = rank.hbm + hbm;
    out.ddr = rank.ddr + ddr;
    out.input = rank.input;
    out.output = rank.output;
    const auto narrow = [&](const std::optional<ByteInterval>& cell, ByteInterval constant, ByteInterval& sum,
                            ByteInterval& sparse) {
      if (!cell) return;
      sum = narrowed(sum, *cell);
      const ByteInterval left = sum - constant;
      sparse = narrowed(sparse, {std::max<std::int64_t>(left.low, 0), std::max<std::int64_t>(left.high, 0)});
    };
    narrow(printed.hbm, hbm, out.hbm, out.sparse_hbm);
    narrow(printed.ddr, ddr, out.ddr, out.sparse_ddr);
    if (printed.input) out.input = narrowed(out.input, *printed.input);
    if (printed.output) out.output = narrowed(out.output, *printed.output);
  }
}

Expectation* expectation_of(const SumLine& line, Plan& plan) {
  switch (line.of) {
    case SumOf::rank: {
      PlanRank& rank = plan.ranks[line.index];
      Expectation* const by_quantity[] = {&rank.expected_hbm, &rank.expected_ddr, nullptr, &rank.expected_input,
                                          &rank.expected_output};
      return by_quantity[static_cast<std::size_t>(line.quantity)];
    }
    case SumOf::kernel: {
      PlanKernel& kernel = plan.kernels[line.index];
      Expectation* const by_quantity[] = {
          &kernel.hbm, &kernel.ddr, &kernel.ssd, nullptr, nullptr, &kernel.weights, &kernel.optimizer_state};
      return by_quantity[static_cast<std::size_t>(line.quantity)];
    }
    case SumOf::all_ranks: {
      Expectation* const by_quantity[] = {&plan.all_ranks.hbm, &plan.all_ranks.ddr, nullptr, &plan.all_ranks.input,
                                          &plan.all_ranks.output};
      return by_quantity[static_cast<std::size_t>(line.quantity)];
    }
  }
  return nullptr;
}

void take_sums(const SearchResult& found, Plan& result) {
  for (const SumLine& line : found.survivors.front().outcome.sums)
    *expectation_of(line, result) = {whole_bytes(line.expected), true, line.contradicted};
}

}  // namespace

ByteInterval clamped_bytes(RealInterval x) {
  const double low = std::clamp(x.low, 0.0, kMostBytes), high = std::clamp(x.high, 0.0, kMostBytes);
  const std::int64_t below = capped(high);  // the conversion cuts off what is behind the point
  return {capped(low), below + (static_cast<double>(below) < high)};
}

std::size_t least_departing_option(const PlanInputs& plan, const Outcome& outcome, std::uint32_t t) {
  const Options& options = outcome.tables[t].options;
  const Combo wide = plan_wide(plan.tables[t], outcome.pair);
  const TableParts& parts = (*outcome.parts)[t];
  std::size_t preferred = 0;
  std::optional<int> least;
  for (std::size_t i = 0; i < options.size() && least != 0; ++i) {
    const int own = departure(options[i], outcome.tables[t], wide, parts[options[i].variant]);
    if (least && own >= *least) continue;
    least = own;
    preferred = i;
  }
  return preferred;
}

void choose(const PlanInputs& plan, const SearchResult& found, std::uint32_t t, const InferOptions& options,
            PlanTable& table) {
  const Outcome& best = found.survivors.front().outcome;
  const auto& parts = (*best.parts)[t];
  const Options& left = best.tables[t].options;
  const Option* const preferred = left.begin() + preferred_option(plan, best, t);
  const Parts& own = parts[preferred->variant];
  const Combo combo = combo_of(preferred->combo);
  table.alternatives.clear();
  table.facts.clear();
  table.choice = choice_of(best.setting, plan.tables[t], own.variant, combo);
  if (options.shard_parts)
    table.facts.push_back(facts_of(best.setting, plan.tables[t], own.variant, own.lookups, combo));
  if (!options.alternatives) return;
  for (const Survivor& survivor : found.survivors) {
    const Outcome& outcome = survivor.outcome;
    for (const Option& option : outcome.tables[t].options) {
      if (&option == preferred) continue;
      const Parts& p = (*outcome.parts)[t][option.variant];
      const Choice choice = choice_of(outcome.setting, plan.tables[t], p.variant, combo_of(option.combo));
      const auto same = [&](const Choice& c) { return c == choice; };
      if (choice == table.choice || std::any_of(table.alternatives.begin(), table.alternatives.end(), same)) continue;
      table.alternatives.push_back(choice);
    }
  }
}

void rebuild(const PlanInputs& plan, const SearchResult& found, const InferOptions& options, Plan& result) {
  result.tables.clear();
  result.tables.reserve(plan.tables.size());
  if (found.survivors.empty()) {
    for (const TableInputs& inputs : plan.tables) add_plain_table(plan, inputs, result);
    return;
  }
  result.shards.clear();
  std::size_t count = 0;
  for (const TableInputs& table : plan.tables) count += table.ranks.size();
  result.shards.reserve(count);
  Shards shards(result.shards, options.shard_parts);
  ShardSums sums(plan);
  LeftOfTable sizes;
  for (std::uint32_t t = 0; t < plan.tables.size(); ++t) {
    PlanTable& table = add_plain_table(plan, plan.tables[t], result);
    rebuild_table(plan, found, t, options, sizes, shards, table);
    if (table.sized)
      sums.add(table, result.shards_of(table));
    else
      sums.add_unknown(plan.tables[t]);
  }
  result.sizes = shards.sizes();
  rebuild_ranks(plan, found, sums, result);
  take_sums(found, result);
  result.setting = found.survivors.front().outcome.setting;
  result.contradictions = found.survivors.front().outcome.contradictions;
}

}  // namespace shardstats::infer_detail
