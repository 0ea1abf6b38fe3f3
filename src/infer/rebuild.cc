#include "infer/rebuild.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace shardstats::infer_detail {
namespace {

// All that is reported of one shard; bounds in bytes.
struct ShardSizes {
  RealInterval rows{}, cols{}, hbm{}, ddr{}, ssd{}, input{}, output{};
  RealInterval tensor{}, optimizer{}, cache_aux{}, pipeline_io{};  // if asked for
};

constexpr std::pair<RealInterval ShardSizes::*, ByteInterval PlanShard::*> kFields[] = {
    {&ShardSizes::rows, &PlanShard::rows},    {&ShardSizes::cols, &PlanShard::cols},
    {&ShardSizes::hbm, &PlanShard::hbm},      {&ShardSizes::ddr, &PlanShard::ddr},
    {&ShardSizes::ssd, &PlanShard::ssd},      {&ShardSizes::input, &PlanShard::input},
    {&ShardSizes::output, &PlanShard::output}};
constexpr std::pair<RealInterval ShardSizes::*, ByteInterval PlanShard::*> kPartFields[] = {
    {&ShardSizes::tensor, &PlanShard::tensor},
    {&ShardSizes::optimizer, &PlanShard::optimizer},
    {&ShardSizes::cache_aux, &PlanShard::cache_aux},
    {&ShardSizes::pipeline_io, &PlanShard::pipeline_io}};

// Calls f(field, size) for all that is reported of one shard with one option.
template <class F>
void each_size(const Setting& setting, const TableInputs& table, const Parts& parts, const ClassParts& c, Combo combo,
               bool shard_parts, F f) {
  f(&ShardSizes::rows, c.rows);
  f(&ShardSizes::cols, c.cols);
  f(&ShardSizes::hbm, class_hbm(setting, c, combo));
  f(&ShardSizes::ddr, class_ddr(setting, c, combo));
  f(&ShardSizes::ssd, setting.device == Device::tpu ? RealInterval{} : class_ssd(c, combo));  // none counts (7.1)
  f(&ShardSizes::input, c.column_input);
  f(&ShardSizes::output, class_output(c, combo));
  if (!shard_parts) return;
  const auto facts = facts_of(setting, table, parts.variant, parts.lookups, combo);
  const auto specific = specific_bytes(setting, facts, ShardFacts<RealInterval>{c.rows, c.cols, c.empty});
  f(&ShardSizes::tensor, specific.tensor_hbm + specific.tensor_ddr + specific.key_value);
  f(&ShardSizes::optimizer, specific.optimizer_hbm + specific.optimizer_ddr);
  f(&ShardSizes::cache_aux, specific.cache_aux);
  f(&ShardSizes::pipeline_io, c.pipeline[output_of(setting, combo)]);
}

// Bounds over the options left of a table.
struct TableSizes {
  std::vector<ShardSizes> classes;  // of one shard of each class
  CellBytes cells{};                // of all shards, as remaining() gives them
};

CellBytes cells_of(const ShardSizes& sizes, const ClassParts& c) {
  const RealInterval count = real(c.run.count);
  return {sizes.hbm * count, sizes.ddr * count, sizes.ssd * count};
}

// Sets what one shard of class `c` takes.
void find_class_sizes(const Setting& setting, const TableInputs& table, const TableParts& parts, const Options& options,
                      std::size_t c, bool shard_parts, ShardSizes& all) {
  const Option* option = options.begin();
  const Option* const end = options.end();
  const auto each = [&](auto take) {
    const Parts& own = parts[option->variant];
    each_size(setting, table, own, own.classes[c], combo_of(option->combo), shard_parts, take);
  };
  each([&](RealInterval ShardSizes::*field, RealInterval size) { all.*field = size; });
  while (++option != end)
    each([&](RealInterval ShardSizes::*field, RealInterval size) { all.*field = hull(all.*field, size); });
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
void find_sizes(const PlanInputs& plan, const Outcome& outcome, std::uint32_t t, bool shard_parts, TableSizes& sizes) {
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
void narrow_by_cell(const Classes& classes, bool equal_shards, RealInterval cell, RealInterval ShardSizes::*field,
                    std::vector<ShardSizes>& sizes) {
  RealInterval total{};
  for (std::size_t c = 0; c < sizes.size(); ++c)
    total = total + sizes[c].*field * exactly(static_cast<double>(classes[c].run.count));
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    // Shards of a class are equal, so they share what is left of the sum; shards with unknown rows are not.
    const double n = equal_shards ? static_cast<double>(classes[c].run.count) : 1;
    const RealInterval own = sizes[c].*field;
    if (own.exact()) continue;
    const RealInterval others{total.low - n * own.low, total.high - n * own.high};
    const RealInterval left{std::ceil((cell.low - others.high) / n), std::floor((cell.high - others.low) / n)};
    if (left.low <= left.high) sizes[c].*field = narrowed(own, left);
  }
}

void narrow_by_cells(const PlanInputs& plan, const Outcome& outcome, std::uint32_t t, std::vector<ShardSizes>& sizes) {
  const TableInputs& table = plan.tables[t];
  const auto& classes = (*outcome.parts)[t].front().classes;
  const auto narrow = [&](const std::optional<ByteInterval>& cell, Quantity q, RealInterval ShardSizes::*field) {
    if (!cell || outcome.tables[t].contradicted[static_cast<std::size_t>(q)]) return;
    if (std::ranges::all_of(sizes, [&](const ShardSizes& own) { return (own.*field).exact(); })) return;
    narrow_by_cell(classes, equal_shards(outcome, table), real(*cell), field, sizes);
  };
  narrow(table.hbm, Quantity::hbm, &ShardSizes::hbm);
  narrow(table.ddr, Quantity::ddr, &ShardSizes::ddr);
  narrow(table.ssd, Quantity::ssd, &ShardSizes::ssd);
}

void take_sizes(const ShardSizes& sizes, bool shard_parts, PlanShard& shard) {
  for (const auto& [real_field, field] : kFields) shard.*field = whole_bytes(sizes.*real_field);
  if (shard_parts)
    for (const auto& [real_field, field] : kPartFields) shard.*field = whole_bytes(sizes.*real_field);
}

void widen(PlanShard& shard, const PlanShard& other) {
  for (const auto& [real_field, field] : kFields) shard.*field = hull(shard.*field, other.*field);
  for (const auto& [real_field, field] : kPartFields) shard.*field = hull(shard.*field, other.*field);
}

// Adds the shards from `start` on to those of the plan, or widens what is there of a hypothesis before.
void take_shards(const TableInputs& table, const Outcome& outcome, const Parts& parts,
                 const std::vector<ShardSizes>& sizes, bool shard_parts, std::size_t start,
                 std::vector<PlanShard>& shards) {
  const std::span<const int> ranks(table.ranks.begin(), table.ranks.size());
  each_run(outcome.setting, table, parts, [&](std::size_t i, std::size_t end, std::size_t c) {
    const auto before = std::min(end, shards.size() - start);
    if (i < before) {
      PlanShard shard;
      take_sizes(sizes[c], shard_parts, shard);
      for (; i < before; ++i) widen(shards[start + i], shard);
    }
    if (i == end) return;
    take_sizes(sizes[c], shard_parts, shards.emplace_back());
    if (end - i > 1) shards.insert(shards.end(), end - i - 1, shards.back());
    for (; i < end; ++i) {
      PlanShard& shard = shards[start + i];
      shard.index = static_cast<int>(i);
      if (i < ranks.size()) shard.rank = ranks[i];
    }
  });
}

Choice choice_of(const Setting& setting, const TableInputs& table, const Parts& parts, Combo combo) {
  Choice choice;
  choice.element_size = kElementSizes[static_cast<std::size_t>(combo.element)];
  choice.output_element_size =
      setting.rules->output_dtype ? kOutputSizes[static_cast<std::size_t>(combo.output)] : choice.element_size;
  choice.optimizer = kOptimizers[static_cast<std::size_t>(combo.optimizer)];
  choice.virtual_table = parts.variant.virtual_table;
  choice.passes = parts.variant.passes;
  choice.caching_ratio = ratio_of(setting, table, parts.variant);
  return choice;
}

// What the perf half takes, then the plan-wide values where the log allows them; else what departs least.
int departure(const Option option, const TableState& state, const Combo wide, const Parts& parts) {
  const Combo combo = combo_of(option.combo);
  return 16 * (combo.element != state.perf_element.value_or(combo.element)) + 8 * (combo.element != wide.element) +
         4 * (combo.output != combo.element) + 2 * (combo.optimizer != wide.optimizer) + (parts.variant.passes != 1);
}

// The shards of a table and what all of them may take; where a printed cell is wrong for all, what the best hypothesis
// says. `sizes`: memory to use.
void rebuild_shards(const PlanInputs& plan, const SearchResult& found, std::uint32_t t, bool shard_parts,
                    TableSizes& sizes, Plan& result) {
  const std::size_t start = result.shards.size();
  const TableInputs& inputs = plan.tables[t];
  const WrongCells& wrong = found.survivors.front().outcome.tables[t].contradicted;
  CellBytes all{};
  for (const Survivor& survivor : found.survivors) {
    const bool first = &survivor == &found.survivors.front();
    find_sizes(plan, survivor.outcome, t, shard_parts, sizes);
    for (std::size_t c = 0; c < all.size(); ++c)
      if (first || !wrong[c]) all[c] = first ? sizes.cells[c] : hull(all[c], sizes.cells[c]);
    narrow_by_cells(plan, survivor.outcome, t, sizes.classes);
    take_shards(inputs, survivor.outcome, (*survivor.outcome.parts)[t].front(), sizes.classes, shard_parts, start,
                result.shards);
  }
  PlanTable& table = result.tables[t];
  table.first_shard = static_cast<std::uint32_t>(start);
  table.shard_count = static_cast<std::uint32_t>(result.shards.size() - start);
  table.hbm = {whole_bytes(all[0]), inputs.hbm.has_value(), wrong[0]};
  table.ddr = {whole_bytes(all[1]), inputs.ddr.has_value(), wrong[1]};
  table.ssd = {whole_bytes(all[2]), inputs.ssd.has_value(), wrong[2]};
}

void rebuild_table(const PlanInputs& plan, const SearchResult& found, std::uint32_t t, const InferOptions& options,
                   TableSizes& sizes, Plan& result) {
  const TableInputs& inputs = plan.tables[t];
  PlanTable& table = result.tables[t];
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
  rebuild_shards(plan, found, t, options.shard_parts, sizes, result);
  table.explained = !table.hbm.contradicted && !table.ddr.contradicted && !table.ssd.contradicted;
}

// Sums over the rebuilt shards of each rank; unknown where a table on the rank could not be rebuilt.
struct ShardSums {
  struct Rank {
    ByteInterval hbm, ddr, input, output;
  };
  std::vector<Rank> ranks;
  std::vector<bool> known;
};

void add_shards(const TableInputs& inputs, const PlanTable& table, const Plan& result, ShardSums& sums) {
  if (!table.sized)
    for (const int rank : inputs.ranks)
      if (static_cast<std::size_t>(rank) < sums.known.size()) sums.known[static_cast<std::size_t>(rank)] = false;
  if (!table.sized && inputs.ranks.empty()) std::fill(sums.known.begin(), sums.known.end(), false);
  const std::span<ShardSums::Rank> ranks = sums.ranks;
  for (const PlanShard& shard : result.shards_of(table)) {
    if (!shard.rank || static_cast<std::size_t>(*shard.rank) >= ranks.size()) continue;
    ShardSums::Rank& rank = ranks[static_cast<std::size_t>(*shard.rank)];
    rank = {rank.hbm + shard.hbm, rank.ddr + shard.ddr, rank.input + shard.input, rank.output + shard.output};
  }
}

void rebuild_ranks(const PlanInputs& plan, const SearchResult& found, const ShardSums& sums, Plan& result) {
  ByteInterval hbm{}, ddr{};
  for (const Survivor& s : found.survivors) {
    const Constants& constants = s.outcome.constants;
    const bool first = &s == &found.survivors.front();
    hbm = first ? whole_bytes(constants.hbm) : hull(hbm, whole_bytes(constants.hbm));
    ddr = first ? whole_bytes(constants.ddr) : hull(ddr, whole_bytes(constants.ddr));
  }
  for (std::size_t r = 0; r < sums.ranks.size(); ++r) {
    const ShardSums::Rank& rank = sums.ranks[r];
    const RankInputs& printed = plan.ranks[r];
    PlanRank& out = result.ranks[r];
    const int number = out.rank;
    if (!sums.known[r]) {
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

std::size_t preferred_option(const PlanInputs& plan, const Outcome& outcome, std::uint32_t t) {
  const Options& options = outcome.tables[t].options;
  if (options.size() == 1) return 0;
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
  const Option* const preferred = best.tables[t].options.begin() + preferred_option(plan, best, t);
  table.alternatives.clear();
  table.facts.clear();
  table.choice = choice_of(best.setting, plan.tables[t], parts[preferred->variant], combo_of(preferred->combo));
  if (const Parts& p = parts[preferred->variant]; options.shard_parts)
    table.facts.push_back(facts_of(best.setting, plan.tables[t], p.variant, p.lookups, combo_of(preferred->combo)));
  if (!options.alternatives) return;
  for (const Survivor& survivor : found.survivors) {
    const Outcome& outcome = survivor.outcome;
    for (const Option& option : outcome.tables[t].options) {
      if (&option == preferred) continue;
      const Parts& p = (*outcome.parts)[t][option.variant];
      const Choice choice = choice_of(outcome.setting, plan.tables[t], p, combo_of(option.combo));
      const auto same = [&](const Choice& c) { return c == choice; };
      if (choice == table.choice || std::any_of(table.alternatives.begin(), table.alternatives.end(), same)) continue;
      table.alternatives.push_back(choice);
    }
  }
}

void rebuild(const PlanInputs& plan, const SearchResult& found, const InferOptions& options, Plan& result) {
  if (found.survivors.empty()) return;
  result.shards.clear();
  std::size_t shards = 0;
  for (const TableInputs& table : plan.tables) shards += table.ranks.size();
  result.shards.reserve(shards);
  ShardSums sums{std::vector<ShardSums::Rank>(plan.ranks.size()), ranks_without_missing(plan)};
  TableSizes sizes;
  for (std::uint32_t t = 0; t < plan.tables.size(); ++t) {
    rebuild_table(plan, found, t, options, sizes, result);
    add_shards(plan.tables[t], result.tables[t], result, sums);
  }
  rebuild_ranks(plan, found, sums, result);
  take_sums(found, result);
  result.setting = found.survivors.front().outcome.setting;
  result.contradictions = found.survivors.front().outcome.contradictions;
}

}  // namespace shardstats::infer_detail
