#include "shardstats/report/sarif.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "shardstats/report/json.h"

namespace shardstats {
namespace {

// The document of one finding at that place in a log of that text.
Json result_of(std::string_view log, const Finding& finding) {
  Report report;
  report.findings = {finding, finding};
  SarifRun run;
  std::string out;
  run.begin(SarifRun::Rules::findings, out);
  run.add("a.log", LogLines(log), {}, report, out);
  run.end(0, out);
  const Json document = Json::parse(out);
  EXPECT_NE(document["runs"][0]["results"][0]["partialFingerprints"],
            document["runs"][0]["results"][1]["partialFingerprints"]);
  return document["runs"][0]["results"][0];
}

Finding finding_at(std::string_view text, Place place) {
  Finding finding;
  finding.rule = &rule_of(RuleId::rank_hbm);
  finding.where = {text, place};
  return finding;
}

TEST(Sarif, Regions) {
  const struct {
    std::string_view text;
    Place place;
    const char* region;
  } cases[] = {
      {"12", {2, 3}, R"({"startLine": 2, "startColumn": 3, "endColumn": 5})"},
      {"12", {3, 7}, R"({"startLine": 3, "startColumn": 4, "endColumn": 6})"},  // behind one of four and one of two
      {"123", {2, 3}, R"({"startLine": 2, "startColumn": 3})"},                 // goes on elsewhere
      {"", {2, 3}, R"({"startLine": 2, "startColumn": 3, "endColumn": 3})"},    // something missing
      {"12", {2, 0}, R"({"startLine": 2})"},
      {"12", {9, 9}, R"({"startLine": 9})"},
  };
  for (const auto& c : cases) {
    const Json result = result_of("x\n# 12\n\U0001F600\u00fc12\n", finding_at(c.text, c.place));
    EXPECT_EQ(result["locations"][0]["physicalLocation"]["region"], Json::parse(c.region)) << c.region;
  }
  EXPECT_FALSE(result_of("", finding_at("", {}))["locations"][0]["physicalLocation"].contains("region"));
}

TEST(Sarif, SuspectsElsewhere) {
  Finding finding = finding_at("12", {2, 3});
  finding.suspects = {{{"12", {2, 3}}, "itself"}, {{"x", {1, 1}}, "see [x](http://y)"}};
  const Json related = result_of("x\n# 12\n", finding)["relatedLocations"];
  ASSERT_EQ(related.size(), 1U);
  EXPECT_EQ(related[0]["physicalLocation"]["region"]["startLine"], 1);
  EXPECT_EQ(related[0]["message"]["text"], "see \\[x\\](http://y)");
}

TEST(Sarif, Uris) {
  EXPECT_EQ(uri_of("runs/7/a.log"), "runs/7/a.log");
  EXPECT_EQ(uri_of("a b%\xff:c.log"), "a%20b%25%FF%3Ac.log");
  EXPECT_EQ(uri_of("/data/a.log"), "file:///data/a.log");
}

}  // namespace
}  // namespace shardstats
