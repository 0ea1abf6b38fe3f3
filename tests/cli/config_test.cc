#include "cli/config.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "temporary_folder.h"

namespace shardstats::cli {
namespace {

namespace fs = std::filesystem;

// With folders in it to start from.
class Folder : public test::WorkingFolder {
 public:
  Folder() { fs::create_directories("a/b"); }
};

void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

// "section/item key kind: value|value @place", a line for each.
std::string read(const std::string& text) {
  constexpr const char* kKinds[] = {"truth", "number", "text", "list", "heading", "other"};
  const Folder folder;
  write("c.toml", text);
  const auto config = read_config("c.toml");
  if (const auto* wrong = std::get_if<std::string>(&config)) return *wrong;
  std::string lines;
  for (const Setting& s : std::get<Config>(config)) {
    lines += s.section + "/" + std::to_string(s.item) + " " + s.key + " " + kKinds[static_cast<int>(s.kind)] + ":";
    for (const std::string& value : s.values) lines += " " + value;
    lines += " @" + s.place + "\n";
  }
  return lines;
}

TEST(Config, Settings) {
  const struct {
    const char *text, *settings;
  } cases[] = {
      {"", ""},
      {"# nothing\n", ""},
      {"top = 5\nformat = \"json\"\n", "/0 top number: 5 @c.toml:1:1\n/0 format text: json @c.toml:2:1\n"},
      {"a = true\nb = 2.5\nc = [1, \"x\", false]\nd = []\n",
       "/0 a truth: true @c.toml:1:1\n/0 b number: 2.5 @c.toml:2:1\n/0 c list: 1 x false @c.toml:3:1\n"
       "/0 d list: @c.toml:4:1\n"},
      {"[verify]\n  quiet = false\n", "/0 verify heading: @c.toml:1:2\nverify/0 quiet truth: false @c.toml:2:3\n"},
      {"day = 1979-05-27\nnested = [[1]]\n", "/0 day other: @c.toml:1:1\n/0 nested other: @c.toml:2:1\n"},
      {"[[check.tables]]\nn = 1\n[[check.tables]]\nn = 2\n",
       "check/0 tables heading: @c.toml:1:1\n/0 check heading: @c.toml:1:3\ncheck.tables/0 n number: 1 @c.toml:2:1\n"
       "check/1 tables heading: @c.toml:3:1\ncheck.tables/1 n number: 2 @c.toml:4:1\n"},
  };
  for (const auto& c : cases) EXPECT_EQ(read(c.text), c.settings) << c.text;
}

TEST(Config, WhatIsNoToml) {
  for (const auto& [text, place] : {std::pair("top = \n", "c.toml:1:"),
                                    {"a = 1\na = 2\n", "c.toml:2:"},
                                    {"[x\n", "c.toml:1:"},
                                    {"a = \"\xff\"\n", "c.toml:1:"}})
    EXPECT_EQ(read(text).find(place), 0U) << read(text);
  const auto missing = read_config("/nowhere/c.toml");
  ASSERT_TRUE(std::holds_alternative<std::string>(missing));
  EXPECT_EQ(std::get<std::string>(missing),
            "/nowhere/c.toml: cannot read the configuration file: No such file or directory");
  const Folder folder;
  EXPECT_NE(std::get<std::string>(read_config("a")).find("it is a directory"), std::string::npos);
}

TEST(Config, TheNearestFileAbove) {
  const Folder folder;
  fs::create_directories("a/b/.shardstats.toml");  // a directory of that name is none
  write(kConfigName, "");
  fs::current_path("a/b");
  EXPECT_EQ(find_config(), "../../.shardstats.toml");
  write("../.shardstats.toml", "");
  EXPECT_EQ(find_config(), "../.shardstats.toml");
  fs::remove_all(kConfigName);
  write(kConfigName, "");
  EXPECT_EQ(find_config(), ".shardstats.toml");
}

}  // namespace
}  // namespace shardstats::cli
