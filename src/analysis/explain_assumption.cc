// explain assumption:NAME: what was assumed, and which printed numbers speak against the other values.
#include <algorithm>
#include <bit>
#include <map>

#include "analysis/explain_parts.h"

namespace shardstats::explain_detail {
namespace {

constexpr std::size_t kShownCells = 5;

std::string_view origin_words(Origin origin) {
  switch (origin) {
    case Origin::log:
      return "printed";
    case Origin::inferred:
      return "inferred";
    case Origin::flag:
      return "set with --assume";
    case Origin::defaulted:
      return "by default: nothing printed tells";
  }
  return {};
}

// Values that an assumption of the whole plan can have.
std::vector<AssumedValue> possible_values(const Context& context, std::string_view name) {
  std::vector<AssumedValue> values;
  const auto add = [&](const auto& names) {
    for (const std::string_view word : names) values.emplace_back(std::string(word));
  };
  if (name == "compute_device") add(kDeviceNames);
  if (name == "pipeline_type") add(kPipelineNames);
  if (name == "count_ephemeral_storage_cost" || name == "is_inference") values = {false, true};
  const std::int64_t world = context.plan.setting.world_size;
  for (std::int64_t d = 1; name == "local_world_size" && d <= world; ++d)
    if (world % d == 0) values.emplace_back(static_cast<double>(d));
  return values;
}

// As --assume takes it: numbers without separators.
std::string assigned(const AssumedValue& value) {
  std::string text = value_words(value);
  std::erase(text, ',');
  return text;
}

// The first memory cells that a plan contradicts, each as a step with the value that it should have.
void add_contradicted(const Context& context, const Plan& plan, Step& step) {
  const auto add = [&](std::string label, const Expectation& e, const Cell& cell, std::string_view unit = " GB") {
    if (!e.contradicted || step.children.size() >= kShownCells) return;
    Step child = bytes_step(std::move(label), e.bytes);
    child.note = "printed \"" + std::string(cell.text) + std::string(unit) + "\"";
    step.children.push_back(std::move(child));
  };
  for (const PlanTable& table : plan.tables) {
    const PrintedTable& row = context.printed.tables.rows[table.row];
    for (const Memory& memory : memories())
      add(std::string(memory.name) + " of " + std::string(context.names[table.row]), table.*memory.table,
          row.*memory.cell);
  }
  const auto& rows = context.printed.ranks.rows;
  for (std::size_t r = 0; r < plan.ranks.size() && r < rows.size(); ++r) {
    const std::string rank = " of rank " + std::to_string(plan.ranks[r].rank);
    add("HBM" + rank, plan.ranks[r].expected_hbm, rows[r].hbm);
    add("DDR" + rank, plan.ranks[r].expected_ddr, rows[r].ddr);
    add("input" + rank, plan.ranks[r].expected_input, rows[r].input, " MB");
    add("output" + rank, plan.ranks[r].expected_output, rows[r].output, " MB");
  }
}

// Printed numbers, of memory and perf, that a plan contradicts.
std::int64_t contradicted_numbers(const Plan& plan) {
  std::int64_t numbers = plan.contradictions;
  for (const PlanTable& table : plan.tables) numbers += std::popcount(table.perf.contradicted);
  for (const PlanRank& rank : plan.ranks) numbers += std::popcount(rank.expected_perf.contradicted);
  return numbers;
}

std::string printed_numbers(std::int64_t count) { return plural(static_cast<double>(count), "printed number"); }

// What speaks against `other`, a plan with another value than that of `a`. Damage is contradicted by both.
void compare(const Context& context, const Assumption& a, const Plan& plan, const Plan& other, Step& step) {
  const std::int64_t here = contradicted_numbers(plan), there = contradicted_numbers(other);
  const std::string instead =
      "contradicts " + printed_numbers(there) + " instead of " + number_text(static_cast<double>(here));
  if (there > here) {
    step.note = here == 0 ? "ruled out by " + printed_numbers(there) : instead;
    add_contradicted(context, other, step);
    if (!step.children.empty()) step.note += "; with it these would be:";
    return;
  }
  step.note = there == here ? "explains as much of what is printed" : instead;
  if (a.origin != Origin::flag) step.note += ", but less simply: tables or bandwidths need values of their own";
}

// The plan with each other value in the place of the assumed one.
void add_other_values(const Context& context, const Assumption& a, std::vector<Step>& steps) {
  std::vector<AssumedValue> others = possible_values(context, a.name);
  std::erase_if(others, [&](const AssumedValue& value) {
    return value == a.value || std::ranges::find(a.alternatives, value) != a.alternatives.end();
  });
  if (others.empty()) return;
  InferOptions options = context.options;
  options.alternatives = false;  // which can change what is preferred: all plans are made alike
  const Plan assumed = infer(context.printed, options);
  for (const AssumedValue& value : others) {
    options.overrides = context.options.overrides;
    std::erase_if(options.overrides, [&](const Override& o) { return o.key == a.name; });
    options.overrides.push_back({std::string(a.name), "", assigned(value)});
    const Plan plan = infer(context.printed, options);
    Step step = value_step(std::string(a.name) + " = " + value_words(value), 0, {}, "truth");
    if (plan.sized)
      compare(context, a, assumed, plan, step);
    else
      step.note = "no release with this log's layout could have printed it";
    steps.push_back(std::move(step));
  }
}

}  // namespace

Explained explain_assumption(const Context& context, std::string_view name) {
  Explained explained{"assumption:" + std::string(name), "assumption"};
  struct Group {
    Step step;
    double tables = 0;
  };
  std::map<std::string, Group> groups;  // tables with the same value and the same alternatives are one step
  for (const Assumption& a : context.plan.assumptions) {
    if (a.name != name) continue;
    const std::string others = alternatives_text(a);
    const std::string words = std::string(name) + " = " + value_words(a.value);
    auto& group = groups[words + "|" + others + "|" + std::string(origin_words(a.origin))];
    Step& step = group.step;
    ++group.tables;
    step.label = words;
    step.origin = a.origin;
    step.note = std::string(origin_words(a.origin));
    if (!others.empty()) step.note += "; " + others + " would explain the log as well";
    step.value = {1, {1, 1}, "truth"};
    if (a.table) step.value = {group.tables, exactly(group.tables), group.tables == 1 ? "table" : "tables"};
    if (const auto* number = std::get_if<double>(&a.value); number && !a.table) {
      step.label = name;
      step.value = {*number, exactly(*number), ""};
    }
    if (const auto* bytes = std::get_if<ByteInterval>(&a.value)) step.value = bytes_step("", *bytes).value;
    if (const auto* speed = std::get_if<RealInterval>(&a.value); speed && !a.table) {
      step.label = name;
      if (a.origin == Origin::defaulted) step.note = "the default, with which every printed perf agrees";
      step.value = {middle(*speed), *speed, is_bandwidth(name) ? "bytes/ms" : ""};
    }
  }
  for (auto& [key, group] : groups) explained.steps.push_back(std::move(group.step));
  sort_by_size(explained.steps);
  if (const Assumption* a = assumption(context, name, std::nullopt)) add_other_values(context, *a, explained.steps);
  return explained;
}

}  // namespace shardstats::explain_detail
