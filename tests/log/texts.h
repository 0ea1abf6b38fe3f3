// Texts of logs, changed and printed again. For the tests of log.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "shardstats/log/printed.h"
#include "shardstats/log/render.h"

namespace shardstats::test {

// Every block of the log as it is understood.
inline std::string rendered(std::string_view log) {
  std::string out;
  for (const Block& block : find_blocks(log)) render(parse(block), out);
  return out;
}

// With `to` in the place of the first `from`.
inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// The log's only block.
inline PrintedPlan parsed(std::string_view log) {
  const auto blocks = find_blocks(log);
  EXPECT_EQ(blocks.size(), 1u);
  return blocks.empty() ? PrintedPlan{} : parse(blocks[0]);
}

}  // namespace shardstats::test
