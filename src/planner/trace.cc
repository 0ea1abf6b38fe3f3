#include "shardstats/planner/trace.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "shardstats/numbers/commas.h"

namespace shardstats {
namespace {

using Kind = TraceKind;

TraceRef zero_node() {
  static const TraceRef kZero = std::make_shared<const TraceNode>();
  return kZero;
}
TraceRef node_of(const Traced& x) { return x.node ? x.node : zero_node(); }
bool is_zero_constant(const Traced& x) { return !x.node || (x.node->kind == Kind::constant && x.node->nominal == 0); }

Traced made(TraceNode node) {
  Traced x{node.value, node.nominal, nullptr};
  x.node = std::make_shared<const TraceNode>(std::move(node));
  return x;
}
Traced made(Kind kind, RealInterval value, double nominal, std::vector<TraceRef> operands) {
  TraceNode node;
  node.kind = kind;
  node.value = value;
  node.nominal = std::clamp(nominal, value.low, value.high);
  node.operands = std::move(operands);
  return made(std::move(node));
}

// ---- expressions ---------------------------------------------------------------------------------------------------

enum class Binding : std::uint8_t { sum, product, atom };

Binding binding_of(Kind kind) {
  if (kind == Kind::add || kind == Kind::subtract) return Binding::sum;
  if (kind == Kind::multiply || kind == Kind::divide) return Binding::product;
  return Binding::atom;
}

class Writer {
 public:
  explicit Writer(bool numbers) : numbers_(numbers) {}

  std::string body(const TraceNode& node) const {
    switch (node.kind) {
      case Kind::constant:
        return number_text(node.nominal);
      case Kind::input:
        return numbers_ ? number_text(node.nominal) : node.symbol;
      case Kind::step:
        return body(*node.operands[0]);
      case Kind::add:
        return infix(node, " + ");
      case Kind::subtract:
        return infix(node, " - ");
      case Kind::multiply:
        return infix(node, " * ");
      case Kind::divide:
        return infix(node, " / ");
      case Kind::share:
        return call("ceil", joined(*node.operands[0], " * ", *node.operands[1], Binding::product) + " / " +
                                wrapped(*node.operands[2], Binding::product, true));
      case Kind::perhaps_none:
        return inner(*node.operands[0]);
      case Kind::up:
        return call("ceil", inner(*node.operands[0]));
      case Kind::truncated:
        return call("trunc", inner(*node.operands[0]));
      case Kind::nearest:
        return call("round", inner(*node.operands[0]));
      case Kind::least:
        return call("min", inner(*node.operands[0]) + ", " + inner(*node.operands[1]));
      case Kind::most:
        return call("max", inner(*node.operands[0]) + ", " + inner(*node.operands[1]));
    }
    return {};
  }

 private:
  // Inside an expression a step is its symbol.
  std::string inner(const TraceNode& node) const {
    if (node.kind != Kind::step) return body(node);
    return numbers_ ? number_text(node.nominal) : std::string(form_of(node.formula).symbol);
  }
  static std::string call(const char* function, const std::string& argument) {
    return std::string(function) + "(" + argument + ")";
  }
  std::string wrapped(const TraceNode& node, Binding outer, bool right_of_inverse) const {
    const Binding own = binding_of(node.kind);
    const bool needed = own < outer || (own == outer && right_of_inverse);
    return needed ? "(" + inner(node) + ")" : inner(node);
  }
  std::string joined(const TraceNode& a, const char* sign, const TraceNode& b, Binding binding) const {
    // a * (b / c) is rounded otherwise than a * b / c, so a quotient on the right keeps its parentheses.
    const bool inverse = sign[1] == '-' || sign[1] == '/' || b.kind == Kind::divide || b.kind == Kind::subtract;
    return wrapped(a, binding, false) + sign + wrapped(b, binding, inverse);
  }
  std::string infix(const TraceNode& node, const char* sign) const {
    return joined(*node.operands[0], sign, *node.operands[1], binding_of(node.kind));
  }

  bool numbers_;
};

const TraceNode& body_of(const TraceNode& node) { return node.kind == Kind::step ? *node.operands[0] : node; }

void collect_terms(const TraceRef& node, std::vector<TraceRef>& terms) {
  if (node->kind != Kind::add) {
    terms.push_back(node);
    return;
  }
  for (const TraceRef& operand : node->operands) collect_terms(operand, terms);
}

void collect(const TraceNode& node, Kind wanted, std::vector<TraceRef>& found) {
  for (const TraceRef& operand : node.operands) {
    if (operand->kind == wanted) {
      const auto same = [&](const TraceRef& x) {
        return x == operand || (wanted == Kind::input && x->symbol == operand->symbol && x->input == operand->input);
      };
      if (std::none_of(found.begin(), found.end(), same)) found.push_back(operand);
    }
    if (operand->kind != Kind::step) collect(*operand, wanted, found);
  }
}

struct ParameterName {
  std::string_view symbol, label;
};
constexpr ParameterName kParameters[] = {{"W", "world size"},
                                         {"L", "group size (local world size)"},
                                         {"h", "ranks of a host"},
                                         {"g", "ranks of a group"},
                                         {"G", "groups of ranks"},
                                         {"w_f", "bytes an output element takes on the wire, forward"},
                                         {"w_b", "bytes an output element takes on the wire, backward"},
                                         {"a_f", "bytes an output element takes between groups, forward"},
                                         {"a_b", "bytes an output element takes between groups, backward"}};

std::string parameter_label(std::string_view symbol) {
  for (const ParameterName& p : kParameters)
    if (p.symbol == symbol) return std::string(p.label);
  return std::string(symbol);
}

}  // namespace

Traced traced_input(std::string symbol, std::string label, RealInterval value, double nominal, int input_number) {
  TraceNode node;
  node.kind = Kind::input;
  node.value = value;
  node.nominal = std::clamp(nominal, value.low, value.high);
  node.symbol = std::move(symbol);
  node.label = std::move(label);
  node.input = input_number;
  return made(std::move(node));
}

Traced within(const Traced& x, RealInterval bounds) {
  TraceNode node = *node_of(x);
  node.value = bounds;
  node.nominal = std::clamp(node.nominal, bounds.low, bounds.high);
  return made(std::move(node));
}

Traced operator+(const Traced& a, const Traced& b) {
  if (is_zero_constant(a)) return b;
  if (is_zero_constant(b)) return a;
  return made(Kind::add, a.value + b.value, a.nominal + b.nominal, {node_of(a), node_of(b)});
}
Traced operator-(const Traced& a, const Traced& b) {
  if (is_zero_constant(b)) return a;
  return made(Kind::subtract, a.value - b.value, a.nominal - b.nominal, {node_of(a), node_of(b)});
}
Traced operator*(const Traced& a, const Traced& b) {
  if (is_zero_constant(a)) return a;
  if (is_zero_constant(b)) return b;
  return made(Kind::multiply, a.value * b.value, a.nominal * b.nominal, {node_of(a), node_of(b)});
}
Traced operator/(const Traced& a, const Traced& b) {
  if (is_zero_constant(a)) return a;
  return made(Kind::divide, a.value / b.value, a.nominal / b.nominal, {node_of(a), node_of(b)});
}
Traced up(const Traced& x) {
  if (is_zero_constant(x)) return x;
  return made(Kind::up, up(x.value), up(x.nominal), {node_of(x)});
}
Traced truncated(const Traced& x) {
  if (is_zero_constant(x)) return x;
  return made(Kind::truncated, truncated(x.value), truncated(x.nominal), {node_of(x)});
}
Traced nearest(const Traced& x) {
  if (is_zero_constant(x)) return x;
  return made(Kind::nearest, nearest(x.value), nearest(x.nominal), {node_of(x)});
}
Traced least(const Traced& a, const Traced& b) {
  return made(Kind::least, least(a.value, b.value), least(a.nominal, b.nominal), {node_of(a), node_of(b)});
}
Traced most(const Traced& a, const Traced& b) {
  return made(Kind::most, most(a.value, b.value), most(a.nominal, b.nominal), {node_of(a), node_of(b)});
}
Traced share(const Traced& storage, const Traced& part, const Traced& whole) {
  return made(Kind::share, share(storage.value, part.value, whole.value),
              share(storage.nominal, part.nominal, whole.nominal), {node_of(storage), node_of(part), node_of(whole)});
}
Traced named(FormulaId id, const Traced& x) {
  if (is_zero_constant(x)) return x;
  TraceNode node;
  node.kind = Kind::step;
  node.value = x.value;
  node.nominal = x.nominal;
  node.operands = {node_of(x)};
  node.formula = id;
  return made(std::move(node));
}
bool is_zero(const Traced& x) { return is_zero(x.value); }
Traced block_penalty(const Traced& cols) {
  return traced_input("pi", "penalty for narrow rows", block_penalty(cols.value), block_penalty(cols.nominal), -1);
}

Traced mixed(const Traced& ratio, const Traced& a, const Traced& b) {
  const Traced sum = ratio * a + (constant<Traced>(1) - ratio) * b;
  return within(sum, mixed(ratio.value, a.value, b.value));
}

Traced unless_empty(const Traced& x, Emptiness empty) {
  if (empty == Emptiness::no) return x;
  if (empty == Emptiness::yes) return {};
  return made(Kind::perhaps_none, {0, x.value.high}, x.nominal, {node_of(x)});
}

template <>
Traced constant<Traced>(double value) {
  return made(Kind::constant, exactly(value), value, {});
}
template <>
Traced parameter<Traced>(const char* symbol, double value) {
  return traced_input(symbol, parameter_label(symbol), exactly(value), value, -1);
}

std::string expression(const TraceNode& node) { return Writer(false).body(node); }
std::string substituted(const TraceNode& node) { return Writer(true).body(node); }

std::vector<TraceRef> terms_of(const TraceNode& node) {
  std::vector<TraceRef> terms;
  const TraceNode& body = body_of(node);
  if (body.kind == Kind::add)
    for (const TraceRef& operand : body.operands) collect_terms(operand, terms);
  return terms;
}
std::vector<TraceRef> steps_of(const TraceNode& node) {
  std::vector<TraceRef> steps;
  const TraceNode& body = body_of(node);
  if (node.kind == Kind::step && body.kind == Kind::step) return {node.operands[0]};
  collect(body, Kind::step, steps);
  return steps;
}
std::vector<TraceRef> inputs_of(const TraceNode& node) {
  std::vector<TraceRef> inputs;
  const TraceNode& body = body_of(node);
  if (node.kind == Kind::step && body.kind == Kind::step) return {};
  if (node.kind == Kind::step && body.kind == Kind::input) return {node.operands[0]};
  collect(body, Kind::input, inputs);
  return inputs;
}

std::string number_text(double value) {
  char buffer[400];
  const bool whole = value == std::trunc(value) && std::fabs(value) < 1e18;
  const auto end = whole ? std::to_chars(buffer, buffer + sizeof buffer, static_cast<long long>(value)).ptr
                         : std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, 12).ptr;
  return with_commas(std::string(buffer, end));
}

}  // namespace shardstats
