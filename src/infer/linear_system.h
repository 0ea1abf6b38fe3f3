// Printed numbers that are linear in unknowns: sums of bounded coefficients times them. Private to src/infer.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "shardstats/numbers/interval.h"

namespace shardstats::infer_detail {

inline constexpr std::size_t kUnknowns = 6;
using Coefficients = std::array<RealInterval, kUnknowns>;
using Box = std::array<RealInterval, kUnknowns>;
using Values = std::array<double, kUnknowns>;

inline bool is_used(RealInterval coefficient) { return coefficient.high > 0; }

class LinearSystem {
 public:
  void clear();
  void reserve(std::size_t numbers);
  // value = sum of a[k] * x[k]; says nothing where no coefficient is used.
  void add(const Coefficients& a, RealInterval value);
  // The same with only some of the coefficients: f(term) adds them by term(k, a[k]), in the order of k, and returns the
  // value.
  template <class F>
  void add_terms(F f) {
    std::uint32_t count = 0;
    const RealInterval value = f([&](std::size_t unknown, RealInterval a) {
      if (!is_used(a)) return;
      terms_.push_back({a, middle(a), a.width() / 2, static_cast<std::uint32_t>(unknown)});
      ++count;
    });
    if (count > 0) add_equation(value, count);
  }
  // All that another system says.
  void append(const LinearSystem& other);

  bool uses(std::size_t unknown) const { return used_[unknown]; }
  // By unknown: what each number that depends on it alone says of it.
  std::array<std::vector<RealInterval>, kUnknowns> alone() const;
  // The numbers that no values in the box explain.
  std::int64_t contradicted(const Box& box) const;

  // Cuts off what no number allows; false if that is next to nothing.
  bool narrow(Box& box) const;
  // The same again and again until that is next to nothing, so many times at most.
  void narrow(Box& box, int rounds) const;

 private:
  friend class LeastResiduals;

  struct Term {
    RealInterval a{};
    double middle = 0, half_width = 0;  // of a
    std::uint32_t unknown = 0;
  };
  struct Equation {
    RealInterval value{};
    RealInterval alone{};                // of one term: what its unknown can be
    std::uint32_t first = 0, count = 0;  // terms
  };
  // What a number does to a box.
  enum class Effect : std::uint8_t {
    spent,   // nothing, nor to any part of it
    little,  // next to nothing
    much,
  };

  std::span<const Term> terms(const Equation& e) const { return {terms_.data() + e.first, e.count}; }
  void add_equation(RealInterval value, std::uint32_t count);
  static bool may_be_zero(std::span<const Term> terms);
  static bool bounds_both_sides(const Term& term, RealInterval value) { return term.a.low > 0 && value.low > 0; }
  static RealInterval left_for(const Term& term, RealInterval value);
  RealInterval sum(const Equation& e, const Box& box) const;
  Effect narrow_by(const Equation& e, Box& box) const;
  Effect narrow_by_several(const Equation& e, Box& box) const;

  std::vector<Equation> equations_;
  std::vector<Term> terms_;
  std::array<bool, kUnknowns> used_{};
  std::array<std::uint32_t, kUnknowns> alone_{};  // numbers that depend on it alone, and bound it on both sides
};

// The values of the unknown with which the term is what is left for it.
inline RealInterval LinearSystem::left_for(const Term& term, RealInterval value) {
  return {value.low / term.a.high, term.a.low > 0 ? value.high / term.a.low : std::numeric_limits<double>::infinity()};
}

// Of the last terms. Inline: tables have thousands of numbers, of a term or two each.
inline void LinearSystem::add_equation(RealInterval value, std::uint32_t count) {
  const auto first = static_cast<std::uint32_t>(terms_.size()) - count;
  const Term* const own = &terms_[first];
  if (value.low <= 0 && may_be_zero({own, count})) {
    terms_.resize(first);
  } else if (count == 1) {
    equations_.push_back({value, left_for(*own, value), first, count});
    used_[own->unknown] = true;
    alone_[own->unknown] += bounds_both_sides(*own, value);
  } else {
    equations_.push_back({value, {}, first, count});
    for (const Term* term = own; term != own + count; ++term) used_[term->unknown] = true;
  }
}

// The solution of least absolute residuals (least squares, reweighted). Single wrong numbers do not move it.
class LeastResiduals {
 public:
  // `usual`: values that unknowns are expected near; those of no equation stay there. `start`: a solution of similar
  // numbers, which saves most rounds.
  LeastResiduals(const LinearSystem& system, const Values& usual, const std::optional<Values>& start = std::nullopt);
  // Bounds far beyond the deviation of the solution. A move of them by at most the part `still` of their width ends the
  // reweighting, which a later call with a smaller part takes up again.
  std::optional<Box> around(double still);

 private:
  using Term = LinearSystem::Term;
  using Equation = LinearSystem::Equation;
  struct Solution {
    Values x{}, deviation{};
  };
  // Normal equations: the lower half, and the right side.
  struct Normal {
    std::array<Values, kUnknowns> left{};
    Values right{};
  };

  bool weigh(const Values& x, bool by_residuals);
  template <std::size_t kTerms>
  double weigh(RealInterval value, std::span<const Term, kTerms> terms, const Values& x, const Values& size,
               bool by_residuals);
  std::optional<Solution> solve() const;
  static Box around(const Solution& solution);

  const LinearSystem& system_;
  Values usual_;
  std::vector<double> weights_;  // by number
  Normal normal_;                // with these weights
  int rounds_ = 0;
  bool is_settled_ = false;  // another round would change nothing, or be one too many
  Values x_{};               // of the last round
  std::optional<Box> box_;   // around it
};

}  // namespace shardstats::infer_detail
