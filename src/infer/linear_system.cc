#include "infer/linear_system.h"

#include <cmath>
#include <limits>
#include <utility>

#include "infer/perf_model.h"

namespace shardstats::infer_detail {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();
constexpr double kSettled = 1e-10;  // relative change that ends the rounds

// The normal equations, then the unit matrix, which becomes their inverse, then the right side.
constexpr std::size_t kRight = 2 * kUnknowns;
using Matrix = std::array<std::array<double, 2 * kUnknowns + 1>, kUnknowns>;

// Have the ends moved by at most that part of the width?
bool is_near(const Box& before, const Box& now, double most) {
  for (std::size_t k = 0; k < kUnknowns; ++k) {
    const double moved = std::max(std::abs(now[k].low - before[k].low), std::abs(now[k].high - before[k].high));
    if (moved > most * now[k].width()) return false;
  }
  return true;
}

// To what is left for it; false if that is next to nothing less. Differences of large sums lose digits; the slack keeps
// the true value inside.
inline bool narrow_to(RealInterval left, RealInterval& x) {
  const RealInterval around{left.low - kSettled * std::abs(x.low), left.high + kSettled * std::abs(x.high)};
  const double before = x.width();
  x = narrowed(x, around);
  return x.width() < before * (1 - 1e-3);
}

bool eliminate(Matrix& m) {
  for (std::size_t k = 0; k < kUnknowns; ++k) {
    std::size_t pivot = k;
    for (std::size_t r = k + 1; r < kUnknowns; ++r)
      if (std::abs(m[r][k]) > std::abs(m[pivot][k])) pivot = r;
    if (std::abs(m[pivot][k]) < 1e-300) return false;
    std::swap(m[k], m[pivot]);
    for (std::size_t r = 0; r < kUnknowns; ++r) {
      const double times = r == k ? 0 : m[r][k] / m[k][k];
      if (times == 0) continue;
      for (std::size_t c = k; c < m[r].size(); ++c) m[r][c] -= times * m[k][c];
    }
  }
  return true;
}

}  // namespace

void LinearSystem::clear() {
  equations_.clear();
  terms_.clear();
  used_ = {};
}

void LinearSystem::reserve(std::size_t numbers) {
  constexpr std::size_t kTerms = 2;  // of most numbers
  equations_.reserve(numbers);
  terms_.reserve(kTerms * numbers);
}

void LinearSystem::add(const Coefficients& a, RealInterval value) {
  add_terms(value, [&](auto term) {
    for (std::size_t k = 0; k < kUnknowns; ++k) term(k, a[k]);
  });
}

// Of the terms from that one on. Where all of these may be 0, as for a table without lookups, a 0 says nothing.
void LinearSystem::add_equation(RealInterval value, std::size_t first) {
  const std::size_t count = terms_.size() - first;
  if (count == 0) return;
  const auto may_be_zero = [](const Term& term) { return term.a.low <= 0; };
  if (value.low <= 0 && std::ranges::all_of(std::span(terms_).subspan(first), may_be_zero)) {
    terms_.resize(first);
    return;
  }
  const RealInterval alone = count == 1 ? left_for(terms_.back(), value) : RealInterval{};
  equations_.push_back({value, middle(value), value.width() / 2 + 1e-12 * value.high + 1e-15, first, count, alone});
  for (const Term& term : terms(equations_.back())) used_[term.unknown] = true;
}

// The values of the unknown with which the term is what is left for it.
RealInterval LinearSystem::left_for(const Term& term, RealInterval value) {
  return {value.low / term.a.high, term.a.low > 0 ? value.high / term.a.low : kEndless};
}

void LinearSystem::append(const LinearSystem& other) {
  const std::size_t first = terms_.size();
  terms_.insert(terms_.end(), other.terms_.begin(), other.terms_.end());
  for (Equation e : other.equations_) {
    e.first += first;
    equations_.push_back(e);
  }
  for (std::size_t k = 0; k < kUnknowns; ++k) used_[k] |= other.used_[k];
}

std::array<std::vector<RealInterval>, kUnknowns> LinearSystem::alone() const {
  std::array<std::vector<RealInterval>, kUnknowns> bounds;
  for (const Equation& e : equations_) {
    const Term& term = terms_[e.first];
    if (e.count == 1 && term.a.low > 0 && e.value.low > 0) bounds[term.unknown].push_back(e.alone);
  }
  return bounds;
}

RealInterval LinearSystem::sum(const Equation& e, const Box& box) const {
  RealInterval sum{};
  for (const Term& term : terms(e)) sum = sum + term.a * box[term.unknown];
  return sum;
}

std::int64_t LinearSystem::contradicted(const Box& box) const {
  std::int64_t count = 0;
  for (const Equation& e : equations_) count += !with_rounding(sum(e, box)).overlaps(e.value);
  return count;
}

// Half of the width that the rounding of the number and of its inputs leaves.
double LinearSystem::uncertainty(const Equation& e, const Values& x) const {
  double half = e.half_width;
  for (const Term& term : terms(e)) half += term.half_width * std::abs(x[term.unknown]);
  return half;
}

std::vector<double> LinearSystem::first_weights(const Values& x) const {
  std::vector<double> weights;
  weights.reserve(equations_.size());
  for (const Equation& e : equations_) weights.push_back(1 / uncertainty(e, x));
  return weights;
}

// False if that changes no weight.
bool LinearSystem::reweight(std::vector<double>& weights, const Values& x) const {
  Values size;
  for (std::size_t k = 0; k < kUnknowns; ++k) size[k] = std::abs(x[k]);
  bool changed = false;
  for (std::size_t i = 0; i < equations_.size(); ++i) {
    const Equation& e = equations_[i];
    double own = e.half_width, residual = -e.middle;
    for (const Term& term : terms(e)) {
      own += term.half_width * size[term.unknown];
      residual += term.middle * x[term.unknown];
    }
    const double far = std::abs(residual) / own;
    const double weight = 1 / (far > 1 ? own * std::sqrt(far) : own);
    changed |= std::exchange(weights[i], weight) != weight;
  }
  return changed;
}

// Far beyond its deviation.
Box LinearSystem::around(const Solution& solution) {
  constexpr double kDeviations = 12, kFew = 0.01;
  Box box;
  for (std::size_t k = 0; k < kUnknowns; ++k) {
    const double reach = kDeviations * solution.deviation[k] + kFew * std::abs(solution.x[k]);
    box[k] = {solution.x[k] - reach, solution.x[k] + reach};
  }
  return box;
}

std::optional<Box> LinearSystem::around_solution(const Values& usual, double still,
                                                 const std::optional<Values>& start) const {
  constexpr int kReweightings = 20;
  std::vector<double> weights = first_weights(usual);
  if (start) reweight(weights, *start);
  std::optional<Box> box;
  for (int round = 0; round < kReweightings; ++round) {
    const auto solution = solve(weights, usual);
    if (!solution) return std::nullopt;
    const auto before = std::exchange(box, around(*solution));
    if ((before && still > 0 && is_near(*before, *box, still)) || !reweight(weights, solution->x)) break;
  }
  return box;
}

// Normal equations, scaled by usual values, by Gauss-Jordan with the inverse for the deviations.
std::optional<LinearSystem::Solution> LinearSystem::solve(const std::vector<double>& weights,
                                                          const Values& scale) const {
  Matrix m{};
  for (std::size_t i = 0; i < equations_.size(); ++i) {
    const double w = weights[i] * weights[i];
    const Equation& e = equations_[i];
    const Term* const first = &terms_[e.first];
    const Term* term = first;
    do {  // the lower half; terms come in the order of their unknowns
      auto& row = m[term->unknown];
      const double times = term->middle * w;
      for (const Term* other = first; other != term; ++other) row[other->unknown] += times * other->middle;
      row[term->unknown] += times * term->middle;
      row[kRight] += times * e.middle;
    } while (++term != first + e.count);
  }
  for (std::size_t k = 0; k < kUnknowns; ++k) {
    for (std::size_t l = 0; l <= k; ++l) m[l][k] = m[k][l] = m[k][l] * scale[k] * scale[l];
    m[k][kRight] *= scale[k];
  }
  for (std::size_t k = 0; k < kUnknowns; ++k) {
    if (m[k][k] == 0) m[k][k] = m[k][kRight] = 1;  // not used: stays at its usual value
    m[k][k] *= 1 + 1e-12;
    m[k][kUnknowns + k] = 1;
  }
  if (!eliminate(m)) return std::nullopt;
  Solution solution;
  for (std::size_t k = 0; k < kUnknowns; ++k) {
    solution.x[k] = m[k][kRight] / m[k][k] * scale[k];
    solution.deviation[k] = std::sqrt(std::abs(m[k][kUnknowns + k] / m[k][k])) * scale[k];
  }
  return solution;
}

bool LinearSystem::narrow(Box& box) const {
  bool changed = false;
  for (const Equation& e : equations_) {
    if (e.count == 1) {
      const Term& only = terms_[e.first];
      RealInterval& x = box[only.unknown];
      if (e.alone.low <= x.low && x.high <= e.alone.high) continue;  // as after the first few
      if ((only.a * x).overlaps(e.value)) changed |= narrow_to(e.alone, x);
      continue;
    }
    RealInterval all = sum(e, box);
    if (!all.overlaps(e.value)) continue;
    for (const Term& term : terms(e)) {
      RealInterval& x = box[term.unknown];
      const RealInterval own = term.a * x;
      const RealInterval rest{e.value.low - (all.high - own.high), e.value.high - (all.low - own.low)};
      if (rest.low <= term.a.high * x.low && term.a.low * x.high <= rest.high) continue;  // it cuts nothing off
      changed |= narrow_to(left_for(term, rest), x);
      all = {all.low - own.low + (term.a * x).low, all.high - own.high + (term.a * x).high};
    }
  }
  return changed;
}

}  // namespace shardstats::infer_detail
