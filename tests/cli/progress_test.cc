#include "cli/progress.h"

#include <gtest/gtest.h>

namespace shardstats::cli {
namespace {

using namespace std::chrono_literals;

TEST(ProgressLine, DropsCountsThatDoNotFit) {
  const struct {
    Done done;
    int width;
    const char* line;
  } cases[] = {
      {{0, 0, 0, 0}, 80, "  0% [>                   ] 0 files, 0 blocks, 0 with findings"},
      {{0.479, 1234, 987, 12}, 80, " 47% [=========>          ] 1,234 files, 987 blocks, 12 with findings"},
      {{0.479, 1234, 987, 12}, 60, " 47% [=========>          ] 1,234 files, 987 blocks"},
      {{0.479, 1234, 987, 12}, 39, " 47% [=========>          ]"},
      {{1, 3, 2, 1}, 80, "100% [====================] 3 files, 2 blocks, 1 with findings"},
      {{1.5, 3, 2, 1}, 20, ""},
  };
  for (const auto& c : cases) EXPECT_EQ(progress_line(c.done, c.width), c.line);
}

TEST(Progress, DrawsSeldomAndErasesBeforeOthersWrite) {
  std::string screen;
  const auto put = [&](std::string_view text) { screen += text; };
  const auto others = [&] { screen += "others "; };
  const Progress::Clock::time_point start{};
  Progress progress(30, put, start);
  progress.update({0.5, 1, 1, 0}, others, start + 99ms);
  EXPECT_EQ(screen, "");
  progress.update({0.5, 1, 1, 0}, others, start + 100ms);
  EXPECT_EQ(screen, "others  50% [==========>         ]");
  progress.update({0.6, 1, 1, 0}, others, start + 199ms);
  EXPECT_EQ(screen, "others  50% [==========>         ]");
  screen.clear();
  progress.update({0.25, 1, 1, 0}, others, start + 200ms);  // never goes back
  EXPECT_EQ(screen, "\r\033[Kothers  50% [==========>         ]");
  screen.clear();
  progress.erase();
  progress.erase();
  EXPECT_EQ(screen, "\r\033[K");
}

TEST(Progress, WithoutATerminalNothingHappens) {
  Progress progress(80, nullptr);
  progress.update(
      {}, [] { FAIL(); }, Progress::Clock::now() + 1h);
  progress.erase();
  EXPECT_FALSE(progress.is_on());
}

}  // namespace
}  // namespace shardstats::cli
