// The third reading: bounds that record how they came about, for explain.
//
// A Traced value is an interval, the nominal value inside it (what the printed digits say), and the expression that
// made it. named(id, x) closes an expression under a formula's name, so that later formulas show its symbol and the
// tree has one node per formula, not per operation.
//   S_i / W           -> expression "S_i / W", substituted "15,528,960 / 96", value 161,760
// Zero constants vanish from sums, so parts that a kernel does not have leave no node.
// Tested by tests/planner/trace_test.cc.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "shardstats/planner/perf.h"
#include "shardstats/planner/reading.h"
#include "shardstats/planner/storage.h"

namespace shardstats {

struct TraceNode;
using TraceRef = std::shared_ptr<const TraceNode>;

enum class TraceKind : std::uint8_t {
  constant,
  input,
  step,
  add,
  subtract,
  multiply,
  divide,
  up,
  truncated,
  nearest,
  least,
  most,
  share,
  perhaps_none,  // x, or nothing if the shard turns out to be empty
};

struct TraceNode {
  TraceKind kind = TraceKind::constant;
  RealInterval value;
  double nominal = 0;  // within `value`
  std::vector<TraceRef> operands;
  FormulaId formula = FormulaId::total;  // of a step
  std::string symbol;                    // of an input: "W", "e", "R"
  std::string label;                     // of an input: "world size"
  int input = -1;                        // caller's number of the input (origin and place are kept by the caller)
};

struct Traced {
  RealInterval value{};
  double nominal = 0;
  TraceRef node;  // nullptr: the constant 0
};

Traced traced_input(std::string symbol, std::string label, RealInterval value, double nominal, int input);
// x with tighter bounds that are known from elsewhere; the nominal value is moved into them.
Traced within(const Traced& x, RealInterval bounds);

Traced operator+(const Traced& a, const Traced& b);
Traced operator-(const Traced& a, const Traced& b);
Traced operator*(const Traced& a, const Traced& b);
Traced operator/(const Traced& a, const Traced& b);
Traced up(const Traced& x);
Traced truncated(const Traced& x);
Traced nearest(const Traced& x);
Traced least(const Traced& a, const Traced& b);
Traced most(const Traced& a, const Traced& b);
Traced share(const Traced& storage, const Traced& part, const Traced& whole);
Traced named(FormulaId id, const Traced& x);
bool is_zero(const Traced& x);
Traced unless_empty(const Traced& x, Emptiness empty);
Traced block_penalty(const Traced& cols);
Traced mixed(const Traced& ratio, const Traced& a, const Traced& b);
template <>
Traced constant<Traced>(double value);
template <>
Traced parameter<Traced>(const char* symbol, double value);

// The expression of a node: a step shows the body it stands for, steps and inputs in it their symbols ("ceil(t * m)"),
// or, substituted, their nominal values ("ceil(213,333,504 * 0.0078125)"). Parentheses only where needed.
std::string expression(const TraceNode& node);
std::string substituted(const TraceNode& node);

// What stands below a node: the terms of its sum in order (empty: it is no sum), and the distinct steps and inputs
// that its body uses.
std::vector<TraceRef> terms_of(const TraceNode& node);
std::vector<TraceRef> steps_of(const TraceNode& node);
std::vector<TraceRef> inputs_of(const TraceNode& node);

// "15,528,960", "0.0078125": thousands by comma, at most 12 significant digits after a decimal point.
std::string number_text(double value);

}  // namespace shardstats
