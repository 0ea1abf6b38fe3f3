#include "report/columns.h"

#include <gtest/gtest.h>

namespace shardstats {
namespace {

std::string written(int width, bool terminal, std::size_t titles = 1) {
  Columns columns(titles);
  columns.add({"table", "type", "kernel", "shards", "HBM"});
  columns.add({"model.sparse.user_table", "RW", "fused", "64", "8.941 GiB"});
  columns.add({"model.ad", "TW"});
  std::string out;
  columns.write({width, false, false, terminal}, out);
  return out;
}

constexpr std::string_view kOnOneLine =
    "  table                    type  kernel  shards        HBM\n"
    "  model.sparse.user_table    RW   fused      64  8.941 GiB\n"
    "  model.ad                   TW\n";

TEST(Columns, RowsAreLinesWhereTheyHaveRoom) { EXPECT_EQ(written(58, true), kOnOneLine); }

TEST(Columns, RowsAreLinesForOtherPrograms) { EXPECT_EQ(written(40, false), kOnOneLine); }

TEST(Columns, ALongNameKeepsItsEnd) {
  EXPECT_EQ(written(55, true),
            "  table                 type  kernel  shards        HBM\n"
            "  ...sparse.user_table    RW   fused      64  8.941 GiB\n"
            "  model.ad                TW\n");
}

TEST(Columns, BrokenRows) {
  EXPECT_EQ(written(40, true),
            "  table\n"
            "    type  kernel  shards        HBM\n"
            "  model.sparse.user_table\n"
            "      RW   fused      64  8.941 GiB\n"
            "  model.ad\n"
            "      TW\n");
  EXPECT_EQ(written(20, true),
            "  table\n"
            "    type  kernel\n"
            "    shards\n"
            "          HBM\n"
            "  ...arse.user_table\n"
            "      RW   fused\n"
            "        64\n"
            "    8.941 GiB\n"
            "  model.ad\n"
            "      TW\n");
}

TEST(Columns, TwoTitlesAboveABrokenRow) {
  EXPECT_EQ(written(40, true, 2),
            "  table                    type\n"
            "    kernel  shards        HBM\n"
            "  model.sparse.user_table    RW\n"
            "     fused      64  8.941 GiB\n"
            "  model.ad                   TW\n");
}

TEST(Columns, TitlesThatOneLineDoesNotHold) {
  EXPECT_EQ(written(24, true, 2),
            "  table\n"
            "  type\n"
            "    kernel  shards\n"
            "          HBM\n"
            "  ...l.sparse.user_table\n"
            "  RW\n"
            "     fused      64\n"
            "    8.941 GiB\n"
            "  model.ad\n"
            "  TW\n");
}

TEST(Columns, ABrokenTable) {
  EXPECT_EQ(written(50, true),
            "  table                    type  kernel\n"
            "  model.sparse.user_table    RW   fused\n"
            "  model.ad                   TW\n"
            "\n"
            "  table                    shards        HBM\n"
            "  model.sparse.user_table      64  8.941 GiB\n");
}

}  // namespace
}  // namespace shardstats
