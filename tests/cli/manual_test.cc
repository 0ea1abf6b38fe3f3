#include "cli/manual.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "cli/completion.h"
#include "cli/help.h"
#include "cli/man_page.h"

namespace shardstats::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A command called "verify" with options of each kind; nothing in src/ knows them.
class Manual : public testing::Test {
 protected:
  void SetUp() override {
    app_.add_option("LOG", logs_, "Log files")->type_name("FILE");
    app_.add_option("-k,--kind", kind_, "It's the [kind]: \\o/")
        ->type_name("KIND")
        ->capture_default_str()
        ->check(CLI::IsMember({"good", "bad"}));
    app_.add_option("--many", logs_, "Some")->type_name("RULE");
    app_.add_option("--count", count_, "How many");
    app_.add_flag("-s,--switch", switch_, "A switch");
  }

  CLI::App app_{"", "verify"};
  std::vector<std::string> logs_;
  std::string kind_ = "good";
  std::size_t count_ = 0;
  bool switch_ = false;
};

TEST_F(Manual, IsReadFromTheParser) {
  const CommandManual manual = describe(app_);
  EXPECT_EQ(manual.command, &command_of(CommandId::verify));
  EXPECT_EQ(usage(manual), "shardstats verify [OPTIONS] [LOG...]");
  ASSERT_EQ(manual.arguments.size(), 1U);
  EXPECT_TRUE(manual.arguments[0].takes_file());
  std::vector<std::string> headings, descriptions;
  for (const OptionManual& option : manual.options) {
    headings.push_back(heading(option));
    descriptions.push_back(description(option));
  }
  EXPECT_THAT(headings, ElementsAre("-h, --help", "-k, --kind KIND", "--many RULE", "--count N", "-s, --switch"));
  EXPECT_EQ(descriptions[1], "It's the [kind]: \\o/: good or bad; default: good");
  EXPECT_EQ(descriptions[2], "Some; may be repeated");
  EXPECT_THAT(manual.options[1].choices, ElementsAre("good", "bad"));
  EXPECT_THAT(manual.options[2].offers, testing::Contains("rank.hbm"));
  EXPECT_FALSE(manual.options[0].takes_file());
}

TEST_F(Manual, NewOptionsAreInAllThatIsMadeOfIt) {
  const CommandManual manual = describe(app_);
  EXPECT_THAT(help_text(manual, 80), HasSubstr("  --count N                   How many\n"));
  EXPECT_THAT(man_page({}, {manual}), HasSubstr("\\fB\\-k\\fR, \\fB\\-\\-kind\\fR \\fIKIND\\fR\n"));
  EXPECT_THAT(completion_script(Shell::bash, {}, {manual}), HasSubstr("-k | --kind) values='good bad' ;;"));
  EXPECT_THAT(completion_script(Shell::zsh, {}, {manual}),
              HasSubstr("'(-k --kind)--kind=[It'\\''s the \\[kind\\]\\: \\\\o/]:KIND:(good bad)'"));
  EXPECT_THAT(completion_script(Shell::fish, {}, {manual}),
              HasSubstr(" -s k -l kind -x -a 'good bad' -d 'It\\'s the [kind]: \\\\o/'\n"));
}

TEST(ManualText, HelpKeepsItsWidth) {
  CommandManual manual{&command_of(CommandId::scan), {}, {}};
  OptionManual option;
  option.names = {"--an-option-with-a-name-that-is-too-long"};
  option.help = "Something that does not fit into a line of forty columns";
  manual.options = {option};
  const std::string text = help_text(manual, 40);
  EXPECT_THAT(text, HasSubstr("\n  --an-option-with-a-name-that-is-too-long\n      "));
}

}  // namespace
}  // namespace shardstats::cli
