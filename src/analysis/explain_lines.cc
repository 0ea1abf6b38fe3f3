// explain RULE: the lines that the planner derives from its ranks, and what makes them (log-format.md section 6).
#include <algorithm>
#include <cmath>
#include <span>

#include "analysis/checks.h"
#include "analysis/explain_parts.h"
#include "analysis/shares.h"
#include "analysis/statistics.h"

namespace shardstats::explain_detail {
namespace {

using analysis::CommsGroup;
using analysis::DerivedNumber;
using analysis::DerivedRanks;
using analysis::Quantity;
using analysis::RankValues;
using analysis::ShiftedTier;

constexpr std::size_t kShownRanks = 5;

// "imbalance.hbm.kl", but "maxima.mean": a rule of one number is its name.
std::string full_name(RuleId rule, std::string_view key) {
  const std::string_view id = rule_of(rule).id;
  return id.ends_with("." + std::string(key)) ? std::string(id) : std::string(id) + "." + std::string(key);
}

// "imbalance.hbm.kl" is named so, by its rule or by the beginning of either; "tiers.2" for tiers.value.2 as well.
bool is_named(std::string_view target, RuleId rule, std::string_view key) {
  const std::string_view id = rule_of(rule).id;
  const std::string full = full_name(rule, key);
  const std::string brief = std::string(id.substr(0, id.find('.'))) + "." + std::string(key);
  const auto begins = [&](std::string_view name) {
    return name == target || (name.starts_with(target) && name[target.size()] == '.');
  };
  return begins(full) || brief == target;
}

bool is_memory(Quantity quantity) {
  return quantity == Quantity::hbm || quantity == Quantity::ddr || quantity == Quantity::sparse_hbm;
}

// What a line takes from its ranks: all of them, or those at one end.
enum class Picks : std::uint8_t { all, largest, smallest, nearest };

Picks picks_of(RuleId rule, std::string_view key) {
  if (key == "min" || key == "sparse_min") return Picks::smallest;
  if (key.ends_with("median")) return Picks::nearest;
  const bool over_all = rule == RuleId::imbalance_hbm || rule == RuleId::imbalance_ddr ||
                        rule == RuleId::imbalance_perf || rule == RuleId::maxima_mean || key == "mean";
  return over_all ? Picks::all : Picks::largest;
}

class LineReader : public analysis::StatisticsReader {
 public:
  LineReader(const Context& context, const RankValues& values, std::string_view target)
      : context_(context), values_(values), target_(target) {}

  std::vector<Explained> take() { return std::move(all_); }
  const std::vector<std::string>& known() const { return known_; }

  bool number(const DerivedNumber& n) override {
    if (!n.cell || !wanted(n.rule, n.key)) return false;
    Explained explained = begin(n.rule, n.key);
    Step step = value_step(std::string(n.what), middle(n.expected), n.expected, n.unit);
    step.formula = rule_of(n.rule).id;
    step.expression = n.formula;
    const auto printed = analysis::printed_bounds(n.cell, n.format, n.unit);
    const bool agrees = printed && printed->overlaps(n.expected);
    const RealInterval left = narrowed(n.expected, n.by_other_measures);
    const bool fits_others = !agrees || printed->overlaps(left);
    if (agrees) step.value.nominal = std::clamp(step.value.nominal, printed->low, printed->high);
    step.printed = n.cell;
    add_children(n, step);
    if (!fits_others) step.children.push_back(value_step("what the other measures leave", middle(left), left, ""));
    explained.steps.push_back(std::move(step));
    explained.steps.push_back(printed_step("printed", n.cell,
                                           !fits_others ? "contradicts the other measures"
                                           : agrees     ? "agrees"
                                                        : "contradicts the ranks",
                                           {n.format, n.unit}));
    all_.push_back(std::move(explained));
    return false;
  }

  void ranks(const DerivedRanks& r) override {
    if (!r.cell || !wanted(r.rule, r.key)) return;
    Explained& explained = same_or_new(r.rule, r.key);
    std::vector<int> printed;
    const bool good = (r.cell.text == "[]" || parse_ranks(r.cell.text, printed)) && r.list.could_be(printed);
    const std::string must = analysis::ranks_in(r.list.must), may = analysis::ranks_in(r.list.may);
    std::string text = "ranks of " + std::string(r.what) + ": \"" + std::string(r.cell.text) + "\" on line " +
                       std::to_string(r.cell.place.line);
    if (!good)
      text += must == may ? "; the rank table gives " + may : "; the rank table leaves only " + may;
    else if (must != may && may != r.cell.text)
      text += "; the rounded rank table leaves " + may;
    else
      text += ", agrees";
    explained.facts.push_back(std::move(text));
  }

  void shifted(const ShiftedTier& tier) override {
    if (!wanted(RuleId::tiers_ranks, tier.key) || all_.empty()) return;
    constexpr std::string_view kAgrees = ", agrees";
    if (auto& facts = all_.back().facts; !facts.empty() && facts.back().ends_with(kAgrees))
      facts.back().replace(facts.back().size() - kAgrees.size(), kAgrees.size(), ", a position and no rank");
    all_.back().notes.push_back("From tier #2 on the planner prints positions among the ranks left: here " +
                                std::string(tier.cell.text) + " is really " + analysis::ranks_in(tier.right) +
                                ". (docs/reference/log-format.md section 7)");
  }

 private:
  bool wanted(RuleId rule, std::string_view key) {
    known_.push_back(full_name(rule, key));
    return is_named(target_, rule, key);
  }

  Explained begin(RuleId rule, std::string_view key) const { return {full_name(rule, key), "line"}; }

  // The ranks of a number are told with it.
  Explained& same_or_new(RuleId rule, std::string_view key) {
    const std::string_view id = rule_of(rule).id;
    const std::string_view head = id.substr(0, id.find('.'));
    if (!all_.empty() && all_.back().target.starts_with(head) && all_.back().target.ends_with("." + std::string(key)))
      return all_.back();
    all_.push_back(begin(rule, key));
    return all_.back();
  }

  void add_children(const DerivedNumber& n, Step& step) const {
    if (n.rule == RuleId::imbalance_range) return;
    if (n.rule == RuleId::critical_path_comms) return add_comms(step);
    if (n.rule == RuleId::critical_path_compute)
      return add_parts({PerfPart::forward_compute, PerfPart::backward_compute}, step);
    if (n.rule == RuleId::maxima_sum)
      return add_parts({PerfPart::forward_compute, PerfPart::forward_comms, PerfPart::backward_compute,
                        PerfPart::backward_comms, PerfPart::prefetch_compute},
                       step);
    if (n.rule == RuleId::critical_path_sum) return;
    add_ranks(n, step);
  }

  Step rank_step(std::size_t rank, Quantity quantity) const {
    const RealInterval value = values_[quantity][rank];
    return value_step("rank " + std::to_string(rank), middle(value), value, is_memory(quantity) ? "bytes" : "ms");
  }

  std::vector<std::size_t> ordered(Quantity quantity, auto key) const {
    std::vector<std::size_t> order(values_.ranks());
    for (std::size_t r = 0; r < order.size(); ++r) order[r] = r;
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t r) { return key(values_[quantity][r]); });
    return order;
  }

  // The ranks that make the number; for a measure of imbalance those farthest from an even share.
  void add_ranks(const DerivedNumber& n, Step& step) const {
    const auto& values = values_[n.of];
    const Picks picks = picks_of(n.rule, n.key);
    const double mean = middle(mean_of(values));
    const bool imbalance =
        n.rule == RuleId::imbalance_hbm || n.rule == RuleId::imbalance_ddr || n.rule == RuleId::imbalance_perf;
    const auto order = ordered(n.of, [&](RealInterval x) {
      if (imbalance) return std::abs(middle(x) - mean);
      if (picks == Picks::nearest) return -std::abs(middle(x) - middle(n.expected));
      // A tier is about the ranks of no hotter tier, which lie above it.
      if (n.rule == RuleId::tiers_value && x.low > n.expected.high) return -middle(x);
      return picks == Picks::smallest ? -middle(x) : middle(x);
    });
    for (std::size_t i = 0; i < std::min(kShownRanks, order.size()); ++i) {
      Step child = rank_step(order[i], n.of);
      if (imbalance || picks == Picks::all) {
        const double off = mean > 0 ? (child.value.nominal / mean - 1) * 100 : 0;
        child.note = format(std::abs(off), Format::f1) + "% " + (off < 0 ? "below" : "above") + " the mean";
      }
      step.children.push_back(std::move(child));
    }
    if (order.size() > kShownRanks)
      step.note = std::string(imbalance                  ? "the ranks farthest from the mean"
                              : picks == Picks::smallest ? "the smallest ranks"
                              : picks == Picks::nearest  ? "the nearest ranks"
                                                         : "the largest ranks") +
                  " of " + number_text(static_cast<double>(order.size()));
  }

  void add_parts(std::initializer_list<PerfPart> parts, Step& step) const {
    for (const PerfPart part : parts) {
      const Quantity quantity = analysis::quantity_of(part);
      const RealInterval most = largest_of(context_.printed, values_, part);
      if (most.high <= 0) continue;
      const std::size_t rank = ordered(quantity, [](RealInterval x) { return x.high; }).front();
      Step child = value_step("largest " + std::string(form_of(kPerfFormulas[static_cast<std::size_t>(part)]).label),
                              middle(most), most, "ms");
      child.note = "rank " + std::to_string(rank);
      step.children.push_back(std::move(child));
    }
    add_up(step);
    set_shares(step);
  }

  // The tables of the group with shards on its largest rank.
  void add_group_tables(const CommsGroup& group, Step& step) const {
    for (const PlanTable* table : group.tables) {
      const auto here = static_cast<double>(context_.plan.shards_on(*table, group.rank));
      const RealInterval value = table->shard_perf.parts[static_cast<std::size_t>(group.part)] * exactly(here);
      if (here == 0 || value.high <= 0) continue;
      Step child = value_step(std::string(context_.names[table->row]), middle(value), value, "ms");
      child.note = plural(here, "shard");
      step.children.push_back(std::move(child));
    }
    sort_by_size(step.children);
    step.sum = true;
  }

  void add_comms(Step& step) const {
    const auto comms = analysis::critical_comms(context_.printed, context_.plan, values_.ranks());
    for (const CommsGroup& group : comms.groups) {
      if (group.largest.high <= 0) continue;
      const RealInterval value = group.largest / exactly(comms.divisor);
      Step child = value_step(std::string(form_of(kPerfFormulas[static_cast<std::size_t>(group.part)]).label) + " of " +
                                  std::string(name(group.sharding)) + " tables of " +
                                  (group.module.empty() ? "no module" : std::string(group.module)),
                              middle(value), value, "ms");
      child.note = "rank " + std::to_string(group.rank);
      if (comms.divisor == 1) add_group_tables(group, child);
      step.children.push_back(std::move(child));
    }
    if (comms.divisor != 1)
      step.note =
          "column-wise plans of more than 8 ranks: a third of the sum up to v1.3.0 (docs/reference/log-format.md "
          "section 6.9)";
    sort_by_size(step.children);
    add_up(step);
    set_shares(step);
  }

  const Context& context_;
  const RankValues& values_;
  std::string_view target_;
  std::vector<Explained> all_;
  std::vector<std::string> known_;
};

Explained top_tables(const Context& context, const RankValues& values, RuleId rule) {
  constexpr std::size_t kShownTables = 10;
  const bool perf = rule == RuleId::top_tables_perf;
  Explained explained{std::string(rule_of(rule).id), "line"};
  auto [ranks, tables] = analysis::top_candidates(context.plan, values, perf);
  explained.facts.emplace_back(rule_of(rule).formula);
  if (ranks.size() != 1) {
    explained.facts.push_back("The rounded rank table does not tell which of " +
                              number_text(static_cast<double>(ranks.size())) + " ranks has the largest value.");
    return explained;
  }
  explained.facts.push_back("rank " + std::to_string(ranks.front()) + " has the largest value");
  const auto value = [&](const PlanTable* t) { return analysis::first_shard(context.plan, *t, perf); };
  std::ranges::stable_sort(tables, std::ranges::greater{}, [&](const PlanTable* t) { return value(t).high; });
  for (const PlanTable* table : std::span(tables).first(std::min(tables.size(), kShownTables))) {
    const PrintedTable& row = context.printed.tables.rows[table->row];
    Step step = value_step("first shard of " + std::string(context.names[table->row]), middle(value(table)),
                           value(table), perf ? "ms" : "bytes");
    step.note = row.sharding.text;
    explained.steps.push_back(std::move(step));
  }
  return explained;
}

// Q of 8.2 as a sum over the tables; nullopt if one of them has batches of several sizes.
std::optional<Step> ids_of_batch(const Context& context) {
  Step sum = value_step("ids of a batch", 0, {}, "");
  for (std::uint32_t t = 0; t < context.plan.tables.size(); ++t) {
    const auto traced = traced_ids(context, t);
    if (!traced || traced->ids.node == nullptr) return std::nullopt;
    Step ids = step_of(context, *traced->ids.node, traced->operands, "");
    ids.label = name_of(context, t);
    sum.children.push_back(std::move(ids));
  }
  add_up(sum);
  sort_by_size(sum.children);
  return sum;
}

Step kjt_step(const Context& context, const Rule& rule) {
  const RealInterval bounds = real(context.plan.kjt.bytes);
  Step step = bytes_step("KJT reservation of a rank", context.plan.kjt.bytes);
  step.formula = rule.id;
  step.expression = rule.formula.substr(0, rule.formula.find(" ["));
  auto ids = ids_of_batch(context);
  if (!ids) return step;
  const double multiplier = kjt_multiplier(context.plan.policy);
  const Traced bytes =
      kjt_bytes(multiplier, traced_input("Q", "ids of a batch", ids->value.bounds, ids->value.nominal, 0));
  if (!bytes.value.overlaps(bounds)) return step;
  step.substituted = substituted(*bytes.node);
  step.value.nominal = std::clamp(bytes.nominal, bounds.low, bounds.high);
  set_shares(*ids);
  step.children.push_back(*std::move(ids));
  return step;
}

Explained kjt_line(const Context& context) {
  const Rule& rule = rule_of(RuleId::reservation_kjt);
  Explained explained{std::string(rule.id), "line"};
  const Cell cell = analysis::kjt_cell(context.printed, context.plan);
  const Expectation& kjt = context.plan.kjt;
  if (kjt.known) explained.steps.push_back(kjt_step(context, rule));
  explained.steps.push_back(printed_step("printed", cell,
                                         !kjt.known         ? "nothing printed determines it"
                                         : kjt.contradicted ? "contradicts the formula"
                                                            : "agrees"));
  return explained;
}

}  // namespace

LinesExplained explain_lines(const Context& context, std::string_view target) {
  const RankValues values = analysis::rank_values(context.printed, context.plan);
  LineReader reader(context, values, target);
  const bool whole = analysis::has_all_rows(context.printed, context.plan);
  analysis::read_statistics(context.printed, context.plan, values, whole, reader);
  LinesExplained all{reader.take(), reader.known()};
  const auto add = [&](RuleId rule, bool printed, auto make) {
    if (!printed) return;
    const std::string_view id = rule_of(rule).id;
    all.known.emplace_back(id);
    if (id == target || (id.starts_with(target) && id[target.size()] == '.')) all.lines.push_back(make());
  };
  const auto has = [&](LineId id) { return context.printed.find(id) != nullptr; };
  for (const auto& [rule, heading] : {std::pair(RuleId::top_tables_perf, LineId::top_perf_heading),
                                      std::pair(RuleId::top_tables_hbm, LineId::top_hbm_heading)})
    add(rule, values.known && whole && context.plan.sized && has(heading),
        [&, top = rule] { return top_tables(context, values, top); });
  add(RuleId::reservation_kjt, has(LineId::kjt_storage), [&] { return kjt_line(context); });
  add(RuleId::reservation_percent, has(LineId::reserved_hbm) && has(LineId::planning_memory),
      [&] { return explain_reserved_percent(context); });
  add(RuleId::reservation_capacity, has(LineId::planning_memory), [&] { return explain_planning_capacity(context); });
  return all;
}

}  // namespace shardstats::explain_detail
