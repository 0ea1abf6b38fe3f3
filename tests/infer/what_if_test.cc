// Changes of a small plan, refusals, and that no change at all leaves the plan as it is. Against genuine logs of
// changed plans: tests/cli/what_if_corpus_test.py.
#include "shardstats/infer/what_if.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "corpus.h"
#include "shardstats/input/blocks.h"

namespace shardstats {
namespace {

using testing::HasSubstr;

struct Text {
  std::string text;
};

struct Log {
  explicit Log(std::string_view file)
      : Log(Text{test::file_text(test::source_folder() / "testdata" / "logs" / file)}) {}
  explicit Log(Text of_log)
      : text(std::move(of_log.text)), printed(parse(find_blocks(text).front())), what_if(printed) {}

  std::uint32_t row(std::string_view name) const {
    for (std::uint32_t t = 0; t < printed.tables.rows.size(); ++t)
      if (is_named(printed.tables.rows[t].fqn.text, name)) return t;
    ADD_FAILURE() << "no table " << name;
    return 0;
  }

  std::string text;
  PrintedPlan printed;
  WhatIf what_if;
};

Change of_run(Attribute attribute, double number) {
  Change change;
  change.attribute = attribute;
  change.number = number;
  change.text = std::string(form_of(attribute).name);
  return change;
}
Change of_table(const Log& log, std::string_view table, Attribute attribute, double number, std::string word = {},
                std::vector<int> ranks = {}) {
  Change change = of_run(attribute, number);
  change.tables = {log.row(table)};
  change.word = std::move(word);
  change.ranks = std::move(ranks);
  return change;
}

ChangedPlan changed(const Log& log, const std::vector<Change>& changes) {
  auto outcome = log.what_if.with(changes);
  if (auto* refusal = std::get_if<Refusal>(&outcome)) throw std::runtime_error(refusal->message);
  return std::get<ChangedPlan>(std::move(outcome));
}
// The log as it is up to the line with the mark.
Text cut_off_at(const Log& log, std::string_view mark) {
  return {log.text.substr(0, log.text.rfind('\n', log.text.find(mark)) + 1)};
}
Text without_line(const Log& log, std::string_view mark) {
  const std::size_t at = log.text.find(mark);
  return {cut_off_at(log, mark).text + log.text.substr(log.text.find('\n', at) + 1)};
}
std::string refusal_of(const Log& log, const std::vector<Change>& changes) {
  const auto outcome = log.what_if.with(changes);
  const auto* refusal = std::get_if<Refusal>(&outcome);
  return refusal != nullptr ? refusal->message : "";
}

TEST(WhatIf, TheTableOfAttributesIsInTheirOrder) {
  for (const AttributeForm& form : attribute_table()) EXPECT_EQ(&form, &form_of(form.attribute)) << form.name;
}

TEST(WhatIf, NoChangeLeavesThePlan) {
  for (const char* file : {"v0.5.0.log", "v1.4.0.log", "v1.8.0.log"}) {
    const Log log(file);
    const ChangedPlan same = changed(log, {});
    const Plan& base = log.what_if.base();
    ASSERT_EQ(same.plan.shards.size(), base.shards.size()) << file;
    for (std::size_t i = 0; i < base.shards.size(); ++i) {
      EXPECT_EQ(same.plan.shards[i].sizes->hbm, base.shards[i].sizes->hbm) << file << " shard " << i;
      EXPECT_EQ(same.plan.shards[i].rank, base.shards[i].rank) << file << " shard " << i;
    }
    for (std::size_t r = 0; r < base.ranks.size(); ++r) {
      const ByteInterval hbm = same.plan.ranks[r].hbm;  // the KJT formula may narrow what the log prints of it
      EXPECT_TRUE(base.ranks[r].hbm.contains(hbm.low) && base.ranks[r].hbm.contains(hbm.high)) << file << " rank " << r;
      EXPECT_EQ(same.plan.ranks[r].sparse_hbm, base.ranks[r].sparse_hbm) << file << " rank " << r;
      EXPECT_NEAR(same.plan.ranks[r].perf.total.high, base.ranks[r].perf.total.high, 1e-9) << file << " rank " << r;
      EXPECT_TRUE(base.ranks[r].hbm.contains(same.likely.ranks[r].hbm.low)) << file << " rank " << r;
    }
  }
}

TEST(WhatIf, TwiceTheBatchIsTwiceTheInput) {
  const Log log("v1.4.0.log");
  const double batch = 2 * static_cast<double>(parse_integer(log.printed.slot(LineId::batch_size).text).value());
  const ChangedPlan twice = changed(log, {of_run(Attribute::batch_size, batch)});
  for (std::size_t i = 0; i < twice.plan.shards.size(); ++i) {
    const PlanShard &before = log.what_if.base().shards[i], &after = twice.plan.shards[i];
    EXPECT_TRUE(after.sizes->input.overlaps(before.sizes->input * 2)) << i;
    EXPECT_EQ(after.sizes->tensor, before.sizes->tensor) << i;
  }
}

// log-format.md section 2.2: the last run has no blanks, and one feature is no run.
TEST(WhatIf, BatchSizesReadAsThePlannerListsThem) {
  const Log log("main.log");
  const ChangedPlan other = changed(log, {of_run(Attribute::batch_size, 256)});
  std::size_t lists = 0;
  for (std::size_t t = 0; t < other.skeleton.tables.rows.size(); ++t) {
    const PrintedTable& row = other.skeleton.tables.rows[t];
    if (row.batch_sizes.text == "n/a") continue;
    ++lists;
    EXPECT_EQ(row.batch_sizes.text, row.features.text == "1" ? "256" : "256*" + std::string(row.features.text)) << t;
  }
  EXPECT_GT(lists, 1U);
}

// v0.5.0 prints no reservation: it may be the inference policy's, whose KJT grows with the batch, or have none.
TEST(WhatIf, AHiddenReservationMayGrowWithTheBatch) {
  const Log log("v0.5.0.log");
  const Plan& base = log.what_if.base();
  ASSERT_THAT(base.policies, testing::IsSupersetOf({Policy::fixed_percentage, Policy::inference}));
  const double batch = std::stod(std::string(log.printed.slot(LineId::batch_size).text));
  const ChangedPlan twice = changed(log, {of_run(Attribute::batch_size, 2 * batch)});
  EXPECT_EQ(std::ranges::find(twice.plan.assumptions, "kjt_hbm", &Assumption::name)->origin, Origin::inferred);
  const std::int64_t growth = twice.plan.kjt_hbm.high - base.kjt_hbm.high;
  EXPECT_GT(2 * growth, base.kjt_hbm.high);  // some tables have batch sizes of their own
  for (std::size_t r = 0; r < base.ranks.size(); ++r) {
    const auto reserved = [&](const PlanRank& rank) { return rank.hbm.high - rank.sparse_hbm.low; };
    EXPECT_NEAR(static_cast<double>(reserved(twice.plan.ranks[r])),
                static_cast<double>(reserved(base.ranks[r]) + growth), 100)
        << "rank " << r;
  }
}

// A log that is cut off does not tell whose reservation it is: it grows as that of one of the policies.
TEST(WhatIf, AReservationThatIsCutOffMayGrowAsThatOfAnyPolicy) {
  for (const char* file : {"v1.4.0.log", "v1.8.0.log", "main.log"}) {
    const Log whole(file), cut(cut_off_at(whole, "Reserved Memory:"));
    const std::vector<Policy>& policies = cut.what_if.base().policies;
    EXPECT_THAT(policies, testing::IsSupersetOf({whole.what_if.base().policy, Policy::inference})) << file;
    const std::vector<Change> twice = {
        of_run(Attribute::batch_size, 2 * std::stod(std::string(whole.printed.slot(LineId::batch_size).text)))};
    const ChangedPlan truth = changed(whole, twice), said = changed(cut, twice);
    const RealInterval known = truth.growth.kjt_hbm, open = said.growth.kjt_hbm;
    ASSERT_GT(known.low, 0) << file;
    EXPECT_LE(open.low, known.low / 10) << file;  // that of the inference policy is a twentieth
    EXPECT_GE(open.high, known.high - 100) << file;
    for (std::size_t r = 0; r < truth.plan.ranks.size(); ++r)
      EXPECT_TRUE(said.plan.ranks[r].hbm.overlaps(truth.plan.ranks[r].hbm)) << file << " rank " << r;
  }
}

// The tables tell where it stood and what its rank takes; the changed plan has it like all others.
TEST(WhatIf, ALostRowOfARankIsRebuilt) {
  const Log whole("v1.4.0.log"), lost(without_line(whole, "#         3 "));
  ASSERT_TRUE(lost.printed.has_lost_ranks());
  const std::vector<Change> batch = {of_run(Attribute::batch_size, 1024)};
  const ChangedPlan truth = changed(whole, batch), said = changed(lost, batch);
  ASSERT_EQ(said.plan.ranks.size(), truth.plan.ranks.size());
  for (std::size_t r = 0; r < truth.plan.ranks.size(); ++r) {
    EXPECT_TRUE(said.plan.ranks[r].hbm.overlaps(truth.plan.ranks[r].hbm)) << r;
    EXPECT_TRUE(said.growth.ranks[r].hbm.overlaps(truth.growth.ranks[r].hbm)) << r;
    EXPECT_EQ(said.skeleton.ranks.rows[r].rank.text, std::to_string(r));
    EXPECT_FALSE(said.skeleton.ranks.rows[r].lost);
  }
}

// Rows are split by the memory of the devices there, which the lost row would show: the other rank denies an even
// split.
TEST(WhatIf, ALostRowOfARankThatNothingTellsIsNotRebuilt) {
  const Log whole("../planner/v1.4.0-two_devices.log"), lost(without_line(whole, "#         1 "));
  ASSERT_TRUE(lost.printed.has_lost_ranks());
  EXPECT_FALSE(lost.what_if.base().ranks.back().known);
  EXPECT_THAT(refusal_of(lost, {of_run(Attribute::batch_size, 1024)}),
              testing::HasSubstr("rows of the rank table are lost"));
}

// Without their headings the lines of the reservation stand alone: it was printed all the same.
TEST(WhatIf, AReservationWithoutHeadingsWasPrinted) {
  const Log whole("v1.8.0.log");
  Text text = without_line(whole, "# Dense Storage (per rank):");
  text = without_line(Log(std::move(text)), "# KJT Storage (per rank):");
  EXPECT_THAT(Log(std::move(text)).what_if.base().policies, testing::Contains(whole.what_if.base().policy));
}

// The ranks of this log hold more than their shards, which a fixed percentage would not add in that release.
TEST(WhatIf, PoliciesOfAReservationThatIsCutOffExplainTheRanks) {
  const Log whole("v1.4.0.log"), cut(cut_off_at(whole, "Reserved Memory:"));
  EXPECT_THAT(cut.what_if.base().policies, testing::ElementsAre(Policy::heuristical, Policy::inference));
}

// v0.3.0 prints no poolings of a table, but the output of each rank: that doubles, whatever the tables' is.
TEST(WhatIf, TwiceTheBatchIsTwiceTheOutputOfARank) {
  const Log log("v0.3.0.log");
  const Plan& base = log.what_if.base();
  const double batch = std::stod(std::string(log.printed.slot(LineId::batch_size).text));
  const ChangedPlan twice = changed(log, {of_run(Attribute::batch_size, 2 * batch)});
  const double rounding = 64 * static_cast<double>(base.shards.size());
  ASSERT_EQ(twice.growth.ranks.size(), base.ranks.size());
  for (std::size_t r = 0; r < base.ranks.size(); ++r) {
    const RealInterval before = real(base.ranks[r].output), growth = twice.growth.ranks[r].output;
    EXPECT_GE(growth.low, before.low - rounding) << "rank " << r;
    EXPECT_LE(growth.high, before.high + rounding) << "rank " << r;
  }
}

// Bounds before and after rest on the same unknowns: what a change touches nothing of does not grow at all.
TEST(WhatIf, GrowthIsThatOfWhatChanges) {
  const Log log("v1.8.0.log");
  const std::uint32_t row = log.row("city_table");
  const Plan& base = log.what_if.base();
  const PlanTable& table = base.tables[row];
  const ChangedPlan larger =
      changed(log, {of_table(log, "city_table", Attribute::rows, 2 * static_cast<double>(table.rows))});
  ASSERT_EQ(larger.growth.tables.size(), base.tables.size());
  for (std::uint32_t t = 0; t < base.tables.size(); ++t) {
    const RealInterval hbm = larger.growth.tables[t].hbm;
    if (t != row)
      EXPECT_EQ(hbm, RealInterval{}) << t;
    else
      EXPECT_GT(hbm.low, 0);
  }
  ASSERT_EQ(larger.growth.ranks.size(), base.ranks.size());
  for (std::size_t r = 0; r < base.ranks.size(); ++r)
    EXPECT_LE(larger.growth.ranks[r].input.width(), 64) << "rank " << r;  // ids are rounded up to whole bytes
}

// v0.5.0 counts no optimizer, so that the log does not tell which one v1.2.0 would count: rank 0 grows with any of
// them.
TEST(WhatIf, AnOptimizerThatTheReleaseDoesNotCountStaysOpen) {
  const Log log("v0.5.0.log");
  Change release = of_run(Attribute::release, 0);
  release.word = "v1.2.0";
  Change adam = of_run(Attribute::optimizer, 0);
  adam.word = "adam";
  const Plan& base = log.what_if.base();
  const Plan any = changed(log, {release}).plan, known = changed(log, {release, adam}).plan;
  ASSERT_EQ(any.ranks.size(), known.ranks.size());
  for (std::size_t r = 0; r < any.ranks.size(); ++r) {
    EXPECT_GT(known.ranks[r].hbm.low, base.ranks[r].hbm.high) << "rank " << r;
    EXPECT_GE(any.ranks[r].hbm.high, known.ranks[r].hbm.high) << "rank " << r;
    EXPECT_LT(any.ranks[r].hbm.low, known.ranks[r].hbm.low) << "rank " << r;
  }
}

// How v1.8.0 splits the rows of city_table does not show. They stay where they are, so that a rank grows by what does.
TEST(WhatIf, AHiddenSplitStaysAsItIs) {
  const Log log("v1.8.0.log");
  const ChangedPlan twice = changed(log, {of_run(Attribute::batch_size, 2048)});
  const auto rows_in = [&](const Plan& plan) {
    return plan.shards_of(plan.tables[log.row("city_table")]).front().sizes->rows;
  };
  EXPECT_FALSE(rows_in(twice.plan).exact());
  EXPECT_EQ(rows_in(twice.plan), rows_in(log.what_if.base()));

  const ByteInterval larger = rows_in(changed(log, {of_table(log, "city_table", Attribute::rows, 40'000'000)}).plan);
  EXPECT_LE(larger.low, 20'000'000);
  EXPECT_GE(larger.high, 20'000'000);
  EXPECT_LT(larger.high - larger.low, 20'000);

  // The tables behind it move up.
  const ChangedPlan less = changed(log, {of_table(log, "like_creative_slot_emb", Attribute::drop, 0)});
  const auto city = std::ranges::find(less.plan.tables, 20'000'000, &PlanTable::rows);
  ASSERT_NE(city, less.plan.tables.end());
  EXPECT_EQ(less.plan.shards_of(*city).front().sizes->rows, rows_in(log.what_if.base()));
  for (const PlanRank& rank : twice.plan.ranks) EXPECT_LT(rank.hbm.high - rank.hbm.low, 10 * kMiB);
}

// How much of campaign_seller.v7 is cached does not show: as much as before, so that its printed HBM bounds that.
TEST(WhatIf, AHiddenCacheStaysAsItIs) {
  const Log log("../whatif/hidden_cache.log");
  const std::uint32_t t = log.row("campaign_seller.v7");
  const ChangedPlan larger = changed(log, {of_run(Attribute::batch_size, 3000)});
  const ByteInterval hbm = larger.plan.tables[t].hbm.bytes;
  EXPECT_GT(hbm.low, 10 * kMiB);
  EXPECT_LT(hbm.high, 20 * kMiB);
}

// v1.7.0 counts what v1.6.0 does, and both print how much is cached: nothing moves, whatever is not known of the
// shards.
TEST(WhatIf, ACacheStaysAsItIsInAnotherRelease) {
  const Log log("../planner/v1.6.0-default_link.log");
  Change release = of_run(Attribute::release, 0);
  release.word = "v1.7.0";
  const Plan base = log.what_if.base(), after = changed(log, {release}).plan;
  ASSERT_EQ(after.ranks.size(), base.ranks.size());
  for (std::size_t r = 0; r < base.ranks.size(); ++r) {
    EXPECT_EQ(after.ranks[r].ddr, base.ranks[r].ddr) << "rank " << r;
    EXPECT_LT(after.ranks[r].hbm.high, base.ranks[r].hbm.high + 1024) << "rank " << r;
  }
}

// With other weights nothing known of the log's table holds.
TEST(WhatIf, TheCacheOfOtherWeightsIsAnything) {
  const Log log("../whatif/hidden_cache.log");
  const std::uint32_t t = log.row("campaign_seller.v7");
  const ChangedPlan larger = changed(log, {of_table(log, "campaign_seller.v7", Attribute::rows, 50'000'000)});
  EXPECT_GT(larger.plan.tables[t].hbm.bytes.high, kGiB);
}

// The likeliest explanation has one value of each input: tables and ranks come out as the log prints them.
TEST(WhatIf, TheLikeliestExplanationGivesWhatTheLogPrints) {
  for (const std::string_view file : {"v0.5.0.log", "v1.4.0.log", "v1.8.0.log", "../whatif/hidden_ratio.log"}) {
    const Log log(file);
    const Plan plan = log.what_if.likely_base();
    for (const PlanTable& table : plan.tables) {
      const PrintedTable& row = log.printed.tables.rows[table.row];
      if (const auto perf = values_printed_as(row.perf.total.text, Format::r3)) {
        EXPECT_TRUE(perf->overlaps(table.perf.expected.total)) << file << ": " << row.fqn.text;
        EXPECT_LE(table.perf.expected.total.width(), 1e-6 * table.perf.expected.total.high) << row.fqn.text;
      }
    }
    for (std::size_t r = 0; r < plan.ranks.size(); ++r) {
      const auto perf = values_printed_as(log.printed.ranks.rows[r].perf.total.text, Format::r3);
      EXPECT_TRUE(perf->overlaps(plan.ranks[r].perf.total)) << file << ": rank " << r;
    }
  }
}

TEST(WhatIf, PerfTellsAHiddenCachingRatio) {
  const Log log("../whatif/hidden_ratio.log");
  const Plan plan = log.what_if.likely_base();
  const std::uint32_t row = log.row("price_city_brand_12");
  EXPECT_EQ(std::ranges::find(plan.tables, static_cast<int>(row), &PlanTable::row)->choice.caching_ratio, exactly(0.9));
}

TEST(WhatIf, ADroppedTableTakesItsShardsWithIt) {
  const Log log("v1.4.0.log");
  const Plan& base = log.what_if.base();
  const ChangedPlan less = changed(log, {of_table(log, "device_os_ad_id", Attribute::drop, 0)});
  EXPECT_EQ(less.plan.tables.size() + 1, base.tables.size());
  const std::uint32_t dropped = log.row("device_os_ad_id");
  for (std::size_t r = 0; r < base.ranks.size(); ++r) {
    ByteInterval gone{};
    for (const PlanShard& shard : base.shards_of(base.tables[dropped]))
      if (shard.rank == base.ranks[r].rank) gone = gone + shard.sizes->hbm;
    EXPECT_TRUE((less.plan.ranks[r].sparse_hbm + gone).overlaps(base.ranks[r].sparse_hbm)) << r;
  }
}

TEST(WhatIf, ShardsWithoutRanksGoWhereMostMemoryIsLeft) {
  const Log log("v1.4.0.log");
  const std::uint32_t t = log.row("share_embed_emb");  // RW
  const ChangedPlan moved = changed(log, {of_table(log, "share_embed_emb", Attribute::sharding, 0, "TW")});
  ASSERT_EQ(moved.placed.size(), 1U);
  ASSERT_EQ(moved.plan.tables[t].shard_count, 1U);
  const auto& ranks = log.what_if.base().ranks;
  const auto emptiest = std::ranges::min_element(ranks, {}, [](const PlanRank& r) { return r.sparse_hbm.low; });
  EXPECT_EQ(moved.plan.shards[moved.plan.tables[t].first_shard].rank, emptiest->rank);
}

TEST(WhatIf, TablesSplitOverHostsLieOnWholeHosts) {
  const Log log("v1.4.0.log");
  const Change hosts = of_run(Attribute::local_world_size, 2);
  const auto split = [&](const char* sharding, std::vector<int> ranks) {
    return std::vector{hosts, of_table(log, "ad_emb", Attribute::sharding, 0, sharding),
                       of_table(log, "ad_emb", Attribute::ranks, 0, "", std::move(ranks))};
  };
  const std::uint32_t t = log.row("ad_emb");
  const ChangedPlan twice = changed(log, split("GS", {0, 0, 1, 1}));
  EXPECT_EQ(twice.plan.tables[t].shard_count, 4U);
  for (const PlanShard& shard : twice.plan.shards_of(twice.plan.tables[t]))
    EXPECT_EQ(shard.sizes->cols.low * 2, log.what_if.base().tables[t].cols);
  for (const auto& change : {split("GS", {0, 0, 0, 1}), split("GS", {1, 2}), split("TWRW", {1, 2})})
    EXPECT_THAT(refusal_of(log, change), HasSubstr("fit no size of a host"));
}

TEST(WhatIf, TheHostsOfTheLogStayWhereTheyAreNamed) {
  const Log log("v1.8.0.log");
  const Plan& base = log.what_if.base();
  const ChangedPlan same =
      changed(log, {of_run(Attribute::local_world_size, static_cast<double>(base.setting.group_size))});
  ASSERT_EQ(same.plan.shards.size(), base.shards.size());
  for (std::size_t i = 0; i < base.shards.size(); ++i) EXPECT_EQ(same.plan.shards[i].rank, base.shards[i].rank) << i;
}

TEST(WhatIf, PrintsTheCacheLoadFactorOfTheCachingKernelAlone) {
  const Log log("v1.4.0.log");
  const std::uint32_t t = log.row("ad_emb");
  for (const auto& [kernel, factor] :
       {std::pair{"fused_uvm_caching", "0.5"}, std::pair{"quant_uvm_caching", "None"}, std::pair{"fused", "None"}}) {
    const ChangedPlan plan = changed(log, {of_table(log, "ad_emb", Attribute::kernel, 0, kernel),
                                           of_table(log, "ad_emb", Attribute::cache_load_factor, 0.5)});
    EXPECT_EQ(plan.skeleton.tables.rows[t].cache_load_factor.text, factor) << kernel;
  }
}

TEST(WhatIf, SaysWhatCannotBe) {
  const Log log("v1.4.0.log");
  EXPECT_THAT(refusal_of(log, {of_table(log, "ad_emb", Attribute::sharding, 0, "DP")}), HasSubstr("add kernel=dense"));
  EXPECT_THAT(refusal_of(log, {of_table(log, "ad_emb", Attribute::ranks, 0, "", {0, 99})}), HasSubstr("rank 99"));
  EXPECT_THAT(refusal_of(log, {of_table(log, "ad_emb", Attribute::sharding, 0, "TWRW")}), HasSubstr("ranks="));
  EXPECT_THAT(refusal_of(log, {of_table(log, "ad_emb", Attribute::ranks, 0, "", {0, 1}),
                               of_table(log, "ad_emb", Attribute::dim, 7)}),
              HasSubstr("do not divide dim 7"));
  Change kernel = of_table(log, "ad_emb", Attribute::kernel, 0, "batched_fused");
  EXPECT_THAT(refusal_of(log, {kernel}), HasSubstr("not known to v1.4.0"));
  const auto is_too_large = HasSubstr("larger than numbers of a plan can be");
  EXPECT_THAT(refusal_of(log, {of_table(log, "ad_emb", Attribute::pooling_factor, 1e18)}), is_too_large);
  EXPECT_THAT(refusal_of(log, {of_table(log, "ad_emb", Attribute::num_poolings, 1e15)}), is_too_large);
  EXPECT_THAT(refusal_of(log, {of_run(Attribute::bwd_compute_multiplier, 1e300)}), is_too_large);
  EXPECT_EQ(refusal_of(log, {of_run(Attribute::batch_size, 0x1p40)}), "");
  std::vector<Change> all;
  for (const PrintedTable& row : log.printed.tables.rows)
    all.push_back(of_table(log, row.fqn.text, Attribute::drop, 0));
  EXPECT_THAT(refusal_of(log, all), HasSubstr("no table would be left"));
}

TEST(WhatIf, OldReleasesHaveNoMultipliers) {
  const Log log("v0.5.0.log");
  for (const Attribute attribute :
       {Attribute::bwd_compute_multiplier, Attribute::weighted_feature_bwd_compute_multiplier})
    EXPECT_EQ(refusal_of(log, {of_run(attribute, 3)}), "v0.5.0 does not know " + std::string(form_of(attribute).name));
}

// Also where an assignment before it was good.
TEST(WhatIf, EachWordIsJudged) {
  const Log log("v1.4.0.log");
  for (const auto& [attribute, good] : {std::pair{Attribute::dtype, "fp16"}, std::pair{Attribute::optimizer, "adam"}}) {
    Change first = of_run(attribute, 0), second = first;
    first.word = good;
    second.word = "nonsense";
    EXPECT_THAT(refusal_of(log, {first, second}), HasSubstr("no such")) << good;
  }
}

// A plan that has shards, and a table without: the row of an empty plan, or a damaged one.
TEST(WhatIf, TablesWithoutRanksCannotBeRebuilt) {
  std::string text = test::file_text(test::source_folder() / "testdata" / "logs" / "v1.4.0.log");
  const std::size_t row = text.find("device_os_ad_id   "), end = text.find('\n', row);
  text.replace(text.rfind("   0   #", end), 4, "None");
  const PrintedPlan printed = parse(find_blocks(text).front());
  const WhatIf what_if(printed);
  ASSERT_NE(what_if.refusal(), nullptr);
  EXPECT_THAT(what_if.refusal()->message, HasSubstr("the ranks of table"));
}

TEST(WhatIf, LogsThatCannotBeRebuilt) {
  for (const auto& [file, why] :
       {std::pair{"v0.1.0.log", "v0.3.0 or newer"}, std::pair{"v1.8.0-nodebug.log", "debug"}}) {
    const Log log(file);
    ASSERT_NE(log.what_if.refusal(), nullptr) << file;
    EXPECT_THAT(log.what_if.refusal()->message, HasSubstr(why)) << file;
    EXPECT_EQ(refusal_of(log, {}), log.what_if.refusal()->message) << file;
  }
  const Log whole("v1.4.0.log");
  for (const auto& [mark, why] : {std::pair{"Batch Size:", "its batch size is lost"},
                                  std::pair{"device_os_ad_id  ", "parameter table are lost"}}) {
    const Log log(without_line(whole, mark));
    EXPECT_THAT(refusal_of(log, {}), HasSubstr(why));
  }
}

}  // namespace
}  // namespace shardstats
