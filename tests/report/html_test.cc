#include "shardstats/report/html.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analysis/logs.h"

namespace shardstats {
namespace {

Json block_of(const Checked& checked) {
  const Reconstruction rows = reconstruct(checked.printed, checked.plan, Filter(), {});
  Json block = html_block({checked.plan, view_block(checked.printed, checked.plan, 0, false), checked.report, rows,
                           compose(checked.printed, checked.plan), explain_largest(checked.printed, checked.plan, 2)});
  block["path"] = "train.log";
  return block;
}

// The JSON that the page holds.
Json data_of(const std::string& page) {
  const std::string start = R"(<script type="application/json" id="data">)";
  const std::size_t at = page.find(start) + start.size();
  return Json::parse(page.substr(at, page.find("</script>", at) - at));
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++n;
  return n;
}

TEST(Html, ColumnsHaveARowForEachTableAndRank) {
  const Checked checked(log_bytes("v1.4.0.log"));
  const Json block = block_of(checked);
  const Json& tables = block["table_columns"];
  EXPECT_EQ(tables["name"].size(), 4U);
  for (const char* column : {"hbm", "ddr", "ssd", "weights", "optimizer_state", "cache", "buffers"})
    EXPECT_EQ(tables[column]["low"].size(), 4U) << column;
  for (const char* column : {"sharding", "kernel", "choice", "alternatives"})
    EXPECT_EQ(tables[column]["of"].size(), 4U) << column;
  EXPECT_EQ(tables["perf"]["total"]["low"].size(), 4U);
  EXPECT_EQ(block["rank_columns"]["rank"], Json::array({0, 1, 2, 3}));
  EXPECT_EQ(block["explained"].size(), 2U);
  EXPECT_EQ(tables["name"][block["explained"][0]["table"].get<std::size_t>()], block["explained"][0]["target"]);
}

TEST(Html, BoundsAreThoseOfThePlan) {
  const Checked checked(log_bytes("v1.4.0.log"));
  const Json hbm = block_of(checked)["rank_columns"]["hbm"];
  for (std::size_t r = 0; r < checked.plan.ranks.size(); ++r) {
    const ByteInterval bytes = checked.plan.ranks[r].hbm;
    EXPECT_EQ(hbm["low"][r], bytes.low);
    EXPECT_EQ(hbm.contains("spread") ? hbm["spread"][r].get<std::int64_t>() : 0, bytes.width());
  }
}

TEST(Html, RunsGiveTheShardsBack) {
  const Checked checked(log_bytes("v1.4.0.log"));
  const Json runs = block_of(checked)["runs"];
  std::size_t at = 0;
  for (std::size_t t = 0; t < checked.plan.tables.size(); ++t)
    for (const RankBytes& here : hbm_by_rank(checked.plan, checked.plan.tables[t])) {
      if (here.rank >= runs["rank"][at].get<int>() + runs["ranks"][at].get<int>() || runs["table"][at] != t) ++at;
      ASSERT_LT(at, runs["table"].size());
      EXPECT_EQ(runs["table"][at], t);
      EXPECT_GE(here.rank, runs["rank"][at].get<int>());
      EXPECT_LT(here.rank, runs["rank"][at].get<int>() + runs["ranks"][at].get<int>());
      EXPECT_EQ(runs["bytes"]["low"][at], here.bytes.low);
    }
  EXPECT_EQ(at + 1, runs["table"].size());
}

TEST(Html, WhatIsNotKnownIsNull) {
  const Json block = block_of(Checked(log_bytes("v0.1.0.log")));
  EXPECT_TRUE(block["planning_hbm"].is_null());
  EXPECT_EQ(block["rank_columns"]["input"]["low"], Json::array({nullptr, nullptr}));
  EXPECT_TRUE(block["rank_columns"]["perf"]["total"]["low"][0].is_null());
}

TEST(Html, EveryLogMakesAPage) {
  for (const std::string& log : all_logs()) {
    SCOPED_TRACE(log);
    const Checked checked(log_bytes(log));
    const Json data = data_of(html_page({block_of(checked)}, {}, std::nullopt));
    EXPECT_EQ(data["blocks"].size(), 1U);
    EXPECT_TRUE(data["comparison"].is_null());
    EXPECT_EQ(data["blocks"][0]["path"], "train.log");
  }
}

TEST(Html, NamesCannotLeaveTheData) {
  Json block;
  const std::string name = "</script><script>alert(1)</script><!--";
  block["path"] = name + "\xff";
  const std::string page = html_page({block}, {html_error({name, {7, 1}, "bad", "try"})}, std::nullopt);
  EXPECT_EQ(count_of(page, "alert(1)</script>"), 0U);
  EXPECT_EQ(count_of(page, "<script"), 3U);
  EXPECT_EQ(count_of(page, "</script>"), 3U);
  const Json data = data_of(page);
  EXPECT_EQ(data["blocks"][0]["path"], name + "\xEF\xBF\xBD");
  EXPECT_EQ(data["errors"][0]["message"], "bad; try");
  EXPECT_EQ(data["errors"][0]["line"], 7);
}

TEST(Html, ThePageIsWholeAndNamesItsLibrary) {
  const std::string page = html_page({}, {}, std::nullopt);
  EXPECT_NE(page.find("Chart.js v3.9.1"), std::string::npos);
  EXPECT_NE(page.find("Permission is hereby granted"), std::string::npos);
  EXPECT_TRUE(page.ends_with("</html>\n"));
  for (const char* mark : {"/*page.css*/", "<!--chart-license-->", "<!--data-->", "/*chart.js*/", "/*page.js*/"})
    EXPECT_EQ(page.find(mark), std::string::npos) << mark;
}

TEST(Html, Comparison) {
  PlanDiff diff;
  TableDiff changed, added;
  changed.fqn = "a";
  changed.inputs = {{"rows", "10", "20"}};
  changed.hbm = {"hbm", DiffUnit::bytes, RealInterval{1, 3}, RealInterval{5, 5}, {2, 4}, true};
  added.fqn = "b";
  added.presence = Presence::added;
  diff.tables = {changed, added};
  Cause cause;
  cause.inputs = {{"batch_size", "512", "1024"}};
  diff.causes = {cause};
  diff.not_compared = {{"kernel_count", false, false, true}};
  const Json json = html_comparison({"x.log", "y.log", diff});
  EXPECT_EQ(json["not_compared"], "kernels, which the second log does not print");
  EXPECT_EQ(json["tables"]["hbm_change"]["low"], Json::array({2, nullptr}));
  EXPECT_EQ(json["tables"]["hbm_change"]["spread"], Json::array({2, 0}));
  EXPECT_EQ(json["tables"]["status"]["words"], Json::array({"in both", "added"}));
  EXPECT_EQ(json["tables"]["why"][0], "rows 10 -> 20");
  EXPECT_EQ(json["causes"][0]["cause"], "batch_size 512 -> 1024");
  EXPECT_EQ(json["after"], "y.log");
}

}  // namespace
}  // namespace shardstats
