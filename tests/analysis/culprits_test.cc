#include "shardstats/analysis/culprits.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "logs.h"

namespace shardstats {
namespace {

struct Case {
  const char* name;
  const char* mark;
  const char* old_text;
  const char* new_text;
  const char* culprit;  // text of the changed cell
  const char* reason;
  const char* log = "v1.4.0.log";
};

// The changed word leads most findings that it causes, and says what it should be.
class Culprit : public testing::TestWithParam<Case> {};

TEST_P(Culprit, LeadsTheFindingsThatItCauses) {
  const Case& c = GetParam();
  const std::string bytes = changed(log_bytes(c.log), c.mark, c.old_text, c.new_text);
  Checked checked(bytes);
  find_culprits(checked.printed, checked.plan, {}, checked.report);
  std::ptrdiff_t errors = 0, led = 0;
  for (const Finding& finding : checked.report.findings) {
    if (finding.severity != Severity::error) continue;
    ++errors;
    led += !finding.suspects.empty() && finding.suspects.front().cell.text == c.culprit &&
           finding.suspects.front().reason == c.reason;
  }
  EXPECT_GT(errors, 1);
  EXPECT_GT(2 * led, errors);
  if (led < 3) return;
  ASSERT_FALSE(checked.report.remarks.empty());
  const std::string& remark = checked.report.remarks.back();
  EXPECT_EQ(remark.find("One cause explains " + std::to_string(led) + " of "), 0u) << remark;
  EXPECT_NE(remark.find(std::string("errors: ") + c.culprit + " at "), std::string::npos) << remark;
}

INSTANTIATE_TEST_SUITE_P(
    Words, Culprit,
    testing::Values(
        Case{"ranks", "model.ebc.pub_table", "100         2 ", "100         3 ", "3", "should be 2"},
        Case{"sharding", "position_ebc_weighted.ad_emb", "      CW ", "      TW ", "TW", "should be CW"},
        Case{"dim", "model.position_ebc.device_os_ad_id", "  16     1000", "  56     1000", "56", "should be 16"},
        Case{"dim_by_columns", "position_ebc.like_doc_os_id", " 32 (8)", " 72 (8)", "72", "should be 32", "v1.8.0.log"},
        Case{"rows", "fused_ebc.like_creative_slot_emb", " 735423 ", " 733423 ", "733423", "should be 735423",
             "v1.8.0.log"},
        Case{"ids", "model.ebc.share_embed_emb", "1.0     pooled", "1.5     pooled", "1.5", "should be 1.0"},
        Case{"poolings", "position_ebc_weighted.ad_emb", "1.0                  1.0     ",
             "1.0                  1.1     ", "1.1", "should be 1.0"}),
    [](const auto& one) { return std::string(one.param.name); });

// A wrong batch size is found before the long search explains it by dtypes and bandwidths of its own.
TEST(Culprits, BatchSize) {
  Checked checked(changed(log_bytes("v1.4.0.log"), "# Batch Size: ", "512", "768"));
  InferOptions uniform{{}, false};
  uniform.effort = Effort::uniform;
  const Plan plan = infer(checked.printed, uniform);
  Report report = verify(checked.printed, plan);
  EXPECT_TRUE(find_culprits(checked.printed, plan, uniform, report, true).explain_all);
  std::ptrdiff_t errors = 0;
  for (const Finding& finding : report.findings) {
    if (finding.severity != Severity::error) continue;
    ++errors;
    EXPECT_EQ(finding.suspects.front().reason, "should be 512") << finding.message;
  }
  EXPECT_GT(errors, 5);
}

// What a look without perf says of it: a wrong number is none of the structure.
TEST(Culprits, WhetherTheStructureMayBeWrong) {
  const auto may_be_wrong = [](const char* mark, const char* old_text, const char* new_text) {
    const std::string bytes = changed(log_bytes("v1.4.0.log"), mark, old_text, new_text);
    const auto blocks = find_blocks(bytes);
    const PrintedPlan printed = parse(blocks.front());
    InferOptions uniform{{}, false};
    uniform.effort = Effort::uniform;
    uniform.perf_anyhow = false;
    return may_have_wrong_structure(printed, infer(printed, uniform), uniform);
  };
  EXPECT_FALSE(may_be_wrong("9.161 (57%)", "9.161", "9.261"));
  EXPECT_TRUE(may_be_wrong("# Batch Size: ", "512", "768"));
  EXPECT_TRUE(may_be_wrong("model.ebc.pub_table", "100         2 ", "100         3 "));
  EXPECT_TRUE(may_be_wrong("position_ebc_weighted.ad_emb", "      CW ", "      TW "));
}

// As a command looks at a log that nothing uniform explains: what the first look found is of the plan as it is printed,
// and a correction that takes a rank's row away leaves fewer ranks than that has sums for.
TEST(Culprits, AfterAFirstLook) {
  const auto leads = [](const std::string& bytes, std::string_view reason) {
    const auto blocks = find_blocks(bytes);
    const PrintedPlan printed = parse(blocks.front());
    InferOptions uniform{{}, false};
    uniform.effort = Effort::uniform;
    uniform.perf_anyhow = false;
    uniform.first_look = infer(printed, uniform).first_look;
    EXPECT_NE(uniform.first_look, nullptr) << reason;
    uniform.perf_anyhow = true;
    const Plan plan = infer(printed, uniform);
    Report report = verify(printed, plan);
    find_culprits(printed, plan, uniform, report, true);
    return std::ranges::count_if(report.findings, [&](const Finding& finding) {
      return !finding.suspects.empty() && finding.suspects.front().reason == reason;
    });
  };
  EXPECT_GT(leads(changed(log_bytes("v1.4.0.log"), "# Batch Size: ", "512", "768"), "should be 512"), 5);
  std::string bytes = log_bytes("v1.4.0.log");
  const std::size_t row = bytes.rfind('\n', bytes.find("9.161 (57%)")) + 1;
  const std::string line = bytes.substr(row, bytes.find('\n', row) + 1 - row);
  bytes.insert(row + line.size(), changed(line, "9.161 (57%)", "9.161", "9.162"));
  EXPECT_GT(leads(bytes, "the row stands twice"), 5);
}

// A statistic shows the memory that a rank should have.
TEST(Culprits, RankOfStatistics) {
  const Checked whole(changed(log_bytes("v1.4.0.log"), "9.161 (57%)", "9.161", "9.611"));
  PrintedPlan printed = whole.printed;
  for (PrintedTable& row : printed.tables.rows) row.hash_size.text = {};  // so that no formula gives a rank's memory
  const Plan plan = infer(printed);
  Report report = verify(printed, plan);
  find_culprits(printed, plan, {}, report);
  std::ptrdiff_t errors = 0, led = 0;
  for (const Finding& finding : report.findings) {
    errors += finding.severity == Severity::error;
    led += !finding.suspects.empty() && finding.suspects.front().reason == "should be 9.161";
  }
  EXPECT_GT(led, 2);
  EXPECT_GT(2 * led, errors);
}

// A row of the parameter table printed twice, but not byte for byte.
TEST(Culprits, RepeatedRow) {
  std::string bytes = log_bytes("v1.4.0.log");
  const std::size_t row = bytes.rfind('\n', bytes.find("model.ebc.share_embed_emb")) + 1;
  std::string line = bytes.substr(row, bytes.find('\n', row) + 1 - row);
  line.replace(line.find("0.163"), 5, "0.164");
  bytes.insert(row, line);
  Checked checked(bytes);
  find_culprits(checked.printed, checked.plan, {}, checked.report);
  const auto led = std::ranges::count_if(checked.report.findings, [](const Finding& f) {
    return !f.suspects.empty() && f.suspects.front().reason == "the row stands twice";
  });
  EXPECT_GT(led, 2);
}

// The last row of the rank table is gone: tables with shards on further ranks tell. Another has no number, so that the
// lost one gets no place of its own.
TEST(Culprits, MissingLastRank) {
  std::string bytes = changed(log_bytes("v1.4.0.log"), "#         0 ", "0 ", "x ");
  const std::size_t row = bytes.rfind('\n', bytes.find(" 3  ", bytes.find("---------"))) + 1;
  ASSERT_EQ(bytes.substr(row, 12).find_first_not_of("# "), bytes.substr(row, 12).find('3')) << bytes.substr(row, 80);
  bytes.erase(row, bytes.find('\n', row) + 1 - row);
  Checked checked(bytes);
  find_culprits(checked.printed, checked.plan, {}, checked.report);
  ASSERT_FALSE(checked.report.findings.empty());
  for (const Finding& finding : checked.report.findings) {
    if (finding.severity != Severity::error) continue;
    EXPECT_EQ(finding.suspects.front().cell.text, "2") << finding.message;
    EXPECT_EQ(finding.suspects.front().reason, "rows of ranks are missing here");
  }
}

// The last rank has no shards, so that nothing but the numbers that depend on how many ranks there are tells of it.
TEST(Culprits, LostLastRankWithoutShards) {
  std::string bytes = log_bytes("../planner/v0.7.0-multiplier_or_bandwidth.log");
  const std::size_t row = bytes.rfind('\n', bytes.find(" 15  ")) + 1;
  ASSERT_EQ(bytes.substr(row, 14).find_first_not_of("# "), bytes.substr(row, 14).find("15")) << bytes.substr(row, 80);
  bytes.erase(row, bytes.find('\n', row) + 1 - row);
  Checked checked(bytes);
  find_culprits(checked.printed, checked.plan, {}, checked.report);
  EXPECT_GT(count(checked.report.findings).error, 8);
  for (const Finding& finding : checked.report.findings) {
    if (finding.severity != Severity::error) continue;
    EXPECT_EQ(finding.suspects.front().cell.text, "14") << finding.message;
    EXPECT_EQ(finding.suspects.front().reason, "the row of a rank without shards is missing after this one");
  }
  ASSERT_EQ(checked.report.remarks.size(), 1u);
}

// Where each of several words may be the wrong one, none is more to blame than the others.
TEST(Culprits, AllThatAreAsLikely) {
  Checked checked(changed(log_bytes("v0.3.0.log"), "sequence_ec.os_like_user.v3", "  TW  ", "  CW  "));
  find_culprits(checked.printed, checked.plan, {}, checked.report);
  ASSERT_EQ(count(checked.report.findings).error, 2);
  for (const Finding& finding : checked.report.findings) {
    ASSERT_GE(finding.suspects.size(), 2u) << finding.message;
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(finding.suspects[i].cell.text, "CW");
      EXPECT_EQ(finding.suspects[i].reason, "should be TW");
    }
    EXPECT_NE(finding.suspects[0].cell.place.line, finding.suspects[1].cell.place.line);
    EXPECT_TRUE(finding.suspects[1].as_likely);
    EXPECT_EQ(std::ranges::count(finding.suspects, true, &Suspect::as_likely), 1);
  }
}

TEST(Culprits, WordsOfLikeliest) {
  const Suspect suspect{{"CW", {26, 72}}, "should be TW"}, equal{{"CW", {30, 7}}, "should be TW", true};
  const Suspect other{{"1.2", {7, 8}}, "the disputed number itself"};
  const std::string one = "CW at 26:72 (should be TW)", next = "CW at 30:7 (should be TW)";
  EXPECT_EQ(words_of_likeliest({}), "");
  EXPECT_EQ(words_of_likeliest({suspect, other}), one);
  EXPECT_EQ(words_of_likeliest({suspect, equal, other}), one + " or " + next);
  EXPECT_EQ(words_of_likeliest({suspect, equal, equal}), one + ", " + next + " or one other");
  EXPECT_EQ(words_of_likeliest({suspect, equal, equal, equal, other}), one + ", " + next + " or one of 2 others");
}

// A wrong storage of a table gives it a dtype of its own, or none that its kernel agrees with: its ranks and its kernel
// tell.
TEST(Culprits, StorageOfATable) {
  const auto led = [](const char* mark, const char* old_text, const char* new_text) {
    const std::string bytes = changed(log_bytes("main.log"), mark, old_text, new_text);
    const auto blocks = find_blocks(bytes);
    const PrintedPlan printed = parse(blocks.front());
    const InferOptions likeliest{{}, false};
    const Plan plan = infer(printed, likeliest);
    Report report = verify(printed, plan);
    find_culprits(printed, plan, likeliest, report);
    EXPECT_GT(count(report.findings).error, 3) << mark;
    const auto is_led = [&](const Finding& f) {
      return f.severity != Severity::error || f.suspects.front().cell.text == new_text;
    };
    return std::ranges::all_of(report.findings, is_led);
  };
  EXPECT_TRUE(led("ebc.click_geo_emb", "0.278", "0.556"));
  EXPECT_TRUE(led("ebc.video_click_creative_table", "1.333", "2.666"));
}

// One wrong number needs no other culprit than itself.
TEST(Culprits, SingleNumbersStayTheirOwnSuspects) {
  const std::string bytes = changed(log_bytes("v1.4.0.log"), "9.161 (57%)", "9.161", "9.164");
  Checked checked(bytes);
  const auto before = checked.report.findings.size();
  find_culprits(checked.printed, checked.plan, {}, checked.report);
  ASSERT_EQ(checked.report.findings.size(), before);
  EXPECT_EQ(checked.report.findings.front().suspects.front().cell.text, "9.164");
}

}  // namespace
}  // namespace shardstats
