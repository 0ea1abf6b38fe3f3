// The configuration file as a list of settings (docs/configuration.md). Says what is written where and knows nothing of
// options: settings.h does. Tested by tests/cli/config_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace shardstats::cli {

inline constexpr const char* kConfigName = ".shardstats.toml";

struct Setting {
  // heading: of a table, without values. list: an array of texts, numbers and truths. other: dates, lists of lists.
  enum class Kind : std::uint8_t { truth, number, text, list, heading, other } kind{};
  std::string section;   // "", "verify", "check.tables"
  std::size_t item = 0;  // of [[section]], from 0
  std::string key;
  std::vector<std::string> values;  // as they would stand on the command line
  std::string place;                // "FILE:3:10"
};

// In the order of the file; otherwise what is wrong with it, with its place.
using Config = std::vector<Setting>;
std::variant<Config, std::string> read_config(const std::string& path);

// The nearest .shardstats.toml in this directory or above it.
std::optional<std::string> find_config();

}  // namespace shardstats::cli
