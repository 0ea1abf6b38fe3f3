#include "infer/rebuild.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "infer/sums.h"

namespace shardstats::infer_detail {
namespace {

constexpr double kMostBytes = 9.2e18;  // below 2^63

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

ShardSizes hull_of(const ShardSizes& a, const ShardSizes& b) {
  ShardSizes all;
  for (const auto& [field, whole] : kFields) all.*field = hull(a.*field, b.*field);
  for (const auto& [field, whole] : kPartFields) all.*field = hull(a.*field, b.*field);
  return all;
}

void add_parts(const Setting& setting, const TableInputs& table, const Parts& parts, const ClassParts& c, Combo combo,
               ShardSizes& sizes) {
  const auto facts = facts_of(setting, table, parts.variant, parts.lookups, combo);
  const auto specific = specific_bytes(setting, facts, ShardFacts<RealInterval>{c.rows, c.cols, c.empty});
  sizes.tensor = specific.tensor_hbm + specific.tensor_ddr + specific.key_value;
  sizes.optimizer = specific.optimizer_hbm + specific.optimizer_ddr;
  sizes.cache_aux = specific.cache_aux;
  sizes.pipeline_io = c.pipeline[output_of(setting, combo)];
}

ShardSizes sizes_of(const Setting& setting, const TableInputs& table, const Parts& parts, const ClassParts& c,
                    Combo combo, bool shard_parts) {
  const auto bytes = [&](Quantity quantity) { return class_bytes(setting, c, combo, quantity); };
  ShardSizes sizes;
  sizes.rows = c.rows;
  sizes.cols = c.cols;
  sizes.hbm = bytes(Quantity::hbm);
  sizes.ddr = bytes(Quantity::ddr);
  if (setting.device != Device::tpu) sizes.ssd = bytes(Quantity::ssd);  // no memory of a TPU is counted (7.1)
  sizes.input = bytes(Quantity::input);
  sizes.output = bytes(Quantity::output);
  if (shard_parts) add_parts(setting, table, parts, c, combo, sizes);
  return sizes;
}

// Bounds of one shard of each class over the options left, before the printed cells narrow them.
std::vector<ShardSizes> class_sizes(const PlanInputs& plan, const Outcome& outcome, std::uint32_t t, bool shard_parts) {
  const TableInputs& table = plan.tables[t];
  const TableParts& parts = (*outcome.parts)[t];
  const Options& options = outcome.tables[t].options;
  std::vector<ShardSizes> classes;
  classes.reserve(parts.front().classes.size());
  for (std::size_t c = 0; c < parts.front().classes.size(); ++c) {
    const auto with = [&](Option option) {
      const Parts& p = parts[option.variant];
      return sizes_of(outcome.setting, table, p, p.classes[c], combo_of(option.combo), shard_parts);
    };
    ShardSizes& all = classes.emplace_back(with(options.front()));
    for (std::size_t i = 1; i < options.size(); ++i) all = hull_of(all, with(options[i]));
  }
  return classes;
}

// A printed cell is the sum over all shards: what it leaves for one shard of each class.
void narrow_by_cell(const std::vector<ClassParts>& classes, bool equal_shards, RealInterval cell,
                    RealInterval ShardSizes::*field, std::vector<ShardSizes>& sizes) {
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
  const bool equal = equal_shards(outcome, table);
  const auto narrow = [&](const std::optional<ByteInterval>& cell, Quantity q, RealInterval ShardSizes::*field) {
    if (cell && !outcome.tables[t].contradicted[static_cast<std::size_t>(q)])
      narrow_by_cell(classes, equal, real(*cell), field, sizes);
  };
  narrow(table.hbm, Quantity::hbm, &ShardSizes::hbm);
  narrow(table.ddr, Quantity::ddr, &ShardSizes::ddr);
  narrow(table.ssd, Quantity::ssd, &ShardSizes::ssd);
}

// Calls f(i, class) for each shard, in the order of the printed ranks (in shard order for an empty plan).
template <class F>
void each_shard(const Setting& setting, const TableInputs& table, const Parts& parts, F f) {
  for (std::size_t slot = 0; slot < table.ranks.size(); ++slot)
    f(slot, static_cast<std::size_t>(class_of_slot(setting, table, parts, slot)));
  if (!table.ranks.empty()) return;
  std::size_t i = 0;
  for (std::size_t c = 0; c < parts.classes.size(); ++c)
    for (std::int64_t n = 0; n < parts.classes[c].run.count; ++n) f(i++, c);
}

PlanShard to_shard(const ShardSizes& sizes, bool shard_parts) {
  PlanShard shard;
  for (const auto& [real_field, field] : kFields) shard.*field = whole_bytes(sizes.*real_field);
  if (shard_parts)
    for (const auto& [real_field, field] : kPartFields) shard.*field = whole_bytes(sizes.*real_field);
  return shard;
}

void widen(PlanShard& shard, const PlanShard& other) {
  for (const auto& [real_field, field] : kFields) shard.*field = hull(shard.*field, other.*field);
  for (const auto& [real_field, field] : kPartFields) shard.*field = hull(shard.*field, other.*field);
}

void rebuild_shards(const PlanInputs& plan, const SearchResult& found, std::uint32_t t, bool shard_parts,
                    Plan& result) {
  const std::size_t start = result.shards.size();
  const auto& ranks = plan.tables[t].ranks;
  for (const Survivor& survivor : found.survivors) {
    const Outcome& outcome = survivor.outcome;
    auto sizes = class_sizes(plan, outcome, t, shard_parts);
    narrow_by_cells(plan, outcome, t, sizes);
    PlanShard shard;
    std::size_t made = sizes.size();  // the class of `shard`: shards of one follow each other
    each_shard(outcome.setting, plan.tables[t], (*outcome.parts)[t].front(), [&](std::size_t i, std::size_t c) {
      if (c != std::exchange(made, c)) shard = to_shard(sizes[c], shard_parts);
      if (start + i < result.shards.size()) {
        widen(result.shards[start + i], shard);
        return;
      }
      shard.index = static_cast<int>(i);
      if (i < ranks.size()) shard.rank = ranks[i];
      result.shards.push_back(shard);
    });
  }
  PlanTable& table = result.tables[t];
  table.first_shard = static_cast<std::uint32_t>(start);
  table.shard_count = static_cast<std::uint32_t>(result.shards.size() - start);
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

// What the whole table may take; where its printed cell is wrong for all, what the best hypothesis says.
std::array<Expectation, kCells.size()> expected_cells(const PlanInputs& plan, const SearchResult& found,
                                                      std::uint32_t t) {
  const Outcome& best = found.survivors.front().outcome;
  const WrongCells& wrong = best.tables[t].contradicted;
  CellBytes all = remaining(best, t);
  for (std::size_t s = 1; s < found.survivors.size(); ++s) {
    const CellBytes other = remaining(found.survivors[s].outcome, t);
    for (std::size_t c = 0; c < all.size(); ++c)
      if (!wrong[c]) all[c] = hull(all[c], other[c]);
  }
  std::array<Expectation, kCells.size()> cells;
  for (std::size_t c = 0; c < all.size(); ++c)
    cells[c] = {whole_bytes(all[c]), cell_of(plan.tables[t], kCells[c]).has_value(), wrong[c]};
  return cells;
}

void rebuild_table(const PlanInputs& plan, const SearchResult& found, std::uint32_t t, const InferOptions& options,
                   Plan& result) {
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
  const auto cells = expected_cells(plan, found, t);
  table.hbm = cells[0];
  table.ddr = cells[1];
  table.ssd = cells[2];
  table.explained = !table.hbm.contradicted && !table.ddr.contradicted && !table.ssd.contradicted;
  rebuild_shards(plan, found, t, options.shard_parts, result);
}

// Sums over the rebuilt shards of each rank; unknown where a table on the rank could not be rebuilt.
struct ShardSums {
  std::vector<PlanRank> ranks;
  std::vector<bool> known;
};

void add_shards(const TableInputs& inputs, const PlanTable& table, const Plan& result, ShardSums& sums) {
  if (!table.sized)
    for (const int rank : inputs.ranks)
      if (static_cast<std::size_t>(rank) < sums.known.size()) sums.known[static_cast<std::size_t>(rank)] = false;
  if (!table.sized && inputs.ranks.empty()) std::fill(sums.known.begin(), sums.known.end(), false);
  for (const PlanShard& shard : result.shards_of(table)) {
    if (!shard.rank || static_cast<std::size_t>(*shard.rank) >= sums.ranks.size()) continue;
    PlanRank& rank = sums.ranks[static_cast<std::size_t>(*shard.rank)];
    rank.sparse_hbm = rank.sparse_hbm + shard.hbm;
    rank.sparse_ddr = rank.sparse_ddr + shard.ddr;
    rank.input = rank.input + shard.input;
    rank.output = rank.output + shard.output;
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
    const PlanRank& rank = sums.ranks[r];
    const RankInputs& printed = plan.ranks[r];
    PlanRank& out = result.ranks[r];
    const int number = out.rank;
    if (sums.known[r]) {
      out = rank;
      out.rank = number;
      out.hbm = rank.sparse_hbm + hbm;
      out.ddr = rank.sparse_ddr + ddr;
    } else {
      out.sparse_hbm = {0, out.hbm.high};
      out.sparse_ddr = {0, out.ddr.high};
      continue;
    }
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

ByteInterval whole_bytes(RealInterval x) {
  const double low = std::clamp(x.low, 0.0, kMostBytes), high = std::clamp(x.high, 0.0, kMostBytes);
  const std::int64_t below = capped(high);  // the conversion cuts off what is behind the point
  return {capped(low), below + (static_cast<double>(below) < high)};
}

std::size_t preferred_option(const PlanInputs& plan, const Outcome& outcome, std::uint32_t t) {
  const Options& options = outcome.tables[t].options;
  const Combo wide = plan_wide(plan.tables[t], outcome.pair);
  const TableParts& parts = (*outcome.parts)[t];
  const auto* const preferred = std::min_element(options.begin(), options.end(), [&](Option a, Option b) {
    const TableState& state = outcome.tables[t];
    return departure(a, state, wide, parts[a.variant]) < departure(b, state, wide, parts[b.variant]);
  });
  return static_cast<std::size_t>(preferred - options.begin());
}

void choose(const PlanInputs& plan, const SearchResult& found, std::uint32_t t, const InferOptions& options,
            PlanTable& table) {
  const Outcome& best = found.survivors.front().outcome;
  const auto& parts = (*best.parts)[t];
  const Option* const preferred = best.tables[t].options.begin() + preferred_option(plan, best, t);
  const auto add_facts = [&](const Setting& setting, const Parts& p, Combo combo) {
    if (options.shard_parts) table.facts.push_back(facts_of(setting, plan.tables[t], p.variant, p.lookups, combo));
  };
  table.alternatives.clear();
  table.facts.clear();
  table.choice = choice_of(best.setting, plan.tables[t], parts[preferred->variant], combo_of(preferred->combo));
  add_facts(best.setting, parts[preferred->variant], combo_of(preferred->combo));
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
      add_facts(outcome.setting, p, combo_of(option.combo));
    }
  }
}

void rebuild(const PlanInputs& plan, const SearchResult& found, const InferOptions& options, Plan& result) {
  if (found.survivors.empty()) return;
  result.shards.clear();
  std::size_t shards = 0;
  for (const TableInputs& table : plan.tables) shards += table.ranks.size();
  result.shards.reserve(shards);
  ShardSums sums{std::vector<PlanRank>(plan.ranks.size()), ranks_without_missing(plan)};
  for (std::uint32_t t = 0; t < plan.tables.size(); ++t) {
    rebuild_table(plan, found, t, options, result);
    add_shards(plan.tables[t], result.tables[t], result, sums);
  }
  rebuild_ranks(plan, found, sums, result);
  take_sums(found, result);
  result.setting = found.survivors.front().outcome.setting;
  result.contradictions = found.survivors.front().outcome.contradictions;
}

}  // namespace shardstats::infer_detail
