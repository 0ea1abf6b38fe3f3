#include "shardstats/report/explain_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace shardstats {
namespace {

Step bytes(std::string label, double nominal, double low, double high) {
  Step step;
  step.label = std::move(label);
  step.value = {nominal, {low, high}, "bytes"};
  return step;
}

Explained sample() {
  Explained one;
  one.target = "ebc.table_1";
  one.kind = "table";
  one.facts = {"RW, fused"};
  Step weights = bytes("embedding weights", 3000, 3000, 3000);
  weights.expression = "ceil(S * r / R)";
  weights.substituted = "ceil(6,000 * 5 / 10)";
  weights.formula = "storage.tensor";
  weights.share_of_total = 0.75;
  Operand rows{"R", "rows (Hash Size)", {10, {10, 10}, ""}, Origin::log, {}, {}};
  rows.printed.text = "10";
  rows.printed.place.line = 7;
  weights.operands.push_back(rows);
  Step input = bytes("input buffer", 1000, 990, 1005);
  input.share_of_total = 0.25;
  Step sum = bytes("HBM of the shard", 4000, 3990, 4010);
  sum.sum = true;
  sum.share_of_total = 1;
  sum.children = {weights, input};
  one.steps.push_back(sum);
  Step printed = bytes("printed", 4000, 3000, 5000);
  printed.note = "agrees";
  printed.printed = rows.printed;
  one.steps.push_back(printed);
  one.components = {{"embedding weights", 3000, 3000, 75}, {"input buffer", 1000, 1000, 25}};
  one.notes = {"The documentation says something that the source does not do in this case (storage-model.md 11)"};
  return one;
}

std::string text_of(const Explained& one, const TextStyle& style) {
  std::string out;
  write_explained({one}, style, out);
  return out;
}

std::size_t widest(const std::string& text) {
  std::size_t most = 0, columns = 0;
  for (const char c : text) {
    if (c == '\n') {
      most = std::max(most, columns);
      columns = 0;
    } else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) {
      ++columns;
    }
  }
  return most;
}

TEST(ExplainText, ShowsValueFormulaOperandAndPrintedCell) {
  const std::string text = text_of(sample(), {});
  for (const char* part :
       {"ebc.table_1\n", "  RW, fused\n", "4,000 B (\u00b110)", "= ceil(S * r / R)   [storage.tensor]",
        "= ceil(6,000 * 5 / 10)", "R = 10  rows (Hash Size), \"10\" on line 7", "1,000 B (990..1,005)", "75.0%",
        "\u2588", "printed: \"10 GB\" on line 7, agrees", "2^30", "note: The documentation"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(ExplainText, ShowsNumbersAsFineAsTheirBounds) {
  const struct {
    Amount value;
    std::string_view text;
  } cases[] = {{{516.48, {516.416, 516.544}, ""}, "516.48 (\u00b10.064)"},
               {{516.48, {512, 520}, ""}, "516.5 (512..520)"},
               {{51648, {51600, 51700}, ""}, "51,648 (\u00b152)"},
               {{0.125, {0.12, 0.13}, ""}, "0.125 (\u00b10.005)"}};
  for (const auto& c : cases) {
    Explained one;
    one.target = "ebc.table_1";
    Step lookups;
    lookups.label = "looked-up ids";
    lookups.value = c.value;
    one.steps.push_back(lookups);
    const std::string text = text_of(one, {});
    EXPECT_NE(text.find(c.text), std::string::npos) << c.text << "\n" << text;
  }
}

TEST(ExplainText, HeadsASumWithWhatIsPrintedOfIt) {
  Explained one = sample();
  one.steps[0].narrowed = {4000, {3995, 4002}, "bytes"};
  const std::string text = text_of(one, {}), head = text.substr(text.find("HBM of the shard"), 80);
  EXPECT_TRUE(head.starts_with("HBM of the shard, 3.906 KiB ")) << text;
  EXPECT_NE(head.find(" 4,000 B (3,995..4,002) 100.0%"), std::string::npos) << text;
}

TEST(ExplainText, HeadsWithBoundsThatAreWide) {
  Explained one = sample();
  one.steps[0].value = {4000, {1024, 8192}, "bytes"};
  EXPECT_NE(text_of(one, {}).find("HBM of the shard, 1.000..8.000 KiB"), std::string::npos) << text_of(one, {});
}

TEST(ExplainText, SharesOfWhatIsTakenAwayAreLessThanZero) {
  Explained one = sample();
  one.steps[0].children[1] = bytes("other explanations", -1000, -1010, -990);
  one.steps[0].children[1].share_of_total = -0.5;
  EXPECT_NE(text_of(one, {}).find("-1,000 B (\u00b110) -50.0%\n"), std::string::npos) << text_of(one, {});
}

TEST(ExplainText, SharesOfMoreThanTheWholeHaveNoDecimals) {
  for (const auto& [share, text] : {std::pair(10.2, "  1020%"), {-1.1690, "  -117%"}, {1.582, " 158.2%"}}) {
    Explained one = sample();
    one.steps[0].children[1].share_of_total = share;
    EXPECT_NE(text_of(one, {}).find("1,000 B (990..1,005)" + std::string(text)), std::string::npos) << text_of(one, {});
  }
}

TEST(ExplainText, FitsTheWidth) {
  for (const int width : {60, 80, 120, 200}) {
    TextStyle style;
    style.width = width;
    EXPECT_LE(widest(text_of(sample(), style)), static_cast<std::size_t>(width)) << width;
  }
}

TEST(ExplainText, BoundsThatALineHasNoRoomForHaveTheirOwn) {
  Explained one = sample();
  one.steps[0].value = {13701890701, {13066601591, 13809152730}, "bytes"};
  TextStyle style;
  style.width = 40;
  const std::string text = text_of(one, style);
  EXPECT_LE(widest(text), 40u) << text;
  EXPECT_NE(text.find("                 13,701,890,701 B 100.0%\n (13,066,601,591..13,809,152,730)\n"),
            std::string::npos)
      << text;
}

TEST(ExplainText, AsciiHasNoOtherCharacters) {
  TextStyle style;
  style.ascii = true;
  const std::string text = text_of(sample(), style);
  EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 128; }));
  EXPECT_NE(text.find("(+-10)"), std::string::npos);
  EXPECT_NE(text.find("###"), std::string::npos);
}

TEST(ExplainText, ColourOnlyWhenAsked) {
  TextStyle style;
  EXPECT_EQ(text_of(sample(), style).find('\x1b'), std::string::npos);
  style.color = true;
  EXPECT_NE(text_of(sample(), style).find("\x1b[1m"), std::string::npos);
}

TEST(ExplainText, LongListsEndWithTheRest) {
  Explained one;
  one.target = "kernel:fused";
  Step sum = bytes("HBM", 0, 0, 0);
  sum.sum = true;
  for (int i = 0; i < 30; ++i) {
    sum.children.push_back(bytes("table_" + std::to_string(i), 100, 100, 100));
    sum.value.nominal += 100;
  }
  sum.value.bounds = {3000, 3000};
  one.steps.push_back(sum);
  const std::string text = text_of(one, {});
  EXPECT_NE(text.find("table_19 "), std::string::npos);
  EXPECT_EQ(text.find("table_20 "), std::string::npos);
  EXPECT_NE(text.find("and 10 more"), std::string::npos);
  EXPECT_NE(text.find("1,000 B"), std::string::npos);
}

}  // namespace
}  // namespace shardstats
