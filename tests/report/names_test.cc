#include "shardstats/report/names.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace shardstats {
namespace {

const Replacement kNames[] = {{"model", NameKind::module, true, "model"},
                              {"user\tid", NameKind::table, false, "t000000"},
                              {"\xFF\"Mine", NameKind::sharder, false, "C00000"}};

TEST(Names, KeptOnesAreNotInTheJson) {
  const Json json = names_json(kNames);
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["names"].size(), 2U);
  EXPECT_EQ(json["names"][0], Json({{"kind", "table"}, {"name", "user\tid"}, {"replacement", "t000000"}}));
  EXPECT_NE(dumped(json).find("\xEF\xBF\xBD\\\"Mine"), std::string::npos);
}

TEST(Names, LinesHaveThreeFields) {
  EXPECT_EQ(names_tsv(kNames),
            "kind\tname\treplacement\n"
            "table\tuser\xEF\xBF\xBD"
            "id\tt000000\n"
            "class\t\xEF\xBF\xBD\"Mine\tC00000\n");
}

}  // namespace
}  // namespace shardstats
