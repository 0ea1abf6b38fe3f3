// A precedent explains its own block again, with the same plan, explains a plan that was changed in ways it says
// nothing about, and explains no block that has a wrong number.
#include "shardstats/infer/precedent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "corpus.h"
#include "infer/infer_like.h"
#include "shardstats/input/blocks.h"

namespace shardstats {
namespace {

namespace fs = std::filesystem;

InferOptions as_verify_does() {
  InferOptions options;
  options.alternatives = options.shard_parts = false;
  options.keep_precedent = true;
  return options;
}

struct Block {
  explicit Block(const fs::path& file) : text(test::file_text(file)), printed(parse(find_blocks(text).front())) {}
  static Block of(std::string_view file) { return Block(test::source_folder() / "testdata" / "logs" / file); }

  std::string text;
  PrintedPlan printed;
};

TEST(TablePrecedents, KeepAlikeTablesOnce) {
  using namespace infer_detail;
  TablePrecedents tables;
  for (const int passes : {1, 2, 1}) {
    TablePrecedent table;
    table.variants.push_back(Variant{.passes = passes});
    table.options.push_back({0, 7});
    tables.add(table);
  }
  ASSERT_EQ(tables.size(), 3u);
  EXPECT_EQ(&tables[0], &tables[2]);
  EXPECT_NE(&tables[0], &tables[1]);
  EXPECT_EQ(tables[1].variants.front().passes, 2);
}

std::optional<Plan> like(const Plan& earlier, const PrintedPlan& printed) {
  return infer_like(*earlier.precedent, printed, as_verify_does());
}

bool is_explained(const Plan& plan) {
  return plan.sized && plan.contradictions == 0 && !plan.gave_up &&
         std::ranges::none_of(plan.tables, [](const PlanTable& t) { return t.perf.contradicted != 0; }) &&
         std::ranges::none_of(plan.ranks, [](const PlanRank& r) { return r.expected_perf.contradicted != 0; });
}

std::vector<AssumedValue> values_of(const Assumption& assumption) {
  std::vector<AssumedValue> values = assumption.alternatives;
  values.push_back(assumption.value);
  return values;
}

// What the log allows at the second look it allowed at the first, which starts from more and can leave more.
void expect_inside(const Assumption& first, const Assumption& second) {
  SCOPED_TRACE(first.name);
  EXPECT_EQ(first.support, second.support);
  if (const auto* bytes = std::get_if<ByteInterval>(&first.value)) {
    EXPECT_EQ(hull(*bytes, std::get<ByteInterval>(second.value)), *bytes);
  } else if (const auto* bandwidth = std::get_if<RealInterval>(&first.value)) {
    const auto again = std::get<RealInterval>(second.value);
    const double slack = 0.02 * bandwidth->width() + 1e-9 * bandwidth->low;
    EXPECT_GE(again.low, bandwidth->low - slack);
    EXPECT_LE(again.high, bandwidth->high + slack);
    EXPECT_GE(again.width(), 0.5 * bandwidth->width());
  } else {
    EXPECT_THAT(values_of(first), testing::IsSupersetOf(values_of(second)));
  }
}

void expect_same(const Plan& plan, const Plan& again, const std::string& log) {
  SCOPED_TRACE(log);
  EXPECT_EQ(plan.releases, again.releases);
  EXPECT_EQ(plan.setting, again.setting);
  EXPECT_EQ(plan.alternatives, again.alternatives);
  ASSERT_EQ(plan.assumptions.size(), again.assumptions.size());
  for (std::size_t a = 0; a < plan.assumptions.size(); ++a) expect_inside(plan.assumptions[a], again.assumptions[a]);
  ASSERT_EQ(plan.shards.size(), again.shards.size());
  for (std::size_t s = 0; s < plan.shards.size(); ++s) {
    const PlanShard &first = plan.shards[s], &second = again.shards[s];
    EXPECT_EQ(hull(first.sizes->hbm, second.sizes->hbm), first.sizes->hbm) << s;
    EXPECT_EQ(hull(first.sizes->ddr, second.sizes->ddr), first.sizes->ddr) << s;
    EXPECT_EQ(hull(first.sizes->input, second.sizes->input), first.sizes->input) << s;
    EXPECT_EQ(hull(first.sizes->output, second.sizes->output), first.sizes->output) << s;
  }
}

// The log twice; how many blocks the first one's precedent explained.
int again(const fs::path& file) {
  const Block block(file);
  const Plan plan = infer(block.printed, as_verify_does());
  if (!is_explained(plan) || plan.precedent == nullptr) return 0;
  const auto found = like(plan, block.printed);
  EXPECT_TRUE(found) << file;
  if (found) expect_same(plan, *found, file.string());
  return 1;
}

TEST(Precedent, ExplainsItsOwnBlock) {
  int explained = 0;
  for (const fs::path& log : test::logs_below(test::source_folder() / "testdata" / "logs")) explained += again(log);
  EXPECT_GE(explained, 4);
}

TEST(Precedent, ExplainsItsOwnBlockInTheCorpus) {
  int explained = 0;
  const auto logs = test::corpus_logs("plans");
  if (logs.empty()) GTEST_SKIP() << test::kNoCorpus;
  for (const fs::path& log : logs) explained += again(log);
  EXPECT_GE(explained, test::sampled(240));
}

TEST(Precedent, ExplainsTheSameTablesInAnotherPlan) {
  int same_key = 0, explained = 0;
  if (!fs::exists(test::corpus("whatif"))) GTEST_SKIP() << test::kNoCorpus;
  for (const fs::path& log : test::corpus_logs("whatif")) {
    if (log.filename() != "expected.log") continue;
    const Block base(log.parent_path() / "base.log"), changed(log);
    if (precedent_key(base.printed) != precedent_key(changed.printed)) continue;
    ++same_key;
    const Plan plan = infer(base.printed, as_verify_does());
    const auto found = is_explained(plan) && plan.precedent ? like(plan, changed.printed) : std::nullopt;
    explained += found && is_explained(*found);
  }
  EXPECT_GE(same_key, test::sampled(40));
  EXPECT_GE(explained, test::sampled(30));
}

TEST(Precedent, ExplainsNoWrongNumber) {
  const Block right = Block::of("v1.8.0.log");
  const Plan plan = infer(right.printed, as_verify_does());
  ASSERT_TRUE(is_explained(plan));
  const auto contradicts = [&](const std::string& what, auto change) {
    Block wrong = Block::of("v1.8.0.log");
    change(wrong.printed);
    EXPECT_FALSE(like(plan, wrong.printed)) << what;
  };
  contradicts("HBM of a table", [](PrintedPlan& p) { p.tables.rows[0].hbm.text = "77.0"; });
  contradicts("output of a rank", [](PrintedPlan& p) { p.ranks.rows[0].output.text = "77.0"; });
  contradicts("HBM of a rank", [](PrintedPlan& p) { p.ranks.rows[0].hbm.text = "77.0"; });
  contradicts("perf of a table", [](PrintedPlan& p) { p.tables.rows[0].perf.total.text = "77.0"; });
  contradicts("perf of a rank", [](PrintedPlan& p) { p.ranks.rows[0].perf.total.text = "77.0"; });
  contradicts("batch size", [](PrintedPlan& p) { p.slots[p.find(LineId::batch_size)->first_slot].text = "77"; });
  contradicts("a table less", [](PrintedPlan& p) { p.tables.rows.pop_back(); });
}

// Where the precedent leaves bandwidths open, a block that follows is held to those that its own numbers leave.
TEST(Precedent, LeavesNoRoomThatABlockDoesNotLeave) {
  const fs::path folder = test::source_folder() / "testdata" / "precedents";
  const Block open(folder / "one_ratio.log"), bounded(folder / "several_ratios.log");
  ASSERT_EQ(precedent_key(open.printed), precedent_key(bounded.printed));
  const Plan plan = infer(open.printed, as_verify_does());
  ASSERT_TRUE(is_explained(plan) && plan.precedent);
  Block wrong(folder / "several_ratios.log");
  const auto replace = [](Cell& cell) {
    ASSERT_EQ(cell.text, "38.008");
    cell.text = "38.108";
  };
  replace(wrong.printed.tables.rows[12].perf.total);
  replace(wrong.printed.ranks.rows[0].perf.total);
  const auto found_wrong = like(plan, wrong.printed);
  EXPECT_FALSE(found_wrong && is_explained(*found_wrong));
}

TEST(Precedent, KeyTellsTablesApart) {
  const Block one = Block::of("v1.8.0.log"), older = Block::of("v1.4.0.log");
  EXPECT_NE(precedent_key(one.printed), precedent_key(older.printed));
  const auto differs = [&](auto change) {
    Block other = Block::of("v1.8.0.log");
    change(other.printed);
    return precedent_key(one.printed) != precedent_key(other.printed);
  };
  EXPECT_TRUE(differs([](PrintedPlan& p) { p.tables.rows[0].fqn.text = "another"; }));
  EXPECT_TRUE(differs([](PrintedPlan& p) { p.tables.rows[0].kernel.text = "dense"; }));
  EXPECT_TRUE(differs([](PrintedPlan& p) { p.tables.rows[0].sharder.text = "dense"; }));
  EXPECT_TRUE(differs([](PrintedPlan& p) { p.tables.rows.pop_back(); }));
  EXPECT_TRUE(differs([](PrintedPlan& p) { p.ranks.rows.pop_back(); }));
  EXPECT_FALSE(differs([](PrintedPlan& p) { p.tables.rows[0].hbm.text = "77.0"; }));

  Block kernel = Block::of("v1.8.0.log"), sharder = Block::of("v1.8.0.log");
  kernel.printed.tables.rows.back().kernel.text = sharder.printed.tables.rows.back().sharder.text = "the same word";
  EXPECT_NE(precedent_key(kernel.printed), precedent_key(sharder.printed));
}

}  // namespace
}  // namespace shardstats
