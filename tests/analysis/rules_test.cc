#include "shardstats/analysis/rules.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <set>

#include "logs.h"

namespace shardstats {
namespace {

TEST(Rules, IdsAreUniqueAndDotted) {
  std::set<std::string_view> ids;
  for (const Rule& rule : rule_table()) {
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
    EXPECT_NE(rule.id.find('.'), std::string_view::npos) << rule.id;
    EXPECT_EQ(find_rule(rule.id), &rule);
    EXPECT_FALSE(rule.title.empty() || rule.compares.empty() || rule.reference.empty() || rule.hint.empty()) << rule.id;
    EXPECT_LE(rule.since, rule.until) << rule.id;
  }
}

TEST(Rules, EnumerationNamesTheRows) {
  const struct {
    RuleId id;
    std::string_view name;
  } cases[] = {{RuleId::table_storage_hbm, "table.storage.hbm"},
               {RuleId::table_num_indices, "table.num_indices"},
               {RuleId::table_batch_sizes, "table.batch_sizes"},
               {RuleId::rank_hbm, "rank.hbm"},
               {RuleId::rank_shards, "rank.shards"},
               {RuleId::kernel_count, "kernel.count"},
               {RuleId::kernel_constraints, "kernel.constraints"},
               {RuleId::reservation_kjt, "reservation.kjt"},
               {RuleId::reservation_capacity, "reservation.capacity"}};
  for (const auto& c : cases) EXPECT_EQ(rule_of(c.id).id, c.name);
}

TEST(Rules, PrefixSelects) {
  EXPECT_EQ(rules_matching("table.storage").size(), 3U);
  EXPECT_EQ(rules_matching("").size(), rule_table().size());
  EXPECT_TRUE(rules_matching("tabel").empty());
  EXPECT_EQ(find_rule("rank.hbn"), nullptr);
  EXPECT_EQ(no_rule_begins_with("tabel"), "no rule begins with 'tabel'; did you mean table?");
  EXPECT_EQ(no_rule_begins_with("table.storge"), "no rule begins with 'table.storge'; did you mean table.storage?");
  EXPECT_EQ(no_rule_begins_with("quite.else"), "no rule begins with 'quite.else'; `shardstats rules` lists them");
}

// A diagnostic whose rule is not in the table would be lost.
TEST(Rules, EveryDiagnosticOfTheReaderIsListed) {
  std::size_t found = 0;
  for (const char* folder : {"/src/log", "/src/input"})
    for (const auto& file : std::filesystem::directory_iterator(std::string(SHARDSTATS_SOURCE_DIR) + folder)) {
      const std::string text = read_file(file.path().string());
      for (std::size_t at = 0; (at = text.find("\"log.", at)) != std::string::npos; ++at, ++found) {
        const std::string id = text.substr(at + 1, text.find('"', at + 1) - at - 1);
        EXPECT_NE(find_rule(id), nullptr) << id << " of " << file.path();
      }
    }
  EXPECT_GE(found, 5U);
}

}  // namespace
}  // namespace shardstats
