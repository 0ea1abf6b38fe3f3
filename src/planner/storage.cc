#include "shardstats/planner/storage.h"

#include <cmath>

namespace shardstats {
namespace {

__extension__ typedef unsigned __int128 Wide;  // products of sizes exceed 2^64

constexpr double kExactLimit = 9007199254740992.0;  // 2^53

int bits_of(Wide x) {
  int bits = 0;
  for (; x >= (Wide{1} << 32); x >>= 32) bits += 32;
  for (; x > 0; x >>= 1) ++bits;
  return bits;
}

// numerator / denominator rounded once to binary64, ties to even.
double divided_exactly(Wide numerator, Wide denominator) {
  const Wide quotient = numerator / denominator, rest = numerator % denominator;
  if (rest == 0 && quotient < (Wide{1} << 53)) return static_cast<double>(static_cast<std::uint64_t>(quotient));
  const int whole_bits = bits_of(quotient);
  if (whole_bits > 53) {  // the fraction only breaks ties
    const int drop = whole_bits - 53;
    const Wide kept = quotient >> drop, lost = quotient - (kept << drop), half = Wide{1} << (drop - 1);
    const bool more = lost > half || (lost == half && (rest != 0 || (kept & 1) != 0));
    return std::ldexp(static_cast<double>(static_cast<std::uint64_t>(kept + (more ? 1 : 0))), drop);
  }
  // Binary long division for the fraction bits that still fit, then one rounding.
  std::uint64_t mantissa = static_cast<std::uint64_t>(quotient);
  Wide remainder = rest;
  int exponent = 0;
  for (int bits = whole_bits; bits < 53 && exponent > -1074; --exponent) {
    remainder <<= 1;
    mantissa <<= 1;
    if (remainder >= denominator) {
      remainder -= denominator;
      mantissa |= 1;
    }
    if (bits > 0 || mantissa > 0) ++bits;
  }
  remainder <<= 1;
  if (remainder > denominator || (remainder == denominator && (mantissa & 1) != 0)) ++mantissa;
  return std::ldexp(static_cast<double>(mantissa), exponent);
}

}  // namespace

double share_rounded_up(double storage, double part, double whole) {
  if (whole <= 0 || storage <= 0 || part <= 0) return 0;
  if (storage >= kExactLimit || part >= kExactLimit || whole >= kExactLimit)
    return std::ceil(storage * part / whole);  // beyond what the planner's integers reach; callers refuse such sizes
  const auto s = static_cast<std::uint64_t>(storage), p = static_cast<std::uint64_t>(part),
             w = static_cast<std::uint64_t>(whole);
  if (p == w) return static_cast<double>(s);
  if (s % w == 0 && static_cast<double>(s / w) * part < kExactLimit) return static_cast<double>(s / w) * part;
  return std::ceil(divided_exactly(Wide{s} * p, w));
}

double optimizer_multiplier(const ReleaseRules& rules, Optimizer optimizer, Sharding sharding,
                            const KernelTraits& kernel, double cols) {
  switch (rules.optimizer) {
    case OptimizerRule::dp_twice:
      return sharding == Sharding::dp ? 2 : 0;
    case OptimizerRule::dense_twice:
      return kernel.dense ? 2 : 0;
    case OptimizerRule::always_zero:
      return 0;
    case OptimizerRule::by_class:
      break;
  }
  switch (optimizer) {
    case Optimizer::none:
      return 0;
    case Optimizer::rowwise_adagrad:
      return 1.0 / cols;
    case Optimizer::other:
      return 1;
    case Optimizer::adam:
      return 2;
  }
  return 0;
}

}  // namespace shardstats
