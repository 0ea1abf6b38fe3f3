// Finding log files for tests: testdata of the project, and the shared corpus where it lies beside it.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace shardstats::test {

inline std::filesystem::path source_folder() { return SHARDSTATS_SOURCE_DIR; }

inline std::filesystem::path shared_folder() {
  if (const char* given = std::getenv("SHARDSTATS_SHARED")) return given;
  return source_folder() / ".." / "shared";
}

inline std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::vector<std::filesystem::path> logs_below(const std::filesystem::path& root) {
  std::vector<std::filesystem::path> logs;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root))
    if (entry.path().extension() == ".log" || entry.path().extension() == ".txt") logs.push_back(entry.path());
  std::sort(logs.begin(), logs.end());
  return logs;
}

}  // namespace shardstats::test
