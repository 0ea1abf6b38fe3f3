// Tables of two plans: which belong together, what changed of their inputs and sizes.
#include <algorithm>
#include <deque>
#include <unordered_map>

#include "analysis/checks.h"
#include "analysis/diff_parts.h"
#include "analysis/statistics.h"
#include "shardstats/numbers/printed.h"

namespace shardstats::analysis {
namespace {

// ---- printed inputs ------------------------------------------------------------------------------------------------

struct PrintedInput {
  std::string_view name;  // as in --set
  Cell PrintedTable::*cell;
};
// The most telling first: where a table's sharding type changed, its other inputs follow it.
constexpr PrintedInput kPrintedInputs[] = {{"sharding", &PrintedTable::sharding},
                                           {"kernel", &PrintedTable::kernel},
                                           {"rows", &PrintedTable::hash_size},
                                           {"dim", &PrintedTable::emb_dim},
                                           {"cache_load_factor", &PrintedTable::cache_load_factor},
                                           {"pooling_factor", &PrintedTable::pooling_factor},
                                           {"num_poolings", &PrintedTable::num_poolings},
                                           {"features", &PrintedTable::features},
                                           {"output", &PrintedTable::output},
                                           {"weighted", &PrintedTable::weighted}};

// "7" and "7.0" are one value.
bool same_cell(std::string_view a, std::string_view b) {
  if (a == b) return true;
  const auto x = parse_real(a), y = parse_real(b);
  return x && y && *x == *y;
}

bool is_cache_load_factor(const InputDiff& input) { return input.name == "cache_load_factor"; }

bool is_cached_in(const DiffSide& side, const PrintedTable& row) {
  const KernelTraits* kernel = find_kernel(row.kernel.text);
  return kernel != nullptr && is_cached(*kernel, side.printed.releases.front());
}

// Releases print the sharder's load factor for different tables, also for those without a cache (log-format.md Q16).
bool shows_own_factor(const DiffSide& base, const PrintedTable& before, const DiffSide& next,
                      const PrintedTable& after) {
  if (!is_cached_in(base, before) && !is_cached_in(next, after)) return false;
  const bool both = before.cache_load_factor.text != "None" && after.cache_load_factor.text != "None";
  return both || base.printed.releases == next.printed.releases;
}

void add_word(std::string_view name, std::string_view before, std::string_view after, std::vector<InputDiff>& inputs) {
  inputs.push_back({name, std::string(before), std::string(after)});
}

// All batch sizes of the cell, if they are one.
std::optional<std::int64_t> common_batch(const Cell& cell) {
  const auto summary = summarize_batch_sizes(cell.text, 0);
  if (!summary || summary->count == 0 || summary->least != summary->most) return std::nullopt;
  return summary->least;
}

// A list that only repeats the batch size of the plan changes with it.
bool follows_plan(const Cell& before, const Cell& after, const InputDiff* batch_size) {
  if (batch_size == nullptr) return false;
  const auto a = common_batch(before), b = common_batch(after);
  return a && b && std::to_string(*a) == batch_size->before && std::to_string(*b) == batch_size->after;
}

// ---- inferred inputs -----------------------------------------------------------------------------------------------

std::vector<Choice> all_choices(const PlanTable& table) {
  std::vector<Choice> all{table.choice};
  all.insert(all.end(), table.alternatives.begin(), table.alternatives.end());
  return all;
}

// Does the optimizer change as that of the whole plan does?
bool follows(const Choice& a, const Choice& b, const WideInputs& wide) {
  return wide.optimizer && a.optimizer == wide.optimizer->first && b.optimizer == wide.optimizer->second;
}

// How two explanations differ: fewer differences explain a change better. Outputs follow the weights as a rule.
int differences(const Choice& a, const Choice& b, const WideInputs& wide) {
  return (a.element_size != b.element_size) + (a.optimizer != b.optimizer && !follows(a, b, wide)) +
         (a.output_element_size / a.element_size != b.output_element_size / b.element_size);
}

void add_choice(const PlanTable& before, const PlanTable& after, const WideInputs& wide,
                std::vector<InputDiff>& inputs) {
  if (!before.sized || !after.sized) return;
  const auto all_before = all_choices(before), all_after = all_choices(after);
  const Choice *from = &all_before.front(), *to = &all_after.front();
  for (const Choice& a : all_before)  // the preferred ones come first and win if equal
    for (const Choice& b : all_after)
      if (differences(a, b, wide) < differences(*from, *to, wide)) from = &a, to = &b;
  if (differences(*from, *to, wide) == 0) return;
  const auto stays = [&](auto field) {
    return std::ranges::any_of(
        all_before, [&](const Choice& a) { return std::ranges::find(all_after, a.*field, field) != all_after.end(); });
  };
  const std::string_view note = "other pairs of dtype and optimizer explain it as well";
  const bool dtype = from->element_size != to->element_size;
  if (dtype) add_word("dtype", dtype_word(from->element_size), dtype_word(to->element_size), inputs);
  if (dtype && stays(&Choice::element_size)) inputs.back().note = note;
  if (!dtype && from->output_element_size != to->output_element_size)
    add_word("output_dtype", dtype_word(from->output_element_size), dtype_word(to->output_element_size), inputs);
  if (from->optimizer != to->optimizer && !follows(*from, *to, wide)) {
    add_word("optimizer", optimizer_word(from->optimizer), optimizer_word(to->optimizer), inputs);
    if (stays(&Choice::optimizer)) inputs.back().note = note;
  }
}

std::string ratio_text(RealInterval x) {
  const std::string low = format(x.low, Format::g3), high = format(x.high, Format::g3);
  return low == high ? low : low + ".." + high;
}

// The ratio that counts where no load factor is printed that explains it.
void add_caching_ratio(const PlanTable& before, const PlanTable& after, std::vector<InputDiff>& inputs) {
  if (!before.sized || !after.sized || before.kernel != after.kernel) return;
  if (std::ranges::find(inputs, "cache_load_factor", &InputDiff::name) != inputs.end()) return;
  for (const Choice& a : all_choices(before))
    for (const Choice& b : all_choices(after))
      if (a.caching_ratio.overlaps(b.caching_ratio)) return;
  add_word("caching_ratio", ratio_text(before.choice.caching_ratio), ratio_text(after.choice.caching_ratio), inputs);
}

// Releases that ignore codecs send each element as it is stored, which is told as the dtype.
bool has_wire_sizes(const DiffSide& side) { return side.plan.perf.known && side.plan.perf.setting.rules->wire_sizes; }

void add_wire_size(const PlanTable& before, const PlanTable& after, std::vector<InputDiff>& inputs) {
  if (!before.perf.known || !after.perf.known || before.sharding != after.sharding) return;
  if (std::ranges::find(inputs, "dtype", &InputDiff::name) != inputs.end()) return;
  const auto forward = [](const PlanTable& table, const WireSizes& wire) {
    return is_scattered(table.sharding, table.sequence) ? wire.scatter_forward : wire.all_to_all_forward;
  };
  const auto sizes = [&](const PlanTable& table) {
    std::vector<double> all{forward(table, table.perf_choice.wire)};
    for (const WireSizes& wire : table.perf_choice.other_wires) all.push_back(forward(table, wire));
    return all;
  };
  const auto a = sizes(before), b = sizes(after);
  if (before.sharding == Sharding::dp || std::ranges::find_first_of(a, b) != a.end()) return;
  add_word("wire_size", format(a.front(), Format::g3), format(b.front(), Format::g3), inputs);
}

// ---- placement -----------------------------------------------------------------------------------------------------

bool is_everywhere(const Cell& ranks, std::string_view world_size) {
  std::vector<int> all;
  return parse_ranks(ranks.text, all) && std::to_string(all.size()) == world_size;
}

// RW and DP tables that fill the world grow with it.
bool grows_with_world(const PrintedTable& before, const PrintedTable& after, const InputDiff* world_size) {
  return world_size != nullptr && is_everywhere(before.ranks, world_size->before) &&
         is_everywhere(after.ranks, world_size->after);
}

void add_ranks(const PrintedTable& before, const PrintedTable& after, const WideInputs& wide,
               std::vector<InputDiff>& inputs) {
  if (!before.ranks || !after.ranks || before.ranks.text == after.ranks.text) return;
  std::vector<int> a, b;
  const bool read = parse_ranks(before.ranks.text, a) && parse_ranks(after.ranks.text, b);
  if ((read && a == b) || grows_with_world(before, after, wide.find("world_size"))) return;
  add_word("ranks", before.ranks.text, after.ranks.text, inputs);
}

// ---- sizes ---------------------------------------------------------------------------------------------------------

// Memory of a table.
struct TableSize {
  std::string_view name;
  Cell PrintedTable::*cell;
  Expectation PlanTable::*expected;
  RealInterval PlanGrowth::OfTable::*growth;
};
constexpr TableSize kHbmOfTable{"hbm", &PrintedTable::hbm, &PlanTable::hbm, &PlanGrowth::OfTable::hbm};
constexpr TableSize kDdrOfTable{"ddr", &PrintedTable::ddr, &PlanTable::ddr, &PlanGrowth::OfTable::ddr};
constexpr TableSize kSsdOfTable{"ssd", &PrintedTable::ssd, &PlanTable::ssd, &PlanGrowth::OfTable::ssd};

// Rebuilt bounds inside the printed ones; a cell that the formulas contradict stands for itself. Before v0.6.0 no
// storage is printed, which is rebuilt all the same.
Known known_bytes(const SideTable& table, const TableSize& size) {
  const auto printed =
      printed_bounds(table.row.*size.cell, table.printed.format_of(RoundedNumbers::table_storage), "bytes");
  if (table.plan == nullptr || !table.plan->sized) return printed;
  const Expectation& expected = table.plan->*size.expected;
  const bool may_print = table.printed.releases.front() >= Release::v0_6_0 || &size == &kSsdOfTable;
  if (expected.contradicted || (!expected.known && may_print)) return printed;
  const RealInterval rebuilt = real(expected.bytes);
  return printed ? narrowed(rebuilt, *printed) : rebuilt;
}

const PlanGrowth::OfTable* growth_of(const DiffSide& next, const SideTable& table) {
  if (next.growth == nullptr || table.plan == nullptr) return nullptr;
  return &next.growth->tables[static_cast<std::size_t>(table.plan - next.plan.tables.data())];
}

Known perf_of(const SideTable& table) {
  const auto printed = printed_bounds(table.row.perf.total, table.printed.format_of(RoundedNumbers::table_perf), "ms");
  const bool wrong = table.plan != nullptr && (table.plan->perf.contradicted >> kPerfParts & 1) != 0;
  if (table.plan == nullptr || !table.plan->perf.known || wrong) return printed;
  const RealInterval rebuilt = table.plan->perf.expected.total;
  return printed ? narrowed(rebuilt, *printed) : rebuilt;
}

Known shards_of(const SideTable& table) {
  std::vector<int> ranks;
  if (table.plan != nullptr && table.plan->shard_count > 0) return exactly<double>(table.plan->shard_count);
  if (!table.row.ranks || !parse_ranks(table.row.ranks.text, ranks)) return std::nullopt;
  return exactly(static_cast<double>(ranks.size()));
}

// Where a log ends within a row, the name may be a part of one.
bool has_whole_name(const PrintedPlan& printed, const PrintedTable& row) {
  return row.fqn && (row.sharding || row.kernel || !printed.tables.has(ColumnId::sharding));
}

}  // namespace

bool names_all_tables(const DiffSide& side) {
  return has_all_tables(side.printed, side.plan) &&
         std::ranges::all_of(side.printed.tables.rows,
                             [&](const PrintedTable& row) { return has_whole_name(side.printed, row); });
}

bool are_tables_lost(const DiffSide& base, const DiffSide& next) {
  const bool before = base.printed.tables.printed, after = next.printed.tables.printed;
  return before != after || (before && !(names_all_tables(base) && names_all_tables(next)));
}

std::vector<TablePair> pair_tables(const DiffSide& base, const DiffSide& next) {
  if (!base.printed.tables.printed || !next.printed.tables.printed) return {};
  std::unordered_map<std::string_view, std::deque<std::uint32_t>> left;  // rows of the base by name, in their order
  for (std::uint32_t i = 0; i < base.printed.tables.rows.size(); ++i)
    left[base.printed.tables.rows[i].fqn.text].push_back(i);
  std::vector<TablePair> pairs;
  std::vector<bool> met(base.printed.tables.rows.size(), false);
  for (std::uint32_t i = 0; i < next.printed.tables.rows.size(); ++i) {
    TablePair& pair = pairs.emplace_back(TablePair{std::nullopt, i});
    const auto found = left.find(next.printed.tables.rows[i].fqn.text);
    if (found == left.end() || found->second.empty()) continue;
    pair.before = found->second.front();
    met[*pair.before] = true;
    found->second.pop_front();
  }
  for (std::uint32_t i = 0; i < met.size(); ++i)
    if (!met[i]) pairs.push_back({i, std::nullopt});
  const bool base_whole = names_all_tables(base), next_whole = names_all_tables(next);
  std::erase_if(pairs, [&](const TablePair& pair) {
    if (!pair.before) return !base_whole || !has_whole_name(next.printed, next.printed.tables.rows[*pair.after]);
    return !pair.after && (!next_whole || !has_whole_name(base.printed, base.printed.tables.rows[*pair.before]));
  });
  return pairs;
}

SideTable table_of(const DiffSide& side, std::uint32_t index) {
  return {side.printed, side.printed.tables.rows[index], side.plan.table_of_row(index)};
}

bool is_sized(const DiffSide& side, std::optional<std::uint32_t> index) {
  const PlanTable* plan = index ? side.plan.table_of_row(*index) : nullptr;
  return !index || (plan != nullptr && plan->sized);
}

std::vector<InputDiff> table_inputs(const DiffSide& base, const DiffSide& next, const TablePair& pair,
                                    const WideInputs& wide) {
  std::vector<InputDiff> inputs;
  if (!pair.before || !pair.after) return inputs;
  const SideTable before = table_of(base, *pair.before), after = table_of(next, *pair.after);
  for (const PrintedInput& input : kPrintedInputs) {
    const Cell &a = before.row.*input.cell, &b = after.row.*input.cell;
    if (a && b && !same_cell(a.text, b.text)) add_word(input.name, a.text, b.text, inputs);
  }
  if (!shows_own_factor(base, before.row, next, after.row)) std::erase_if(inputs, is_cache_load_factor);
  const bool other_kernel = before.row.kernel.text != after.row.kernel.text;
  if (other_kernel && after.row.cache_load_factor.text == "None") std::erase_if(inputs, is_cache_load_factor);
  const Cell &a = before.row.batch_sizes, &b = after.row.batch_sizes;
  if (a && b && a.text != b.text && !follows_plan(a, b, wide.find("batch_size")))
    add_word("batch_sizes", a.text, b.text, inputs);
  if (before.plan != nullptr && after.plan != nullptr) {
    add_choice(*before.plan, *after.plan, wide, inputs);
    add_caching_ratio(*before.plan, *after.plan, inputs);
    if (has_wire_sizes(base) && has_wire_sizes(next)) add_wire_size(*before.plan, *after.plan, inputs);
  }
  add_ranks(before.row, after.row, wide, inputs);
  return inputs;
}

TableDiff table_diff(const DiffSide& base, const DiffSide& next, const TablePair& pair, std::vector<InputDiff> inputs) {
  TableDiff diff;
  std::optional<SideTable> before, after;
  if (pair.before) before.emplace(table_of(base, *pair.before));
  if (pair.after) after.emplace(table_of(next, *pair.after));
  const PrintedTable& shown = after ? after->row : before->row;
  diff.presence = !before ? Presence::added : !after ? Presence::dropped : Presence::both;
  diff.fqn = shown.fqn.text;
  diff.sharding = shown.sharding.text;
  diff.kernel = shown.kernel.text;
  diff.ranks = shown.ranks.text;
  diff.inputs = std::move(inputs);
  diff.tells_hidden_inputs = is_sized(base, pair.before) && is_sized(next, pair.after);
  const PlanGrowth::OfTable* growth = before && after ? growth_of(next, *after) : nullptr;
  const auto bytes = [&](const TableSize& size) {
    const auto of = [&](const std::optional<SideTable>& table) { return table ? known_bytes(*table, size) : Known{}; };
    return difference(size.name, DiffUnit::bytes, of(before), of(after),
                      growth == nullptr ? nullptr : &(growth->*size.growth));
  };
  diff.hbm = bytes(kHbmOfTable);
  diff.ddr = bytes(kDdrOfTable);
  diff.ssd = bytes(kSsdOfTable);
  diff.perf = difference("perf", DiffUnit::ms, before ? perf_of(*before) : Known{}, after ? perf_of(*after) : Known{});
  diff.shards =
      difference("shards", DiffUnit::count, before ? shards_of(*before) : Known{}, after ? shards_of(*after) : Known{});
  return diff;
}

}  // namespace shardstats::analysis

namespace shardstats {

bool TableDiff::changed() const {
  return presence != Presence::both || !inputs.empty() || shards.changed || hbm.changed || ddr.changed || ssd.changed ||
         perf.changed;
}

bool TableDiff::is_open() const {
  return !changed() && (hbm.is_open() || ddr.is_open() || ssd.is_open() || perf.is_open());
}

}  // namespace shardstats
