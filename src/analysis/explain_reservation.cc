// What ranks have beside their shards; explain reservation.percent, reservation.capacity: what the lines of reserved
// and planning memory rest on (log-format.md sections 3.11 and 6.2).
#include <algorithm>
#include <limits>

#include "analysis/explain_parts.h"
#include "analysis/shares.h"

namespace shardstats::explain_detail {
namespace {

Explained of_rule(RuleId rule) { return {std::string(rule_of(rule).id), "line", {std::string(rule_of(rule).formula)}}; }

// A printed percentage of one part of the HBM beside what the printed sizes give.
void add_share(std::string_view name, const Step& part, const Step& rest, const Cell& percent, Explained& explained) {
  const auto printed = values_printed_as(percent.text, Format::p0);
  if (!printed) return;
  const double nominal = part.value.nominal / (part.value.nominal + rest.value.nominal);
  const auto bytes = [](const Step& s) {
    return ByteInterval{capped(s.value.bounds.low), capped(s.value.bounds.high)};
  };
  const RealInterval share = analysis::share_of(bytes(part), bytes(rest));
  Step step = value_step(std::string(name) + " share of the HBM", nominal * 100, {share.low * 100, share.high * 100},
                         "percent");
  step.expression = part.label + " / (" + part.label + " + " + rest.label + ") * 100";
  step.substituted = number_text(part.value.nominal) + " / (" + number_text(part.value.nominal) + " + " +
                     number_text(rest.value.nominal) + ") * 100";
  step.printed = percent;
  step.note = printed->overlaps(share) ? "agrees" : "contradicts the printed sizes";
  explained.steps.push_back(std::move(step));
}

// The printed number where it is more than a rounding of what the formulas give.
void take_printed_value(const Cell& cell, Step& step) {
  const double printed = printed_step("", cell, "").value.nominal;
  if (step.value.bounds.contains(printed)) step.value.nominal = printed;
}

Step reserved_step(std::string_view label, ByteInterval bytes, const Cell& cell) {
  Step step = bytes_step(std::string(label), bytes);
  if (!cell) {
    step.note = "not printed: what the ranks have in common beyond their shards";
    return step;
  }
  step.printed = cell;
  step.origin = Origin::log;
  take_printed_value(cell, step);
  return step;
}

// What every rank leaves beside its shards. Those that the formulas do not give say nothing of it.
RealInterval left_by_ranks(const Context& context, bool hbm) {
  RealInterval left{0, std::numeric_limits<double>::infinity()};
  for (const PlanRank& rank : context.plan.ranks) {
    const Expectation& expected = hbm ? rank.expected_hbm : rank.expected_ddr;
    if (!rank.known || !expected.known || expected.contradicted) continue;
    left = narrowed(left, hbm ? real(rank.hbm) - real(rank.sparse_hbm) : real(rank.ddr) - real(rank.sparse_ddr));
  }
  return left;
}

}  // namespace

std::vector<Step> reserved(const Context& context, const Memory& memory) {
  const Plan& plan = context.plan;
  if (memory.name == "SSD" || !plan.setting.rules->counts_reservation) return {};
  const bool hbm = memory.name == "HBM";
  const std::size_t slot = hbm ? 0 : 1;
  std::vector<Step> steps;
  if (const ByteInterval dense = hbm ? plan.dense_hbm : plan.dense_ddr; dense.high > 0)
    steps.push_back(reserved_step(kDense, dense, context.printed.slot(LineId::dense_storage, slot)));
  if (const ByteInterval kjt = hbm ? plan.kjt_hbm : plan.kjt_ddr; kjt.high > 0) {
    steps.push_back(reserved_step(kKjt, kjt, context.printed.slot(LineId::kjt_storage, slot)));
    steps.back().formula = form_of(FormulaId::kjt).name;
  }
  std::vector<Step> shared = steps;  // for a value that suits all ranks: the bounds stay those of the plan
  share_out(left_by_ranks(context, hbm), shared);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i].value.nominal = shared[i].value.nominal;
    steps[i].is_common = true;
  }
  return steps;
}

Explained explain_reserved_percent(const Context& context) {
  Explained explained = of_rule(RuleId::reservation_percent);
  const auto slot = [&](LineId line) { return context.printed.slot(line); };
  Step reserved = printed_step("reserved memory", slot(LineId::reserved_hbm), "");
  Step planning = printed_step("planning memory", slot(LineId::planning_memory), "");
  explained.steps = {reserved, planning};
  if (planning.value.nominal <= 0) {
    explained.notes.emplace_back("Devices without HBM print the reserved fraction all the same.");
    return explained;
  }
  add_share("reserved", reserved, planning, slot(LineId::reserved_percent), explained);
  add_share("planning", planning, reserved, slot(LineId::planning_percent), explained);
  return explained;
}

Explained explain_planning_capacity(const Context& context) {
  Explained explained = of_rule(RuleId::reservation_capacity);
  explained.steps.push_back(printed_step("planning memory", context.printed.slot(LineId::planning_memory), ""));
  const analysis::MemoryShares shares = analysis::hbm_shares(context.printed, context.plan);
  if (!shares.counted || shares.ranks.empty()) {
    explained.notes.emplace_back("No rank shows a share of HBM that would tell the planning memory.");
    return explained;
  }
  const auto agreeing = std::ranges::count_if(shares.ranks, &analysis::Share::agrees);
  const std::string agree = number_text(static_cast<double>(agreeing)) + " of " +
                            plural(static_cast<double>(shares.ranks.size()), "rank") +
                            (agreeing == 1 ? " agrees" : " agree") + " with it";
  explained.steps.front().note = agree;
  const auto common = analysis::common_capacity(shares.ranks);
  if (!common) {
    explained.notes.emplace_back("The shares of all ranks fit no common memory: devices may have their own.");
    return explained;
  }
  if (common->high >= static_cast<double>(INT64_MAX)) {
    explained.notes.emplace_back("Shares of 0% do not tell the planning memory.");
    return explained;
  }
  Step step = value_step("planning memory as the shares of the ranks tell it", middle(*common), *common);
  step.expression = "HBM of a rank / its share";
  step.note = "what all of them have in common";
  explained.steps.push_back(std::move(step));
  return explained;
}

}  // namespace shardstats::explain_detail
