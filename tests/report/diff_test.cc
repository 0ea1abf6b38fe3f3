#include "shardstats/report/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/diff_words.h"
#include "shardstats/utf8.h"

namespace shardstats {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kMega = 1 << 20;

NumberDiff bytes(double before, double after) {
  return {"hbm", DiffUnit::bytes, exactly(before), exactly(after), exactly(after - before), before != after};
}

PlanDiff one_moved_table(std::size_t tables) {
  PlanDiff diff;
  diff.largest = {{0}, {1}, bytes(100 * kMega, 150 * kMega)};
  for (std::size_t i = 0; i < tables; ++i) {
    TableDiff table;
    table.fqn = "ebc.t_" + std::to_string(i);
    table.inputs = {{"ranks", "0", "1"}};
    table.hbm = bytes(50 * kMega, 60 * kMega);
    Cause cause;
    cause.kind = Cause::Kind::table;
    cause.table = table.fqn;
    cause.inputs = table.inputs;
    diff.causes.push_back(cause);
    diff.tables.push_back(table);
  }
  RankDiff rank;
  rank.rank = 1;
  rank.hbm = bytes(100 * kMega, 150 * kMega);
  rank.parts = {{RankPart::Kind::moved_here, "ebc.t_0", {0}, 1, exactly(50 * kMega)}};
  diff.ranks = {rank};
  return diff;
}

TEST(DiffWords, DigitsThatBoundsAgreeOn) {
  const struct {
    RealInterval value;
    DiffUnit unit;
    std::string_view text;
  } cases[] = {{{2.1e9, 2.1001e9}, DiffUnit::bytes, "+1.956 GiB"},
               {{0, 0}, DiffUnit::bytes, "+0 B"},
               {{-1536, -1536}, DiffUnit::bytes, "-1.5 KiB"},
               {{5, 5}, DiffUnit::count, "+5"},
               {{-3.25, -3.25}, DiffUnit::ms, "-3.25 ms"},
               {{30.3 * kMega, 30.8 * kMega}, DiffUnit::bytes, "+30.3..+30.8 MiB"},
               {{-724.2 * 1024, -718.1 * 1024}, DiffUnit::bytes, "-724.2..-718.1 KiB"}};
  for (const auto& c : cases) EXPECT_EQ(diff_words::signed_text(c.value, c.unit), c.text);
}

TEST(DiffText, SaysThatNothingChanged) {
  std::string out;
  write_diff({"a.log", "b.log"}, {}, 10, {}, out);
  EXPECT_EQ(out, "a.log -> b.log\nnothing changed: both logs print and explain the same plan\n");
}

TEST(DiffText, HeadlineCausesAndParts) {
  std::string out;
  write_diff({"a.log", "b.log"}, one_moved_table(1), 10, {}, out);
  EXPECT_THAT(out, HasSubstr("largest rank HBM: 100.0 MiB on rank 0 -> 150.0 MiB on rank 1, +50.0 MiB (+50.0%)\n"));
  EXPECT_THAT(out, HasSubstr("why\n  ebc.t_0: ranks 0 -> 1\n"));
  EXPECT_THAT(out, HasSubstr("+50.0 MiB  ebc.t_0 moved here from rank 0\n"));
}

TEST(DiffText, TopAndColours) {
  std::string out;
  TextStyle style;
  style.color = true;
  write_diff({"a.log", "b.log"}, one_moved_table(5), 2, style, out);
  EXPECT_THAT(out, HasSubstr("... and 3 more tables\n"));
  EXPECT_THAT(out, HasSubstr("\033[1;31m"));       // more memory
  EXPECT_THAT(out, Not(HasSubstr("\033[1;32m")));  // none got less
}

TEST(DiffMarkdown, FitsACommentAndSaysWhatIsLeftOut) {
  const std::string all = diff_markdown({"a.log", "b.log"}, one_moved_table(3), 0);
  EXPECT_THAT(all, HasSubstr("| ebc.t\\_2 | ranks 0 -\\> 1 | 50.0 MiB | 60.0 MiB | +10.0 MiB (+20.0%) |\n"));
  EXPECT_THAT(all, Not(HasSubstr("left out")));
  const std::string large = diff_markdown({"a.log", "b.log"}, one_moved_table(20000), 0);
  EXPECT_LE(characters(large), 65536U);
  EXPECT_THAT(large, HasSubstr("left out"));
}

TEST(DiffJson, NumbersAndRows) {
  const Json json = diff_json(one_moved_table(3), 2);
  EXPECT_EQ(json["changed"], true);
  EXPECT_EQ(json["largest_hbm"]["change"]["low"], 52428800);
  EXPECT_EQ(json["tables"].size(), 2U);
  EXPECT_EQ(json["left_out"]["tables"], 1);
  EXPECT_EQ(json["causes"][0]["set"][0], "ebc.t_0.ranks=1");
  EXPECT_EQ(json["ranks"][0]["parts"][0]["kind"], "moved_here");
  EXPECT_EQ(json["headroom"]["change"], nullptr);  // not printed on either side
}

}  // namespace
}  // namespace shardstats
