#include "shardstats/analysis/rules.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

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

// The header is read, as no program knows the names of its enumerators.
TEST(Rules, EnumerationNamesTheRows) {
  std::ifstream file(SHARDSTATS_SOURCE_DIR "/include/shardstats/analysis/rules.h");
  const std::string header(std::istreambuf_iterator<char>(file), {});
  const std::size_t start = header.find('{', header.find("enum class RuleId"));
  std::istringstream words(header.substr(start + 1, header.find("};", start) - start - 1));
  std::size_t row = 0;
  for (std::string word; words >> word; ++row) {
    std::string id(rule_table()[row].id);
    std::ranges::replace(id, '.', '_');
    EXPECT_EQ(word, id + ",");
  }
  EXPECT_GT(row, 40U);
}

TEST(Rules, PrefixSelects) {
  EXPECT_EQ(rules_matching("table.storage").size(), 3U);
  EXPECT_EQ(rules_matching("").size(), rule_table().size());
  EXPECT_TRUE(rules_matching("tabel").empty());
  EXPECT_EQ(find_rule("rank.hbn"), nullptr);
  EXPECT_EQ(no_rule_begins_with("tabel"), "no rule begins with 'tabel'; did you mean 'table'?");
  EXPECT_EQ(no_rule_begins_with("table.storge"), "no rule begins with 'table.storge'; did you mean 'table.storage'?");
  EXPECT_EQ(no_rule_begins_with("quite.else"), "no rule begins with 'quite.else'; `shardstats rules` lists them");
}

// A diagnostic whose rule is not in the table would be lost.
TEST(Rules, EveryDiagnosticOfTheReaderIsListed) {
  for (const DiagnosticForm& form : diagnostic_forms()) EXPECT_NE(find_rule(form.rule), nullptr) << form.message;
}

}  // namespace
}  // namespace shardstats
