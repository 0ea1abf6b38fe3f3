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

// Why a test is skipped that reads the shared corpus.
inline constexpr const char* kNoCorpus = "no shared corpus beside the project; SHARDSTATS_SHARED names another place";
inline std::filesystem::path corpus(const std::string& folder) { return shared_folder() / "corpus" / folder; }

#ifdef __has_feature
constexpr bool kSanitized = __has_feature(address_sanitizer);
#else
constexpr bool kSanitized = false;
#endif
// The sanitizers look for undefined behaviour, not for wrong numbers: some logs of the corpus are enough for them.
constexpr std::size_t kEvery = kSanitized ? 8 : 1;
// What a sample of the corpus has at least of a number that all of it has.
template <class Count>
constexpr Count sampled(Count of_all) {
  return kSanitized ? of_all / 32 : of_all;
}

// The logs of a folder of the shared corpus, one of kEvery; none where it does not lie beside the project.
inline std::vector<std::filesystem::path> corpus_logs(const std::string& folder) {
  std::vector<std::filesystem::path> logs;
  if (!std::filesystem::exists(corpus(folder))) return logs;
  std::size_t count = 0;
  for (const auto& log : logs_below(corpus(folder)))
    if (count++ % kEvery == 0) logs.push_back(log);
  return logs;
}

}  // namespace shardstats::test
