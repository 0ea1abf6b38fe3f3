// The rebuilt plan against the planner's own unrounded numbers: every true value of the corpus lies within the bounds.
// Runs on testdata always, on the whole corpus where it is there.
#include "corpus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "shardstats/infer/plan.h"
#include "shardstats/input/blocks.h"

namespace shardstats {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Compares one log; counts what was compared and describes what was not inside.
struct Comparison {
  std::int64_t compared = 0;
  std::vector<std::string> wrong;

  void value(const std::string& what, std::int64_t truth, ByteInterval bounds) {
    ++compared;
    if (!bounds.contains(truth))
      wrong.push_back(what + " " + std::to_string(truth) + " not in [" + std::to_string(bounds.low) + ", " +
                      std::to_string(bounds.high) + "]");
  }
};

bool smaller(const PlanShard& a, const PlanShard& b) {
  return std::pair(a.sizes->rows.low + a.sizes->rows.high, a.sizes->cols.low + a.sizes->cols.high) <
         std::pair(b.sizes->rows.low + b.sizes->rows.high, b.sizes->cols.low + b.sizes->cols.high);
}

void compare_table(const json& truth, const Plan& plan, const PlanTable& table, Comparison& out) {
  std::map<int, std::vector<PlanShard>> by_rank;
  for (std::uint32_t i = 0; i < table.shard_count; ++i) {
    const PlanShard& shard = plan.shards[table.first_shard + i];
    by_rank[shard.rank.value_or(-1)].push_back(shard);
  }
  std::map<int, std::vector<json>> true_by_rank;
  for (const json& shard : truth["shards"]) true_by_rank[shard["rank"].get<int>()].push_back(shard);
  for (auto& [rank, shards] : true_by_rank) {
    auto& ours = by_rank[rank];
    std::stable_sort(ours.begin(), ours.end(), smaller);
    std::stable_sort(shards.begin(), shards.end(), [](const json& a, const json& b) {
      return std::pair(a["rows"].get<std::int64_t>(), a["cols"].get<std::int64_t>()) <
             std::pair(b["rows"].get<std::int64_t>(), b["cols"].get<std::int64_t>());
    });
    const std::string where = truth["fqn"].get<std::string>() + "@" + std::to_string(rank);
    out.value(where + " shards", static_cast<std::int64_t>(shards.size()),
              exactly(static_cast<std::int64_t>(ours.size())));
    for (std::size_t i = 0; i < std::min(shards.size(), ours.size()); ++i) {
      const std::pair<const char*, ByteInterval> fields[] = {{"rows", ours[i].sizes->rows},
                                                             {"cols", ours[i].sizes->cols},
                                                             {"hbm", ours[i].sizes->hbm},
                                                             {"ddr", ours[i].sizes->ddr},
                                                             {"ssd", ours[i].sizes->ssd},
                                                             {"input_bytes", ours[i].sizes->input},
                                                             {"output_bytes", ours[i].sizes->output}};
      for (const auto& [key, bounds] : fields)
        if (shards[i].contains(key)) out.value(where + " " + key, shards[i][key].get<std::int64_t>(), bounds);
    }
  }
}

// A log and the truth about it.
struct TrueLog {
  explicit TrueLog(const fs::path& log)
      : text(test::file_text(log)), truth(json::parse(test::file_text(fs::path(log).replace_extension(".json")))) {}

  // As if the log had lost the row of a table, or all of it behind the kernel. False: it has no such row.
  bool lose_table(std::size_t table, bool only_end = false) {
    const auto blocks = find_blocks(text);
    const PrintedPlan printed = parse(blocks.back());
    if (table >= printed.tables.rows.size() || truth["empty_plan"].get<bool>()) return false;
    std::size_t start = 0;
    for (std::uint32_t line = 1; line < printed.tables.rows[table].fqn.place.line; ++line)
      start = text.find('\n', start) + 1;
    const std::size_t end = text.find('\n', start);
    if (only_end)
      start += printed.tables.rows[table].kernel.place.column + printed.tables.rows[table].kernel.text.size();
    text.erase(start, end + (only_end ? 0 : 1) - start);
    if (only_end)
      truth["tables"][table]["shards"] = json::array();  // none are rebuilt
    else
      truth["tables"].erase(table);
    return true;
  }

  std::string text;
  json truth;
};

Comparison compare(const TrueLog& log) {
  const json& truth = log.truth;
  const auto blocks = find_blocks(log.text);
  Comparison out;
  if (blocks.empty()) {
    out.wrong.push_back("no block");
    return out;
  }
  const PrintedPlan printed = parse(blocks.back());
  const Plan plan = infer(printed);
  if (!plan.sized) return out;
  EXPECT_EQ(plan.tables.size(), truth["tables"].size());
  for (std::size_t t = 0; t < plan.tables.size() && !plan.empty; ++t)
    compare_table(truth["tables"][t], plan, plan.tables[t], out);
  for (std::size_t r = 0; r < plan.ranks.size(); ++r) {
    const json& rank = truth["ranks"][r];
    out.value("rank " + std::to_string(r) + " hbm", rank["hbm"].get<std::int64_t>(), plan.ranks[r].hbm);
    out.value("rank " + std::to_string(r) + " sparse hbm", rank["sparse_hbm"].get<std::int64_t>(),
              plan.ranks[r].sparse_hbm);
    out.value("rank " + std::to_string(r) + " ddr", rank["ddr"].get<std::int64_t>(), plan.ranks[r].ddr);
  }
  const json& reservation = truth["reservation"];
  if (!plan.empty && reservation.contains("dense") && reservation["counted_in_rank_memory"].get<bool>())
    out.value("dense hbm", reservation["dense"]["hbm"].get<std::int64_t>(), plan.dense_hbm);
  return out;
}

void expect_inside(const fs::path& log, const Comparison& result) {
  EXPECT_TRUE(result.wrong.empty()) << log.filename() << " in " << log.parent_path().filename() << ": "
                                    << result.wrong.size() << " wrong, e.g. " << result.wrong.front();
}

std::int64_t expect_truth_inside(const std::vector<fs::path>& logs) {
  std::int64_t compared = 0;
  for (const fs::path& log : logs) {
    if (!fs::exists(fs::path(log).replace_extension(".json"))) continue;
    const Comparison result = compare(TrueLog(log));
    compared += result.compared;
    expect_inside(log, result);
  }
  return compared;
}

TEST(InferCorpus, TruthOfTestdataIsInsideTheBounds) {
  EXPECT_GT(expect_truth_inside(test::logs_below(test::source_folder() / "testdata" / "logs")), 500);
}

TEST(InferCorpus, TruthIsInsideTheBounds) {
  const auto logs = test::corpus_logs("plans");
  if (logs.empty()) GTEST_SKIP() << test::kNoCorpus;
  EXPECT_GT(expect_truth_inside(logs), test::sampled(100000));
}

TEST(InferCorpus, TruthIsInsideTheBoundsWhereTheRowOfATableIsLost) {
  constexpr std::size_t kParts = 4;  // of the tables of a log: the first of each is lost once
  for (const fs::path& log : test::logs_below(test::source_folder() / "testdata" / "logs")) {
    if (!fs::exists(fs::path(log).replace_extension(".json"))) continue;
    for (std::size_t table = 0;; ++table) {
      TrueLog damaged(log);
      if (!damaged.lose_table(table)) break;
      expect_inside(log, compare(damaged));
    }
  }
  const auto logs = test::corpus_logs("plans");
  if (logs.empty()) GTEST_SKIP() << test::kNoCorpus;
  for (const fs::path& log : logs) {
    // Of what ranks tell too little without the row: others are split by capacities or buckets.
    if (log.filename().string().starts_with("odd")) continue;
    for (std::size_t part = 0; part < kParts; ++part) {
      TrueLog damaged(log);
      if (damaged.lose_table(damaged.truth["tables"].size() * part / kParts)) expect_inside(log, compare(damaged));
    }
  }
}

// The shares of the ranks, or the memory that the lost table does not use, tell of devices of their own capacity; and
// many tables of one dtype do not say that those which show none have it.
TEST(InferCorpus, OddPlansWhereTheRowOfATableIsLost) {
  const fs::path plans = test::corpus("plans");
  if (!fs::exists(plans)) GTEST_SKIP() << test::kNoCorpus;
  const std::pair<const char*, std::size_t> lost[] = {
      {"V1.5.0/odd-706.log", 1}, {"v1.6.0/odd-725.log", 6}, {"v0.5.0/mixed-202.log", 6}};
  for (const auto& [name, table] : lost) {
    TrueLog damaged(plans / name);
    ASSERT_TRUE(damaged.lose_table(table)) << name;
    expect_inside(plans / name, compare(damaged));
  }
}

// Ranks with a shard of a table that cannot be sized tell no poolings either, where the release does not print them.
TEST(InferCorpus, PoolingsWhereTheEndOfARowIsLost) {
  const fs::path plans = test::corpus("plans");
  if (!fs::exists(plans)) GTEST_SKIP() << "no shared corpus beside the project";
  for (const auto& [name, table] : {std::pair("v0.3.2/odd-482.log", 10u), {"v0.3.2/odd-485.log", 7u}}) {
    TrueLog damaged(plans / name);
    ASSERT_TRUE(damaged.lose_table(table, true)) << name;
    expect_inside(plans / name, compare(damaged));
  }
}

// Verify asks for less than reconstruct, but is told the same of the whole plan.
TEST(InferCorpus, AssumptionsOfThePlanAreTheSameWithoutAlternatives) {
  const fs::path plans = test::corpus("plans");
  if (!fs::exists(plans)) GTEST_SKIP() << test::kNoCorpus;
  for (const char* name : {"v0.8.0/mixed-201.log", "v1.4.0/mixed-201.log", "v1.6.0/mixed-202.log"}) {
    const std::string bytes = test::file_text(plans / name);
    const PrintedPlan printed = parse(find_blocks(bytes).at(0));
    const Plan whole = infer(printed, {}), brief = infer(printed, {{}, false});
    const auto supports = [](const Plan& plan) {
      std::map<std::string_view, std::int64_t> by_name;
      for (const Assumption& a : plan.assumptions)
        if (!a.table) by_name[a.name] = a.support;
      return by_name;
    };
    EXPECT_EQ(supports(whole), supports(brief)) << name;
  }
}

}  // namespace
}  // namespace shardstats
