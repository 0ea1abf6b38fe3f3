// --assume TABLE.KEY=VALUE of a table that is not there. Tested by tests/analysis/assumed_tables_test.cc.
#pragma once

#include <string>
#include <vector>

#include "shardstats/analysis/explain.h"

namespace shardstats {

// Collects which tables of --assume are in none of the blocks.
class AssumedTables {
 public:
  explicit AssumedTables(const std::vector<Override>& overrides);
  void see(const PrintedPlan& printed);
  // One for each override whose table was in no block; none if there was no block.
  std::vector<UnknownTarget> missing() const;

 private:
  struct Missing {
    Override override;
    std::vector<std::string> nearest;  // in the first block that has some
  };
  std::vector<Missing> missing_;
  bool seen_ = false;  // a block
};

}  // namespace shardstats
