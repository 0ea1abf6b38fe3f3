#include "infer/linear_system.h"

#include <cmath>
#include <utility>

#include "infer/perf_model.h"

namespace shardstats::infer_detail {
namespace {

constexpr double kSettled = 1e-10;      // relative change that ends the rounds
constexpr double kSumRounding = 1e-12;  // relative, far more than that of a sum

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
  alone_ = {};
}

void LinearSystem::reserve(std::size_t numbers) {
  constexpr std::size_t kTerms = 2;  // of most numbers
  equations_.reserve(numbers);
  terms_.reserve(kTerms * numbers);
}

void LinearSystem::add(const Coefficients& a, RealInterval value) {
  add_terms([&](auto term) {
    for (std::size_t k = 0; k < kUnknowns; ++k) term(k, a[k]);
    return value;
  });
}

// Where all terms may be 0, as for a table without lookups, a 0 says nothing.
bool LinearSystem::may_be_zero(std::span<const Term> terms) {
  return std::ranges::all_of(terms, [](const Term& term) { return term.a.low <= 0; });
}

void LinearSystem::append(const LinearSystem& other) {
  const auto first = static_cast<std::uint32_t>(terms_.size());
  terms_.insert(terms_.end(), other.terms_.begin(), other.terms_.end());
  for (Equation e : other.equations_) {
    e.first += first;
    equations_.push_back(e);
  }
  for (std::size_t k = 0; k < kUnknowns; ++k) {
    used_[k] |= other.used_[k];
    alone_[k] += other.alone_[k];
  }
}

std::array<std::vector<RealInterval>, kUnknowns> LinearSystem::alone() const {
  std::array<std::vector<RealInterval>, kUnknowns> bounds;
  for (std::size_t k = 0; k < kUnknowns; ++k) bounds[k].reserve(alone_[k]);
  for (const Equation& e : equations_) {
    const Term& term = terms_[e.first];
    if (e.count == 1 && bounds_both_sides(term, e.value)) bounds[term.unknown].push_back(e.alone);
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

// A number that the box contradicts, or explains wholly, does as much to any part of it.
inline LinearSystem::Effect LinearSystem::narrow_by(const Equation& e, Box& box) const {
  if (e.count > 1) return narrow_by_several(e, box);
  const Term& only = terms_[e.first];
  RealInterval& x = box[only.unknown];
  if (e.alone.low <= x.low && x.high <= e.alone.high) return Effect::spent;
  if (!(only.a * x).overlaps(e.value)) return Effect::spent;
  return narrow_to(e.alone, x) ? Effect::much : Effect::little;
}

LinearSystem::Effect LinearSystem::narrow_by_several(const Equation& e, Box& box) const {
  RealInterval all = sum(e, box);
  if (!all.overlaps(e.value)) return Effect::spent;
  const double rounding = kSumRounding * e.value.high;  // of what is left for a term
  if (e.value.low + rounding <= all.low && all.high <= e.value.high - rounding) return Effect::spent;
  bool changed = false;
  for (const Term& term : terms(e)) {
    RealInterval& x = box[term.unknown];
    const RealInterval own = term.a * x;
    const RealInterval rest{e.value.low - (all.high - own.high), e.value.high - (all.low - own.low)};
    if (rest.low <= term.a.high * x.low && term.a.low * x.high <= rest.high) continue;  // it cuts nothing off
    changed |= narrow_to(left_for(term, rest), x);
    all = {all.low - own.low + (term.a * x).low, all.high - own.high + (term.a * x).high};
  }
  return changed ? Effect::much : Effect::little;
}

bool LinearSystem::narrow(Box& box) const {
  bool changed = false;
  for (const Equation& e : equations_) changed |= narrow_by(e, box) == Effect::much;
  return changed;
}

// Most numbers are spent after the first round.
void LinearSystem::narrow(Box& box, int rounds) const {
  if (rounds <= 0) return;
  bool changed = false;
  std::vector<const Equation*> left;
  left.reserve(equations_.size());
  for (const Equation& e : equations_) {
    const Effect effect = narrow_by(e, box);
    changed |= effect == Effect::much;
    if (effect != Effect::spent) left.push_back(&e);
  }
  for (int round = 1; changed && round < rounds; ++round) {
    changed = false;
    std::erase_if(left, [&](const Equation* e) {
      const Effect effect = narrow_by(*e, box);
      changed |= effect == Effect::much;
      return effect == Effect::spent;
    });
  }
}

LeastResiduals::LeastResiduals(const LinearSystem& system, const Values& usual, const std::optional<Values>& start)
    : system_(system), usual_(usual), weights_(system.equations_.size()) {
  weigh(start.value_or(usual), start.has_value());
}

std::optional<Box> LeastResiduals::around(double still) {
  constexpr int kReweightings = 20;
  while (!is_settled_) {
    if (rounds_ > 0 && !weigh(x_, true)) {
      is_settled_ = true;
      break;
    }
    const auto solution = solve();
    is_settled_ = !solution || ++rounds_ == kReweightings;
    const auto before = std::exchange(box_, solution ? std::optional(around(*solution)) : std::nullopt);
    if (!solution) break;
    x_ = solution->x;
    if (before && still > 0 && is_near(*before, *box_, still)) break;
  }
  return box_;
}

// Weighs the numbers by their uncertainty, and by their residuals if asked for, and sums up the normal equations. False
// if no weight changes.
bool LeastResiduals::weigh(const Values& x, bool by_residuals) {
  Values size;
  for (std::size_t k = 0; k < kUnknowns; ++k) size[k] = std::abs(x[k]);
  normal_ = {};
  bool changed = false;
  double* last = weights_.data();
  for (const Equation& e : system_.equations_) {
    const Term* const first = &system_.terms_[e.first];
    // Most have one or two: loops of a known length are a third faster.
    const double weight = e.count == 1   ? weigh(e.value, std::span<const Term, 1>(first, 1), x, size, by_residuals)
                          : e.count == 2 ? weigh(e.value, std::span<const Term, 2>(first, 2), x, size, by_residuals)
                                         : weigh(e.value, std::span(first, e.count), x, size, by_residuals);
    changed |= std::exchange(*last++, weight) != weight;
  }
  return changed;
}

template <std::size_t kTerms>
inline double LeastResiduals::weigh(RealInterval value, std::span<const Term, kTerms> terms, const Values& x,
                                    const Values& size, bool by_residuals) {
  double own = value.width() / 2 + 1e-12 * value.high + 1e-15, residual = -middle(value);
  for (const Term& term : terms) {
    own += term.half_width * size[term.unknown];
    residual += term.middle * x[term.unknown];
  }
  const double far = by_residuals ? std::abs(residual) / own : 0;
  const double weight = 1 / (far > 1 ? own * std::sqrt(far) : own);
  for (std::size_t i = 0; i < terms.size(); ++i) {  // the lower half: terms come in the order of their unknowns
    Values& row = normal_.left[terms[i].unknown];
    const double times = terms[i].middle * (weight * weight);
    for (std::size_t l = 0; l <= i; ++l) row[terms[l].unknown] += times * terms[l].middle;
    normal_.right[terms[i].unknown] += times * middle(value);
  }
  return weight;
}

// Far beyond its deviation.
Box LeastResiduals::around(const Solution& solution) {
  constexpr double kDeviations = 12, kFew = 0.01;
  Box box;
  for (std::size_t k = 0; k < kUnknowns; ++k) {
    const double reach = kDeviations * solution.deviation[k] + kFew * std::abs(solution.x[k]);
    box[k] = {solution.x[k] - reach, solution.x[k] + reach};
  }
  return box;
}

// Normal equations, scaled by usual values, by Gauss-Jordan with the inverse for the deviations.
std::optional<LeastResiduals::Solution> LeastResiduals::solve() const {
  Matrix m{};
  for (std::size_t k = 0; k < kUnknowns; ++k) {
    for (std::size_t l = 0; l <= k; ++l) m[l][k] = m[k][l] = normal_.left[k][l] * usual_[k] * usual_[l];
    m[k][kRight] = normal_.right[k] * usual_[k];
  }
  for (std::size_t k = 0; k < kUnknowns; ++k) {
    if (m[k][k] == 0) m[k][k] = m[k][kRight] = 1;  // not used: stays at its usual value
    m[k][k] *= 1 + 1e-12;
    m[k][kUnknowns + k] = 1;
  }
  if (!eliminate(m)) return std::nullopt;
  Solution solution;
  for (std::size_t k = 0; k < kUnknowns; ++k) {
    solution.x[k] = m[k][kRight] / m[k][k] * usual_[k];
    solution.deviation[k] = std::sqrt(std::abs(m[k][kUnknowns + k] / m[k][k])) * usual_[k];
  }
  return solution;
}

}  // namespace shardstats::infer_detail
