// Printed numbers that are linear in unknowns: sums of bounded coefficients times them. Private to src/infer.
#pragma once

#include <array>
#include <cstdint>
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
  // The same with only some of the coefficients: calls f(term) with what adds them by term(k, a[k]), in the order of k.
  template <class F>
  void add_terms(RealInterval value, F f) {
    const std::size_t first = terms_.size();
    f([this](std::size_t unknown, RealInterval a) {
      if (is_used(a)) terms_.push_back({unknown, a, middle(a), a.width() / 2});
    });
    add_equation(value, first);
  }
  // All that another system says.
  void append(const LinearSystem& other);

  bool uses(std::size_t unknown) const { return used_[unknown]; }
  // By unknown: what each number that depends on it alone says of it.
  std::array<std::vector<RealInterval>, kUnknowns> alone() const;
  // The numbers that no values in the box explain.
  std::int64_t contradicted(const Box& box) const;

  // The solution of least absolute residuals (least squares, reweighted), with bounds far beyond its deviation. Single
  // wrong numbers do not move it. `usual`: values that unknowns are expected near; those of no equation stay there. A
  // move of the bounds by at most the part `still` of their width ends the reweighting. `start`: a solution of similar
  // numbers, which saves most rounds.
  std::optional<Box> around_solution(const Values& usual, double still,
                                     const std::optional<Values>& start = std::nullopt) const;
  // Cuts off what no number allows; false if that is next to nothing.
  bool narrow(Box& box) const;

 private:
  struct Term {
    std::size_t unknown = 0;
    RealInterval a{};
    double middle = 0, half_width = 0;  // of a
  };
  struct Equation {
    RealInterval value{};
    double middle = 0, half_width = 0;
    std::size_t first = 0, count = 0;  // terms
    RealInterval alone{};              // of one term: what its unknown can be
  };
  struct Solution {
    Values x{}, deviation{};
  };

  std::span<const Term> terms(const Equation& e) const { return {terms_.data() + e.first, e.count}; }
  void add_equation(RealInterval value, std::size_t first_term);
  static RealInterval left_for(const Term& term, RealInterval value);
  RealInterval sum(const Equation& e, const Box& box) const;
  double uncertainty(const Equation& e, const Values& x) const;
  static Box around(const Solution& solution);
  std::vector<double> first_weights(const Values& x) const;
  bool reweight(std::vector<double>& weights, const Values& x) const;
  std::optional<Solution> solve(const std::vector<double>& weights, const Values& scale) const;

  std::vector<Equation> equations_;
  std::vector<Term> terms_;
  std::array<bool, kUnknowns> used_{};
};

}  // namespace shardstats::infer_detail
