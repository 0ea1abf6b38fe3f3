#include "cli/formats.h"

#include <gtest/gtest.h>

namespace shardstats::cli {
namespace {

TEST(Formats, TableIsIndexedById) {
  for (const Format& format : formats()) {
    EXPECT_EQ(&format_of(format.id), &format);
    EXPECT_EQ(format_named(format.name), format.id);
    EXPECT_FALSE(format.help.empty()) << format.name;
    for (const std::string_view extension : format.extensions)
      if (!extension.empty()) {
        EXPECT_EQ(format_by_extension("x" + std::string(extension)), &format) << extension;
      }
  }
  EXPECT_EQ(format_named("xml"), std::nullopt);
}

TEST(Formats, TheLongestExtensionCounts) {
  EXPECT_EQ(format_by_extension("a.sarif.json")->id, OutputFormat::sarif);
  EXPECT_EQ(format_by_extension("sarif.json")->id, OutputFormat::json);
  EXPECT_EQ(format_by_extension("-"), nullptr);
  EXPECT_EQ(format_by_extension("report"), nullptr);
  EXPECT_EQ(format_by_extension("report.yaml"), nullptr);
}

}  // namespace
}  // namespace shardstats::cli
