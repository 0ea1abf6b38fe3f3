#include "shardstats/analysis/nearest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shardstats/analysis/table_names.h"

namespace shardstats {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Nearest, EditDistance) {
  struct {
    std::string_view a, b;
    std::size_t distance;
  } const cases[] = {{"", "", 0},      {"", "abc", 3},     {"abc", "", 3},  {"abc", "abc", 0},       {"abc", "abd", 1},
                     {"abc", "ab", 1}, {"abc", "xabc", 1}, {"ab", "ba", 2}, {"kitten", "sitting", 3}};
  for (const auto& c : cases) EXPECT_EQ(edit_distance(c.a, c.b), c.distance) << c.a << " " << c.b;
}

TEST(Nearest, NamesNearestFirst) {
  EXPECT_THAT(nearest_of("tabel_1", {"rank:1", "table_10", "table_1"}), ElementsAre("table_1"));
  EXPECT_THAT(nearest_of("tabl", {"user", "my_table_1", "table"}), ElementsAre("table", "my_table_1"));
  EXPECT_THAT(nearest_of("table_1", {"table_1", "table_1"}), ElementsAre("table_1"));
  EXPECT_THAT(nearest_of("ab", {"xxabxx"}), IsEmpty());  // too short to be looked for inside
  EXPECT_THAT(nearest_of("SELLER_EMB", {"buyer_emb", "seller_emb"}), ElementsAre("seller_emb"));
  EXPECT_THAT(nearest_of("*", {"v3", "v7"}), IsEmpty());  // nothing in common
  EXPECT_THAT(nearest_of("", {"v3"}), IsEmpty());
  EXPECT_THAT(nearest_of("nosuch", {"table", "user"}), IsEmpty());
  EXPECT_EQ(nearest_of("t1", {"t2", "t3", "t4", "t5", "t6", "t7"}).size(), 5U);
}

PrintedPlan four_tables() {
  PrintedPlan printed;
  for (const char* fqn : {"main.impl.ebc.seller_emb", "main.impl.ebc.buyer_emb", "main.impl.ec.v3", "main.impl.ebc.v3"})
    printed.tables.rows.emplace_back().fqn = {fqn, {}};
  return printed;
}

TEST(TableNames, FqnLastPartsOrGlob) {
  const PrintedPlan printed = four_tables();
  const struct {
    std::string_view name;
    std::vector<std::uint32_t> rows;
  } cases[] = {{"main.impl.ebc.seller_emb", {0}},
               {"seller_emb", {0}},
               {"ebc.seller_emb", {0}},
               {"bc.seller_emb", {}},  // no whole part
               {"v3", {2, 3}},
               {"ebc.v3", {3}},
               {"ebc.*", {0, 1, 3}},
               {"ebc.seller*", {0}},
               {"*_emb", {0, 1}},
               {"main.*.v?", {2, 3}},
               {"impl.ec.*", {2}},
               {"impl.*", {0, 1, 2, 3}},
               {"*", {0, 1, 2, 3}},
               {"", {}}};
  for (const auto& c : cases) EXPECT_EQ(tables_named(printed, c.name), c.rows) << c.name;
}

TEST(TableNames, ThatSayWhatTheTableIs) {
  for (const auto& [fqn, name] : {std::pair("main.ebc.seller_emb", "seller_emb"),
                                  {"ebc.brand.v2", "brand.v2"},
                                  {"ebc.brand.v2.17", "brand.v2.17"},
                                  {"ebc.t", "ebc.t"},
                                  {"v2", "v2"},
                                  {"a.2", "a.2"},
                                  {"ebc.v2x", "v2x"},
                                  {"ebc.", "ebc."},
                                  {"", ""}})
    EXPECT_EQ(telling_end(fqn), name);
}

TEST(Nearest, Tables) {
  const PrintedPlan printed = four_tables();
  const struct {
    std::string_view wanted;
    std::vector<std::string> near;
  } cases[] = {{"sparse.seller*", {"seller*"}},
               {"ebc.*seller?", {"seller_emb"}},
               {"ebc.nothing*", {}},
               {"ec.seller_emb", {"main.impl.ebc.seller_emb"}},
               {"sparse.v3", {"main.impl.ec.v3", "main.impl.ebc.v3"}},
               {"ebc.sellr_emb", {"seller_emb"}},
               {"Seller_Emb", {"seller_emb"}},
               {"EC.V3", {"ec.v3"}},
               {"ebc", {"seller_emb", "buyer_emb", "ebc.v3"}},
               {"ebc.", {}}};
  for (const auto& c : cases) EXPECT_EQ(nearest_tables(c.wanted, printed), c.near) << c.wanted;
}

TEST(Nearest, DidYouMean) {
  EXPECT_EQ(did_you_mean(std::vector<std::string>{"v3", "v7"}), "; did you mean 'v3' or 'v7'?");
  EXPECT_EQ(did_you_mean("v3"), "; did you mean 'v3'?");
  EXPECT_EQ(did_you_mean(""), "");
}

}  // namespace
}  // namespace shardstats
