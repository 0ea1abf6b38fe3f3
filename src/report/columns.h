// Rows of cells as columns; the first one to the left, the rest to the right. Tested by the golden runs in tests/cli.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace shardstats {

class Columns {
 public:
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  void write(std::string& out) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace shardstats
