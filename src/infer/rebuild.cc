#include "infer/rebuild.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace shardstats::infer_detail {
namespace {

RealInterval real(ByteInterval x) { return {static_cast<double>(x.low), static_cast<double>(x.high)}; }

constexpr double kMostBytes = 9.2e18;  // below 2^63

// All that is reported of one shard; bounds in bytes.
struct ShardSizes {
  RealInterval rows{}, cols{}, hbm{}, ddr{}, ssd{}, tensor{}, optimizer{}, cache_aux{}, input{}, output{},
      pipeline_io{};
};

constexpr RealInterval ShardSizes::*kFields[] = {&ShardSizes::rows,      &ShardSizes::cols,       &ShardSizes::hbm,
                                                 &ShardSizes::ddr,       &ShardSizes::ssd,        &ShardSizes::tensor,
                                                 &ShardSizes::optimizer, &ShardSizes::cache_aux,  &ShardSizes::input,
                                                 &ShardSizes::output,    &ShardSizes::pipeline_io};

ShardSizes hull_of(const ShardSizes& a, const ShardSizes& b) {
  ShardSizes all;
  for (const auto field : kFields) all.*field = hull(a.*field, b.*field);
  return all;
}

ShardSizes sizes_of(const Setting& setting, const TableInputs& table, const Parts& parts, const ClassParts& c,
                    Combo combo) {
  const auto facts = facts_of(setting, table, parts.variant, parts.lookups, combo);
  const ShardFacts<RealInterval> shard{c.rows, c.cols, c.empty};
  auto with_output = facts;
  if (!setting.rules->output_dtype) with_output.output_element_size = facts.element_size;
  const auto storage = shard_storage(setting, with_output, shard);
  const auto columns = column_io_bytes(setting, facts, shard);
  ShardSizes sizes;
  sizes.rows = c.rows;
  sizes.cols = c.cols;
  sizes.hbm = storage.hbm;
  sizes.ddr = storage.ddr;
  sizes.ssd = storage.ssd;
  sizes.tensor = storage.specific.tensor_hbm + storage.specific.tensor_ddr + storage.specific.key_value;
  sizes.optimizer = storage.specific.optimizer_hbm + storage.specific.optimizer_ddr;
  sizes.cache_aux = storage.specific.cache_aux;
  sizes.input = columns.input;
  sizes.output = columns.output;
  sizes.pipeline_io = storage.pipeline_io;
  return sizes;
}

// Bounds of one shard of each class over the options left, before the printed cells narrow them.
std::vector<ShardSizes> class_sizes(const PlanInputs& plan, const Outcome& outcome, std::uint32_t t) {
  const TableInputs& table = plan.tables[t];
  const TableParts& parts = (*outcome.parts)[t];
  std::vector<ShardSizes> classes;
  for (std::size_t c = 0; c < parts.front().classes.size(); ++c) {
    std::optional<ShardSizes> all;
    for (const Option option : outcome.tables[t].options) {
      const Parts& p = parts[option.variant];
      const ShardSizes one = sizes_of(outcome.setting, table, p, p.classes[c], combo_of(option.combo));
      all = all ? hull_of(*all, one) : one;
    }
    classes.push_back(all.value_or(ShardSizes{}));
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

// One entry a shard, in the order of the printed ranks (classes in shard order for an empty plan).
std::vector<std::size_t> class_of_shards(const Setting& setting, const TableInputs& table, const Parts& parts) {
  std::vector<std::size_t> classes;
  if (!table.ranks.empty()) {
    for (std::size_t slot = 0; slot < table.ranks.size(); ++slot)
      classes.push_back(static_cast<std::size_t>(class_of_slot(setting, table, parts, slot)));
    return classes;
  }
  for (std::size_t c = 0; c < parts.classes.size(); ++c)
    classes.insert(classes.end(), static_cast<std::size_t>(parts.classes[c].run.count), c);
  return classes;
}

PlanShard to_shard(const ShardSizes& s, int index, std::optional<int> rank) {
  PlanShard shard;
  shard.index = index;
  shard.rank = rank;
  shard.rows = whole_bytes(s.rows);
  shard.cols = whole_bytes(s.cols);
  shard.hbm = whole_bytes(s.hbm);
  shard.ddr = whole_bytes(s.ddr);
  shard.ssd = whole_bytes(s.ssd);
  shard.tensor = whole_bytes(s.tensor);
  shard.optimizer = whole_bytes(s.optimizer);
  shard.cache_aux = whole_bytes(s.cache_aux);
  shard.input = whole_bytes(s.input);
  shard.output = whole_bytes(s.output);
  shard.pipeline_io = whole_bytes(s.pipeline_io);
  return shard;
}

void rebuild_shards(const PlanInputs& plan, const SearchResult& found, std::uint32_t t, Plan& result) {
  std::vector<ShardSizes> shards;
  for (const Survivor& survivor : found.survivors) {
    const Outcome& outcome = survivor.outcome;
    auto classes = class_sizes(plan, outcome, t);
    narrow_by_cells(plan, outcome, t, classes);
    const auto slots = class_of_shards(outcome.setting, plan.tables[t], (*outcome.parts)[t].front());
    const bool first = shards.empty();
    shards.resize(std::max(shards.size(), slots.size()));
    for (std::size_t i = 0; i < slots.size(); ++i)
      shards[i] = first ? classes[slots[i]] : hull_of(shards[i], classes[slots[i]]);
  }
  PlanTable& table = result.tables[t];
  table.first_shard = static_cast<std::uint32_t>(result.shards.size());
  table.shard_count = static_cast<std::uint32_t>(shards.size());
  const auto& ranks = plan.tables[t].ranks;
  for (std::size_t i = 0; i < shards.size(); ++i)
    result.shards.push_back(
        to_shard(shards[i], static_cast<int>(i), i < ranks.size() ? std::optional<int>(ranks[i]) : std::nullopt));
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

// The plan-wide values where the log allows them; else what departs least.
int departure(const Option option, const Combo wide, const Parts& parts) {
  const Combo combo = combo_of(option.combo);
  return 8 * (combo.element != wide.element) + 4 * (combo.output != combo.element) +
         2 * (combo.optimizer != wide.optimizer) + (parts.variant.passes != 1);
}

void choose(const PlanInputs& plan, const SearchResult& found, std::uint32_t t, bool alternatives, PlanTable& table) {
  const Outcome& best = found.survivors.front().outcome;
  const auto& options = best.tables[t].options;
  const Combo wide = plan_wide(plan.tables[t], best.pair);
  const auto& parts = (*best.parts)[t];
  const auto preferred = std::min_element(options.begin(), options.end(), [&](Option a, Option b) {
    return departure(a, wide, parts[a.variant]) < departure(b, wide, parts[b.variant]);
  });
  table.choice = choice_of(best.setting, plan.tables[t], parts[preferred->variant], combo_of(preferred->combo));
  if (!alternatives) return;
  for (const Survivor& survivor : found.survivors) {
    const Outcome& outcome = survivor.outcome;
    for (const Option option : outcome.tables[t].options) {
      const Parts& p = (*outcome.parts)[t][option.variant];
      const Choice choice = choice_of(outcome.setting, plan.tables[t], p, combo_of(option.combo));
      const auto same = [&](const Choice& c) { return c == choice; };
      if (!(choice == table.choice) && std::none_of(table.alternatives.begin(), table.alternatives.end(), same))
        table.alternatives.push_back(choice);
    }
  }
}

Expectation expectation(const PlanInputs& plan, const SearchResult& found, std::uint32_t t, Quantity quantity,
                        bool printed) {
  Expectation e;
  const Outcome& best = found.survivors.front().outcome;
  e.known = printed;
  if (quantity <= Quantity::ssd) e.contradicted = best.tables[t].contradicted[static_cast<std::size_t>(quantity)];
  RealInterval all = remaining(plan, best, t, -1, quantity);
  for (const Survivor& survivor : found.survivors)
    if (!e.contradicted) all = hull(all, remaining(plan, survivor.outcome, t, -1, quantity));
  e.bytes = whole_bytes(all);
  return e;
}

void rebuild_table(const PlanInputs& plan, const SearchResult& found, std::uint32_t t, bool alternatives,
                   Plan& result) {
  const TableInputs& inputs = plan.tables[t];
  PlanTable& table = result.tables[t];
  const auto usable = [&](const Survivor& s) { return !s.outcome.tables[t].options.empty(); };
  if (!std::all_of(found.survivors.begin(), found.survivors.end(), usable)) return;
  const Outcome& best = found.survivors.front().outcome;
  choose(plan, found, t, alternatives, table);
  table.sized = true;
  table.uneven_rows = best.uneven && inputs.sharding == Sharding::rw;
  table.lookups = (*best.parts)[t].front().lookups.lookups;
  table.pooled = (*best.parts)[t].front().lookups.pooled;
  table.hbm = expectation(plan, found, t, Quantity::hbm, inputs.hbm.has_value());
  table.ddr = expectation(plan, found, t, Quantity::ddr, inputs.ddr.has_value());
  table.ssd = expectation(plan, found, t, Quantity::ssd, inputs.ssd.has_value());
  table.weights = expectation(plan, found, t, Quantity::weights, false).bytes;
  table.optimizer_state = expectation(plan, found, t, Quantity::optimizer_state, false).bytes;
  table.explained = !table.hbm.contradicted && !table.ddr.contradicted && !table.ssd.contradicted;
  rebuild_shards(plan, found, t, result);
}

// Rank sums over the rebuilt shards; unknown where a table on the rank could not be rebuilt.
void rebuild_ranks(const PlanInputs& plan, const SearchResult& found, Plan& result) {
  std::vector<PlanRank> ranks(plan.ranks.size());
  std::vector<bool> known(plan.ranks.size(), true);
  for (std::uint32_t t = 0; t < plan.tables.size(); ++t) {
    const PlanTable& table = result.tables[t];
    if (!table.sized)
      for (const int rank : plan.tables[t].ranks)
        if (static_cast<std::size_t>(rank) < known.size()) known[static_cast<std::size_t>(rank)] = false;
    if (!table.sized && plan.tables[t].ranks.empty()) std::fill(known.begin(), known.end(), false);
    for (std::uint32_t i = 0; i < table.shard_count; ++i) {
      const PlanShard& shard = result.shards[table.first_shard + i];
      if (!shard.rank || static_cast<std::size_t>(*shard.rank) >= ranks.size()) continue;
      PlanRank& rank = ranks[static_cast<std::size_t>(*shard.rank)];
      rank.sparse_hbm = rank.sparse_hbm + shard.hbm;
      rank.sparse_ddr = rank.sparse_ddr + shard.ddr;
      rank.input = rank.input + shard.input;
      rank.output = rank.output + shard.output;
    }
  }
  ByteInterval hbm{}, ddr{};
  for (const Survivor& s : found.survivors) {
    const Constants& constants = s.outcome.constants;
    const bool first = &s == &found.survivors.front();
    hbm = first ? whole_bytes(constants.hbm) : hull(hbm, whole_bytes(constants.hbm));
    ddr = first ? whole_bytes(constants.ddr) : hull(ddr, whole_bytes(constants.ddr));
  }
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    PlanRank& rank = ranks[r];
    const RankInputs& printed = plan.ranks[r];
    PlanRank& out = result.ranks[r];
    const int number = out.rank;
    if (known[r]) {
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

void take_sums(const SearchResult& found, Plan& result) {
  const Outcome& best = found.survivors.front().outcome;
  for (const SumLine& line : best.sums) {
    const Expectation e{whole_bytes(line.expected), true, line.contradicted};
    if (line.is_rank) {
      PlanRank& rank = result.ranks[line.index];
      (line.quantity == Quantity::hbm     ? rank.expected_hbm
       : line.quantity == Quantity::ddr   ? rank.expected_ddr
       : line.quantity == Quantity::input ? rank.expected_input
                                          : rank.expected_output) = e;
    } else {
      PlanKernel& kernel = result.kernels[line.index];
      (line.quantity == Quantity::hbm       ? kernel.hbm
       : line.quantity == Quantity::ddr     ? kernel.ddr
       : line.quantity == Quantity::ssd     ? kernel.ssd
       : line.quantity == Quantity::weights ? kernel.weights
                                            : kernel.optimizer_state) = e;
    }
  }
}

}  // namespace

ByteInterval whole_bytes(RealInterval x) {
  const auto whole = [](double v) { return static_cast<std::int64_t>(std::clamp(v, 0.0, kMostBytes)); };
  return {whole(std::floor(x.low)), whole(std::ceil(x.high))};
}

void rebuild(const PlanInputs& plan, const SearchResult& found, Plan& result) {
  if (found.survivors.empty()) return;
  for (std::uint32_t t = 0; t < plan.tables.size(); ++t) rebuild_table(plan, found, t, true, result);
  rebuild_ranks(plan, found, result);
  take_sums(found, result);
  result.setting = found.survivors.front().outcome.setting;
  result.contradictions = found.survivors.front().outcome.contradictions;
}

}  // namespace shardstats::infer_detail
