#include "shardstats/analysis/verify.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <optional>
#include <set>

#include "analysis/checks.h"
#include "logs.h"

namespace shardstats {
namespace {

using testing::IsEmpty;

std::string dump(const Report& report) {
  std::string text;
  for (const Finding& f : report.findings)
    text += std::string(name(f.severity)) + " " + std::string(f.rule->id) + " " + std::to_string(f.where.place.line) +
            ":" + std::to_string(f.where.place.column) + " " + std::string(f.where.text) + ": " + f.message + "\n";
  return text;
}

// Genuine logs have the planner's own bugs, which are notes.
TEST(Verify, GenuineLogsAreClean) {
  for (const std::string& log : all_logs()) {
    const Checked checked(log_bytes(log));
    for (const Finding& f : checked.report.findings) EXPECT_FALSE(f.known_issue.empty()) << log << dump(checked.report);
  }
}

TEST(Verify, BlocksOfColumnsNeedOneEach) {
  const Checked checked(changed(log_bytes("v0.3.0.log"), "fused_ebc.price_item.v5", "  256  ", "    8  "));
  ASSERT_EQ(checked.report.findings.size(), 1U) << dump(checked.report);
  const Finding& finding = checked.report.findings.front();
  EXPECT_EQ(finding.rule->id, "table.ranks");
  EXPECT_EQ(finding.suspects.back().cell.text, "8");
  for (const PlanRank& rank : checked.plan.ranks) EXPECT_LE(rank.hbm.low, rank.hbm.high);
}

// The lists of v0.6.0 and v0.7.0 have the same form.
TEST(Verify, EntriesBelowALostHeadingMayBeOfTheOtherList) {
  std::string log = log_bytes("../planner/v0.6.0-weighted.log");
  const std::size_t heading = log.find("# Top 5 Tables Causing Max HBM:");
  log.erase(heading, log.find('\n', heading) + 1 - heading);
  const Checked checked(std::move(log));
  ASSERT_EQ(checked.report.findings.size(), 1U) << dump(checked.report);
  EXPECT_EQ(checked.report.findings.front().rule->id, "log.missing_lines");
}

TEST(Verify, ShiftedTierRanksAreANoteWithTheRightOnes) {
  const Checked checked(log_bytes("v1.4.0.log"));
  ASSERT_EQ(checked.report.findings.size(), 2U) << dump(checked.report);
  const Finding& shifted = checked.report.findings.back();
  EXPECT_EQ(shifted.severity, Severity::note);
  EXPECT_EQ(shifted.known_issue, "tier-rank-shift");
  EXPECT_EQ(shifted.where.text, "0");
  EXPECT_EQ(shifted.expected->text, "1");
}

// A copy of the first line with `mark`, changed, in front of it.
std::string with_copy(const std::string& bytes, const std::string& mark, const std::string& old_text,
                      const std::string& new_text) {
  const std::size_t start = bytes.rfind('\n', bytes.find(mark)) + 1, end = bytes.find('\n', start) + 1;
  return bytes.substr(0, start) + changed(bytes.substr(start, end - start), mark, old_text, new_text) +
         bytes.substr(start);
}

TEST(Verify, TiersBeyondTheRanksAreErrors) {
  const std::string bytes = log_bytes("v1.4.0.log");
  for (const char* const number : {"4", "5", "7"}) {
    const Checked checked(with_copy(bytes, "# Top Tier #3", "#3", std::string("#") + number));
    const auto findings = of_rule(checked.report, "tiers.value");
    ASSERT_EQ(findings.size(), 1U) << dump(checked.report);
    EXPECT_EQ(findings[0].where.text, number);
    EXPECT_EQ(findings[0].message, "tier #" + std::string(number) + " is printed, the rank table gives 3 tiers");
    EXPECT_EQ(checked.report.coverage.unchecked, 2);  // its HBM and its ranks
  }
}

// Whichever of ranks with equal HBM is the largest, all these tables are on it.
TEST(Verify, TopTablesThatAreLeftOut) {
  const std::string bytes = log_bytes("v1.8.0.log");
  const struct {
    const char* mark;
    const char* rule;
    const char* last;  // of the tables that are left
  } cases[] = {{"#    advertiser_lang_user_id: 0.0 GB", "top_tables.hbm", "like_doc_os_id"},
               {"#    buyer_category_table: 0.001 GB", "top_tables.hbm", "advertiser_lang_user_id"},
               {"#    like_doc_os_id  ", "top_tables.perf", "buyer_category_table"}};
  for (const auto& c : cases) {
    const std::size_t start = bytes.find(c.mark);
    ASSERT_NE(start, std::string::npos) << c.mark;
    const Checked checked(bytes.substr(0, start) + bytes.substr(bytes.find('\n', start) + 1));
    ASSERT_EQ(checked.report.findings.size(), 1U) << dump(checked.report);
    const Finding& finding = checked.report.findings.front();
    EXPECT_EQ(finding.rule->id, c.rule);
    EXPECT_EQ(finding.where.text, c.last);
    EXPECT_TRUE(finding.message.ends_with("is not listed, though fewer than 5 tables are")) << finding.message;
  }
}

// Table names with dots are read as such where no line tells: what is expected is then what was printed.
TEST(Verify, ExpectsTheCommsOfNamesWithDots) {
  const std::string comms = changed(log_that_lists_no_dots(), "Critical Path (comms):", "555.608", "777.608");
  const Checked checked(changed(comms, "Critical Path (comms + compute):", "21407.754", "99999.754"));
  const auto found = of_rule(checked.report, "critical_path.comms");
  ASSERT_FALSE(found.empty()) << dump(checked.report);
  EXPECT_TRUE(std::get<RealInterval>(found[0].expected->bounds).contains(555.608)) << found[0].message;
}

// Where comms cannot be read, their sum with compute tells of a module within one that has tables, too.
TEST(Verify, ReadsNamesByTheSumWhereCommsAreUnread) {
  std::string bytes = log_bytes("v1.4.0.log");
  const std::string module = "model.position_ebc.", within = "model.ebc.zzzzzzzz.";
  bytes.replace(bytes.find(module), module.size(), within);
  const Checked checked(changed(bytes, "Critical Path (comms):", "0.225", "0.22x"));
  EXPECT_TRUE(of_rule(checked.report, "critical_path.sum").empty()) << dump(checked.report);
}

// What stands in no cell that is there is no finding of the numbers.
TEST(Verify, LostCellsOfARank) {
  const std::string bytes = log_bytes("v1.4.0.log");
  const Checked checked(changed(bytes, "0.537 (0.1", "  0.88", ""));
  const auto& findings = checked.report.findings;
  EXPECT_GE(count(findings).error, 1);
  EXPECT_TRUE(std::ranges::none_of(findings, [](const Finding& f) { return f.where.place.line == 0; }));
  EXPECT_TRUE(of_rule(checked.report, "rank.shards").empty());
}

// One number of a genuine log changed: the rule that must notice, pointing at the number.
struct Change {
  const char* log;   // below testdata/logs
  const char* mark;  // the first line with it
  const char* old_text;
  const char* new_text;
  const char* rule;
};

bool is_error(const Finding& f) { return f.severity == Severity::error; }

class OneChange : public testing::TestWithParam<Change> {};

TEST_P(OneChange, IsFoundWhereItIs) {
  const Change& c = GetParam();
  const std::string bytes = changed(log_bytes(c.log), c.mark, c.old_text, c.new_text);
  const Checked checked(bytes);
  const auto at_change = [&](const Finding& f) {
    // The disputed text may be part of the changed one, "9.162" of "9.162 (57%)".
    return f.rule->id == c.rule && is_error(f) &&
           std::string_view(c.new_text).find(f.where.text) != std::string_view::npos;
  };
  const auto found = std::ranges::find_if(checked.report.findings, at_change);
  ASSERT_NE(found, checked.report.findings.end()) << dump(checked.report);
  const Place place = found->where.place;
  std::string_view line = bytes;
  for (std::uint32_t i = 1; i < place.line; ++i) line.remove_prefix(line.find('\n') + 1);
  EXPECT_EQ(line.substr(place.column - 1, found->where.text.size()), found->where.text);
  ASSERT_FALSE(found->suspects.empty());
  EXPECT_EQ(found->suspects.front().cell.place, place);
  const Checked genuine(log_bytes(c.log));
  EXPECT_TRUE(std::ranges::none_of(genuine.report.findings, is_error)) << dump(genuine.report);
  EXPECT_EQ(std::ranges::count(genuine.report.checked, found->rule), 1) << "the rule was checked before, too";
}

INSTANTIATE_TEST_SUITE_P(
    Changes, OneChange,
    testing::Values(
        Change{"v1.4.0.log", "device_os_ad_id", "8.941", "8.945", "table.storage.hbm"},
        Change{"v1.4.0.log", "device_os_ad_id", "0.0 GB)", "0.5 GB)", "table.storage.ddr"},
        Change{"v1.8.0.log", "like_creative_slot_emb", "0.0 GB)", "7.0 GB)", "table.storage.ssd"},
        Change{"v1.4.0.log", "model.ebc.pub_table", "3.376     pooled", "3.476     pooled", "table.num_indices"},
        Change{"v1.8.0.log", "like_doc_os_id", "32 (8)", "32 (4)", "table.cw_dim"},
        Change{"v1.8.0.log", "like_doc_os_id", "32 (8)", "32 (7)", "table.cw_dim"},
        Change{"v1.4.0.log", "share_embed_emb", "0-3", "1-3", "table.ranks"},
        Change{"v1.4.0.log", "model.ebc.pub_table", "100         2 ", "100         4 ", "table.ranks"},
        Change{"v1.4.0.log", "position_ebc_weighted.ad_emb", "0.081 (", "0.084 (", "table.perf.total"},
        Change{"v1.4.0.log", "position_ebc_weighted.ad_emb", "(0.001,0.04", "(0.001,0.07", "table.perf.fwd_comms"},
        Change{"v1.4.0.log", "1.65 (10%)", "0.122 (", "0.128 (", "rank.perf"},
        Change{"v1.4.0.log", "Total Variation: 0.455", "0.455", "0.465", "imbalance.perf"},
        Change{"v1.4.0.log", "Total Distance: 1.129", "1.129", "1.139", "imbalance.hbm"},
        Change{"v1.4.0.log", "Maximum of Total Perf", "0.537", "0.547", "maxima.value"},
        Change{"v1.4.0.log", "Maximum of Total Perf", "rank 2", "rank 1", "maxima.ranks"},
        Change{"v1.4.0.log", "Mean Total Perf", "0.19 ", "0.29 ", "maxima.mean"},
        Change{"v1.4.0.log", "Sum of Maxima", "0.537", "0.577", "maxima.sum"},
        Change{"v1.4.0.log", "Sparse only Max", "8.941", "8.491", "distribution.value"},
        Change{"v1.4.0.log", "High Median HBM", "[1]", "[2]", "distribution.ranks"},
        Change{"v1.4.0.log", "Top Tier #1", "9.161", "9.611", "tiers.value"},
        Change{"v1.4.0.log", "Critical Path (comms)", "0.225", "0.252", "critical_path.comms"},
        Change{"v1.4.0.log", "Critical Path (compute)", "0.399", "0.393", "critical_path.compute"},
        Change{"v1.4.0.log", "Critical Path (comms + compute)", "0.625", "0.652", "critical_path.sum"},
        Change{"v1.4.0.log", "9.161 (57%)", "9.161", "9.164", "rank.hbm"},
        Change{"v1.4.0.log", "9.161 (57%)", "0.0 (", "0.5 (", "rank.ddr"},
        Change{"v1.4.0.log", "9.161 (57%)", "57", "58", "rank.hbm_percent"},
        Change{"v1.4.0.log", "1.65 (10%)", "(0%)", "(7%)", "rank.ddr_percent"},
        Change{"v1.4.0.log", "1.65 (10%)", "0.75 ", "0.85 ", "rank.output"},
        Change{"v1.4.0.log", "9.161 (57%)", "CW: 0", "CW: 1", "rank.shards"},
        Change{"v1.4.0.log", "#    fused: 3", "3", "4", "kernel.count"},
        Change{"v1.8.0.log", "15.674 GB", "15.674", "15.684", "kernel.storage.hbm"},
        Change{"v1.8.0.log", "fused: 5.217 GB", "5.217", "5.227", "kernel.weights"},
        Change{"v1.8.0.log", "fused: 10.434 GB", "10.434", "10.534", "kernel.optimizer"},
        Change{"v1.8.0.log", "Auto-selected: 4", "Auto-selected: 4", "Auto-selected: 5", "kernel.constraints"},
        Change{"v1.4.0.log", "Percent of Total HBM: 100%", "100", "90", "reservation.percent"},
        Change{"v1.4.0.log", "HBM: 16.0 GB, DDR", "16.0", "32.0", "reservation.capacity"},
        Change{"v1.4.0.log", "9.161 (57%)", "9.161", "09161", "log.malformed_cell"},
        Change{"v1.4.0.log", "(0.1,0.07,0.3,0.07,0)", "0.3", "0.34",
               "log.malformed_cell"},  // components have one digit
        Change{"v1.4.0.log", "(0.1,0.07,0.3,0.07,0)", "0.3", "3e-00", "log.malformed_cell"},
        Change{"v1.4.0.log", "device_os_ad_id", "8.941", "8.940", "log.malformed_cell"}));

// The table in the first row once did not count where the shards of ranks are compared.
// Another number is no dtype, bandwidth or device of its own as long as only that number says so.
INSTANTIATE_TEST_SUITE_P(
    NoValueOfItsOwn, OneChange,
    testing::Values(
        // Blocks of columns would move bytes from another rank.
        Change{"../edits/v0.4.0-blocks.log", "#         1     0.8", " 504.83 ", " 504.81 ", "rank.output"},
        // A dtype of the table's own would show in its ranks.
        Change{"../edits/v0.4.0-ranks_of_small_table.log", "ebc.t_cat_16 ", " 0.029 ", " 0.022 ", "table.perf.total"},
        // Perf shows the dtypes that the outputs add up with.
        Change{"v0.5.0.log", "#         0     2.7", " 0.39 ", " 0.29 ", "rank.output"},
        Change{"v0.5.0.log", "#         0     2.7", " 0.39 ", " 0.37 ", "rank.output"},
        Change{"../planner/V1.5.0-buckets.log", "#         9 ", " 15.42 ", " 16.42 ", "rank.output"},
        // What ranks hide, the other measures of the imbalance show.
        Change{"../planner/v0.8.0-hidden_ddr.log", "Total Distance: 0.574", "0.574", "0.604", "imbalance.ddr"},
        Change{"../planner/v1.1.0-equal_capacities.log", "Total Distance: 0.579", "0.579", "0.609", "imbalance.ddr"},
        Change{"../planner/v1.6.0-default_link.log", "KL Divergence: 0.196", "0.196", "0.166", "imbalance.ddr"},
        Change{"../planner/v0.8.0-hidden_ddr.log", "KL Divergence: 0.175", "0.175", "0.172", "imbalance.ddr"},
        Change{"../edits/v1.8.0-optimizer_state.log", "Total Variation: 0.750", "0.750", "0.740", "imbalance.ddr"},
        // What the variation and the distance leave of chi, which prints 0.
        Change{"../planner/v1.7.0-hosts_and_dtypes.log", "KL Divergence: 0.001", "0.001", "0.004", "imbalance.ddr"},
        // Two ranks rule out another device; what the small shares of others are of does not show.
        Change{"../planner/v1.4.0-dtypes_of_80_tables.log", "#         1 ", "(13%)", "(15%)", "rank.ddr_percent"},
        // Values that may all be the usual ones are not.
        Change{"../edits/v1.1.0-usual_values.log", "query_doc_table", " 13.178 ", " 13.173 ", "table.perf.total"},
        // Nor is there a multiplier 2 % off the usual one.
        Change{"../edits/v1.2.0-multiplier_close_by.log", "author_buyer_user", " 0.963 ", " 0.969 ",
               "table.perf.total"},
        // Bandwidths that any dtypes leave are too wide to judge one number.
        Change{"../planner/v0.5.0-peak_memory.log", "  0.738 ", " 0.738 ", " 0.736 ", "table.perf.total"},
        Change{"../planner/v1.7.0-two_bandwidths.log", "  0.307 ", " 0.307 ", " 0.302 ", "table.perf.total"},
        // Nor do such bandwidths speak for dtypes, where no usual width of blocks of columns is the true one.
        Change{"../edits/v0.4.0-widths_of_blocks.log", "#         6 ", " 8466.69 ", " 8466.39 ", "rank.output"},
        // Perf by default bandwidths denies the dtype that one output alone asks for.
        Change{"../edits/v0.4.0-dtype_of_one_output.log", "#        15     0.2", " 2.0 ", " 4.0 ", "rank.output"},
        // No optimizer gives it, though some give less and some more.
        Change{"../edits/v1.8.0-optimizer_state.log", "caching: 0.008", "caching: 0.008", "caching: 4.008",
               "kernel.optimizer"},
        // A dtype of its own would show in its kernel, and hardly anything has two values of its own or 4 bits.
        Change{"../edits/v1.0.0-one_dtype.log", "(2.781 GB", "(2.781 GB", "(2.783 GB", "table.storage.hbm"},
        Change{"../edits/v1.0.0-one_dtype.log", "(5.964 GB", "(5.964 GB", "(5.961 GB", "table.storage.hbm"},
        // A virtual table would show in its ranks and in its kernel.
        Change{"../edits/v1.3.0-virtual_table.log", "buyer_query_city", "(20.913 GB", "(20.911 GB",
               "table.storage.hbm"},
        // No codecs explain all cells of the table, though each cell is explained by some.
        Change{"../edits/v1.3.0-codecs_of_one_number.log", "mc_ec.city_ad", " 0.003 ", " 0.007 ", "table.perf.total"},
        // What the ranks hold shows that no rank is without rows of the table.
        Change{"../edits/v1.3.0-split_rows.log", "campaign_seller.v3", "(0.005 GB", "(0.001 GB", "table.storage.hbm"}));

// As `shardstats verify` infers first, without bounds over all explanations.
TEST(Verify, AsksForLikelyValues) {
  const Change cases[] = {
      // The sizes that a fit leaves explain all but one number, any sizes explain that as well.
      {"../edits/v0.4.0-widths_of_blocks.log", "sparse_arch.ebc.embed ", " 0.327 ", " 0.321 ", "table.perf.total"},
      // Only narrow parts of the bounds contradict it.
      {"../edits/v1.1.0-usual_values.log", "share_video_emb", " 8.181 ", " 8.183 ", "table.perf.total"},
      // No multipliers explain the log in bounds that do, number by number.
      {"../edits/v1.7.0-no_values.log", "video_advertiser_session_doc", " 44.04 ", " 44.14 ", "table.perf.total"},
      // The default in the bounds of one value contradicts the number: that is a value of its own as well.
      {"../edits/v0.6.0-default_in_bounds.log", "hist_like_table", " 0.149 ", " 0.146 ", "table.perf.total"},
      // Nobody sets 12.33 GiB/s or the like.
      {"../edits/v0.6.0-no_round_bandwidth.log", "fused_ebc.topic", " 0.761 ", " 0.771 ", "table.perf.total"},
  };
  InferOptions likeliest;
  likeliest.alternatives = false;
  for (const Change& c : cases) {
    const std::string text = changed(log_bytes(c.log), c.mark, c.old_text, c.new_text);
    const PrintedPlan printed = parse(find_blocks(text).front());
    const Report report = verify(printed, infer(printed, likeliest));
    const auto is_it = [&](const Finding& f) { return f.severity == Severity::error && f.rule->id == c.rule; };
    EXPECT_EQ(std::ranges::count_if(report.findings, is_it), 1) << c.log;
  }
}

TEST(Verify, QuotesWhatCannotBeReadWithItsColumn) {
  const struct {
    const char *mark, *from, *to, *message;
  } cases[] = {{"9.161 (57%)", "57%", "x7%", "\"9.161 (x7%)\" does not have the form of its column, \"HBM (GB)\""},
               {"device_os_ad_id", "8.941", "8,941",
                "\"(8,941 GB, 0.0 GB)\" does not have the form of its column, \"Storage (HBM, DDR)\""}};
  for (const auto& c : cases) {
    const Checked checked(changed(log_bytes("v1.4.0.log"), c.mark, c.from, c.to));
    EXPECT_TRUE(std::ranges::count(checked.report.findings, c.message, &Finding::message)) << dump(checked.report);
  }
}

// The sums of all kernels and all ranks are not wrong once more where one of their parts is.
TEST(Verify, WrongMemoryIsOneFinding) {
  const struct {
    const char *mark, *from, *to, *rule;
  } cases[] = {{"#    fused: HBM", "10.372", "90.372", "kernel.storage.hbm"},
               {"#    fused: HBM", "DDR: 0.0", "DDR: 9.0", "kernel.storage.ddr"},
               {"9.161 (57%)", "9.161", "0.161", "rank.hbm"}};
  for (const auto& c : cases) {
    const Checked checked(changed(log_bytes("v1.4.0.log"), c.mark, c.from, c.to));
    EXPECT_FALSE(of_rule(checked.report, c.rule).empty()) << c.to;
    const auto is_of_kernel = [](const Finding& f) { return f.rule->id.starts_with("kernel."); };
    EXPECT_LE(std::ranges::count_if(checked.report.findings, is_of_kernel),
              std::string_view(c.rule).starts_with("kernel.") ? 1 : 0)
        << dump(checked.report);
  }
}

TEST(Verify, RanksOfEqualShardsAreComparedInAnyOrderOfRows) {
  std::string bytes = log_bytes("../rows/ranks_of_equal_shards.log");
  const auto rank_3_is_wrong = [](const Finding& f) { return f.rule->id == "rank.hbm" && f.rank == 3; };
  EXPECT_TRUE(std::ranges::any_of(Checked(bytes).report.findings, rank_3_is_wrong));
  const std::size_t first = bytes.rfind('\n', bytes.find("ebc.table_0 ")) + 1, second = bytes.find('\n', first) + 1;
  std::rotate(bytes.begin() + static_cast<std::ptrdiff_t>(first), bytes.begin() + static_cast<std::ptrdiff_t>(second),
              bytes.begin() + static_cast<std::ptrdiff_t>(bytes.find('\n', second) + 1));
  EXPECT_TRUE(std::ranges::any_of(Checked(bytes).report.findings, rank_3_is_wrong));
}

// Which blocks of its column-wise table, of another width than usual, a rank holds is hidden: what each of them takes
// by itself is open.
TEST(Verify, PerfOfAllRanksIsThatOfAllTables) {
  const Checked checked(changed(log_bytes("../edits/v0.3.0-odd_blocks.log"), "211.107", "211.107", "211.137"));
  ASSERT_EQ(checked.report.findings.size(), 1) << dump(checked.report);
  const Finding& found = checked.report.findings.front();
  EXPECT_EQ(found.rule->id, "rank.perf");
  EXPECT_EQ(found.message,
            "Perf of all 4 ranks does not add up: all tables together give 1209.77..1209.776 ms; at least one rank or "
            "table is wrong");
}

// Blocks of the usual width explain every other number, so that one rank is the wrong one.
TEST(Verify, PerfOfARankWithHiddenBlocksIsThatOfUsualOnes) {
  const Checked checked(changed(log_bytes("v0.3.0.log"), "0.6 (1%)", "4.422", "4.432"));
  ASSERT_EQ(checked.report.findings.size(), 1) << dump(checked.report);
  EXPECT_EQ(checked.report.findings.front().message,
            "Perf of rank 2 is printed as 4.432 ms, the formulas give 4.421..4.422 ms");
}

// Bandwidths that any element sizes leave are too wide to judge the table. Those that one size leaves explain it, and
// not the ranks.
TEST(Verify, PerfThatAnySizeWouldExplain) {
  const Checked checked(
      changed(log_bytes("../edits/v1.3.0-any_size.log"), "ad_campaign_table", " 32.046 ", " 32.043 "));
  ASSERT_EQ(checked.report.findings.size(), 2) << dump(checked.report);
  for (const Finding& finding : checked.report.findings) EXPECT_EQ(finding.rule->id, "rank.perf");
  // Where any size leaves one number wrong, that is the one.
  const Checked other(changed(log_bytes("../edits/v1.3.0-any_size.log"), "#         1 ", "20.829", "20.824"));
  ASSERT_EQ(other.report.findings.size(), 1) << dump(other.report);
  EXPECT_EQ(other.report.findings.front().where.text, "20.824");
}

// Of the tables that are left all ranks have the same shards, but what those print has more in it than these.
TEST(Verify, RanksThatAreWrongThemselvesSpeakAgainstNoOther) {
  const Checked checked(log_bytes("../rows/ranks_without_their_tables.log"));
  std::set<std::optional<int>> wrong;
  for (const Finding& f : of_rule(checked.report, "rank.hbm")) wrong.insert(f.rank);
  EXPECT_EQ(wrong, (std::set<std::optional<int>>{0, 1, 2, 5, 6, 7})) << dump(checked.report);
}

// A grid of no columns once was divided by their blocks.
TEST(Verify, GridOfNoColumnsIsFound) {
  const std::string bytes = log_bytes("v1.8.0.log");
  const std::string grid = changed(bytes, "like_doc_os_id", " TWCW ", "   GS ");
  const Checked checked(changed(grid, "like_doc_os_id", "32 (8)", " 0 (8)"));
  EXPECT_FALSE(of_rule(checked.report, "table.cw_dim").empty()) << dump(checked.report);
}

// Each of its blocks may have several shards then, but all as many.
TEST(Verify, TheBlocksOfATableWithoutItsShardingAreAsMany) {
  const std::string lost = changed(log_bytes("main.log"), "price_topic_item_emb", " GS ", "    ");
  EXPECT_TRUE(of_rule(Checked(lost).report, "table.cw_dim").empty());
  const Checked wrong(changed(lost, "price_topic_item_emb", "32 (16)", "48 (16)"));
  EXPECT_FALSE(of_rule(wrong.report, "table.cw_dim").empty());
}

TEST(Verify, RowDeletedIsFound) {
  std::string bytes = log_bytes("v1.4.0.log");
  const std::size_t line = bytes.rfind('\n', bytes.find("1.65 (10%)")) + 1;
  bytes.erase(line, bytes.find('\n', line) + 1 - line);
  EXPECT_FALSE(Checked(bytes).report.findings.empty());
}

TEST(Verify, ExpectedValueIsWhatTheGenuineLogPrints) {
  const Checked checked(changed(log_bytes("v1.4.0.log"), "device_os_ad_id", "8.941", "8.945"));
  const auto found = of_rule(checked.report, "table.storage.hbm");
  ASSERT_FALSE(found.empty());
  ASSERT_TRUE(found[0].expected);
  EXPECT_EQ(found[0].expected->text, "8.941");
  EXPECT_EQ(found[0].expected->unit, "bytes");
  EXPECT_EQ(found[0].fqn, "model.position_ebc.device_os_ad_id");
}

// Shares of ranks that fit no common capacity: devices of their own, not an error.
TEST(Verify, OwnCapacitiesAreANote) {
  std::string bytes = changed(log_bytes("v1.4.0.log"), "1.65 (10%)", "10%", "20%");
  bytes = changed(bytes, "(0.1,0.07,0.3,0.07,0)", "(1%)", "(3%)");
  const Checked checked(bytes);
  ASSERT_EQ(checked.report.findings.size(), 3U) << dump(checked.report);  // the others are of shifted tier ranks
  EXPECT_EQ(checked.report.findings[0].severity, Severity::note);
  EXPECT_EQ(checked.report.findings[0].rule->id, "rank.hbm_percent");
}

// One share alone is wrong, or its device is another one: the message says which one that would be.
TEST(Verify, AWrongShareMaySpeakOfAnotherDevice) {
  const std::string log = log_bytes("../planner/v1.4.0-two_dtypes.log");
  const auto message = [](const std::string& bytes) {
    for (const Finding& finding : of_rule(Checked(bytes).report, "rank.hbm_percent"))
      if (finding.severity == Severity::error) return finding.message;
    return std::string();
  };
  EXPECT_EQ(message(log), "");
  EXPECT_THAT(message(changed(log, "6.373 (5%)", "(5%)", "(9%)")),
              testing::EndsWith("give 5%, unless this device alone has 67.079..74.982 GB for the planner"));
  const std::string small = log_bytes("../planner/v1.3.0-tiny.log");
  EXPECT_THAT(message(changed(small, "1   0.934 (3%)", "(3%)", "(0%)")),
              testing::EndsWith("give 3%, unless this device alone has at least 186.7 GB for the planner"));
  // Devices of one job are alike within reason, and none has a negative share.
  EXPECT_THAT(message(changed(log, "6.373 (5%)", "(5%)", "(0%)")), testing::EndsWith("give 5%"));
  EXPECT_THAT(message(changed(log, "6.373 (5%)", "(5%)", "(-5%)")), testing::EndsWith("give 5%"));
  const std::vector<std::string> of_one_capacity = {
      changed(log, "0   31.199 (26%)", "26", "16"),  // the printed capacity is that of rank 0
      changed(log_bytes("v0.3.0.log"), "6.2 (6%)", "(6%)", "(9%)")};
  for (const std::string& wrong : of_one_capacity)
    EXPECT_THAT(message(wrong),
                testing::AllOf(testing::HasSubstr("HBM share"), testing::Not(testing::HasSubstr("unless"))));
}

// Shares of 0 % alone leave any larger capacity.
TEST(Verify, SharesMayLeaveACapacityOpen) {
  std::string bytes = log_bytes("../planner/v1.4.0-two_devices.log");
  bytes = changed(bytes, "0   0.995 (3%)", "3%", "0%");
  bytes = changed(bytes, "1   0.995 (6%)", "6%", "0%");
  const Checked checked(bytes);
  const auto found = of_rule(checked.report, "reservation.capacity");
  ASSERT_FALSE(found.empty()) << dump(checked.report);
  EXPECT_EQ(found[0].expected->text, "at least 198.9");
}

// Of two devices one may be smaller, but not a dozen times.
TEST(Verify, DevicesOfOneJobAreAlikeWithinReason) {
  const std::string log = log_bytes("../planner/v1.6.0-release_of_four_tables.log");
  const auto severity = [&](const std::string& share) {
    const Checked checked(changed(log, "1   0.517 (1%)", "0.517 (1%)", share));
    const auto found = of_rule(checked.report, "rank.hbm_percent");
    return found.empty() ? std::nullopt : std::optional(found[0].severity);
  };
  EXPECT_EQ(severity("0.517 (1%)"), std::nullopt);
  EXPECT_EQ(severity("0.517 (9%)"), Severity::note);
  EXPECT_EQ(severity("0.52 (12%)"), Severity::error);
  EXPECT_EQ(severity("0.52 (60%)"), Severity::error);
}

// Before v0.8.0 all devices had one capacity, whatever several shares say.
TEST(Verify, DevicesBeforeOwnCapacitiesHaveOne) {
  std::string bytes = changed(log_bytes("v0.3.0.log"), "6.2 (6%)", "(6%)", "(9%)");
  bytes = changed(bytes, "1.07            19.8", "(1%)", "(3%)");
  const Checked checked(bytes);
  ASSERT_EQ(checked.report.findings.size(), 2U) << dump(checked.report);
  for (const Finding& finding : checked.report.findings) {
    EXPECT_EQ(finding.severity, Severity::error);
    EXPECT_EQ(finding.rule->id, "rank.hbm_percent");
  }
}

// Where no device of the release prints such a share with such a kernel, the share is wrong: all else is compared.
TEST(Verify, ShareOfNoDeviceIsWrong) {
  std::string bytes = changed(log_bytes("v0.5.0.log"), "2.7 (2%)", "2%", "0%");
  bytes = changed(bytes, "  fused  ", "  fused  ", "  fused_uvm  ");
  const Checked checked(bytes);
  EXPECT_TRUE(checked.plan.sized);
  EXPECT_EQ(of_rule(checked.report, "rank.hbm_percent").size(), 1U) << dump(checked.report);
}

// The list has bare names: value and ranks have to be those of one table of that name.
TEST(Verify, TopTablesOfOneName) {
  const std::string one = "position_ebc.buyer_category_table", other = "position_ebc_2.like_doc_os_id";
  std::string bytes = changed(log_bytes("v1.8.0.log"), one, one, other);
  for (const std::string mark : {"#    buyer_category_table: 0.001", "#    buyer_category_table "})
    if (bytes.find(mark) != std::string::npos) bytes = changed(bytes, mark, "buyer_category_table", "like_doc_os_id");
  const auto wrong = [](const std::string& log) { return of_rule(Checked(log).report, "top_tables.hbm").size(); };
  EXPECT_EQ(wrong(bytes), 0U);
  EXPECT_EQ(wrong(changed(bytes, "[0, 1, 0, 1]", "[0, 1, 0, 1]", "[0, 1, 1, 1]")), 1U);
  EXPECT_EQ(wrong(changed(bytes, "like_doc_os_id: 0.001", "0.001", "0.003")), 1U);
  EXPECT_EQ(wrong(changed(bytes, "like_doc_os_id: 0.001", "[0, 1]", "[0, 1, 0, 1]")), 1U);  // of the other
}

// What no known release prints, once for each column or word: a warning where the block agrees with itself.
TEST(Verify, NewerReleases) {
  const struct {
    const char* old_text;
    const char* new_text;
    const char* rule;
    Severity severity;
    const char* where;
  } cases[] = {
      {"  1.0  ", " 1.00  ", "log.unknown_format", Severity::warning, "1.00"},
      {" None ", " none ", "log.unknown_format", Severity::warning, "Cache Load Factor"},
      {"TWRW", "XYZW", "log.unknown_word", Severity::warning, "XYZW"},
      {"   fused   ", "  fusion   ", "log.unknown_word", Severity::error,
       "fusion"},  // the kernel lines still say "fused"
      {"    HBM (GB)", "   HBM (GiB)", "log.unknown_column", Severity::warning, "HBM (GiB)"},
  };
  for (const auto& c : cases) {
    std::string bytes = log_bytes("v1.8.0.log");
    for (std::size_t at = 0; (at = bytes.find(c.old_text, at)) != std::string::npos; at += 4)
      bytes.replace(at, std::string_view(c.old_text).size(), c.new_text);
    const Checked checked(bytes);
    const auto is_expected = [&](const Finding& f) {
      return f.rule->id == c.rule && f.severity == c.severity && f.where.text == c.where;
    };
    EXPECT_EQ(std::ranges::count_if(checked.report.findings, is_expected), 1) << c.new_text << "\n"
                                                                              << dump(checked.report);
    if (c.severity != Severity::warning) continue;
    EXPECT_FALSE(checked.report.remarks.empty()) << c.new_text;
    for (const Finding& f : checked.report.findings)
      if (f.severity == Severity::error && !f.rule->id.starts_with("log.")) {
        EXPECT_THAT(f.message, testing::HasSubstr("release is unknown"));
      }
  }
}

// In a block without a parameter table the lines of the kernels alone name them.
TEST(Verify, UnknownKernelInALine) {
  const Checked checked(changed(log_bytes("v0.1.0.log"), "batched_fused:", "batched_fused:", "batched_fuzed:"));
  ASSERT_EQ(checked.report.findings.size(), 1) << dump(checked.report);
  EXPECT_EQ(checked.report.findings[0].rule->id, "log.unknown_word");
  EXPECT_EQ(checked.report.findings[0].where.text, "batched_fuzed");
}

// Two perf cells exchanged: neither codecs nor a dtype of its own is made up to explain a part of them.
TEST(Verify, SwappedPerfIsFoundWhereItIs) {
  const std::string one = "0.081 (0.001,0.04,0.002,0.04,0)", other = "0.163 (0.001,0.08,0.003,0.08,0)";
  std::string bytes = log_bytes("v1.4.0.log");
  const std::size_t at = bytes.find(one), second = bytes.find(other);
  bytes.replace(at, one.size(), other).replace(second, other.size(), one);
  const Checked checked(bytes);
  const auto line_of = [&](std::size_t offset) {
    return 1 + std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
  };
  std::size_t errors = 0;
  for (const Finding& f : checked.report.findings) {
    if (f.severity != Severity::error) continue;
    ++errors;
    EXPECT_THAT(f.where.place.line, testing::AnyOf(line_of(at), line_of(second))) << f.message;
  }
  EXPECT_GT(errors, 1U);
}

TEST(Coverage, CountsEveryPrintedNumberOnce) {
  // Counted by hand: the numbers of each log, a rank list as one, "[]" as none.
  const struct {
    const char* log;
    std::int64_t numbers, inputs;
  } cases[] = {
      {"v0.1.0.log", 29, 29}, {"v0.8.0-empty.log", 17, 17}, {"v1.8.0-nodebug.log", 171, 171}, {"v1.4.0.log", 198, 32}};
  for (const auto& c : cases) {
    const Coverage coverage = Checked(log_bytes(c.log)).report.coverage;
    EXPECT_EQ(coverage.numbers(), c.numbers) << c.log;
    EXPECT_EQ(coverage.inputs, c.inputs) << c.log;
  }
}

TEST(Coverage, OnlyRulesWithNumbersAreChecked) {
  const auto missing = [](const char* log) {
    const Checked checked(log_bytes(log));
    std::string ids;
    for (const Rule& rule : rule_table())
      if (std::ranges::count(checked.report.checked, &rule) == 0) ids += std::string(rule.id) + " ";
    return ids;
  };
  // Columns and lines that these logs do not print.
  EXPECT_EQ(missing("v1.8.0.log"), "table.batch_sizes imbalance.range maxima.hbm ");
  EXPECT_EQ(missing("v1.4.0.log"),
            "table.storage.ssd table.batch_sizes kernel.storage.ssd kernel.weights kernel.optimizer kernel.constraints "
            "imbalance.range maxima.hbm ");
  EXPECT_EQ(missing("v0.1.0.log").find("log."), std::string::npos) << "the frame is always checked";
  EXPECT_TRUE(Checked(log_bytes("v0.1.0.log")).report.coverage.rules.none());
  EXPECT_TRUE(Checked(log_bytes("v1.8.0-nodebug.log")).report.coverage.rules.none());
}

TEST(Coverage, DoesNotDependOnFindings) {
  const Checked genuine(log_bytes("v1.4.0.log"));
  const Checked disputed(changed(log_bytes("v1.4.0.log"), "device_os_ad_id", "8.941", "8.945"));
  EXPECT_EQ(genuine.report.coverage.numbers(), disputed.report.coverage.numbers());
  EXPECT_EQ(genuine.report.coverage.derived, disputed.report.coverage.derived);
}

TEST(Findings, CountsBySeverity) {
  std::vector<Finding> findings(3);
  findings[0].severity = Severity::note;
  findings[1].severity = Severity::warning;
  const FindingCounts counts = count(findings);
  EXPECT_EQ(counts.at_least(Severity::error), 1);
  EXPECT_EQ(counts.at_least(Severity::warning), 2);
  EXPECT_EQ(counts.at_least(Severity::note), 3);
  EXPECT_EQ(count({}).at_least(Severity::note), 0);
}

// Of findings on one number that on its digits comes first.
TEST(Verify, AnOddNumberComesBeforeWhatContradictsIt) {
  const Checked checked(changed(log_bytes("v1.4.0.log"), "ad_emb", "(128)", "(064)"));
  std::vector<std::string_view> rules;
  for (const Finding& f : checked.report.findings)
    if (f.where.text == "064") rules.push_back(f.rule->id);
  EXPECT_THAT(rules, testing::ElementsAre("log.malformed_cell", "table.cw_dim")) << dump(checked.report);
}

// A list may be read and yet be none that the planner prints.
TEST(Verify, ListsHaveTheirShape) {
  const char* const lists[][2] = {
      {"0-3", "0-03"}, {"0-3", "0,1,02,3"}, {"0-3", "0, 1, 2, 3"}, {"0-3", "0,1,2,3"}, {"0-3", "3,1,0,2"}};
  for (const auto& [from, to] : lists) {
    const Checked checked(changed(log_bytes("v1.4.0.log"), "model.ebc.share_embed_emb", from, to));
    EXPECT_EQ(of_rule(checked.report, "log.malformed_cell").size(), 1U) << to;
  }
}

// A lost row is one finding: the sums that its shards are in are not compared.
TEST(Verify, AMissingTableRowIsOneFinding) {
  for (const char* name : {"v0.3.0.log", "v0.5.0.log", "v1.4.0.log", "v1.8.0.log"}) {
    const std::string bytes = log_bytes(name);
    const Checked whole(bytes);
    for (const PrintedTable& row : whole.printed.tables.rows) {
      const std::size_t start = bytes.rfind('\n', bytes.find(" " + std::string(row.fqn.text) + " ")) + 1;
      const Checked checked(bytes.substr(0, start) + bytes.substr(bytes.find('\n', start) + 1));
      std::vector<std::string_view> rules;
      for (const Finding& finding : checked.report.findings)
        if (finding.severity != Severity::note) rules.push_back(finding.rule->id);
      EXPECT_EQ(rules, std::vector<std::string_view>{"log.table_rows"}) << name << " " << row.fqn.text;
      const auto& missing = checked.plan.missing;
      ASSERT_TRUE(missing);
      EXPECT_EQ(missing->kernels.begin()->first, row.kernel.text);
      EXPECT_EQ(missing->types.begin()->first, row.sharding.text);
    }
  }
}

TEST(Verify, AMessageSaysIfTheFormulasCanGiveThePrintedNumber) {
  using analysis::differs;
  EXPECT_EQ(differs("HBM of a", "3.859", " GB", "3.858"),
            "HBM of a is printed as 3.859 GB, the formulas give 3.858 GB");
  EXPECT_EQ(differs("HBM of a", "3.70", " GB", "3.7"), "HBM of a is printed as 3.70 GB, the formulas give 3.7 GB");
  EXPECT_EQ(differs("Perf of a", "8e-06", " ms", "5e-06..7e-06"),
            "Perf of a is printed as 8e-06 ms, the formulas give 5e-06..7e-06 ms");
  EXPECT_EQ(differs("Perf of a", "6e-06", " ms", "5e-06..7e-06"),
            "Perf of a is printed as 6e-06 ms, which fits the formulas, but not the other numbers");
  EXPECT_EQ(differs("Output of rank 3", "26.22", " MB", "26.22"),
            "Output of rank 3 is printed as 26.22 MB, which fits the formulas, but not the other numbers");
}

}  // namespace
}  // namespace shardstats
