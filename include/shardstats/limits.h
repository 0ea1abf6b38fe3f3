// How much of anything a log may hold. What is larger is an error with its place, never read in part without a word.
// docs/damage.md has the same table; tests/input/limits_test.cc compares the two.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace shardstats {

inline constexpr std::size_t kMostInMemory = std::size_t{1} << 31;  // bytes
inline constexpr std::size_t kMostExpansion = 500;                  // times the compressed bytes
inline constexpr std::size_t kAlwaysExpanded = std::size_t{1} << 26;
inline constexpr std::size_t kLongestLine = std::size_t{1} << 26;  // bytes
inline constexpr std::uint32_t kMostLines = UINT32_MAX;
inline constexpr std::size_t kMostMended = std::size_t{1} << 28;  // bytes
inline constexpr int kMostForeign = 10000;
inline constexpr std::size_t kDeepestNesting = 3;
inline constexpr std::size_t kWidestBox = 65535;                    // characters
inline constexpr std::size_t kLargestBlock = std::size_t{1} << 30;  // characters
inline constexpr std::int64_t kMostRanks = std::int64_t{1} << 17;
inline constexpr std::int64_t kMostTables = std::int64_t{1} << 17;
inline constexpr std::int64_t kMostShards = std::int64_t{1} << 23;
inline constexpr std::int64_t kMostFeatures = std::int64_t{1} << 20;
inline constexpr std::int64_t kLargestBatch = std::int64_t{1} << 40;
inline constexpr std::int64_t kLargestTable = std::int64_t{1} << 49;  // elements
inline constexpr double kLargestNumber = 1e16;

struct Limit {
  std::string_view what;
  std::uint64_t most;
  std::string_view reason;
};
// clang-format off
inline constexpr std::array kLimits = {
    Limit{"bytes of a pipe or of decompressed content", kMostInMemory, "they are held in memory; a plain file is mapped and has no limit"},
    Limit{"times that content may be larger than its compressed form", kMostExpansion, "logs of padded tables reach 100"},
    Limit{"bytes of content whatever their compressed form", kAlwaysExpanded, "one planner's blocks, repeated often, compress better than that"},
    Limit{"bytes of a line with a part of a block", kLongestLine, "a whole log in one JSON string is shorter; columns stay below 2^32"},
    Limit{"lines in front of a block", kMostLines, "line numbers have 32 bits"},
    Limit{"bytes of the lines that are put together again at once", kMostMended, "they are copied, with the place of each piece"},
    Limit{"lines of others in a row inside a block", kMostForeign, "after more of them the block is taken to be cut off"},
    Limit{"strings of JSON inside each other", kDeepestNesting, "a logger, a collector and a store each add one"},
    Limit{"characters of a box line's width", kWidestBox, "the widest column is a list of batch sizes, one a feature"},
    Limit{"characters of a block, its width times its lines", kLargestBlock, "render pads every line to the width"},
    Limit{"ranks", kMostRanks, "larger than any cluster; a list of ranks is expanded"},
    Limit{"rows of the parameter table", kMostTables, "larger than any model; inference keeps up to 32 KB for each"},
    Limit{"shards of a block", kMostShards, "each is rebuilt, in 200 bytes"},
    Limit{"features of a table, and entries of a list of batch sizes", kMostFeatures, "their sums stay exact"},
    Limit{"a batch size", kLargestBatch, "times all features it fits 62 bits"},
    Limit{"elements of a table", kLargestTable, "with 8 bytes each, sums of bytes are exact in binary64"},
    Limit{"a printed number", static_cast<std::uint64_t>(kLargestNumber), "from here on Python prints an exponent; no memory or time is so large"},
    Limit{"any other whole number", INT64_MAX, "numbers have 64 bits"},
};
// clang-format on

}  // namespace shardstats
