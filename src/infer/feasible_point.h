// A point that bounded linear sums of bounded unknowns allow, near a given one. Private to src/infer.
//
// Projects onto one sum after the other, over and over: that ends in a point inside all of them, if there is one, and
// near one that is as little outside as can be, if there is none.
// Tested by tests/infer/feasible_point_test.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "shardstats/numbers/interval.h"

namespace shardstats::infer_detail {

class FeasiblePoint {
 public:
  // The index of the unknown. `start` is in `bounds`.
  std::uint32_t add_unknown(RealInterval bounds, double start);
  // Begins a sum that lies in `bounds`; add() adds to the last one. Coefficients are 0 or more.
  void add_sum(RealInterval bounds);
  void add(double value) { sums_.back().constant += value; }
  void add(double coefficient, std::uint32_t unknown);

  void solve();
  // By how many widths of its bounds the worst sum is outside of them, of those that any unknown is in.
  double worst() const;
  double operator[](std::uint32_t unknown) const { return unknowns_[unknown].value; }

 private:
  struct Unknown {
    RealInterval bounds;
    double value;
  };
  struct Term {
    double coefficient;
    std::uint32_t unknown;
  };
  struct Sum {
    RealInterval bounds;
    double constant = 0;
    std::uint32_t first = 0, count = 0;  // of its terms
  };

  // Leaves the bounds of each unknown that the sum allows with any values of the others.
  void tighten(const Sum& sum);
  // Moves the unknowns of the sum so that it is in its bounds, as far as theirs let them; false: it was.
  bool project(const Sum& sum);

  std::vector<Unknown> unknowns_;
  std::vector<Term> terms_;
  std::vector<Sum> sums_;
};

}  // namespace shardstats::infer_detail
