// The perf of a table's shards, of a shard and of a rank (perf-model.md sections 3 and 5).
#include <algorithm>

#include "analysis/explain_parts.h"
#include "analysis/predict.h"

namespace shardstats::explain_detail {
namespace {

constexpr std::string_view kNoPerf =
    "The log does not print everything the perf formulas need for this table, so its perf was not rebuilt.";

// Of one shard; `cell`: a component, or kPerfParts for the total.
RealInterval shard_value(const PlanTable& table, std::size_t cell) {
  return cell < kPerfParts ? table.shard_perf.parts[cell] : table.shard_perf.total;
}

Step one_shard(const Context& context, const TracedPerf& table, const PerfClass& c) {
  if (c.perf.total.node) return step_of(context, *c.perf.total.node, table.operands, "ms");
  return empty_step(FormulaId::perf_total);
}

std::string columns_text(const PlanShard& shard) {
  std::string text = number_text(static_cast<double>(shard.sizes->cols.low));
  if (!shard.sizes->cols.exact()) text += ".." + number_text(static_cast<double>(shard.sizes->cols.high));
  return text + " columns";
}

std::string wire_text(const WireSizes& wire, bool scattered) {
  return number_text(scattered ? wire.scatter_forward : wire.all_to_all_forward) + " forward and " +
         number_text(scattered ? wire.scatter_backward : wire.all_to_all_backward) + " backward";
}

void add_perf_notes(const PlanTable& table, Explained& explained) {
  if (table.perf_choice.other_wires.empty() || table.sharding == Sharding::dp) return;
  const bool scattered = is_scattered(table.sharding, table.sequence);
  std::string text =
      "Nothing printed tells the bytes an element takes on the wire: " + wire_text(table.perf_choice.wire, scattered) +
      " are shown";
  std::vector<std::string> others;
  for (const WireSizes& wire : table.perf_choice.other_wires)
    if (std::string other = wire_text(wire, scattered); other != wire_text(table.perf_choice.wire, scattered))
      add_once(std::move(other), others);
  if (others.empty()) return;
  for (const std::string& other : others) text += "; " + other;
  explained.notes.push_back(text + " would do as well.");
}

// The shards of a table on the rank as one step.
std::optional<Step> shards_on(const Context& context, std::uint32_t t, int rank, std::size_t cell) {
  const PlanTable& table = context.plan.tables[t];
  const auto here = static_cast<double>(context.plan.shards_on(table, rank));
  if (here == 0) return std::nullopt;
  const RealInterval bounds = shard_value(table, cell) * exactly(here);
  Step step = value_step(name_of(context, t), middle(bounds), bounds, "ms");
  step.formula = form_of(FormulaId::perf_total).name;
  step.note = std::string(context.printed.tables.rows[table.row].sharding.text) + ", " + plural(here, "shard");
  return step;
}

// The traced values of the shards of a table on the rank lie in the middle of what the log leaves more often than not.
void use_traced(const Context& context, std::uint32_t t, int rank, Step& step) {
  double nominal = 0;
  for (const PerfClass& c : traced_perf(context, t).classes)
    for (const PlanShard* shard : c.shards)
      if (shard->rank == rank) nominal += c.perf.total.nominal;
  if (nominal > 0) step.value.nominal = std::clamp(nominal, step.value.bounds.low, step.value.bounds.high);
}

// `total`: their sum as it is shown.
void add_components(const Context& context, const PlanRank& rank, const PrintedPerf& printed, const Amount& total,
                    Explained& explained) {
  const std::uint32_t contradicted = rank.expected_perf.contradicted;
  std::vector<Step> parts;
  for (std::size_t p = 0; p < kPerfParts; ++p) {
    Step part = empty_step(kPerfFormulas[p]);
    for (std::uint32_t t = 0; t < context.plan.tables.size(); ++t)
      if (const auto step = shards_on(context, t, rank.rank, p)) {
        part.value.nominal += step->value.nominal;
        part.value.bounds = part.value.bounds + step->value.bounds;
      }
    if ((contradicted >> p & 1) == 0) narrow_part(rank.perf.parts[p], part);
    if (p < printed.count) part.printed = printed.components[p];
    if (part.value.bounds.high > 0 || p < printed.count) parts.push_back(std::move(part));
  }
  Step sum =
      sum_of("perf of rank " + std::to_string(rank.rank) + " by component", FormulaId::perf_total, std::move(parts));
  if (contradicted == 0) narrow_step(total.bounds, sum, total.nominal);
  set_shares(sum);
  explained.steps.push_back(std::move(sum));
}

CellForm table_perf_form(const Context& context) {
  return {context.printed.format_of(RoundedNumbers::table_perf), "ms"};
}
CellForm rank_perf_form(const Context& context) {
  if (!prints_perf_in_ms(context.printed.releases.front())) return {Format::thousands, ""};
  return {context.printed.format_of(RoundedNumbers::rank_perf), "ms"};
}

}  // namespace

void add_table_perf(const Context& context, std::uint32_t t, Explained& explained) {
  const PlanTable& table = context.plan.tables[t];
  const PrintedTable& row = context.printed.tables.rows[table.row];
  const TracedPerf perf = traced_perf(context, t);
  if (perf.classes.empty()) {
    if (!row.perf.total) return;
    explained.steps.push_back(
        printed_step("perf of all shards", row.perf.total, "not rebuilt", table_perf_form(context)));
    explained.notes.emplace_back(kNoPerf);
    return;
  }
  std::vector<Step> classes;
  for (const PerfClass& c : perf.classes)
    classes.push_back(class_step("T", one_shard(context, perf, c), c.shards.size(),
                                 rank_list(c.shards) + ": " + columns_text(*c.shards.front()),
                                 perf.classes.size() == 1));
  Step sum = sum_of_shards("perf", FormulaId::perf_total, std::move(classes), table.shard_count);
  const RealInterval known = table.shard_perf.total * exactly(static_cast<double>(table.shard_count));
  add_other_explanations(known, sum);
  add_with_cell(std::move(sum), (table.perf.contradicted >> kPerfParts & 1) != 0, known, row.perf.total,
                explained.steps, table_perf_form(context));
  add_perf_notes(table, explained);
}

void add_shard_perf(const Context& context, std::uint32_t t, int rank, Explained& explained) {
  const TracedPerf perf = traced_perf(context, t);
  for (const PerfClass& c : perf.classes) {
    const auto here = [&](const PlanShard* shard) { return shard->rank == rank; };
    const auto shown = std::find_if(c.shards.begin(), c.shards.end(), here);
    if (shown == c.shards.end()) continue;
    Step step = one_shard(context, perf, c);
    step.label = "perf of shard " + std::to_string((*shown)->index) + ", " + columns_text(**shown);
    if (const auto n = std::count_if(c.shards.begin(), c.shards.end(), here); n > 1)
      step.label += " (" + number_text(static_cast<double>(n)) + " such shards on the rank)";
    add_other_explanations(shard_value(context.plan.tables[t], kPerfParts), step);
    narrow_step(shard_value(context.plan.tables[t], kPerfParts), step);
    set_shares(step);
    explained.steps.push_back(std::move(step));
  }
  if (!perf.classes.empty()) add_perf_notes(context.plan.tables[t], explained);
}

void add_rank_perf(const Context& context, int rank, Explained& explained) {
  const auto& ranks = context.plan.ranks;
  const auto found = std::ranges::find(ranks, rank, &PlanRank::rank);
  const auto index = static_cast<std::size_t>(found - ranks.begin());
  if (found == ranks.end() || index >= context.printed.ranks.rows.size()) return;
  const PrintedPerf& printed = context.printed.ranks.rows[index].perf;
  if (!found->expected_perf.known) {
    if (printed.total && printed.total.text != analysis::kUnknownText)
      explained.steps.push_back(printed_step("perf of rank " + std::to_string(rank), printed.total,
                                             "as printed, not rebuilt", rank_perf_form(context)));
    return;
  }
  std::vector<Step> children;
  for (std::uint32_t t = 0; t < context.plan.tables.size(); ++t)
    if (auto step = shards_on(context, t, rank, kPerfParts)) {
      use_traced(context, t, rank, *step);
      children.push_back(*std::move(step));
    }
  if (children.empty()) return;
  sort_by_size(children);
  Step sum = sum_of("perf of rank " + std::to_string(rank), FormulaId::perf_total, std::move(children));
  const std::size_t first = explained.steps.size();
  add_with_cell(std::move(sum), (found->expected_perf.contradicted >> kPerfParts & 1) != 0, found->perf.total,
                printed.total, explained.steps, rank_perf_form(context));
  const Step& root = explained.steps[first];
  add_components(context, *found, printed, root.narrowed.value_or(root.value), explained);
}

}  // namespace shardstats::explain_detail
