#include <gtest/gtest.h>

#include <algorithm>

#include "corpus.h"
#include "shardstats/infer/overrides.h"
#include "shardstats/numbers/printed.h"

namespace shardstats {
namespace {

struct Log {
  explicit Log(std::string_view file)
      : text(test::file_text(test::source_folder() / "testdata" / file)), printed(parse(find_blocks(text).front())) {}
  std::string text;
  PrintedPlan printed;
};

TEST(Override, IsAboutTheTablesThatItNames) {
  struct {
    std::string_view table, fqn;
    bool about;
  } const cases[] = {
      {"", "ebc.t1", true},     {"ebc.t1", "ebc.t1", true},   {"t1", "ebc.t1", true},
      {"t1", "t1", true},       {"1", "ebc.t1", false},       {"ebc", "ebc.t1", false},
      {"t1", "ebc.t10", false}, {"ebc.t1", "m.ebc.t1", true}, {"bc.t1", "m.ebc.t1", false},
  };
  for (const auto& c : cases)
    EXPECT_EQ(is_about({"dtype", std::string(c.table), "fp16"}, c.fqn), c.about) << c.table << " " << c.fqn;
}

TEST(Override, NamesTheSizesThatInferenceKnows) {
  for (const std::string_view good :
       {"output_element_size=0.5", "output_dtype=int2", "t1.output_element_size=4", "element_size=1", "t1.dtype=bf16"})
    EXPECT_TRUE(std::holds_alternative<Override>(parse_override(good))) << good;
  for (const std::string_view bad : {"element_size=0.5", "dtype=int4", "output_element_size=0", "element_size=8"})
    EXPECT_TRUE(std::holds_alternative<BadOverride>(parse_override(bad))) << bad;
}

// Nothing would be rebuilt, and nothing compared.
TEST(Override, MayBeWhatNoReleaseOfTheLayoutHas) {
  const Override pipeline{"pipeline", "", "train_sparse_dist"}, inference{"is_inference", "", "true"};
  const Log old("logs/v0.3.0.log"), newer("logs/v1.4.0.log");
  EXPECT_FALSE(can_hold({pipeline}, old.printed));
  EXPECT_TRUE(can_hold({inference}, old.printed)) << "perf alone knows it";
  EXPECT_TRUE(can_hold({}, old.printed));
  EXPECT_TRUE(can_hold({pipeline, inference}, newer.printed));
  const Plan plan = infer(old.printed, {.overrides = {inference}});
  EXPECT_TRUE(plan.sized);
  EXPECT_TRUE(plan.perf.setting.inference);
}

// No table is split over the ranks of a host, but the all-reduce of data-parallel ones goes over hosts.
TEST(Override, RanksOfAHostDecidePerf) {
  const Log log("planner/v1.2.0-hosts_of_one_rank.log");
  const auto left_by = [&](std::string_view ranks) {
    const Plan plan = infer(log.printed, {.overrides = {{"local_world_size", "", std::string(ranks)}}});
    EXPECT_EQ(plan.perf.setting.local_size, parse_integer(ranks));
    EXPECT_TRUE(std::ranges::any_of(plan.assumptions, [](const Assumption& assumption) {
      return assumption.name == "local_world_size" && assumption.origin == Origin::flag;
    }));
    return std::ranges::count_if(plan.tables, [](const PlanTable& table) { return table.perf.contradicted != 0; });
  };
  EXPECT_EQ(left_by("1"), 0);
  EXPECT_GT(left_by("2"), 0);
}

TEST(Override, AHostHasNoMoreRanksThanThereAre) {
  const Log log("planner/v1.2.0-hosts_of_one_rank.log");
  EXPECT_EQ(infer(log.printed, {.overrides = {{"local_world_size", "", "1000"}}}).perf.setting.local_size, 4);
}

TEST(Override, OptimizerWhereNoneCounts) {
  const Log log("planner/v0.5.0-dtypes_in_perf.log");
  EXPECT_EQ(infer(log.printed, {.overrides = {{"optimizer", "", "adam"}}}).contradictions, 0);
}

}  // namespace
}  // namespace shardstats
