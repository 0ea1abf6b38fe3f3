#include <gtest/gtest.h>

#include "corpus.h"
#include "shardstats/infer/overrides.h"

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

TEST(Override, OptimizerWhereNoneCounts) {
  const Log log("planner/v0.5.0-dtypes_in_perf.log");
  EXPECT_EQ(infer(log.printed, {.overrides = {{"optimizer", "", "adam"}}}).contradictions, 0);
}

}  // namespace
}  // namespace shardstats
