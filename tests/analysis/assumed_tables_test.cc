#include "shardstats/analysis/assumed_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logs.h"

namespace shardstats {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<UnknownTarget> missing(const std::vector<Override>& overrides, const std::vector<std::string>& logs) {
  AssumedTables tables(overrides);
  for (const std::string& log : logs) tables.see(Checked(log_bytes(log)).printed);
  return tables.missing();
}

TEST(AssumedTables, OneBlockMustHaveTheTable) {
  EXPECT_THAT(missing({{"dtype", "", "fp16"}, {"dtype", "ad_emb", "fp16"}}, {"v1.4.0.log"}), IsEmpty());
  EXPECT_THAT(missing({{"dtype", "model.position_ebc_weighted.ad_emb", "fp16"}}, {"v1.4.0.log"}), IsEmpty());
  EXPECT_THAT(missing({{"dtype", "ad_emb", "fp16"}}, {"v1.8.0.log", "v1.4.0.log", "v0.5.0.log"}), IsEmpty());
  EXPECT_THAT(missing({{"dtype", "ad_emb", "fp16"}}, {}), IsEmpty());  // no block: nothing is known
}

TEST(AssumedTables, SaysWhichIsMissingAndWhatIsNear) {
  const auto found = missing({{"dtype", "ad_emb", "fp16"}, {"optimizer", "ebc.ad_enb", "adam"}}, {"v1.4.0.log"});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].message, "--assume ebc.ad_enb.optimizer: no block has a table 'ebc.ad_enb'");
  EXPECT_THAT(found[0].nearest, ElementsAre("ad_emb"));
  const auto nodebug = missing({{"dtype", "ad_emb", "fp16"}}, {"v1.8.0-nodebug.log"});
  ASSERT_EQ(nodebug.size(), 1U);
  EXPECT_THAT(nodebug[0].nearest, IsEmpty());
}

}  // namespace
}  // namespace shardstats
