#include "shardstats/planner/trace.h"

#include <gtest/gtest.h>

namespace shardstats {
namespace {

Traced in(const char* symbol, double value) { return traced_input(symbol, symbol, exactly(value), value, 0); }

struct ExpressionCase {
  const char* name;
  Traced value;
  const char* expression;
  const char* substituted;
  double nominal;
};

TEST(Trace, ExpressionsHaveTheParenthesesTheyNeed) {
  const Traced a = in("a", 7), b = in("b", 2), c = in("c", 3);
  const ExpressionCase cases[] = {
      {"sum of product", a + b * c, "a + b * c", "7 + 2 * 3", 13},
      {"product of sum", (a + b) * c, "(a + b) * c", "(7 + 2) * 3", 27},
      {"product by sum", a * (b + c), "a * (b + c)", "7 * (2 + 3)", 35},
      {"left to right", a * b * c, "a * b * c", "7 * 2 * 3", 42},
      {"associative", a * (b * c), "a * b * c", "7 * 2 * 3", 42},
      {"quotient by product", a / (b * c), "a / (b * c)", "7 / (2 * 3)", 7.0 / 6},
      {"times quotient", a * (b / c), "a * (b / c)", "7 * (2 / 3)", 7 * (2.0 / 3)},
      {"difference of sum", a - (b + c), "a - (b + c)", "7 - (2 + 3)", 2},
      {"ceil", up(a / b), "ceil(a / b)", "ceil(7 / 2)", 4},
      {"trunc", truncated(a / b), "trunc(a / b)", "trunc(7 / 2)", 3},
      {"round", nearest(a / b), "round(a / b)", "round(7 / 2)", 4},
      {"min", least(a, b + c), "min(a, b + c)", "min(7, 2 + 3)", 5},
      {"max", most(a, b + c), "max(a, b + c)", "max(7, 2 + 3)", 7},
      {"share", share(a, b * c, c * c), "ceil(a * b * c / (c * c))", "ceil(7 * 2 * 3 / (3 * 3))", 5},
      {"zero vanishes", constant<Traced>(0) + a + Traced{}, "a", "7", 7},
      {"times zero", constant<Traced>(0) * a, "0", "0", 0},
  };
  for (const ExpressionCase& c2 : cases) {
    SCOPED_TRACE(c2.name);
    ASSERT_NE(c2.value.node, nullptr);
    EXPECT_EQ(expression(*c2.value.node), c2.expression);
    EXPECT_EQ(substituted(*c2.value.node), c2.substituted);
    EXPECT_DOUBLE_EQ(c2.value.nominal, c2.nominal);
    EXPECT_DOUBLE_EQ(c2.value.value.low, c2.nominal);
  }
}

TEST(Trace, ANamedStepIsASymbolOutsideAndAnExpressionInside) {
  const Traced x = named(FormulaId::lookups_per_shard, in("S_i", 15528960) / parameter<Traced>("W", 96));
  const Traced input = named(FormulaId::input, up(x * parameter<Traced>("W", 96) * constant<Traced>(8)));
  EXPECT_EQ(expression(*x.node), "S_i / W");
  EXPECT_EQ(substituted(*x.node), "15,528,960 / 96");
  EXPECT_EQ(expression(*input.node), "ceil(x * W * 8)");
  EXPECT_EQ(substituted(*input.node), "ceil(161,760 * 96 * 8)");
  EXPECT_EQ(input.nominal, 124231680);
  ASSERT_EQ(steps_of(*input.node).size(), 1u);
  EXPECT_EQ(steps_of(*input.node)[0], x.node);
  ASSERT_EQ(inputs_of(*input.node).size(), 1u);
  EXPECT_EQ(inputs_of(*input.node)[0]->symbol, "W");
  EXPECT_EQ(inputs_of(*input.node)[0]->label, "world size");
  EXPECT_TRUE(terms_of(*input.node).empty());
}

TEST(Trace, TermsOfASumAddUp) {
  const Traced sum = named(FormulaId::shard_hbm, in("a", 1) + (in("b", 2) + in("c", 3) * in("d", 4)));
  const auto terms = terms_of(*sum.node);
  ASSERT_EQ(terms.size(), 3u);
  double total = 0;
  for (const TraceRef& term : terms) total += term->nominal;
  EXPECT_EQ(total, sum.nominal);
}

TEST(Trace, BoundsAreThoseOfTheIntervalReading) {
  const RealInterval x{2.5, 3.5}, y{1, 2};
  const Traced a = traced_input("a", "a", x, 3, 0), b = traced_input("b", "b", y, 9, 1);
  EXPECT_EQ(b.nominal, 2);  // moved into the bounds
  EXPECT_EQ((a + b).value, x + y);
  EXPECT_EQ((a * b).value, x * y);
  EXPECT_EQ((a / b).value, x / y);
  EXPECT_EQ(up(a).value, up(x));
  EXPECT_EQ(unless_empty(a, Emptiness::unknown).value, unless_empty(x, Emptiness::unknown));
  EXPECT_EQ(unless_empty(a, Emptiness::yes).value, exactly(0.0));
  EXPECT_EQ(within(a, {2.6, 2.8}).nominal, 2.8);
}

// storage-model.md section 12.2: table_1705, ranks 0-94.
TEST(Trace, ShardStorageIsThatOfTheOtherReadings) {
  Setting setting;
  setting.rules = &rules_of(Release::v1_4_0);
  setting.world_size = 96;
  TableFacts<Traced> table;
  table.sharding = Sharding::rw;
  table.kernel = find_kernel("fused");
  table.sequence = true;
  table.rows = in("R", 80000000);
  table.cols = in("C", 128);
  table.element_size = table.output_element_size = in("e", 2);
  table.optimizer_multiplier = in("m", 1.0 / 128);
  table.lookups = in("N", 6066) * in("B", 2560);
  const ShardFacts<Traced> shard{in("r", 833334), in("c", 128), Emptiness::no};
  const ShardStorage<Traced> s = shard_storage(setting, table, shard);
  EXPECT_EQ(s.hbm.nominal, 4314645612);
  EXPECT_EQ(s.hbm.value, exactly(4314645612.0));
  EXPECT_EQ(expression(*s.hbm.node), "t + o + io");
  EXPECT_EQ(substituted(*s.hbm.node), "213,333,504 + 1,666,668 + 4,099,645,440");
  EXPECT_EQ(s.ddr.nominal, 0);
  const ShardFacts<Traced> empty{constant<Traced>(0), in("c", 128), Emptiness::yes};
  EXPECT_EQ(shard_storage(setting, table, empty).hbm.nominal, 0);
}

TEST(NumberText, GroupsThousands) {
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(999), "999");
  EXPECT_EQ(number_text(1000), "1,000");
  EXPECT_EQ(number_text(-1234567), "-1,234,567");
  EXPECT_EQ(number_text(0.0078125), "0.0078125");
  EXPECT_EQ(number_text(15528.960000000001), "15,528.96");
}

}  // namespace
}  // namespace shardstats
