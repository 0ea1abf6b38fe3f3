#include "shardstats/analysis/explain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>

#include "corpus.h"
#include "shardstats/analysis/reconstruct.h"
#include "shardstats/analysis/table_names.h"
#include "shardstats/input/blocks.h"
#include "shardstats/planner/trace.h"

namespace shardstats {
namespace {

namespace fs = std::filesystem;

fs::path public_log() { return test::corpus("public") / "sharding_stats_example.txt"; }

// A log with everything that points into it.
struct Log {
  std::string text;
  std::vector<Block> blocks;
  PrintedPlan printed;
  Plan plan;

  explicit Log(std::string bytes) : text(std::move(bytes)), blocks(find_blocks(text)) {
    if (blocks.empty()) return;
    printed = parse(blocks.front());
    plan = infer(printed);
  }
  Log(const Log&) = delete;
};

// By its path below testdata.
std::string test_text(std::string_view path) { return test::file_text(test::source_folder() / "testdata" / path); }
Log test_log(std::string_view path) { return Log(test_text(path)); }

std::vector<Explained> explained(const Log& log, std::string_view target) {
  auto answer = explain(log.printed, log.plan, target);
  if (auto* unknown = std::get_if<UnknownTarget>(&answer)) {
    ADD_FAILURE() << target << ": " << unknown->message;
    return {};
  }
  return std::get<std::vector<Explained>>(std::move(answer));
}

// Of a target that one thing is called by.
Explained explained_one(const Log& log, std::string_view target) {
  std::vector<Explained> all = explained(log, target);
  if (all.size() != 1) throw std::runtime_error(std::string(target) + " is not one thing");
  return std::move(all.front());
}

const Step* find_step(const std::vector<Step>& steps, std::string_view label) {
  for (const Step& step : steps) {
    if (step.label == label) return &step;
    if (const Step* found = find_step(step.children, label)) return found;
  }
  return nullptr;
}
const Step& step_in(const std::vector<Step>& steps, std::string_view label) {
  if (const Step* found = find_step(steps, label)) return *found;
  throw std::runtime_error("no step '" + std::string(label) + "'");
}

// The invariant: children of a sum add up to it, in bounds and in nominal values.
void expect_sums(const Step& step, const std::string& where) {
  EXPECT_LE(step.value.bounds.low, step.value.bounds.high) << where << ": " << step.label;
  if (step.sum) {
    double nominal = 0;
    RealInterval bounds{};
    for (const Step& child : step.children) {
      nominal += child.value.nominal;
      bounds = bounds + child.value.bounds;
    }
    EXPECT_NEAR(nominal, step.value.nominal, 1) << where << ": " << step.label;
    EXPECT_NEAR(bounds.low, step.value.bounds.low, 1) << where << ": " << step.label;
    EXPECT_NEAR(bounds.high, step.value.bounds.high, 1) << where << ": " << step.label;
  }
  for (const Step& child : step.children) expect_sums(child, where);
}

// But for the last bits.
bool holds(RealInterval outer, RealInterval inner) {
  return outer.low * (1 - 1e-9) <= inner.low && inner.high <= outer.high * (1 + 1e-9);
}

// Of what stands at the head, and of nothing wider.
void expect_shares(const Step& root, const std::string& where) {
  if (!root.sum || root.value.nominal <= 0) return;
  double all = 0;
  for (const Step& child : root.children) {
    EXPECT_NEAR(child.share_of_total, child.value.nominal / root.value.nominal, 1e-9) << where << ": " << child.label;
    all += child.share_of_total;
  }
  EXPECT_NEAR(all, 1, 1e-6) << where << ": " << root.label;
}

void expect_consistent(const Explained& one, const std::string& file) {
  const std::string where = file + " " + one.target;
  double percent = 0, memories = 0;
  for (const Step& step : one.steps) {
    expect_sums(step, where);
    if (step.narrowed) {
      EXPECT_TRUE(holds(step.value.bounds, step.narrowed->bounds)) << where << ": " << step.label;
      EXPECT_TRUE(step.narrowed->bounds.contains(step.narrowed->nominal)) << where << ": " << step.label;
      EXPECT_EQ(step.narrowed->nominal, step.value.nominal) << where << ": " << step.label;
    }
    expect_shares(step, where);
    if (step.label != "printed" || step.note != "agrees") continue;
    const Step& computed = *(&step - 1);
    const RealInterval shown = computed.narrowed.value_or(computed.value).bounds;
    EXPECT_TRUE(holds(step.value.bounds, shown)) << where << ": " << computed.label;
  }
  for (const ComponentRow& row : one.components) percent += row.percent;
  memories = std::round(percent / 100);
  EXPECT_NEAR(percent, memories * 100, 1e-6) << where;
}

// What is stated of a table and of a rank is what reconstruct states.
void expect_bounds(const Step& step, ByteInterval wanted, const std::string& where) {
  const RealInterval shown = step.narrowed.value_or(step.value).bounds;
  EXPECT_NEAR(shown.low, real(wanted).low, 1) << where << ": " << step.label;
  EXPECT_NEAR(shown.high, real(wanted).high, 1) << where << ": " << step.label;
}

// What the ranks hold bounds what all of them do.
void expect_within_ranks(const Log& log, const std::vector<const PlanRank*>& ranks, const std::string& where) {
  RealInterval all{};
  for (const PlanRank* rank : ranks) {
    if (!rank->expected_hbm.known || rank->expected_hbm.contradicted) return;
    all = all + real(rank->hbm);
  }
  if (ranks.empty()) return;
  const Explained plan = explained_one(log, "plan");
  const Step& total = plan.steps.at(0);
  EXPECT_TRUE(holds(all, total.narrowed.value_or(total.value).bounds)) << where;
}

// Returns how many tables and ranks were compared.
int expect_bounds_of_reconstruct(const fs::path& path) {
  const Log log(test::file_text(path));
  if (log.blocks.empty() || !log.plan.sized) return 0;
  const Reconstruction all = reconstruct(log.printed, log.plan, Filter(), {});
  int compared = 0;
  const auto expect = [&](const std::string& target, ByteInterval hbm) {
    for (const Explained& one : explained(log, target)) {
      expect_bounds(one.steps.front(), hbm, path.string() + " " + one.target);
      ++compared;
    }
  };
  for (const TableRow& row : all.tables)
    if (const Expectation& hbm = row.table->hbm; hbm.known && !hbm.contradicted)
      expect(std::string(row.printed->fqn.text), row.hbm);
  expect_within_ranks(log, all.ranks, path.string());
  for (const PlanRank* rank : all.ranks)
    if (rank->expected_hbm.known && !rank->expected_hbm.contradicted)
      expect("rank:" + std::to_string(rank->rank), rank->hbm);
  return compared;
}

TEST(ExplainCorpus, StatesTheBoundsOfReconstruct) {
  int compared = 0;
  for (const fs::path& log : test::logs_below(test::source_folder() / "testdata" / "logs"))
    compared += expect_bounds_of_reconstruct(log);
  for (const fs::path& log : test::logs_below(test::source_folder() / "testdata" / "planner"))
    compared += expect_bounds_of_reconstruct(log);
  EXPECT_GT(compared, 0);
}

// Returns how many targets were looked at.
std::size_t expect_consistent_log(const fs::path& path, std::size_t most_tables) {
  const Log log(test::file_text(path));
  if (log.blocks.empty()) return 0;
  const std::string file = path.filename().string();
  std::vector<std::string> targets = {"plan"};
  for (std::size_t t = 0; t < std::min(most_tables, log.printed.tables.rows.size()); ++t)
    targets.emplace_back(log.printed.tables.rows[t].fqn.text);
  for (std::size_t r = 0; r < std::min<std::size_t>(2, log.plan.ranks.size()); ++r)
    targets.push_back("rank:" + std::to_string(log.plan.ranks[r].rank));
  for (const PlanKernel& kernel : log.plan.kernels) targets.push_back("kernel:" + std::string(kernel.name));
  for (const std::string& target : targets)
    for (const Explained& one : explained(log, target))
      expect_consistent(one, path.parent_path().filename().string() + "/" + file);
  return targets.size();
}

TEST(ExplainCorpus, SumsAddUpInEveryLog) {
  const auto logs = test::corpus_logs("plans");
  if (logs.empty()) GTEST_SKIP() << test::kNoCorpus;
  std::size_t targets = 0;
  for (std::size_t i = 0; i < logs.size(); i += 1 + logs.size() / 60) targets += expect_consistent_log(logs[i], 12);
  EXPECT_GT(targets, logs.size());
}

TEST(ExplainCorpus, SumsAddUpInTestdata) {
  const auto logs = test::logs_below(test::source_folder() / "testdata");
  std::size_t targets = 0;
  for (const fs::path& log : logs) targets += expect_consistent_log(log, 12);
  EXPECT_GT(targets, logs.size());
}

class ExplainPublic : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (fs::exists(public_log())) log_ = new Log(test::file_text(public_log()));
  }
  static void TearDownTestSuite() { delete log_; }
  void SetUp() override {
    if (log_ == nullptr) GTEST_SKIP() << test::kNoCorpus;
  }
  static Log* log_;
};
Log* ExplainPublic::log_ = nullptr;

// storage-model.md section 12.2.
TEST_F(ExplainPublic, RowWiseTableEndsAtThePrintedCell) {
  const Explained found = explained_one(*log_, "table_1705");
  EXPECT_EQ(found.target, "model.sparse.sequence_ec.table_1705");
  EXPECT_EQ(found.kind, "table");
  const Step& sum = found.steps.at(0);
  EXPECT_EQ(sum.value.nominal, 414205962240);
  ASSERT_EQ(sum.children.size(), 2u);
  const struct {
    const char* label;
    double total, weights, optimizer, input, output;
  } kClasses[] = {{"95 shards, ranks 0-94: 833,334 x 128 each", 4314645612, 213333504, 1666668, 124231680, 3975413760},
                  {"1 shard, rank 95: 833,270 x 128", 4314629100, 213317120, 1666540, 124231680, 3975413760}};
  for (std::size_t c = 0; c < 2; ++c) {
    EXPECT_EQ(sum.children[c].label, kClasses[c].label);
    ASSERT_EQ(sum.children[c].children.size(), 1u);
    const Step& shard = sum.children[c].children[0];
    EXPECT_EQ(shard.value.nominal, kClasses[c].total);
    EXPECT_EQ(step_in(shard.children, "embedding weights").value.nominal, kClasses[c].weights);
    EXPECT_EQ(step_in(shard.children, "optimizer state").value.nominal, kClasses[c].optimizer);
    const Step& input = step_in(shard.children, "input buffer");
    EXPECT_EQ(input.value.nominal, kClasses[c].input);
    EXPECT_EQ(input.expression, "ceil(x * W * 8)");
    EXPECT_EQ(input.substituted, "ceil(161,760 * 96 * 8)");
    EXPECT_EQ(input.formula, "io.input");
    EXPECT_EQ(step_in(shard.children, "output buffer").value.nominal, kClasses[c].output);
  }
  const Step& printed = found.steps.at(1);
  EXPECT_EQ(printed.printed->text, "385.759");
  EXPECT_EQ(printed.printed->place.line, 111u);
  EXPECT_EQ(printed.note, "agrees");
}

TEST_F(ExplainPublic, OperandsNameTheirOrigin) {
  const Explained found = explained_one(*log_, "table_1705");
  const Step& whole = step_in(found.steps, "whole table");
  EXPECT_EQ(whole.expression, "R * C * e");
  ASSERT_EQ(whole.operands.size(), 3u);
  EXPECT_EQ(whole.operands[0].printed.text, "80000000");
  EXPECT_EQ(whole.operands[0].origin, Origin::log);
  EXPECT_EQ(whole.operands[2].symbol, "e");
  EXPECT_EQ(whole.operands[2].origin, Origin::inferred);
  EXPECT_FALSE(whole.operands[2].printed);
}

TEST_F(ExplainPublic, ComponentsAddUpToTheTable) {
  const Explained found = explained_one(*log_, "table_1705");
  double total = 0;
  for (const ComponentRow& row : found.components) total += row.total;
  EXPECT_EQ(total, 414205962240);
  ASSERT_EQ(found.components.size(), 4u);
  EXPECT_EQ(found.components[0].label, "embedding weights");
  EXPECT_EQ(found.components[0].per_shard, 213333504);
}

bool any_mentions(const std::vector<std::string>& notes, std::string_view words) {
  return std::ranges::any_of(notes, [=](const std::string& note) { return note.find(words) != std::string::npos; });
}

TEST(Explain, NotesSayWhyRowsAreBounds) {
  const Log log = test_log("planner/v1.9.2-buckets_that_nothing_shows.log");
  EXPECT_TRUE(any_mentions(explained_one(log, "table_23").notes, "by whole buckets"));
  EXPECT_FALSE(any_mentions(explained_one(log, "table_13").notes, "by whole buckets"));
}

TEST_F(ExplainPublic, NotesConcernTheTable) {
  const auto notes = explained_one(*log_, "table_1705").notes;
  const auto mentions = [&](std::string_view words) { return any_mentions(notes, words); };
  EXPECT_TRUE(mentions("4 bytes per row for EmbeddingCollectionSharder"));
  EXPECT_TRUE(mentions("divides the rows evenly"));
  EXPECT_FALSE(mentions("empty shards"));
  EXPECT_FALSE(mentions("Cache Load Factor"));
}

TEST_F(ExplainPublic, RankListsItsShardsLargestFirst) {
  const Explained found = explained_one(*log_, "rank:43");
  const Step& sum = found.steps.at(0);
  ASSERT_EQ(sum.children.size(), 6u);  // 4 shards, dense, KJT
  EXPECT_EQ(sum.children[0].label, "table_1706");
  EXPECT_EQ(sum.children[0].value.nominal, 6364468332);
  EXPECT_EQ(sum.children[4].printed->text, "62.667");
  EXPECT_EQ(sum.children[5].printed->text, "18.2");
  EXPECT_EQ(found.steps.at(1).printed->text, "100.041");
  EXPECT_NE(find_step(found.steps, "left of the planning memory"), nullptr);
  EXPECT_EQ(step_in(found.steps, "share of the planning memory").printed->text, "72");
}

TEST_F(ExplainPublic, TargetsFindWhatTheyName) {
  const struct {
    const char* target;
    const char* kind;
    std::size_t count;
  } kCases[] = {
      {"model.sparse.sequence_ec.table_1705", "table", 1},
      {"table:table_1705", "table", 1},
      {"table_17?5", "table", 10},
      {"*table_1705", "table", 1},
      {"table:table_1705@rank:95", "table@rank", 1},
      {"kernel:fused", "kernel", 1},
      {"plan", "plan", 1},
      {"assumption:pipeline_type", "assumption", 1},
      {"rank:0", "rank", 1},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.target);
    const auto all = explained(*log_, c.target);
    ASSERT_EQ(all.size(), c.count);
    EXPECT_EQ(all[0].kind, c.kind);
    EXPECT_FALSE(all[0].steps.empty());
  }
}

TEST_F(ExplainPublic, UnknownTargetsHaveNeighbours) {
  const struct {
    const char* target;
    const char* nearest;
  } kCases[] = {
      {"tabel_1705", "table_1705"},
      {"table_17055", "table_1705"},
      {"kernel:fusd", "kernel:fused"},
      {"rank:96", "rank:95"},
      {"plam", "plan"},
      {"TABLE_1705", "table_1705"},
      {"ebc.table_1705", "model.sparse.sequence_ec.table_1705"},
      {"nothing_ec.table_170*", "table_170*"},
      {"assumption:pipeline", "assumption:pipeline_type"},
      {"pipeline_type", "assumption:pipeline_type"},
      {"fused", "kernel:fused"},
      {"7", "rank:7"},
      {"table:table_1339@rank:1", "table:table_1339@rank:43"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.target);
    auto answer = explain(log_->printed, log_->plan, c.target);
    const auto* unknown = std::get_if<UnknownTarget>(&answer);
    ASSERT_NE(unknown, nullptr);
    EXPECT_FALSE(unknown->message.empty());
    EXPECT_TRUE(std::find(unknown->nearest.begin(), unknown->nearest.end(), c.nearest) != unknown->nearest.end())
        << testing::PrintToString(unknown->nearest);
  }
}

TEST_F(ExplainPublic, TheShardOfOneRank) {
  const Explained found = explained_one(*log_, "table:table_1705@rank:95");
  EXPECT_EQ(found.steps.at(0).value.nominal, 4314629100);
}

// A printed cell that the formulas cannot give leaves a step of its own, and the sum is the printed one.
TEST_F(ExplainPublic, WhatIsNotExplainedIsAStep) {
  std::string text = log_->text;
  const std::size_t at = text.find("385.759 GB");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 7, "386.061");
  const Log changed(std::move(text));
  ASSERT_EQ(changed.printed.tables.rows.size(), log_->printed.tables.rows.size());
  const Explained found = explained_one(changed, "table_1705");
  const Step& rest = step_in(found.steps, "not explained");
  EXPECT_NEAR(rest.value.nominal, 0.302 * (1 << 30), 2e6);
  expect_consistent(found, "changed");
  EXPECT_EQ(found.components.back().label, "not explained");
}

// A cell that no planner prints is quoted by no step, and nothing is compared with it.
TEST_F(ExplainPublic, AMalformedCellIsNotCompared) {
  std::string text = log_->text;
  text.replace(text.find("385.759 GB"), 7, "386.060");
  const Log changed(std::move(text));
  const Explained found = explained_one(changed, "table_1705");
  ASSERT_EQ(found.steps.size(), 3u);  // HBM without its cell, perf with its own
  EXPECT_EQ(found.steps[0].value.nominal, 414205962240);
  EXPECT_EQ(found.steps[1].label, "perf of all 96 shards");
}

TEST_F(ExplainPublic, PerfOfATableIsATreeOfItsComponents) {
  const Explained found = explained_one(*log_, "table_1705");
  const Step& perf = step_in(found.steps, "perf of all 96 shards");
  EXPECT_TRUE(perf.value.bounds.overlaps({30741.0025, 30741.0035}));
  const Step& one = step_in(perf.children, "one of them");
  ASSERT_EQ(one.children.size(), 4u);
  double sum = 0;
  for (const Step& part : one.children) sum += part.value.nominal;
  EXPECT_NEAR(sum, one.value.nominal, 1e-9);
  const Step& comms = step_in(one.children, "forward comms");
  EXPECT_EQ(comms.expression, "O_f / b_inter");
  EXPECT_EQ(comms.substituted, "1,987,706,880 / 13,421,772.8");
  EXPECT_EQ(step_in(one.children, "backward compute").expression, "m_b * fc");
}

TEST_F(ExplainPublic, PerfOfARankIsThatOfItsShards) {
  const Explained found = explained_one(*log_, "rank:0");
  const Step& perf = step_in(found.steps, "perf of rank 0");
  ASSERT_EQ(perf.children.size(), 5u);
  EXPECT_EQ(perf.children[0].label, "table_1706");
  EXPECT_TRUE(perf.value.bounds.overlaps({1026.6495, 1026.6505}));
  const Step& parts = step_in(found.steps, "perf of rank 0 by component");
  EXPECT_EQ(parts.children.size(), kPerfParts);
  EXPECT_NEAR(parts.value.nominal, perf.value.nominal, 0.01);
}

struct LineCase {
  const char* target;
  const char* explained;  // its full name
  const char* label;      // of the first step
  double low, high;       // of its value
  std::size_t children;
};

TEST_F(ExplainPublic, LinesAreNamedByTheirRuleAndShowWhatMakesThem) {
  constexpr double kGB = 1073741824;
  const LineCase cases[] = {
      {"imbalance.hbm.kl", "imbalance.hbm.kl", "HBM KL divergence", 0, 0.0005, 5},
      {"critical_path.comms", "critical_path.comms", "the critical path of comms", 1376.8635, 1376.8645, 10},
      {"critical_path.compute", "critical_path.compute", "the critical path of compute", 262.936, 262.938, 2},
      {"maxima.sum", "maxima.sum", "the sum of maxima", 1469.2925, 1469.2935, 4},
      {"maxima.fwd_comms", "maxima.value.fwd_comms", "the maximum of forward comms", 596.844, 596.846, 5},
      {"distribution.mean", "distribution.value.mean", "Mean HBM", 99.0755 * kGB, 99.0765 * kGB, 5},
      {"tiers.2", "tiers.value.2", "tier #2", 100.0305 * kGB, 100.0315 * kGB, 5},
      {"reservation.kjt", "reservation.kjt", "KJT reservation of a rank", 18.15 * kGB, 18.25 * kGB, 1},
  };
  for (const LineCase& c : cases) {
    SCOPED_TRACE(c.target);
    const auto all = explained(*log_, c.target);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].target, c.explained);
    ASSERT_GE(all[0].steps.size(), 2u);
    EXPECT_EQ(all[0].steps[0].label, c.label);
    EXPECT_TRUE(all[0].steps[0].value.bounds.overlaps({c.low, c.high}));
    EXPECT_EQ(all[0].steps[0].children.size(), c.children);
    EXPECT_EQ(all[0].steps[1].label, "printed");
    EXPECT_EQ(all[0].steps[1].note, "agrees");
  }
}

TEST_F(ExplainPublic, AGroupOfLinesIsExplainedLineByLine) {
  EXPECT_EQ(explained(*log_, "imbalance").size(), 8u);  // no DDR
  EXPECT_EQ(explained(*log_, "imbalance.perf").size(), 4u);
  EXPECT_EQ(explained(*log_, "tiers.value").size(), 6u);
}

TEST_F(ExplainPublic, ACriticalPathOfCommsIsTheSumOfItsGroups) {
  const Explained found = explained_one(*log_, "critical_path.comms");
  const Step& root = found.steps[0];
  double sum = 0;
  for (const Step& group : root.children) {
    sum += group.value.nominal;
    double tables = 0;
    for (const Step& table : group.children) tables += table.value.nominal;
    EXPECT_NEAR(tables, group.value.nominal, 1e-3) << group.label;
  }
  EXPECT_NEAR(sum, root.value.nominal, 1e-2);
}

TEST_F(ExplainPublic, TheKjtReservationComesFromTheIdsOfAllTables) {
  const Explained found = explained_one(*log_, "reservation.kjt");
  const Step& root = found.steps[0];
  ASSERT_EQ(root.children.size(), 1u);
  const Step& ids = root.children[0];
  EXPECT_EQ(ids.children.size(), log_->plan.tables.size());
  double sum = 0;
  for (const Step& table : ids.children) sum += table.value.nominal;
  EXPECT_NEAR(sum, ids.value.nominal, 1e-9 * sum);
  EXPECT_EQ(root.substituted, "20 * ceil(8 * " + number_text(ids.value.nominal) + ")");
  EXPECT_NEAR(root.value.nominal, 160 * sum, root.value.bounds.width());
}

TEST_F(ExplainPublic, TheLargestTablesComeFirst) {
  const auto largest = explain_largest(log_->printed, log_->plan, 3);
  ASSERT_EQ(largest.size(), 3u);
  EXPECT_EQ(largest[0].explained.target, "model.sparse.sequence_ec.table_1706");
  EXPECT_EQ(largest[1].explained.target, "model.sparse.sequence_ec.table_1705");
  EXPECT_EQ(log_->printed.tables.rows[largest[2].table].fqn.text, largest[2].explained.target);
  EXPECT_GE(largest[1].explained.steps[0].value.nominal, largest[2].explained.steps[0].value.nominal);
  EXPECT_EQ(explain_largest(log_->printed, log_->plan, 5000).size(), log_->plan.tables.size());
}

TEST_F(ExplainPublic, ARuleOfManyCellsAsksForOneOfThem) {
  const auto message = [&](std::string_view target) {
    auto answer = explain(log_->printed, log_->plan, target);
    const auto* unknown = std::get_if<UnknownTarget>(&answer);
    return unknown ? unknown->message : std::string();
  };
  EXPECT_EQ(message("rank.hbm"), "rank.hbm is checked on every rank of the block; name one, as in `explain rank:0`");
  EXPECT_EQ(message("critical_path.foo"), "no line 'critical_path.foo' in this block");
  EXPECT_EQ(message("tiers.6"),
            "no line 'tiers.6' in this block; it has tiers.top, tiers.1, tiers.2, tiers.3, tiers.4, "
            "tiers.5");
  EXPECT_EQ(message("hbm"),
            "no table 'hbm' in this block; a target is a table, rank:N, kernel:NAME, plan, assumption:NAME or the rule "
            "id of a line");
}

TEST_F(ExplainPublic, APartOfATableNeedsNotSayThatItIsOne) {
  const Explained part = explained_one(*log_, "table_1705@rank:3");
  EXPECT_EQ(part.target, explained_one(*log_, "table:table_1705@rank:3").target);
  const auto answer = explain(log_->printed, log_->plan, "table_1705@rank:96");
  EXPECT_EQ(std::get<UnknownTarget>(answer).message, "no rank '96': ranks are 0 to 95");
}

TEST_F(ExplainPublic, TargetsThatAreNone) {
  for (const auto& [target, message] :
       {std::pair("",
                  "the target is empty: name a table, rank:N, kernel:NAME, plan, "
                  "assumption:NAME or the rule id of a line"),
        {"rank:x", "rank: takes a number, not 'x'; ranks are 0 to 95"},
        {"rank:", "rank: takes a number, not ''; ranks are 0 to 95"},
        {"table:table_1705@rank:-1", "rank: takes a number, not '-1'; ranks are 0 to 95"}}) {
    const auto answer = explain(log_->printed, log_->plan, target);
    const auto* unknown = std::get_if<UnknownTarget>(&answer);
    ASSERT_NE(unknown, nullptr) << target;
    EXPECT_EQ(unknown->message, message);
    EXPECT_TRUE(unknown->nearest.empty()) << target;
  }
}

TEST_F(ExplainPublic, AnAssumptionShowsWhatRulesOtherValuesOut) {
  const Explained found = explained_one(*log_, "assumption:compute_device");
  const Step& cpu = step_in(found.steps, "compute_device = cpu");
  EXPECT_TRUE(cpu.note.starts_with("ruled out by 10,646 printed numbers")) << cpu.note;
  ASSERT_FALSE(cpu.children.empty());
  EXPECT_EQ(cpu.children[0].label, "HBM of table_1705");
  EXPECT_EQ(cpu.children[0].value.nominal, 0);
  EXPECT_EQ(find_step(found.steps, "compute_device = mtia"), nullptr);  // it fits as well
}

// Only what contradicts more numbers is ruled out.
TEST(ExplainAssumption, OtherValuesAreNotRuledOutByTaste) {
  struct {
    const char *log, *assumed, *value, *note;
  } const cases[] = {
      {"v1.8.0.log", nullptr, "none", "ruled out by 2 printed numbers; with it these would be:"},
      {"v1.8.0.log", nullptr, "train_prefetch_sparse_dist", "ruled out by 1 printed number; with it these would be:"},
      {"v1.8.0.log", "train_base", "train_sparse_dist", "contradicts 0 printed numbers instead of 2"},
      {"v1.4.0.log", nullptr, "none",
       "explains as much of what is printed, but less simply: tables or bandwidths need values of their own"},
      {"v1.4.0.log", "none", "train_base", "explains as much of what is printed"},
      {"v0.5.0.log", nullptr, "train_base", "no release with this log's layout could have printed it"},
  };
  for (const auto& c : cases) {
    Log log = test_log("logs/" + std::string(c.log));
    InferOptions options;
    if (c.assumed != nullptr) options.overrides.push_back({"pipeline_type", "", c.assumed});
    log.plan = infer(log.printed, options);
    const auto all =
        std::get<std::vector<Explained>>(explain(log.printed, log.plan, "assumption:pipeline_type", options));
    const Step& step = step_in(all.at(0).steps, std::string("pipeline_type = ") + c.value);
    EXPECT_EQ(step.note, c.note) << c.log << " " << c.value;
    EXPECT_EQ(step.children.empty(), !step.note.starts_with("ruled out")) << c.log << " " << c.value;
  }
}

TEST(ExplainRank, PerfOfTheOldestReleaseIsNoTime) {
  const Log log = test_log("logs/v0.1.0.log");
  const std::vector<Explained> rank = explained(log, "rank:0");
  const Step& perf = step_in(rank.at(0).steps, "perf of rank 0");
  EXPECT_EQ(perf.value.nominal, 18255);
  EXPECT_NEAR(perf.value.bounds.low, 18254.5, 1e-6);
  EXPECT_NEAR(perf.value.bounds.high, 18255.5, 1e-6);
  EXPECT_EQ(perf.value.unit, "");
}

TEST(ExplainRank, MemoryOfAReleaseWithoutReservationIsThatOfItsShards) {
  const Log log = test_log("logs/v0.1.0.log");
  for (const PlanRank& rank : log.plan.ranks) {
    EXPECT_EQ(rank.sparse_hbm, rank.hbm);
    EXPECT_EQ(rank.sparse_ddr, rank.ddr);
  }
}

TEST(ExplainReservation, SharesOfTheHbmAndWhatTheRanksMakeOfIt) {
  const Log log = test_log("logs/v1.4.0.log");
  const Explained percent = explained_one(log, "reservation.percent");
  const Step& planning = step_in(percent.steps, "planning share of the HBM");
  EXPECT_EQ(planning.value.nominal, 100);
  EXPECT_EQ(planning.note, "agrees");
  const Explained capacity = explained_one(log, "reservation.capacity");
  const Step& told = step_in(capacity.steps, "planning memory as the shares of the ranks tell it");
  EXPECT_TRUE(told.value.bounds.contains(16.0 * (1 << 30)));
  EXPECT_EQ(step_in(capacity.steps, "planning memory").note, "4 of 4 ranks agree with it");
}

TEST(ExplainReservation, OneRankThatContradictsTheOthersGivesNoCapacity) {
  std::string bytes = test_text("logs/v1.4.0.log");
  bytes.replace(bytes.find("9.161 (57%)"), 11, "9.161 (97%)");
  const Log log(std::move(bytes));
  const Explained capacity = explained_one(log, "reservation.capacity");
  EXPECT_EQ(find_step(capacity.steps, "planning memory as the shares of the ranks tell it"), nullptr);
  EXPECT_EQ(step_in(capacity.steps, "planning memory").note, "3 of 4 ranks agree with it");
}

TEST(ExplainShard, BoundsCoverAllThatExplainsTheLog) {
  for (const std::string_view path : {"planner/v0.5.0-peak_memory.log", "planner/v1.0.0-dtype_in_perf.log"}) {
    const Log log = test_log(path);
    std::size_t wider = 0;
    for (const PlanTable& table : log.plan.tables) {
      const PlanShard& shard = log.plan.shards_of(table).front();
      const std::string target =
          "table:" + std::string(log.printed.tables.rows[table.row].fqn.text) + "@rank:" + std::to_string(*shard.rank);
      const Explained one = explained_one(log, target);
      for (const Step& step : one.steps) {
        const bool is_perf = step.label.starts_with("perf");
        const ByteInterval& bytes = step.label.starts_with("HBM") ? shard.sizes->hbm : shard.sizes->ddr;
        EXPECT_TRUE(holds(step.value.bounds, is_perf ? table.shard_perf.total : real(bytes))) << target << step.label;
        wider += !step.children.empty() && step.children.back().label == "other explanations";
      }
      expect_sums(one.steps.front(), target);
    }
    EXPECT_GT(wider, 0u) << path;
  }
}

TEST(ExplainShard, IsFoundByTheListedRankWhereItWasNotRebuilt) {
  std::string bytes = test_text("logs/v1.4.0.log");
  bytes.replace(bytes.find("100000000 "), 10, "10000x000 ");
  const Log log(std::move(bytes));
  const Explained shard = explained_one(log, "table:device_os_ad_id@rank:0");
  EXPECT_FALSE(shard.notes.empty());
  const auto answer = explain(log.printed, log.plan, "table:device_os_ad_id@rank:1");
  EXPECT_EQ(std::get<UnknownTarget>(answer).message, "table 'device_os_ad_id' has no shard on rank 1");
}

TEST(ExplainTable, SaysOfTheOutputWhatIsPrinted) {
  std::string bytes = test_text("logs/v1.4.0.log");
  const auto facts = [](std::string log) { return explained_one(Log(std::move(log)), "device_os_ad_id").facts.at(0); };
  EXPECT_TRUE(facts(bytes).find(", pooled") != std::string::npos) << facts(bytes);
  const std::size_t pooled = bytes.find(" pooled ", bytes.find("device_os_ad_id"));
  ASSERT_NE(pooled, std::string::npos);
  bytes.replace(pooled, 8, 8, ' ');
  EXPECT_FALSE(facts(bytes).find("pooled") != std::string::npos) << facts(bytes);
}

TEST(ExplainTable, SaysWhichColumnOfSizesIsLost) {
  std::string bytes = test_text("logs/v1.4.0.log");
  const std::size_t header = bytes.find("     Output     "), width = bytes.find('\n') + 1;
  for (std::size_t at = header; bytes.substr(at, 6).find_first_not_of(' ') != std::string::npos || at == header;
       at += width)
    bytes.replace(at + 3, 10, 10, ' ');
  const Log log(std::move(bytes));
  const Explained table = explained_one(log, "device_os_ad_id");
  ASSERT_FALSE(table.notes.empty());
  EXPECT_EQ(table.notes.back(), "The column \"Output\" is lost.");
}

TEST(ExplainComponents, OfAnotherMemoryThanHbmSayWhich) {
  const Log log = test_log("planner/v1.1.0-bandwidth_of_which_link.log");
  const Explained plan = explained_one(log, "plan");
  ASSERT_FALSE(plan.components.empty());
  for (const ComponentRow& row : plan.components) EXPECT_TRUE(row.label.ends_with(" (DDR)")) << row.label;
}

TEST(ExplainReservation, KjtOfACpuIsComparedWithItsDdr) {
  const Log log = test_log("planner/v1.1.0-bandwidth_of_which_link.log");
  const Explained kjt = explained_one(log, "reservation.kjt");
  EXPECT_EQ(kjt.steps.back().printed->text, "0.031");
  EXPECT_TRUE(kjt.steps.front().value.bounds.overlaps(kjt.steps.back().value.bounds));
}

TEST(ExplainRank, WhatRanksHaveInCommonIsTheSameInAllOfThem) {
  const Log log = test_log("logs/v1.4.0.log");
  const auto same = [](const Step& a, const Step& b, double times) {
    EXPECT_EQ(a.value.nominal * times, b.value.nominal) << b.label;
    EXPECT_EQ(a.value.bounds.low * times, b.value.bounds.low) << b.label;
    EXPECT_EQ(a.value.bounds.high * times, b.value.bounds.high) << b.label;
    EXPECT_EQ(a.value.nominal, std::floor(a.value.nominal)) << a.label;
  };
  const auto first = explained_one(log, "rank:0").steps;
  const Step& dense = step_in(first, "dense modules");
  const auto second = explained_one(log, "rank:1").steps;
  same(dense, step_in(second, "dense modules"), 1);
  const auto plan = explained_one(log, "plan").steps;
  same(dense, step_in(plan, "dense modules, all ranks"), static_cast<double>(log.plan.setting.world_size));
}

TEST(ExplainKernel, MemoryThatNoTableUsesIsRebuilt) {
  const Log log = test_log("logs/v1.4.0.log");
  const auto steps = explained_one(log, "kernel:fused").steps;
  const Step& ddr = step_in(steps, "DDR of kernel fused");
  EXPECT_EQ(ddr.value.bounds, exactly(0.0));
  EXPECT_EQ(ddr.printed->text, "0.0");
}

TEST(ExplainPlan, WithoutRanksOnlyPrintedReservationsCount) {
  const Log log = test_log("edits/v1.3.0-virtual_table.log");
  ASSERT_TRUE(log.plan.empty);
  ASSERT_GT(log.plan.dense_hbm.high, 0);
  const Explained plan = explained_one(log, "plan");
  const Step& hbm = step_in(plan.steps, "HBM of all ranks");
  ASSERT_EQ(hbm.children.size(), 1u);
  EXPECT_EQ(hbm.children[0].label, "shards");
  EXPECT_EQ(hbm.note, "without dense modules and KJT: there is no memory of ranks that would tell them");
}

TEST(ExplainPlan, WhatLostTablesHoldIsNotExplained) {
  const Step whole = explained_one(test_log("logs/v1.4.0.log"), "plan").steps.at(0);
  std::string bytes = test_text("logs/v1.4.0.log");
  const std::size_t row = bytes.rfind('\n', bytes.find("device_os_ad_id")) + 1;
  bytes.erase(row, bytes.find('\n', row) + 1 - row);
  const Step rest = explained_one(Log(std::move(bytes)), "plan").steps.at(0);
  EXPECT_EQ(rest.label, "HBM of all ranks, as printed");
  EXPECT_TRUE(whole.narrowed.value_or(whole.value).bounds.contains(rest.value.nominal)) << rest.value.nominal;
  EXPECT_GE(rest.narrowed.value().bounds.low, 0);
  const Step& lost = rest.children.back();
  EXPECT_EQ(lost.label, "not explained");
  EXPECT_NEAR(lost.value.nominal, whole.children.front().value.nominal - rest.children.front().value.nominal, 4e6);
  expect_sums(rest, "lost table");
}

TEST(ExplainOperands, BandwidthsSayWhatElseExplainsTheLog) {
  const Log log = test_log("planner/v1.3.0-tiny.log");
  const Bandwidths<RealInterval>&shown = log.plan.perf.setting.bandwidths, &all = log.plan.perf.bandwidths;
  ASSERT_LT(all.intra_host.low, shown.intra_host.low);
  std::size_t seen = 0;
  const std::function<void(const Step&)> look = [&](const Step& step) {
    for (const Operand& operand : step.operands) {
      if (operand.symbol != "b_intra") continue;
      EXPECT_EQ(operand.note, "or another one in 270.953..600 GiB/s");
      ++seen;
    }
    for (const Step& child : step.children) look(child);
  };
  for (const Explained& table : explained(log, "*"))
    for (const Step& step : table.steps) look(step);
  EXPECT_GT(seen, 0u);
}

TEST(ExplainOperands, AKeyValueCacheIsNoLargerThanTheMemoryOfItsShard) {
  const Log log = test_log("planner/v1.8.0-output_type.log");
  const std::uint32_t t = tables_named(log.printed, "user_id__ebc13").at(0);
  const PlanShard& shard = log.plan.shards_of(log.plan.tables[t]).front();
  ASSERT_GT(shard.sizes->tensor.high, shard.sizes->hbm.high);
  const Step hbm = explained_one(log, "user_id__ebc13").steps.at(0);
  EXPECT_TRUE(real(shard.sizes->hbm).contains(hbm.value.nominal)) << hbm.value.nominal;
}

TEST(Explain, NoCacheLoadFactorMeansTheDefaultOnlyWhereItIsPrinted) {
  const auto says_so = [](std::string_view path, std::string_view table) {
    const Log log = test_log(path);
    const std::vector<std::string> notes = explained_one(log, table).notes;
    return std::ranges::any_of(notes, [](std::string_view note) { return note.starts_with("A Cache Load Factor"); });
  };
  EXPECT_TRUE(says_so("planner/V1.5.0-few_buckets_of_one.log", "second.table_4"));  // fused_uvm_caching
  EXPECT_FALSE(says_so("planner/V1.5.0-few_buckets_of_one.log", "sequences.table_9"));
  EXPECT_TRUE(says_so("planner/v0.8.0-link_of_one_table.log", "sequences.table_6"));
  EXPECT_FALSE(says_so("planner/v0.6.0-hosts_and_bandwidth.log", "sparse.ec.table_ec18"));  // may be the sharder's
}

TEST(ExplainLabels, TablesHaveAsManyPartsAsTellThemApart) {
  PrintedPlan printed;
  for (const std::string_view fqn : {"a.b.tag", "a.c.tag", "x.c.tag", "user", "a.visit", "a.brand.v2", "a.page.v2"}) {
    PrintedTable& row = printed.tables.rows.emplace_back();
    row.fqn.text = fqn;
  }
  EXPECT_THAT(shortest_names(printed),
              testing::ElementsAre("b.tag", "a.c.tag", "x.c.tag", "user", "visit", "brand.v2", "page.v2"));
}

TEST(ExplainAssumption, AnAssumedNumberIsNotAmongTheOthers) {
  Log log = test_log("logs/v1.8.0.log");
  InferOptions options;
  options.overrides.push_back({"local_world_size", "", "4"});
  log.plan = infer(log.printed, options);
  const auto all =
      std::get<std::vector<Explained>>(explain(log.printed, log.plan, "assumption:local_world_size", options));
  ASSERT_NE(find_step(all.at(0).steps, "local_world_size"), nullptr);
  EXPECT_EQ(find_step(all.at(0).steps, "local_world_size = 4"), nullptr);
}

}  // namespace
}  // namespace shardstats
