#include "shardstats/report/explain_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace shardstats {
namespace {

TEST(ExplainJson, HasTheFieldsOfTheContract) {
  Explained one;
  one.target = "ebc.table_1";
  one.kind = "table";
  Step step;
  step.label = "input buffer";
  step.value = {124231680, {124231669, 124231691}, "bytes"};
  step.formula = "io.input";
  step.expression = "ceil(x * W * 8)";
  step.substituted = "ceil(161,760 * 96 * 8)";
  step.operands.push_back({"rho", "caching ratio", {0.25, {0.25, 0.25}, ""}, Origin::inferred, {}, "or 0.2"});
  Cell cell;
  cell.text = "385.759";
  cell.place.line = 111;
  cell.place.column = 9;
  Step sum;
  sum.label = "HBM";
  sum.sum = true;
  sum.value = step.value;
  sum.printed = cell;
  sum.children.push_back(step);
  one.steps.push_back(sum);
  one.components.push_back({"input buffer", 10, 20, 100});
  one.notes.emplace_back("a note");

  const auto json = explained_json(one);
  EXPECT_EQ(json["target"], "ebc.table_1");
  EXPECT_EQ(json["kind"], "table");
  const auto& root = json["steps"][0];
  EXPECT_EQ(root["line"], 111);
  EXPECT_EQ(root["printed"], "385.759");
  EXPECT_TRUE(root["formula"].is_null());
  EXPECT_EQ(root["sum"], true);
  const auto& child = root["children"][0];
  EXPECT_EQ(child["label"], "input buffer");
  EXPECT_TRUE(child["value"]["low"].is_number_integer());
  EXPECT_EQ(child["value"]["low"], 124231669);
  EXPECT_EQ(child["value"]["high"], 124231691);
  EXPECT_EQ(child["value"]["unit"], "bytes");
  EXPECT_EQ(child["formula"], "io.input");
  EXPECT_EQ(child["expression"], "ceil(x * W * 8)");
  EXPECT_EQ(child["substituted"], "ceil(161,760 * 96 * 8)");
  EXPECT_EQ(child["origin"], "inferred");
  EXPECT_TRUE(child["line"].is_null());
  EXPECT_TRUE(child["children"].empty());
  EXPECT_EQ(child["operands"][0]["symbol"], "rho");
  EXPECT_EQ(child["operands"][0]["value"]["low"], 0.25);
  EXPECT_EQ(child["operands"][0]["note"], "or 0.2");
  EXPECT_EQ(json["components"][0]["total"], 20);
  EXPECT_EQ(json["notes"][0], "a note");
}

}  // namespace
}  // namespace shardstats
