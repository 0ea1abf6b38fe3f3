// What inference makes of small logs: values, alternatives, overrides, contradictions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "corpus.h"
#include "shardstats/infer/plan.h"

namespace shardstats {
namespace {

std::string log_text(std::string_view file) {
  return test::file_text(test::source_folder() / "testdata" / "logs" / file);
}

// A plan together with the text that it points into.
struct Inferred {
  std::string text;
  PrintedPlan printed;
  Plan plan;
};
std::unique_ptr<Inferred> inferred(std::string text, std::vector<Override> overrides = {}) {
  auto result = std::make_unique<Inferred>();
  result->text = std::move(text);
  const auto blocks = find_blocks(result->text);
  EXPECT_EQ(blocks.size(), 1u);
  result->printed = parse(blocks.front());
  result->plan = infer(result->printed, {std::move(overrides), true});
  return result;
}

const Assumption* assumption(const Plan& plan, std::string_view name) {
  for (const Assumption& a : plan.assumptions)
    if (a.name == name && !a.table) return &a;
  return nullptr;
}

TEST(Infer, HiddenInputsOfASmallPlan) {
  const auto log = inferred(log_text("v1.4.0.log"));
  const Plan& plan = log->plan;
  EXPECT_TRUE(plan.sized);
  EXPECT_EQ(plan.contradictions, 0);
  EXPECT_EQ(plan.setting.device, Device::cuda);
  EXPECT_EQ(plan.setting.pipeline, Pipeline::train_sparse_dist);
  EXPECT_EQ(plan.policy, Policy::heuristical);
  EXPECT_EQ(plan.releases, (std::vector{Release::v1_4_0, Release::v1_5_0}));
  for (const PlanRank& rank : plan.ranks) {
    EXPECT_TRUE(rank.expected_hbm.known);
    EXPECT_FALSE(rank.expected_hbm.contradicted);
  }
}

TEST(Infer, BoundsOfATableAddUp) {
  const auto log = inferred(log_text("v1.8.0.log"));
  const Plan& plan = log->plan;
  for (const PlanTable& table : plan.tables) {
    ByteInterval sum{};
    for (std::uint32_t i = 0; i < table.shard_count; ++i) sum = sum + plan.shards[table.first_shard + i].sizes->hbm;
    EXPECT_TRUE(sum.overlaps(table.hbm.bytes));
  }
}

TEST(Infer, LogsWithoutTablesKeepThePrintedBounds) {
  const auto log = inferred(log_text("v1.1.0-nodebug.log"));
  EXPECT_FALSE(log->plan.sized);
  EXPECT_TRUE(log->plan.shards.empty());
  ASSERT_FALSE(log->plan.ranks.empty());
  EXPECT_FALSE(log->plan.ranks[0].expected_hbm.known);
  EXPECT_GT(log->plan.ranks[0].hbm.high, 0);
}

TEST(Infer, AChangedCellIsContradicted) {
  std::string text = log_text("v1.4.0.log");
  const std::string from = "(8.941 GB, 0.0 GB)";
  text.replace(text.find(from), from.size(), "(8.951 GB, 0.0 GB)");
  const auto log = inferred(std::move(text));
  EXPECT_EQ(log->plan.contradictions, 1);
  const PlanTable& table = log->plan.tables[3];
  EXPECT_TRUE(table.hbm.contradicted);
  EXPECT_FALSE(table.explained);
  EXPECT_EQ(format(static_cast<double>(table.hbm.bytes.low) / kGiB, Format::r3), "8.941");
}

// What the log leaves open of other tables stays open: one of them has an optimizer of its own.
TEST(Infer, AChangedCellNarrowsNoOtherTable) {
  std::string text = log_text("v1.4.0.log");
  const auto before = inferred(text);
  const std::string from = "(8.941 GB, 0.0 GB)";
  text.replace(text.find(from), from.size(), "(8.951 GB, 0.0 GB)");
  const auto after = inferred(std::move(text));
  std::size_t open = 0;
  for (std::size_t t = 0; t < 3; ++t) {
    const PlanTable &a = before->plan.tables[t], &b = after->plan.tables[t];
    EXPECT_EQ(a.choice, b.choice) << t;
    EXPECT_THAT(b.alternatives, testing::IsSupersetOf(a.alternatives)) << t;
    open += !a.alternatives.empty();
  }
  EXPECT_GT(open, 0U);
}

TEST(Infer, UniformEffortGivesUpWhereTheLongSearchGoesOn) {
  std::string text = log_text("v1.4.0.log");
  const std::size_t at = text.find("9.161 (57%)");
  ASSERT_NE(at, std::string::npos);
  const auto contradicted = [](std::string bytes, Effort effort) {
    const auto blocks = find_blocks(bytes);
    InferOptions options;
    options.effort = effort;
    const PrintedPlan printed = parse(blocks.front());
    const Plan plan = infer(printed, options);
    return std::pair(plan.contradictions, plan.gave_up);
  };
  EXPECT_EQ(contradicted(text, Effort::uniform), std::pair(std::int64_t{0}, false));
  text.replace(at, 5, "9.261");
  EXPECT_TRUE(contradicted(text, Effort::uniform).second);
  EXPECT_FALSE(contradicted(text, Effort::exhaustive).second);
  EXPECT_EQ(contradicted(text, Effort::exhaustive).first, 1);
}

TEST(Infer, LeavesPerfOutWhereUniformValuesFallShort) {
  InferOptions options;
  options.effort = Effort::uniform;
  options.perf_anyhow = false;
  const auto look = [&](const std::string& text) {
    const auto blocks = find_blocks(text);
    const PrintedPlan printed = parse(blocks.front());
    return infer(printed, options);
  };
  std::string text = log_text("v1.4.0.log");
  const Plan explained = look(text);
  EXPECT_FALSE(explained.perf_left_out);
  EXPECT_FALSE(explained.gave_up);
  text.replace(text.find("9.161 (57%)"), 5, "9.261");
  const Plan contradicted = look(text);
  EXPECT_TRUE(contradicted.perf_left_out);
  EXPECT_TRUE(contradicted.gave_up);
  EXPECT_NE(contradicted.first_look, nullptr);
}

TEST(Infer, TheLongSearchGoesOnFromAFirstLook) {
  std::string text = log_text("v1.4.0.log");
  text.replace(text.find("9.161 (57%)"), 5, "9.261");
  const auto blocks = find_blocks(text);
  const PrintedPlan printed = parse(blocks.front());
  InferOptions first;
  first.effort = Effort::uniform;
  const Plan look = infer(printed, first);
  ASSERT_NE(look.first_look, nullptr);
  InferOptions options;
  const Plan alone = infer(printed, options);
  options.first_look = look.first_look;
  for (int time = 0; time < 2; ++time) {  // it is left as it was
    const Plan plan = infer(printed, options);
    EXPECT_EQ(plan.first_look, nullptr);
    EXPECT_EQ(plan.contradictions, alone.contradictions);
    EXPECT_EQ(plan.setting, alone.setting);
    EXPECT_EQ(plan.alternatives, alone.alternatives);
    ASSERT_EQ(plan.assumptions.size(), alone.assumptions.size());
    for (std::size_t i = 0; i < plan.assumptions.size(); ++i) {
      EXPECT_EQ(plan.assumptions[i].name, alone.assumptions[i].name);
      EXPECT_EQ(plan.assumptions[i].value, alone.assumptions[i].value);
      EXPECT_EQ(plan.assumptions[i].support, alone.assumptions[i].support);
    }
    for (std::size_t r = 0; r < plan.ranks.size(); ++r)
      EXPECT_EQ(plan.ranks[r].expected_hbm.bytes, alone.ranks[r].expected_hbm.bytes);
  }
}

TEST(Infer, Overrides) {
  const auto parse_good = [](std::string_view text) { return std::get<Override>(parse_override(text)); };
  const auto log = inferred(log_text("v1.4.0.log"), {parse_good("pipeline=none"), parse_good("dtype=int8")});
  EXPECT_EQ(log->plan.setting.pipeline, Pipeline::none);
  EXPECT_GT(log->plan.contradictions, 0);
  EXPECT_EQ(assumption(log->plan, "pipeline_type")->origin, Origin::flag);
  for (const PlanTable& table : log->plan.tables) EXPECT_EQ(table.choice.element_size, 1);
}

TEST(Infer, BadOverridesSayWhatIsPossible) {
  const struct {
    std::string_view text, part;
  } cases[] = {{"pipeline", "KEY=VALUE"},
               {"=none", "KEY=VALUE"},
               {"colour=red", "unknown key 'colour'"},
               {"pipeline=fast", "'fast' is not one of none, train_base, train_sparse_dist"},
               {"release=v9", "'v9' is not a release such as v1.4.0 or main"},
               {"t.release=v1.4.0", "whole plan"},
               {"dtype=complex", "fp16"}};
  for (const auto& c : cases) {
    const auto result = parse_override(c.text);
    ASSERT_TRUE(std::holds_alternative<BadOverride>(result)) << c.text;
    EXPECT_NE(std::get<BadOverride>(result).message.find(c.part), std::string::npos) << c.text;
  }
  const auto good = std::get<Override>(parse_override("model.ebc.t1.dtype=fp16"));
  EXPECT_EQ(good.table, "model.ebc.t1");
  EXPECT_EQ(good.key, "dtype");
}

// Four tables, each alone on a rank of 3.0 GB: fp32 with an optimizer state of one value a row leaves less for dense
// modules than fp16 without one, which explains the log as well.
// The default bandwidths explain what ranks print of perf as others do.
TEST(Infer, PerfIsNotKnownWhereNoTableShowsIt) {
  EXPECT_TRUE(inferred(log_text("v1.4.0.log"))->plan.perf.known);
  std::string log = log_text("v1.4.0.log");
  std::size_t at = log.find("Perf (ms)", log.find("Parameter Info:"));
  ASSERT_NE(at, std::string::npos);
  const std::size_t column = at - log.rfind('\n', at) + 9;
  for (int row = 0; row < 5; ++row) {
    at = log.find('\n', at) + 1;
    if (row > 0) log.replace(at + column - 37, 36, 36, ' ');
  }
  const auto lost = inferred(log);
  EXPECT_TRUE(lost->plan.sized);
  EXPECT_FALSE(lost->plan.perf.known);
}

TEST(Infer, PerfTellsTheHostsOfAnEmptyPlan) {
  const auto hosts_of = [](std::string_view file) {
    const auto log = inferred(log_text(file));
    EXPECT_TRUE(log->plan.empty) << file;
    const Assumption* hosts = assumption(log->plan, "local_world_size");
    EXPECT_TRUE(hosts != nullptr && hosts->alternatives.empty()) << file;
    for (const PlanTable& table : log->plan.tables) {
      const RealInterval all = table.shard_perf.total * exactly(static_cast<double>(table.shard_count));
      EXPECT_TRUE(all.overlaps(table.perf.expected.total)) << file;
    }
    return log->plan.setting.group_size;
  };
  EXPECT_EQ(hosts_of("../edits/v1.1.0-usual_values.log"), 8);
  EXPECT_EQ(hosts_of("../edits/v1.2.0-multiplier_close_by.log"), 1);
  EXPECT_EQ(hosts_of("../planner/v1.1.0-hosts_or_output_dtype.log"), 8);
}

TEST(Infer, HiddenReservationIsThatOfAnyHypothesis) {
  constexpr std::size_t kWidth = 150;
  std::string text = std::string(kWidth, '#') + "\n";
  for (const std::string_view line :
       {"#                                                             --- Planner Statistics ---",
        "#                                    --- Evalulated 292 proposal(s), found 28 possible plan(s), ran"
        " for 4.39s ---",
        "# ----",
        "#      Rank     HBM (GB)     DDR (GB)     Perf (ms)     Input (MB)     Output (MB)     Shards",
        "#    ------   ----------   ----------   -----------   ------------   -------------   --------",
        "#         0    3.0 (22%)     0.0 (0%)           0.0            0.0             0.0      TW: 1",
        "#         1    3.0 (22%)     0.0 (0%)           0.0            0.0             0.0      TW: 1",
        "#         2    3.0 (22%)     0.0 (0%)           0.0            0.0             0.0      TW: 1",
        "#         3    3.0 (22%)     0.0 (0%)           0.0            0.0             0.0      TW: 1",
        "#",
        "# Input: MB/iteration, Output: MB/iteration, Shards: number of tables",
        "# HBM: estimated peak memory usage for shards, dense tensors, and features (KJT)",
        "#",
        "# Parameter Info:",
        "#",
        "#                FQN     Sharding      Compute Kernel     Perf (ms)     Pooling Factor     Output  "
        "   Features    Emb Dim     Hash Size     Ranks",
        "#              -----   ----------    ----------------   -----------   ----------------   --------  "
        " ----------   --------   -----------   -------",
        "#      m.ebc.table_0           TW               fused           0.0                0.0     pooled  "
        "          1          4     125000000         0",
        "#      m.ebc.table_1           TW               fused           0.0                0.0     pooled  "
        "          1          4     125000000         1",
        "#      m.ebc.table_2           TW               fused           0.0                0.0     pooled  "
        "          1          4     125000000         2",
        "#      m.ebc.table_3           TW               fused           0.0                0.0     pooled  "
        "          1          4     125000000         3",
        "#",
        "# Batch Size: 1",
        "#",
        "# Compute Kernels:",
        "#    fused: 4",
        "#",
        "# Longest Critical Path: 0.0 ms on ranks 0-3",
        "#",
        "# Peak Memory Pressure: 3.0 GB on ranks 0-3",
        "#",
        "# Usable Memory:",
        "#    HBM: 13.6 GB, DDR: 108.8 GB",
        "#    Percent of Total: 85%"})
    text += std::string(line) + std::string(kWidth - line.size() - 1, line.ends_with("---") ? '-' : ' ') + "#\n";
  text += std::string(kWidth, '#') + "\n";
  const Plan plan = infer(parse(find_blocks(text).front()));
  EXPECT_EQ(plan.contradictions, 0);
  EXPECT_GE(plan.dense_hbm.high, std::int64_t{2} << 30);
}

}  // namespace
}  // namespace shardstats
