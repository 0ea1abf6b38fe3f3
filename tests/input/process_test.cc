// Lines of several processes that print into one log in turn are told apart.
#include <gtest/gtest.h>

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

TEST(Process, ProcessesAreToldApart) {
  const std::vector<std::function<std::string(int)>> tags = {
      [](int) { return "[rank0]: "; }, [](int) { return "[rank1]: "; },
      [](int i) { return "[trainer2|0]:2026-01-02 03:04:" + std::to_string(10 + i) + " "; }};
  for (const bool same : {true, false}) {
    std::string log;
    for (int i = 0; i < 14; ++i)  // the second lags behind by a line, the third by two
      for (std::size_t p = 0; p < tags.size(); ++p) {
        const Texts lines = printed(p == 2 && !same ? "64" : "512");
        const int at = i - static_cast<int>(p);
        if (at >= 0 && at < static_cast<int>(lines.size()))
          log += tags[p](i) + lines[static_cast<std::size_t>(at)] + "\n";
      }
    const auto blocks = find_blocks(log);
    ASSERT_EQ(blocks.size(), 3u);
    for (std::size_t p = 0; p < 3; ++p) {
      EXPECT_EQ(texts_of(blocks[p]), printed(p == 2 && !same ? "64" : "512"));
      ASSERT_TRUE(blocks[p].twin.has_value());
      EXPECT_EQ(blocks[p].twin->same, same || p == 1);  // the first is compared with all others
    }
  }
}

// What stands behind the tag of a process in the first line of a record is that of its logger.
TEST(Process, ProcessesThatWriteRecordsOfManyLines) {
  const Texts lines = one_record("2026-01-02 03:04:05 INFO stats] ");
  std::string log;
  for (const std::string& line : lines)
    for (const std::string process : {"[rank1]:", "[rank10]:", "[rank0]:"}) log += process + line + "\n";
  const auto blocks = find_blocks(log);
  ASSERT_EQ(blocks.size(), 3u);
  for (const Block& block : blocks) {
    EXPECT_EQ(texts_of(block), printed());
    EXPECT_TRUE(block.opened && block.closed);
  }
}

// As absl prints it, where nothing else differs but the time.
TEST(Process, ProcessesAreToldApartByTheirThreads) {
  const Texts one = printed(), other = printed("64");
  std::string log;
  for (std::size_t i = 0; i < one.size(); ++i)
    for (const bool is_first : {true, false})
      log += "I0102 03:04:" + std::to_string(10 + i) + ".123456 " + (is_first ? "139872345678900" : "140112233445566") +
             " stats.py:301] " + (is_first ? one : other)[i] + "\n";
  const auto blocks = find_blocks(log);
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(texts_of(blocks[0]), one);
  EXPECT_EQ(texts_of(blocks[1]), other);
}

// As CSV is written mostly: only fields with commas have quotes.
TEST(Process, ProcessesAreToldApartInFieldsWithAndWithoutQuotes) {
  std::string log = "time,message,host\n";
  for (std::string line : printed("64,64"))
    for (const std::string process : {"worker-0 ", "worker-1 "}) {
      const std::string quote = line.find(',') != std::string::npos ? "\"" : "";
      log += "2026-01-02 03:04:05," + quote + process + line + quote + ",h\n";
    }
  const auto blocks = find_blocks(log);
  ASSERT_EQ(blocks.size(), 2u);
  for (const Block& block : blocks) EXPECT_EQ(texts_of(block), printed("64,64"));
}

// The first block of a process is like the first ones of the others, and the second like the second ones.
TEST(Process, ProcessesThatPrintTwoBlocksEach) {
  Texts both = printed("512");
  const Texts second = printed("64");
  both.insert(both.end(), second.begin(), second.end());
  constexpr std::size_t kBehind = 3;  // lines by which the other process lags behind
  std::string log;
  for (std::size_t i = 0; i < both.size() + kBehind; ++i) {
    if (i < both.size()) log += "[rank0]: " + both[i] + "\n";
    if (i >= kBehind) log += "[rank1]: " + both[i - kBehind] + "\n";
  }
  const auto blocks = find_blocks(log);
  ASSERT_EQ(blocks.size(), 4u);
  for (const Block& block : blocks) EXPECT_TRUE(block.twin && block.twin->same);
}

// A title that is damaged beside its words tells as well.
TEST(Process, DamagedTitleOfAProcess) {
  const Texts lines = printed();
  Texts other = lines;
  other[1] = replaced(lines[1], "#   ", "#  .");
  ASSERT_NE(other[1], lines[1]);
  for (const std::string prefix : {"[rank", "step # "}) {
    std::string log;
    for (std::size_t i = 0; i < lines.size(); ++i)
      log += prefix + "0]: " + lines[i] + "\n" + prefix + "1]: " + other[i] + "\n";
    EXPECT_EQ(find_blocks(log).size(), 2u) << log;
  }
}

// What tells them apart may stand around the string that holds the line, in front of a progress bar, or between times.
TEST(Process, ProcessesAreToldApartByWhatIsTakenOff) {
  using Write = std::function<std::string(int process, int time, const std::string& line)>;
  const auto text = [](int number) { return std::to_string(number); };
  const auto quoted = [](const std::string& line) { return "\"" + line + "\""; };
  const std::vector<Write> writers = {
      [&](int p, int t, const std::string& line) {
        return "{\"elapsed\": " + text(t) + ".5, \"message\": " + quoted(line) + ", \"rank\": " + text(p) + "}";
      },
      [&](int p, int t, const std::string& line) {
        return "{\"seq\": " + text(t) + ", \"host\": \"node-" + text(p) + "\", \"log\": " + quoted(line + "\\n") + "}";
      },
      [&](int p, int t, const std::string& line) {
        return "{\"log\": " + quoted(line) + ", \"kubernetes\": {\"pod_name\": \"t-" + text(p) +
               "\"}, \"n\": " + text(t) + "}";
      },
      [&](int p, int, const std::string& line) {  // journald
        return "{\"MESSAGE\": " + quoted(line) + ", \"_PID\": \"" + text(70 + p) + "\"}";
      },
      [&](int p, int, const std::string& line) {
        return "{\"message\": " + quoted(line) + ", \"logStreamName\": \"train/abc/" + text(p) + "\"}";
      },
      [&](int p, int, const std::string& line) {
        return "{\"message\": " + quoted(line) + ", \"process\": {\"id\": " + text(70 + p) + ", \"name\": \"Main\"}}";
      },
      [&](int p, int t, const std::string& line) {
        return text(1 + t % 12) + ":05:09 " + (t % 2 == 0 ? "AM" : "PM") + " pod-" + text(p) + " " + line;
      },
      [&](int p, int t, const std::string& line) { return "[" + text(t) + ".5s] pod-" + text(p) + ": " + line; },
      [&](int p, int, const std::string& line) { return "[rank" + text(p) + "]:{\"log\": " + quoted(line) + "}"; },
      [&](int p, int, const std::string& line) { return "[1," + text(p) + "]<stderr>:level=info msg=" + quoted(line); },
      [&](int p, int t, const std::string& line) {
        return "level=info msg=" + quoted(line) + " t=" + text(t) + " rank=" + text(p);
      },
      [&](int p, int, const std::string& line) { return "{'rank': " + text(p) + ", 'msg': '" + line + "'}"; },
      [&](int p, int t, const std::string& line) { return "[rank" + text(p) + "]:[" + text(t) + ".033] " + line; },
      [&](int p, int t, const std::string& line) {  // text without a line end
        return (t % 4 == 1 && t > 4 ? "Loading checkpoint shards..." : "") + std::string(t % 8 == 5 ? " " : "") +
               "[rank" + text(p) + "]: " + line;
      },
      [&](int p, int t, const std::string& line) {  // a bar without a line end, in front of the next line's prefix
        return (t % 5 == p ? "\rEpoch: " + text(t) + "%|##   | 3/7 [00:01<00:09,  1.00it/s]" : "") + "[rank" + text(p) +
               "]: " + line;
      },
      [&](int p, int t, const std::string& line) {  // the same behind a prefix
        return "[rank" + text(p) + "]:" + (t % 5 == p ? text(t) + "%|##   | 3/7 [00:01<00:09]" : "") + line;
      },
      [&](int p, int t, const std::string& line) {  // the bar is that of another line
        return (t % 5 == p ? "Epoch: " + text(t) + "%|##   | 3/7\r" : "") + "[rank" + text(p) + "]: " + line;
      },
      [&](int p, int, const std::string& line) {  // what the box says is not the process
        return "{\"rank\": " + text(p) + ", \"log\": " + quoted(replaced(line, "fused:", "rank: ")) + "}";
      },
      [&](int p, int t, const std::string& line) {
        return "[rank" + text(p) + "]:" + (t % 5 == p ? text(t) + "%|##   | 3/7\r" : "") + line;
      },
  };
  constexpr int kBehind = 1;  // lines by which a process lags behind the one before
  for (const Write& write : writers) {
    const Texts lines = printed();
    std::string log;
    for (int t = 0; t < std::ssize(lines) + 3 * kBehind; ++t)
      for (int p = 0; p < 3; ++p)
        if (const int at = t - p * kBehind; at >= 0 && at < std::ssize(lines))
          log += write(p, t, lines[static_cast<std::size_t>(at)]) + "\n";
    const auto blocks = find_blocks(log);
    ASSERT_EQ(blocks.size(), 3u) << log;
    for (const Block& block : blocks) {
      EXPECT_EQ(each(texts_of(block), [](const std::string& text) { return replaced(text, "rank: ", "fused:"); }),
                lines)
          << log;
      EXPECT_TRUE(block.twin && block.twin->same) << log;
      EXPECT_FALSE(was(Mending::wrapped, block)) << log;
    }
  }
}

// A log that begins in the middle has no title of any of them.
TEST(Process, ProcessesWhoseTitlesAreCutOff) {
  constexpr int kProcesses = 3;
  const Texts lines = printed();
  Texts all;
  for (const std::string& line : lines)
    for (int p = 0; p < kProcesses; ++p) all.push_back("[rank" + std::to_string(p) + "]: " + line);
  for (std::size_t cut = 0; cut < 8 * kProcesses; ++cut) {  // up to the batch size
    const auto blocks = find_blocks(joined(Texts(all.begin() + static_cast<std::ptrdiff_t>(cut), all.end())));
    ASSERT_EQ(std::ssize(blocks), kProcesses) << cut;
    for (const Block& block : blocks) {
      const Texts texts = texts_of(block);
      EXPECT_EQ(texts, Texts(lines.end() - std::ssize(texts), lines.end())) << cut;
    }
  }
}

// Their boxes are of different widths, also where text stands behind them.
// What a record of one stream began goes on in the next one of that stream.
TEST(Process, RecordsOfTwoStreams) {
  std::string log;
  for (const std::string& line : printed()) {
    if (line.find("Rank") != std::string::npos) log += "2026-01-02T03:04:05.1Z stdout P loading \n";
    log += "2026-01-02T03:04:05.1Z stderr F " + line + "\n";
  }
  log += "2026-01-02T03:04:05.1Z stdout F done\n";
  const auto blocks = find_blocks(log);
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(texts_of(blocks[0]), printed());
  EXPECT_FALSE(was(Mending::wrapped, blocks[0]));
}

// Nor are there two processes because two numbers of the prefix change where the titles are cut off.
TEST(Process, OneProcessWithoutItsTitle) {
  Texts lines = printed();
  lines.erase(lines.begin(), lines.begin() + 3);
  const Texts again = printed("64");
  lines.insert(lines.end(), again.begin(), again.end());
  std::string log;
  for (std::size_t i = 0; i < lines.size(); ++i)
    log += (i < 12 ? "3m" + std::to_string(40 + i) : "4m" + std::to_string(i)) + "s " + lines[i] + "\n";
  const auto blocks = find_blocks(log);
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(texts_of(blocks[1]), again);
  EXPECT_FALSE(was(Mending::interleaved, blocks[0]));
}

// The same block in a box that is wider by 70.
Texts widened(const Texts& lines) {
  constexpr std::size_t kMore = 70;
  return each(lines, [](std::string line) {
    const bool is_title = line.find("Planner") != std::string::npos;
    if (is_title) line.insert(1, kMore / 2, ' ');
    return line.insert(line.size() - 1, is_title ? kMore / 2 : kMore, line[1] == '#' ? '#' : ' ');
  });
}

TEST(Process, ProcessesWithPlansOfTheirOwn) {
  const Texts one = printed(), other = widened(printed("64"));
  for (const std::string suffix : {"", " stats.py:301", "\",x"})
    for (const bool is_wide_first : {false, true}) {
      const Texts& first = is_wide_first ? other : one;
      const Texts& second = is_wide_first ? one : other;
      std::string log;
      for (std::size_t i = 0; i < first.size() + 3; ++i) {  // the second one begins behind the title
        if (i < first.size()) log += "[rank0]: " + first[i] + suffix + "\n";
        if (i >= 3) log += "[rank1]: " + second[i - 3] + suffix + "\n";
      }
      const auto blocks = find_blocks(log);
      ASSERT_EQ(blocks.size(), 2u) << log;
      EXPECT_EQ(texts_of(blocks[0]), first) << log;
      EXPECT_EQ(texts_of(blocks[1]), second) << log;
    }
}

// The title of the wider box stands directly behind its border, which is no glued one of the narrower box.
TEST(Process, AWiderBoxThatBeginsInANarrowerOne) {
  const Texts one = printed(), other = widened(printed("64"));
  std::string log = joined(prefixed("[rank0]: ", Texts(one.begin(), one.begin() + 5)));
  log += joined(prefixed("[rank1]: ", Texts(other.begin(), other.begin() + 6)));
  log += joined(prefixed("[rank0]: ", Texts(one.begin() + 5, one.end())));
  log += joined(prefixed("[rank1]: ", Texts(other.begin() + 6, other.end())));
  const auto blocks = find_blocks(log);
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(texts_of(blocks[0]), one);
  EXPECT_EQ(texts_of(blocks[1]), other);
}

// Behind the first border of a wider box the title of another one may come first, or stand in pieces.
TEST(Process, ATitleOfOthersBehindTheFirstBorder) {
  const Texts narrow[] = {printed(), printed("64")}, wide = widened(printed());
  std::string log = "[rank0]: " + narrow[0][0] + "\n[rank0]: " + narrow[0][1] + "\n";
  log += "[rank1]: " + narrow[1][0] + "\n[rank2]: " + wide[0] + "\n[rank1]: " + narrow[1][1] + "\n[rank2]: " + wide[1] +
         "\n";
  for (std::size_t i = 2; i < wide.size(); ++i)
    log += "[rank0]: " + narrow[0][i] + "\n[rank1]: " + narrow[1][i] + "\n[rank2]: " + wide[i] + "\n";
  const auto blocks = find_blocks(log);
  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_EQ(texts_of(blocks[0]), narrow[0]);
  EXPECT_EQ(texts_of(blocks[1]), narrow[1]);
  EXPECT_EQ(texts_of(blocks[2]), wide);
}

// A terminal breaks the lines of all processes: of a wider box into more pieces, of a narrow one perhaps none.
TEST(Process, WrappedLinesOfProcessesWithPlansOfTheirOwn) {
  const Texts one = printed(), other = widened(printed("64")), alike = printed("64");
  constexpr std::size_t kPrefixSize = 9;  // "[rank0]: "
  const std::size_t length = kWidth + kPrefixSize;
  const auto check = [](const Texts& first, const Texts& second, std::size_t width, std::size_t lag) {
    SCOPED_TRACE(std::to_string(width) + ", " + std::to_string(lag) + " lines behind");
    Texts lines;
    for (std::size_t i = 0; i < first.size() + lag; ++i) {
      if (i < first.size()) lines.push_back("[rank0]: " + first[i]);
      if (i >= lag) lines.push_back("[rank1]: " + second[i - lag]);
    }
    const std::string log = joined(wrapped(lines, width));
    const auto blocks = find_blocks(log);
    ASSERT_EQ(blocks.size(), 2u);
    EXPECT_EQ(texts_of(blocks[0]), first);
    EXPECT_EQ(texts_of(blocks[1]), second);
  };
  for (const std::size_t lag : {0, 2, 5})
    for (const std::size_t width : {std::size_t{60}, std::size_t{63}, std::size_t{95}, length - 1, length + 1}) {
      check(one, other, width, lag);
      check(other, one, width, lag);
      if (width < length) check(one, alike, width, lag);
    }
}

// Lines of one width are no pieces of one record if all begin alike.
TEST(Process, BordersOfSeveralProcessesInContainers) {
  const Texts lines = printed();
  const auto part = [&](const char* process, std::size_t from, std::size_t to) {
    const Texts own = prefixed(process, Texts(lines.begin() + static_cast<std::ptrdiff_t>(from),
                                              lines.begin() + static_cast<std::ptrdiff_t>(to)));
    return joined(each(own, [](const std::string& s) { return docker_record(s, true); }));
  };
  std::string log = part("[rank0]: ", 0, 4) + part("[rank2]: ", 0, 4);
  for (const char* process : {"[rank1]: ", "[rank0]: ", "[rank2]: "})
    log += part(process, process[5] == '1' ? 0 : 4, lines.size());
  const auto blocks = find_blocks(log);
  ASSERT_EQ(blocks.size(), 3u);
  for (const Block& block : blocks) {
    EXPECT_EQ(texts_of(block), lines);
    EXPECT_FALSE(was(Mending::wrapped, block));
  }
}

// However many there are: their borders come first, all in a row.
TEST(Process, ManyProcessesAreToldApart) {
  for (const int processes : {51, 64, 700}) {
    std::string log;
    for (const std::string& line : printed())
      for (int p = 0; p < processes; ++p) log += "[rank" + std::to_string(p) + "]: " + line + "\n";
    const auto blocks = find_blocks(log);
    ASSERT_EQ(std::ssize(blocks), processes);
    for (const Block& block : blocks) {
      EXPECT_EQ(texts_of(block), printed());
      EXPECT_TRUE(block.twin && block.twin->same);
    }
  }
}

// Line numbers in front of it do not hide whose line it is.
TEST(Process, ProcessesAreToldApartBehindLineNumbers) {
  for (const auto& [before, behind] : std::vector<std::pair<const char*, const char*>>{
           {"", ":0: "}, {"\"", "\",\"pod-"}, {"   ", "\t[rank1]: "}, {"w-3.log:", ":"}, {"", ",\"info\",\"7\",\""}}) {
    std::string log;
    int number = 0;
    for (const std::string& line : printed())
      for (const char* process : {"a", "b"})
        log += before + std::to_string(++number) + behind + process + ": " + line + "\n";
    const auto blocks = find_blocks(log);
    ASSERT_EQ(blocks.size(), 2u) << behind;
    for (const Block& block : blocks) EXPECT_EQ(texts_of(block), printed()) << behind;
  }
}

}  // namespace
}  // namespace shardstats
