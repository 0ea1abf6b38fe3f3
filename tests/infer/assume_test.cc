#include <gtest/gtest.h>

#include "shardstats/infer/overrides.h"

namespace shardstats {
namespace {

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

}  // namespace
}  // namespace shardstats
