#include "shardstats/analysis/filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logs.h"

namespace shardstats {
namespace {

TEST(Filter, Tables) {
  const Filter filter = filter_of({.tables = {"ebc\\.", "^x"}, .excluded_tables = {"_7$"}});
  EXPECT_TRUE(filter.keeps_table("model.ebc.t_1", "TW", "fused"));
  EXPECT_TRUE(filter.keeps_table("x", "TW", "fused"));
  EXPECT_FALSE(filter.keeps_table("model.ebc.t_7", "TW", "fused"));
  EXPECT_FALSE(filter.keeps_table("model.ec.t_1", "TW", "fused"));
}

TEST(Filter, ShardingAndKernel) {
  const Filter filter = filter_of({.shardings = {"RW,TWRW"}, .kernels = {"fused"}});
  EXPECT_TRUE(filter.keeps_table("t", "RW", "fused"));
  EXPECT_TRUE(filter.keeps_table("t", "TWRW", "fused"));
  EXPECT_FALSE(filter.keeps_table("t", "TW", "fused"));
  EXPECT_FALSE(filter.keeps_table("t", "RW", "fused_uvm"));
}

TEST(Filter, Ranks) {
  const Filter filter = filter_of({.ranks = {"0,4-7", "9"}});
  for (const int rank : {0, 4, 5, 7, 9}) EXPECT_TRUE(filter.keeps_rank(rank)) << rank;
  for (const int rank : {1, 3, 8, 10}) EXPECT_FALSE(filter.keeps_rank(rank)) << rank;
}

TEST(Filter, NothingSetKeepsAll) {
  const Filter filter = filter_of({});
  EXPECT_TRUE(filter.keeps_table("t", "?", "?"));
  EXPECT_TRUE(filter.keeps_rank(12));
}

TEST(Filter, BadWordsAreNamed) {
  const FilterWords cases[] = {
      {.excluded_tables = {""}}, {.tables = {"("}},     {.excluded_tables = {"["}},
      {.ranks = {"x"}},          {.ranks = {"7-4"}},    {.ranks = {"-1"}},
      {.shardings = {"XW"}},     {.select = {"tabel"}}, {.ignore = {"rank.hbm,nothing"}},
      {.ranks = {""}},           {.ranks = {"1,"}},     {.kernels = {"fused,,dense"}},
      {.select = {""}},          {.ignore = {""}},      {.select = {"rank"}, .ignore = {"rank"}}};
  for (const FilterWords& words : cases) {
    Filter filter;
    EXPECT_NE(filter.set(words), std::nullopt);
  }
}

// The rules left of a log with a wrong table, a wrong rank and a wrong kernel count.
TEST(Filter, Findings) {
  std::string bytes = changed(log_bytes("v1.4.0.log"), "device_os_ad_id", "8.941", "8.945");
  bytes = changed(bytes, "1.65 (10%)", "CW: 1", "CW: 2");
  bytes = changed(bytes, "#    fused: 3", "3", "2");
  const auto rules = [&](const FilterWords& words) {
    Checked checked(bytes);
    apply(filter_of(words), checked.printed, checked.report);
    std::string ids;
    for (const Finding& finding : checked.report.findings) ids += std::string(finding.rule->id) + " ";
    return ids;
  };
  EXPECT_EQ(rules({}), "rank.shards table.storage.hbm kernel.count tiers.ranks tiers.ranks ");
  EXPECT_EQ(rules({.tables = {"device_os"}}), "table.storage.hbm ");
  EXPECT_EQ(rules({.tables = {"pub_table"}}), "");
  EXPECT_EQ(rules({.excluded_tables = {"device_os"}}), "rank.shards kernel.count tiers.ranks tiers.ranks ");
  EXPECT_EQ(rules({.tables = {"os_ad"}, .excluded_tables = {"no_such_table"}}), "table.storage.hbm ");
  EXPECT_EQ(rules({.ranks = {"1"}}), "rank.shards ");
  EXPECT_EQ(rules({.ranks = {"0"}}), "table.storage.hbm ");
  EXPECT_EQ(rules({.kernels = {"fused"}}), "table.storage.hbm kernel.count ");
  EXPECT_EQ(rules({.select = {"table,kernel"}}), "table.storage.hbm kernel.count ");
  EXPECT_EQ(rules({.ignore = {"table", "rank.shards", "tiers"}}), "kernel.count ");
  EXPECT_EQ(rules({.select = {"table"}, .ignore = {"table.storage"}}), "");
}

TEST(Filter, CheckedRules) {
  const auto groups = [](const FilterWords& words) {
    Checked checked(log_bytes("v1.4.0.log"));
    apply(filter_of(words), checked.printed, checked.report);
    std::string all, last;
    for (const Rule* rule : checked.report.checked) {
      const std::string group(rule->id.substr(0, rule->id.find('.')));
      if (group != last) all += group + " ";
      last = group;
    }
    return all;
  };
  EXPECT_EQ(groups({}),
            "table rank kernel reservation imbalance maxima distribution tiers critical_path top_tables log ");
  EXPECT_EQ(groups({.tables = {"x"}}), "table log ");
  EXPECT_EQ(groups({.ranks = {"1"}}), "table rank log ");
  EXPECT_EQ(groups({.kernels = {"fused"}}), "table kernel log ");
  EXPECT_EQ(groups({.select = {"tiers,rank.hbm"}}), "rank tiers ");
  EXPECT_EQ(groups({.ignore = {"log", "table", "kernel"}}),
            "rank reservation imbalance maxima distribution tiers critical_path top_tables ");
}

TEST(UnmatchedWords, SaysWhichWordsKeepNothing) {
  FilterWords words;
  words.tables = {"ad_emb$", "ad_enb"};
  words.ranks = {"0", "1,40-50"};
  words.kernels = {"fused,fusedd", "dense"};  // a kernel that this log does not have is no mistake
  UnmatchedWords unmatched(words);
  EXPECT_THAT(unmatched.missing(), testing::IsEmpty());  // no block: nothing is known
  unmatched.see(Checked(log_bytes("v1.4.0.log")).printed);
  std::vector<std::string> messages;
  for (const UnknownTarget& one : unmatched.missing()) messages.push_back(one.message);
  EXPECT_THAT(messages, testing::ElementsAre("--table 'ad_enb': no block has a table that matches",
                                             "--rank '40-50': no block has such a rank",
                                             "--kernel 'fusedd': no block has such a kernel"));
  EXPECT_THAT(unmatched.missing()[0].nearest, testing::ElementsAre("ad_emb"));
}

TEST(UnmatchedWords, SaysThatNoTableIsLeft) {
  const struct {
    FilterWords words;
    std::vector<std::string> messages;
  } cases[] = {
      {{.excluded_tables = {"."}}, {}},  // what concerns no table is left
      {{.tables = {"ad_emb", "ad_id"}, .excluded_tables = {"ad"}},
       {"--table 'ad_emb' --table 'ad_id' --exclude-table 'ad': together they keep no table of any block"}},
      {{.tables = {"ad_emb"}, .shardings = {"RW,DP"}},
       {"--table 'ad_emb' --sharding 'RW,DP': together they keep no table of any block"}},
      {{.tables = {"ad_emb"}, .kernels = {"dense"}},
       {"--table 'ad_emb' --kernel 'dense': together they keep no table of any block"}},
      {{.tables = {"ad_emb"}, .shardings = {"RW,CW"}, .kernels = {"fused"}}, {}},
      {{.shardings = {"DP"}}, {}},  // a type that this log does not have is no mistake
      {{.tables = {"ad_enb"}, .excluded_tables = {"ad"}}, {"--table 'ad_enb': no block has a table that matches"}},
      {{.tables = {"emb"}, .excluded_tables = {"ad"}}, {}}};
  for (const auto& c : cases) {
    UnmatchedWords unmatched(c.words);
    unmatched.see(Checked(log_bytes("v1.4.0.log")).printed);
    std::vector<std::string> messages;
    for (const UnknownTarget& one : unmatched.missing()) messages.push_back(one.message);
    EXPECT_EQ(messages, c.messages);
  }
}

}  // namespace
}  // namespace shardstats
