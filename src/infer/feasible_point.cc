#include "infer/feasible_point.h"

#include <algorithm>
#include <cmath>

namespace shardstats::infer_detail {
namespace {

constexpr int kTightenings = 4;
constexpr int kSweeps = 300;
// Of a sum's bounds, on both sides: what is rounded after the last step stays inside.
constexpr double kMargin = 1e-3;
constexpr double kRounding = 1e-9;  // relative: of exact ones

}  // namespace

std::uint32_t FeasiblePoint::add_unknown(RealInterval bounds, double start) {
  unknowns_.push_back({bounds, start});
  return static_cast<std::uint32_t>(unknowns_.size() - 1);
}

void FeasiblePoint::add_sum(RealInterval bounds) {
  const double slack = kRounding * std::max(std::abs(bounds.low), std::abs(bounds.high)) - kMargin * bounds.width();
  sums_.push_back({{bounds.low - slack, bounds.high + slack}, 0, static_cast<std::uint32_t>(terms_.size()), 0});
}

void FeasiblePoint::add(double coefficient, std::uint32_t unknown) {
  if (coefficient == 0) return;
  terms_.push_back({coefficient, unknown});
  ++sums_.back().count;
}

void FeasiblePoint::tighten(const Sum& sum) {
  RealInterval all = exactly(sum.constant);
  const auto each = [&](auto visit) {
    for (std::uint32_t i = sum.first; i < sum.first + sum.count; ++i) visit(terms_[i], unknowns_[terms_[i].unknown]);
  };
  each([&](const Term& term, const Unknown& unknown) { all = all + exactly(term.coefficient) * unknown.bounds; });
  each([&](const Term& term, Unknown& unknown) {
    const RealInterval own = exactly(term.coefficient) * unknown.bounds;
    const double low = sum.bounds.low - (all.high - own.high), high = sum.bounds.high - (all.low - own.low);
    const RealInterval left{std::max(unknown.bounds.low, low / term.coefficient),
                            std::min(unknown.bounds.high, high / term.coefficient)};
    if (left.low > left.high) return;
    unknown.bounds = left;
    unknown.value = std::clamp(unknown.value, left.low, left.high);
  });
}

bool FeasiblePoint::project(const Sum& sum) {
  const auto first = terms_.begin() + sum.first, last = first + sum.count;
  double value = sum.constant, reach = 0;
  for (auto term = first; term != last; ++term) {
    const Unknown& unknown = unknowns_[term->unknown];
    const double range = term->coefficient * unknown.bounds.width();
    value += term->coefficient * unknown.value;
    reach += range * range;
  }
  const double off = std::clamp(value, sum.bounds.low, sum.bounds.high) - value;
  if (off == 0 || reach == 0) return false;
  // In units of their bounds' widths each unknown moves by what it adds to the sum.
  for (auto term = first; term != last; ++term) {
    Unknown& unknown = unknowns_[term->unknown];
    const double width = unknown.bounds.width();
    unknown.value = std::clamp(unknown.value + off * term->coefficient * width * width / reach, unknown.bounds.low,
                               unknown.bounds.high);
  }
  return true;
}

double FeasiblePoint::worst() const {
  double worst = 0;
  for (const Sum& sum : sums_) {
    if (sum.count == 0) continue;
    double value = sum.constant;
    for (std::uint32_t i = sum.first; i < sum.first + sum.count; ++i)
      value += terms_[i].coefficient * unknowns_[terms_[i].unknown].value;
    const double off = std::abs(std::clamp(value, sum.bounds.low, sum.bounds.high) - value);
    if (off > 0) worst = std::max(worst, off / sum.bounds.width());
  }
  return worst;
}

void FeasiblePoint::solve() {
  for (int round = 0; round < kTightenings; ++round)
    for (const Sum& sum : sums_) tighten(sum);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    bool moved = false;
    for (const Sum& sum : sums_) moved |= project(sum);
    if (!moved) return;
  }
}

}  // namespace shardstats::infer_detail
