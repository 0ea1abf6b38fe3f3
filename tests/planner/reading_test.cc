#include "shardstats/planner/reading.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "shardstats/planner/storage.h"

namespace shardstats {
namespace {

// Natural numbers of any size, as slow and as plain as can be: digits to base 2, the lowest first.
class Natural {
 public:
  explicit Natural(std::uint64_t n) {
    for (; n > 0; n >>= 1) bits_.push_back((n & 1) != 0);
  }
  Natural shifted(int places) const {
    Natural result(0);
    if (!bits_.empty()) result.bits_.assign(static_cast<std::size_t>(places), false);
    if (!bits_.empty()) result.bits_.insert(result.bits_.end(), bits_.begin(), bits_.end());
    return result;
  }
  Natural plus(const Natural& other) const {
    Natural result(0);
    bool carry = false;
    for (std::size_t i = 0; i < std::max(bits_.size(), other.bits_.size()) || carry; ++i) {
      const int sum = bit(i) + other.bit(i) + (carry ? 1 : 0);
      result.bits_.push_back((sum & 1) != 0);
      carry = sum > 1;
    }
    return result;
  }
  Natural times(const Natural& other) const {
    Natural result(0);
    for (std::size_t i = 0; i < other.bits_.size(); ++i)
      if (other.bits_[i]) result = result.plus(shifted(static_cast<int>(i)));
    return result;
  }
  Natural minus(const Natural& less) const {  // less <= *this
    Natural result(0);
    int borrow = 0;
    for (std::size_t i = 0; i < bits_.size(); ++i) {
      const int difference = bit(i) - less.bit(i) - borrow;
      result.bits_.push_back((difference & 1) != 0);
      borrow = difference < 0 ? 1 : 0;
    }
    while (!result.bits_.empty() && !result.bits_.back()) result.bits_.pop_back();
    return result;
  }
  bool less_than(const Natural& other) const {
    if (bits_.size() != other.bits_.size()) return bits_.size() < other.bits_.size();
    for (std::size_t i = bits_.size(); i-- > 0;)
      if (bits_[i] != other.bits_[i]) return other.bits_[i];
    return false;
  }

 private:
  int bit(std::size_t i) const { return i < bits_.size() && bits_[i] ? 1 : 0; }
  std::vector<bool> bits_;
};

constexpr int kScale = 120;  // 2^120 makes the quotients met here whole: they exceed 2^-52 and have 53 bits

// |x * w - n| for a double x, scaled by 2^kScale.
Natural distance(double x, const Natural& w, const Natural& n) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  const Natural product = Natural(mantissa).times(w).shifted(exponent - 53 + kScale), target = n.shifted(kScale);
  return product.less_than(target) ? target.minus(product) : product.minus(target);
}

bool even_mantissa(double x) {
  int exponent = 0;
  return static_cast<std::uint64_t>(std::ldexp(std::frexp(x, &exponent), 53)) % 2 == 0;
}

// ceil of the double nearest to s * p / w, found by comparing neighbours exactly.
double slow_share(std::uint64_t s, std::uint64_t p, std::uint64_t w) {
  const Natural n = Natural(s).times(Natural(p)), whole(w);
  double x = static_cast<double>(s) * static_cast<double>(p) / static_cast<double>(w);
  for (int i = 0; i < 4; ++i) x = std::nextafter(x, 0);
  double best = x;
  for (int i = 0; i < 8; ++i) {
    x = std::nextafter(x, HUGE_VAL);
    const Natural ours = distance(x, whole, n), least = distance(best, whole, n);
    if (ours.less_than(least) || (!least.less_than(ours) && even_mantissa(x))) best = x;
  }
  return std::ceil(best);
}

double fast_share(std::uint64_t s, std::uint64_t p, std::uint64_t w) {
  return share_rounded_up(static_cast<double>(s), static_cast<double>(p), static_cast<double>(w));
}

struct ShareCase {
  std::uint64_t storage, part, whole;
  double expected;
};
constexpr ShareCase kShares[] = {
    {20'480'000'000, 833'334ULL * 128, 80'000'000ULL * 128, 213'333'504},
    {7, 1, 2, 4},
    {7, 3, 3, 7},
    {6, 1, 2, 3},
    {1, 1, 3, 1},
    {0, 5, 7, 0},
    {10, 0, 7, 0},
    // Just above a whole number, but by less than half a unit in the last place: the planner's quotient is that number.
    {9'007'199'254'740'991, 4'503'599'627'370'497, 4'503'599'627'370'496, 9'007'199'254'740'992},
    {4'503'599'627'370'497, 4'503'599'627'370'497, 4'503'599'627'370'496, 4'503'599'627'370'498},
    // Products 2^53 + 1 and 2^53 + 3 halfway between two doubles, before and after the division: ties go to even.
    {3, 3'002'399'751'580'331, 1, 9'007'199'254'740'992},
    {5, 1'801'439'850'948'199, 1, 9'007'199'254'740'996},
    {3, 3'002'399'751'580'331, 2, 4'503'599'627'370'496},
    {5, 1'801'439'850'948'199, 2, 4'503'599'627'370'498},
};

TEST(Share, KnownValues) {
  for (const ShareCase& c : kShares) {
    SCOPED_TRACE(std::to_string(c.storage) + " * " + std::to_string(c.part) + " / " + std::to_string(c.whole));
    EXPECT_EQ(fast_share(c.storage, c.part, c.whole), c.expected);
    if (c.storage > 0 && c.part > 0) {
      EXPECT_EQ(slow_share(c.storage, c.part, c.whole), c.expected);
    }
  }
}

TEST(Share, AgreesWithSlowExactArithmetic) {
  std::mt19937_64 random(20260821);
  const auto up_to_bits = [&](int bits) { return 1 + random() % (std::uint64_t{1} << bits); };
  int beyond_64_bits = 0, rounded_down = 0;
  for (int i = 0; i < 1500; ++i) {
    const int bits = 4 + static_cast<int>(random() % 47);
    const std::uint64_t s = up_to_bits(bits), w = up_to_bits(51), p = 1 + random() % w;
    const double ours = fast_share(s, p, w);
    ASSERT_EQ(ours, slow_share(s, p, w)) << s << " * " << p << " / " << w;
    beyond_64_bits += std::log2(static_cast<double>(s)) + std::log2(static_cast<double>(p)) > 64 ? 1 : 0;
  }
  // Quotients a hair above a whole number, where the one rounding decides.
  for (int i = 0; i < 700; ++i) {
    const std::uint64_t w = (std::uint64_t{1} << 50) + random() % (std::uint64_t{1} << 50);
    const std::uint64_t s = (std::uint64_t{1} << 51) + random() % (std::uint64_t{1} << 51), p = w - random() % 3;
    const double ours = fast_share(s, p, w);
    ASSERT_EQ(ours, slow_share(s, p, w)) << s << " * " << p << " / " << w;
    const Natural exact = Natural(s).times(Natural(p)),
                  reached = Natural(static_cast<std::uint64_t>(ours)).times(Natural(w));
    rounded_down += reached.less_than(exact) ? 1 : 0;
  }
  EXPECT_GT(beyond_64_bits, 500);
  EXPECT_GT(rounded_down, 10) << "no case where the planner's result lies below the exact ceiling";
}

TEST(Reading, RoundingToNearestTakesTiesToEven) {
  EXPECT_EQ(nearest(2.5), 2);
  EXPECT_EQ(nearest(3.5), 4);
  EXPECT_EQ(nearest(2.4999), 2);
}

TEST(Reading, IntervalsReachBothEnds) {
  EXPECT_EQ(up(RealInterval{1.2, 2.2}), (RealInterval{2, 3}));
  EXPECT_EQ(truncated(RealInterval{1.2, 2.9}), (RealInterval{1, 2}));
  EXPECT_EQ(least(RealInterval{1, 5}, RealInterval{2, 3}), (RealInterval{1, 3}));
  EXPECT_EQ(most(RealInterval{1, 5}, RealInterval{2, 3}), (RealInterval{2, 5}));
  EXPECT_EQ(share(RealInterval{10, 20}, RealInterval{1, 2}, RealInterval{4, 5}), (RealInterval{2, 10}));
  EXPECT_TRUE(is_zero(RealInterval{0, 0}));
  EXPECT_FALSE(is_zero(RealInterval{0, 1}));
  EXPECT_EQ(unless_empty(RealInterval{3, 4}, Emptiness::yes), (RealInterval{0, 0}));
  EXPECT_EQ(unless_empty(RealInterval{3, 4}, Emptiness::unknown), (RealInterval{0, 4}));
  EXPECT_EQ(unless_empty(RealInterval{3, 4}, Emptiness::no), (RealInterval{3, 4}));
}

// Random plans: the exact storage lies within the bounds that follow from bounds of the inputs.
class Plans {
 public:
  Setting setting() {
    Setting s;
    s.rules = &release_table()[below(20)];
    s.device = static_cast<Device>(below(4));
    s.pipeline = static_cast<Pipeline>(below(4));
    s.ephemeral = below(2) == 0;
    s.inference = below(5) == 0;
    s.world_size = 1 + static_cast<std::int64_t>(below(100));
    s.group_size = 1 + static_cast<std::int64_t>(below(8));
    s.column_group_size = s.group_size;
    return s;
  }
  TableFacts<double> facts(const Setting& setting) {
    TableFacts<double> f;
    f.sharding = static_cast<Sharding>(below(7));
    f.kernel = &kernel_table()[below(static_cast<int>(kernel_table().size()))];
    f.quant = f.kernel->quant;
    f.sequence = below(2) == 0;
    f.virtual_table = below(4) == 0;
    f.rows = whole(1, 1e9);
    f.cols = whole(1, 320);
    f.element_size = f.output_element_size = std::ldexp(1.0, static_cast<int>(below(3)));
    f.optimizer_multiplier =
        optimizer_multiplier(*setting.rules, static_cast<Optimizer>(below(4)), f.sharding, *f.kernel, f.cols);
    f.features = whole(1, 20);
    f.batch = whole(1, 8192);
    f.pooling_sum = real(0, 300);
    f.lookups = real(0, 1e7);
    f.pooled = real(0, 1e5);
    f.caching_ratio = real(0, 1);
    f.passes = whole(1, 10);
    f.l1_megabytes = whole(0, 4096);
    f.key_value_ratio = real(0, 1);
    return f;
  }
  ShardFacts<double> shard(const TableFacts<double>& f) {
    ShardFacts<double> s{whole(0, f.rows), whole(1, f.cols), Emptiness::no};
    if (s.rows == 0) s.empty = Emptiness::yes;
    return s;
  }
  RealInterval around(double x) {
    if (below(3) == 0) return exactly(x);
    return {x - x * real(0, 0.3), x + x * real(0, 0.3)};
  }
  std::size_t below(std::size_t n) { return random_() % n; }

 private:
  double real(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  double whole(double low, double high) { return std::floor(real(low, high + 1)); }
  std::mt19937_64 random_{4711};
};

TableFacts<RealInterval> bounds_of(const TableFacts<double>& f, Plans& plans) {
  TableFacts<RealInterval> b;
  b.sharding = f.sharding;
  b.kernel = f.kernel;
  b.quant = f.quant;
  b.sequence = f.sequence;
  b.virtual_table = f.virtual_table;
  b.rows = exactly(f.rows);
  b.cols = exactly(f.cols);
  b.features = exactly(f.features);
  for (const auto& [from, to] :
       {std::pair{&TableFacts<double>::element_size, &TableFacts<RealInterval>::element_size},
        {&TableFacts<double>::output_element_size, &TableFacts<RealInterval>::output_element_size},
        {&TableFacts<double>::optimizer_multiplier, &TableFacts<RealInterval>::optimizer_multiplier},
        {&TableFacts<double>::batch, &TableFacts<RealInterval>::batch},
        {&TableFacts<double>::pooling_sum, &TableFacts<RealInterval>::pooling_sum},
        {&TableFacts<double>::lookups, &TableFacts<RealInterval>::lookups},
        {&TableFacts<double>::pooled, &TableFacts<RealInterval>::pooled},
        {&TableFacts<double>::caching_ratio, &TableFacts<RealInterval>::caching_ratio},
        {&TableFacts<double>::passes, &TableFacts<RealInterval>::passes},
        {&TableFacts<double>::l1_megabytes, &TableFacts<RealInterval>::l1_megabytes},
        {&TableFacts<double>::key_value_ratio, &TableFacts<RealInterval>::key_value_ratio}})
    b.*to = plans.around(f.*from);
  return b;
}

TEST(Reading, BoundsContainTheExactStorage) {
  Plans plans;
  int wide = 0;
  for (int i = 0; i < 50000; ++i) {
    const Setting setting = plans.setting();
    const auto facts = plans.facts(setting);
    const auto shard = plans.shard(facts);
    const auto exact = shard_storage(setting, facts, shard);
    ShardFacts<RealInterval> shard_bounds{exactly(shard.rows), exactly(shard.cols), shard.empty};
    if (plans.below(4) == 0) shard_bounds = {{0, facts.rows}, exactly(shard.cols), Emptiness::unknown};
    const auto bounds = shard_storage(setting, bounds_of(facts, plans), shard_bounds);
    const auto columns = column_io_bytes(setting, facts, shard);
    ASSERT_TRUE(bounds.hbm.contains(exact.hbm))
        << i << ": " << exact.hbm << " " << bounds.hbm.low << " " << bounds.hbm.high;
    ASSERT_TRUE(bounds.ddr.contains(exact.ddr))
        << i << ": " << exact.ddr << " " << bounds.ddr.low << " " << bounds.ddr.high;
    ASSERT_TRUE(bounds.ssd.contains(exact.ssd)) << i;
    ASSERT_TRUE(bounds.io.input.contains(exact.io.input)) << i;
    ASSERT_TRUE(bounds.io.output.contains(exact.io.output)) << i;
    ASSERT_GE(columns.input, 0);
    wide += bounds.hbm.exact() ? 0 : 1;
  }
  EXPECT_GT(wide, 10000) << "the inputs were exact too often to test anything";
}

TEST(Reading, ExactBoundsGiveTheExactResult) {
  Plans plans;
  for (int i = 0; i < 20000; ++i) {
    const Setting setting = plans.setting();
    const auto f = plans.facts(setting);
    const auto shard = plans.shard(f);
    const TableFacts<RealInterval> b{f.sharding,
                                     f.kernel,
                                     f.quant,
                                     f.sequence,
                                     f.virtual_table,
                                     exactly(f.rows),
                                     exactly(f.cols),
                                     exactly(f.element_size),
                                     exactly(f.output_element_size),
                                     exactly(f.optimizer_multiplier),
                                     exactly(f.lookups),
                                     exactly(f.pooled),
                                     exactly(f.caching_ratio),
                                     exactly(f.passes),
                                     exactly(f.l1_megabytes),
                                     exactly(f.key_value_ratio),
                                     exactly(f.pooling_sum),
                                     exactly(f.features),
                                     exactly(f.batch)};
    const auto exact = shard_storage(setting, f, shard);
    const auto bounds = shard_storage(setting, b, {exactly(shard.rows), exactly(shard.cols), shard.empty});
    ASSERT_EQ(bounds.hbm, exactly(exact.hbm)) << i;
    ASSERT_EQ(bounds.ddr, exactly(exact.ddr)) << i;
    ASSERT_EQ(bounds.ssd, exactly(exact.ssd)) << i;
  }
}

}  // namespace
}  // namespace shardstats
