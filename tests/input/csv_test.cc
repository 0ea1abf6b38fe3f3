// Lines of boxes in fields of CSV, of which only those with a comma or a quote have quotes.
#include "input/csv.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "printed_block.h"

namespace shardstats {
namespace {

using namespace test;

TEST(Csv, QuotesOfTheFieldWithTheBox) {
  struct Case {
    const char* record;
    const char* line;
    std::uint32_t column;  // of the '#' in the record; 0: there is none
  };
  const Case cases[] = {
      {R"(12:00,"# a, b #")", "12:00,# a, b #", 8},
      {R"("# a, b #")", "# a, b #", 2},
      {R"("12,00";"# a, b";host)", R"("12,00";# a, b)", 10},
      {R"("12:00, INFO: # a, b #","x","y")", "12:00, INFO: # a, b #", 15},
      {R"(1,"# a ""b"", ""c"" #")", R"(1,# a "b", "c" #)", 4},
      {R"(1,"##################################################################",2)",
       "1,##################################################################", 4},
      {R"(12:00,# a b #)", "12:00,# a b #", 7},
      {R"(12:00,# a "b" #)", R"(12:00,# a "b" #)", 7},         // quotes of its text
      {R"(1,"# a, b #)", R"(1,"# a, b #)", 4},                 // a field of several lines
      {R"(he said "# a, b #")", R"(he said "# a, b #")", 10},  // no field
      {R"(1,"# a, b #" and more)", R"(1,"# a, b #" and more)", 4},
      {R"("a","b")", R"("a","b")", 0},
  };
  for (const Case& c : cases) {
    Transcript record;
    record.append(c.record, {7, 1});
    std::vector<Mended> mended;
    const Transcript line = input_detail::without_quotes_of_field(std::move(record), {}, false, mended);
    EXPECT_EQ(line.text(), c.line);
    EXPECT_EQ(mended.empty(), std::string(c.record) == c.line) << c.record;
    const std::size_t box = line.text().find('#');
    if (c.column != 0) {
      EXPECT_EQ(line.place_of(box).column, c.column) << c.record;
    }
  }
}

// The rest of a line stands behind the same columns as its first piece, in whichever of them.
TEST(Csv, TheFieldOfTheRestLosesItsQuotes) {
  const auto columns = input_detail::columns_in_front_of_box(R"("2026-01-02 03:04:05",INFO,"# a, b")");
  struct Rest {
    bool goes_on;
    const char *record, *line;
  };
  const Rest cases[] = {
      {true, R"("2026-01-02 03:04:06",INFO,"   c",7)", R"("2026-01-02 03:04:06",INFO,   c)"},
      {true, R"("2026-01-02 03:04:06",INFO,"",7)", R"("2026-01-02 03:04:06",INFO,)"},
      {true, R"("2026-01-02 03:04:06",INFO,   c,7)", R"("2026-01-02 03:04:06",INFO,   c,7)"},
      {true, R"("2026-01-02 03:04:06",WARNING,"   c",7)", R"("2026-01-02 03:04:06",WARNING,"   c",7)"},
      {false, R"("2026-01-02 03:04:06",INFO,"   c",7)", R"("2026-01-02 03:04:06",INFO,"   c",7)"},
      {false, R"("2026-01-02 03:04:06",INFO,"#",7)", R"("2026-01-02 03:04:06",INFO,#)"},
      {false, R"("#","Time","Message")", R"("#","Time","Message")"},
  };
  for (const Rest& c : cases) {
    Transcript text;
    text.append(c.record, {7, 1});
    std::vector<Mended> mended;
    EXPECT_EQ(input_detail::without_quotes_of_field(std::move(text), columns, c.goes_on, mended).text(), c.line);
  }
  EXPECT_EQ(input_detail::columns_in_front_of_box(R"("# a, b","7")"), "");
  EXPECT_EQ(input_detail::columns_in_front_of_box("INFO:# a, b"), std::nullopt);
}

TEST(Csv, FieldsBehindTheBox) {
  const std::pair<const char*, const char*> cases[] = {
      {R"(12:00,"# a, b #",host-1)", ",host-1"},
      {"12:00,# a b #,host-1,7", ",host-1,7"},
      {"12:00\t# a b #\thost-1", "\thost-1"},
      {R"(12:00,"# a, b",host-1)", ",host-1"},
      {R"("12:00","# a, b #")", ""},
      {"12:00,# a b #", ""},
      {"# a b # (stats.py:301)", ""},
      {"12:00,#\ta b", ""},
      {"step, 1", ""},
  };
  for (const auto& [record, fields] : cases) EXPECT_EQ(input_detail::fields_behind_box(record), fields) << record;
}

// As in an export of messages with the stream of each.
TEST(Csv, ProcessesAreToldApartByFieldsBehindTheBox) {
  for (const std::string separator : {",", "\t"})
    for (const std::string quote : {"", "\""}) {
      std::string log;
      int n = 0;
      for (std::size_t i = 0; i < printed().size(); ++i)
        for (const std::string batch : {"64", "512"})
          log += quote + "12:00" + quote + separator + quote + printed(batch)[i] + quote + separator + "host-" + batch +
                 separator + std::to_string(n++) + "\n";
      const auto blocks = find_blocks(log);
      ASSERT_EQ(blocks.size(), 2u) << log;
      EXPECT_EQ(texts_of(blocks[0]), printed("64"));
      EXPECT_EQ(texts_of(blocks[1]), printed("512"));
    }
}

// What changes with each line, stands in some lines only or belongs to the line itself tells nothing.
TEST(Csv, OtherFieldsBehindTheBoxTellNoProcess) {
  const std::vector<std::function<std::string(const std::string& line, int n)>> records = {
      [](const std::string& line, int n) { return line + ",3fa85f64-" + std::to_string(977 * n) + "-b3fc"; },
      [](const std::string& line, int n) { return line + "," + std::to_string(n) + "," + std::to_string(n % 3); },
      [](const std::string& line, int n) { return line + ",INFO,0." + std::to_string(n % 4); },
      [](const std::string& line, int n) { return n == 1 ? line + ", step 1" : line; },
  };
  for (std::size_t r = 0; r < records.size(); ++r)
    for (const bool are_two : {false, true}) {
      std::string log;
      int n = 0;
      for (const std::string& line : printed())
        for (const std::string process : {"[rank0]: ", "[rank1]: "})
          if (are_two || process == "[rank0]: ") log += records[r](process + line, n++) + "\n";
      const auto blocks = find_blocks(log);
      ASSERT_EQ(blocks.size(), are_two ? 2u : 1u) << log;
      for (const Block& block : blocks) EXPECT_EQ(texts_of(block), printed()) << r;
    }
}

// A row of which the right border stands elsewhere or nowhere is one of the same box all the same.
TEST(Csv, RowsThatNeedQuotes) {
  Texts whole = printed("64,64");
  whole[5] = "#        0   1.5 (12%)" + std::string(kWidth, ' ') + "1,205#";
  const auto without_border = [](const std::string& line) {
    const bool is_border = line.find(' ') == std::string::npos;
    const std::size_t last = line.find_last_not_of(" #");
    return is_border ? line : last == std::string::npos ? "#" : line.substr(0, last + 1);
  };
  for (const Texts& lines : {whole, each(whole, without_border)}) {
    const auto quoted = [](const std::string& line) {
      return "12:00," + (line.find(',') != std::string::npos ? "\"" + line + "\"" : line);
    };
    const auto blocks = find_blocks("time,message\n" + joined(each(lines, quoted)));
    ASSERT_EQ(blocks.size(), 1u);
    EXPECT_EQ(texts_of(blocks[0]), lines);
  }
}

// As exports have the raw event and its text, in any order of fields and of lines.
TEST(Csv, EventsWithTheirTextInAnotherField) {
  for (const bool is_reversed : {false, true})
    for (const bool is_event_first : {false, true})
      for (const std::string quote : {"", "\""}) {
        Texts lines = printed();
        if (is_reversed) std::ranges::reverse(lines);
        std::string log = "time,a,b,c\n";
        for (const std::string& line : lines) {
          const std::string event = R"("{""msg"": "")" + line + R"("", ""stream"": ""stderr""}")";
          const std::string text = quote + line + quote;
          log += "12:00," + (is_event_first ? event + ",7," + text : text + ",7," + event) + ",x\n";
        }
        const auto blocks = find_blocks(log);
        ASSERT_EQ(blocks.size(), 1u) << log;
        EXPECT_EQ(texts_of(blocks[0]), printed()) << log;
      }
}

}  // namespace
}  // namespace shardstats
