// The tables of columns and lines are complete and agree with each other.
#include "shardstats/log/layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "corpus.h"
#include "shardstats/log/printed.h"

namespace shardstats {
namespace {

TEST(Layout, EveryColumnHasAForm) {
  for (int id = 0; id <= static_cast<int>(ColumnId::unknown); ++id)
    EXPECT_TRUE(std::ranges::any_of(column_forms(), [&](const ColumnForm& f) { return static_cast<int>(f.id) == id; }))
        << id;
}

TEST(Layout, EveryLineHasAForm) {
  for (int id = 0; id <= static_cast<int>(LineId::unknown_nested); ++id)
    EXPECT_TRUE(std::ranges::any_of(line_forms(), [&](const LineForm& f) { return static_cast<int>(f.id) == id; }))
        << id;
}

// log-format.md section 4.2: two more than the header, with one exception.
TEST(Layout, RulesAreTwoLongerThanTheHeader) {
  for (const ColumnForm& form : column_forms()) {
    if (form.id == ColumnId::unknown) continue;
    const std::size_t length = form.header == "Emb Dim" ? 8 : form.header.size() + 2;
    EXPECT_EQ(static_cast<std::size_t>(form.dashes), length) << form.header;
  }
}

// Within a table a header names one column, and the spellings of a column follow each other without overlap.
TEST(Layout, HeadersAreUnambiguous) {
  std::set<std::pair<bool, std::string_view>> headers;
  for (const ColumnForm& form : column_forms()) {
    EXPECT_TRUE(headers.insert({form.rank_table, form.header}).second) << form.header;
    EXPECT_LE(form.since, form.until) << form.header;
    for (const ColumnForm& other : column_forms()) {
      if (&form == &other || form.id != other.id) continue;
      EXPECT_TRUE(form.until < other.since || other.until < form.since) << form.header << ", " << other.header;
    }
  }
}

TEST(Layout, SpellingsOfALineDoNotOverlap) {
  for (const LineForm& form : line_forms()) {
    EXPECT_LE(form.since, form.until) << form.pattern;
    for (const LineForm& other : line_forms()) {
      if (&form == &other || form.id != other.id) continue;
      EXPECT_TRUE(form.until < other.since || other.until < form.since) << form.pattern << " / " << other.pattern;
    }
  }
}

// The word "rank" follows the list behind it, so a list must follow.
TEST(Layout, RankWordsStandBeforeLists) {
  for (const LineForm& form : line_forms()) {
    const std::size_t word = form.pattern.find("{ranks}");
    if (word == std::string_view::npos) continue;
    const std::string_view list = form.pattern.substr(word + 7);
    EXPECT_TRUE(list == " {L1}" || list == " {L2}") << form.pattern;
  }
}

TEST(Layout, FormOfARelease) {
  const auto pattern = [](Release release, LineId id) { return line_forms()[*form_in(release, id)].pattern; };
  EXPECT_EQ(pattern(Release::v0_7_0, LineId::planning_heading), "Usable Memory:");
  EXPECT_EQ(pattern(Release::v0_8_0, LineId::planning_heading), "Planning Memory:");
  EXPECT_EQ(form_in(Release::v0_7_0, LineId::tier), std::nullopt);
}

TEST(Layout, SlotsOfAPattern) {
  EXPECT_EQ(slots_in("Reserved Memory:"), 0);
  EXPECT_EQ(slots_in("Mean Total Perf: {r3} ms"), 1);
  EXPECT_EQ(slots_in("Top Tier #{int} Estimated Peak HBM Pressure: {r3} GB on {ranks} {L1}"), 3);
}

// Each line of a log that is in the order comes behind those before it.
TEST(Layout, OrderIsThatOfTheLogs) {
  for (const char* name : {"v0.3.0.log", "v0.5.0.log", "v0.8.0-empty.log", "v1.4.0.log", "v1.8.0.log"}) {
    const std::string bytes = test::file_text(test::source_folder() / "testdata" / "logs" / name);
    const PrintedPlan plan = parse(find_blocks(bytes).front());
    auto next = line_order().begin();
    for (const PrintedLine& line : plan.lines) {
      if (std::ranges::find(line_order(), line.id, &OrderedLine::id) == line_order().end()) continue;
      next = std::ranges::find(next, line_order().end(), line.id, &OrderedLine::id);
      ASSERT_NE(next, line_order().end()) << name << " " << line_forms()[line.form].pattern;
      ++next;
    }
  }
}

TEST(Layout, NestedIndent) {
  EXPECT_EQ(nested_indent(Release::v0_1_0), 3);
  EXPECT_EQ(nested_indent(Release::v0_1_1), 3);
  EXPECT_EQ(nested_indent(Release::v0_2_0), 4);
  EXPECT_EQ(nested_indent(Release::main_branch), 4);
}

}  // namespace
}  // namespace shardstats
