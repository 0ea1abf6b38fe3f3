#include "shardstats/numbers/runs.h"

#include <cstddef>

namespace shardstats {

std::vector<std::string> runs_of(const std::vector<int>& numbers) {
  std::vector<std::string> runs;
  for (std::size_t first = 0; first < numbers.size();) {
    std::size_t end = first + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    std::string& run = runs.emplace_back(std::to_string(numbers[first]));
    if (end - first > 1) run += "-" + std::to_string(numbers[end - 1]);
    first = end;
  }
  return runs;
}

}  // namespace shardstats
