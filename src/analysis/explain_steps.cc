// Steps: traced nodes, sums and printed cells as the records that reports show.
#include <algorithm>
#include <cmath>

#include "analysis/explain_parts.h"
#include "analysis/statistics.h"

namespace shardstats::explain_detail {
namespace {

constexpr std::string_view kNotExplained = "not explained", kOtherExplanations = "other explanations";

Operand operand_of(const Context& context, const TraceNode& node, const std::vector<Operand>& operands) {
  if (node.input >= 0) return operands[static_cast<std::size_t>(node.input)];
  Operand operand{node.symbol, node.label, {node.nominal, node.value, ""}, Origin::log, {}, {}};
  if (node.symbol == "W") {
    operand.note = "rows of the rank table";
    return operand;
  }
  operand.origin = Origin::inferred;
  if (node.symbol == "pi") operand.note = "1 from 128 columns on, 1.15 from 64 on, else 1.75";
  if (node.symbol != "L" && node.symbol != "h") return operand;
  const Assumption* a = assumption(context, "local_world_size", std::nullopt);
  operand.origin = a ? a->origin : Origin::inferred;
  if (a && node.symbol == "L") operand.note = alternatives_text(*a);
  return operand;
}

// What a node of a storage tree is for, in the words of the component table.
std::string_view component_of(FormulaId id) {
  switch (id) {
    case FormulaId::tensor:
      return "embedding weights";
    case FormulaId::optimizer:
      return "optimizer state";
    case FormulaId::cache_aux:
      return "cache auxiliary state";
    case FormulaId::key_value:
      return "key-value cache";
    case FormulaId::input:
      return "input buffer";
    case FormulaId::output:
      return "output buffer";
    case FormulaId::prefetch:
      return "prefetch buffers";
    default:
      return {};
  }
}

bool is_container(FormulaId id) {
  return id == FormulaId::shard_hbm || id == FormulaId::shard_ddr || id == FormulaId::shard_ssd ||
         id == FormulaId::pipeline_io;
}

void share_children(Step& step, double total) {
  step.share_of_total = total > 0 ? step.value.nominal / total : 0;
  if (!step.sum) {
    // Below a number of equal shards the shares are those of one shard.
    for (Step& child : step.children)
      if (child.sum) share_children(child, child.value.nominal);
    return;
  }
  for (Step& child : step.children) share_children(child, total);
}

// The step as the only one of a sum, so that others can stand next to it.
Step sum_over(Step one) {
  Step sum = value_step(std::move(one.label), one.value.nominal, one.value.bounds, one.value.unit);
  sum.formula = one.formula;
  sum.sum = true;
  one.label = "with the inputs shown";
  sum.children.push_back(std::move(one));
  return sum;
}

// Of a sum, the step for what the inputs shown do not give.
Step& other_explanations(Step& sum) {
  if (sum.children.empty() || sum.children.back().label != kOtherExplanations) {
    sum.children.push_back(value_step(std::string(kOtherExplanations), 0, {}, sum.value.unit));
    sum.children.back().note = "the log allows other inputs than the ones shown";
  }
  return sum.children.back();
}

// A value that is put in by a formula cannot be moved without its operands.
bool is_plain(const Step& step) { return step.children.empty() && step.substituted.empty(); }

// Its own value where the bounds hold that, else the one in their middle: an end of them says nothing.
double nominal_within(RealInterval bounds, const Amount& amount) {
  if (bounds.contains(amount.nominal)) return amount.nominal;
  const double centre = amount.unit == "bytes" ? std::round(middle(bounds)) : middle(bounds);
  return std::clamp(centre, bounds.low, bounds.high);
}

// Each part is no more than what the others leave of the total.
void narrow_parts(RealInterval total, std::vector<Step>& parts) {
  std::vector<RealInterval> behind(parts.size() + 1);
  for (std::size_t i = parts.size(); i > 0; --i) behind[i - 1] = behind[i] + parts[i - 1].value.bounds;
  RealInterval before{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const RealInterval others = before + behind[i + 1];
    before = before + parts[i].value.bounds;
    if (!parts[i].is_common) narrow_part(total - others, parts[i]);
  }
}

double nominal_sum(const std::vector<Step>& parts) {
  double sum = 0;
  for (const Step& part : parts) sum += part.value.nominal;
  return sum;
}

// Moves the values of the parts within their bounds, each by the same share of its room, so that they add up to it.
void move_parts(double to, std::vector<Step>& parts) {
  const double missing = to - nominal_sum(parts);
  const auto room_of = [&](const Step& part) {
    if (part.is_common) return 0.0;
    return missing > 0 ? part.value.bounds.high - part.value.nominal : part.value.bounds.low - part.value.nominal;
  };
  double room = 0;
  for (const Step& part : parts) room += room_of(part);
  if (missing == 0 || room == 0 || !std::isfinite(room)) return;
  double room_so_far = 0, moved = 0;
  for (Step& part : parts) {
    if (part.is_common) continue;
    Amount& value = part.value;
    room_so_far += room_of(part);
    const double so_far = std::min(missing / room, 1.0) * room_so_far;
    const double whole = value.unit == "bytes" ? std::round(so_far) : so_far;
    value.nominal = std::clamp(value.nominal + whole - moved, value.bounds.low, value.bounds.high);
    moved = whole;
  }
}

// What the parts of the sum cannot give.
void add_what_is_missing(double missing, Step& sum) {
  Amount& others = other_explanations(sum).value;
  others.nominal += missing;
  others.bounds = hull(others.bounds, exactly(others.nominal));
}

// What the parts can add up to while those that ranks have in common stay.
RealInterval reach_of(const std::vector<Step>& parts) {
  RealInterval sum{};
  for (const Step& part : parts) sum = sum + (part.is_common ? exactly(part.value.nominal) : part.value.bounds);
  return sum;
}

// The bounds are narrower by more than the last bits of a sum.
bool is_narrower(RealInterval than, RealInterval bounds) {
  return !std::isfinite(than.width()) ? std::isfinite(bounds.width())
                                      : than.width() - bounds.width() > 1e-9 * than.width();
}

}  // namespace

Step step_of(const Context& context, const TraceNode& node, const std::vector<Operand>& operands,
             std::string_view unit) {
  Step step;
  step.expression = expression(node);
  step.substituted = substituted(node);
  step.label = step.expression;
  step.value = {node.nominal, node.value, unit};
  if (node.kind == TraceKind::step) {
    const FormulaForm& form = form_of(node.formula);
    step.label = form.label;
    step.formula = form.name;
    step.value.unit = form.unit;
  }
  const auto terms = terms_of(node);
  step.sum = !terms.empty();
  for (const TraceRef& child : step.sum ? terms : steps_of(node))
    step.children.push_back(step_of(context, *child, operands, step.value.unit));
  if (!step.sum)
    for (const TraceRef& x : inputs_of(node)) step.operands.push_back(operand_of(context, *x, operands));
  return step;
}

Step empty_step(FormulaId formula) {
  Step step = value_step(std::string(form_of(formula).label), 0, {}, form_of(formula).unit);
  step.formula = form_of(formula).name;
  return step;
}

void sort_by_size(std::vector<Step>& steps) {
  std::ranges::stable_sort(steps, std::ranges::greater{}, [](const Step& step) { return step.value.nominal; });
}

void add_up(Step& step) {
  step.sum = true;
  step.value.nominal = 0;
  step.value.bounds = {};
  for (const Step& child : step.children) {
    step.value.nominal += child.value.nominal;
    step.value.bounds = step.value.bounds + child.value.bounds;
  }
}

Step sum_of(std::string label, FormulaId formula, std::vector<Step> children) {
  Step step;
  step.label = std::move(label);
  step.formula = form_of(formula).name;
  step.value.unit = children.empty() ? form_of(formula).unit : children.front().value.unit;
  step.children = std::move(children);
  add_up(step);
  return step;
}

std::string plural(double n, std::string_view one) {
  return number_text(n) + " " + std::string(one) + (n == 1 ? "" : "s");
}

Step sum_of_shards(std::string_view name, FormulaId formula, std::vector<Step> classes, std::size_t shards) {
  std::string substituted;
  for (const Step& step : classes) substituted += (substituted.empty() ? "" : " + ") + number_text(step.value.nominal);
  const std::string whose = shards == 1 ? "the shard" : "all " + plural(static_cast<double>(shards), "shard");
  Step sum = sum_of(std::string(name) + " of " + whose, formula, std::move(classes));
  if (sum.children.size() > 1) sum.substituted = std::move(substituted);
  return sum;
}

Step value_step(std::string label, double nominal, RealInterval bounds, std::string_view unit) {
  Step step;
  step.label = std::move(label);
  step.value = {nominal, bounds, unit};
  return step;
}

Step bytes_step(std::string label, ByteInterval bytes) {
  const RealInterval x = real(bytes);
  return value_step(std::move(label), std::floor(middle(x)), x);
}

Step printed_step(std::string label, const Cell& cell, std::string_view verdict, CellForm form) {
  const double scale = form.unit == "bytes" ? static_cast<double>(kGiB) : 1;
  std::string digits(cell.text);
  if (form.format == Format::thousands) std::erase(digits, ',');
  const double number = number_of(digits) * scale;
  const double nominal = scale == 1 ? number : std::floor(number);
  Step step = value_step(std::move(label), nominal,
                         analysis::printed_bounds(cell, form.format, form.unit).value_or(exactly(nominal)), form.unit);
  step.origin = Origin::log;
  step.printed = cell;
  step.note = verdict;
  return step;
}

void add_unexplained(const Amount& whole, std::string_view note, Step& computed) {
  const RealInterval rest = whole.bounds - computed.value.bounds;
  Step step = value_step(std::string(kNotExplained), whole.nominal - computed.value.nominal, rest, whole.unit);
  step.note = note;
  computed.children.push_back(std::move(step));
  computed.value.nominal = whole.nominal;
  computed.value.bounds = computed.value.bounds + rest;
  if (is_narrower(computed.value.bounds, whole.bounds)) computed.narrowed = whole;
  computed.label += ", as printed";
}

Step class_step(std::string_view name, Step one, std::size_t shards, const std::string& where, bool only) {
  if (only && shards == 1) {
    one.label = where;
    return one;
  }
  const auto count = static_cast<double>(shards);
  Step step = value_step(where + " each", one.value.nominal * count, one.value.bounds * exactly(count), one.value.unit);
  if (shards == 1) {
    step.label = "1 shard, " + where;
    one.label = "the shard";
  } else {
    step.expression = number_text(count) + " * " + std::string(name);
    step.substituted = number_text(count) + " * " + number_text(one.value.nominal);
    step.label = number_text(count) + " shards, " + step.label;
    one.label = "one of them";
  }
  step.children.push_back(std::move(one));
  return step;
}

void set_shares(Step& root) { share_children(root, root.value.nominal); }

void add_other_explanations(RealInterval known, Step& step) {
  const RealInterval own = step.value.bounds;
  const RealInterval rest{std::min(0.0, known.low - own.low), std::max(0.0, known.high - own.high)};
  if (rest.low == 0 && rest.high == 0) return;
  if (!step.sum) step = sum_over(std::move(step));
  other_explanations(step).value.bounds = rest;
  step.value.bounds = step.value.bounds + rest;
}

void narrow_part(RealInterval known, Step& part) {
  part.value.bounds = narrowed(part.value.bounds, known);
  part.value.nominal = nominal_within(part.value.bounds, part.value);
}

void share_out(RealInterval known, std::vector<Step>& parts) {
  narrow_parts(known, parts);
  RealInterval sum{};
  for (const Step& part : parts) sum = sum + part.value.bounds;
  sum = narrowed(sum, known);
  move_parts(nominal_within(sum, {nominal_sum(parts), sum, "bytes"}), parts);
}

void narrow_step(RealInterval known, Step& step, std::optional<double> value) {
  const RealInterval both = narrowed(step.value.bounds, known);
  const bool has_common = std::ranges::any_of(step.children, &Step::is_common);
  const RealInterval reach = has_common ? narrowed(both, reach_of(step.children)) : both;
  const double to = nominal_within(reach, {value.value_or(step.value.nominal), reach, step.value.unit});
  const double missing = to - step.value.nominal;
  if (missing == 0 && !is_narrower(step.value.bounds, both)) return;
  if (missing != 0 && !step.sum) step = sum_over(std::move(step));
  if (step.sum && std::ranges::all_of(step.children, is_plain)) {
    narrow_parts(both, step.children);
    move_parts(to, step.children);
    const double rest = to - nominal_sum(step.children);
    if (has_common && std::fabs(rest) >= 1) add_what_is_missing(rest, step);
  } else if (missing != 0) {
    add_what_is_missing(missing, step);
  }
  if (step.sum) add_up(step);
  step.value.nominal = to;  // without the last bits of a sum
  if (is_narrower(step.value.bounds, both)) step.narrowed = {to, both, step.value.unit};
}

void add_with_cell(Step computed, bool contradicted, RealInterval known, const Cell& cell, std::vector<Step>& steps,
                   CellForm form) {
  const auto bounds = analysis::printed_bounds(cell, form.format, form.unit);
  const bool apart = bounds && (contradicted || !computed.value.bounds.overlaps(*bounds));
  if (apart)
    add_unexplained(printed_step("", cell, "", form).value, "the printed cell differs from the sum", computed);
  else
    narrow_step(bounds ? narrowed(known, *bounds) : known, computed);
  set_shares(computed);
  if (cell) computed.printed = cell;
  steps.push_back(std::move(computed));
  if (!bounds) return;
  const std::string_view verdict = contradicted ? "contradicts the formulas"
                                   : apart      ? "not reached with the inputs shown"
                                                : "agrees";
  steps.push_back(printed_step("printed", cell, verdict, form));
}

void Components::add(std::string_view label, std::string_view memory, double per_shard, double total) {
  const auto same = [&](const Row& row) { return row.label == label && row.memory == memory; };
  auto row = std::find_if(rows_.begin(), rows_.end(), same);
  if (row == rows_.end()) row = rows_.insert(rows_.end(), Row{label, memory, 0, 0});
  row->per_shard += per_shard;
  row->total += total;
}

void Components::add_node(const TraceNode& node, std::string_view memory, double shards, bool largest) {
  const auto put = [&](std::string_view label) {
    add(label, memory, largest ? node.nominal : 0, node.nominal * shards);
  };
  if (node.kind == TraceKind::step && !component_of(node.formula).empty()) return put(component_of(node.formula));
  if (node.kind == TraceKind::add || (node.kind == TraceKind::step && is_container(node.formula))) {
    for (const TraceRef& operand : node.operands) add_node(*operand, memory, shards, largest);
    return;
  }
  if (node.kind == TraceKind::most) {
    const TraceNode &a = *node.operands[0], &b = *node.operands[1];
    return add_node(a.nominal >= b.nominal ? a : b, memory, shards, largest);
  }
  const auto steps = steps_of(node);  // 3 * I
  put(steps.size() == 1 && !component_of(steps[0]->formula).empty() ? component_of(steps[0]->formula) : "other");
}

void Components::add(const Traced& storage, std::string_view memory, double shards, bool largest) {
  if (storage.node) add_node(*storage.node, memory, shards, largest);
}

void Components::add_rest(const Step& sum, std::string_view memory) {
  if (!sum.children.empty() && sum.children.back().label == kNotExplained)
    add(kNotExplained, memory, 0, sum.children.back().value.nominal);
  double rest = sum.value.nominal;
  for (const Row& row : rows_)
    if (row.memory == memory) rest -= row.total;
  if (std::fabs(rest) >= 1) add(kOtherExplanations, memory, 0, rest);
}

std::vector<ComponentRow> Components::rows() const {
  std::vector<ComponentRow> rows;
  const bool is_named = std::ranges::any_of(rows_, [](const Row& r) { return r.total != 0 && r.memory != "HBM"; });
  for (const Row& row : rows_) {
    if (row.total == 0) continue;
    double total = 0;
    for (const Row& other : rows_)
      if (other.memory == row.memory) total += other.total;
    std::string label(row.label);
    if (is_named) label += " (" + std::string(row.memory) + ")";
    rows.push_back({std::move(label), row.per_shard, row.total, total > 0 ? row.total / total * 100 : 0});
  }
  return rows;
}

}  // namespace shardstats::explain_detail
