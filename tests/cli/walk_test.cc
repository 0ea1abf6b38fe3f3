#include "cli/walk.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "temporary_folder.h"

namespace shardstats::cli {
namespace {

namespace fs = std::filesystem;

// A tree to walk, with the working directory in it. Links: to-runs -> runs, runs/again -> runs, runs/last ->
// runs/b.log.
class WalkTest : public testing::Test {
 protected:
  WalkTest() {
    for (const char* file : {"a.log", "b.txt", "odd[1].log", ".hidden.log", "runs/b.log", "runs/a/rank0.log",
                             "runs/a/rank1.log", "runs/a/deep/rank0.log", "runs/a.log", "runs/.git/rank0.log"}) {
      fs::create_directories(fs::path(file).parent_path().empty() ? "." : fs::path(file).parent_path());
      std::ofstream(file) << file;
    }
    fs::create_directory("nothing");
    fs::create_symlink("runs", "to-runs");
    fs::create_symlink("../runs", "runs/again");
    fs::create_symlink("b.log", "runs/last");
    EXPECT_EQ(::mkfifo("runs/pipe", 0600), 0);
  }

  // Paths in the order of the walk: "!" before those that were named, the error behind what has one.
  static std::vector<std::string> walked(const std::vector<std::string>& arguments, bool expand = true) {
    Walk walk(arguments, expand);
    std::vector<std::string> paths;
    double fraction = 0;
    while (const auto found = walk.next()) {
      paths.push_back((found->named ? "!" : "") + found->path + (found->error ? ": " + found->error->message : ""));
      EXPECT_GE(walk.fraction(0) + 1e-9, fraction) << found->path;
      fraction = walk.fraction(1);
      EXPECT_LE(fraction, 1 + 1e-9) << found->path;
    }
    return paths;
  }

  test::WorkingFolder folder_;
};

using Paths = std::vector<std::string>;

TEST_F(WalkTest, FilesDirectoriesAndGlobs) {
  const struct {
    Paths arguments, found;
  } cases[] = {
      {{}, {}},
      {{"b.txt", "a.log", "-", "missing"}, {"!b.txt", "!a.log", "!-", "!missing"}},
      {{"nothing"}, {}},
      {{"runs/a"}, {"runs/a/deep/rank0.log", "runs/a/rank0.log", "runs/a/rank1.log"}},
      {{"runs/"},
       {"runs/a/deep/rank0.log", "runs/a/rank0.log", "runs/a/rank1.log", "runs/a.log", "runs/b.log", "runs/last"}},
      {{"to-runs/a/deep", "a.log"}, {"to-runs/a/deep/rank0.log", "!a.log"}},
      {{"runs/.git"}, {"runs/.git/rank0.log"}},  // hidden, but named
      {{"*.log"}, {"a.log", "odd[1].log"}},
      {{"./?.*"}, {"./a.log", "./b.txt"}},
      {{"[!b-z].log"}, {"a.log"}},
      {{"odd[1].log"}, {"!odd[1].log"}},  // a file of that name goes before the glob
      {{".hid*"}, {".hidden.log"}},
      {{"runs/*/rank0.log"}, {"runs/a/rank0.log"}},
      {{"**/rank0.log"}, {"runs/a/deep/rank0.log", "runs/a/rank0.log"}},
      {{"runs/**/rank?.log"}, {"runs/a/deep/rank0.log", "runs/a/rank0.log", "runs/a/rank1.log"}},
      {{"runs/**/a/**/rank1.log"}, {"runs/a/rank1.log"}},
      {{"to-*/a.log"}, {"to-runs/a.log"}},  // a link that the glob names
      {{"to-*"},
       {"to-runs/a/deep/rank0.log", "to-runs/a/rank0.log", "to-runs/a/rank1.log", "to-runs/a.log", "to-runs/b.log",
        "to-runs/last"}},
      {{"runs/*/"},  // directories are walked as if they had been named, here also the linked one
       {"runs/a/deep/rank0.log", "runs/a/rank0.log", "runs/a/rank1.log", "runs/a.log", "runs/again/a/deep/rank0.log",
        "runs/again/a/rank0.log", "runs/again/a/rank1.log", "runs/again/a.log", "runs/again/b.log", "runs/again/last",
        "runs/b.log", "runs/last"}},
      {{"noth*"}, {}},  // matched, and empty
      {{"*.gz", "a.log"}, {"!*.gz: no file matches this pattern", "!a.log"}},
      {{"missing/*.log"}, {"!missing/*.log: no file matches this pattern"}},
      {{"runs/**/*.gz"}, {"!runs/**/*.gz: no file matches this pattern"}},
      {{"a.log/*"}, {"!a.log/*: no file matches this pattern"}},
  };
  for (const auto& c : cases) EXPECT_EQ(walked(c.arguments), c.found) << testing::PrintToString(c.arguments);
}

TEST_F(WalkTest, OtherCommandsTakeNamesAsTheyAre) {
  EXPECT_EQ(walked({"runs", "*.log"}, false), (Paths{"!runs", "!*.log"}));
}

TEST_F(WalkTest, BytesDecideTheOrder) {
  for (const char* name : {"nothing/B", "nothing/a", "nothing/10", "nothing/9", "nothing/\xc3\xa4", "nothing/\xff"})
    std::ofstream(name) << "";
  EXPECT_EQ(walked({"nothing"}),
            (Paths{"nothing/10", "nothing/9", "nothing/B", "nothing/a", "nothing/\xc3\xa4", "nothing/\xff"}));
}

TEST_F(WalkTest, LinksToNothingAreReported) {
  fs::create_symlink("gone", "nothing/link");
  fs::create_symlink("loop", "nothing/loop");
  EXPECT_EQ(walked({"nothing", "a.log"}), (Paths{"nothing/link: cannot open it: a link to nothing",
                                                 "nothing/loop: cannot open it: a link to nothing", "!a.log"}));
}

TEST_F(WalkTest, UnreadableDirectoriesAreReported) {
  // Too long a path, since the superuser may read all others.
  const std::string name(250, 'x');
  std::string longest = "nothing";
  fs::current_path("nothing");
  for (int i = 0; i < 17; ++i) {
    fs::create_directory(name);
    fs::current_path(name);
    longest += "/" + name;
  }
  fs::current_path(folder_.path());
  EXPECT_EQ(walked({"nothing", "a.log"}),
            (Paths{longest + ": cannot read the directory: File name too long", "!a.log"}));
}

TEST_F(WalkTest, FractionFollowsTheTree) {
  const std::vector<std::string> arguments = {"a.log", "runs/a"};
  Walk walk(arguments, true);
  const struct {
    double file, fraction;
  } cases[] = {{0.5, 0.25}, {0, 0.5}, {1, 0.5 + 2.0 / 6}, {1, 1}};  // runs/a has three entries
  for (const auto& c : cases) {
    ASSERT_TRUE(walk.next());
    EXPECT_DOUBLE_EQ(walk.fraction(c.file), c.fraction);
  }
}

}  // namespace
}  // namespace shardstats::cli
