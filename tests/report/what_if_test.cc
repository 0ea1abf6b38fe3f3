#include "shardstats/report/what_if.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shardstats/report/csv.h"

namespace shardstats {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kGibi = 1 << 30;

PlanPeak peak(RealInterval hbm, double planning) {
  PlanPeak peak;
  peak.hbm = hbm;
  peak.planning = exactly(planning);
  peak.headroom = *peak.planning - hbm;
  return peak;
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
  return n;
}

// Two lines of three points, the second without its middle.
WhatIfResult two_lines() {
  WhatIfResult result;
  Sweep& sweep = result.sweep.emplace();
  sweep.keys = {"batch_size", "<x>.dtype"};
  sweep.base = peak(exactly(kGibi), 4 * kGibi);
  for (const char* batch : {"64", "128", "256"})
    for (const char* dtype : {"fp16", "fp32"}) {
      SweepPoint point{{batch, dtype}, peak({2 * kGibi, 3 * kGibi}, 4 * kGibi), {}};
      if (std::string_view(batch) == "128" && std::string_view(dtype) == "fp32") point = {point.values, {}, "no <way>"};
      sweep.points.push_back(point);
    }
  return result;
}

TEST(WhatIfPage, LinesBandsLimitAndBase) {
  const std::string page = what_if_section("a<b", two_lines(), 0);
  EXPECT_EQ(count(page, "<svg"), 2u);  // no perf is known
  EXPECT_EQ(count(page, "<circle"), 10u);
  EXPECT_EQ(count(page, "<polygon"), 4u);  // the refused point interrupts its line
  EXPECT_THAT(page, HasSubstr("planning memory 4.000 GiB"));
  EXPECT_EQ(count(page, "as logged</text>"), 2u);
  EXPECT_THAT(page, HasSubstr("batch_size, logarithmic"));
  EXPECT_THAT(page, HasSubstr("<title>64, fp32: 2.000..3.000 GiB</title>"));
  EXPECT_THAT(page, HasSubstr("<li>128, fp32: no &lt;way&gt;</li>"));
  EXPECT_THAT(page, HasSubstr("a&lt;b"));
  EXPECT_THAT(page, HasSubstr("&lt;x&gt;.dtype"));
}

TEST(WhatIfPage, NamesWhatIsNotDecided) {
  WhatIfResult result;
  result.diff.emplace();
  EXPECT_THAT(what_if_section("", result, 0), HasSubstr("with it the plan is as logged"));
  result.diff->open_tables = {"ebc.t_7"};
  const std::string page = what_if_section("", result, 0);
  EXPECT_THAT(page, Not(HasSubstr("as logged")));
  EXPECT_THAT(page, HasSubstr("<li>ebc.t_7</li>"));
}

TEST(WhatIfText, TheSameReasonIsSaidOnce) {
  WhatIfResult result = two_lines();
  std::vector<SweepPoint>& points = result.sweep->points;
  for (SweepPoint* point : {&points[0], &points[5]}) *point = {point->values, {}, "too large"};
  std::string out;
  write_sweep(*result.sweep, {}, out);
  EXPECT_THAT(out, HasSubstr("\n  64, fp16 and 1 more point: too large\n  128, fp32: no <way>\n"));
}

TEST(WhatIfPage, NoLimitWhereItIsNotTheSame) {
  WhatIfResult result = two_lines();
  result.sweep->points.front().peak = peak(exactly(kGibi), 8 * kGibi);
  EXPECT_THAT(what_if_section("a", result, 0), Not(HasSubstr("planning memory 4")));
}

TEST(WhatIfPage, WordsAreSpacedEvenly) {
  WhatIfResult result;
  Sweep& sweep = result.sweep.emplace();
  sweep.keys = {"dtype"};
  for (const char* dtype : {"fp32", "fp16", "int8"})
    sweep.points.push_back({{dtype}, peak(exactly(kGibi), 2 * kGibi), {}});
  const std::string page = what_if_section("a", result, 0);
  for (const char* place : {"cx=\"112\"", "cx=\"284\"", "cx=\"456\""}) EXPECT_THAT(page, HasSubstr(place));
  EXPECT_THAT(page, Not(HasSubstr("logarithmic")));
  EXPECT_THAT(page, Not(HasSubstr("legend")));
}

TEST(WhatIfCsv, RefusedPointsHaveNoNumbers) {
  std::string out;
  write_what_if_csv_header({"batch_size", "a,b"}, out);
  EXPECT_THAT(out, HasSubstr("log,block,batch_size,\"a,b\",hbm_low,"));
  out.clear();
  write_what_if_csv("a.log", {}, two_lines(), 0, out);
  EXPECT_EQ(count(out, "\r\n"), 7u);
  EXPECT_TRUE(out.starts_with("a.log,1,(as logged),,")) << out;
  EXPECT_THAT(out, HasSubstr("a.log,1,64,fp16,2147483648,3221225472,0,1073741824,2147483648,,,,\r\n"));
  EXPECT_THAT(out, HasSubstr("a.log,1,128,fp32,,,,,,,,,no <way>\r\n"));
}

}  // namespace
}  // namespace shardstats
