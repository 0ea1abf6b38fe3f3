// Lines that were escaped, coloured, wrapped, glued, mixed or stripped on their way into a log: the blocks are those of
// the undamaged log, every line knows where its first byte stands, and what was undone is noted.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "input/changed_lines.h"
#include "printed_block.h"
#include "shardstats/input/blocks.h"

namespace shardstats {
namespace {

using namespace test;

struct Case {
  const char* what;
  std::string log;
  Mending mending;
};

// As a container's runtime writes a line that is longer than it takes at once.
std::string split_records(const std::string& line, const std::function<std::string(const std::string&, bool)>& record) {
  constexpr std::size_t kMost = 16384;
  std::string log;
  for (std::size_t at = 0; at < line.size(); at += kMost)
    log += record(line.substr(at, kMost), at + kMost >= line.size()) + "\n";
  return log;
}
std::string of_cri(const std::string& part, bool is_last) {
  return std::string("2026-01-02T03:04:05.123456789Z stdout ") + (is_last ? "F " : "P ") + part;
}
// A list and a string, of which the first part ends in the batch size, and in front of an 'n'.
std::string long_list() {
  const std::string text = python_list(printed());
  return std::string(16384 - text.find("512") - 1, 'x') + text.substr(0, text.size() - 1);
}
std::string long_string() {
  const std::string text = json(joined(printed()));
  return std::string(16384 - text.find("\\n#", text.find("512")) - 1, 'x') + text;
}

// As grep -n prints lines.
std::string numbered(const std::string& log) {
  std::string text;
  int number = 8;
  for (std::size_t start = 0; start < log.size(); start = log.find('\n', start) + 1)
    text += std::to_string(number++) + ":" + log.substr(start, log.find('\n', start) + 1 - start);
  return text;
}

const std::string kPrefix = "2026-01-02 03:04:05,678 INFO stats.py:12] ";

// Sequences of a terminal take no room in its lines.
Texts wrapped_behind_colours(std::size_t width) {
  const auto coloured = [](const std::string& line) { return replaced(line, "rank0", "\x1b[36mrank0\x1b[0m"); };
  return each(wrapped(prefixed("[rank0] (worker, pid=4711) "), width), coloured);
}

std::vector<Case> cases() {
  const Texts lines = printed();
  const std::string bare = joined(lines);
  return {
      {"line numbers in strings",
       joined(each(lines,
                   [n = 8](const std::string& s) mutable {
                     const std::string record = json("stats.log:" + std::to_string(n++) + ":" + s);
                     return replaced(record, "0   1.5", "0 \\u00a0 1.5");
                   })),
       Mending::escapes},
      {"docker", joined(each(prefixed("INFO:x:"), [](const std::string& s) { return json(s + "\n"); })),
       Mending::escapes},
      {"one string", "before\n" + json(bare) + "\nafter\n", Mending::escapes},
      {"string in a string", joined(each(lines, [](const std::string& s) { return json(json(s)); })), Mending::escapes},
      {"colours of the frame in strings",
       joined(each(lines,
                   [](const std::string& s) { return json("\x1b[31m" + s.substr(0, 1) + "\x1b[0m" + s.substr(1)); })),
       Mending::colours},
      {"each line in two fields of a record",
       joined(each(lines,
                   [](const std::string& s) {
                     return R"({"text": "12:00 | INFO | )" + s + R"(\n", "record": {"level": "INFO", "message": ")" +
                            s + "\"}}";
                   })),
       Mending::doubled},
      {"all lines in two fields of a record",
       replaced(json(bare), "\"n\": 1", "\"event\": {\"original\": " + json(bare).substr(25)), Mending::doubled},
      {"Python list", "x = 1\nINFO:" + python_list(lines), Mending::escapes},
      {"Python list in several records of Docker", split_records(long_list(), docker_record), Mending::wrapped},
      {"Python list in several records of the CRI", split_records(long_list(), of_cri), Mending::wrapped},
      {"string of JSON in several records of Docker", split_records(long_string(), docker_record), Mending::wrapped},
      {"string of JSON in several records of the CRI", split_records(long_string(), of_cri), Mending::wrapped},
      {"records of the CRI behind line numbers",
       numbered(split_records(std::string(16384, 'x') + long_string(), of_cri)), Mending::wrapped},
      {"pprint of Python", replaced(python_list(lines), "--- Planner", "'\n '--- Planner"), Mending::escapes},
      {"pprint of Python that breaks behind a prefix",
       replaced(replaced(python_list(prefixed("I of stats: ")), "I of stats: #", "I of '\n 'stats: '\n '#"),
                "--- Planner", "'\n '--- Planner"),
       Mending::escapes},
      {"HTML", "<pre>" + replaced(joined(prefixed("<a>")), "<a>", "&lt;a&gt;") + "</pre>", Mending::escapes},
      {"HTML with numbered entities",
       "<pre>" + replaced(replaced(bare, "  ", "&#160;&#xA0;"), "#\n", "&#35;\n") + "</pre>", Mending::escapes},
      {"attribute of XML with numbered line ends", "<failure message=\"" + replaced(bare, "\n", "&#10;") + "\"/>",
       Mending::escapes},
      {"HTML of paragraphs on one line", replaced("<p>" + joined(prefixed("x] ")) + "</p>", "\n", "</p>  <p>"),
       Mending::escapes},
      {"HTML on one line", "<div>" + replaced(joined(prefixed("x] ")), "\n", "<br>") + "</div>", Mending::escapes},
      {"HTML with tags at both ends of a line",
       "<p>" + replaced(joined(prefixed("x] ")), "\n", "<br />\n<br class=\"x\">") + "</p>", Mending::escapes},
      {"HTML with a paragraph for each line, behind a prefix",
       joined(each(lines, [](const std::string& line) { return "INFO:x:<p><code>" + line + "</code></p>"; })),
       Mending::escapes},
      {"colours", replaced(bare, "1.5", "\x1b[32m1.5\x1b[0m"), Mending::colours},
      {"links", replaced(bare, "1.5", "\x1b]8;;http://host/\x1b\\1.5\x1b]8;;\x1b\\"), Mending::colours},
      {"titles of a terminal", replaced(bare, "1.5", "\x1b]0;train\a1.5"), Mending::colours},
      {"colours without ESC", replaced(bare, "1.5", "[32m1.5[0m"), Mending::colours},
      {"colours without ESC, reset without a number",
       joined(each(lines, [](const std::string& line) { return json(replaced(line, "1.5", "[1;32m1.5[m")); })),
       Mending::colours},
      {"tabs", joined(each(prefixed("[rank0]: "), tabbed)), Mending::blanks},
      {"tabs, then a prefix", joined(prefixed("[rank0]: ", each(lines, tabbed))), Mending::blanks},
      {"tabs, then a prefix, in one string", json(joined(prefixed("[rank0]: ", each(lines, tabbed)))), Mending::blanks},
      {"tabs and carriage returns in strings of a list",
       python_list(each(lines, [](const std::string& s) { return replaced(tabbed(s), "\t", "\\t") + "\\r"; })),
       Mending::blanks},
      {"a tab for each eight blanks",
       joined(prefixed("INFO: ", each(lines, [](const std::string& s) { return replaced(s, "        ", "\t"); }))),
       Mending::blanks},
      {"a tab for each four blanks",
       joined(prefixed("INFO: ", each(lines, [](const std::string& s) { return replaced(s, "    ", "\t"); }))),
       Mending::blanks},
      {"tabs, then line numbers", joined(prefixed("   12\t", each(prefixed("INFO: "), tabbed))), Mending::blanks},
      {"non-breaking", replaced(bare, "  ", "\xC2\xA0 "), Mending::blanks},
      {"non-breaking, all", replaced(bare, " ", "\xC2\xA0"), Mending::blanks},
      {"non-breaking, taken for Latin-1", replaced(bare, "  ", "\xC3\x82\xC2\xA0 "), Mending::blanks},
      {"figure space in a cell", replaced(bare, "0   1.5", "0 \xE2\x80\x87 1.5"), Mending::blanks},
      {"narrow non-breaking space in a cell", replaced(bare, "0   1.5", "0 \xE2\x80\xAF 1.5"), Mending::blanks},
      {"ideographic space in a cell", replaced(bare, "0   1.5", "0 \xE3\x80\x80 1.5"), Mending::blanks},
      {"zero-width space in a cell",
       replaced(bare, "0   1.5",
                "0   \xE2\x80\x8B"
                "1.5"),
       Mending::blanks},
      {"non-breaking space of Latin-1 in a cell", replaced(bare, "0   1.5", "0 \xA0 1.5"), Mending::blanks},
      {"tab as wide as a blank", replaced(bare, "Batch Size", "Batch\tSize"), Mending::blanks},
      {"lost colours in a cell, reset without a number", replaced(bare, "1.5", "[1;32m1.5[m"), Mending::colours},
      {"wrapped", joined(wrapped(prefixed(kPrefix), 80)), Mending::wrapped},
      {"wrapped just behind a long prefix", joined(wrapped(prefixed(kPrefix), kPrefix.size() + 2)), Mending::wrapped},
      {"wrapped just behind a long prefix, blanks lost", joined(wrapped(prefixed(kPrefix), kPrefix.size() + 10, true)),
       Mending::wrapped},
      {"wrapped, a record of many lines", joined(wrapped(one_record(kPrefix), 40)), Mending::wrapped},
      {"wrapped, a record of many lines of which only the first is too long",
       joined(wrapped(one_record(kPrefix), kWidth)), Mending::wrapped},
      {"wrapped, a record of many lines behind the tag of a process",
       joined(wrapped(prefixed("[rank0]: ", one_record(kPrefix)), 41)), Mending::wrapped},
      {"wrapped, then numbered behind a name with an apostrophe",
       joined(each(wrapped(lines, 80),
                   [n = 7](const std::string& s) mutable { return "bob's.log:" + std::to_string(++n) + ":" + s; })),
       Mending::wrapped},
      {"wrapped behind colours", joined(wrapped_behind_colours(40)), Mending::wrapped},
      {"wrapped narrowly", joined(wrapped(lines, 33)), Mending::wrapped},
      {"wrapped at a part of the width", joined(wrapped(lines, kWidth / 2)), Mending::wrapped},
      {"wrapped, blanks lost", joined(wrapped(prefixed(kPrefix), 80, true)), Mending::wrapped},
      {"wrapped at a part of the width, blanks lost", joined(wrapped(lines, kWidth / 2, true)), Mending::wrapped},
      {"wrapped at a small part of the width, blanks lost", joined(wrapped(lines, kWidth / 5, true)), Mending::wrapped},
      {"wrapped at a part of the length, blanks lost", joined(wrapped(prefixed("[default0]: "), 61, true)),
       Mending::wrapped},
      {"wrapped at a part and one, blanks lost", joined(wrapped(prefixed("[rank0]: "), 59, true)), Mending::wrapped},
      {"wrapped at all but the right border, blanks lost", joined(wrapped(lines, kWidth - 1, true)), Mending::wrapped},
      {"wrapped at a part of the width, blanks lost, then logged",
       joined(prefixed("INFO:x:", wrapped(lines, kWidth / 2, true))), Mending::wrapped},
      {"suffix", joined(each(prefixed("INFO:x:"), [](const std::string& s) { return s + " (stats.py:301)"; })),
       Mending::suffix},
      {"CSV",
       joined(each(lines,
                   [n = 0](const std::string& s) mutable {
                     ++n;
                     return std::to_string(n) + ",\"INFO\",\"" + s + "\",\"" + std::to_string(n * 7) + "\"";
                   })),
       Mending::suffix},
      {"CSV in one string", json(joined(each(lines, [](const std::string& s) { return "7,INFO,\"" + s + "\""; }))),
       Mending::suffix},
      {"cell of CSV with all lines", "n,text\n1,\"" + bare.substr(0, bare.size() - 1) + "\",x\n", Mending::suffix},
      {"suffix of one line",
       replaced(bare, "512" + std::string(kWidth - 18, ' ') + "#",
                "512" + std::string(kWidth - 18, ' ') + "# stats.py:301"),
       Mending::suffix},
      {"wrapped just behind a long prefix, then quoted",
       joined(
           each(wrapped(prefixed(kPrefix), kPrefix.size() + 8, true), [](const std::string& s) { return "> " + s; })),
       Mending::wrapped},
      {"wrapped, then indented",
       joined(each(wrapped(prefixed("x: "), 80), [](const std::string& s) { return "    " + s; })), Mending::wrapped},
      {"wrapped, then logged",
       joined(each(wrapped(lines, 33), [](const std::string& s) { return "2026-01-02 03:04:05 x] " + s; })),
       Mending::wrapped},
      {"wrapped, then quoted in mail, blanks lost",
       joined(each(wrapped(lines, 33),
                   [](const std::string& s) {
                     const std::string piece = "> " + s;
                     return piece.substr(0, piece.find_last_not_of(' ') + 1);
                   })),
       Mending::wrapped},
      {"glued", replaced(joined(prefixed("INFO:x:")), "#\nINFO:x:# Batch", "#    INFO:x:# Batch"), Mending::glued},
      {"glued to the border", replaced(bare, "##\n#  ", "##   #  "), Mending::glued},
      {"title glued to the border without a blank", replaced(bare, "##\n#  ", "###  "), Mending::glued},
      {"closing border glued without a blank", replaced(bare, "#\n###", "####"), Mending::glued},
      {"all lines glued without a blank", replaced(bare, "\n", "") + "\n", Mending::glued},
      {"all lines glued without a blank behind a prefix", "INFO:x:" + replaced(bare, "\n", "") + "\n", Mending::glued},
      {"record of rsyslog", "Jan  2 03:04:05 h python[7]: " + replaced(bare, "\n", "#012") + "\n", Mending::glued},
      {"record of rsyslog with a logger's prefix",
       "Jan  2 03:04:05 h python[7]: " + replaced(joined(prefixed("INFO:x:")), "\n", "#012") + "more#012\n",
       Mending::glued},
      {"record of rsyslog in JSON", json("INFO " + replaced(bare, "\n", "#012")) + "\n", Mending::glued},
      {"each line twice", joined(each(lines, [](const std::string& s) { return s + "\n" + s; })), Mending::doubled},
      {"each line twice with other times, beside others",
       joined(each(prefixed("x: "),
                   [n = 0](const std::string& s) mutable {
                     const std::string line = std::to_string(100 + n++ % 3) + " " + s;
                     return line + (n == 7 ? "\nanother" : "") + "\n1" + line + (n == 5 ? "\nanother" : "");
                   })),
       Mending::doubled},
      {"newest line first", joined(Texts(lines.rbegin(), lines.rend())), Mending::reversed},
      {"newest line first, in JSON",
       joined(each(Texts(lines.rbegin(), lines.rend()),
                   [](const std::string& s) { return R"({"log":")" + s + R"(\n","stream":"stderr"})"; })),
       Mending::reversed},
      {"many lines of others behind the border", replaced(bare, "##\n#  ", "##\n" + lines_of_others(500) + "#  "),
       Mending::foreign},
  };
}

TEST(Mend, GivesTheUndamagedLines) {
  for (const Case& c : cases()) {
    const auto blocks = find_blocks(c.log);
    ASSERT_EQ(blocks.size(), 1u) << c.what;
    EXPECT_EQ(texts_of(blocks[0]), printed()) << c.what;
    EXPECT_TRUE(blocks[0].opened && blocks[0].closed) << c.what;
    EXPECT_TRUE(was(c.mending, blocks[0])) << c.what;
    for (const BoxLine& line : blocks[0].lines) {
      EXPECT_EQ(byte_at(c.log, line.place), '#') << c.what;
      const std::size_t digit = line.text.find("1.5");
      if (digit != std::string_view::npos) {
        EXPECT_EQ(byte_at(c.log, line.place_of(digit)), '1') << c.what;
      }
    }
  }
}

// Where it does not stand behind borders, it is no line end.
// The lines in front of the first label, of which each stands in a record of many lines.
TEST(Mend, NewestRecordsOfManyLinesFirst) {
  Texts lines = printed();
  for (int kernel = 0; kernel < 6; ++kernel) lines.insert(lines.end() - 1, box_line("   fused: 3"));
  std::string log = "[\n";
  for (auto line = lines.rbegin(); line != lines.rend(); ++line)
    log += "  {\n    \"message\": \"" + *line + "\"" + joined(Texts(4, ",\n    \"key\": 1")) + "  },\n";
  const auto blocks = find_blocks(log + "]\n");
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(texts_of(blocks[0]), lines);
}

TEST(Mend, NumbersOfNamesStay) {
  const std::string log = joined(each(printed("x#012y ##012"), tabbed));
  const auto blocks = find_blocks(log);
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(texts_of(blocks[0]), printed("x#012y ##012"));
  EXPECT_FALSE(was(Mending::glued, blocks[0]));
}

// One of them may print the lines without a prefix, whose borders are then shorter.
TEST(Mend, LinesOfTwoHandlers) {
  for (const std::string prefix : {"INFO:x:", "2026-01-02 03:04:05,678 INFO stats.py:12] ", "[rank0]: INFO "})
    for (const std::string between : {"", "INFO:root:step 1\n"}) {
      const std::string log =
          joined(each(printed(), [&](const std::string& s) { return between + prefix + s + "\n" + s; }));
      const auto blocks = find_blocks(log);
      ASSERT_EQ(blocks.size(), 2u) << log;
      for (const Block& block : blocks) {
        EXPECT_EQ(texts_of(block), printed()) << log;
        EXPECT_TRUE(block.twin && block.twin->same) << log;
      }
    }
}

// The border behind the closing one is that of the next block, unless lines are doubled.
TEST(Mend, BordersOfTheNextBlockStay) {
  std::string log;
  for (int block = 0; block < 2; ++block)
    for (const std::string& line : printed())
      for (const char* tag : {"0: ", "1: "}) log += tag + line + "\n";
  EXPECT_EQ(find_blocks(log).size(), 4u);
  for (const Block& block : find_blocks(log)) EXPECT_TRUE(block.opened && block.closed);
  Texts once = each(printed("64"), [](const std::string& s) { return s + "\n" + s; });
  once.back().resize(kWidth);  // the closing border
  for (const std::string& line : printed("512")) once.push_back(line);
  const std::string doubled = joined(once);
  const auto blocks = find_blocks(doubled);
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(texts_of(blocks[0]), printed("64"));
  EXPECT_EQ(texts_of(blocks[1]), printed("512"));
}

TEST(Mend, BlocksOfDoubledLinesStayApart) {
  Texts lines = printed("512");
  for (const std::string& line : printed("64")) lines.push_back(line);
  const std::string log = joined(each(lines, [](const std::string& s) { return s + "\n" + s; }));
  const auto blocks = find_blocks(log);
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(texts_of(blocks[0]), printed("512"));
  EXPECT_EQ(texts_of(blocks[1]), printed("64"));
  EXPECT_EQ(blocks[1].mended.size(), 1u);
}

// A title whose blanks were squeezed does not tell how wide its border is.
TEST(Mend, LinesOfOthersAboveASqueezedTitle) {
  Texts lines = printed();
  lines[1] = "# --- Planner Statistics --- #";
  for (const std::string between : {"", "step 1: loss 0.5"}) {
    lines.insert(lines.begin() + 1, between);
    const auto blocks = find_blocks(joined(lines));
    ASSERT_EQ(blocks.size(), 1u);
    EXPECT_TRUE(blocks[0].opened && blocks[0].closed);
  }
}

// Only with a code that takes it back a '[' with digits is a colour, and only then a "[m" without.
TEST(Mend, NamesLikeColoursStay) {
  for (const std::string name : {"slot[mean]emb", "[mean] [5m]", "clicks[30m]", "[m]", "[1;2]m"}) {
    const std::string line = box_line("Batch Size: " + name);
    const std::string log = replaced(joined(each(printed(name), tabbed)), tabbed(line), line);
    const auto blocks = find_blocks(log);
    ASSERT_EQ(blocks.size(), 1u) << name;
    EXPECT_EQ(texts_of(blocks[0]), printed(name)) << name;
    EXPECT_FALSE(was(Mending::colours, blocks[0])) << name;
  }
}

// A terminal that is as wide as the box breaks only the rows that are wider.
TEST(Mend, RowsThatOverflowTheBoxAreJoined) {
  Texts lines = printed();
  lines[5] = "#        0   1.5 (12%)   " + std::string(kWidth - 25, 'x') + "  7 #";
  lines[9].insert(lines[9].size() - 1, " ");
  for (const std::size_t more : {0, 2, 3})
    for (const char* late : {"", "> ", "2026-01-02 03:04:05 "}) {
      const std::string log =
          joined(each(wrapped(lines, kWidth + more), [&](const std::string& piece) { return late + piece; }));
      const auto blocks = find_blocks(log);
      ASSERT_EQ(blocks.size(), 1u) << late << more;
      EXPECT_EQ(texts_of(blocks[0]), lines) << late << more;
      EXPECT_TRUE(was(Mending::wrapped, blocks[0])) << late << more;
    }
}

// Only fields that loggers write twice are the same text; and all of it has to be.
TEST(Mend, FieldsWithTwoBlocks) {
  const std::string one = joined(printed()), other = joined(printed("64")), red = "\x1b[31m#\x1b[0m";
  const auto record = [](const std::string& a, const std::string& x, const std::string& b, const std::string& y) {
    return "{\"" + a + "\": " + json(x).substr(25, json(x).size() - 34) + ", \"" + b +
           "\": " + json(y).substr(25, json(y).size() - 34) + "}\n";
  };
  EXPECT_EQ(find_blocks(record("text", one, "message", one)).size(), 1u);
  EXPECT_EQ(find_blocks(record("text", one, "message", other)).size(), 2u);
  EXPECT_EQ(find_blocks(record("rank0", one, "rank1", one)).size(), 2u);
  const auto coloured = [&](const std::string& text) { return replaced(text, "# ", red + " "); };
  EXPECT_EQ(find_blocks(record("text", coloured(one), "message", coloured(other))).size(), 2u);
}

// Somebody's line inside a box may have the title in it; the box goes on.
TEST(Mend, ATitleWithoutFrameOpensNothingInABox) {
  Texts lines = printed();
  lines[7] = "x--- Planner Statistics --- c\t: " + lines[7];
  const std::string log = joined(lines);
  const auto blocks = find_blocks(log);
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(texts_of(blocks[0]), printed());
}

// A line that was broken, whose first piece is blank, and which never had its frame.
TEST(Mend, LinesThatBeginBlankHavePlaces) {
  const std::string log = "\"" + std::string(20, '#') + R"(\n#\n--- Planner Statistics ---\nHBM: est\n\n#)";
  const auto blocks = find_blocks(log);
  ASSERT_FALSE(blocks.empty());
  for (const Block& block : blocks)
    for (const BoxLine& line : block.lines) EXPECT_EQ(line.place.line, 1U) << line.text;
}

TEST(Mend, NothingIsNotedOfABareBlock) {
  const std::string log = joined(printed());
  const auto blocks = find_blocks(log);
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_TRUE(blocks[0].mended.empty());
  EXPECT_EQ(blocks[0].transcript, nullptr);
}

// Names in UTF-8 or Latin-1 are no damage, whatever that makes of the number of bytes. Colours would have added some.
// As JSON without other characters than ASCII has those above U+FFFF.
TEST(Mend, JoinsTheHalvesOfACharacter) {
  const std::string emoji = "\U0001F600";
  const Texts lines = printed("table_" + emoji);
  const auto in_json = [&](const std::string& s) { return replaced(json(s + "\n"), emoji, R"(\ud83d\ude00)"); };
  const auto blocks = find_blocks(joined(each(lines, in_json)));
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(texts_of(blocks[0]), lines);
}

TEST(Mend, NothingIsUndoneInNamesOfOtherCharacters) {
  for (const std::string name : {"caf\xC3\xA9", "caf\xE9", "\xE6\x97\xA5\xE6\x9C\xAC", "x\x1b[31my"}) {
    const std::string log = joined(printed(name));
    const auto blocks = find_blocks(log);
    ASSERT_EQ(blocks.size(), 1u) << name;
    EXPECT_EQ(texts_of(blocks[0]), printed(name)) << name;
    EXPECT_EQ(blocks[0].transcript, nullptr) << name;
  }
}

// Where the prefix changes from line to line, the title of the line before tells how wide the box is.
TEST(Mend, GluedBordersBehindChangingPrefixes) {
  Texts lines = printed();
  const Texts again = printed("64");
  lines.back() += again.front();
  lines.insert(lines.end(), again.begin() + 1, again.end());
  std::string log;
  for (std::size_t i = 0; i < lines.size(); ++i) log += "12m" + std::to_string(3 + i) + "s " + lines[i] + "\n";
  const auto blocks = find_blocks(log);
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(texts_of(blocks[0]), printed());
  EXPECT_EQ(texts_of(blocks[1]), again);
}

// Somebody's line of '#' behind a border is no piece of it.
TEST(Mend, LinesOfHashesBehindBorders) {
  const Texts one = printed(), other = printed("64");
  for (const std::size_t size : {1, 4, 40}) {
    std::string log;
    for (std::size_t i = 0; i < one.size(); ++i) {
      log += "[rank0]: " + one[i] + "\n[rank1]: " + other[i] + "\n";
      if (i == 0) log += std::string(size, '#') + "\n";
    }
    const auto blocks = find_blocks(log);
    ASSERT_EQ(blocks.size(), 2u) << size;
    EXPECT_EQ(texts_of(blocks[0]), one) << size;
    EXPECT_EQ(texts_of(blocks[1]), other) << size;
    EXPECT_FALSE(was(Mending::wrapped, blocks[1])) << size;
  }
}

// The title in somebody's text is not that of a box without a frame.
TEST(Mend, TitlesInOtherText) {
  for (const char* text : {"grep \"--- Planner Statistics ---\" train.log",
                           "INFO the --- Planner Statistics --- follow:", "see '--- Planner Statistics ---"}) {
    const std::string log = std::string(text) + "\n" + joined(printed());
    const auto blocks = find_blocks(log);
    ASSERT_EQ(blocks.size(), 1u) << text;
    EXPECT_EQ(texts_of(blocks[0]), printed()) << text;
    EXPECT_TRUE(blocks[0].mended.empty()) << text;
  }
}

// A line of the box beside the strings that hold the others is left out, which is said with its place; any other text
// there is nobody's.
TEST(Mend, LinesBesideStrings) {
  const Texts lines = printed();
  constexpr std::size_t kBeside = 5;
  std::string one_line = "[", json;  // the width of the box is told by the same line, or by those before
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i == kBeside) one_line += lines[i] + " ";
    if (i != kBeside) one_line += "'" + lines[i] + "', ";
    if (i != kBeside) json += "{" + (i == kBeside + 1 ? lines[kBeside] + " " : "") + "\"m\": \"" + lines[i] + "\"}\n";
  }
  for (const auto& [log, line] : {std::pair(one_line, 1U), std::pair(json, 6U)}) {
    const auto blocks = find_blocks(log);
    ASSERT_EQ(blocks.size(), 1u) << log;
    EXPECT_EQ(texts_of(blocks[0]).size(), lines.size() - 1) << log;
    const auto beside = std::ranges::find(blocks[0].mended, Mending::beside, &Mended::what);
    ASSERT_NE(beside, blocks[0].mended.end()) << log;
    EXPECT_EQ(beside->first, (Place{line, 1})) << log;
  }
  const std::string colours = "#1967D2; fill: " + std::string(kWidth - 17, 'x') + " #174EA6";
  for (const std::string between : {", ", ", # 3 # ", " # loss: 0.5, ", colours.c_str(), lines[5].c_str()}) {
    std::string log = "[";
    for (const std::string& text : lines) log += "'" + text + "'" + between;
    const auto blocks = find_blocks(log);
    ASSERT_EQ(blocks.size(), 1u) << between;
    EXPECT_EQ(texts_of(blocks[0]), lines) << between;
    EXPECT_FALSE(was(Mending::beside, blocks[0])) << between;
  }
}

// Two lines whose ends happen to be quotes are no string that pprint broke.
TEST(Mend, QuotesOfOthersJoinNoLines) {
  Texts lines = each(printed(), [](const std::string& line) { return " \"I " + line; });
  lines[5] += " said \"so \"";
  const Texts quoted = each(printed(), [](const std::string& line) { return " \"" + line + " \""; });
  const Texts without_border(quoted.begin() + 1, quoted.end());
  for (const Texts& one : {lines, quoted, without_border}) {
    const auto blocks = find_blocks(joined(one));
    ASSERT_EQ(blocks.size(), 1u);
    EXPECT_EQ(texts_of(blocks[0]).size(), one.size());
    EXPECT_FALSE(was(Mending::glued, blocks[0]));
  }
}

// Text behind the right border of each line, the title's words too, is no title of other processes.
TEST(Mend, TitleBehindEachLine) {
  Texts lines = each(printed(), [](const std::string& line) { return "I " + line + "--- Planner Statistics ---"; });
  lines[8] = "worker: " + lines[8];
  const auto blocks = find_blocks(joined(lines));
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(texts_of(blocks[0]), printed());
}

// A progress bar that is overwritten is gone; whole lines of the box between its carriage returns stay, once each.
TEST(Mend, LinesBetweenCarriageReturns) {
  Texts lines = printed();
  lines[6] =
      " 10%|##   |\r" + lines[6] + "\r 20%|###  |\r# half a line  #\r" + lines[7] + "\r\r" + lines[7] + "\r" + lines[8];
  lines.erase(lines.begin() + 7, lines.begin() + 9);
  const auto blocks = find_blocks(joined(lines));
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(texts_of(blocks[0]), printed());
}

// Blocks of different widths, the first without the newline at its end.
TEST(Mend, BlocksGluedAtTheirBordersAreApart) {
  const Texts wide = each(printed("64"), [](std::string line) {
    const bool is_title = line.find("Planner") != std::string::npos, is_border = line[1] == '#';
    if (is_title) line.insert(1, 5, ' ');
    return line.insert(line.size() - 1, is_title ? 5 : 10, is_border ? '#' : ' ');
  });
  const std::string one = joined(printed()), other = joined(wide);
  for (const auto& [first, second] : {std::pair{one, other}, {other, one}, {one, one}}) {
    const auto blocks = find_blocks(first.substr(0, first.size() - 1) + second);
    ASSERT_EQ(blocks.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(joined(texts_of(blocks[i])), i == 0 ? first : second);
      EXPECT_TRUE(blocks[i].opened && blocks[i].closed);
    }
  }
}

// An empty line of nobody goes to the first process, with its place.
TEST(Mend, EmptyLinesHavePlaces) {
  std::string log;
  for (const std::string& line : printed())
    for (const char* process : {"[rank0]: ", "[rank1]: "})
      log += process + line + "\n" + (log.size() > 1000 && log.size() < 1200 ? "\n" : "");
  const auto blocks = find_blocks(log);
  ASSERT_EQ(blocks.size(), 2u);
  ASSERT_EQ(blocks[0].foreign.size(), 1u);
  const Place place = blocks[0].foreign[0].place;
  EXPECT_EQ(place.column, 1u);
  EXPECT_EQ(byte_at(log, place), '\n');
}

TEST(Mend, AByteOrderMarkIsNamed) {
  const auto blocks = find_blocks("\xEF\xBB\xBF" + joined(printed()));
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(texts_of(blocks[0]), printed());
  EXPECT_TRUE(was(Mending::mark, blocks[0]));
  EXPECT_FALSE(was(Mending::blanks, blocks[0]));
}

// The end of a line that was cut off is no prefix.
TEST(Mend, ALogThatBeginsInALine) {
  const Texts lines = printed();
  std::string log = joined(lines);
  log.erase(0, log.find("Rank") + 2);
  const auto blocks = find_blocks(log);
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(texts_of(blocks[0]), Texts(lines.begin() + 4, lines.end()));
  EXPECT_TRUE(blocks[0].mended.empty());
}

// Numbers that were put in front of a damaged log.
TEST(Mend, BehindLineNumbers) {
  const Texts lines = printed();
  const Texts text = wrapped(lines, 80, true);
  for (const auto& [before, behind] :
       std::vector<std::pair<const char*, const char*>>{{"", ":"}, {"     ", "\t"}, {"logs/worker-3.log:", ":"}}) {
    std::string log;
    int number = 6;
    for (const std::string& line : text) log += before + std::to_string(++number) + behind + line + "\n";
    const auto blocks = find_blocks(log);
    ASSERT_EQ(blocks.size(), 1u) << behind;
    EXPECT_EQ(texts_of(blocks[0]), lines) << behind;
    EXPECT_TRUE(was(Mending::prefix, blocks[0])) << behind;
  }
}

// The start of the string is cut off with the title, so that nothing but the line ends tells the lines apart.
TEST(Mend, TheEndOfAString) {
  const Texts lines = printed();
  const std::string text = joined(lines);
  const std::string log = replaced(text.substr(text.find("Rank") - 5), "\n", "\\n") + "\", \"level\": \"info\"}\n";
  const auto blocks = find_blocks(log);
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(texts_of(blocks[0]), Texts(lines.begin() + 4, lines.end()));
  EXPECT_TRUE(was(Mending::glued, blocks[0]));
}

TEST(Mend, Parts) {
  const Texts lines = printed();
  const Texts tail(lines.begin() + 7, lines.end()), head(lines.begin(), lines.begin() + 9);
  const auto of_tail = find_blocks("x\n" + joined(prefixed("> ", tail)));
  ASSERT_EQ(of_tail.size(), 1u);
  EXPECT_EQ(texts_of(of_tail[0]), tail);
  EXPECT_TRUE(!of_tail[0].opened && of_tail[0].closed);
  const auto of_head = find_blocks(joined(prefixed("> ", head)) + "and then\n");
  ASSERT_EQ(of_head.size(), 1u);
  EXPECT_EQ(texts_of(of_head[0]), head);
  EXPECT_TRUE(of_head[0].opened && !of_head[0].closed);
  // A tail in front of a whole block.
  const auto both = find_blocks(joined(tail) + joined(lines));
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(texts_of(both[1]), lines);
}

// Only the closing border is a sign that is looked for.
TEST(Mend, PartsBetweenLinesOfOthers) {
  Texts lines = {box_line("Estimated Sharding Distribution"), box_line("Max HBM: 1.5 GB on rank [0]"), box_line("")};
  for (const char* text : {"Top 5 Tables Causing Max Perf:", "   one", "Top 5 Tables Causing Max HBM:", "   one"})
    lines.push_back(box_line(text));
  lines.emplace_back(kWidth, '#');
  for (const int count : {1, 49})
    for (const std::size_t at : {std::size_t{1}, lines.size() - 1}) {
      Texts log = lines;
      log.insert(log.begin() + static_cast<std::ptrdiff_t>(at), lines_of_others(count));
      log.front().insert(0, "loading\n");
      const auto blocks = find_blocks(joined(log));
      ASSERT_EQ(blocks.size(), 1u) << count << " " << at;
      EXPECT_EQ(texts_of(blocks[0]), lines) << count << " " << at;
    }
}

TEST(Mend, WithoutFrame) {
  std::string log = "loading\n";
  for (const std::string& line : printed())
    if (line.find_first_not_of('#') != std::string::npos) {
      const std::string text = line.substr(2, line.size() - 3);
      log += text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
    }
  const auto blocks = find_blocks(log);
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_TRUE(was(Mending::frame, blocks[0]));
  EXPECT_FALSE(blocks[0].opened || blocks[0].closed);
  EXPECT_EQ(blocks[0].lines[6].text, "# Batch Size: 512");
  EXPECT_EQ(blocks[0].lines[6].place_of(2), (Place{8, 1}));
}

// The borders may be there all the same.
TEST(Mend, WithoutFrameBetweenBorders) {
  Texts lines;
  for (const std::string& line : printed()) {
    const std::string text = line.starts_with("##") ? line : line.substr(2, line.size() - 3);
    lines.push_back(text.substr(0, text.find_last_not_of(' ') + 1));
  }
  for (const std::string prefix : {"", "[rank0]: ", "| "}) {
    const auto blocks = find_blocks("loading\n" + joined(prefixed(prefix, lines)));
    ASSERT_EQ(blocks.size(), 1u) << prefix;
    EXPECT_TRUE(was(Mending::frame, blocks[0]));
    EXPECT_TRUE(blocks[0].opened && blocks[0].closed) << prefix;
    ASSERT_EQ(blocks[0].lines.size(), lines.size());
    EXPECT_EQ(blocks[0].lines[7].text, "# Batch Size: 512");
    EXPECT_EQ(blocks[0].lines.back().text, lines.back());
  }
}

// The '#' of a progress bar is none of a box, and a string may hold text that lost its frame.
TEST(Mend, WithoutFrameAmongOtherDamage) {
  std::string text;
  for (const std::string& line : printed())
    if (line.find_first_not_of('#') != std::string::npos) text += line.substr(1, line.size() - 2) + "\n";
  for (const std::string& log : {replaced(text, " Batch", "\r 3%|#    | 1/40\r Batch"), json(text)}) {
    const auto blocks = find_blocks(log);
    ASSERT_EQ(blocks.size(), 1u) << log;
    EXPECT_TRUE(was(Mending::frame, blocks[0])) << log;
    ASSERT_EQ(blocks[0].lines.size(), printed().size() - 2) << log;
    EXPECT_TRUE(blocks[0].lines[6].text.starts_with("# Batch Size: 512")) << log;
  }
}

TEST(Mend, LookAlikesAreNoBlocks) {
  const std::string banner = std::string(80, '#') + "\n# Copyright\n# all rights\n" + std::string(80, '#') + "\n";
  for (const std::string& log : {banner, joined(prefixed("x ", {banner, banner})), std::string(500, '#') + "\n",
                                 std::string("# Batch Size: 512\n"), std::string("{\"msg\": \"# a\\n# b\"}\n")})
    EXPECT_TRUE(find_blocks(log).empty()) << log;
}

// However many lines a damaged log has, it is read in about as many steps.
TEST(Mend, ManyDamagedBlocksStayApart) {
  std::string log;
  const Texts lines = printed();
  for (int i = 0; i < 200; ++i) log += joined(Texts(lines.begin(), lines.end() - 1)) + "noise\n";
  const auto blocks = find_blocks(log);
  ASSERT_EQ(blocks.size(), 200u);
  EXPECT_EQ(blocks[199].lines.front().place.line, 199u * lines.size() + 1);
}

}  // namespace
}  // namespace shardstats
