#include "shardstats/report/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/diff_words.h"
#include "shardstats/report/csv.h"
#include "shardstats/report/github.h"
#include "shardstats/report/markdown.h"

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
               {{-724.2 * 1024, -718.1 * 1024}, DiffUnit::bytes, "-724.2..-718.1 KiB"},
               {{0.0531, 0.0544}, DiffUnit::ms, "+0.053..+0.055 ms"},  // 0.05 would be off by a tenth
               {{0.0051, 0.0054}, DiffUnit::ms, "+0.005 ms"},          // a log prints no more
               {{1.304 * kMega, 1.306 * kMega}, DiffUnit::bytes, "+1.3 MiB"},
               {{2.9332, 663333}, DiffUnit::ms, "+2.933 ms or more"},  // the log says nothing of how much more
               {{2.9332, 290}, DiffUnit::ms, "+2.9..+290.0 ms"},
               {{-5, 663333}, DiffUnit::ms, "-5.0..+663,333 ms"},
               {{9.244 * kMega, 9.255 * kMega}, DiffUnit::bytes, "+9.244..+9.255 MiB"},
               {{-0.0004, -0.0001}, DiffUnit::ms, "-0.001..+0.000 ms"},
               {{-0.0, 0.0}, DiffUnit::ms, "+0.0 ms"},
               {{1234.2, 1234.9}, DiffUnit::ms, "+1,234..+1,235 ms"},
               {{1234.9, 1234.9}, DiffUnit::ms, "+1,235 ms"},
               {{1500.7, 1600.3}, DiffUnit::ms, "+1,500..+1,601 ms"}};
  for (const auto& c : cases) EXPECT_EQ(diff_words::signed_text(c.value, c.unit), c.text);
}

TEST(DiffWords, NothingChangedAsFarAsTheLogsTell) {
  const struct {
    std::vector<NotCompared> parts;
    std::string_view text;
  } cases[] = {
      {{}, "nothing changed: both logs print and explain the same plan"},
      {{{"tables", false, true, true}}, "nothing changed: both logs print and explain the same plan"},
      {{{"tables", false, false, true}},
       "nothing changed in what both logs print; not compared: tables, which the second log does not print"},
      {{{"kernel_count", false, true, false}, {"kjt", false, true, false}, {"ranks", true, false, true}},
       "nothing changed in what both logs print; not compared: kernels and KJT storage, which the first log does not "
       "print; some ranks, which the second log has lost"},
      {{{"cells", true, true, true}},
       "nothing changed in what both logs print; not compared: some cells, which both logs have lost"},
  };
  for (const auto& c : cases) {
    PlanDiff diff;
    diff.not_compared = c.parts;
    EXPECT_EQ(diff_words::nothing_changed_text(diff), c.text);
    const Json changed = diff_json(diff, 0)["changed"];
    EXPECT_EQ(changed, c.text.find(':') == 15 ? Json(false) : Json());
  }
}

TEST(DiffWords, PercentOfTheBase) {
  const struct {
    RealInterval before, after;
    std::string_view text;
  } cases[] = {{{100, 100}, {154.5, 154.5}, "+54.5%"},      {{100, 101}, {0, 0}, "-100.0%"},
               {{99.5, 100.5}, {0, 0.7}, "-100.0..-99.3%"}, {{1000, 1000}, {999.9, 999.9}, ""},
               {{1000, 1000}, {999.6, 1000.3}, ""},         {{0, 100}, {200, 200}, ""},
               {{100, 100}, {200, 200}, "+100.0%"}};
  for (const auto& c : cases) {
    const NumberDiff number{"hbm", DiffUnit::bytes, c.before, c.after, c.after - c.before, !c.before.overlaps(c.after)};
    EXPECT_EQ(diff_words::percent_text(number), c.text) << c.before.low << ".." << c.before.high;
  }
}

TEST(DiffWords, TheChangeLeadsFromSideToSide) {
  constexpr double kGiga = 1024 * kMega;
  const auto of = [](double unit, RealInterval x) { return RealInterval{x.low * unit, x.high * unit}; };
  const struct {
    RealInterval before, after, change;
    std::string_view text;
  } cases[] = {
      // 39 + 42.46 is not 81.29
      {of(kMega, {38.62, 38.83}), of(kMega, {81.287, 81.292}), of(kMega, {42.46, 42.662}),
       "38.62..38.83 MiB -> 81.287..81.292 MiB (+42.460..+42.662 MiB, +109.3..+110.5%)"},
      {of(kGiga, {4.018, 4.018}), of(kGiga, {4.0129, 4.0151}), of(kMega, {-5.2, -3.0}),
       "4.018 GiB -> 4.012..4.016 GiB (-5.2..-3.0 MiB, -0.1%)"},
      {of(kGiga, {46.822, 46.822}), of(kGiga, {47.216, 47.219}), of(kMega, {404.4, 405.7}),
       "46.822 GiB -> 47.216..47.219 GiB (+404.4..+405.7 MiB, +0.8%)"},
      {of(kMega, {109.518, 109.547}), of(kMega, {428.265, 428.3}), of(kMega, {318.72, 318.78}),
       "109.5 MiB -> 428.3 MiB (+319 MiB, +291%)"},  // the last digit says little
      {of(kMega, {39, 39}), of(kMega, {81.25, 81.25}), of(kMega, {42.25, 42.25}),
       "39.00 MiB -> 81.25 MiB (+42.25 MiB, +108.3%)"},
      {of(kMega, {512, 512}), of(kGiga, {2.5, 2.5}), of(kGiga, {2, 2}), "512.0 MiB -> 2.5 GiB (+2.0 GiB, +400.0%)"},
      {{0, 0}, of(kMega, {3, 3}), of(kMega, {3, 3}), "0 B -> 3.0 MiB (+3.0 MiB)"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(diff_words::both_text({"hbm", DiffUnit::bytes, c.before, c.after, c.change, true}), c.text);
  // Without a change the sides read alike.
  const NumberDiff same{"hbm", DiffUnit::bytes, of(kGiga, {1.951, 1.951}), of(kGiga, {1.946, 1.954}), {}, false};
  EXPECT_EQ(diff_words::both_text(same), "1.95 GiB -> 1.95 GiB");
}

TEST(DiffText, SaysThatNothingChanged) {
  std::string two_logs, one_log;
  write_diff({"a.log", "b.log"}, {}, 10, {}, two_logs);
  EXPECT_EQ(two_logs, "a.log -> b.log\nnothing changed: both logs print and explain the same plan\n");
  write_diff({"a.log", "changed", true}, {}, 10, {}, one_log);
  EXPECT_EQ(one_log, "a.log -> changed\nnothing changes: with it the plan is as logged\n");
  EXPECT_THAT(diff_markdown({"a.log", "changed", true}, {}, 0), HasSubstr("with it the plan is as logged"));
}

TEST(DiffText, HeadlineCausesAndParts) {
  std::string out;
  write_diff({"a.log", "b.log"}, one_moved_table(1), 10, {}, out);
  EXPECT_THAT(out, HasSubstr("largest rank HBM: 100.0 MiB on rank 0 -> 150.0 MiB on rank 1, +50.0 MiB (+50.0%)\n"));
  EXPECT_THAT(out, HasSubstr("why\n  ebc.t_0: ranks 0 -> 1\n"));
  EXPECT_THAT(out, HasSubstr("+50.0 MiB  ebc.t_0 moved here from rank 0\n"));
}

TEST(DiffText, NamesWhatIsNotDecided) {
  PlanDiff diff = one_moved_table(1);
  diff.causes.front().table.clear();
  diff.causes.front().open_tables = 2;
  diff.causes.front().hbm = exactly(5 * kMega);
  diff.open_tables = {"ebc.t_7", "ebc.t_8"};
  diff.open_ranks = {0, 2, 3};
  std::string out;
  write_diff({"a.log", "b.log"}, diff, 10, TextStyle{200}, out);
  EXPECT_THAT(out, HasSubstr(": HBM +5.0 MiB in 2 tables whose change is not decided\n"));
  EXPECT_THAT(out, HasSubstr("not decided: 2 tables whose inputs leave open whether they change\n  ebc.t_7\n"));
  EXPECT_THAT(out, HasSubstr("not decided: 3 ranks whose tables leave open whether they change: ranks 0, 2-3\n"));
}

// A plan that may have changed is not called the same.
TEST(DiffMarkdown, NamesWhatIsNotDecided) {
  PlanDiff diff;
  EXPECT_THAT(diff_markdown({"a.log", "set", true}, diff, 10), HasSubstr("with it the plan is as logged"));
  diff.open_tables = {"ebc.t_7", "ebc.t_8"};
  diff.open_ranks = {0, 2, 3};
  diff.hidden = 2;
  const std::string page = diff_markdown({"a.log", "set", true}, diff, 10);
  EXPECT_THAT(page, Not(HasSubstr("as logged")));
  EXPECT_THAT(page, HasSubstr("\nWhy: not decided, as the log may have been planned so already\n"));
  EXPECT_THAT(page, HasSubstr("\n2 tables whose inputs leave open whether they change:\n"));
  EXPECT_THAT(page, HasSubstr("\n- ebc.t\\_7\n"));
  EXPECT_THAT(page, HasSubstr("\nNot decided: 3 ranks whose tables leave open whether they change: ranks 0, 2-3\n"));
  EXPECT_THAT(page, HasSubstr("\nNot shown: 2 changed rows that the options leave out\n"));
}

TEST(DiffText, MemoryOfARankThatMayHaveChanged) {
  PlanDiff diff = one_moved_table(1);
  RankDiff& rank = diff.ranks.front();
  rank.hbm = {"hbm", DiffUnit::bytes, RealInterval{20 * kMega, 22 * kMega}, RealInterval{21 * kMega, 25 * kMega},
              RealInterval{-1 * kMega, 5 * kMega}};
  rank.output = bytes(kMega, 2 * kMega);
  std::string out;
  write_diff({"a.log", "b.log"}, diff, 10, TextStyle{200}, out);
  EXPECT_THAT(out, HasSubstr("  rank 1: HBM 20.0..22.0 MiB -> 21.0..25.0 MiB, -1.0..+5.0 MiB as far as is known\n"));
  rank.hbm = bytes(20 * kMega, 20 * kMega);
  out.clear();
  write_diff({"a.log", "b.log"}, diff, 10, TextStyle{200}, out);
  EXPECT_THAT(out, HasSubstr("  rank 1: HBM as before\n"));
  rank.hbm.before.reset();
  out.clear();
  write_diff({"a.log", "b.log"}, diff, 10, TextStyle{200}, out);
  EXPECT_THAT(out, HasSubstr("  rank 1: HBM is not known\n"));
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

TEST(DiffText, Limits) {
  const struct {
    LimitStatus status;
    std::string_view verdict;
  } cases[] = {
      {LimitStatus::kept, "clean: largest rank HBM increased by no more than 2GiB\n"},
      {LimitStatus::exceeded, "findings: largest rank HBM increased by more than 2GiB\n"},
      {LimitStatus::undecided,
       "clean: largest rank HBM may have increased by more than 2GiB; what the logs print does not decide it\n"},
      {LimitStatus::unknown, "failed: the logs do not give the HBM of all ranks, so that no limit can be checked\n"}};
  for (const auto& c : cases) {
    PlanDiff diff = one_moved_table(1);
    diff.limit = LimitResult{{2.0 * 1024 * kMega, false, "2GiB"}, c.status};
    std::string out;
    write_diff({"a.log", "b.log"}, diff, 10, TextStyle{200}, out);
    EXPECT_TRUE(out.ends_with(c.verdict)) << out;
    EXPECT_THAT(diff_markdown({"a.log", "b.log"}, diff, 0), HasSubstr(c.verdict));
    EXPECT_EQ(diff_json(diff, 0)["limit"]["status"], name(c.status));
  }
  EXPECT_EQ(diff_words::limit_text({{2, false, "2"}, LimitStatus::exceeded}),
            "largest rank HBM increased by more than 2 bytes");
  EXPECT_EQ(diff_words::limit_text({{3, true, "3%"}, LimitStatus::kept}),
            "largest rank HBM increased by no more than 3%");
}

TEST(DiffMarkdown, FitsACommentAndSaysWhatIsLeftOut) {
  const std::string all = diff_markdown({"a.log", "b|`.log"}, one_moved_table(3), 0);
  EXPECT_TRUE(all.starts_with("### `a.log` → ``b|`.log``\n"));
  EXPECT_THAT(all, HasSubstr("| `ebc.t_2` | ranks 0 -&gt; 1 | 50.0 MiB | 60.0 MiB | +10.0 MiB (+20.0%) |\n"));
  EXPECT_THAT(all, Not(HasSubstr("more")));
  EXPECT_THAT(diff_markdown({"a.log", "b.log"}, one_moved_table(3), 2), HasSubstr("... and 1 more table\n"));
  const std::string large = diff_markdown({"a.log", "b.log"}, one_moved_table(20000), 0);
  EXPECT_LE(large.size(), kMarkdownBytes);
  EXPECT_THAT(large, HasSubstr("more causes\n"));
  EXPECT_THAT(large, HasSubstr("| `ebc.t_2` |")) << "each list has room";
}

TEST(DiffCsv, ChangedNumbersOnly) {
  PlanDiff diff = one_moved_table(2);
  diff.tables.front().fqn = "a,b";
  diff.tables.front().perf = {"perf", DiffUnit::ms, exactly(0.5), exactly(0.25), exactly(-0.25), true};
  diff.tables.back().presence = Presence::dropped;
  diff.tables.back().hbm = {"hbm", DiffUnit::bytes, exactly(7.0), std::nullopt, {}, false};
  std::string out;
  write_diff_csv(diff, 0, out);
  EXPECT_EQ(out,
            "plan,,hbm,104857600,104857600,157286400,157286400,52428800,52428800\r\n"
            "table,\"a,b\",hbm,52428800,52428800,62914560,62914560,10485760,10485760\r\n"
            "table,\"a,b\",perf,0.5,0.5,0.25,0.25,-0.25,-0.25\r\n"
            "table,ebc.t_1,hbm,7,7,,,,\r\n"
            "rank,1,hbm,104857600,104857600,157286400,157286400,52428800,52428800\r\n");
}

TEST(DiffGithub, OneAnnotation) {
  const auto annotation = [](const PlanDiff& diff) {
    GithubAnnotations annotations;
    annotations.add("b.log", diff);
    std::string out;
    annotations.write(out);
    return out;
  };
  PlanDiff diff = one_moved_table(5);
  EXPECT_EQ(
      annotation(diff),
      "::warning file=b.log,title=shardstats diff::largest rank HBM: 100.0 MiB on rank 0 -> 150.0 MiB on rank 1, +50.0 "
      "MiB (+50.0%25); ebc.t_0: ranks 0 -> 1; ebc.t_1: ranks 0 -> 1; ebc.t_2: ranks 0 -> 1; and 2 more causes\n");
  diff.limit = LimitResult{{1, true, "1%"}, LimitStatus::exceeded};
  EXPECT_TRUE(
      annotation(diff).starts_with("::error file=b.log,title=shardstats diff::largest rank HBM increased by more "));
  EXPECT_EQ(annotation({}),
            "::notice file=b.log,title=shardstats diff::nothing changed: both logs print and explain the "
            "same plan\n");
}

TEST(DiffText, HeadroomBelowZeroIsTooMuch) {
  const auto text = [](std::optional<double> before, std::optional<double> after) {
    PlanDiff diff;
    const auto known = [](std::optional<double> x) { return x ? std::optional(exactly(*x * kMega)) : std::nullopt; };
    diff.headroom.before = known(before);
    diff.headroom.after = known(after);
    diff.headroom.changed = before && after;
    if (before && after) diff.headroom.change = *diff.headroom.after - *diff.headroom.before;
    diff.no_headroom_after = NoHeadroom::contradicted;
    return diff_words::headroom_text(diff);
  };
  EXPECT_EQ(text(100, 50), "headroom to planning memory: 100.0 MiB -> 50.0 MiB (-50.0 MiB, -50.0%)");
  EXPECT_EQ(text(100, -50), "headroom to planning memory: 100.0 MiB -> 50.0 MiB too much (-150.0 MiB, -150.0%)");
  EXPECT_EQ(text(-50, -150), "headroom to planning memory: 50.0 MiB too much -> 150.0 MiB too much (-100.0 MiB)");
  EXPECT_EQ(text(100, std::nullopt),
            "headroom to planning memory: 100.0 MiB -> not known: percentages of ranks are not of the printed planning "
            "memory");
  EXPECT_EQ(text(std::nullopt, 100), "headroom to planning memory: not printed -> 100.0 MiB");
  EXPECT_EQ(text(std::nullopt, std::nullopt), "");
}

// Text says of which tables an effect is, a number by itself cannot.
TEST(DiffJson, NoEffectOfTheTablesThatAreLeft) {
  Cause cause;
  cause.inputs = {{"batch_size", "512", "1024"}};
  cause.tables = 8;
  cause.hbm = exactly(2 * kMega);
  for (const bool lost : {false, true}) {
    cause.lost_tables = lost;
    PlanDiff diff;
    diff.causes = {cause};
    EXPECT_EQ(diff_json(diff, 0)["causes"][0]["hbm"].is_null(), lost);
    EXPECT_EQ(diff_words::cause_and_effect(cause),
              std::string("batch_size 512 -> 1024: HBM +2.0 MiB in 8 tables") + (lost ? "; others are lost" : ""));
  }
  cause.hidden_tables = 2;
  EXPECT_THAT(diff_words::effect_text(cause), HasSubstr("; hidden inputs of 2 tables are not known; others are lost"));
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
