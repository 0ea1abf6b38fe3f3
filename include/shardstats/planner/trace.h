// The third reading: bounds that record how they came about, for explain.
//
// A Traced value is an interval plus the expression that made it. named(id, x) closes an expression under a formula's
// name, so that later formulas show its symbol and the tree has one node per formula, not per operation.
//   lookups / W           -> expression "S / W", substituted "15,528,960 / 96", value 161,760
// Tested by tests/planner/trace_test.cc.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "shardstats/planner/reading.h"

namespace shardstats {

struct TraceNode;
using TraceRef = std::shared_ptr<const TraceNode>;

enum class TraceKind : std::uint8_t { constant, input, step, add, subtract, multiply, divide, up, truncated, nearest, least, most, share };

struct TraceNode {
  TraceKind kind = TraceKind::constant;
  RealInterval value;
  std::vector<TraceRef> operands;
  FormulaId formula = FormulaId::total;  // of a step
  std::string symbol;                    // of an input: "W", "e", "R"
  std::string label;                     // of an input: "world size"
  int input = -1;                        // caller's number of the input (origin and place are kept by the caller)
};

struct Traced {
  RealInterval value;
  TraceRef node;
};

Traced traced_input(std::string symbol, std::string label, RealInterval value, int input);

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
template <>
Traced constant<Traced>(double value);

}  // namespace shardstats
