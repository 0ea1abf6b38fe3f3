#include "shardstats/report/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analysis/logs.h"

namespace shardstats {
namespace {

TEST(Json, FindingHasEveryField) {
  const Checked checked(changed(log_bytes("v1.4.0.log"), "device_os_ad_id", "8.941", "8.945"));
  Json block = block_json(view_block(checked.printed, checked.plan, 0, false));
  add_report(checked.report, block);
  const Json& finding = block["findings"][0];
  EXPECT_EQ(finding["rule"], "table.storage.hbm");
  EXPECT_EQ(finding["severity"], "error");
  EXPECT_EQ(finding["line"], 22);
  EXPECT_EQ(finding["text"], "8.945");
  EXPECT_EQ(finding["table"], "model.position_ebc.device_os_ad_id");
  EXPECT_TRUE(finding["rank"].is_null());
  EXPECT_TRUE(finding["known_issue"].is_null());
  EXPECT_TRUE(finding["expected"]["low"].is_number_integer());
  EXPECT_EQ(finding["expected"]["unit"], "bytes");
  EXPECT_EQ(finding["expected"]["text"], "8.941");
  EXPECT_EQ(finding["suspects"][0]["column"], finding["column"]);
  const Json& coverage = block["coverage"];
  EXPECT_EQ(coverage["numbers"],
            coverage["derived"].get<int>() + coverage["inputs"].get<int>() + coverage["unchecked"].get<int>());
}

TEST(Json, BlockOfALogWithoutTables) {
  const Checked checked(log_bytes("v0.1.0.log"));
  const Json block = block_json(view_block(checked.printed, checked.plan, 2, false));
  EXPECT_EQ(block["index"], 2);
  EXPECT_EQ(block["release"]["candidates"], Json::array({"v0.1.0"}));
  EXPECT_TRUE(block["batch_size"].is_null());
  EXPECT_EQ(block["tables"], 0);
  EXPECT_EQ(block["world_size"], 2);
}

TEST(Json, AssumptionsAreSummedUpOrListed) {
  const Checked checked(log_bytes("v1.8.0.log"));
  const auto of_tables = [&](bool each) {
    std::string scopes;
    const Json block = block_json(view_block(checked.printed, checked.plan, 0, each));
    for (const Json& one : block["assumptions"])
      if (one["name"] == "element_size") scopes += one["scope"].get<std::string>() + " ";
    return scopes;
  };
  EXPECT_EQ(of_tables(false), "tables ");
  EXPECT_EQ(of_tables(true), "table table table table table table ");
}

TEST(Json, ShardsOfAReconstruction) {
  const Checked checked(log_bytes("v1.4.0.log"));
  Json block;
  add_reconstruction(reconstruct(checked.printed, checked.plan, Filter(), {}), block);
  ASSERT_EQ(block["tables_detail"].size(), 4U);
  const Json& table = block["tables_detail"][1];
  EXPECT_EQ(table["sharding"], "RW");
  EXPECT_EQ(table["rows"], 21);
  ASSERT_EQ(table["shards"].size(), 4U);
  for (const char* field :
       {"rows", "cols", "hbm", "ddr", "ssd", "tensor", "optimizer", "cache_aux", "input", "output", "pipeline_io"}) {
    EXPECT_TRUE(table["shards"][3][field]["low"].is_number_integer()) << field;
    EXPECT_LE(table["shards"][3][field]["low"], table["shards"][3][field]["high"]) << field;
  }
  EXPECT_EQ(block["ranks_detail"].size(), 4U);
  EXPECT_EQ(block["ranks_detail"][2]["rank"], 2);
}

TEST(Json, DocumentWithAFailedLog) {
  Totals totals;
  totals.logs = 1;
  const Json document = Json::parse(document_text(
      "verify", {{"a.log", {}, Error{"a.log", {7, 0}, "no planner block found", ""}}}, totals, Verdict::failed));
  EXPECT_EQ(document["schema_version"], 1);
  EXPECT_EQ(document["tool"]["name"], "shardstats");
  EXPECT_EQ(document["logs"][0]["blocks"], Json::array());
  EXPECT_EQ(document["logs"][0]["error"]["message"], "no planner block found");
  EXPECT_EQ(document["logs"][0]["error"]["line"], 7);
  EXPECT_EQ(document["summary"]["logs"], 1);
  EXPECT_EQ(document["verdict"], "failed");
}

TEST(Json, Rules) {
  const Json document = Json::parse(rules_text(rules_matching("rank")));
  EXPECT_EQ(document["command"], "rules");
  EXPECT_EQ(document["rules"][0]["id"], "rank.hbm");
  EXPECT_EQ(document["rules"].size(), rules_matching("rank").size());
}

// Null, as all that is not known, and no word of no letters.
TEST(Json, TheKernelOfATableThatLostItIsNull) {
  const Checked checked(changed(log_bytes("v1.4.0.log"), "device_os_ad_id", " fused ", "       "));
  Json block = block_json(view_block(checked.printed, checked.plan, 0, true));
  add_reconstruction(reconstruct(checked.printed, checked.plan, Filter(), {}), block);
  std::size_t lost = 0;
  for (const Json& table : block["tables_detail"]) {
    lost += table["kernel"].is_null();
    EXPECT_TRUE(table["kernel"].is_null() || !table["kernel"].get<std::string>().empty());
    EXPECT_TRUE(table["sharding"].is_string());
  }
  EXPECT_EQ(lost, 1u);
}

}  // namespace
}  // namespace shardstats
