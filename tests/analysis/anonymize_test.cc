#include "shardstats/analysis/anonymize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "corpus.h"
#include "logs.h"
#include "shardstats/log/render.h"
#include "shardstats/utf8.h"

namespace shardstats {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

bool keep_nothing(std::string_view) { return false; }

Replacements choose(const std::vector<const PrintedPlan*>& plans, const KeepName& keep = keep_nothing) {
  return std::get<Replacements>(Replacements::choose(plans, keep));
}

// v1.8.0.log whose first tables have other FQNs.
class Renamed {
 public:
  explicit Renamed(std::vector<std::string> fqns, std::vector<std::string> sharders = {})
      : fqns_(std::move(fqns)), sharders_(std::move(sharders)), source_(source_from(log_bytes("v1.8.0.log"))) {
    plan = parse(find_blocks(source_->bytes()).at(0));
    plan.tables.rows.resize(std::max(fqns_.size(), sharders_.size()));
    for (std::size_t i = 0; i < fqns_.size(); ++i) plan.tables.rows[i].fqn.text = fqns_[i];
    for (std::size_t i = 0; i < sharders_.size(); ++i) plan.tables.rows[i].sharder.text = sharders_[i];
    std::erase_if(plan.lines, [](const PrintedLine& line) {
      return line.id == LineId::top_perf_table || line.id == LineId::top_hbm_table;
    });
  }

  std::vector<std::string> replaced(const KeepName& keep = keep_nothing,
                                    Cell PrintedTable::*column = &PrintedTable::fqn) {
    const AnonymizedPlan result = anonymize(plan, choose({&plan}, keep));
    std::vector<std::string> texts;
    for (const PrintedTable& row : result.plan.tables.rows) texts.emplace_back((row.*column).text);
    return texts;
  }

  PrintedPlan plan;

 private:
  std::vector<std::string> fqns_, sharders_;
  std::unique_ptr<Source> source_;
};

TEST(Anonymize, NumbersNamesInOrderOfAppearance) {
  EXPECT_THAT(
      Renamed({"model.ads_tower.user_table", "model.ads_tower.item_table", "model.feeds.user_table"}).replaced(),
      ElementsAre("m0000.mod_00001.table_0000", "m0000.mod_00001.table_0001", "m0000.m0002.table_0000"));
}

TEST(Anonymize, NamesOfOneLetterGetOtherLetters) {
  EXPECT_THAT(Renamed({"m.a.b", "m.a.t", "m.a.c"}).replaced(), ElementsAre("d.e.f", "d.e.g", "d.e.h"));
}

TEST(Anonymize, SaysWhenThereAreNotEnoughNames) {
  std::string fqn;
  for (char c = 'a'; c <= 'z'; ++c) fqn += std::string(1, c) + "." + static_cast<char>(c - 'a' + 'A') + ".";
  const Renamed log({fqn + "x"});
  const PrintedPlan* plan = &log.plan;
  const auto chosen = Replacements::choose({&plan, 1}, keep_nothing);
  EXPECT_THAT(std::get<std::string>(chosen), HasSubstr("the length of 'a'"));
}

TEST(Anonymize, IndicesStay) {
  EXPECT_THAT(Renamed({"net.0.emb.12.users", ".2024"}).replaced(), ElementsAre("m00.0.m01.12.t0000", ".t001"));
}

TEST(Anonymize, CountsCharactersAndBytes) {
  const std::vector<std::string> names = {"größe", "用户表", "user_ключ_table", "😀"};
  std::vector<std::string> replaced = Renamed(names).replaced();
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(characters(replaced[i]), characters(names[i])) << replaced[i];
    EXPECT_EQ(replaced[i].size(), names[i].size()) << replaced[i];
    EXPECT_NE(replaced[i], names[i]);
  }
}

TEST(Anonymize, TakesBytesThatAreNoUtf8) {
  const auto replaced = Renamed({"\xC3.user\xFFid\x80\x80.\x80"}).replaced();
  EXPECT_THAT(replaced[0], Not(HasSubstr("user")));
  EXPECT_EQ(characters(replaced[0]), characters("\xC3.user\xFFid\x80\x80.\x80"));
}

// What stands for a name may not give another one away, whichever comes first.
TEST(Anonymize, ReplacementsContainNoName) {
  const std::vector<std::vector<std::string>> cases = {
      {"model.user", "model.user_id", "model.user_id_2"},
      {"table.module", "mod_.t0000", "tab_.table_0000"},
      {"table_0001.table_0000", "x.table_00010"},
      {"e.l", "o.a", "t.m", "w.long_enough_name"},
      {"aa.bb", "ab.ba", "ac.ca.bc.cb.cc", "t00.m00", "t01.xyzw"},
      {"fused.rank.GB", "RW.CW.HBM"},
      {"000.0000", "long_name_with_zeros"},
      {"a+b(c)[d]$.x*", "^.$", "my table.with blanks"},
  };
  for (const auto& fqns : cases) {
    const Renamed log(fqns);
    const Replacements names = choose({&log.plan});
    std::set<std::string> seen;
    for (const Replacement& one : names.all()) {
      EXPECT_EQ(characters(one.replacement), characters(one.name));
      EXPECT_TRUE(seen.insert(one.replacement).second) << one.replacement;
      for (const Replacement& other : names.all())
        EXPECT_THAT(one.replacement, Not(HasSubstr(other.name))) << "for " << one.name;
    }
  }
}

TEST(Anonymize, KeepsWhatMatchesFromEndToEnd) {
  struct Case {
    std::vector<std::string> keep, expected;
  };
  const Case cases[] = {
      {{"ebc"}, {"m0000.ebc.t0000", "m0000.m0001.t0001"}},
      {{"ebc.*", "model"}, {"model.ebc.t0000", "model.ebc_1.t0001"}},
      {{"model\\.ebc\\.users"}, {"model.ebc.users", "model.m0001.t0000"}},
      {{"bc", "use"}, {"m0000.m01.t0000", "m0000.m0002.t0001"}},
  };
  for (const Case& c : cases) {
    const auto keep = std::get<KeepName>(keep_matching(c.keep));
    EXPECT_EQ(Renamed({"model.ebc.users", "model.ebc_1.items"}).replaced(keep), c.expected) << c.keep.front();
  }
  EXPECT_THAT(std::get<std::string>(keep_matching({"(", "a"})), HasSubstr("'('"));
}

TEST(Anonymize, ReplacesOnlyWhatIsOwnInClassNames) {
  EXPECT_THAT(Renamed({}, {"EmbeddingBagCollectionSharder", "MyTowerSharder", "QuantMyTowerSharder", "NoneType",
                           "EmbeddingCollectionOfUsersSharder", "LookupPlanner"})
                  .replaced(keep_nothing, &PrintedTable::sharder),
              ElementsAre("EmbeddingBagCollectionSharder", "C000000Sharder", "QuantC000000Sharder", "NoneType",
                          "EmbeddingCollectionC000001Sharder", "Class_0000002"));
}

// Where a row is lost, the number that its neighbours leave out tells which.
TEST(Anonymize, LeavesOutTheSameNumbers) {
  EXPECT_THAT(Renamed({"ebc.user_7", "ebc.user_8", "ebc.items", "ebc.user_11", "ebc.user_9"}).replaced(),
              ElementsAre("m00.t00000", "m00.t00001", "m00.t0002", "m00.t000004", "m00.t00005"));
}

TEST(Anonymize, ReplacesTheSameInAllPlans) {
  const Renamed first({"model.ebc.users"}), second({"other.ebc.items", "model.users"});
  const Replacements names = choose({&first.plan, &second.plan});
  EXPECT_EQ(anonymize(first.plan, names).plan.tables.rows[0].fqn.text, "m0000.m01.t0000");
  EXPECT_EQ(anonymize(second.plan, names).plan.tables.rows[0].fqn.text, "m0002.m01.t0001");
  EXPECT_EQ(anonymize(second.plan, names).plan.tables.rows[1].fqn.text, "m0000.t0000");
}

// Lines that no planner prints, cells in the wrong place.
TEST(Anonymize, MasksWhatCannotBeAttributed) {
  const std::string log = log_bytes("v1.8.0.log");
  const Checked clean(log);
  const std::string name(clean.printed.tables.rows[0].fqn.text);
  const std::string part = name.substr(name.rfind('.') + 1);
  std::string text = "# Total Perf of Größe " + part + " on node42: 3.25 GB";
  text += std::string(clean.printed.width - characters(text) - 1, ' ') + "#\n";
  std::string damaged = log;
  damaged.insert(damaged.rfind('\n', damaged.size() - 2) + 1, text);  // in front of the closing border
  const auto source = source_from(std::move(damaged));
  const PrintedPlan plan = parse(find_blocks(source->bytes()).at(0));
  const AnonymizedPlan result = anonymize(plan, choose({&plan}));
  const std::string out = rendered(result.plan);
  EXPECT_EQ(result.masked, 1U);
  EXPECT_THAT(out, HasSubstr(" Total Perf of xxααx "));
  EXPECT_THAT(out, HasSubstr(" on xxxx42: 3.25 GB"));
  EXPECT_THAT(out, Not(HasSubstr(part)));
}

// What a planner prints anyway, and what it leaves of a log if no name is in it.
std::string without_names(const AnonymizedPlan& anonymized) {
  PrintedPlan plan = anonymized.plan;
  for (PrintedTable& row : plan.tables.rows) row.fqn.text = row.sharder.text = {};
  for (PrintedLine& line : plan.lines)
    if (line.id == LineId::top_perf_table || line.id == LineId::top_hbm_table) plan.slots[line.first_slot].text = {};
  return rendered(plan);
}

std::set<std::string> name_parts(const PrintedPlan& plan) {
  std::set<std::string> parts;
  const auto add = [&](std::string_view text) {
    std::istringstream stream{std::string(text)};
    for (std::string part; std::getline(stream, part, '.');)
      if (part.size() >= 3) parts.insert(part);
  };
  for (const PrintedTable& row : plan.tables.rows) add(row.fqn.text);
  for (const PrintedLine& line : plan.lines)
    if (line.id == LineId::top_perf_table || line.id == LineId::top_hbm_table) add(plan.slots[line.first_slot].text);
  return parts;
}

std::vector<std::size_t> line_lengths(const std::string& text) {
  std::vector<std::size_t> lengths;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lengths.push_back(line.size());
  return lengths;
}

// Rule, place and expected value of all findings; the printed text if it is a number.
std::vector<std::string> findings_of(const std::string& log) {
  const Checked checked(log);
  std::vector<std::string> findings;
  for (const Finding& finding : checked.report.findings) {
    std::ostringstream text;
    const std::string_view printed = finding.where.text;
    const bool number = printed.find_first_not_of("0123456789.+-e") == std::string_view::npos;
    text << finding.rule->id << " " << static_cast<int>(finding.severity) << " " << finding.where.place.line << ":"
         << finding.where.place.column << " " << printed.size() << " " << (number ? printed : std::string_view{}) << " "
         << (finding.expected ? finding.expected->text : "") << " " << finding.suspects.size();
    findings.push_back(text.str());
  }
  return findings;
}

void expect_same_without_names(const std::string& bytes, const std::string& where, bool verified) {
  SCOPED_TRACE(where);
  const auto source = source_from(std::string(bytes));
  for (const Block& block : find_blocks(source->bytes())) {
    const PrintedPlan plan = parse(block);
    const std::string original = rendered(plan);
    const AnonymizedPlan result = anonymize(plan, choose({&plan}));
    const std::string text = rendered(result.plan);
    EXPECT_EQ(line_lengths(text), line_lengths(original));
    const std::string of_planner = without_names(result);
    for (const std::string& part : name_parts(plan))
      EXPECT_TRUE(of_planner.find(part) != std::string::npos || text.find(part) == std::string::npos) << part;

    const auto again = source_from(std::string(text));
    const PrintedPlan parsed = parse(find_blocks(again->bytes()).at(0));
    EXPECT_EQ(rendered(parsed), text);
    const AnonymizedPlan twice = anonymize(parsed, choose({&parsed}));
    EXPECT_EQ(line_lengths(rendered(twice.plan)), line_lengths(original));
    if (!verified) continue;
    EXPECT_EQ(findings_of(text), findings_of(original));
  }
}

TEST(Anonymize, ChangesNamesOnlyInTestdata) {
  for (const auto& log : test::logs_below(test::source_folder() / "testdata" / "logs"))
    expect_same_without_names(test::file_text(log), log.string(), true);
}

TEST(Anonymize, ChangesNamesOnlyInTheCorpus) {
  if (!std::filesystem::exists(test::corpus("plans"))) GTEST_SKIP() << test::kNoCorpus;
  constexpr std::size_t kVerifiedEvery = 8;
  std::size_t logs = 0;
  for (const char* folder : {"plans", "dirty", "format", "public"})
    for (const auto& log : test::corpus_logs(folder))
      expect_same_without_names(test::file_text(log), log.string(),
                                std::string_view(folder) != "plans" || ++logs % kVerifiedEvery == 0);
  EXPECT_GT(logs, test::sampled(100U));
}

}  // namespace
}  // namespace shardstats
